//! What people ask for, and the writes that it takes on a given machine.

use std::path::Path;

use super::offload;
use super::target::Target;
use crate::cpu::CPUS;
use crate::cpu_list;
use crate::source::Root;

const CLOCK: &str = "sys/devices/system/clocksource/clocksource0";
const HUGE_PAGES: &str = "sys/kernel/mm/transparent_hugepage";

/// A setting that somebody wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wish {
    /// Several threads on each core, or one.
    Smt(bool),
    /// The frequency governor of all CPUs.
    Governor(String),
    /// The energy performance preference of all CPUs.
    EnergyPreference(String),
    /// Frequencies above the base frequency.
    Turbo(bool),
    /// What the kernel tells the time by.
    ClockSource(String),
    /// Transparent huge pages.
    HugePages(String),
    /// How hard the kernel tries to make room for a transparent huge page.
    HugePageDefragmentation(String),
    /// A parameter of the kernel, as sysctl names it.
    Sysctl {
        /// The name, as `vm.swappiness`.
        name: String,
        /// The value.
        value: String,
    },
    /// An offload of a network interface.
    Offload {
        /// The interface.
        interface: String,
        /// The feature, by either of ethtool's names.
        feature: String,
        /// Whether it shall be on.
        on: bool,
    },
    /// Interrupts of devices kept away from these CPUs.
    InterruptsAwayFrom(Vec<u32>),
    /// A unit of systemd stopped.
    StopUnit(String),
}

/// A write that fulfils a wish or a part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// What is written to.
    pub target: Target,
    /// The value.
    pub value: String,
}

/// Why a wish cannot be fulfilled on this machine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unavailable(pub String);

impl Wish {
    /// What the setting is called.
    pub fn name(&self) -> String {
        match self {
            Self::Smt(_) => "smt".to_owned(),
            Self::Governor(_) => "governor".to_owned(),
            Self::EnergyPreference(_) => "energy_preference".to_owned(),
            Self::Turbo(_) => "turbo".to_owned(),
            Self::ClockSource(_) => "clocksource".to_owned(),
            Self::HugePages(_) => "huge_pages".to_owned(),
            Self::HugePageDefragmentation(_) => "huge_page_defragmentation".to_owned(),
            Self::Sysctl { name, .. } => format!("sysctl {name}"),
            Self::Offload {
                interface, feature, ..
            } => format!("nic {interface} {feature}"),
            Self::InterruptsAwayFrom(_) => "interrupts".to_owned(),
            Self::StopUnit(unit) => format!("unit {unit}"),
        }
    }

    /// Its value, in words.
    pub fn value(&self) -> String {
        let on_off = |on: bool| if on { "on" } else { "off" }.to_owned();
        match self {
            Self::Smt(on) | Self::Turbo(on) | Self::Offload { on, .. } => on_off(*on),
            Self::Governor(value)
            | Self::EnergyPreference(value)
            | Self::ClockSource(value)
            | Self::HugePages(value)
            | Self::HugePageDefragmentation(value)
            | Self::Sysctl { value, .. } => value.clone(),
            Self::InterruptsAwayFrom(cpus) => format!("away from CPUs {}", cpu_list::list(cpus)),
            Self::StopUnit(_) => "inactive".to_owned(),
        }
    }

    /// The writes that it takes on the machine below `root`.
    ///
    /// # Errors
    /// When the machine does not have the setting, or does not know the value.
    pub fn changes(&self, root: &Path) -> Result<Vec<Change>, Unavailable> {
        let root = Root(root);
        match self {
            Self::Smt(on) => smt(root, *on),
            Self::Governor(value) => each_cpu(
                root,
                "cpufreq/scaling_governor",
                "cpufreq/scaling_available_governors",
                value,
            ),
            Self::EnergyPreference(value) => each_cpu(
                root,
                "cpufreq/energy_performance_preference",
                "cpufreq/energy_performance_available_preferences",
                value,
            ),
            Self::Turbo(on) => turbo(root, *on),
            Self::ClockSource(value) => {
                known(root, &format!("{CLOCK}/available_clocksource"), value)?;
                one(root, &format!("{CLOCK}/current_clocksource"), value)
            }
            Self::HugePages(value) => choice(root, &format!("{HUGE_PAGES}/enabled"), value),
            Self::HugePageDefragmentation(value) => {
                choice(root, &format!("{HUGE_PAGES}/defrag"), value)
            }
            Self::Sysctl { name, value } => one(root, &sysctl_path(name)?, value),
            Self::Offload {
                interface,
                feature,
                on,
            } => Ok(vec![Change {
                target: Target::Offload {
                    interface: interface.clone(),
                    feature: offload::long_name(feature).to_owned(),
                },
                value: if *on { "on" } else { "off" }.to_owned(),
            }]),
            Self::InterruptsAwayFrom(cpus) => interrupts(root, cpus),
            Self::StopUnit(unit) => Ok(vec![Change {
                target: Target::Unit(unit.clone()),
                value: "inactive".to_owned(),
            }]),
        }
    }
}

fn unavailable(why: impl Into<String>) -> Unavailable {
    Unavailable(why.into())
}

fn file(path: &str, value: &str) -> Change {
    Change {
        target: Target::File(path.to_owned()),
        value: value.to_owned(),
    }
}

fn one(root: Root, path: &str, value: &str) -> Result<Vec<Change>, Unavailable> {
    if root.line(path).is_none() {
        return Err(unavailable(format!("there is no /{path}")));
    }
    Ok(vec![file(path, value)])
}

/// Refuses a value that is not in a list of words, where there is one.
fn known(root: Root, list: &str, value: &str) -> Result<(), Unavailable> {
    match root.word(list) {
        Some(words) if !words.split_whitespace().any(|word| word == value) => Err(unavailable(
            format!("expected one of {words} (/{list}), found {value}"),
        )),
        _ => Ok(()),
    }
}

/// A file that shows all choices with the chosen one in brackets.
fn choice(root: Root, path: &str, value: &str) -> Result<Vec<Change>, Unavailable> {
    let line = root.word(path).unwrap_or_default();
    let mut words = line
        .split_whitespace()
        .map(|word| word.trim_matches(['[', ']']));
    if line.contains('[') && !words.any(|word| word == value) {
        return Err(unavailable(format!(
            "expected one of {line} (/{path}), found {value}"
        )));
    }
    one(root, path, value)
}

fn each_cpu(root: Root, name: &str, list: &str, value: &str) -> Result<Vec<Change>, Unavailable> {
    let mut changes = Vec::new();
    for cpu in root.numbered(CPUS, "cpu") {
        let path = format!("{CPUS}/cpu{cpu}/{name}");
        if root.word(&path).is_some() {
            known(root, &format!("{CPUS}/cpu{cpu}/{list}"), value)?;
            changes.push(file(&path, value));
        }
    }
    if changes.is_empty() {
        return Err(unavailable(format!(
            "there is no /{CPUS}/cpu*/{name}: a hypervisor or the firmware decides"
        )));
    }
    Ok(changes)
}

fn smt(root: Root, on: bool) -> Result<Vec<Change>, Unavailable> {
    let path = format!("{CPUS}/smt/control");
    match root.word(&path).as_deref() {
        Some("on" | "off") => one(root, &path, if on { "on" } else { "off" }),
        Some(other) => Err(unavailable(format!("/{path} says {other}"))),
        None => Err(unavailable(format!("there is no /{path}"))),
    }
}

fn turbo(root: Root, on: bool) -> Result<Vec<Change>, Unavailable> {
    let intel = format!("{CPUS}/intel_pstate/no_turbo");
    let boost = format!("{CPUS}/cpufreq/boost");
    if root.word(&intel).is_some() {
        return one(root, &intel, if on { "0" } else { "1" });
    }
    one(root, &boost, if on { "1" } else { "0" }).map_err(|_| {
        unavailable(format!(
            "there is neither /{intel} nor /{boost}: a hypervisor or the firmware decides"
        ))
    })
}

/// The file of a parameter: dots are slashes and slashes are dots, as sysctl(8) has it.
fn sysctl_path(name: &str) -> Result<String, Unavailable> {
    let path: String = name
        .chars()
        .map(|c| match c {
            '.' => '/',
            '/' => '.',
            c => c,
        })
        .collect();
    let plain = path
        .split('/')
        .all(|part| !matches!(part, "" | "." | "..") && !part.contains(char::is_control));
    if plain {
        Ok(format!("proc/sys/{path}"))
    } else {
        Err(unavailable(format!(
            "expected the name of a parameter as vm.swappiness, found {name}"
        )))
    }
}

/// Interrupts that a device's driver has bound to its CPUs cannot be moved; they are left out
/// when the write is refused.
fn interrupts(root: Root, away: &[u32]) -> Result<Vec<Change>, Unavailable> {
    let online = root
        .word(&format!("{CPUS}/online"))
        .and_then(|list| cpu_list::numbers(&list))
        .unwrap_or_default();
    let others: Vec<u32> = online
        .into_iter()
        .filter(|cpu| !away.contains(cpu))
        .collect();
    if others.is_empty() {
        return Err(unavailable(
            "no CPU is left for interrupts; name those to measure on with --cpus",
        ));
    }
    let list = cpu_list::list(&others);
    Ok(root
        .numbered("proc/irq", "")
        .into_iter()
        .map(|number| format!("proc/irq/{number}/smp_affinity_list"))
        .filter(|path| root.word(path).is_some())
        .map(|path| file(&path, &list))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_of_the_kernel_stay_below_their_directory() {
        assert_eq!(
            sysctl_path("vm.swappiness").unwrap(),
            "proc/sys/vm/swappiness"
        );
        assert_eq!(
            sysctl_path("net.ipv4.conf.eth0/1.forwarding").unwrap(),
            "proc/sys/net/ipv4/conf/eth0.1/forwarding"
        );
        for wrong in ["", ".", "..", "vm..x", "//.etc.passwd", "a.//.b", "a\n"] {
            assert!(sysctl_path(wrong).is_err(), "{wrong:?}");
        }
    }
}
