//! What every measuring command sets up before it starts a process.

use std::time::{Duration, Instant};

use perflab_machine::{LockError, MachineLock};
use perflab_runner::{Interrupt, Reaper, ThisMachine, job_control};

use crate::failure::Failure;
use crate::terminal;
use crate::tune::settle;

/// How long a reaper may take to look through the processes once more when its patience is at an end.
const LAST_LOOK: Duration = Duration::from_secs(2);

/// When somebody who waits is told what for.
const SILENCE: Duration = Duration::from_secs(1);

/// The right to measure on this machine, with the settings that are its own. What a laboratory that was killed has
/// left is waited for in any case, until its reaper has ended it or has given up.
pub fn lock(wait: bool) -> Result<MachineLock, Failure> {
    let begin = Instant::now();
    let mut is_told = false;
    let got = MachineLock::wait(None, |holder| {
        let waited = begin.elapsed();
        let is_reaped = holder.is_none() && waited < Reaper::PATIENCE + LAST_LOOK;
        if (wait || is_reaped) && waited >= SILENCE && !is_told {
            terminal::say(&match holder {
                Some(holder) => format!("note: waiting for another laboratory ({holder})"),
                None => "note: waiting until what a killed laboratory left has ended: nobody who runs is named as the \
                         holder of the machine's lock"
                    .to_owned(),
            });
            is_told = true;
        }
        wait || is_reaped
    });
    let lock = got.map_err(|error| match error {
        LockError::Busy { .. } if !wait => {
            Failure::environment(format!("{error} (--wait waits for it)"))
        }
        error => Failure::environment(error),
    })?;
    settle()?;
    Ok(lock)
}

/// Takes over Ctrl-C and Ctrl-Z, and starts the reaper that cleans up should this process be killed, and holds the lock
/// until then. The lock must be dropped last.
pub fn stand_by(lock: Option<&MachineLock>) -> Result<ThisMachine, Failure> {
    let interrupt = Interrupt::install()
        .map_err(|error| Failure::environment(format!("cannot watch for Ctrl-C: {error}")))?;
    let own = std::env::current_exe()
        .map_err(|error| Failure::environment(format!("cannot find the own program: {error}")))?;
    let reaper = Reaper::start(&own, lock).map_err(|error| {
        Failure::environment(format!("cannot start the process reaper: {error}"))
    })?;
    job_control(&reaper)
        .map_err(|error| Failure::environment(format!("cannot watch for Ctrl-Z: {error}")))?;
    Ok(ThisMachine::new(reaper, interrupt))
}
