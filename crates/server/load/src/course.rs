//! The course of a load: keys are set, the targets warm up, and then take turns in random order.

use std::time::{Duration, Instant};

use perflab_histogram::Durations;

use crate::clock::CpuTime;
use crate::crew::{ByThread, Crew};
use crate::plan::{Length, Plan, Rounds};
use crate::problem::Problem;
use crate::random::Random;
use crate::tally::{Errors, Tally};
use crate::worker::{Shared, Turn, What};

/// The sequence of the seed that orders turns. Threads have those from 0.
const ORDER: u64 = u64::MAX - 1;

/// Time between two reports of progress.
const REPORT: Duration = Duration::from_secs(1);

/// How far a load is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress<'a> {
    /// What goes on: `preload`, `warm-up` or `load`.
    pub stage: &'static str,
    /// The name of the target whose turn it is.
    pub target: &'a str,
    /// Since the first turn of the stage began.
    pub elapsed: Duration,
    /// Replies in a second, of all targets, since the last report.
    pub replies_per_s: f64,
}

/// What came of a target's turns.
#[derive(Debug)]
pub struct Played {
    /// All that was counted.
    pub tally: Tally,
    pub turns: Vec<Row>,
    /// The time of all turns, in ns.
    pub wall_ns: u64,
    /// CPU time of the server in its turns, if its process is known.
    pub cpu: Option<CpuTime>,
}

/// A turn.
#[derive(Debug)]
pub struct Row {
    /// When it began, in ns of the clock.
    pub begin_ns: u64,
    pub wall_ns: u64,
    pub operations: u64,
    pub p50_ns: Option<u64>,
    pub p99_ns: Option<u64>,
    /// CPU time of the server.
    pub cpu_ns: Option<u64>,
}

/// What a thread of the client used.
#[derive(Debug, Clone, Copy, Default)]
pub struct Used {
    pub cpu_ns: u64,
    /// The time of the turns in which it did.
    pub wall_ns: u64,
}

/// A load under way.
pub struct Course<'c, 'scope> {
    plan: &'c Plan,
    crew: Crew<'scope>,
    order: Random,
    pub played: Vec<Played>,
    pub threads: Vec<Used>,
    meter: Meter<'c>,
}

impl<'c, 'scope> Course<'c, 'scope> {
    pub fn new(
        plan: &'c Plan,
        shared: &'c Shared,
        crew: Crew<'scope>,
        report: &'c mut dyn FnMut(&Progress<'_>),
    ) -> Self {
        let played = plan.targets.iter().map(|target| Played {
            tally: Tally::new(plan.mix.commands(target.protocol()).len()),
            turns: Vec::new(),
            wall_ns: 0,
            cpu: target.pid.map(|_| CpuTime::default()),
        });
        Self {
            plan,
            crew,
            order: Random::new(plan.seed, ORDER),
            played: played.collect(),
            threads: vec![Used::default(); plan.threads],
            meter: Meter::new(shared, report),
        }
    }

    /// Makes the load.
    ///
    /// # Errors
    /// If a server misbehaves, or answers with errors that are not allowed.
    pub fn run(&mut self) -> Result<(), Problem> {
        if self.plan.preload {
            self.meter.begin("preload");
            for target in 0..self.plan.targets.len() {
                self.turn(Turn {
                    target,
                    what: What::Preload,
                    time: None,
                    operations: None,
                })?;
            }
        }
        match self.plan.rounds {
            Rounds::Until {
                length,
                turn,
                warm_up,
            } => {
                if !warm_up.is_zero() {
                    self.warm_up(1, time(warm_up))?;
                }
                self.until(length, turn)
            }
            Rounds::Slices {
                slice,
                slices,
                warm_up,
            } => {
                self.warm_up(warm_up, slice)?;
                self.meter.begin("load");
                for _ in 0..slices {
                    for target in self.shuffled() {
                        self.counted(target, slice)?;
                    }
                }
                Ok(())
            }
        }
    }

    /// Rounds that do not count.
    fn warm_up(&mut self, rounds: u64, length: Length) -> Result<(), Problem> {
        self.meter.begin("warm-up");
        for _ in 0..rounds {
            for target in self.shuffled() {
                self.turn(mix(target, length))?;
            }
        }
        Ok(())
    }

    /// Rounds until each target has had its length.
    fn until(&mut self, length: Length, turn: Option<Duration>) -> Result<(), Problem> {
        self.meter.begin("load");
        let part = part(length.time, turn);
        let mut left = vec![length; self.plan.targets.len()];
        loop {
            let order = self.shuffled();
            let order = order.into_iter().filter(|target| !is_over(&left[*target]));
            let order: Vec<usize> = order.collect();
            if order.is_empty() {
                return Ok(());
            }
            for target in order {
                let rest = &mut left[target];
                let time = match (part, rest.time) {
                    (Some(part), Some(rest)) => Some(part.min(rest)),
                    (one, other) => one.or(other),
                };
                let operations = self.counted(target, Length { time, ..*rest })?;
                rest.time = rest
                    .time
                    .map(|rest| rest.saturating_sub(part.unwrap_or(rest)));
                rest.operations = rest.operations.map(|rest| rest.saturating_sub(operations));
            }
        }
    }

    /// The targets, in random order.
    fn shuffled(&mut self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.plan.targets.len()).collect();
        self.order.shuffle(&mut order);
        order
    }

    /// A turn that counts. Returns the number of operations.
    fn counted(&mut self, target: usize, length: Length) -> Result<u64, Problem> {
        let (tallies, cpu) = self.turn(mix(target, length))?;
        let played = &mut self.played[target];
        let mut joined: Option<Tally> = None;
        for (_, tally) in &tallies {
            match &mut joined {
                Some(joined) => joined.join(tally),
                None => joined = Some(tally.clone()),
            }
        }
        let Some(joined) = joined else {
            return Ok(0);
        };
        let wall_ns = joined.end_ns - joined.begin_ns;
        for (thread, tally) in &tallies {
            self.threads[*thread].cpu_ns += tally.cpu_ns;
            self.threads[*thread].wall_ns += wall_ns;
        }
        let latencies: Durations = joined.latencies();
        let operations = joined.operations();
        played.turns.push(Row {
            begin_ns: joined.begin_ns,
            wall_ns,
            operations,
            p50_ns: latencies.quantile_ns(0.5),
            p99_ns: latencies.quantile_ns(0.99),
            cpu_ns: cpu.map(|cpu| cpu.threads_ns),
        });
        played.wall_ns += wall_ns;
        played.tally.merge(&joined);
        if let (Some(total), Some(cpu)) = (&mut played.cpu, cpu) {
            total.threads_ns += cpu.threads_ns;
            total.user_s += cpu.user_s;
            total.system_s += cpu.system_s;
        }
        Ok(operations)
    }

    /// A turn: what came of it, by thread, and the CPU time of the server meanwhile.
    fn turn(&mut self, turn: Turn) -> Result<(ByThread, Option<CpuTime>), Problem> {
        let target = &self.plan.targets[turn.target];
        let cpu = || {
            let looked = target.pid.map(CpuTime::of).transpose();
            looked.map_err(|error| {
                let pid = target.pid.unwrap_or_default();
                let process = format!("the CPU time of process {pid} is unknown: {error}");
                Problem::Unavailable(format!("{target}: {process}"))
            })
        };
        self.meter.tick(&target.name);
        let before = cpu()?;
        let tallies = self
            .crew
            .turn(turn, &mut || self.meter.tick(&target.name))?;
        let after = cpu()?;
        if !self.plan.allows_errors {
            let mut errors = tallies.iter().map(|(_, tally)| &tally.errors);
            let total: u64 = errors.clone().map(Errors::total).sum();
            if let Some(text) = errors.find_map(Errors::first) {
                return Err(Problem::Refused(format!(
                    "{target}: the server answered {total} times with an error, as `{text}`"
                )));
            }
        }
        let used = before.zip(after).map(|(before, after)| after.since(before));
        Ok((tallies, used))
    }
}

/// A turn in which the commands of the mix are made.
fn mix(target: usize, length: Length) -> Turn {
    Turn {
        target,
        what: What::Mix,
        time: length.time,
        operations: length.operations,
    }
}

/// A time only.
fn time(time: Duration) -> Length {
    Length {
        time: Some(time),
        operations: None,
    }
}

fn is_over(length: &Length) -> bool {
    length.time.is_some_and(|time| time.is_zero()) || length.operations == Some(0)
}

/// The time of each turn: equal parts of the whole that are no longer than wanted.
fn part(whole: Option<Duration>, turn: Option<Duration>) -> Option<Duration> {
    let (Some(whole), Some(turn)) = (whole, turn) else {
        return turn.or(whole);
    };
    let turns = whole.as_nanos().div_ceil(turn.as_nanos());
    Some(Duration::from_nanos(whole.as_nanos().div_ceil(turns) as u64))
}

/// Reports progress each second.
struct Meter<'c> {
    shared: &'c Shared,
    report: &'c mut dyn FnMut(&Progress<'_>),
    stage: &'static str,
    begun: Instant,
    reported: Instant,
    replies: u64,
}

impl<'c> Meter<'c> {
    fn new(shared: &'c Shared, report: &'c mut dyn FnMut(&Progress<'_>)) -> Self {
        let now = Instant::now();
        Self {
            shared,
            report,
            stage: "",
            begun: now,
            reported: now,
            replies: 0,
        }
    }

    /// A stage begins.
    fn begin(&mut self, stage: &'static str) {
        self.stage = stage;
        self.begun = Instant::now();
    }

    /// Reports if it is time to.
    fn tick(&mut self, target: &str) {
        let since = self.reported.elapsed();
        if since < REPORT {
            return;
        }
        let replies = self.shared.replies();
        (self.report)(&Progress {
            stage: self.stage,
            target,
            elapsed: self.begun.elapsed(),
            replies_per_s: (replies - self.replies) as f64 / since.as_secs_f64(),
        });
        self.reported = Instant::now();
        self.replies = replies;
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::part;

    #[test]
    fn turns_are_equal_parts() {
        let ms = Duration::from_millis;
        assert_eq!(part(Some(ms(100)), Some(ms(30))), Some(ms(25)));
        assert_eq!(part(Some(ms(100)), Some(ms(200))), Some(ms(100)));
        assert_eq!(part(Some(ms(100)), None), Some(ms(100)));
        assert_eq!(part(None, Some(ms(20))), Some(ms(20)));
        assert_eq!(part(None, None), None);
    }
}
