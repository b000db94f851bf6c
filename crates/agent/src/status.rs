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
        let text = fs::read("/proc/thread-self/status").ok()?;
        Some(Self::parse(&String::from_utf8_lossy(&text)))
    }
}

/// What threads have against a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Threads {
    /// Whether a debugger is attached.
    pub is_traced: bool,
    /// Signals that some thread blocks, as in [`Status::blocked`].
    pub blocked: u64,
    /// Whether some thread waits with a mask for that time only: which one it has else cannot be seen.
    pub wait_masked: bool,
}

impl Threads {
    /// Whether some thread blocks a signal.
    pub fn block(&self, signal: i32) -> bool {
        self.blocked & (1 << (signal - 1)) != 0
    }

    /// Of this process, but for the calling thread.
    ///
    /// A thread that makes another one, or is just being made, blocks everything for a moment, in which it
    /// executes the C library only. So a thread counts if it blocks a signal in two looks; and there are
    /// some even if the first finds nothing, as a thread may block it now and then.
    ///
    /// # Errors
    /// When the threads cannot be read.
    pub fn look(signals: u64) -> std::io::Result<Self> {
        const LOOKS: usize = 3;
        const MOST_LOOKS: usize = 10;
        let mut threads = Self::default();
        let mut seen: BTreeMap<OsString, u64> = BTreeMap::new();
        for look in 0..MOST_LOOKS {
            if look >= LOOKS && seen.is_empty() {
                break;
            }
            if look > 0 {
                std::thread::sleep(std::time::Duration::from_micros(500));
            }
            let (number, blocking) = blocking(signals, &mut threads)?;
            for (thread, mask) in blocking {
                let before = seen.entry(thread).or_default();
                threads.blocked |= *before & mask;
                *before |= mask;
            }
            // Nobody else.
            if number == 0 {
                break;
            }
        }
        Ok(threads)
    }
}

/// How many other threads there are, and which of these signals each of them blocks.
fn blocking(
    signals: u64,
    threads: &mut Threads,
) -> std::io::Result<(usize, BTreeMap<OsString, u64>)> {
    let own = fs::read_link("/proc/thread-self")?;
    let mut number = 0;
    let mut blocking = BTreeMap::new();
    for entry in fs::read_dir("/proc/self/task")? {
        let entry = entry?;
        if own.file_name() == Some(&entry.file_name()) {
            continue;
        }
        // A thread that ended meanwhile has nothing to say.
        let Ok(text) = fs::read(entry.path().join("status")) else {
            continue;
        };
        number += 1;
        // The name of the thread may be cut within a character.
        let status = Status::parse(&String::from_utf8_lossy(&text));
        threads.is_traced |= status.is_traced;
        if status.blocked & signals != 0 {
            blocking.insert(entry.file_name(), status.blocked & signals);
        }
        let call = fs::read_to_string(entry.path().join("syscall")).unwrap_or_default();
        threads.wait_masked |= waits_masked(&call);
    }
    Ok((number, blocking))
}

/// Whether a thread is in a system call that has put another mask in the place of its own. The text is that of
/// `/proc/PID/task/TID/syscall`: the number of the call, and its arguments in hexadecimal.
fn waits_masked(text: &str) -> bool {
    let mut fields = text.split_whitespace();
    let Some(Ok(number)) = fields.next().map(str::parse::<i64>) else {
        return false;
    };
    // Which argument is the address of the mask.
    let argument = match number {
        libc::SYS_rt_sigsuspend => 0,
        libc::SYS_ppoll => 3,
        libc::SYS_epoll_pwait | libc::SYS_epoll_pwait2 | libc::SYS_io_uring_enter => 4,
        libc::SYS_pselect6 => 5,
        _ => return false,
    };
    fields.nth(argument).is_some_and(|mask| mask != "0x0")
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
    fn what_a_call_says() {
        for (text, masked) in [
            ("running\n", false),
            ("0 0x3 0x7ffd 0x400 0x0 0x0 0x0 0x7ffe 0x7f12\n", false),
            ("271 0x7ffd 0x1 0x0 0x7ffe 0x8 0x0 0x7ffe 0x7f12\n", true),
            ("271 0x7ffd 0x1 0x0 0x0 0x8 0x0 0x7ffe 0x7f12\n", false),
            ("130 0x7ffd 0x8 0x0 0x0 0x0 0x0 0x7ffe 0x7f12\n", true),
            ("270 0x7ffd", false),
            ("", false),
        ] {
            assert_eq!(waits_masked(text), masked, "{text:?}");
        }
    }

    #[test]
    fn this_process() {
        assert!(Status::of_this_thread().is_some());
        assert!(!Threads::look(u64::MAX).unwrap().is_traced);
    }
}
