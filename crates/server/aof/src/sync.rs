//! Makes what is written outlast a power failure.

use std::sync::PoisonError;
use std::time::Instant;

use crate::failure::{Action, Failure};
use crate::shared::Shared;

impl Shared {
    /// Syncs what is written by now. Says so to all if that fails, which is final.
    ///
    /// Others may write to the file meanwhile.
    pub fn sync(&self) -> Result<(), Failure> {
        let _alone = self.sync.lock().unwrap_or_else(PoisonError::into_inner);
        let (file, position) = {
            let mut state = self.lock();
            state.check_final()?;
            if state.synced == state.written {
                return Ok(());
            }
            state.ages.begin_sync();
            state.sync_began = Some(Instant::now());
            (state.file.clone(), state.written)
        };
        let began = Instant::now();
        let result = file.medium.sync();
        let took = began.elapsed();

        let mut state = self.lock();
        state.sync_began = None;
        state.last_sync = Some(took);
        state.syncs += 1;
        let result = match result {
            // A rewrite that came in between has synced a new file, which has all of this.
            Err(error) if state.file.number == file.number => {
                let failure = Failure::new(self.place.path(), Action::Sync, &error);
                state.fail(&failure);
                Err(failure)
            }
            _ => {
                state.ages.end_sync();
                state.synced = state.synced.max(position);
                Ok(())
            }
        };
        self.tell_room(&state);
        self.tell_turned(&state);
        result
    }
}
