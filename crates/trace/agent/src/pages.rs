//! Memory in whole pages.
#![expect(unsafe_code, reason = "memory is mapped")]

use std::ffi::c_void;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::ptr::null_mut;

/// Size of a page, in bytes. Where one can be read, the next may not be.
pub const PAGE: usize = 4096;

/// Maps new memory of zeros.
///
/// # Errors
/// When there is none.
pub fn map(bytes: usize, protection: i32) -> io::Result<*mut c_void> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: new memory.
    mapped(unsafe { libc::mmap(null_mut(), bytes, protection, flags, -1, 0) })
}

/// Maps the first bytes of a file, all of whose memory is there then: a write must not fail later.
///
/// # Errors
/// When there is no room for it.
pub fn map_file(file: &File, bytes: usize, flags: i32) -> io::Result<*mut c_void> {
    let (number, flags) = (file.as_raw_fd(), libc::MAP_SHARED | flags);
    // SAFETY: a file that is open. What is in it stays.
    let result = unsafe { libc::posix_fallocate(number, 0, bytes as libc::off_t) };
    if result != 0 {
        return Err(io::Error::from_raw_os_error(result));
    }
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a new mapping of a file that has these bytes.
    mapped(unsafe { libc::mmap(null_mut(), bytes, protection, flags, number, 0) })
}

fn mapped(memory: *mut c_void) -> io::Result<*mut c_void> {
    if memory == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    Ok(memory)
}

/// Puts new memory of zeros in the place of a ring.
///
/// # Safety
/// A ring of so many bytes is mapped there. Only its thread uses it, and the calling thread is that.
pub unsafe fn replace(ring: *mut c_void, bytes: usize) {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED;
    // SAFETY: what the caller promises: atomics that change.
    unsafe { libc::mmap(ring, bytes, protection, flags, -1, 0) };
}
