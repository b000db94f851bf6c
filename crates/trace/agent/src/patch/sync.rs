//! Makes every thread of the process execute an instruction that serialises.
#![expect(unsafe_code, reason = "membarrier has no safe wrapper")]

use std::io;

use super::seccomp;
use crate::processors::on_each_processor;

const QUERY: libc::c_long = 0;
const REGISTER: libc::c_long = 1 << 6;
const SYNC_CORE: libc::c_long = 1 << 5;

/// How it is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sync {
    /// `membarrier(PRIVATE_EXPEDITED_SYNC_CORE)`: the kernel interrupts each processor that runs a
    /// thread of the process, and each returns to it by an instruction that serialises.
    Membarrier,
    /// The calling thread visits each processor. Where it runs no other thread does; whoever ran there was
    /// taken away by the scheduler, and fetches its code again when it comes back.
    Visit,
}

impl Sync {
    /// As it is shown.
    pub fn name(self) -> &'static str {
        match self {
            Self::Membarrier => "membarrier",
            Self::Visit => "a visit to each processor",
        }
    }

    /// Returns when each thread has serialised since the call.
    ///
    /// # Errors
    /// When the kernel refuses; sites may be between two steps then, each on or off.
    pub fn all_threads(self) -> Result<(), String> {
        match self {
            Self::Membarrier => {
                membarrier(SYNC_CORE).map_err(|error| format!("membarrier failed: {error}"))?;
                Ok(())
            }
            Self::Visit => {
                visit().map_err(|error| format!("a processor could not be visited: {error}"))
            }
        }
    }
}

/// Registers the process for [`Sync::Membarrier`].
///
/// # Errors
/// When the kernel does not have it, or a filter of system calls forbids it.
pub fn register() -> io::Result<()> {
    seccomp::Tried::default().let_pass(libc::SYS_membarrier, [QUERY, 0, 0, 0, 0, 0])?;
    let offered = membarrier(QUERY)?;
    if offered & REGISTER == 0 || offered & SYNC_CORE == 0 {
        return Err(io::ErrorKind::Unsupported.into());
    }
    register_again()
}

/// Registers a process that a filter, if there is one, is known to let do so.
///
/// # Errors
/// When the kernel refuses.
pub fn register_again() -> io::Result<()> {
    membarrier(REGISTER).map(drop)
}

fn membarrier(command: libc::c_long) -> io::Result<libc::c_long> {
    // SAFETY: the call takes numbers only.
    let result = unsafe { libc::syscall(libc::SYS_membarrier, command, 0, 0) };
    if result < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(result)
    }
}

fn visit() -> io::Result<()> {
    on_each_processor(|| {})
}
