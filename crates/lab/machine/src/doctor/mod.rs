//! The doctor: judges a machine for measuring by what it says of itself.
//!
//! [`settings`] reads what stands still. [`Glance`] reads counters; two of them, some time apart,
//! show what went on between ([`activity`], [`strain`]). [`disks`] judges room on file systems,
//! [`timers`] what systemd will start soon. Each returns findings and changes nothing. [`measured`]
//! makes a CPU work for a moment to see what it is worth.

mod activity;
mod clock_source;
mod confined;
mod disk;
mod finding;
mod glance;
mod kernel_settings;
pub mod measured;
mod memory_settings;
mod power;
mod processor;
mod report;
mod strain;
mod timers;

use std::path::Path;

pub use activity::activity;
pub use disk::{Disk, disks};
pub use finding::{Finding, Severity};
pub use glance::Glance;
pub use report::Report;
pub use strain::strain;
pub use timers::{TimersError, timers};

use crate::source::Root;

/// Judges the settings of the machine whose `proc`, `sys` and `run` lie below `root`, for
/// measuring on the CPUs `cpus`. What cannot be read is left out, or said to be unknown where
/// that matters.
pub fn settings(root: &Path, cpus: &[u32]) -> Vec<Finding> {
    let root = Root(root);
    let mut findings = processor::check(root, cpus);
    findings.extend(clock_source::check(root));
    findings.extend(memory_settings::check(root));
    findings.extend(confined::check(root, cpus));
    findings.extend(kernel_settings::check(root));
    findings.extend(power::check(root));
    findings
}

/// The CPUs that are online, by what the machine below `root` says. Empty if it does not say.
pub fn online_cpus(root: &Path) -> Vec<u32> {
    Root(root)
        .word(&format!("{}/online", crate::cpu::CPUS))
        .and_then(|list| crate::cpu_list::numbers(&list))
        .unwrap_or_default()
}
