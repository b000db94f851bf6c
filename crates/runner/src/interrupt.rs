//! SIGINT and SIGTERM, turned into something that a wait can watch or that ends what it waits for.
#![expect(
    unsafe_code,
    reason = "an action of our own in a signal handler has no safe interface"
)]

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group};
use signal_hook::consts::{SIGINT, SIGTERM};

use crate::foreground::Foreground;
use crate::process::{later, timespec};

/// Set once the user asked to stop; readable as a descriptor, so that a wait wakes up at once.
#[derive(Debug)]
pub struct Interrupt {
    asked: Arc<AtomicBool>,
    wake: UnixStream,
    foreground: Arc<Foreground>,
}

/// The process group that a signal ends, as long as this lives.
#[derive(Debug)]
pub(crate) struct InForeground<'a>(&'a Foreground);

impl Drop for InForeground<'_> {
    fn drop(&mut self) {
        self.0.leave();
    }
}

fn kill(group: i32) {
    if let Some(group) = Pid::from_raw(group) {
        let _ = kill_process_group(group, Signal::KILL);
    }
}

impl Interrupt {
    /// Takes over SIGINT and SIGTERM of this process.
    ///
    /// A second signal while the first is being dealt with ends the laboratory at once, as the
    /// keeper will clean up behind it.
    ///
    /// # Errors
    /// When the signals cannot be taken over.
    pub fn install() -> io::Result<Self> {
        let asked = Arc::new(AtomicBool::new(false));
        let (wake, write) = UnixStream::pair()?;
        let foreground = Arc::new(Foreground::new());
        // The actions of a signal are taken in this order: the group in the foreground must be
        // ended after the request was noted.
        for signal in [SIGINT, SIGTERM] {
            signal_hook::flag::register_conditional_shutdown(signal, 130, Arc::clone(&asked))?;
            signal_hook::flag::register(signal, Arc::clone(&asked))?;
            signal_hook::low_level::pipe::register(signal, write.try_clone()?)?;
            let foreground = Arc::clone(&foreground);
            // SAFETY: the action is fit for a signal handler, as it consists of operations on
            // atomics and one system call, which touches no memory and sets no `errno`. It neither
            // takes a lock nor allocates nor panics.
            unsafe { signal_hook::low_level::register(signal, move || foreground.end(kill))? };
        }
        Ok(Self {
            asked,
            wake,
            foreground,
        })
    }

    /// One that never fires, for short work and tests.
    ///
    /// # Errors
    /// When no socket pair can be had.
    pub fn never() -> io::Result<Self> {
        let (wake, write) = UnixStream::pair()?;
        // Keeps the write end open: a closed one would read as an interrupt.
        std::mem::forget(write);
        Ok(Self {
            asked: Arc::new(AtomicBool::new(false)),
            wake,
            foreground: Arc::new(Foreground::new()),
        })
    }

    /// Lets the signals end this group, until what is returned is dropped: at the latest before the
    /// group's leader is collected. `None` where they already have another one to end.
    pub(crate) fn foreground(&self, group: Pid) -> Option<InForeground<'_>> {
        let number = group.as_raw_nonzero().get();
        self.foreground
            .enter(number, &self.asked, kill)
            .then_some(InForeground(&self.foreground))
    }

    /// Whether the user asked to stop.
    pub fn asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }

    /// Sleeps so long, or until the user asks to stop.
    pub fn sleep(&self, duration: Duration) {
        let deadline = later(Instant::now(), duration);
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let mut wake = [PollFd::new(&self.wake, PollFlags::IN)];
            // A signal of another kind must not cut the sleep short.
            if left.is_zero() || poll(&mut wake, Some(&timespec(left))) != Err(Errno::INTR) {
                return;
            }
        }
    }

    /// Readable once the user asked to stop.
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.wake.as_fd()
    }
}
