//! Signals that end what a command does until then.

use perflab_runner::Interrupt;

use crate::failure::Failure;

/// From now on SIGINT, SIGTERM and SIGHUP only ask the command to stop.
///
/// # Errors
/// When their actions cannot be changed.
pub fn interrupt() -> Result<Interrupt, Failure> {
    let interrupt = Interrupt::install().and_then(|interrupt| {
        interrupt.also_at_hangup()?;
        Ok(interrupt)
    });
    interrupt.map_err(|error| Failure::environment(format!("cannot take signals: {error}")))
}
