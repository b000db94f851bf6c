//! SMT, frequency, turbo and mitigations.

use super::finding::{Finding, fine, note, warning};
use crate::cpu::CPUS;
use crate::cpu_list;
use crate::frequency::Frequency;
use crate::kernel::Kernel;
use crate::source::Root;

pub(super) fn check(root: Root, cpus: &[u32]) -> Vec<Finding> {
    let frequency = Frequency::take(root);
    let mut findings = vec![smt(root, cpus), governor(&frequency)];
    findings.extend(energy_preference(&frequency));
    findings.extend(turbo(root, &frequency));
    findings.extend(mitigations(root));
    findings
}

/// Two threads of a core share its execution units and caches.
fn smt(root: Root, cpus: &[u32]) -> Finding {
    let siblings: Vec<(u32, String, Vec<u32>)> = cpus
        .iter()
        .filter_map(|cpu| {
            let directory = format!("{CPUS}/cpu{cpu}/topology");
            let list = root.word(&format!("{directory}/thread_siblings_list"))?;
            let others: Vec<u32> = cpu_list::numbers(&list)?
                .into_iter()
                .filter(|other| other != cpu)
                .collect();
            (!others.is_empty()).then_some((
                *cpu,
                format!("{directory}/thread_siblings_list"),
                others,
            ))
        })
        .collect();
    let Some((_, file, _)) = siblings.first() else {
        return match root.word(&format!("{CPUS}/smt/control")).as_deref() {
            Some("off" | "forceoff") => {
                fine("smt", "SMT is off").at(&format!("{CPUS}/smt/control"))
            }
            _ => fine("smt", "no CPU in use has an SMT sibling").at(&format!("{CPUS}/smt/active")),
        };
    };
    let pairs: Vec<String> = siblings
        .iter()
        .take(4)
        .map(|(cpu, _, others)| format!("CPU {cpu} with {}", cpu_list::list(others)))
        .collect();
    let more = if siblings.len() > 4 { ", ..." } else { "" };
    warning(
        "smt",
        format!("SMT is on: {}{more} share a core", pairs.join(", ")),
    )
    .at(file)
    .costs("20 to 50 % slower while the sibling is busy")
    .advice("keep the siblings idle, or turn SMT off: perflab doctor --apply --smt off")
}

fn governor(frequency: &Frequency) -> Finding {
    let file = format!("{CPUS}/cpu0/cpufreq/scaling_governor");
    match frequency.governor.as_deref() {
        None => note(
            "governor",
            "the frequency cannot be seen: a hypervisor or the firmware decides about it",
        )
        .at(&format!("{CPUS}/cpu0/cpufreq"))
        .advice("set it there, and watch the measured frequency drift"),
        Some("performance") => fine("governor", "the frequency governor is performance").at(&file),
        Some(other) => warning("governor", format!("the frequency governor is {other}"))
            .at(&file)
            .costs(
                "the first milliseconds after idling run at a low frequency, up to 3 times slower",
            )
            .advice("set the governor performance: perflab doctor --apply"),
    }
}

fn energy_preference(frequency: &Frequency) -> Option<Finding> {
    let file = format!("{CPUS}/cpu0/cpufreq/energy_performance_preference");
    Some(match frequency.energy_preference.as_deref()? {
        "performance" => {
            fine("energy-preference", "the energy preference is performance").at(&file)
        }
        // The performance governor of intel_pstate overrides it.
        other if frequency.governor.as_deref() == Some("performance") => note(
            "energy-preference",
            format!("the energy preference is {other}"),
        )
        .at(&file),
        other => warning(
            "energy-preference",
            format!("the energy preference is {other}"),
        )
        .at(&file)
        .costs("the frequency follows the load with a delay; a few per cent, more for short runs")
        .advice("set it to performance: perflab doctor --apply"),
    })
}

fn turbo(root: Root, frequency: &Frequency) -> Option<Finding> {
    let intel = format!("{CPUS}/intel_pstate/no_turbo");
    let file = if root.word(&intel).is_some() {
        intel
    } else {
        format!("{CPUS}/cpufreq/boost")
    };
    Some(match frequency.turbo? {
        false => fine("turbo", "turbo is off").at(&file),
        true => warning(
            "turbo",
            "turbo is on: the frequency depends on heat and on how many cores are busy",
        )
        .at(&file)
        .costs("up to 10 to 40 % between a cold and a hot machine, or one and all cores busy")
        .advice("turn it off for comparisons of few per cent: perflab doctor --apply"),
    })
}

fn mitigations(root: Root) -> Option<Finding> {
    let states = Kernel::take(root).mitigations?;
    let active = states
        .values()
        .filter(|state| state.starts_with("Mitigation"))
        .count();
    let file = format!("{CPUS}/vulnerabilities");
    Some(if active == 0 {
        fine(
            "mitigations",
            "no mitigation of a processor vulnerability is active",
        )
        .at(&file)
    } else {
        note(
            "mitigations",
            format!("mitigations of {active} processor vulnerabilities are active"),
        )
        .at(&file)
        .costs("system calls and context switches take longer, by up to a few times; plain computation does not")
        .advice("leave them as they are in production; compare only results of equal mitigations")
    })
}
