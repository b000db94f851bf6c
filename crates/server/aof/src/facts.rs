//! What a log says of itself.

use std::time::Duration;

use crate::failure::Failure;
use crate::policy::Policy;
use crate::shared::Shared;

/// What a log says of itself, at one moment.
#[derive(Clone, Debug)]
pub struct Facts {
    /// Length of the file, in bytes.
    pub size: u64,
    /// Its length after it was opened or rewritten last, in bytes.
    pub base_size: u64,
    /// How many bytes are in memory, to be written.
    pub pending_bytes: u64,
    /// How many bytes a power failure would lose, with those that are pending.
    pub unsynced_bytes: u64,
    /// How long the oldest block waits to be synced; to be written, if the policy is [`Policy::No`].
    pub behind: Duration,
    /// How many syncs there were. One of them may be for many blocks.
    pub syncs: u64,
    /// How long the last of them took.
    pub last_sync: Option<Duration>,
    /// How many blocks were not appended at once, as the disk did not keep up.
    pub delayed_appends: u64,
    /// Whether a new file is being written.
    pub is_rewriting: bool,
    /// Why no blocks are taken.
    pub failure: Option<Failure>,
    /// The last failure, also if it is over.
    pub last_failure: Option<Failure>,
}

impl Shared {
    /// The facts at this moment.
    pub fn facts(&self) -> Facts {
        let state = self.lock();
        let oldest = match self.policy {
            Policy::Always | Policy::EverySecond => state.ages.unsynced(),
            Policy::No => state.ages.unwritten(),
        };
        Facts {
            size: state.file.offset(state.written),
            base_size: state.file.base,
            pending_bytes: state.pending(),
            unsynced_bytes: state.appended - state.synced,
            behind: oldest.map_or(Duration::ZERO, |oldest| oldest.elapsed()),
            syncs: state.syncs,
            last_sync: state.last_sync,
            delayed_appends: state.delayed,
            is_rewriting: state.is_rewriting,
            failure: state.failure.clone(),
            last_failure: state.last_failure.clone(),
        }
    }
}
