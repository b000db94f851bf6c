//! Filters of system calls, some of which end a process for a call.
#![expect(unsafe_code, reason = "tries a system call in a child")]

use std::{fs, io};

/// A system call that is tried before it is made, again when filters were added.
#[derive(Debug, Default)]
pub struct Tried {
    /// With how many filters, and whether it was survived.
    last: Option<(u32, bool)>,
}

impl Tried {
    /// Tries the call in a child, if there are filters.
    ///
    /// # Errors
    /// When they end the child, or there can be none.
    pub fn let_pass(&mut self, call: libc::c_long, arguments: [libc::c_long; 6]) -> io::Result<()> {
        let filters = filters();
        let survived = match self.last {
            _ if filters == 0 => true,
            Some((before, survived)) if before == filters => survived,
            _ => {
                let survived = survives(call, arguments)?;
                self.last = Some((filters, survived));
                survived
            }
        };
        if survived {
            Ok(())
        } else {
            let why = "a filter of system calls ends a process for that";
            Err(io::Error::new(io::ErrorKind::PermissionDenied, why))
        }
    }
}

/// Whether a child lives that makes a system call. Its end is no news to the program, and leaves no core file.
fn survives(call: libc::c_long, arguments: [libc::c_long; 6]) -> io::Result<bool> {
    let [a, b, c, d, e, f] = arguments;
    // SAFETY: a fork without the hooks of the C library and without a signal at the end; the child makes
    // system calls only, and ends.
    let child = unsafe { libc::syscall(libc::SYS_clone, 0, 0, 0, 0, 0) };
    if child == 0 {
        // SAFETY: the child's memory is a copy, which goes with it.
        unsafe {
            libc::syscall(libc::SYS_prctl, libc::PR_SET_DUMPABLE, 0, 0, 0, 0);
            libc::syscall(call, a, b, c, d, e, f);
            libc::syscall(libc::SYS_exit_group, 0);
            std::process::abort();
        }
    }
    if child < 0 {
        return Err(io::Error::last_os_error());
    }
    let mut status = 0;
    // SAFETY: waits for the child only.
    let ended = unsafe { libc::waitpid(child as libc::pid_t, &raw mut status, libc::__WALL) };
    Ok(ended == child as libc::pid_t && status == 0)
}

/// How many filters the calling thread has; one, if the kernel does not count them, or does not say.
fn filters() -> u32 {
    let status = fs::read("/proc/thread-self/status");
    status.map_or(1, |text| count(&String::from_utf8_lossy(&text)))
}

/// What the text of a `status` file says. A kernel without filters says nothing.
fn count(text: &str) -> u32 {
    let value = |name: &str| {
        let mut lines = text.lines().filter_map(|line| line.split_once(':'));
        let found = lines.find(|(key, _)| *key == name);
        found.map(|(_, value)| value.trim())
    };
    let counted = value("Seccomp_filters").and_then(|number| number.parse().ok());
    let some = || u32::from(value("Seccomp").is_some_and(|mode| mode != "0"));
    counted.unwrap_or_else(some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_status_says() {
        assert_eq!(count("Name:\tx\nSigBlk:\t0000000000000010\n"), 0);
        assert_eq!(count("Seccomp:\t0\nSeccomp_filters:\t0\n"), 0);
        assert_eq!(count("Seccomp:\t2\nSeccomp_filters:\t3\n"), 3);
        assert_eq!(count("Seccomp:\t2\n"), 1);
        assert_eq!(count("no\nsense:"), 0);
    }

    #[test]
    fn a_call_that_fails_is_survived() {
        assert!(survives(libc::SYS_close, [-1, 0, 0, 0, 0, 0]).unwrap());
    }

    #[test]
    fn a_call_that_ends_the_process_is_not() {
        assert!(!survives(libc::SYS_exit_group, [7, 0, 0, 0, 0, 0]).unwrap());
    }
}
