//! A log that is open.

use std::io;
use std::mem;
use std::sync::{Arc, MutexGuard};
use std::thread::JoinHandle;

use crate::background;
use crate::facts::Facts;
use crate::failure::{AppendError, Failure};
use crate::format::Block;
use crate::medium::Medium;
use crate::place::Place;
use crate::policy::Policy;
use crate::shared::{Shared, State};

/// A log that is open, and locked against other processes. Threads share it by reference.
///
/// Dropping it writes what is pending, and syncs it unless the policy is [`Policy::No`]. [`Self::close`] does the same,
/// and says whether that failed.
#[derive(Debug)]
pub struct Log {
    pub(crate) shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

/// Which block was appended: a later one has a greater ticket. Tickets of two logs cannot be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ticket(u64);

impl Log {
    /// Goes on behind the last block of a file, which ends at `base`.
    pub(crate) fn start(
        place: Place,
        policy: Policy,
        medium: Arc<dyn Medium>,
        salt: u64,
        base: u64,
    ) -> io::Result<Self> {
        let shared = Arc::new(Shared::new(place, policy, medium, salt, base));
        let mut log = Self {
            shared,
            threads: Vec::new(),
        };
        // If the second thread cannot be started, dropping the log ends the first.
        for work in background::works(policy) {
            log.threads.push(background::start(&log.shared, work)?);
        }
        Ok(log)
    }

    /// Appends a block, which is one payload. This copies it into memory, and touches no disk.
    ///
    /// Blocks are replayed in the order of these calls. Whoever needs an order holds a lock of its own meanwhile.
    /// Apply what the block says after this has returned `Ok`, and tell nobody of it before [`Self::wait`] has.
    ///
    /// If the disk does not keep up, it waits: while 64 MiB are pending, and with [`Policy::EverySecond`] while a sync
    /// takes longer than 2 s. With [`Policy::Always`] and 64 MiB pending, it writes them itself.
    ///
    /// # Errors
    /// If the payload has 4 GiB or more, or the log [has failed](Facts::failure). The block is not in the log then, and
    /// will not be.
    pub fn append(&self, payload: &[u8]) -> Result<Ticket, AppendError> {
        let block = Block::of(payload).ok_or(AppendError::TooLong(payload.len()))?;
        let unsealed = block.unsealed();
        let mut state = self.room();
        if let Some(failure) = &state.failure {
            return Err(failure.clone().into());
        }
        state.batch.push(block, &unsealed, payload);
        state.ages.append();
        state.appended += block.bytes();
        let ticket = Ticket(state.appended);
        let is_writer_idle = mem::take(&mut state.is_writer_idle);
        drop(state);
        if is_writer_idle {
            self.shared.work.notify_one();
        }
        Ok(ticket)
    }

    /// The state, as soon as blocks can be appended, or never will be.
    fn room(&self) -> MutexGuard<'_, State> {
        let shared = &*self.shared;
        let mut state = shared.lock();
        let mut is_delayed = false;
        while state.failure.is_none() && state.is_held_up(shared.policy) {
            state.delayed += u64::from(!mem::replace(&mut is_delayed, true));
            // There is no thread that writes for those who wait, and nobody may be waiting.
            let turn = match shared.policy {
                Policy::Always => shared.try_turn(&mut state),
                Policy::EverySecond | Policy::No => None,
            };
            state = match turn {
                Some(mut turn) => {
                    drop(state);
                    // A failure is in the state, too.
                    let _noted = turn.write();
                    drop(turn);
                    shared.lock()
                }
                None => shared.wait_for_room(state),
            };
        }
        state
    }

    /// Returns when the policy's promise is kept for a block and all before it. With [`Policy::Always`] it is written
    /// and synced then. With the others this returns at once.
    ///
    /// Of the threads that wait, one writes and syncs all blocks that are there, and the others sleep meanwhile.
    ///
    /// # Errors
    /// If the log has failed before the promise was kept. The block was appended, and will be in the file if
    /// [`Self::retry`] succeeds: do not append it again.
    pub fn wait(&self, ticket: Ticket) -> Result<(), Failure> {
        let shared = &*self.shared;
        let mut state = shared.lock();
        // A ticket of another log must not keep anybody waiting.
        let goal = ticket.0.min(state.appended);
        loop {
            let reached = match shared.policy {
                Policy::Always => state.synced,
                Policy::EverySecond | Policy::No => state.written,
            };
            if reached >= goal {
                return Ok(());
            }
            if let Some(failure) = &state.failure {
                return Err(failure.clone());
            }
            if shared.policy != Policy::Always {
                return Ok(());
            }
            let turn = shared.try_turn(&mut state);
            state = match turn {
                Some(mut turn) => {
                    drop(state);
                    // A failure is in the state, too.
                    let _noted = turn.write().and_then(|()| shared.sync());
                    drop(turn);
                    shared.lock()
                }
                None => shared.wait_for_turn(state),
            };
        }
    }

    /// Writes and syncs all blocks that were appended before, whatever the policy is.
    ///
    /// # Errors
    /// If the log has failed for good, or fails now.
    pub fn sync(&self) -> Result<(), Failure> {
        self.shared.turn().write()?;
        self.shared.sync()
    }

    /// Tries to write the blocks that are pending after a failure. If this succeeds, blocks are taken again.
    ///
    /// With [`Policy::EverySecond`] and [`Policy::No`] the log does so itself, each second. With [`Policy::Always`] the
    /// blocks are synced, too.
    ///
    /// # Errors
    /// If it fails again, or the failure is [final](Failure::is_final).
    pub fn retry(&self) -> Result<(), Failure> {
        self.shared.turn().write()?;
        match self.shared.policy {
            Policy::Always => self.shared.sync(),
            Policy::EverySecond | Policy::No => Ok(()),
        }
    }

    /// Size, what is pending, and failures.
    pub fn facts(&self) -> Facts {
        self.shared.facts()
    }

    /// Writes what is pending, syncs it unless the policy is [`Policy::No`], and unlocks the file.
    ///
    /// # Errors
    /// If the log has failed for good, or fails now.
    pub fn close(mut self) -> Result<(), Failure> {
        self.finish()
    }

    fn finish(&mut self) -> Result<(), Failure> {
        self.shared.lock().is_closing = true;
        self.shared.work.notify_all();
        self.shared.closing.notify_all();
        for thread in self.threads.drain(..) {
            // It has nothing to say. If it has panicked, its work is done here all the same.
            let _ended = thread.join();
        }
        self.shared.turn().write()?;
        match self.shared.policy {
            Policy::Always | Policy::EverySecond => self.shared.sync(),
            Policy::No => Ok(()),
        }
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        // Whoever wants to know calls `close`.
        let _unknown = self.finish();
    }
}
