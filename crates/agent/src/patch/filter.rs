//! Filters of system calls, which may end a process for one.
#![expect(unsafe_code, reason = "tries a system call in a child")]

use std::{fs, io};

/// Whether filters let a system call pass. Where there are some, a child tries it, one whose end is no news to the
/// program.
///
/// # Errors
/// When there can be no child.
pub fn lets_pass(call: libc::c_long, arguments: [libc::c_long; 6]) -> io::Result<bool> {
    if !is_filtered() {
        return Ok(true);
    }
    let [a, b, c, d, e, f] = arguments;
    // SAFETY: a fork without the hooks of the C library and without a signal at the end; the child makes
    // system calls only, and ends.
    let child = unsafe { libc::syscall(libc::SYS_clone, 0, 0, 0, 0, 0) };
    if child == 0 {
        // SAFETY: the child's memory is a copy, which goes with it.
        unsafe {
            let result = libc::syscall(call, a, b, c, d, e, f);
            libc::syscall(libc::SYS_exit_group, libc::c_long::from(result == -1));
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

/// Whether the calling thread has any; if it cannot be read, it may.
fn is_filtered() -> bool {
    let status = fs::read("/proc/thread-self/status");
    status.map_or(true, |text| says_filtered(&String::from_utf8_lossy(&text)))
}

/// Whether the text of a `status` file says so. A kernel without filters says nothing.
fn says_filtered(text: &str) -> bool {
    let mut lines = text.lines().filter_map(|line| line.split_once(':'));
    lines.any(|(key, value)| key == "Seccomp" && value.trim() != "0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_status_says() {
        assert!(!says_filtered("Name:\tx\nSigBlk:\t0000000000000010\n"));
        assert!(!says_filtered("Seccomp:\t0\nSeccomp_filters:\t0\n"));
        assert!(says_filtered(
            "Name:\tx\nSeccomp:\t2\nSeccomp_filters:\t3\n"
        ));
        assert!(!says_filtered("no\nsense:"));
    }
}
