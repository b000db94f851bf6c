//! Which keys go when memory is short.

use std::fmt;
use std::str::FromStr;

use crate::access::Clock;
use crate::entry::Entry;

/// Which keys are evicted: Redis' `maxmemory-policy`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum Policy {
    /// None: writes are refused.
    #[default]
    NoEviction,
    /// Those that were not read for longest.
    AllKeysLru,
    /// Those that are read least often.
    AllKeysLfu,
    /// Any.
    AllKeysRandom,
    /// Of those with a deadline, the ones that were not read for longest.
    VolatileLru,
    /// Of those with a deadline, the ones that are read least often.
    VolatileLfu,
    /// Any of those with a deadline.
    VolatileRandom,
    /// Those that expire next.
    VolatileTtl,
}

/// All policies, by their numbers.
const ALL: [Policy; 8] = [
    Policy::NoEviction,
    Policy::AllKeysLru,
    Policy::AllKeysLfu,
    Policy::AllKeysRandom,
    Policy::VolatileLru,
    Policy::VolatileLfu,
    Policy::VolatileRandom,
    Policy::VolatileTtl,
];

impl Policy {
    /// The policy of a number, for keeping one in an atomic.
    pub(crate) fn numbered(number: u8) -> Self {
        ALL.get(usize::from(number)).copied().unwrap_or_default()
    }

    /// Its name in Redis' configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::NoEviction => "noeviction",
            Self::AllKeysLru => "allkeys-lru",
            Self::AllKeysLfu => "allkeys-lfu",
            Self::AllKeysRandom => "allkeys-random",
            Self::VolatileLru => "volatile-lru",
            Self::VolatileLfu => "volatile-lfu",
            Self::VolatileRandom => "volatile-random",
            Self::VolatileTtl => "volatile-ttl",
        }
    }

    /// Whether only keys with a deadline go.
    pub fn is_volatile(self) -> bool {
        matches!(
            self,
            Self::VolatileLru | Self::VolatileLfu | Self::VolatileRandom | Self::VolatileTtl
        )
    }

    /// What access clocks keep for it, if anything.
    pub(crate) fn clock(self) -> Option<Clock> {
        match self {
            Self::AllKeysLru | Self::VolatileLru => Some(Clock::Recent),
            Self::AllKeysLfu | Self::VolatileLfu => Some(Clock::Frequent),
            _ => None,
        }
    }

    /// How much an entry deserves to go: the one with the highest rank goes first. None if it stays.
    pub(crate) fn rank(self, entry: &Entry, now: u64, random: u64) -> Option<u64> {
        let deadline = entry.deadline();
        if self.is_volatile() && deadline.is_none() {
            return None;
        }
        match self {
            Self::NoEviction => None,
            _ if entry.is_expired(now) => Some(u64::MAX),
            Self::AllKeysLru | Self::VolatileLru => Some(entry.idle(now)),
            Self::AllKeysLfu | Self::VolatileLfu => Some(u64::from(u8::MAX - entry.frequency(now))),
            Self::AllKeysRandom | Self::VolatileRandom => Some(random),
            Self::VolatileTtl => deadline.map(|deadline| u64::MAX - deadline),
        }
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Policy {
    type Err = UnknownPolicy;

    fn from_str(name: &str) -> Result<Self, UnknownPolicy> {
        let named = ALL.into_iter().find(|policy| policy.name() == name);
        named.ok_or(UnknownPolicy)
    }
}

/// A name that no policy has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownPolicy;

impl fmt::Display for UnknownPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unknown eviction policy; known are")?;
        ALL.iter().try_for_each(|policy| write!(f, " {policy}"))
    }
}

impl std::error::Error for UnknownPolicy {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policies_have_names_and_numbers() {
        for policy in ALL {
            assert_eq!(policy.name().parse(), Ok(policy));
            assert_eq!(Policy::numbered(policy as u8), policy);
        }
        assert_eq!("allkeys".parse::<Policy>(), Err(UnknownPolicy));
    }
}
