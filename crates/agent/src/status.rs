//! What the kernel says of the process, its threads and the actions of its signals.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;

/// A thread or process, as `status` describes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Status {
    /// Signals that are blocked; the bit of signal N is N - 1.
    pub blocked: u64,
    /// Whether a debugger is attached.
    pub is_traced: bool,
    /// How many seccomp filters there are; one, if the kernel does not count them.
    pub filters: u32,
}

impl Status {
    /// Reads the text of a `status` file. What it does not say is taken as harmless.
    pub fn parse(text: &str) -> Self {
        let mut status = Self::default();
        let mut counted = None;
        for line in text.lines() {
            let Some((key, value)) = line.split_once(':') else {
                continue;
            };
            let value = value.trim();
            match key {
                "SigBlk" => status.blocked = u64::from_str_radix(value, 16).unwrap_or(0),
                "TracerPid" => status.is_traced = value != "0",
                "Seccomp" => status.filters = u32::from(value != "0"),
                "Seccomp_filters" => counted = value.parse().ok(),
                _ => {}
            }
        }
        status.filters = counted.unwrap_or(status.filters);
        status
    }

    /// Of the thread that asks.
    pub fn of_this_thread() -> Option<Self> {
        let text = fs::read_to_string("/proc/thread-self/status").ok()?;
        Some(Self::parse(&text))
    }
}

/// What threads have against a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Threads {
    /// Whether a debugger is attached.
    pub is_traced: bool,
    /// Signals that some thread blocks, as in [`Status::blocked`].
    pub blocked: u64,
}

impl Threads {
    /// Whether some thread blocks a signal.
    pub fn block(&self, signal: i32) -> bool {
        self.blocked & (1 << (signal - 1)) != 0
    }

    /// Of this process, but for the calling thread.
    ///
    /// One that is just being made blocks everything for a moment, in which it executes the C library
    /// only. So what a thread blocks counts if it blocks it in several looks.
    ///
    /// # Errors
    /// When the threads cannot be read.
    pub fn look(signals: u64) -> std::io::Result<Self> {
        const LOOKS: u32 = 10;
        let (mut is_traced, mut blocking) = blocking(signals)?;
        for _ in 1..LOOKS {
            if blocking.is_empty() {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
            let (traced, again) = self::blocking(signals)?;
            is_traced |= traced;
            blocking.retain(|thread, mask| {
                *mask &= again.get(thread).copied().unwrap_or(0);
                *mask != 0
            });
        }
        Ok(Self {
            is_traced,
            blocked: blocking.values().fold(0, |all, mask| all | mask),
        })
    }
}

/// Whether any thread is traced, and which of these signals each other thread blocks.
fn blocking(signals: u64) -> std::io::Result<(bool, BTreeMap<OsString, u64>)> {
    let own = fs::read_link("/proc/thread-self")?;
    let mut is_traced = false;
    let mut blocking = BTreeMap::new();
    for entry in fs::read_dir("/proc/self/task")? {
        let entry = entry?;
        if own.file_name() == Some(&entry.file_name()) {
            continue;
        }
        // A thread that ended meanwhile has nothing to say.
        let Ok(text) = fs::read_to_string(entry.path().join("status")) else {
            continue;
        };
        let status = Status::parse(&text);
        is_traced |= status.is_traced;
        if status.blocked & signals != 0 {
            blocking.insert(entry.file_name(), status.blocked & signals);
        }
    }
    Ok((is_traced, blocking))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_status_says() {
        let text = "Name:\tx\nTracerPid:\t0\nSigBlk:\t0000000000000010\nSeccomp:\t2\nSeccomp_filters:\t3\n";
        let status = Status::parse(text);
        let expected = Status {
            blocked: 1 << (libc::SIGTRAP - 1),
            is_traced: false,
            filters: 3,
        };
        assert_eq!(status, expected);
        let status = Status::parse("TracerPid:\t77\nSigBlk:\tffffffffffffffef\nSeccomp:\t2\n");
        let expected = Status {
            blocked: !(1 << (libc::SIGTRAP - 1)),
            is_traced: true,
            filters: 1,
        };
        assert_eq!(status, expected);
        assert_eq!(Status::parse("no\nsense:"), Status::default());
    }

    #[test]
    fn this_process() {
        assert!(Status::of_this_thread().is_some());
        assert!(!Threads::look(u64::MAX).unwrap().is_traced);
    }
}
