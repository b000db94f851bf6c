//! Pauses sites of which a process records events on its own, before a recorder comes that wants some of them only.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::switching::{Agent, counting};
use crate::pattern::Pattern;

/// How often threads are looked at while they are waited for, at most: one may get no processor. Looks, and no time:
/// where processors are few, this thread gets to its next look later too.
const LOOKS: u32 = 500;

/// What is between two looks.
const PAUSE: Duration = Duration::from_millis(1);

impl Agent {
    /// No event of these sites is recorded until they are switched the next time. Returns when those have their places
    /// in the rings that threads were about to record.
    pub(super) fn pause(&self, pattern: &Pattern) {
        let mut are_any_on = false;
        for (_, site, _) in self.sites.meant(pattern).filter(|(_, _, on)| *on) {
            let pass = counting::pass as *mut ();
            site.point().handler.store(pass, Ordering::Release);
            are_any_on = true;
        }
        if are_any_on {
            wait_for_threads();
        }
    }
}

/// Waits until each thread that wants a processor has had one: a thread takes a place for its event some nanoseconds
/// after it has come to the handler, and does not sleep in between.
fn wait_for_threads() {
    let threads = fs::read_dir("/proc/self/task").into_iter().flatten();
    let threads = threads.flatten().map(|thread| thread.path());
    let threads = threads.map(|path| (ran(&path), path));
    let mut threads: Vec<(Vec<u8>, PathBuf)> = threads.collect();
    for _ in 0..LOOKS {
        if threads.is_empty() {
            break;
        }
        std::thread::sleep(PAUSE);
        threads.retain(|(before, path)| wants_to_run(path) && ran(path) == *before);
    }
}

/// Says for how long a thread has run, as of the last time that the kernel counted.
fn ran(thread: &Path) -> Vec<u8> {
    // The numbers that follow also change where a thread waits for another processor.
    let mut stat = fs::read(thread.join("schedstat")).unwrap_or_default();
    let end = stat.iter().position(|byte| *byte == b' ');
    stat.truncate(end.unwrap_or(0));
    stat
}

/// Whether a thread is there and runs, or waits for a processor.
fn wants_to_run(thread: &Path) -> bool {
    let stat = fs::read(thread.join("stat")).unwrap_or_default();
    // The name, in parentheses, may contain anything.
    let end = stat.iter().rposition(|byte| *byte == b')');
    end.is_some_and(|end| stat[end..].starts_with(b") R"))
}
