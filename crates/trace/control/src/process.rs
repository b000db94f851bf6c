//! What the kernel says of a process.

use std::fs;

/// A process, told from those that had its number before and will have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Process {
    /// Its number.
    pub pid: u32,
    /// When it was started, in clock ticks since boot.
    pub start: u64,
}

/// What a process does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It can do something.
    Lives,
    /// A signal stopped it.
    Stopped,
    /// It has ended, or another has its number.
    Ended,
}

impl Process {
    /// The process that has this number; nothing if there is none.
    pub fn of(pid: u32) -> Option<Self> {
        let start = Stat::parse(&read(pid, "stat"))?.start;
        Some(Self { pid, start })
    }

    /// The process that a name claims, `PID-START`.
    pub fn named(name: &str) -> Option<Self> {
        let (pid, start) = name.split_once('-')?;
        Some(Self {
            pid: pid.parse().ok()?,
            start: start.parse().ok()?,
        })
    }

    /// What it does now.
    pub fn state(self) -> State {
        let stat = read(self.pid, "stat");
        match Stat::parse(&stat) {
            Some(stat) if stat.start == self.start => match stat.state {
                // Where only the first thread has ended, the others go on.
                "Z" | "X" if stat.threads <= 1 => State::Ended,
                "T" => State::Stopped,
                _ => State::Lives,
            },
            _ => State::Ended,
        }
    }

    /// The user whose rights it has; nothing if it has ended.
    pub fn user(self) -> Option<u32> {
        effective_user(&read(self.pid, "status"))
    }

    /// Whether its first thread has a filter of system calls (seccomp).
    pub fn has_filter(self) -> bool {
        let status = read(self.pid, "status");
        let mode = status
            .lines()
            .find_map(|line| line.strip_prefix("Seccomp:"));
        mode.is_some_and(|mode| mode.trim() == "2")
    }

    /// The name of its program; empty if it has ended.
    pub fn name(self) -> String {
        read(self.pid, "comm").trim().to_owned()
    }
}

/// A file of a process; empty if there is none. A name in it may be cut within a character.
fn read(pid: u32, file: &str) -> String {
    let bytes = fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Some fields of `/proc/PID/stat`.
#[derive(Debug, PartialEq, Eq)]
struct Stat<'a> {
    state: &'a str,
    threads: u64,
    start: u64,
}

impl<'a> Stat<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        // The name of the program, in parentheses, may contain anything.
        let (_, after) = text.rsplit_once(')')?;
        let mut fields = after.split_whitespace();
        Some(Self {
            state: fields.next()?,
            threads: fields.nth(16)?.parse().ok()?,
            start: fields.nth(1)?.parse().ok()?,
        })
    }
}

/// The second number of the line `Uid:` of `/proc/PID/status`.
fn effective_user(status: &str) -> Option<u32> {
    let users = status.lines().find_map(|line| line.strip_prefix("Uid:"))?;
    users.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// This process.
    pub fn own() -> Process {
        Process::of(std::process::id()).unwrap()
    }

    #[test]
    fn this_process() {
        let own = own();
        assert_eq!(own.state(), State::Lives);
        assert_eq!(own.user(), Some(rustix::process::geteuid().as_raw()));
        assert!(!own.name().is_empty());
        let former = Process {
            start: own.start - 1,
            ..own
        };
        assert_eq!(former.state(), State::Ended);
    }

    #[test]
    fn what_the_kernel_writes() {
        let text = "77 (a) Z \u{fffd}) T 1 2 3 0 -1 4 5 6 7 8 9 10 11 12 20 0 3 0 4242 5 6\n";
        let expected = Stat {
            state: "T",
            threads: 3,
            start: 4242,
        };
        assert_eq!(Stat::parse(text), Some(expected));
        for broken in ["", "77 (a", "77 (a) T 1 2 3", "77 (a) T x"] {
            assert_eq!(Stat::parse(broken), None, "{broken}");
        }
        let text = "Name:\tUid\\n\nUid:\t1\t2\t3\t4\n";
        assert_eq!(effective_user(text), Some(2));
        assert_eq!(effective_user("Uid:\tx"), None);
    }
}
