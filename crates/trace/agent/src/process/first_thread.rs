//! A program whose first thread ends by `pthread_exit` before its other threads.
//!
//! The C library ends a process with its last thread, and takes the agent's for one of the program's. So the first
//! thread, which a destructor of its own keeps here, waits for the others in the agent's place and then does what the
//! last of them would have done: it calls `exit(0)`. It cannot be the agent's thread that does so, which has no file of
//! the program open, and the program's last output is written at its end.
//!
//! A first thread that ends without the C library runs no destructor, and a thread that joins it waits until the others
//! have ended.
#![expect(
    unsafe_code,
    reason = "the C library's values of threads have no safe wrapper"
)]

use std::ffi::c_void;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use crate::numbers::{process, thread};
use crate::signals::block_all;

/// The first wait between two looks at the other threads, and the longest.
const FIRST: Duration = Duration::from_millis(1);
const LONGEST: Duration = Duration::from_millis(50);

/// Calls of a destructor that keeps its value, of which the last comes after those of the program's values.
const CALLS: usize = 4;

/// The agent's own thread; 0 if the kernel does not tell its number.
static AGENT: AtomicU32 = AtomicU32::new(0);

/// The key of the value whose destructor waits; nothing if there is none left.
fn key() -> Option<libc::pthread_key_t> {
    static KEY: OnceLock<Option<libc::pthread_key_t>> = OnceLock::new();
    *KEY.get_or_init(|| {
        let mut key = 0;
        // SAFETY: it writes the key; the destructor stays.
        let result = unsafe { libc::pthread_key_create(&raw mut key, Some(ends)) };
        (result == 0).then_some(key)
    })
}

/// From now on the calling thread, if it is the first of its process, waits at its end.
pub fn keep() {
    if thread() == process() {
        store(CALLS);
    }
}

/// The calling thread is the agent's.
pub fn is_agent() {
    AGENT.store(number(), Ordering::Relaxed);
}

/// A value that is not null has the destructor called.
fn store(calls: usize) {
    if let Some(key) = key() {
        // SAFETY: the key is one; the value is no address that anybody follows.
        unsafe { libc::pthread_setspecific(key, std::ptr::without_provenance(calls)) };
    }
}

unsafe extern "C" fn ends(calls: *mut c_void) {
    let calls = calls.addr();
    if calls > 1 {
        store(calls - 1);
        return;
    }
    // Signals are for threads that are still there.
    block_all();
    let mut pause = FIRST;
    while let Some(others) = others() {
        if others == 0 {
            // SAFETY: what the C library calls when the last thread ends, at the same place.
            unsafe { libc::exit(0) };
        }
        std::thread::sleep(pause);
        pause = LONGEST.min(2 * pause);
    }
}

/// The number of the calling thread, also where a filter of system calls refuses to tell it; 0 if nobody does.
fn number() -> u32 {
    let asked = || {
        let link = std::fs::read_link("/proc/thread-self").ok()?;
        link.file_name()?.to_str()?.parse().ok()
    };
    thread().or_else(asked).unwrap_or(0)
}

/// Threads of the process besides this one and the agent's; nothing if the kernel does not say.
fn others() -> Option<usize> {
    let own = [number(), AGENT.load(Ordering::Relaxed)].map(|number| number.to_string());
    let threads = std::fs::read_dir("/proc/self/task").ok()?;
    let is_other = |entry: &std::fs::DirEntry| !own.iter().any(|own| entry.file_name() == **own);
    Some(threads.flatten().filter(is_other).count())
}
