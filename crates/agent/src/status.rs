//! What the kernel says of the process, its threads and the actions of its signals.

use std::fs;

/// Bit of SIGTRAP in a mask of `/proc/PID/status`.
const TRAP_BIT: u64 = 1 << (libc::SIGTRAP - 1);

/// A thread or process, as `status` describes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Status {
    /// Whether SIGTRAP is blocked.
    pub blocks_trap: bool,
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
                "SigBlk" => {
                    let mask = u64::from_str_radix(value, 16).unwrap_or(0);
                    status.blocks_trap = mask & TRAP_BIT != 0;
                }
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

/// Why a trap must not be used, if any thread but the agent's own speaks against it.
///
/// # Errors
/// When the threads cannot be read.
pub fn threads_against_traps(agent: u32) -> std::io::Result<Option<&'static str>> {
    for entry in fs::read_dir("/proc/self/task")? {
        let entry = entry?;
        if entry.file_name().to_str() == Some(agent.to_string().as_str()) {
            continue;
        }
        // A thread that ended meanwhile has nothing to say.
        let Ok(text) = fs::read_to_string(entry.path().join("status")) else {
            continue;
        };
        let status = Status::parse(&text);
        if status.is_traced {
            return Ok(Some("a debugger is attached, which a trap would stop"));
        }
        if status.blocks_trap {
            return Ok(Some("a thread blocks SIGTRAP, which would end the process"));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_status_says() {
        let text = "Name:\tx\nTracerPid:\t0\nSigBlk:\t0000000000000010\nSeccomp:\t2\nSeccomp_filters:\t3\n";
        let status = Status::parse(text);
        let expected = Status {
            blocks_trap: true,
            is_traced: false,
            filters: 3,
        };
        assert_eq!(status, expected);
        let status = Status::parse("TracerPid:\t77\nSigBlk:\tffffffffffffffef\nSeccomp:\t2\n");
        let expected = Status {
            blocks_trap: false,
            is_traced: true,
            filters: 1,
        };
        assert_eq!(status, expected);
        assert_eq!(Status::parse("no\nsense:"), Status::default());
    }

    #[test]
    fn this_process() {
        assert!(Status::of_this_thread().is_some());
        // A thread that is just being made blocks everything for a moment, so there may be a reason.
        assert!(threads_against_traps(0).is_ok());
    }
}
