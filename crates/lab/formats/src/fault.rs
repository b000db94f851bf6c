//! Why a foreign file could not be read or written.

use std::fmt;

/// Why a file could not be read, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The file, as [`crate::File::path`] names it.
    pub path: String,
    /// The line, from 1, where the format has lines.
    pub line: Option<usize>,
    /// What was expected, what was found, what to do.
    pub message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(to, "{}:{line}: {}", self.path, self.message),
            None => write!(to, "{}: {}", self.path, self.message),
        }
    }
}

impl std::error::Error for Fault {}

impl Fault {
    pub(crate) fn new(path: &str, message: impl Into<String>) -> Self {
        Self {
            path: path.to_owned(),
            line: None,
            message: message.into(),
        }
    }

    pub(crate) fn line(path: &str, line: usize, message: impl Into<String>) -> Self {
        Self {
            line: Some(line),
            ..Self::new(path, message)
        }
    }

    /// JSON that is none, or not of the shape that `expected` names.
    pub(crate) fn json(path: &str, expected: &str, error: &serde_json::Error) -> Self {
        let line = Some(error.line()).filter(|line| *line > 0);
        Self {
            line,
            ..Self::new(path, format!("expected {expected}, found: {error}"))
        }
    }
}

/// Why runs cannot be written in a format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WriteFault {
    /// There is nothing that this format could hold.
    #[error("there is nothing to write: {0}")]
    Nothing(String),
    /// Two names become one.
    #[error(
        "`{first}` and `{second}` would have the same name, `{name}`, in this format; export one \
         variant at a time with --variant, or another format"
    )]
    SameName {
        /// One of them.
        first: String,
        /// The other one.
        second: String,
        /// What both become.
        name: String,
    },
    /// The writer below failed.
    #[error("{0}")]
    Writer(String),
}

impl WriteFault {
    pub(crate) fn writer(error: impl fmt::Display) -> Self {
        Self::Writer(error.to_string())
    }

    pub(crate) fn no_samples() -> Self {
        Self::Nothing("no run has samples".to_owned())
    }
}

/// A text from a file, short enough and safe for a message.
pub(crate) fn shown(text: &str) -> String {
    const SHOWN: usize = 60;
    let mut short: String = text
        .chars()
        .take(SHOWN)
        .flat_map(char::escape_debug)
        .collect();
    if text.chars().nth(SHOWN).is_some() {
        short.push_str("...");
    }
    short
}
