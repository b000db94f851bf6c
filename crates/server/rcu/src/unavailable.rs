//! Why a flavour cannot be used, or was refused. Each reason is a sentence that a report can show.

use std::error::Error;
use std::fmt;

use crate::choose::NAMES;

/// Why a flavour cannot be used here.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unavailable {
    /// No flavour has this name.
    Unknown(String),
    /// The library cannot be loaded, in the words of the loader, which names the file.
    Library(String),
    /// The library lacks a symbol.
    Symbol {
        /// The library, as it was asked for or found.
        library: String,
        /// The symbol.
        symbol: String,
    },
    /// The library was loaded, and is not what its name says. A full sentence.
    NotAsExpected(String),
    /// The library is in use under another name, and has one state for both.
    Taken {
        /// The name that was asked for.
        flavour: &'static str,
        /// The flavour that has the library.
        by: &'static str,
    },
    /// The kernel does not offer a command of membarrier.
    Membarrier {
        /// The command.
        command: &'static str,
        /// The commands that the kernel offers: the answer to MEMBARRIER_CMD_QUERY, or 0 if it refused to answer.
        offered: u32,
    },
    /// A system call failed.
    Call {
        /// The call.
        call: &'static str,
        /// Its `errno`.
        error: i32,
    },
    /// The machine has one processor, where a command of membarrier returns at once.
    OneProcessor {
        /// The command.
        command: &'static str,
    },
    /// The flavour was written for x86-64 and was never looked at on this architecture.
    Architecture(&'static str),
}

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(name) => {
                let names = NAMES.join(", ");
                write!(f, "no flavour is called '{name}': expected one of {names}")
            }
            Self::Library(words) => f.write_str(words),
            Self::Symbol { library, symbol } => write!(f, "{library} has no symbol {symbol}"),
            Self::NotAsExpected(sentence) => f.write_str(sentence),
            Self::Taken { flavour, by } => write!(
                f,
                "{flavour}: this process uses the library as {by}, and one library cannot be both: use a process for \
                 each"
            ),
            Self::Membarrier { command, offered } => {
                write!(
                    f,
                    "the kernel does not offer {command} (it offers {offered:#x}): choose a flavour without it"
                )
            }
            Self::Call { call, error } => {
                let error = std::io::Error::from_raw_os_error(*error);
                write!(
                    f,
                    "{call}: the kernel, or a filter of system calls, refuses it to this process: {error}"
                )
            }
            Self::OneProcessor { command } => {
                write!(
                    f,
                    "this machine has one processor, where {command} returns at once: use a machine with more"
                )
            }
            Self::Architecture(flavour) => {
                write!(
                    f,
                    "{flavour}: written for x86-64, and this is another architecture: use own-qsbr or rwlock"
                )
            }
        }
    }
}

impl Error for Unavailable {}

/// Why a thread was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
    /// This process is a fork of one that used RCU. Its other threads are gone, and with them whoever would end a grace
    /// period. The child should execute another program.
    Forked,
    /// The calling thread is a reader of this flavour. It would wait for itself.
    IsReader,
    /// The flavour cannot be used here.
    Unavailable(Unavailable),
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Forked => f.write_str(
                "this process is a fork of one that used RCU: it can read, or execute another program",
            ),
            Self::IsReader => f.write_str(
                "this thread is a reader of this flavour already: wait by its `Reader`, and do not join again",
            ),
            Self::Unavailable(reason) => write!(f, "{reason}"),
        }
    }
}

impl Error for Refused {}

impl From<Unavailable> for Refused {
    fn from(reason: Unavailable) -> Self {
        Self::Unavailable(reason)
    }
}

/// The mechanism of a flavour was not at work: a figure of it would bear a false name. A full sentence that names the
/// flavour, what was expected, and what was counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotAtWork(pub String);

impl fmt::Display for NotAtWork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for NotAtWork {}
