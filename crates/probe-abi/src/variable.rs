//! Variables of the environment that ask an agent for something, and the values that it understands.

use core::fmt;

use crate::pattern::{PatternError, patterns};

/// Probes that are counted from the start.
pub const PROBES: &str = "PERFLAB_PROBES";

/// Probes that are recorded from the start.
pub const RECORD: &str = "PERFLAB_RECORD";

/// Memory for the events of one thread, in KiB.
pub const RECORD_RING: &str = "PERFLAB_RECORD_RING";

/// Memory for the events of one process, in KiB.
pub const RECORD_MEMORY: &str = "PERFLAB_RECORD_MEMORY";

/// Memory for all recordings of a user, in KiB.
pub const RECORD_TOTAL: &str = "PERFLAB_RECORD_TOTAL";

/// The clock of events.
pub const CLOCK: &str = "PERFLAB_AGENT_CLOCK";

/// How the code of sites is changed.
pub const PROTOCOL: &str = "PERFLAB_AGENT_PROTOCOL";

/// How it is written.
pub const WRITING: &str = "PERFLAB_AGENT_WRITING";

/// How other threads come to see it.
pub const SYNC: &str = "PERFLAB_AGENT_SYNC";

/// What is wrong with a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueError<'a> {
    /// It names no probes.
    Probes(PatternError<'a>),
    /// It is no number.
    Kibibytes(&'a str),
    /// It is none of these.
    Word(&'a str, &'static [&'static str]),
}

impl fmt::Display for ValueError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Probes(error) => error.fmt(f),
            Self::Kibibytes(value) => write!(f, "{value:?} is no number of KiB up to {}", u32::MAX),
            Self::Word(value, words) => {
                write!(f, "{value:?} is none of")?;
                let mut mark = "";
                for word in *words {
                    write!(f, "{mark} {word}")?;
                    mark = ",";
                }
                Ok(())
            }
        }
    }
}

impl core::error::Error for ValueError<'_> {}

/// The variables whose values [`check_value`] knows.
pub const CHECKED: [&str; 9] = [
    PROBES,
    RECORD,
    RECORD_RING,
    RECORD_MEMORY,
    RECORD_TOTAL,
    CLOCK,
    PROTOCOL,
    WRITING,
    SYNC,
];

/// Whether an agent understands the value of a variable. A word that is empty is as good as none.
///
/// # Errors
/// With what is wrong.
pub fn check_value<'a>(variable: &str, value: &'a str) -> Result<(), ValueError<'a>> {
    let words: &[&str] = match variable {
        PROBES | RECORD => return patterns(value).map(drop).map_err(ValueError::Probes),
        RECORD_RING | RECORD_MEMORY | RECORD_TOTAL => {
            let number = value.parse::<u32>().map(drop);
            return number.map_err(|_| ValueError::Kibibytes(value));
        }
        CLOCK => &["ordered", "monotonic"],
        PROTOCOL => &["word", "pun", "fault", "trap"],
        WRITING => &["memory", "protection"],
        SYNC => &["membarrier", "visit"],
        _ => return Ok(()),
    };
    if value.is_empty() || words.contains(&value) {
        Ok(())
    } else {
        Err(ValueError::Word(value, words))
    }
}
