//! Processors that are named on the command line, or may be used.

use rustix::thread::{CpuSet, sched_getaffinity};

use crate::failure::Failure;

/// CPU numbers from a list as `0-2,5`.
pub fn numbers(list: &str) -> Result<Vec<u32>, Failure> {
    let list: perflab_experiment::CpuList = list
        .parse()
        .map_err(|error| Failure::usage(format!("--cpus: {error}")))?;
    Ok(list.numbers().to_vec())
}

/// The CPUs that this process may use.
pub fn allowed() -> Result<Vec<u32>, Failure> {
    let set = sched_getaffinity(None).map_err(|error| {
        Failure::environment(format!("cannot find out which CPUs may be used: {error}"))
    })?;
    Ok((0..CpuSet::MAX_CPU)
        .filter(|cpu| set.is_set(*cpu))
        .filter_map(|cpu| u32::try_from(cpu).ok())
        .collect())
}
