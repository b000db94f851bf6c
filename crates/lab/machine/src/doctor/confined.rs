//! What keeps the laboratory from having its CPUs to itself: hypervisors, quotas, affinity.

use super::finding::{Finding, alarm, fine, note};
use crate::confinement::{Confinement, CpuQuota};
use crate::cpu::{CPUS, Cpu, field};
use crate::cpu_list;
use crate::source::Root;

pub(super) fn check(root: Root, cpus: &[u32]) -> Vec<Finding> {
    let confinement = Confinement::take(root);
    let mut findings = vec![machine(root, &confinement)];
    findings.extend(container(root));
    findings.extend(quota(&confinement, cpus));
    findings.extend(affinity(root, &confinement));
    findings.extend(isolation(&confinement, cpus));
    findings.extend(interrupts(root, cpus));
    findings
}

fn machine(root: Root, confinement: &Confinement) -> Finding {
    let hypervisor = root.word("sys/hypervisor/type");
    if confinement.virtual_machine != Some(true) && hypervisor.is_none() {
        return fine("virtual-machine", "no hypervisor is visible").at("proc/cpuinfo");
    }
    let product = ["sys_vendor", "product_name"]
        .iter()
        .filter_map(|name| root.word(&format!("sys/class/dmi/id/{name}")))
        .collect::<Vec<_>>()
        .join(" ");
    let name = hypervisor.unwrap_or(product);
    let shown = if name.is_empty() {
        String::new()
    } else {
        format!(" ({name})")
    };
    let flags = root
        .text("proc/cpuinfo")
        .and_then(|info| field(&info, "flags"))
        .unwrap_or_default();
    let nested = if flags
        .split_whitespace()
        .any(|flag| flag == "vmx" || flag == "svm")
    {
        "; guests within it are possible, so it may itself be one of several layers"
    } else {
        ""
    };
    note(
        "virtual-machine",
        format!("this is a virtual machine{shown}{nested}"),
    )
    .at("proc/cpuinfo")
    .costs("neighbours that cannot be seen take CPU time, cache and memory bandwidth: 1 to 20 %, changing within minutes")
    .advice("compare interleaved runs only, never numbers of different days; watch the stolen time")
}

fn container(root: Root) -> Option<Finding> {
    let file = ["run/.containerenv", ".dockerenv", "run/systemd/container"]
        .into_iter()
        .find(|file| root.text(file).is_some())?;
    Some(
        note(
            "container",
            "this is a container: the settings of the machine are the host's",
        )
        .at(file)
        .costs("other containers share the machine")
        .advice("run perflab doctor on the host as well"),
    )
}

fn quota(confinement: &Confinement, cpus: &[u32]) -> Option<Finding> {
    Some(match confinement.cpu_quota? {
        CpuQuota::Unlimited => {
            fine("cpu-quota", "no control group limits CPU time").at("proc/self/cgroup")
        }
        CpuQuota::Cpus(quota) => {
            let found = format!(
                "a control group limits CPU time to {quota:.2} CPUs, and {} are to be used",
                cpus.len()
            );
            if quota < cpus.len() as f64 {
                alarm("cpu-quota", found)
                    .costs("who has used its share stands still until the next period, up to 100 ms at a time")
            } else {
                note("cpu-quota", found).costs("nothing as long as no more CPUs are used")
            }
            .at("proc/self/cgroup")
            .advice("measure in a control group without a limit (cpu.max = max, cpu.cfs_quota_us = -1)")
        }
    })
}

fn affinity(root: Root, confinement: &Confinement) -> Option<Finding> {
    let allowed = confinement.allowed_cpus.as_deref()?;
    let online = Cpu::take(root).online?;
    Some(if cpu_list::count(allowed) < cpu_list::count(&online) {
        note(
            "affinity",
            format!("this process may use the CPUs {allowed} of {online}"),
        )
        .at("proc/self/status")
        .advice("fine if it was meant (taskset, cpuset)")
    } else {
        fine("affinity", "this process may use all CPUs").at("proc/self/status")
    })
}

fn isolation(confinement: &Confinement, cpus: &[u32]) -> Option<Finding> {
    let list = confinement.isolated_cpus.as_deref()?;
    let isolated = cpu_list::numbers(list).unwrap_or_default();
    let file = format!("{CPUS}/isolated");
    Some(if cpus.iter().all(|cpu| isolated.contains(cpu)) {
        fine("isolation", "the CPUs to be used are isolated").at(&file)
    } else if isolated.is_empty() {
        note("isolation", "no CPU is isolated from the scheduler")
            .at(&file)
            .costs("other programs may be put onto the CPUs to be used")
            .advice(
                "boot with isolcpus=, or use cpuset partitions, where differences of 1 % matter",
            )
    } else {
        note(
            "isolation",
            format!("the CPUs {list} are isolated, but others are to be used"),
        )
        .at(&file)
        .advice(format!("use them: --cpus {list}"))
    })
}

fn interrupts(root: Root, cpus: &[u32]) -> Option<Finding> {
    let numbers = root.numbered("proc/irq", "");
    let mut here = Vec::new();
    for number in &numbers {
        let list = root.word(&format!("proc/irq/{number}/effective_affinity_list"));
        let to: Vec<u32> = list
            .and_then(|list| cpu_list::numbers(&list))
            .unwrap_or_default();
        if to.iter().any(|cpu| cpus.contains(cpu)) {
            here.push(*number);
        }
    }
    if numbers.is_empty() {
        return None;
    }
    Some(if here.is_empty() {
        fine(
            "interrupts",
            "no device sends interrupts to the CPUs to be used",
        )
        .at("proc/irq")
    } else {
        let found = format!(
            "{} of {} interrupts go to the CPUs to be used",
            here.len(),
            numbers.len()
        );
        note("interrupts", found)
            .at("proc/irq")
            .costs("2 to 20 µs for each; much under network or disk load")
            .advice("keep a CPU for them: perflab doctor --apply --cpus LIST --irqs")
    })
}
