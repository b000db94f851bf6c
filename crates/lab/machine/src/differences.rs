//! Whether two machines are alike enough to compare results.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::confinement::CpuQuota;
use crate::facts::MachineFacts;

/// The kernel reserves a little more or less memory from boot to boot.
const MEMORY_TOLERANCE: f64 = 0.01;

/// A setting in which two machines differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Difference {
    /// The setting, in words: `governor`.
    pub what: String,
    /// Its value on the left; `None` if it is not known.
    pub left: Option<String>,
    /// Its value on the right; `None` if it is not known.
    pub right: Option<String>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let shown = |value: &Option<String>| match value.as_deref() {
            None => "not known".to_owned(),
            Some("") => "none".to_owned(),
            Some(value) => value.to_owned(),
        };
        write!(
            f,
            "{}: {} against {}",
            self.what,
            shown(&self.left),
            shown(&self.right)
        )
    }
}

impl MachineFacts {
    /// The settings in which two machines differ, of those that must agree before results may be
    /// compared. What is not known on one side only counts as a difference, because agreement is
    /// not shown; what is known on neither does not.
    pub fn differences(&self, other: &Self) -> Vec<Difference> {
        let mut found: Vec<Difference> = self
            .settings()
            .into_iter()
            .zip(other.settings())
            .filter(|((_, left), (_, right))| left != right)
            .map(|((what, left), (_, right))| Difference {
                what: what.to_owned(),
                left,
                right,
            })
            .collect();
        found.extend(self.memory_difference(other));
        found.extend(self.mitigation_differences(other));
        found
    }

    /// The settings that can be compared as they are printed, always in the same order.
    fn settings(&self) -> Vec<(&'static str, Option<String>)> {
        let on_off = |value: Option<bool>| value.map(|on| if on { "on" } else { "off" }.to_owned());
        let yes_no =
            |value: Option<bool>| value.map(|yes| if yes { "yes" } else { "no" }.to_owned());
        let number = |value: Option<u32>| value.map(|number| number.to_string());
        let (cpu, frequency, kernel) = (&self.cpu, &self.frequency, &self.kernel);
        let (memory, confinement) = (&self.memory, &self.confinement);
        vec![
            ("machine", self.machine_id.clone()),
            ("processor", cpu.name.clone()),
            ("processor vendor", cpu.vendor.clone()),
            ("processor family", cpu.family.clone()),
            ("processor model", cpu.model.clone()),
            ("processor stepping", cpu.stepping.clone()),
            ("microcode", cpu.microcode.clone()),
            ("CPUs online", cpu.online.clone()),
            ("number of CPUs", number(cpu.logical_cpus)),
            ("cores", number(cpu.cores)),
            ("sockets", number(cpu.sockets)),
            ("NUMA nodes", number(cpu.numa_nodes)),
            ("SMT", on_off(cpu.smt_active)),
            ("frequency driver", frequency.driver.clone()),
            ("governor", frequency.governor.clone()),
            ("energy preference", frequency.energy_preference.clone()),
            ("turbo", on_off(frequency.turbo)),
            ("frequency limits in MHz", frequency.limits_mhz.clone()),
            ("kernel release", kernel.release.clone()),
            ("kernel version", kernel.version.clone()),
            ("kernel command line", kernel.settings_of_command_line()),
            ("address space randomisation", number(kernel.aslr)),
            (
                "swap in bytes",
                memory.swap_total_bytes.map(|bytes| bytes.to_string()),
            ),
            (
                "transparent huge pages",
                memory.transparent_huge_pages.clone(),
            ),
            (
                "huge page defragmentation",
                memory.huge_page_defragmentation.clone(),
            ),
            ("clock source", self.clock.source.clone()),
            ("virtual machine", yes_no(confinement.virtual_machine)),
            ("CPU quota", confinement.cpu_quota.map(shown_quota)),
            ("allowed CPUs", confinement.allowed_cpus.clone()),
            ("isolated CPUs", confinement.isolated_cpus.clone()),
            ("tickless CPUs", confinement.tickless_cpus.clone()),
        ]
    }

    fn memory_difference(&self, other: &Self) -> Option<Difference> {
        let (left, right) = (self.memory.total_bytes, other.memory.total_bytes);
        let alike = match (left, right) {
            (Some(left), Some(right)) => {
                left.abs_diff(right) as f64 <= MEMORY_TOLERANCE * left.max(right) as f64
            }
            (left, right) => left == right,
        };
        let shown = |bytes: Option<u64>| bytes.map(|bytes| bytes.to_string());
        (!alike).then(|| Difference {
            what: "memory in bytes".to_owned(),
            left: shown(left),
            right: shown(right),
        })
    }

    fn mitigation_differences(&self, other: &Self) -> Vec<Difference> {
        let (left, right) = (&self.kernel.mitigations, &other.kernel.mitigations);
        let names: BTreeSet<&String> = left
            .iter()
            .chain(right)
            .flat_map(|all| all.keys())
            .collect();
        names
            .into_iter()
            .filter_map(|name| {
                let state = |all: &Option<_>| -> Option<String> {
                    let all: &BTreeMap<String, String> = all.as_ref()?;
                    all.get(name).cloned()
                };
                let (left, right) = (state(left), state(right));
                (left != right).then(|| Difference {
                    what: format!("mitigation of {name}"),
                    left,
                    right,
                })
            })
            .collect()
    }
}

fn shown_quota(quota: CpuQuota) -> String {
    match quota {
        CpuQuota::Unlimited => "unlimited".to_owned(),
        // Quotas are set in microseconds of a period that is a tenth of a second by default.
        CpuQuota::Cpus(cpus) => format!("{} CPUs", (cpus * 1000.0).round() / 1000.0),
    }
}
