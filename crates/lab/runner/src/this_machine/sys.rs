//! The system calls that no safe wrapper offers: waiting for a child together with what it used, the CPU time of another
//! process, and a signal to a single thread.
#![expect(
    unsafe_code,
    reason = "wait4, tgkill and the CPU clocks of other processes have no safe wrapper"
)]

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rustix::process::Pid;

use crate::host::{Exit, ResourceUsage};

/// Waits until the child has ended, and collects it.
///
/// # Errors
/// When `pid` is not a child of this process.
pub fn wait4(pid: Pid) -> io::Result<(Exit, ResourceUsage)> {
    let mut status: libc::c_int = 0;
    // SAFETY: an all-zero `rusage` is a valid value of this plain C structure of integers.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    loop {
        // SAFETY: both pointers are to live, writable locals of the types that wait4 fills.
        let got = unsafe { libc::wait4(pid.as_raw_nonzero().get(), &mut status, 0, &mut usage) };
        if got >= 0 {
            break;
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    let exit = if libc::WIFSIGNALED(status) {
        Exit::Signal(libc::WTERMSIG(status))
    } else {
        Exit::Code(libc::WEXITSTATUS(status))
    };
    Ok((exit, from_c(&usage)))
}

/// Sends SIGSTOP to one thread of a process, which then stops all of them; unless it has ended.
pub fn stop_at(process: Pid, thread: Pid) {
    let [process, thread] = [process, thread].map(|pid| pid.as_raw_nonzero().get());
    // SAFETY: the call takes three numbers and no pointer.
    let _ = unsafe { libc::syscall(libc::SYS_tgkill, process, thread, libc::SIGSTOP) };
}

/// CPU time that all threads of a process have used, those that have ended too; nothing where it has gone.
pub fn process_cpu_time(pid: i32) -> Option<Duration> {
    let mut clock: libc::clockid_t = 0;
    // SAFETY: an all-zero `timespec` is a valid value of this plain C structure of integers.
    let mut time: libc::timespec = unsafe { std::mem::zeroed() };
    // SAFETY: both pointers are to live, writable locals of the types that the calls fill.
    let is_read = unsafe {
        libc::clock_getcpuclockid(pid, &mut clock) == 0
            && libc::clock_gettime(clock, &mut time) == 0
    };
    let seconds = u64::try_from(time.tv_sec).ok()?;
    let nanoseconds = u32::try_from(time.tv_nsec).ok()?;
    is_read.then(|| Duration::new(seconds, nanoseconds))
}

/// The largest resident set of this process when it was last asked for, in bytes.
static OWN_PEAK_BYTES: AtomicU64 = AtomicU64::new(0);

/// A child's peak memory, if it can be told from this process's own.
///
/// This process's peak only grows, so a child below a former one need not be compared with the
/// present one: a system call less after each run.
fn told_apart(bytes: u64) -> Option<u64> {
    if bytes <= OWN_PEAK_BYTES.load(Ordering::Relaxed) {
        return None;
    }
    // SAFETY: an all-zero `rusage` is a valid value of this plain C structure of integers.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is to a live, writable local of the type that getrusage fills.
    if unsafe { libc::getrusage(libc::RUSAGE_SELF, &mut usage) } == 0 {
        OWN_PEAK_BYTES.fetch_max(peak_bytes(&usage), Ordering::Relaxed);
    }
    (bytes > OWN_PEAK_BYTES.load(Ordering::Relaxed)).then_some(bytes)
}

fn peak_bytes(usage: &libc::rusage) -> u64 {
    u64::try_from(usage.ru_maxrss).unwrap_or(0) * 1024
}

fn from_c(usage: &libc::rusage) -> ResourceUsage {
    let time = |value: libc::timeval| {
        Duration::new(
            u64::try_from(value.tv_sec).unwrap_or(0),
            u32::try_from(value.tv_usec).unwrap_or(0).min(999_999) * 1000,
        )
    };
    let count = |value: libc::c_long| u64::try_from(value).unwrap_or(0);
    ResourceUsage {
        user: time(usage.ru_utime),
        system: time(usage.ru_stime),
        max_rss_bytes: told_apart(peak_bytes(usage)),
        voluntary_switches: count(usage.ru_nvcsw),
        involuntary_switches: count(usage.ru_nivcsw),
        minor_faults: count(usage.ru_minflt),
        major_faults: count(usage.ru_majflt),
    }
}
