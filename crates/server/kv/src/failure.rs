//! How a command fails: a message for people, a code for scripts.

use std::fmt;
use std::io;

/// Exit codes, as the help of the program lists them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// A reader saw freed memory, memory was not freed or grew beyond its bound, or a stall was not reported.
    Found = 1,
    /// The command line is wrong.
    Usage = 2,
    /// The output cannot be written.
    Output = 3,
    /// There is no number: the mechanism was not at work, a thread failed, or a server misbehaved.
    NoNumber = 4,
    /// This machine, its kernel or its libraries do not have it.
    Unavailable = 5,
    /// The answer of `rcu possible` or `rcu barrier --possible` is no. Test runners take 77 for "left out" too.
    Impossible = 77,
}

/// A failure to report and to end with.
#[derive(Debug)]
pub struct Failure {
    /// The exit code of the process.
    pub code: Code,
    message: String,
}

impl Failure {
    /// A failure with any code.
    pub fn new(code: Code, message: impl fmt::Display) -> Self {
        Self {
            code,
            message: message.to_string(),
        }
    }

    /// The command line is wrong.
    pub fn usage(message: impl fmt::Display) -> Self {
        Self::new(Code::Usage, message)
    }

    /// This machine, its kernel or its libraries do not have it.
    pub fn unavailable(message: impl fmt::Display) -> Self {
        Self::new(Code::Unavailable, message)
    }

    /// The measurement was not the one that was asked for.
    pub fn no_number(message: impl fmt::Display) -> Self {
        Self::new(Code::NoNumber, message)
    }

    /// The kernel refuses another thread.
    pub fn no_thread(error: &io::Error) -> Self {
        Self::unavailable(format!(
            "no thread can be made: {error}; end other threads, or raise `ulimit -u`"
        ))
    }

    /// A thread panicked. Its message is on standard error by then.
    pub fn panicked() -> Self {
        Self::no_number("a thread panicked: its message is on standard error")
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}
