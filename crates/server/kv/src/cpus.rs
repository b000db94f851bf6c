//! The CPUs on which threads run.

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use crate::failure::Failure;

/// The CPUs that this process may use, in order.
///
/// # Errors
/// If the kernel does not say.
pub fn allowed() -> Result<Vec<usize>, Failure> {
    let set = sched_getaffinity(None).map_err(|error| {
        Failure::unavailable(format!("cannot see which CPUs may be used: {error}"))
    })?;
    Ok((0..CpuSet::MAX_CPU)
        .filter(|cpu| set.is_set(*cpu))
        .collect())
}

/// A number of a CPU, as users write it.
///
/// # Errors
/// What was expected.
pub fn number(text: &str) -> Result<usize, String> {
    text.parse()
        .map_err(|_| "expected numbers of CPUs with commas between them, as 0,1".to_owned())
}

/// Binds the calling thread to a CPU.
///
/// # Errors
/// If there is no such CPU, or this process may not use it.
pub fn bind(cpu: usize) -> Result<(), Failure> {
    let refused = |reason: &dyn std::fmt::Display| {
        Failure::unavailable(format!("a thread cannot be bound to CPU {cpu}: {reason}"))
    };
    if cpu >= CpuSet::MAX_CPU {
        return Err(refused(&"there is no CPU with so high a number"));
    }
    let mut set = CpuSet::new();
    set.set(cpu);
    sched_setaffinity(None, &set).map_err(|error| refused(&error))
}
