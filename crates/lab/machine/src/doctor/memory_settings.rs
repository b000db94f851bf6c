//! Huge pages, swap, room in memory, and kernel threads that move pages about.

use super::finding::{Finding, alarm, fine, note, warning};
use crate::memory::Memory;
use crate::source::{Root, bytes_of, value_of};

const MIB: u64 = 1 << 20;

pub(super) fn check(root: Root) -> Vec<Finding> {
    let memory = Memory::take(root);
    let info = root.text("proc/meminfo").unwrap_or_default();
    let mut findings = Vec::new();
    findings.extend(transparent(&memory));
    findings.extend(reserved(&info));
    findings.extend(swap(&memory));
    findings.extend(room(&memory, &info));
    findings.extend(movers(root));
    findings
}

fn transparent(memory: &Memory) -> Option<Finding> {
    let file = "sys/kernel/mm/transparent_hugepage/enabled";
    Some(match memory.transparent_huge_pages.as_deref()? {
        "always" => warning(
            "huge-pages",
            "transparent huge pages are always on: whether a program gets them depends on free memory at that moment",
        )
        .costs("two modes, up to 10 to 30 % apart in programs with much memory")
        .advice("set them to madvise or never: perflab doctor --apply"),
        choice => fine("huge-pages", format!("transparent huge pages: {choice}")),
    }
    .at(file))
}

fn reserved(info: &str) -> Option<Finding> {
    let total: u64 = value_of(info, "HugePages_Total")?.parse().ok()?;
    (total > 0).then(|| {
        let free = value_of(info, "HugePages_Free").unwrap_or("an unknown number");
        note(
            "reserved-huge-pages",
            format!("{total} huge pages are reserved, {free} of them free"),
        )
        .at("proc/meminfo")
        .costs("memory that other programs cannot use")
        .advice("release them (vm.nr_hugepages = 0) unless what you measure uses them")
    })
}

fn swap(memory: &Memory) -> Option<Finding> {
    let total = memory.swap_total_bytes?;
    let used = memory.swap_used_bytes.unwrap_or(0);
    Some(
        match (total, used) {
            (0, _) => fine("swap", "there is no swap"),
            (_, 0) => note(
                "swap",
                format!("{} MiB of swap are there and none is used", total / MIB),
            )
            .advice("keep an eye on it, or turn it off while measuring (swapoff -a)"),
            (_, used) => warning(
                "swap",
                format!("{} of {} MiB of swap are in use", mib(used), total / MIB),
            )
            .costs(
                "a page that has to come back takes 0.1 to 10 ms, a thousand times a memory access",
            )
            .advice("free memory, then bring everything back: swapoff -a && swapon -a"),
        }
        .at("proc/meminfo"),
    )
}

fn mib(bytes: u64) -> String {
    format!("{:.1}", bytes as f64 / MIB as f64)
}

fn room(memory: &Memory, info: &str) -> Option<Finding> {
    let total = memory.total_bytes.filter(|total| *total > 0)?;
    let available = bytes_of(info, "MemAvailable")?;
    let share = available as f64 / total as f64;
    let found = format!(
        "{} of {} MiB of memory are available",
        available / MIB,
        total / MIB
    );
    Some(
        match share {
            share if share < 0.02 => alarm("memory", found),
            share if share < 0.10 => warning("memory", found),
            _ => return Some(fine("memory", found).at("proc/meminfo")),
        }
        .at("proc/meminfo")
        .costs("the kernel takes pages away from what is measured, and may kill it")
        .advice("end what uses the memory"),
    )
}

/// Threads of the kernel that scan and move pages while others run.
fn movers(root: Root) -> Vec<Finding> {
    let mut findings = Vec::new();
    if root.number::<u32>("sys/kernel/mm/ksm/run") == Some(1) {
        findings.push(
            warning("page-merging", "the kernel merges equal pages (KSM)")
                .at("sys/kernel/mm/ksm/run")
                .costs("a CPU's time, and a page fault for each page that is written again")
                .advice("echo 0 > /sys/kernel/mm/ksm/run"),
        );
    }
    let balancing = root.number::<u32>("proc/sys/kernel/numa_balancing");
    let nodes = root.numbered("sys/devices/system/node", "node").len();
    if balancing.is_some_and(|mode| mode > 0) && nodes > 1 {
        findings.push(
            note(
                "numa-balancing",
                "the kernel moves pages between NUMA nodes",
            )
            .at("proc/sys/kernel/numa_balancing")
            .costs("page faults while it learns; a few per cent that change during a run")
            .advice("pin processes and memory to a node, or sysctl kernel.numa_balancing=0"),
        );
    }
    findings
}
