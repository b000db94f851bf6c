//! Whether the program was started without a standard output. Rust's library opens `/dev/null` in its place before
//! `main`, where output would be lost without an error.
#![expect(
    unsafe_code,
    reason = "the linker finds the function by its section, and the C library looks at the descriptor"
)]

use std::io;
use std::sync::atomic::{AtomicI32, Ordering};

/// `errno` of the look at standard output; 0 if it was open.
static ERROR: AtomicI32 = AtomicI32::new(0);

/// The loader calls it before `main`.
#[used]
// SAFETY: the section holds addresses of functions like this.
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = {
    extern "C" fn look() {
        // SAFETY: the call takes numbers only.
        if unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) } < 0 {
            let error = io::Error::last_os_error().raw_os_error();
            ERROR.store(error.unwrap_or(libc::EBADF), Ordering::Relaxed);
        }
    }
    look
};

/// # Errors
/// If there was no standard output.
pub fn was_open() -> io::Result<()> {
    match ERROR.load(Ordering::Relaxed) {
        0 => Ok(()),
        error => Err(io::Error::from_raw_os_error(error)),
    }
}
