//! Hooks of the C library, which run in threads of the program, are not cancelled.
#![expect(
    unsafe_code,
    reason = "whether a thread can be cancelled has no safe interface"
)]

unsafe extern "C" {
    fn pthread_setcancelstate(state: libc::c_int, before: *mut libc::c_int) -> libc::c_int;
}

const PTHREAD_CANCEL_DISABLE: libc::c_int = 1;

/// Does what may sleep or write in a thread of the program. It must not be cancelled there: that would leave frames which
/// end the program if they are left so.
pub fn uncancelled(act: impl FnOnce()) {
    let mut before = 0;
    // SAFETY: it writes the state of this thread.
    unsafe { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &raw mut before) };
    act();
    // SAFETY: as above.
    unsafe { pthread_setcancelstate(before, &raw mut before) };
}
