//! The numbers by which the kernel knows this process, its threads and its user.
//!
//! A filter of system calls may refuse to tell a number: the answer is -1 or another error then, which is nobody's.
#![expect(unsafe_code, reason = "the kernel's numbers have no safe wrapper")]

use std::fs;

/// The number of the calling thread; nothing if a filter of system calls refuses to tell it.
pub fn thread() -> Option<u32> {
    // SAFETY: it takes nothing.
    told(unsafe { libc::gettid() })
}

/// The number of this process; nothing if a filter of system calls refuses to tell it.
pub fn process() -> Option<u32> {
    // SAFETY: it takes nothing.
    told(unsafe { libc::getpid() })
}

fn told(number: i32) -> Option<u32> {
    u32::try_from(number).ok().filter(|number| *number > 0)
}

/// The user whose process this is.
pub fn user() -> u32 {
    // SAFETY: it cannot fail.
    unsafe { libc::geteuid() }
}

/// Sees that the kernel tells this process's number and its threads', by which they have their rings.
///
/// # Errors
/// When a filter of system calls refuses that.
pub fn check() -> Result<(), String> {
    process().ok_or_else(|| refused("getpid"))?;
    thread().ok_or_else(|| refused("gettid")).map(drop)
}

fn refused(call: &str) -> String {
    format!(
        "a filter of system calls (seccomp) refuses {call}, without which events cannot be recorded"
    )
}

/// `PID-START`: the start, in clock ticks since boot, tells a process from a later one.
///
/// # Errors
/// When the kernel does not say.
pub fn identity() -> Result<String, String> {
    let text = fs::read("/proc/self/stat")
        .map_err(|error| format!("/proc/self/stat cannot be read: {error}"))?;
    let text = String::from_utf8_lossy(&text);
    // The name of the program, in parentheses, may contain anything.
    let after = text.rsplit_once(')').map_or("", |(_, after)| after);
    let start = after.split_whitespace().nth(19).unwrap_or("0");
    let process = process().ok_or_else(|| refused("getpid"))?;
    Ok(format!("{process}-{start}"))
}
