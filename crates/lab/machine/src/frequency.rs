//! How the processor chooses its frequency.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cpu::CPUS;
use crate::cpu_list;
use crate::source::{Root, switch};

/// How the processor chooses its frequency. All `None` where a hypervisor or the firmware decides.
///
/// What may differ from CPU to CPU is one value if all agree, else each value with its CPUs:
/// `performance (0-3), powersave (4-7)`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Frequency {
    /// The driver of the kernel's frequency scaling, as `intel_pstate`.
    pub driver: Option<String>,
    /// The scaling governor.
    pub governor: Option<String>,
    /// The energy performance preference (EPP).
    pub energy_preference: Option<String>,
    /// Whether the processor may go above its base frequency.
    pub turbo: Option<bool>,
    /// Highest base frequency of any CPU.
    pub base_mhz: Option<u64>,
    /// Highest frequency that any CPU can reach.
    pub max_mhz: Option<u64>,
    /// Limits that the governor has to keep to, as `800-3800`.
    pub limits_mhz: Option<String>,
}

impl Frequency {
    pub(crate) fn take(root: Root) -> Self {
        let cpus = root.numbered(CPUS, "cpu");
        let word = |cpu: u32, name: &str| root.word(&format!("{CPUS}/cpu{cpu}/{name}"));
        let mhz = |cpu, name: &str| -> Option<u64> {
            let khz: u64 = word(cpu, name)?.parse().ok()?;
            Some(khz / 1000)
        };
        let summary = |value: &dyn Fn(u32) -> Option<String>| {
            let values: Vec<(u32, String)> = cpus
                .iter()
                .filter_map(|cpu| Some((*cpu, value(*cpu)?)))
                .collect();
            cpu_list::summary(&values)
        };
        let highest =
            |value: &dyn Fn(u32) -> Option<u64>| cpus.iter().filter_map(|cpu| value(*cpu)).max();
        Self {
            driver: summary(&|cpu| word(cpu, "cpufreq/scaling_driver")),
            governor: summary(&|cpu| word(cpu, "cpufreq/scaling_governor")),
            energy_preference: summary(&|cpu| word(cpu, "cpufreq/energy_performance_preference")),
            turbo: turbo(root),
            base_mhz: highest(&|cpu| {
                mhz(cpu, "cpufreq/base_frequency").or_else(|| {
                    word(cpu, "acpi_cppc/nominal_freq")?
                        .parse()
                        .ok()
                        .filter(|mhz| *mhz > 0)
                })
            }),
            max_mhz: highest(&|cpu| mhz(cpu, "cpufreq/cpuinfo_max_freq")),
            limits_mhz: summary(&|cpu| {
                let low = mhz(cpu, "cpufreq/scaling_min_freq")?;
                let high = mhz(cpu, "cpufreq/scaling_max_freq")?;
                Some(format!("{low}-{high}"))
            }),
        }
    }
}

/// `intel_pstate` says whether turbo is off, the other drivers whether boost is on.
fn turbo(root: Root) -> Option<bool> {
    if let Some(off) = root.word(&format!("{CPUS}/intel_pstate/no_turbo")) {
        return Some(!switch(&off)?);
    }
    switch(&root.word(&format!("{CPUS}/cpufreq/boost"))?)
}
