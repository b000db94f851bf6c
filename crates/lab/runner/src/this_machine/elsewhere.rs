//! The laboratory keeps off the CPUs of what it measures.

use std::fs;

use rustix::thread::{CpuSet, Pid, sched_getaffinity, sched_setaffinity};

/// All threads of this process are kept off some CPUs, as long as this lives.
///
/// This is about the laboratory's own threads, wherever the host is that it measures on. A thread that is started
/// meanwhile keeps what it inherits.
#[derive(Debug)]
pub struct Elsewhere {
    before: Vec<(Pid, CpuSet)>,
}

impl Elsewhere {
    /// Keeps off these CPUs as far as there are others: a thread that may use no other one stays where it is.
    pub fn than(cpus: &CpuSet) -> Self {
        let entries = fs::read_dir("/proc/self/task")
            .into_iter()
            .flatten()
            .flatten();
        let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let move_away = |thread: Pid| {
            let before = sched_getaffinity(Some(thread)).ok()?;
            let mut others = before;
            for cpu in (0..CpuSet::MAX_CPU).filter(|cpu| cpus.is_set(*cpu)) {
                others.unset(cpu);
            }
            let is_moved = others.count() > 0 && sched_setaffinity(Some(thread), &others).is_ok();
            is_moved.then_some((thread, before))
        };
        let before = numbers
            .filter_map(Pid::from_raw)
            .filter_map(move_away)
            .collect();
        Self { before }
    }
}

impl Drop for Elsewhere {
    fn drop(&mut self) {
        for (thread, before) in &self.before {
            let _ = sched_setaffinity(Some(*thread), before);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_thread_is_elsewhere_for_a_while() {
        let before = sched_getaffinity(None).unwrap();
        let usable: Vec<usize> = (0..CpuSet::MAX_CPU)
            .filter(|cpu| before.is_set(*cpu))
            .collect();
        let mut last = CpuSet::new();
        last.set(usable[usable.len() - 1]);
        let elsewhere = Elsewhere::than(&last);
        let now = sched_getaffinity(None).unwrap();
        assert_eq!(now.is_set(usable[usable.len() - 1]), usable.len() == 1);
        drop(elsewhere);
        assert_eq!(sched_getaffinity(None).unwrap(), before);
        // Where there is no other one it stays.
        drop(Elsewhere::than(&before));
        assert_eq!(sched_getaffinity(None).unwrap(), before);
    }
}
