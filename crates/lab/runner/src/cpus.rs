//! Lists of CPUs, checked against what this process may use.

use rustix::thread::{CpuSet, sched_getaffinity};

/// CPUs were asked for that cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum CpuError {
    /// Not among those that this process may run on.
    #[error("CPU {wanted} was asked for, but this process may only use {usable}")]
    Missing {
        /// The number asked for.
        wanted: u32,
        /// Those that there are.
        usable: String,
    },
    /// Fewer than the variants that are to have CPUs of their own.
    #[error(
        "{places} variants at the same time need as many CPUs, but this process may only use {usable}; \
         compare fewer variants, or leave `together` out"
    )]
    TooFew {
        /// Variants.
        places: usize,
        /// CPUs that there are.
        usable: usize,
    },
    /// The kernel did not say which CPUs there are.
    #[error("cannot find out which CPUs may be used: {0}")]
    Unknown(#[from] rustix::io::Errno),
}

/// Turns CPU numbers into a set; an empty list means no pinning.
///
/// # Errors
/// When one of them is not available to this process.
pub fn cpu_set(cpus: &[u32]) -> Result<Option<CpuSet>, CpuError> {
    if cpus.is_empty() {
        return Ok(None);
    }
    let usable = sched_getaffinity(None)?;
    let mut set = CpuSet::new();
    for &cpu in cpus {
        let index = cpu as usize;
        if index >= CpuSet::MAX_CPU || !usable.is_set(index) {
            return Err(CpuError::Missing {
                wanted: cpu,
                usable: list(&usable),
            });
        }
        set.set(index);
    }
    Ok(Some(set))
}

fn list(set: &CpuSet) -> String {
    let numbers: Vec<String> = numbers(set).map(|cpu| cpu.to_string()).collect();
    numbers.join(", ")
}

/// The numbers of the CPUs that this process may use, ascending.
///
/// # Errors
/// When the kernel does not say.
pub fn usable_cpus() -> Result<Vec<u32>, CpuError> {
    Ok(numbers(&sched_getaffinity(None)?).collect())
}

/// The numbers of a set, ascending.
fn numbers(set: &CpuSet) -> impl Iterator<Item = u32> {
    let numbers = (0..CpuSet::MAX_CPU).filter(|cpu| set.is_set(*cpu));
    numbers.map(|cpu| cpu as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_absent_cpu_is_named() {
        let message = cpu_set(&[1023]).unwrap_err().to_string();
        assert!(message.starts_with("CPU 1023 was asked for, but this process may only use "));
        assert!(cpu_set(&[70_000]).is_err());
    }

    #[test]
    fn no_list_is_no_pinning() {
        assert!(cpu_set(&[]).unwrap().is_none());
    }
}
