//! The system call membarrier: a full barrier on each processor that executes a thread of this process.
//!
//! Numbers are those of the kernel's `linux/membarrier.h`.
#![expect(unsafe_code, reason = "the kernel's calls have no safe wrapper")]

use std::io;

use crate::unavailable::Unavailable;

/// MEMBARRIER_CMD_QUERY.
const QUERY: u32 = 0;

/// A command that is a barrier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Command {
    /// Waits until each processor was scheduled, as the kernel's RCU sees it: milliseconds, and no interrupts. For
    /// threads of all processes.
    Global,
    /// Interrupts each processor that executes a thread of a process that registered for it.
    GlobalExpedited,
    /// Interrupts each processor that executes a thread of this process. It must have registered.
    PrivateExpedited,
}

impl Command {
    /// Its name in C.
    pub fn name(self) -> &'static str {
        match self {
            Self::Global => "MEMBARRIER_CMD_GLOBAL",
            Self::GlobalExpedited => "MEMBARRIER_CMD_GLOBAL_EXPEDITED",
            Self::PrivateExpedited => "MEMBARRIER_CMD_PRIVATE_EXPEDITED",
        }
    }

    /// Its bit in the answer to a query, which is also its number.
    pub fn bit(self) -> u32 {
        match self {
            Self::Global => 1 << 0,
            Self::GlobalExpedited => 1 << 1,
            Self::PrivateExpedited => 1 << 3,
        }
    }

    /// The number of its registration.
    fn registration(self) -> Option<u32> {
        match self {
            Self::Global => None,
            Self::GlobalExpedited => Some(1 << 2),
            Self::PrivateExpedited => Some(1 << 4),
        }
    }

    /// Whether a flavour can have it for its barrier, given what [`offered`] and [`processors`] return. With one
    /// processor each command returns at once: there is nobody to order with. A flavour that is there for the time that
    /// the global one takes would not be what it is called.
    ///
    /// # Errors
    /// If the kernel does not offer it, as with [`Command::Global`] under `nohz_full`; or, of that command, if there is
    /// one processor only.
    pub fn available(self, offered: u32, processors: usize) -> Result<(), Unavailable> {
        let command = self.name();
        if offered & self.bit() == 0 {
            return Err(Unavailable::Membarrier { command, offered });
        }
        if self == Self::Global && !is_measurable(processors) {
            return Err(Unavailable::OneProcessor { command });
        }
        Ok(())
    }

    /// Registers this process for it, if that is needed. It is fast before the process has other threads; later it
    /// waits for a grace period of the kernel.
    ///
    /// # Errors
    /// If the kernel refuses.
    pub fn register(self) -> Result<(), Unavailable> {
        match self.registration() {
            Some(number) => membarrier(number)
                .map(drop)
                .map_err(|error| self.refused(&error)),
            None => Ok(()),
        }
    }

    /// Calls it.
    ///
    /// # Errors
    /// If the kernel does not offer it, or the process has not registered.
    #[inline]
    pub fn call(self) -> io::Result<()> {
        membarrier(self.bit()).map(drop)
    }

    /// The reason why it cannot be used after a call that failed.
    pub fn refused(self, error: &io::Error) -> Unavailable {
        Unavailable::Call {
            call: self.name(),
            error: error.raw_os_error().unwrap_or(0),
        }
    }
}

/// The bits of the commands that the kernel offers; 0 if it, or a filter of system calls, refuses to say.
pub fn offered() -> u32 {
    membarrier(QUERY).unwrap_or(0)
}

/// Processors of the machine, whether or not this process may use them; 1 if that cannot be told.
pub fn processors() -> usize {
    // SAFETY: it takes a number and returns one.
    let online = unsafe { libc::sysconf(libc::_SC_NPROCESSORS_ONLN) };
    usize::try_from(online).unwrap_or(1)
}

/// Whether commands have a cost to measure: with one processor the kernel returns from each at once.
pub fn is_measurable(processors: usize) -> bool {
    processors > 1
}

#[inline]
fn membarrier(command: u32) -> io::Result<u32> {
    // SAFETY: it has no memory to read or write. Its flags and processor are 0.
    let answer = unsafe { libc::syscall(libc::SYS_membarrier, command, 0, 0) };
    u32::try_from(answer).map_err(|_| io::Error::last_os_error())
}

#[cfg(test)]
mod tests;
