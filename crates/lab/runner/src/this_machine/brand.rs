//! A brand that processes inherit and hardly ever lose: by it those are found that left their process group and wrote
//! over their environment, as servers do that become daemons.
//!
//! 1. The brand is a number in the soft limit of real-time processor time (`RLIMIT_RTTIME`), so large that no process
//!    reaches it in 100 000 years. The laboratory bears it for the moment of a start.
//! 2. Everything that is started inherits it, across fork, exec and `setsid`.
//! 3. When the process that was started has ended, all others with its brand are killed. Numbers of processes are given
//!    out in order, so that those are looked at that were given out since the start; after a longer run all are.
//! 4. A program that sets its limits, as `su` and `runuser` do (`pam_limits`), loses the brand; so it stands in the
//!    environment too ([`START`]), and is looked for there where the limit has none.
//! 5. The reaper of a laboratory that was killed finds the same processes by the laboratory's part of the brand.
//!
//! What is not found: a process that has lost both, as a daemon that `su -` starts, which sets limits and clears the
//! environment, or one that writes over its environment where the hard limit forbids the brand; and one that has become
//! another user whom the laboratory may not signal.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{
    Pid, Resource, Rlimit, Signal, getpgid, getpgrp, getrlimit, kill_process, prlimit, setrlimit,
};

/// The first argument that turns the `perflab` binary into a reaper.
pub const REAPER_ARGUMENT: &str = "reaper";

/// Length of a mark.
pub(super) const MARK_DIGITS: usize = 32;

/// Holds the brand of the start that a process comes of.
pub(crate) const START: &str = "PERFLAB_START";

/// What is added to every brand, in microseconds.
const BASE: u64 = 1 << 62;

/// Bits of the number of a start, below those of the laboratory.
const START_BITS: u32 = 30;

/// Bits of the laboratory's own number.
const LABORATORY_BITS: u32 = 31;

/// Length of a run from which all processes are looked at, which takes little time then.
const LONG: Duration = Duration::from_millis(500);

/// More numbers than this are more than the processes of most machines: a look at all processes costs less.
const MOST: i32 = 4096;

/// The hard limit of this process in microseconds; nothing where there is none.
static HARD: OnceLock<Option<u64>> = OnceLock::new();

/// How long processes that were killed are waited for, and the pauses in which they are looked for.
const PATIENCE: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(1);

/// The brands of a laboratory: one for each process that it starts.
#[derive(Debug)]
pub(crate) struct Brands {
    laboratory: u64,
    starts: AtomicU64,
}

/// The brand of one start and of all that comes of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Brand(u64);

/// The limit of this process before it took a brand, restored on drop.
pub(crate) struct Borne(Rlimit);

impl Brands {
    /// The brands of the laboratory whose mark begins with these hexadecimal digits; those of any other mark are of
    /// laboratory 0.
    pub(crate) fn of(mark: &str) -> Self {
        let digits = mark.get(..8).unwrap_or_default();
        let number = u64::from_str_radix(digits, 16).unwrap_or(0);
        Self {
            laboratory: number % (1 << LABORATORY_BITS),
            starts: AtomicU64::new(0),
        }
    }

    /// One that no start has had.
    pub(crate) fn next(&self) -> Brand {
        let start = self.starts.fetch_add(1, Ordering::Relaxed) % (1 << START_BITS);
        Brand(BASE | self.laboratory << START_BITS | start)
    }

    /// Whether a process bears any of them.
    pub(crate) fn is_borne_by(&self, pid: Pid) -> bool {
        let of_laboratory = (BASE | self.laboratory << START_BITS) >> START_BITS;
        borne_by(pid).is_some_and(|brand| brand >> START_BITS == of_laboratory)
    }
}

impl Brand {
    /// Bears it, so that what this process starts inherits it; nothing where the hard limit forbids it.
    pub(crate) fn bear(self) -> Option<Borne> {
        let own = Rlimit {
            current: Some(self.0),
            // perflab never changes the hard limit, so it asks once: a system call less for each start.
            maximum: *HARD.get_or_init(|| getrlimit(Resource::Rttime).maximum),
        };
        prlimit(None, Resource::Rttime, own).ok().map(Borne)
    }

    /// Kills the processes that bear this brand after `first`, their ancestor, has ended. `took`: how long it ran. Gives
    /// up after [`PATIENCE`].
    pub(crate) fn sweep(self, first: Pid, took: Duration) {
        let mut end = None;
        // Again until none is found: one may start another while they are looked at.
        while self.sweep_once(first, took) > 0 {
            let now = Instant::now();
            if now >= *end.get_or_insert(now + PATIENCE) {
                return;
            }
            thread::sleep(PAUSE);
        }
    }

    /// Whether a process has the brand in its environment.
    fn is_in_environment(self, pid: Pid) -> bool {
        let path = format!("/proc/{}/environ", pid.as_raw_nonzero());
        let environment = fs::read(path).unwrap_or_default();
        let wanted = format!("{START}={self}");
        let mut variables = environment.split(|byte| *byte == 0);
        variables.any(|variable| variable == wanted.as_bytes())
    }

    /// Whether a process bears it, in its limit or in its environment.
    pub(super) fn is_borne_by(self, pid: Pid) -> bool {
        let is_branded = match borne_by(pid) {
            Some(brand) => brand == self.0,
            None => self.is_in_environment(pid),
        };
        // What is in this process's own group it has started itself, perhaps while it bore the brand for another.
        is_branded && getpgid(Some(pid)).is_ok_and(|group| group != getpgrp())
    }

    /// One pass; the number of processes that were not found to have ended: a later pass may.
    fn sweep_once(self, first: Pid, took: Duration) -> usize {
        let candidates = match took < LONG {
            true => since(first),
            false => all(),
        };
        let left = candidates.into_iter().filter(|pid| self.is_borne_by(*pid));
        left.filter(|pid| !has_ended(*pid) && ends(*pid)).count()
    }
}

impl std::fmt::Display for Brand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl Drop for Borne {
    fn drop(&mut self) {
        let _ = setrlimit(Resource::Rttime, self.0);
    }
}

/// The numbers that were given out since that of `first`; those of all processes where they are too many, or the counter
/// has begun again.
pub(super) fn since(first: Pid) -> Vec<Pid> {
    let first = first.as_raw_nonzero().get();
    match given_out_last() {
        Some(last) if (first..=first.saturating_add(MOST)).contains(&last) => {
            (first + 1..=last).filter_map(Pid::from_raw).collect()
        }
        _ => all(),
    }
}

/// Files whose last word is the number that was given out last. The first has nothing else and is made in less time
/// than the load; kernels without `CONFIG_CHECKPOINT_RESTORE` have only the second.
const LAST: [&str; 2] = ["/proc/sys/kernel/ns_last_pid", "/proc/loadavg"];

/// The number that was given out last. The file stays open, as it is asked after each run.
fn given_out_last() -> Option<i32> {
    static FILE: OnceLock<Option<File>> = OnceLock::new();
    let open = || LAST.iter().find_map(|file| File::open(file).ok());
    last_number(FILE.get_or_init(open).as_ref()?)
}

fn last_number(file: &File) -> Option<i32> {
    let mut bytes = [0; 128];
    let length = file.read_at(&mut bytes, 0).ok()?;
    let text = std::str::from_utf8(bytes.get(..length)?).ok()?;
    text.split_ascii_whitespace().last()?.parse().ok()
}

/// All processes.
pub(super) fn all() -> Vec<Pid> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries
        .filter_map(|entry| Pid::from_raw(entry.file_name().to_str()?.parse().ok()?))
        .collect()
}

/// Whether a process has ended, so that all its files are closed. It may still wait for its parent: then it can be
/// signalled, and its limits can be read.
pub(super) fn has_ended(pid: Pid) -> bool {
    match stat(pid) {
        // The first thread may have ended before others, which keep the files open: field 20 counts them.
        Ok(fields) => {
            matches!(fields[0].as_str(), "Z" | "X") && matches!(fields[17].as_str(), "0" | "1")
        }
        Err(error) => matches!(error.raw_os_error(), Some(libc::ENOENT | libc::ESRCH)),
    }
}

/// Kills a process, but not the reaper of a laboratory that was started by another one: it ends by itself when it has
/// ended all that bears the inner laboratory's mark. Whether it is worth waiting for.
pub(super) fn ends(pid: Pid) -> bool {
    let words = fs::read(format!("/proc/{}/cmdline", pid.as_raw_nonzero())).unwrap_or_default();
    let words: Vec<&[u8]> = words.split(|byte| *byte == 0).collect();
    let is_reaper = matches!(words[..], [_, word, mark, b""]
        if word == REAPER_ARGUMENT.as_bytes() && mark.len() == MARK_DIGITS);
    is_reaper || kill_process(pid, Signal::KILL).is_ok()
}

/// The letter of the state of a process or of a single thread, proc(5): `T` is stopped, `D` a sleep that signals do not
/// end.
pub(super) fn state(pid: Pid) -> Option<char> {
    stat(pid).ok()?[0].chars().next()
}

/// The number of a process's group; 0 for the kernel's own, which `getpgid` is not made for.
pub(super) fn group_of(pid: Pid) -> Option<i32> {
    stat(pid).ok()?[2].parse().ok()
}

/// The fields of /proc/PID/stat from the third on, proc(5).
fn stat(pid: Pid) -> io::Result<[String; 18]> {
    let stat = fs::read(format!("/proc/{}/stat", pid.as_raw_nonzero()))?;
    let stat = String::from_utf8_lossy(&stat);
    // The name before may hold anything, a parenthesis too.
    let (_, fields) = stat.rsplit_once(") ").unwrap_or_default();
    let mut fields = fields.split(' ').map(str::to_owned);
    Ok(std::array::from_fn(|_| fields.next().unwrap_or_default()))
}

/// The soft limit of a process, in microseconds; nothing where it is unlimited or the process has ended.
fn borne_by(pid: Pid) -> Option<u64> {
    let limits = fs::read_to_string(format!("/proc/{}/limits", pid.as_raw_nonzero())).ok()?;
    let mut lines = limits.lines();
    let line = lines.find_map(|line| line.strip_prefix("Max realtime timeout"))?;
    line.split_ascii_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Command, Stdio};

    use perflab_testing::needs;

    use super::*;

    fn branded(brand: Brand, script: &str) -> Child {
        let _borne = brand.bear().expect("the limit can be set");
        let mut command = Command::new("sh");
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command.args(["-c", script]).stdout(Stdio::piped());
        command.spawn().unwrap()
    }

    fn lives(pid: i32) -> bool {
        !has_ended(Pid::from_raw(pid).unwrap())
    }

    #[test]
    fn each_file_tells_the_number_that_was_given_out_last() {
        for file in LAST.iter().filter_map(|file| File::open(file).ok()) {
            // Others start processes meanwhile, and the numbers may begin again.
            let is_told = || {
                let before = last_number(&file).unwrap();
                let mut child = Command::new("true").spawn().unwrap();
                child.wait().unwrap();
                let own = i32::try_from(child.id()).unwrap();
                before < own && (own..own + 1000).contains(&last_number(&file).unwrap())
            };
            assert!(is_told() || is_told(), "{file:?}");
        }
    }

    #[test]
    fn an_ended_process_that_nobody_reaps_is_not_waited_for() {
        let brand = Brands::of("89abcdef01234567").next();
        let mut first = branded(brand, "true");
        first.wait().unwrap();
        let mut orphan = branded(brand, "exit 0");
        while !has_ended(Pid::from_child(&orphan)) {
            thread::sleep(PAUSE);
        }
        let start = Instant::now();
        brand.sweep(Pid::from_child(&first), LONG);
        assert!(start.elapsed() < PATIENCE / 2);
        orphan.wait().unwrap();
    }

    #[test]
    fn a_process_has_ended_when_its_last_thread_has() {
        needs("python3", "python3");
        let script = "import ctypes, threading, time\n\
                      threading.Thread(target=lambda: (print('up', flush=True), time.sleep(300))).start()\n\
                      ctypes.CDLL(None).syscall(60, 0)";
        let mut command = Command::new("python3");
        command.args(["-c", script]).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let pid = Pid::from_child(&child);
        let stat = format!("/proc/{}/stat", child.id());
        while !fs::read_to_string(&stat).unwrap().contains(") Z ") {
            thread::sleep(PAUSE);
        }
        assert!(!has_ended(pid));
        child.kill().unwrap();
        while !has_ended(pid) {
            thread::sleep(PAUSE);
        }
        child.wait().unwrap();
        assert!(has_ended(pid));
    }

    #[test]
    fn what_set_its_limits_is_found_by_its_environment() {
        let brand = Brands::of("fedcba9876543210").next();
        let mut command = Command::new("sh");
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let script = "setsid sleep 300 >/dev/null & echo $!";
        command.args(["-c", script]).env(START, brand.to_string());
        let borne = brand.bear().expect("the limit can be set");
        let child = command.stdout(Stdio::piped()).spawn().unwrap();
        drop(borne);
        let first = Pid::from_child(&child);
        let output = child.wait_with_output().unwrap();
        let left = String::from_utf8(output.stdout).unwrap();
        let left: i32 = left.trim().parse().unwrap();
        let of_left = Pid::from_raw(left).unwrap();
        let unlimited = Rlimit {
            current: None,
            maximum: None,
        };
        let _ = prlimit(Some(of_left), Resource::Rttime, unlimited);
        assert_eq!(borne_by(of_left), None);
        // Between two programs it has no environment for a moment.
        let name = format!("/proc/{left}/comm");
        while fs::read_to_string(&name).unwrap() != "sleep\n" || !brand.is_in_environment(of_left) {
            thread::sleep(PAUSE);
        }
        brand.sweep(first, Duration::ZERO);
        assert!(!lives(left));
    }

    #[test]
    fn what_left_its_group_and_its_environment_is_found_by_its_brand() {
        let brands = Brands::of("0123456789abcdef");
        for took in [Duration::ZERO, LONG] {
            let [own, other] = [brands.next(), brands.next()];
            let script = "setsid env -i sleep 300 >/dev/null & echo $!";
            let started = [own, other].map(|brand| branded(brand, script));
            let first = Pid::from_child(&started[0]);
            let [left, kept] = started.map(|child| {
                let output = child.wait_with_output().unwrap();
                let text = String::from_utf8(output.stdout).unwrap();
                text.trim().parse::<i32>().unwrap()
            });
            // It bears the brand when it has executed the last program as well.
            let of_left = Pid::from_raw(left).unwrap();
            assert!(brands.is_borne_by(of_left));
            assert!(!Brands::of("1123456789abcdef").is_borne_by(of_left));
            own.sweep(first, took);
            assert!(!lives(left) && lives(kept));
            other.sweep(first, LONG);
            assert!(!lives(kept));
        }
        assert_eq!(borne_by(rustix::process::getpid()), None);
    }
}
