//! The counters that tell, between two readings, what went on.

use std::collections::BTreeMap;
use std::path::Path;

use crate::confinement::cpu_groups;
use crate::cpu::CPUS;
use crate::load::Ticks;
use crate::source::{Root, finite, plain, value_of};

/// More processes than most systems allow.
const MAX_PROCESSES: usize = 1 << 15;

/// Counters at one moment.
#[derive(Debug, Clone, Default)]
pub struct Glance {
    /// The time of each CPU since boot.
    pub(super) cpus: BTreeMap<u32, Ticks>,
    /// Processes by number and start, since numbers are given away again.
    pub(super) processes: BTreeMap<(u32, u64), ProcessTicks>,
    /// Load average of a minute.
    pub(super) load1: Option<f64>,
    /// Pages brought in from swap, and put there, since boot.
    pub(super) swapped_pages: Option<(u64, u64)>,
    /// Control groups around this process: how often each was throttled.
    pub(super) throttled: BTreeMap<String, u64>,
    /// Thermal throttling: file and count.
    pub(super) thermal: BTreeMap<String, u64>,
    /// Interrupts of each CPU since boot.
    pub(super) interrupts: BTreeMap<u32, u64>,
}

/// What a process used.
#[derive(Debug, Clone)]
pub(super) struct ProcessTicks {
    pub(super) name: String,
    pub(super) parent: u32,
    /// Time in user mode and in the kernel.
    pub(super) ticks: u64,
    /// The CPU that it ran on last.
    pub(super) cpu: Option<u32>,
}

impl Glance {
    /// Reads the counters below `root`: a file for each process and CPU, a few milliseconds.
    pub fn take(root: &Path) -> Self {
        let root = Root(root);
        let stat = root.text("proc/stat").unwrap_or_default();
        let averages = root.word("proc/loadavg").unwrap_or_default();
        let pages = root.text("proc/vmstat").unwrap_or_default();
        let count = |key| value_of(&pages, key)?.parse::<u64>().ok();
        Self {
            cpus: stat.lines().filter_map(cpu_line).collect(),
            processes: root
                .numbered("proc", "")
                .into_iter()
                .take(MAX_PROCESSES)
                .filter_map(|pid| process(pid, &root.text(&format!("proc/{pid}/stat"))?))
                .collect(),
            load1: finite(&averages, 0),
            swapped_pages: count("pswpin").zip(count("pswpout")),
            throttled: throttled(root),
            thermal: thermal(root),
            interrupts: interrupts(&root.text("proc/interrupts").unwrap_or_default()),
        }
    }
}

/// A line of `/proc/stat` about one CPU, as `cpu3 1 2 3 ...`.
fn cpu_line(line: &str) -> Option<(u32, Ticks)> {
    let (cpu, numbers) = line.strip_prefix("cpu")?.split_once(' ')?;
    Some((cpu.parse().ok()?, Ticks::parse(numbers)?))
}

/// `/proc/PID/stat`, proc_pid_stat(5). The name in parentheses may contain anything.
fn process(pid: u32, stat: &str) -> Option<((u32, u64), ProcessTicks)> {
    let (before, after) = stat.rsplit_once(')')?;
    let (_, name) = before.split_once('(')?;
    let fields: Vec<&str> = after.split_whitespace().collect();
    // Numbered from the third field of the manual page.
    let number = |field: usize| fields.get(field.checked_sub(3)?)?.parse::<u64>().ok();
    Some((
        (pid, number(22)?),
        ProcessTicks {
            name: plain(name),
            parent: u32::try_from(number(4)?).ok()?,
            ticks: number(14)?.checked_add(number(15)?)?,
            cpu: number(39).and_then(|cpu| u32::try_from(cpu).ok()),
        },
    ))
}

fn throttled(root: Root) -> BTreeMap<String, u64> {
    cpu_groups(root)
        .into_iter()
        .filter_map(|(directory, _)| {
            let file = format!("{directory}/cpu.stat");
            let count = value_of(&root.text(&file)?, "nr_throttled")?.parse().ok()?;
            Some((file, count))
        })
        .collect()
}

fn thermal(root: Root) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for cpu in root.numbered(CPUS, "cpu") {
        for kind in ["core", "package"] {
            let file = format!("{CPUS}/cpu{cpu}/thermal_throttle/{kind}_throttle_count");
            if let Some(count) = root.number(&file) {
                counts.insert(file, count);
            }
        }
    }
    counts
}

/// Sums the columns of `/proc/interrupts`; the first line names the CPUs.
fn interrupts(text: &str) -> BTreeMap<u32, u64> {
    let mut lines = text.lines();
    let cpus: Vec<u32> = lines
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .filter_map(|word| word.strip_prefix("CPU")?.parse().ok())
        .collect();
    let mut sums: BTreeMap<u32, u64> = cpus.iter().map(|cpu| (*cpu, 0)).collect();
    for line in lines {
        let counts = line.split_whitespace().skip(1);
        for (cpu, count) in cpus.iter().zip(counts) {
            // Behind the counts come names; a line with fewer counts is about no CPU.
            let Ok(count) = count.parse::<u64>() else {
                break;
            };
            if let Some(sum) = sums.get_mut(cpu) {
                *sum = sum.saturating_add(count);
            }
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_may_have_any_name() {
        let stat = "77 (a) b (c) R 5 77 77 0 -1 4194304 1 2 3 4 30 12 7 8 20 0 1 0 999 \
                    1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 17 3 0 0 0 0 0";
        let ((pid, start), seen) = process(77, stat).unwrap();
        assert_eq!((pid, start, seen.ticks, seen.parent), (77, 999, 42, 5));
        assert_eq!((seen.name.as_str(), seen.cpu), ("a) b (c", Some(3)));
        for cut in 0..stat.len() {
            let _ = process(77, &stat[..cut]);
        }
    }

    #[test]
    fn interrupts_are_summed_by_cpu() {
        let text = "            CPU0       CPU1\n  0:         10          5   IO-APIC   2-edge      timer\n\
                    NMI:          1          2   Non-maskable interrupts\nERR:          7\n";
        let sums = interrupts(text);
        assert_eq!((sums[&0], sums[&1]), (18, 7));
        assert!(interrupts("").is_empty());
    }
}
