//! From a command line to the arguments of a process.

use std::ffi::OsString;

use super::arguments::BenchArguments;
use crate::failure::Failure;

/// How a command line becomes a process.
#[derive(Debug, Clone, PartialEq)]
pub enum Shell {
    /// Split into words and executed directly.
    None,
    /// Given to this program and its arguments, behind `-c`.
    Through(Vec<String>),
}

impl Shell {
    /// From the flags.
    ///
    /// # Errors
    /// When the shell's own command line cannot be split into words.
    pub fn from(arguments: &BenchArguments) -> Result<Self, Failure> {
        match arguments.shell.as_str() {
            _ if arguments.no_shell => Ok(Self::None),
            "none" => Ok(Self::None),
            "default" => Ok(Self::Through(vec!["sh".to_owned()])),
            other => match shell_words::split(other) {
                Ok(words) if words.first().is_some_and(|word| !word.is_empty()) => {
                    Ok(Self::Through(words))
                }
                _ => Err(Failure::usage(format!(
                    "--shell: `{other}` is not a command"
                ))),
            },
        }
    }

    /// Program and arguments for a command line.
    ///
    /// # Errors
    /// Without a shell: when the line cannot be split into words.
    pub fn argv(&self, line: &str) -> Result<Vec<OsString>, Failure> {
        match self {
            Self::Through(shell) => Ok(shell
                .iter()
                .map(String::as_str)
                .chain(["-c", line])
                .map(Into::into)
                .collect()),
            Self::None => match shell_words::split(line) {
                Ok(words) if !words.is_empty() => Ok(words.into_iter().map(Into::into).collect()),
                Ok(_) => Err(empty()),
                Err(error) => Err(Failure::usage(format!(
                    "cannot split `{line}` into words: {error}; quote it, or leave -N out"
                ))),
            },
        }
    }
}

/// There is no command in a line.
pub fn empty() -> Failure {
    Failure::usage("a command is empty".to_owned())
}
