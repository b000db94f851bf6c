//! Counts of the kernel that show whether membarrier was at work: interrupts of other CPUs, and sleeps of the caller.

use std::fs;

use perflab_rcu::membarrier::processors;

use super::Evidence;
use crate::failure::Failure;

/// The kernel's counts at one time.
#[derive(Debug)]
pub struct Witness {
    interrupts: u64,
    sleeps: u64,
}

impl Witness {
    /// Looks at the interrupts of all CPUs but this one, and at the sleeps of the calling thread.
    ///
    /// # Errors
    /// If the kernel does not show one of them: without evidence there is no number.
    pub fn look(own: usize) -> Result<Self, Failure> {
        Ok(Self {
            interrupts: read("/proc/interrupts", "function call interrupts", |text| {
                interrupts(text, own)
            })?,
            sleeps: read("/proc/thread-self/status", "context switches", sleeps)?,
        })
    }

    /// The evidence of the time since an earlier look.
    pub fn since(&self, before: &Self) -> Evidence {
        Evidence {
            processors: processors(),
            interrupts: self.interrupts.saturating_sub(before.interrupts),
            sleeps: self.sleeps.saturating_sub(before.sleeps),
        }
    }
}

fn read(file: &str, what: &str, parse: impl FnOnce(&str) -> Option<u64>) -> Result<u64, Failure> {
    let text = fs::read_to_string(file).unwrap_or_default();
    parse(&text).ok_or_else(|| {
        Failure::unavailable(format!(
            "{file} shows no {what}, so nobody can tell whether membarrier is at work"
        ))
    })
}

/// The sum of the function call interrupts of all CPUs but one. The header names the CPUs that are online.
fn interrupts(text: &str, own: usize) -> Option<u64> {
    let cpus = text.lines().next()?.split_whitespace();
    let own = format!("CPU{own}");
    let line = text
        .lines()
        .find(|line| line.ends_with("Function call interrupts"))?;
    let counts = cpus.zip(line.split_whitespace().skip(1));
    let others = counts.filter(|(cpu, _)| *cpu != own);
    others.map(|(_, count)| count.parse::<u64>().ok()).sum()
}

/// Times that a thread gave its CPU up, from its status.
fn sleeps(text: &str) -> Option<u64> {
    let mut lines = text.lines();
    let count = lines.find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"))?;
    count.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As a machine shows them whose CPU 1 is offline.
    const INTERRUPTS: &str = "            CPU0       CPU2       CPU3
  0:         10          0          0   IO-APIC   2-edge      timer
LOC:          1          2          3   Local timer interrupts
CAL:         40         50         60   Function call interrupts
ERR:          0
";

    #[test]
    fn interrupts_are_those_of_the_other_cpus() {
        assert_eq!(interrupts(INTERRUPTS, 0), Some(110));
        assert_eq!(interrupts(INTERRUPTS, 2), Some(100));
        assert_eq!(interrupts(&INTERRUPTS.replace("CAL", "IPI1"), 3), Some(90));
        assert_eq!(interrupts("", 0), None);
        assert_eq!(interrupts(&INTERRUPTS.replace("call", "stop"), 0), None);
    }

    #[test]
    fn sleeps_are_voluntary_switches() {
        let status = "Name:\tx\nvoluntary_ctxt_switches:\t12\nnonvoluntary_ctxt_switches:\t34\n";
        assert_eq!(sleeps(status), Some(12));
        assert_eq!(sleeps("Name:\tx\n"), None);
    }
}
