//! The program's `errno`, which a probe must not change: a program may hit one between a call that fails and its look.
#![expect(unsafe_code, reason = "the C library gives its address only")]

/// Does something that may call functions of the C library. Their errors leave no trace.
pub fn kept<R>(act: impl FnOnce() -> R) -> R {
    // SAFETY: it takes nothing.
    let errno = unsafe { libc::__errno_location() };
    // SAFETY: a number of the calling thread's own.
    let before = unsafe { errno.read() };
    let result = act();
    // SAFETY: as above.
    unsafe { errno.write(before) };
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_leave_no_trace() {
        let last = || std::io::Error::last_os_error().raw_os_error();
        // SAFETY: there is no such file.
        let fails = || unsafe { libc::close(-1) };
        kept(|| {
            fails();
            let before = last();
            assert_eq!(before, Some(libc::EBADF));
            // SAFETY: there is no such address.
            let asked = kept(|| unsafe { libc::chdir(std::ptr::null()) });
            assert_eq!((asked, last()), (-1, before));
        });
    }
}
