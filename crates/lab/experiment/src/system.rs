//! When a system under test is ready, and how it is stopped.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use crate::checked;
use crate::command::Command;
use crate::duration::{self, DurationText};

/// How to see that a system is ready, and how long to wait for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(into = "ReadyTable")]
pub struct Ready {
    /// What is tried until it succeeds.
    pub check: ReadyCheck,
    /// After this time the system counts as not ready.
    pub timeout: Duration,
}

/// What shows that a system is ready.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadyCheck {
    /// `host:port` accepts a TCP connection.
    Tcp(String),
    /// The Unix socket at this path accepts a connection.
    Unix(String),
    /// The command exits with 0.
    Command(Command),
    /// A line of the system's output matches this regular expression.
    Line(String),
}

/// [`Ready`] as it stands in the file.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Ready")]
pub(crate) struct ReadyTable {
    /// `host:port` that accepts a TCP connection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tcp: Option<String>,
    /// Path of a Unix socket that accepts a connection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    unix: Option<String>,
    /// Command that exits with 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    command: Option<Command>,
    /// Regular expression that matches a line of the system's output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    line: Option<String>,
    /// How long to wait.
    #[serde(default = "ten_seconds", with = "duration")]
    #[schemars(with = "DurationText")]
    timeout: Duration,
}

fn ten_seconds() -> Duration {
    Duration::from_secs(10)
}

impl TryFrom<ReadyTable> for Ready {
    type Error = &'static str;

    fn try_from(table: ReadyTable) -> Result<Self, Self::Error> {
        let check = match (table.tcp, table.unix, table.command, table.line) {
            (Some(address), None, None, None) => ReadyCheck::Tcp(address),
            (None, Some(path), None, None) => ReadyCheck::Unix(path),
            (None, None, Some(command), None) => ReadyCheck::Command(command),
            (None, None, None, Some(pattern)) => ReadyCheck::Line(pattern),
            _ => return Err("`ready` needs exactly one of `tcp`, `unix`, `command` and `line`"),
        };
        Ok(Self {
            check,
            timeout: table.timeout,
        })
    }
}

impl From<Ready> for ReadyTable {
    fn from(ready: Ready) -> Self {
        let mut table = Self {
            tcp: None,
            unix: None,
            command: None,
            line: None,
            timeout: ready.timeout,
        };
        match ready.check {
            ReadyCheck::Tcp(address) => table.tcp = Some(address),
            ReadyCheck::Unix(path) => table.unix = Some(path),
            ReadyCheck::Command(command) => table.command = Some(command),
            ReadyCheck::Line(pattern) => table.line = Some(pattern),
        }
        table
    }
}

impl<'de> Deserialize<'de> for Ready {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        checked::table::<ReadyTable, _, _>(from)
    }
}

/// How a system is stopped, and after which time it is killed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(into = "StopTable")]
pub struct Stop {
    /// What tells it to stop.
    pub action: StopAction,
    /// After this time it is killed.
    pub timeout: Duration,
}

/// What tells a system to stop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopAction {
    /// This signal.
    Signal(Signal),
    /// This command.
    Command(Command),
}

/// A signal that can tell a system to stop.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Signal {
    /// SIGTERM.
    #[default]
    Term,
    /// SIGINT.
    Int,
    /// SIGHUP.
    Hup,
    /// SIGQUIT.
    Quit,
    /// SIGUSR1.
    Usr1,
    /// SIGUSR2.
    Usr2,
    /// SIGKILL.
    Kill,
}

/// [`Stop`] as it stands in the file.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Stop")]
pub(crate) struct StopTable {
    /// Signal that is sent; by default TERM.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    signal: Option<Signal>,
    /// Command that is run instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    command: Option<Command>,
    /// After this time the system is killed.
    #[serde(default = "ten_seconds", with = "duration")]
    #[schemars(with = "DurationText")]
    timeout: Duration,
}

impl Default for Stop {
    fn default() -> Self {
        Self {
            action: StopAction::Signal(Signal::Term),
            timeout: ten_seconds(),
        }
    }
}

impl TryFrom<StopTable> for Stop {
    type Error = &'static str;

    fn try_from(table: StopTable) -> Result<Self, Self::Error> {
        let action = match (table.signal, table.command) {
            (Some(_), Some(_)) => return Err("`stop` takes a `signal` or a `command`, not both"),
            (None, Some(command)) => StopAction::Command(command),
            (signal, None) => StopAction::Signal(signal.unwrap_or_default()),
        };
        Ok(Self {
            action,
            timeout: table.timeout,
        })
    }
}

impl From<Stop> for StopTable {
    fn from(stop: Stop) -> Self {
        let (signal, command) = match stop.action {
            StopAction::Signal(signal) => (Some(signal), None),
            StopAction::Command(command) => (None, Some(command)),
        };
        Self {
            signal,
            command,
            timeout: stop.timeout,
        }
    }
}

impl<'de> Deserialize<'de> for Stop {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        checked::table::<StopTable, _, _>(from)
    }
}
