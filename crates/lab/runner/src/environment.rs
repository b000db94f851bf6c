//! The variables that a measured process gets: few, the same for all, and of random total size.
//!
//! The size of the environment moves the stack, and with it the time that some programs take by
//! more than most changes under test do (Mytkowicz, Diwan, Hauswirth and Sweeney: Producing wrong
//! data without doing anything obviously wrong, ASPLOS 2009). So each run gets another size.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::process::Command;

/// Names inherited from the laboratory's own environment: what programs need to be found and to
/// find their files. Everything else could differ between two users and is left out.
const INHERITED: [&str; 6] = ["HOME", "LOGNAME", "PATH", "SHELL", "TMPDIR", "USER"];

/// Variables of fixed value, so that tools print numbers and dates in one form.
const FIXED: [(&str, &str); 2] = [("LC_ALL", "C.UTF-8"), ("TZ", "UTC")];

/// Names the libraries that the loader maps first.
pub(crate) const PRELOAD: &str = "LD_PRELOAD";

/// Holds the padding.
const PADDING: &str = "PERFLAB_PADDING";

/// Marks every process of a laboratory, so that what it left behind can be found.
pub(crate) const MARK: &str = "PERFLAB_MARK";

/// Largest padding in bytes: one page.
pub const MAX_PADDING_BYTES: u32 = 4096;

/// What paddings are cut from.
static FULL_PADDING: [u8; MAX_PADDING_BYTES as usize] = [b'x'; MAX_PADDING_BYTES as usize];

/// All variables of a process.
#[derive(Debug, Clone)]
pub struct Environment {
    cleared: bool,
    variables: Vec<(OsString, OsString)>,
}

impl Environment {
    /// A clean one: the fixed set and those named in `inherit`.
    pub(crate) fn clean(inherit: &[String], mark: &str) -> Self {
        let mut variables: Vec<(OsString, OsString)> = Vec::new();
        for name in INHERITED
            .iter()
            .copied()
            .chain(inherit.iter().map(String::as_str))
        {
            if let Some(value) = std::env::var_os(name) {
                variables.push((name.into(), value));
            }
        }
        for (name, value) in FIXED {
            variables.push((name.into(), value.into()));
        }
        variables.push((MARK.into(), mark.into()));
        Self {
            cleared: true,
            variables,
        }
    }

    /// The laboratory's own, as people expect of a command line that they typed.
    pub(crate) fn inherited(mark: &str) -> Self {
        Self {
            cleared: false,
            variables: vec![(MARK.into(), mark.into())],
        }
    }

    /// Where programs are looked for.
    pub fn path(&self) -> OsString {
        let own = || std::env::var_os("PATH").filter(|_| !self.cleared);
        let path = self.get("PATH").map(OsStr::to_owned).or_else(own);
        path.unwrap_or_else(|| "/usr/bin:/bin".into())
    }

    /// Sets a variable, replacing what it was.
    pub fn set(&mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) {
        let (name, value) = (name.as_ref(), value.as_ref());
        match self.variables.iter_mut().find(|(known, _)| known == name) {
            Some((_, old)) => value.clone_into(old),
            None => self.variables.push((name.to_owned(), value.to_owned())),
        }
    }

    /// Sets variables. A list of libraries to load first is put in front of the one that is there.
    pub fn extend(&mut self, variables: impl IntoIterator<Item = (OsString, OsString)>) {
        for (name, mut value) in variables {
            let former = self.get(PRELOAD).filter(|_| name == PRELOAD);
            if let Some(former) = former {
                value.push(":");
                value.push(former);
            }
            self.set(name, value);
        }
    }

    /// Makes the whole environment larger by so many bytes.
    pub fn pad(&mut self, bytes: u32) {
        let bytes = bytes.min(MAX_PADDING_BYTES) as usize;
        self.set(PADDING, OsStr::from_bytes(&FULL_PADDING[..bytes]));
    }

    /// Gives it to a command.
    pub(crate) fn apply(&self, command: &mut Command) {
        if self.cleared {
            command.env_clear();
        }
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
    }

    /// The value of a variable that was set here.
    pub(crate) fn get(&self, name: &str) -> Option<&OsStr> {
        self.variables
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_os_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clean_environment_has_nothing_else() {
        let mut environment = Environment::clean(&[], "m");
        environment.set("A", "1");
        environment.set("A", "2");
        environment.pad(10);
        let mut command = Command::new("/usr/bin/env");
        environment.apply(&mut command);
        let text = String::from_utf8(command.output().unwrap().stdout).unwrap();
        for line in text.lines() {
            let name = line.split('=').next().unwrap();
            assert!(
                INHERITED.contains(&name) || ["LC_ALL", "TZ", MARK, PADDING, "A"].contains(&name),
                "{line}"
            );
        }
        assert!(text.contains("A=2\n"));
        assert!(text.contains("PERFLAB_PADDING=xxxxxxxxxx\n"));
    }

    #[test]
    fn padding_is_bounded() {
        let mut environment = Environment::clean(&[], "m");
        environment.pad(u32::MAX);
        assert_eq!(
            environment.get(PADDING).unwrap().len(),
            MAX_PADDING_BYTES as usize
        );
    }
}
