//! Processors that are named on the command line, or may be used.

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
    perflab_runner::usable_cpus().map_err(Failure::environment)
}
