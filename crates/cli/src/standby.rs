//! What every measuring command sets up before it starts a process.

use perflab_runner::{Interrupt, Keeper, job_control};

use crate::failure::Failure;

/// Takes over Ctrl-C and Ctrl-Z, and starts the keeper that cleans up should this process be killed.
pub fn stand_by() -> Result<(Interrupt, Keeper), Failure> {
    let interrupt = Interrupt::install()
        .map_err(|error| Failure::environment(format!("cannot watch for Ctrl-C: {error}")))?;
    let own = std::env::current_exe()
        .map_err(|error| Failure::environment(format!("cannot find the own program: {error}")))?;
    let keeper = Keeper::start(&own)
        .map_err(|error| Failure::environment(format!("cannot start the keeper: {error}")))?;
    job_control(&keeper)
        .map_err(|error| Failure::environment(format!("cannot watch for Ctrl-Z: {error}")))?;
    Ok((interrupt, keeper))
}
