//! Why there is no result.

use std::fmt;

/// Why a load ended without a result. Each message names the target, if it is about one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// The plan contradicts itself, or no target could be asked so.
    Plan(String),
    /// A server cannot be reached, or this machine refuses something.
    Unavailable(String),
    /// A server broke its protocol, closed a connection or did not answer in time.
    Broken(String),
    /// A server answered with errors, and the plan does not allow any.
    Refused(String),
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plan(message)
            | Self::Unavailable(message)
            | Self::Broken(message)
            | Self::Refused(message) => formatter.write_str(message),
        }
    }
}

impl std::error::Error for Problem {}
