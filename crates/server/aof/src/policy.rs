//! When a block is on the disk.

use std::fmt;
use std::str::FromStr;

/// When blocks are made to outlast a power failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// Before [`wait`](crate::Log::wait) returns. Threads that wait at the same time share one sync.
    Always,
    /// Once a second. A power failure loses a second or two, a killed process the last milliseconds.
    EverySecond,
    /// Whenever the kernel decides. A killed process loses the last milliseconds.
    No,
}

/// A text that names no policy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a policy, `always`, `everysec` or `no`, found `{0}`")]
pub struct UnknownPolicy(String);

impl Policy {
    /// The word that configurations of Redis have for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::EverySecond => "everysec",
            Self::No => "no",
        }
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Policy {
    type Err = UnknownPolicy;

    fn from_str(text: &str) -> Result<Self, UnknownPolicy> {
        [Self::Always, Self::EverySecond, Self::No]
            .into_iter()
            .find(|policy| policy.name() == text)
            .ok_or_else(|| UnknownPolicy(text.to_owned()))
    }
}
