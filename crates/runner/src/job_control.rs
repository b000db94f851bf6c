//! Ctrl-Z and `fg`: what the laboratory has started stops and goes on with it.
//!
//! It leads process groups of its own, which the terminal's Ctrl-Z does not reach. A person who stops the job wants
//! the machine for something else; so the laboratory stops those groups first and itself then, and continues them when
//! it is continued. SIGSTOP cannot be handled: what is being measured then goes on alone. Either way the run is made
//! again, see [`crate::Moment`].
#![expect(
    unsafe_code,
    reason = "an action of our own in a signal handler has no safe interface"
)]

use std::io;

use rustix::process::{Pid, Signal, getpid, kill_process, kill_process_group};
use signal_hook::consts::{SIGCONT, SIGTSTP};
use signal_hook::low_level::register;

use crate::keeper::Keeper;
use crate::standstill;

/// Takes over SIGTSTP and SIGCONT of this process, for what `keeper` knows as started.
///
/// # Errors
/// When the signals cannot be taken over.
pub fn job_control(keeper: &Keeper) -> io::Result<()> {
    // SAFETY: the action is fit for a signal handler, as it is one operation on an atomic.
    unsafe { register(SIGCONT, standstill::continued)? };
    let Some(table) = keeper.table() else {
        return Ok(());
    };
    let tell = move |signal| {
        for group in table.taken().filter_map(Pid::from_raw) {
            let _ = kill_process_group(group, signal);
        }
    };
    let stop = move || {
        tell(Signal::STOP);
        let _ = kill_process(getpid(), Signal::STOP);
        // From here on the laboratory has been continued.
        tell(Signal::CONT);
    };
    // SAFETY: the action is fit for a signal handler, as it consists of reads of atomics and of system calls, which
    // touch no memory and set no `errno`. It neither takes a lock nor allocates nor panics.
    unsafe { register(SIGTSTP, stop)? };
    Ok(())
}
