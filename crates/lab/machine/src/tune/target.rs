//! What can be read and written: a file, an offload of a network interface, a unit of systemd.

use std::fmt;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};

use super::offload;
use crate::source::{Root, bracketed};

/// One thing that has a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Target {
    /// A file, as a path below the root.
    File(String),
    /// An offload of a network interface, `on` or `off`, by ethtool.
    Offload {
        /// The interface.
        interface: String,
        /// The feature, by ethtool's long name.
        feature: String,
    },
    /// A unit of systemd, `active` or `inactive`.
    Unit(String),
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::File(path) => write!(f, "/{path}"),
            Self::Offload { interface, feature } => write!(f, "{feature} of {interface}"),
            Self::Unit(unit) => f.write_str(unit),
        }
    }
}

impl Target {
    /// The value that is there; of a choice as `always [madvise] never` the chosen one.
    pub(super) fn read(&self, root: &Path) -> io::Result<String> {
        match self {
            Self::File(path) => {
                let line = Root(root).line(path).ok_or_else(|| {
                    io::Error::new(io::ErrorKind::NotFound, "the file cannot be read")
                })?;
                Ok(bracketed(&line).unwrap_or(line))
            }
            Self::Offload { interface, feature } => {
                let text = output("ethtool", &["-k", interface])?;
                offload::state(&text, feature)
                    .map(|state| state.word().to_owned())
                    .ok_or_else(|| io::Error::other(format!("{interface} has no {feature}")))
            }
            Self::Unit(unit) => {
                let status = Command::new("systemctl")
                    .args(["is-active", "--quiet", unit])
                    .stdin(Stdio::null())
                    .status()?;
                let word = if status.success() {
                    "active"
                } else {
                    "inactive"
                };
                Ok(word.to_owned())
            }
        }
    }

    /// Writes a value. The kernel may accept it and do something else: read again.
    pub(super) fn write(&self, root: &Path, value: &str) -> io::Result<()> {
        match self {
            // Never creates: a path that is not there is no setting.
            Self::File(path) => OpenOptions::new()
                .write(true)
                .truncate(true)
                .open(root.join(path))?
                .write_all(format!("{value}\n").as_bytes()),
            Self::Offload { interface, feature } => {
                output("ethtool", &["-K", interface, feature, value]).map(drop)
            }
            Self::Unit(unit) => {
                let verb = if value == "active" { "start" } else { "stop" };
                output("systemctl", &[verb, unit]).map(drop)
            }
        }
    }
}

/// What a program prints, if it ends well.
fn output(program: &str, arguments: &[&str]) -> io::Result<String> {
    let output = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .env("LC_ALL", "C")
        .output()
        .map_err(|error| {
            io::Error::new(error.kind(), format!("cannot start {program}: {error}"))
        })?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said = crate::source::plain(said.lines().next().unwrap_or_default());
    Err(io::Error::other(format!(
        "{program} {} ended with {}: {said}",
        arguments.join(" "),
        output.status
    )))
}
