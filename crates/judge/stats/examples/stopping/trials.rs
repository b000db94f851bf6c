//! Trials of a scenario, looked at after every block.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use perflab_stats::Stratum;
use perflab_stats::location::{Scale, Side};
use perflab_stats::multiplicity::holm;
use perflab_stats::sequential::RankEProcess;

use crate::scenario::Scenario;
use crate::simulated::{Random, runs};

/// Level of every test.
pub const ALPHA: f64 = 0.05;

/// Fewest blocks before a stop, as in the laboratory.
const LEAST_BLOCKS: usize = 2;

/// What became of one trial.
pub struct Outcome {
    /// Some part is claimed to be larger, or smaller, at some time, among all tests.
    pub larger: bool,
    pub smaller: bool,
    /// The interval of the first part leaves out the true ratio at some time.
    pub missed: bool,
    /// The first part is claimed to be the same within 2 % at some time.
    pub same: bool,
    /// Blocks until all parts are decided, or all there are.
    pub blocks: usize,
    pub decided: bool,
}

/// Percent of the outcomes.
pub fn rate(outcomes: &[Outcome], is: fn(&Outcome) -> bool) -> f64 {
    100.0 * outcomes.iter().filter(|outcome| is(outcome)).count() as f64 / outcomes.len() as f64
}

/// Trials on all CPUs, each to its end or until it is decided.
pub fn simulate(scenario: &Scenario, trials: u64, seed: u64, stop: bool) -> Vec<Outcome> {
    let next = AtomicU64::new(0);
    let outcomes = Mutex::new(Vec::new());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut own = Vec::new();
                loop {
                    let trial = next.fetch_add(1, Ordering::Relaxed);
                    if trial >= trials {
                        break;
                    }
                    own.push(one_trial(scenario, &mut Random::of(seed, trial), stop));
                }
                if let Ok(mut all) = outcomes.lock() {
                    all.extend(own);
                }
            });
        }
    });
    outcomes.into_inner().unwrap_or_default()
}

/// The blocks of one trial in turn, until all parts are decided if `stop`, else to the end: what
/// was proven at any time stays proven, so the end tells what any look would have told.
fn one_trial(scenario: &Scenario, random: &mut Random, stop: bool) -> Outcome {
    let Scenario {
        sides,
        machine,
        design,
        parts,
        ..
    } = *scenario;
    let (base, candidate) = runs(sides, machine, design, parts, random);
    let mut processes = vec![RankEProcess::new(Scale::Ratio); parts];
    let mut decided = false;
    let mut done = 0;
    while done < design.blocks && !decided {
        let in_block = |side: &[perflab_stats::Observation]| -> Vec<f64> {
            let own = side.iter().filter(|o| o.block as usize == done);
            own.map(|o| o.value).collect()
        };
        for (process, (a, b)) in processes.iter_mut().zip(base.iter().zip(&candidate)) {
            let block = Stratum::new(in_block(a), in_block(b));
            // The values are all usable.
            let _ = process.observe(&block);
        }
        done += 1;
        decided = stop && done >= LEAST_BLOCKS && tests(&processes).iter().all(|p| *p <= ALPHA);
    }
    let proven = tests(&processes);
    let larger = |(process, p): (&RankEProcess, &f64), side| {
        *p <= ALPHA && process.p(1.0, side) <= ALPHA / 2.0
    };
    let any = |side| processes.iter().zip(&proven).any(|test| larger(test, side));
    let truth = sides[1].factor;
    let first = processes.first();
    let interval = first.and_then(|process| process.interval(1.0 - ALPHA).ok());
    Outcome {
        larger: any(Side::Greater),
        smaller: any(Side::Less),
        missed: interval.is_some_and(|(low, high)| truth < low || truth > high),
        same: first.is_some_and(|process| {
            process
                .p(1.0 / 1.02, Side::Greater)
                .max(process.p(1.02, Side::Less))
                <= ALPHA
        }),
        blocks: done,
        decided: proven.iter().all(|p| *p <= ALPHA),
    }
}

/// Adjusted p-values of "no difference", one for each part.
fn tests(processes: &[RankEProcess]) -> Vec<f64> {
    let p: Vec<f64> = processes
        .iter()
        .map(|process| process.evidence().p)
        .collect();
    holm(&p).unwrap_or_default()
}
