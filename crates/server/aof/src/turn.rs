//! One thread at a time writes to the file.
//!
//! ```text
//!  1 take the batch `taken` out of the state: nobody else can
//!  2 write it, if an earlier turn has left blocks in it
//!  3 exchange it, which is empty, for the batch of the state, which is full
//!  4 write it
//!  5 put it back, and wake those who wait for that
//! ```
//!
//! Between 3 and 4 others append to the batch that was empty, so blocks keep the order in which they were appended. If
//! a write fails, blocks that are not whole in the file stay in the batch: they come first the next time, at the same
//! offset, so it does not matter whether the file could be cut.

use std::mem;
use std::sync::Arc;

use crate::batch::Batch;
use crate::failure::{Action, Failure};
use crate::medium::write_all;
use crate::shared::{Shared, State};

/// The right to write to the file, until it is dropped. Drop it without holding the mutex.
#[derive(Debug)]
pub(crate) struct Turn<'s> {
    shared: &'s Shared,
    batch: Batch,
}

impl Shared {
    /// Step 1, if it is nobody's turn.
    pub fn try_turn(&self, state: &mut State) -> Option<Turn<'_>> {
        state.taken.take().map(|batch| Turn {
            shared: self,
            batch,
        })
    }

    /// Step 1, as soon as it is nobody's turn.
    pub fn turn(&self) -> Turn<'_> {
        let mut state = self.lock();
        loop {
            if let Some(turn) = self.try_turn(&mut state) {
                return turn;
            }
            state = self.wait_for_turn(state);
        }
    }
}

impl Turn<'_> {
    /// Steps 2 to 4: writes all blocks that were appended before. Says so to all if that fails.
    pub fn write(&mut self) -> Result<(), Failure> {
        self.shared.lock().check_final()?;
        self.write_batch()?;
        self.take();
        self.write_batch()
    }

    /// Step 3.
    fn take(&mut self) {
        let mut state = self.shared.lock();
        mem::swap(&mut state.batch, &mut self.batch);
        state.ages.take();
    }

    /// Steps 2 and 4.
    fn write_batch(&mut self) -> Result<(), Failure> {
        if self.batch.is_empty() {
            return Ok(());
        }
        // Nobody else changes the file or what is written meanwhile.
        let (medium, salt, offset) = {
            let state = self.shared.lock();
            let file = &state.file;
            (
                Arc::clone(&file.medium),
                file.salt,
                file.offset(state.written),
            )
        };
        self.batch.seal(salt, offset);
        let (done, result) = write_all(&*medium, self.batch.bytes(), offset);
        let whole = self.batch.drop_written(done) as u64;
        let result = result.map_err(|error| {
            // If this fails, too, what is left is cut off when the log is opened again.
            let _left = medium.cut(offset + whole);
            Failure::new(self.shared.place.path(), Action::Write, &error)
        });

        let mut state = self.shared.lock();
        state.written += whole;
        match &result {
            Ok(()) => {
                state.ages.write();
                state.recover();
            }
            Err(failure) => state.fail(failure),
        }
        self.shared.tell_room(&state);
        result
    }
}

/// Step 5.
impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.taken = Some(mem::take(&mut self.batch));
        self.shared.tell_turned(&state);
        self.shared.tell_room(&state);
    }
}
