//! The agent as a static library: a program in C links it and calls `perflab_agent_start`, which the header
//! `perflab/agent.h` declares. For programs that `LD_PRELOAD` does not reach.
#![expect(unsafe_code, reason = "the linker finds the function by its name")]

use std::ffi::c_int;
use std::io::Write;

use perflab_agent::StartError;

/// Starts the agent of this process.
///
/// Returns 0 or a number of `errno.h`: `EALREADY` if there is an agent in the process, `EPERM` if the program
/// runs with more rights than its user, `EIO` if the socket or the thread could not be made. Then, if
/// `PERFLAB_AGENT_VERBOSE` is set, the reason goes to standard error.
// SAFETY: no other function has this name.
#[unsafe(no_mangle)]
pub extern "C" fn perflab_agent_start() -> c_int {
    let Err(error) = perflab_agent::start() else {
        return 0;
    };
    if std::env::var_os("PERFLAB_AGENT_VERBOSE").is_some() {
        let _ = writeln!(std::io::stderr(), "perflab agent: {error}");
    }
    match error {
        StartError::Elected => libc::EALREADY,
        StartError::Privileged => libc::EPERM,
        StartError::Failed(_) => libc::EIO,
    }
}
