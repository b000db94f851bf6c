//! What every measuring command sets up before it starts a process.

use perflab_machine::{LockError, MachineLock};
use perflab_runner::{Interrupt, Reaper, ThisMachine, job_control};

use crate::failure::Failure;
use crate::tune::settle;

/// The right to measure on this machine, with the settings that are its own.
pub fn lock(wait: bool) -> Result<MachineLock, Failure> {
    let got = if wait {
        MachineLock::wait(None, |_| true)
    } else {
        MachineLock::acquire(None)
    };
    let lock = got.map_err(|error| match error {
        LockError::Busy { .. } if !wait => {
            Failure::environment(format!("{error} (--wait waits for it)"))
        }
        error => Failure::environment(error.to_string()),
    })?;
    settle()?;
    Ok(lock)
}

/// Takes over Ctrl-C and Ctrl-Z, and starts the reaper that cleans up should this process be killed.
pub fn stand_by() -> Result<ThisMachine, Failure> {
    let interrupt = Interrupt::install()
        .map_err(|error| Failure::environment(format!("cannot watch for Ctrl-C: {error}")))?;
    let own = std::env::current_exe()
        .map_err(|error| Failure::environment(format!("cannot find the own program: {error}")))?;
    let reaper = Reaper::start(&own).map_err(|error| {
        Failure::environment(format!("cannot start the process reaper: {error}"))
    })?;
    job_control(&reaper)
        .map_err(|error| Failure::environment(format!("cannot watch for Ctrl-Z: {error}")))?;
    Ok(ThisMachine::new(reaper, interrupt))
}
