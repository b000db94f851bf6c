//! The handler of the signal by which `signal` makes its readers execute barriers, with a count before it.
#![expect(unsafe_code, reason = "handlers of signals have no safe wrapper")]

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::io;
use std::mem::{MaybeUninit, transmute};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::counts::count;
use crate::unavailable::Unavailable;

use super::library::{Kind, Library};

/// The library's signal.
const SIGNAL: c_int = libc::SIGUSR1;

/// A handler that gets a description of its signal, as the library's does.
type Handler = unsafe extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void);

/// The library's handler.
static HANDLER: AtomicPtr<c_void> = AtomicPtr::new(null_mut());

thread_local! {
    /// Whether this thread has handled the signal. Without a destructor, so that a handler may look at it at any time.
    static HAS_HANDLED: Cell<bool> = const { Cell::new(false) };
}

/// Counts the signals that are handled from here on.
///
/// # Errors
/// If the handler is not the library's.
pub fn count_handled(library: &Library) -> Result<(), Unavailable> {
    let mut action = MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: without a new action it says what the action is.
    said(unsafe { libc::sigaction(SIGNAL, null(), action.as_mut_ptr()) })?;
    // SAFETY: the call did not fail, so it has written it.
    let mut action = unsafe { action.assume_init() };
    if !library.object.holds(action.sa_sigaction, 1) {
        let file = library.file();
        return Err(Unavailable::NotAsExpected(format!(
            "signal: {} has not installed its handler of SIGUSR1, so it can signal nobody",
            file.display()
        )));
    }
    HANDLER.store(action.sa_sigaction as *mut c_void, Ordering::Release);
    action.sa_sigaction = counted as *const () as libc::sighandler_t;
    action.sa_flags |= libc::SA_SIGINFO;
    // SAFETY: the action is the library's own, but for a handler that calls the library's with all its arguments.
    said(unsafe { libc::sigaction(SIGNAL, &raw const action, null_mut()) })
}

fn said(result: c_int) -> Result<(), Unavailable> {
    match result {
        0 => Ok(()),
        _ => Err(Unavailable::Call {
            call: "sigaction",
            error: io::Error::last_os_error().raw_os_error().unwrap_or(0),
        }),
    }
}

/// Counts, then does what the library does. A handler may come between any two instructions of its thread. This one
/// adds to atomics, and looks at a thread-local variable of this program, which needs no allocation.
unsafe extern "C" fn counted(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let counters = Kind::Signal.state().domain.counters();
    count(&counters.signals_handled);
    if !HAS_HANDLED.replace(true) {
        count(&counters.threads_signalled);
    }
    let handler = HANDLER.load(Ordering::Acquire);
    if !handler.is_null() {
        // SAFETY: the handler that the library installed, with the arguments that the kernel gave.
        unsafe { transmute::<*mut c_void, Handler>(handler)(signal, info, context) };
    }
}

/// Lets the calling thread handle the signal. Returns whether it was blocked.
pub fn unblock() -> bool {
    change(libc::SIG_UNBLOCK)
}

/// Blocks the signal for the calling thread.
pub fn block() {
    change(libc::SIG_BLOCK);
}

fn change(how: c_int) -> bool {
    let mut set = MaybeUninit::<libc::sigset_t>::zeroed();
    let mut before = MaybeUninit::<libc::sigset_t>::zeroed();
    // SAFETY: both are sets, plain bits, which the calls fill and read.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        libc::sigaddset(set.as_mut_ptr(), SIGNAL);
        libc::pthread_sigmask(how, set.as_ptr(), before.as_mut_ptr());
        libc::sigismember(before.as_ptr(), SIGNAL) == 1
    }
}
