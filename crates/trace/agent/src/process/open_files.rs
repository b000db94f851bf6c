//! A table of open files of the agent's own.
#![expect(unsafe_code, reason = "the table of files has no safe wrapper")]

use std::io;

/// Gives the calling thread a table of files of its own, with nothing of the program's in it: the
/// program may close all files, and wait for the end of a pipe, without the agent in its way.
///
/// # Errors
/// When the kernel refuses.
pub fn own() -> io::Result<()> {
    const CLOSE_RANGE_UNSHARE: libc::c_uint = 1 << 1;
    // SAFETY: only this thread's table changes.
    let result = unsafe {
        let first: libc::c_uint = 0;
        libc::syscall(
            libc::SYS_close_range,
            first,
            libc::c_uint::MAX,
            CLOSE_RANGE_UNSHARE,
        )
    };
    if result != 0 {
        own_one_by_one()?;
    }
    // The numbers that programs take for granted.
    for _ in 0..3 {
        // SAFETY: a path that ends with zero.
        unsafe { libc::open(c"/dev/null".as_ptr(), libc::O_RDWR | libc::O_CLOEXEC) };
    }
    Ok(())
}

/// As [`own`], where the kernel is too old for it, or a filter of system calls forbids it.
fn own_one_by_one() -> io::Result<()> {
    // SAFETY: only this thread's table changes.
    if unsafe { libc::unshare(libc::CLONE_FILES) } != 0 {
        return Err(io::Error::last_os_error());
    }
    let open: Vec<i32> = std::fs::read_dir("/proc/thread-self/fd")?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .collect();
    for number in open {
        // SAFETY: this thread has opened nothing yet; the one of the directory is closed already.
        unsafe { libc::close(number) };
    }
    Ok(())
}
