//! The signals of the calling thread.
#![expect(unsafe_code, reason = "signal masks have no safe wrapper")]

/// Blocks all signals of the calling thread. Returns those that were blocked before.
pub fn block_all() -> libc::sigset_t {
    // SAFETY: sets of signals are plain bits that these calls fill.
    unsafe {
        let mut all: libc::sigset_t = std::mem::zeroed();
        let mut before: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before);
        before
    }
}

/// Blocks those that were blocked before.
pub fn restore(mask: &libc::sigset_t) {
    // SAFETY: a set that `block_all` filled.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, mask, std::ptr::null_mut()) };
}
