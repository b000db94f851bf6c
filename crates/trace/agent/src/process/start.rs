//! The start of the agent in this process, and its end.
#![expect(unsafe_code, reason = "hooks of the C library have no safe wrapper")]

use std::time::{Duration, Instant};

use super::cancellation::uncancelled;
use super::thread::{Start, StartError, spawn};
use super::{environment, first_thread, fork, messages};
use crate::agent::shared;
use crate::{refused, socket};

/// Longest wait for the thread at the start of the program, and the same where something is asked for from the start:
/// that a machine is slow must not change that it is on from then on.
const START: Duration = Duration::from_secs(2);
const START_WITH_PROBES: Duration = Duration::from_secs(20);

/// Longest wait at the end of the program, for what the agent does at that moment.
const EXIT: Duration = Duration::from_millis(200);

/// Starts the agent of this process.
///
/// # Errors
/// When there is one already, or there must not be one.
pub fn start() -> Result<(), StartError> {
    start_as(Start::Linked)
}

/// As [`start`], from the constructor of a preloaded object: the objects of the program have not begun yet,
/// and nothing else can be loaded meanwhile.
///
/// # Errors
/// As those of [`start`].
pub fn start_before_the_program() -> Result<(), StartError> {
    start_as(Start::Preloaded)
}

fn start_as(start: Start) -> Result<(), StartError> {
    // SAFETY: asks the kernel's word on this process.
    if unsafe { libc::getauxval(libc::AT_SECURE) } != 0 {
        return Err(StartError::Privileged);
    }
    if !shared::make() {
        return Err(StartError::Elected);
    }
    messages::prepare();
    // An allocator of the program's that has hooks of its own for a fork makes them with its first memory. In a child
    // they are called in the order in which they were made: the allocator has to work again before the agent begins.
    drop(std::hint::black_box(Box::new(0_u64)));
    // SAFETY: the functions have the signatures that are asked for and stay.
    unsafe {
        libc::pthread_atfork(
            Some(fork::before),
            Some(fork::in_parent),
            Some(fork::in_child),
        );
        libc::atexit(at_exit);
    }
    shared::own();
    first_thread::keep();
    refused::prepare();
    let started = spawn(start).inspect_err(|error| refused::say(&error.to_string()))?;
    let patience = if environment::asks() {
        START_WITH_PROBES
    } else {
        START
    };
    let result = started.recv_timeout(patience).unwrap_or_else(|_| {
        let reason = format!("its thread did not answer within {} s", patience.as_secs());
        Err(StartError::Failed(reason))
    });
    if result.is_ok() {
        messages::say_missing();
    }
    result
}

extern "C" fn at_exit() {
    uncancelled(leave);
}

fn leave() {
    socket::remove();
    if !shared::is_own() {
        return;
    }
    // The thread that ends the program may have the lock itself.
    if let Some(mut agent) = shared::agent_until(Instant::now() + EXIT) {
        agent.leave();
        let has_sites = agent.has_sites();
        drop(agent);
        messages::say_silent(has_sites);
    }
}
