//! Time, and the CPU time of threads and processes.

use std::fs;
use std::io;
use std::path::Path;
use std::time::Instant;

use rustix::time::{ClockId, clock_gettime};

/// ns since the load began, as all threads count them.
#[derive(Debug, Clone, Copy)]
pub struct Clock(Instant);

impl Clock {
    /// Begins at 0.
    pub fn new() -> Self {
        Self(Instant::now())
    }

    /// ns until now.
    pub fn now(self) -> u64 {
        self.0.elapsed().as_nanos() as u64
    }
}

/// The CPU time of the calling thread, in ns.
pub fn own_cpu_ns() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    (time.tv_sec as u64) * 1_000_000_000 + time.tv_nsec as u64
}

/// The CPU time of a process so far.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct CpuTime {
    /// Of its threads that live, in ns.
    pub threads_ns: u64,
    /// In user space, of all its threads, in s. The kernel divides by ticks, so it is a share of samples.
    pub user_s: f64,
    /// In the kernel, in s.
    pub system_s: f64,
}

impl CpuTime {
    /// That of a process.
    ///
    /// # Errors
    /// If there is no such process, or the kernel does not say.
    pub fn of(pid: u32) -> io::Result<Self> {
        let directory = Path::new("/proc").join(pid.to_string());
        let (user_s, system_s) = times(&fs::read_to_string(directory.join("stat"))?)
            .ok_or_else(|| io::Error::other("its /proc/PID/stat has no times"))?;
        Ok(Self {
            threads_ns: threads_ns(&directory)?,
            user_s,
            system_s,
        })
    }

    /// What was used since an earlier look.
    pub fn since(self, before: Self) -> Self {
        Self {
            threads_ns: self.threads_ns.saturating_sub(before.threads_ns),
            user_s: self.user_s - before.user_s,
            system_s: self.system_s - before.system_s,
        }
    }
}

/// The time on a CPU of all threads, in ns.
fn threads_ns(process: &Path) -> io::Result<u64> {
    let mut total = None;
    for thread in fs::read_dir(process.join("task"))? {
        // A thread may end between two looks.
        let Ok(text) = fs::read_to_string(thread?.path().join("schedstat")) else {
            continue;
        };
        let first = text.split_whitespace().next();
        let time = first.and_then(|number| number.parse::<u64>().ok());
        let time = time.ok_or_else(|| io::Error::other("its schedstat has no time"))?;
        total = Some(total.unwrap_or(0) + time);
    }
    total.ok_or_else(|| io::Error::other("the kernel counts no time of its threads (schedstat)"))
}

/// Ticks in a second in the files of `/proc`: a promise of Linux to programs.
const TICKS: f64 = 100.0;

/// The times in user space and in the kernel, in s, of the text of a `stat`.
fn times(stat: &str) -> Option<(f64, f64)> {
    // The name of the program is within parentheses, and may have blanks and parentheses itself.
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(11);
    let mut seconds = || Some(fields.next()?.parse::<f64>().ok()? / TICKS);
    Some((seconds()?, seconds()?))
}

#[cfg(test)]
mod tests {
    use super::{CpuTime, own_cpu_ns, times};

    #[test]
    fn times_are_found_behind_any_name() {
        let stat = "7 (a) b (c) S 1 7 7 0 -1 4194560 88 0 0 0 123 45 0 0 20 0 1 0 1 2 3";
        assert_eq!(times(stat), Some((1.23, 0.45)));
        assert_eq!(times("7 (a) S 1"), None);
    }

    #[test]
    fn a_process_has_used_what_its_thread_has() {
        let own = std::process::id();
        let (before, thread) = (CpuTime::of(own).expect("it lives"), own_cpu_ns());
        while own_cpu_ns() - thread < 30_000_000 {}
        let used = CpuTime::of(own).expect("it lives").since(before);
        // The time of a thread that executes is brought up to date by the tick of the clock.
        assert!(used.threads_ns >= 15_000_000, "{used:?}");
        assert!(CpuTime::of(u32::MAX).is_err());
    }
}
