//! The processes that came of one that was started, as `/proc` shows them.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{Pid, Signal, test_kill_process};
use rustix::thread::sched_getaffinity;

use super::brand::{Brand, all, group_of, has_ended, since};
use crate::host::{Relative, Thread};
use crate::visible::visible;

/// More numbers than this are more than the processes that are there: most of them have ended.
const MANY: usize = 256;

/// The living processes of the group that `first` leads, and those that bear its brand, as they show themselves.
pub(super) fn relatives(first: Pid, brand: Option<Brand>) -> Vec<Relative> {
    let living = living(first, brand).into_iter();
    living
        .map(|(pid, in_group)| relative(pid, in_group))
        .collect()
}

/// Their numbers, and whether they are in the group.
pub(super) fn living(first: Pid, brand: Option<Brand>) -> Vec<(Pid, bool)> {
    let mut later = since(first);
    if later.len() > MANY {
        let numbers: HashSet<Pid> = later.into_iter().collect();
        later = all();
        later.retain(|pid| numbers.contains(pid));
    }
    later.retain(|pid| *pid != first);
    let candidates = std::iter::once(first).chain(later);
    let own = |pid| {
        let in_group = group_of(pid)? == first.as_raw_nonzero().get();
        let is_ours = in_group || brand.is_some_and(|brand| brand.is_borne_by(pid));
        (is_ours && !has_ended(pid)).then_some((pid, in_group))
    };
    candidates.filter_map(own).collect()
}

fn relative(pid: Pid, in_group: bool) -> Relative {
    let process = pid.as_raw_nonzero().get();
    let place = format!("/proc/{process}");
    let place = Path::new(&place);
    let read = |name| fs::read_to_string(place.join(name)).unwrap_or_default();
    Relative {
        process,
        name: visible(read("comm").trim_end()),
        in_group,
        has_timer: !read("timers").is_empty() || has_timerfd(place),
        handles_continue: handles(&read("status"), Signal::CONT),
        is_foreign: test_kill_process(pid) == Err(Errno::PERM),
        cpus: sched_getaffinity(Some(pid)).ok(),
        threads: threads(place),
    }
}

fn has_timerfd(place: &Path) -> bool {
    let entries = fs::read_dir(place.join("fd"))
        .into_iter()
        .flatten()
        .flatten();
    let mut files = entries.filter_map(|entry| fs::read_link(entry.path()).ok());
    files.any(|file| file == Path::new("anon_inode:[timerfd]"))
}

/// Whether a status file names a signal among those that its process handles.
fn handles(status: &str, signal: Signal) -> bool {
    let mut lines = status.lines();
    let set = lines.find_map(|line| line.strip_prefix("SigCgt:"));
    let set = set.and_then(|set| u64::from_str_radix(set.trim(), 16).ok());
    set.is_some_and(|set| set >> (signal.as_raw() - 1) & 1 == 1)
}

/// Each thread with the first two numbers of `schedstat`, in nanoseconds: how long it was on a CPU, and how long it
/// waited for one. A thread that is stopped or sleeps does neither.
fn threads(place: &Path) -> Vec<Thread> {
    let entries = fs::read_dir(place.join("task"))
        .into_iter()
        .flatten()
        .flatten();
    let thread = |entry: fs::DirEntry| {
        let times = fs::read_to_string(entry.path().join("schedstat")).ok()?;
        let times = times.split(' ').map_while(|time| time.parse().ok());
        let mut times = times.map(Duration::from_nanos);
        let ran = times.next()?;
        Some(Thread {
            number: entry.file_name().to_str()?.parse().ok()?,
            ran,
            wanted: ran + times.next()?,
        })
    };
    entries.filter_map(thread).collect()
}
