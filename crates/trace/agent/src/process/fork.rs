//! What a fork waits for, and the agent of its child.
#![expect(
    unsafe_code,
    reason = "locks are held from one hook of the C library to the next"
)]

use std::cell::UnsafeCell;
use std::sync::MutexGuard;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::cancellation::uncancelled;
use super::first_thread;
use super::messages::say;
use super::thread::{Start, StartError, spawn};
use crate::agent::Agent;
use crate::agent::shared::{self, locked_until};
use crate::objects;

/// Longest wait of a forked child for its agent, where its first events are wanted or it may give up its rights. It
/// ends with the wait if the agent waits for a lock that another thread of the parent held.
const CHILD_AT_ONCE: Duration = Duration::from_secs(1);

/// What a fork waits for, so that the child gets neither half a change nor a lock of the linker that the agent's
/// thread has closed.
type Locks = (MutexGuard<'static, Agent>, MutexGuard<'static, ()>);

/// Holds them while the process forks.
struct Held(UnsafeCell<Option<Locks>>);

// SAFETY: read and written by the thread only that `HOLDER` names, which is one that has the agent's lock.
unsafe impl Sync for Held {}

static HELD: Held = Held(UnsafeCell::new(None));

/// The thread that forks with the locks; 0 if there is none. (Threads may fork at the same time: the C library
/// does not keep others away from these hooks.)
static HOLDER: AtomicUsize = AtomicUsize::new(0);

/// The calling thread. Unlike its number it is the same in the child.
fn this_thread() -> usize {
    // SAFETY: it cannot fail.
    unsafe { libc::pthread_self() as usize }
}

/// The locks of the calling thread's fork, if it has them.
fn held() -> Option<Locks> {
    if HOLDER.load(Ordering::Acquire) != this_thread() {
        return None;
    }
    // SAFETY: this thread is the holder.
    let locks = unsafe { (*HELD.0.get()).take() };
    // Before the locks are given back, which lets another thread be the holder.
    HOLDER.store(0, Ordering::Release);
    locks
}

/// Longest wait of a fork for the agent. It has its locks for some milliseconds; longer only if it waits for
/// what the forking thread holds, as an allocator's lock that was taken by a hook like this one, or for a lock
/// that stays closed in this child of a fork.
const FORK: Duration = Duration::from_secs(1);

/// The same after a fork that waited in vain: what the agent does at most while all is well.
const FORK_AGAIN: Duration = Duration::from_millis(5);

/// Whether the last fork waited in vain.
static IN_VAIN: AtomicBool = AtomicBool::new(false);

/// What a fork does first.
pub extern "C" fn before() {
    uncancelled(take_locks);
}

fn take_locks() {
    let patience = if IN_VAIN.load(Ordering::Relaxed) {
        FORK_AGAIN
    } else {
        FORK
    };
    let end = Instant::now() + patience;
    let locks = shared::agent_until(end)
        .and_then(|agent| Some((agent, locked_until(&objects::LOOKING, end)?)));
    IN_VAIN.store(locks.is_none(), Ordering::Relaxed);
    if locks.is_some() {
        // SAFETY: this thread has the agent's lock, so no other is the holder.
        unsafe { *HELD.0.get() = locks };
        HOLDER.store(this_thread(), Ordering::Release);
    }
}

/// What it does then in the parent.
pub extern "C" fn in_parent() {
    drop(held());
}

/// And in the child.
pub extern "C" fn in_child() {
    uncancelled(go_on_in_child);
}

fn go_on_in_child() {
    let locks = held();
    // Without the locks the child has half a change, perhaps, with each site on or off, and no agent.
    let (Some((mut agent, looking)), true) = (locks, shared::serves()) else {
        shared::disown();
        // Another thread's, which is not here.
        HOLDER.store(0, Ordering::Release);
        return;
    };
    shared::own();
    first_thread::keep();
    let is_awaited = agent.after_fork();
    drop((agent, looking));
    if !is_awaited {
        // Most children exec or end at once, so the thread waits before it does anything that shows. The child
        // does not wait for it: a lock that another thread of the parent held stays closed for ever.
        let _ = spawn(Start::Forked);
        return;
    }
    let late = || StartError::Failed("its thread did not answer".to_owned());
    let begun = spawn(Start::ForkedAtOnce)
        .and_then(|started| started.recv_timeout(CHILD_AT_ONCE).map_err(|_| late())?);
    if let Err(reason) = begun {
        say(&format!(
            "perflab agent: child {}: {reason}\n",
            std::process::id()
        ));
    }
}
