//! What a load is.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::time::Duration;

use crate::keys::Keys;
use crate::mix::Mix;
use crate::problem::Problem;
use crate::schedule::Pace;
use crate::target::{Protocol, Target};

/// Bytes of a value at most: replies with it must stay well below the longest that is waited for.
pub const MOST_VALUE_BYTES: usize = 32 << 20;

/// Bytes of a key that memcached takes.
const MEMCACHED_KEY_BYTES: usize = 250;

/// Requests of a thread to a target that wait for replies at most.
const MOST_WAITING: usize = 1 << 20;

/// A load: what is asked for, of whom, how and for how long.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The servers, each with a name of its own. Several of them take turns.
    pub targets: Vec<Target>,
    /// The commands.
    pub mix: Mix,
    /// The keys.
    pub keys: Keys,
    /// Bytes of a value: each length in the range is as likely. At most [`MOST_VALUE_BYTES`].
    pub value_bytes: RangeInclusive<usize>,
    /// Whether each key is set before anything is measured.
    pub preload: bool,
    /// Threads, at least 1.
    pub threads: usize,
    /// Connections of each thread to each target, at least 1.
    pub connections: usize,
    /// Requests on a connection that wait for replies, at most. At least 1.
    pub pipeline: usize,
    /// CPUs to which threads are bound, in turn; empty: to none.
    pub cpus: Vec<usize>,
    /// When requests are sent.
    pub pace: Pace,
    /// How long all that lasts.
    pub rounds: Rounds,
    /// A reply that takes longer ends the load.
    pub timeout: Duration,
    /// Fixes the order of turns, and every byte that is sent.
    pub seed: u64,
    /// Whether errors of a server are counted only. Otherwise they end the load.
    pub allows_errors: bool,
}

/// How long something lasts: until the time is over or the operations are made, whichever is first. One of them is
/// there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Length {
    /// The time in which requests are sent. Replies that are missing then are waited for.
    pub time: Option<Duration>,
    /// The number of requests.
    pub operations: Option<u64>,
}

/// Turns of the targets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rounds {
    /// As many as it takes.
    Until {
        /// Of each target, all its turns together.
        length: Length,
        /// Of a turn at most. Without it a single target has one turn; several need it.
        turn: Option<Duration>,
        /// A turn of each target before, which does not count. 0: none.
        warm_up: Duration,
    },
    /// So many.
    Slices {
        /// Of each turn.
        slice: Length,
        /// Turns of each target.
        slices: u64,
        /// Turns of each target before, which do not count.
        warm_up: u64,
    },
}

impl Plan {
    /// # Errors
    /// If the load cannot be made.
    pub fn check(&self) -> Result<(), Problem> {
        self.checked().map_err(Problem::Plan)
    }

    fn checked(&self) -> Result<(), String> {
        self.keys.check()?;
        self.mix.check()?;
        if self.targets.is_empty() {
            return Err("expected at least one target".to_owned());
        }
        let mut names = BTreeSet::new();
        for target in &self.targets {
            if !names.insert(&target.name) {
                return Err(format!("two targets are called `{}`", target.name));
            }
            self.check_target(target)?;
        }
        for (name, number) in [
            ("thread", self.threads),
            ("connection", self.connections),
            ("request in the pipeline", self.pipeline),
        ] {
            if number == 0 {
                return Err(format!("expected at least one {name}"));
            }
        }
        let waiting = self.connections.saturating_mul(self.pipeline);
        if waiting > MOST_WAITING {
            return Err(format!(
                "{waiting} requests of a thread could wait at once: expected at most {MOST_WAITING}"
            ));
        }
        if self.value_bytes.is_empty() || *self.value_bytes.end() > MOST_VALUE_BYTES {
            return Err(format!(
                "expected a range of bytes of a value, at most {MOST_VALUE_BYTES}"
            ));
        }
        if let Some(rate) = self.pace.rate()
            && !(rate.is_finite() && rate > 0.0)
        {
            return Err("expected a rate above 0".to_owned());
        }
        self.check_rounds()
    }

    fn check_target(&self, target: &Target) -> Result<(), String> {
        let protocol = target.protocol();
        if protocol == Protocol::Memcached && self.keys.bytes > MEMCACHED_KEY_BYTES {
            return Err(format!(
                "{target}: memcached takes keys of {MEMCACHED_KEY_BYTES} bytes at most, not of {}",
                self.keys.bytes
            ));
        }
        for command in self.mix.commands(protocol) {
            command
                .pieces(protocol, &self.keys)
                .map_err(|error| format!("{target}: {error}"))?;
        }
        Ok(())
    }

    fn check_rounds(&self) -> Result<(), String> {
        let length = match self.rounds {
            Rounds::Until { length, turn, .. } => {
                if turn.is_none() && self.targets.len() > 1 {
                    return Err("several targets need a length of their turns".to_owned());
                }
                if turn.is_some_and(|turn| turn.is_zero()) {
                    return Err("expected a turn that is longer than 0".to_owned());
                }
                length
            }
            Rounds::Slices { slice, slices, .. } => {
                if slices == 0 {
                    return Err("expected at least one slice".to_owned());
                }
                slice
            }
        };
        match (length.time, length.operations) {
            (None, None) => Err("expected a time or a number of operations".to_owned()),
            (Some(time), _) if time.is_zero() => Err("expected a time above 0".to_owned()),
            (_, Some(0)) => Err("expected at least one operation".to_owned()),
            _ => Ok(()),
        }
    }
}
