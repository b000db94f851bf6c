//! SIGINT and SIGTERM, turned into something that a wait can watch or that ends what it waits for.
#![expect(
    unsafe_code,
    reason = "an action of our own in a signal handler has no safe interface"
)]

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group};
use rustix::time::{ClockId, clock_gettime};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};

use super::foreground::Foreground;
use crate::host::later;

/// Set once the user asked to stop; readable as a descriptor, so that a wait wakes up at once.
#[derive(Debug)]
pub struct Interrupt {
    asked: Arc<AtomicBool>,
    wake: UnixStream,
    /// The other end. A closed one would read as an interrupt.
    write: UnixStream,
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

/// Signals that come within this time of the first count as one, in milliseconds.
const AT_ONCE_MS: u64 = 200;

/// Ends the process if a signal came before; `first_ms` is when, or 0.
fn end_if_second(first_ms: &AtomicU64) {
    let now = clock_gettime(ClockId::Monotonic);
    // Never 0: the clock runs since the machine was started.
    let now_ms = now.tv_sec.cast_unsigned() * 1000 + now.tv_nsec.cast_unsigned() / 1_000_000;
    let before = first_ms.compare_exchange(0, now_ms, Ordering::Relaxed, Ordering::Relaxed);
    if let Err(first_ms) = before
        && now_ms.saturating_sub(first_ms) >= AT_ONCE_MS
    {
        signal_hook::low_level::exit(130);
    }
}

fn kill(group: i32) {
    if let Some(group) = Pid::from_raw(group) {
        let _ = kill_process_group(group, Signal::KILL);
    }
}

/// Lets a write beyond the limit of a file's size (RLIMIT_FSIZE) fail, instead of ending this process without a word.
/// Programs that it starts are ended as before.
///
/// # Errors
/// When the signal cannot be taken over.
pub fn survive_file_limit() -> io::Result<()> {
    // Ignored, it would be ignored by those programs, too.
    signal_hook::flag::register(SIGXFSZ, Arc::default()).map(|_| ())
}

impl Interrupt {
    /// Takes over SIGINT and SIGTERM of this process.
    ///
    /// A second signal while the first is being dealt with ends the laboratory at once, as the
    /// reaper will clean up behind it. One right behind the first is not a second one: `timeout` signals its child,
    /// and then the group that the child is in.
    ///
    /// # Errors
    /// When the signals cannot be taken over.
    pub fn install() -> io::Result<Self> {
        let asked = Arc::new(AtomicBool::new(false));
        let (wake, write) = UnixStream::pair()?;
        let foreground = Arc::new(Foreground::new());
        // The actions of a signal are taken in this order: the group in the foreground must be
        // ended after the request was noted.
        let first_ms = Arc::new(AtomicU64::new(0));
        for signal in [SIGINT, SIGTERM] {
            let first_ms = Arc::clone(&first_ms);
            // SAFETY: the action is fit for a signal handler, as it consists of operations on an
            // atomic, reading a clock and ending the process, all of which POSIX allows there.
            unsafe { signal_hook::low_level::register(signal, move || end_if_second(&first_ms))? };
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
            write,
            foreground,
        })
    }

    /// Takes over SIGHUP as well, which a terminal sends when it is closed, perhaps twice; unless it is ignored, as
    /// `nohup` wants it.
    ///
    /// # Errors
    /// When the signal cannot be taken over.
    pub fn also_at_hangup(&self) -> io::Result<()> {
        let mut former = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
        // SAFETY: no new action is given, and there is room for the present one.
        let asked = unsafe { libc::sigaction(SIGHUP, std::ptr::null(), former.as_mut_ptr()) };
        if asked != 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: zeros are an action, and the kernel has written one.
        if unsafe { former.assume_init() }.sa_sigaction == libc::SIG_IGN {
            return Ok(());
        }
        signal_hook::flag::register(SIGHUP, Arc::clone(&self.asked))?;
        signal_hook::low_level::pipe::register(SIGHUP, self.write.try_clone()?)?;
        Ok(())
    }

    /// One that never fires, for short work and tests.
    ///
    /// # Errors
    /// When no socket pair can be had.
    pub fn never() -> io::Result<Self> {
        let (wake, write) = UnixStream::pair()?;
        Ok(Self {
            asked: Arc::new(AtomicBool::new(false)),
            wake,
            write,
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

pub(super) fn timespec(duration: Duration) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(duration.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: i64::from(duration.subsec_nanos()),
    }
}
