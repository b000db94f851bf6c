//! CPU time of the systems of a run: while its own load was executed, and while others had their turn.

use std::time::Duration;

use perflab_drivers::Operations;
use perflab_experiment::{Better, Metric, Sample};

use crate::system::RunningSystem;

/// The metric: CPU time of a system for each operation of the load.
pub(crate) const CPU_TIME: &str = "system_cpu";

/// CPU time of the systems of a run.
#[derive(Debug, Default)]
pub(super) struct SystemTimes {
    /// Of each system and benchmark, in the order in which they were first seen.
    spent: Vec<Spent>,
    /// What all systems had used when the first turn of the set began.
    begin: Option<Duration>,
    /// What they used in the run's own turns.
    own: Duration,
}

#[derive(Debug)]
struct Spent {
    system: Option<String>,
    benchmark: Option<String>,
    time: Duration,
    operations: f64,
}

/// What systems have used so far, each; nothing where that cannot be told.
pub(super) fn used(systems: &[RunningSystem<'_>]) -> Option<Vec<Duration>> {
    systems.iter().map(RunningSystem::cpu_time).collect()
}

impl SystemTimes {
    /// Adds a turn, before and after which the systems had used so much.
    pub(super) fn add(
        &mut self,
        systems: &[RunningSystem<'_>],
        before: Option<&[Duration]>,
        after: Option<&[Duration]>,
        operations: Option<&Operations>,
    ) {
        let (Some(before), Some(after)) = (before, after) else {
            return;
        };
        for ((system, before), after) in systems.iter().zip(before).zip(after) {
            let time = after.saturating_sub(*before);
            self.own += time;
            let Some(done) = operations.filter(|done| done.count > 0.0) else {
                continue;
            };
            let same = |spent: &&mut Spent| {
                spent.system.as_deref() == system.name() && spent.benchmark == done.benchmark
            };
            match self.spent.iter_mut().find(same) {
                Some(spent) => {
                    spent.time += time;
                    spent.operations += done.count;
                }
                None => self.spent.push(Spent {
                    system: system.name().map(str::to_owned),
                    benchmark: done.benchmark.clone(),
                    time,
                    operations: done.count,
                }),
            }
        }
    }

    /// CPU time for each operation in ns, of each system and benchmark.
    pub(super) fn samples(&self) -> impl Iterator<Item = Sample> {
        self.spent.iter().map(|spent| {
            let of = spent.system.as_ref();
            let name = of.map_or_else(|| CPU_TIME.to_owned(), |of| format!("{CPU_TIME}.{of}"));
            Sample {
                benchmark: spent.benchmark.clone(),
                metric: Metric::new(name, "ns", Better::Lower).into(),
                value: spent.time.as_secs_f64() * 1e9 / spent.operations,
                step: None,
            }
        })
    }

    /// The turns of the set begin.
    pub(super) fn begin(&mut self, systems: &[RunningSystem<'_>]) {
        self.begin = used(systems).map(|used| used.iter().sum());
    }

    /// CPU time that the systems have used while others had their turn, since the turns began.
    pub(super) fn idle(&self, systems: &[RunningSystem<'_>]) -> Option<Duration> {
        let end: Duration = used(systems)?.iter().sum();
        let all = end.saturating_sub(self.begin?);
        Some(all.saturating_sub(self.own))
    }
}
