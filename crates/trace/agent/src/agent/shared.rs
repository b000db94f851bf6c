//! The one agent of this process, behind a lock.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use perflab_abi::{Agent as AgentAbi, Object};

use super::switching::Agent;
use crate::{numbers, objects};

static ABI: AgentAbi = AgentAbi { gone };

/// The process that the agent's lock is sound in; 0 if another agent serves, which does so in children too.
static OWNER: AtomicU32 = AtomicU32::new(0);

static AGENT: OnceLock<Mutex<Agent>> = OnceLock::new();

/// Makes the agent. Returns false if it was made before.
pub fn make() -> bool {
    AGENT.set(Mutex::new(Agent::new())).is_ok()
}

/// From now on the agent's lock is sound in this process.
pub fn own() {
    OWNER.store(std::process::id(), Ordering::Release);
}

/// Another agent serves, or none does.
pub fn disown() {
    OWNER.store(0, Ordering::Release);
}

/// Whether the agent's lock is sound in this process or was so in its parent, and this agent serves.
pub fn serves() -> bool {
    OWNER.load(Ordering::Acquire) != 0
}

/// Whether the agent's lock is sound in this process.
pub fn is_own() -> bool {
    OWNER.load(Ordering::Acquire) == std::process::id()
}

/// The agent, to be looked at or changed by one thread at a time.
pub fn agent() -> Option<MutexGuard<'static, Agent>> {
    // A panic of another thread leaves flags that agree with the code or are older, which patching finds.
    Some(AGENT.get()?.lock().unwrap_or_else(PoisonError::into_inner))
}

/// The agent, after a look for objects that came. `all_are_ready` is as for [`objects::find`].
pub fn refreshed_with(all_are_ready: bool) -> Option<MutexGuard<'static, Agent>> {
    let generation = objects::generation();
    let search = agent()?.search(generation);
    if let Some(known) = search {
        let (found, unusable, some_begin) = objects::find(&ABI, &known, all_are_ready);
        agent()?.searched(found, unusable, some_begin);
    }
    agent()
}

/// The agent, after a look for objects that were loaded meanwhile.
pub fn refreshed() -> Option<MutexGuard<'static, Agent>> {
    refreshed_with(false)
}

/// The agent, if its lock is to be had until then.
pub fn agent_until(end: Instant) -> Option<MutexGuard<'static, Agent>> {
    locked_until(AGENT.get()?, end)
}

/// Waits until then for a lock.
pub fn locked_until<T>(lock: &'static Mutex<T>, end: Instant) -> Option<MutexGuard<'static, T>> {
    loop {
        match lock.try_lock() {
            Ok(guard) => return Some(guard),
            Err(TryLockError::Poisoned(poisoned)) => return Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) if Instant::now() >= end => return None,
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_micros(100)),
        }
    }
}

/// Called by an object that goes. In a child that was not made by `fork` there is no agent, and the
/// lock may be held by a thread that is not there.
extern "C" fn gone(object: *const Object) {
    let owner = OWNER.load(Ordering::Acquire);
    // Where a filter refuses to tell the number, the process forgets what goes, rather than write to what has gone.
    if owner == 0 || numbers::process().is_some_and(|process| process != owner) {
        return;
    }
    if let Some(mut agent) = agent() {
        agent.forget(object);
    }
}
