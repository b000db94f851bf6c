//! How often claims are false that are looked for after every block, how often the interval misses,
//! and how many runs are saved, by simulation.
//!
//! `cargo run --release -p perflab-stats --example stopping [TRIALS [SEED]]` prints two tables. It
//! ends with code 1 if a promise is broken: more than 5 % + 3 standard errors of false claims or
//! missed effects at any time in any noise model, or more than 60 % of the runs of the fixed design
//! where a saving is promised.
#![expect(
    clippy::print_stdout,
    reason = "a table on standard output is what it is for"
)]

mod simulated;

use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use perflab_stats::Stratum;
use perflab_stats::location::{Scale, Side};
use perflab_stats::multiplicity::holm;
use perflab_stats::sequential::RankEProcess;
use simulated::{Design, Machine, Noise, Random, SideOf, runs};

/// Level of every claim.
const ALPHA: f64 = 0.05;

/// Trials where none are asked for.
const TRIALS: u64 = 10_000;

/// Largest share of the fixed design's runs that may be used where a saving is promised.
const SAVING: f64 = 0.6;

/// Fewest blocks before a stop, as in the laboratory.
const LEAST_BLOCKS: usize = 2;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).map(|word| word.parse::<u64>());
    let (Ok(trials), Ok(seed)) = (
        arguments.next().unwrap_or(Ok(TRIALS)),
        arguments.next().unwrap_or(Ok(1)),
    ) else {
        println!("usage: stopping [TRIALS [SEED]], both whole numbers");
        return ExitCode::from(2);
    };
    let kept = [errors(trials, seed), savings(trials, seed)];
    let kept = kept.iter().all(|kept| *kept);
    println!(
        "\n{}",
        if kept {
            "every promise is kept"
        } else {
            "A PROMISE IS BROKEN"
        }
    );
    if kept {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

#[derive(Clone, Copy)]
struct Scenario {
    name: &'static str,
    sides: [SideOf; 2],
    machine: Machine,
    design: Design,
    /// Parts of a run, each with its own claim.
    parts: usize,
}

/// What became of one trial.
struct Outcome {
    /// Some part is claimed to be larger, or smaller, at some time, among all claims.
    larger: bool,
    smaller: bool,
    /// The interval of the first part leaves out the true ratio at some time.
    missed: bool,
    /// The first part is claimed to be the same within 2 % at some time.
    same: bool,
    /// Blocks until all parts are decided, or all there are.
    blocks: usize,
    decided: bool,
}

const QUIET: Machine = Machine {
    drift: 0.0,
    autocorrelation: 0.0,
};
const DRIFT: Machine = Machine {
    drift: 0.05,
    autocorrelation: 0.0,
};
const WAVES: Machine = Machine {
    drift: 0.0,
    autocorrelation: 0.8,
};
const RESTLESS: Machine = Machine {
    drift: 0.05,
    autocorrelation: 0.8,
};

const FIXED: Design = Design {
    each: 3,
    blocks: 10,
};
const LONG: Design = Design {
    each: 3,
    blocks: 100,
};
const PAIRS: Design = Design {
    each: 1,
    blocks: 30,
};
const WIDE: Design = Design { each: 5, blocks: 6 };

fn slow(cv: f64) -> Noise {
    Noise::SlowMode { cv, share: 0.15 }
}

fn with(noise: Noise, factor: f64) -> [SideOf; 2] {
    [SideOf { noise, factor: 1.0 }, SideOf { noise, factor }]
}

/// Prints how often claims are false; whether that is as promised.
fn errors(trials: u64, seed: u64) -> bool {
    println!(
        "{trials} trials each, seed {seed}; looked at after every block; in percent\n\
         false: any claim of a difference; missed: the 95 % interval leaves out the true ratio at \
         some time\n"
    );
    println!(
        "{:46} {:8} {:>7} {:>7}  promise",
        "noise", "blocks", "false", "missed"
    );
    let unequal = [0.005, 0.03].map(|sd| SideOf {
        noise: Noise::Normal(sd),
        factor: 1.0,
    });
    let normal = Noise::Normal(0.02);
    let mut list: Vec<(&str, [SideOf; 2], Machine, usize)> = vec![
        ("equal: normal, sd 2 %", with(normal, 1.0), QUIET, 1),
        (
            "equal: slow mode, 15 % of runs",
            with(slow(0.005), 1.0),
            QUIET,
            1,
        ),
        (
            "equal: heavy tails (t3)",
            with(Noise::HeavyTails(0.02), 1.0),
            QUIET,
            1,
        ),
        (
            "equal: slow mode, drift 5 %",
            with(slow(0.005), 1.0),
            DRIFT,
            1,
        ),
        (
            "equal: autocorrelation 0.8",
            with(Noise::Normal(0.01), 1.0),
            WAVES,
            1,
        ),
        ("equal: both", with(Noise::Normal(0.01), 1.0), RESTLESS, 1),
        ("equal: unequal spread, sd 0.5 v 3 %", unequal, QUIET, 1),
        ("equal: unequal spread, drift 5 %", unequal, DRIFT, 1),
        (
            "equal: 20 correlated parts, slow mode",
            with(slow(0.01), 1.0),
            QUIET,
            20,
        ),
        (
            "equal: 20 correlated parts, restless",
            with(slow(0.01), 1.0),
            RESTLESS,
            20,
        ),
    ];
    let differing = [
        (
            "+2 %: slow mode, main sd 1 %",
            with(slow(0.01), 1.02),
            QUIET,
            1,
        ),
        (
            "+2 %: normal, sd 2 %, restless",
            with(normal, 1.02),
            RESTLESS,
            1,
        ),
        (
            "-10 %: heavy tails",
            with(Noise::HeavyTails(0.02), 0.9),
            QUIET,
            1,
        ),
    ];
    list.extend(differing);
    let limit = 100.0 * (ALPHA + 3.0 * (ALPHA * (1.0 - ALPHA) / trials as f64).sqrt());
    let mut kept = true;
    for design in [FIXED, LONG, PAIRS, WIDE] {
        for &(name, sides, machine, parts) in &list {
            if parts > 1 && design.blocks > 10 {
                continue;
            }
            let scenario = Scenario {
                name,
                sides,
                machine,
                design,
                parts,
            };
            let outcomes = simulate(&scenario, trials, seed, false);
            let truth = sides[1].factor;
            let share = |is: fn(&Outcome) -> bool| rate(&outcomes, is);
            let wrong = if truth > 1.0 {
                share(|o| o.smaller)
            } else if truth < 1.0 {
                share(|o| o.larger)
            } else {
                share(|o| o.larger || o.smaller)
            };
            let missed = share(|o| o.missed);
            let holds = wrong.max(missed) <= limit;
            kept &= holds;
            println!(
                "{:46} {:8} {wrong:>7.2} {missed:>7.2}  at most {limit:.2}: {}",
                scenario.name,
                design.name(),
                if holds { "kept" } else { "BROKEN" }
            );
        }
    }
    // A ratio just outside the margin, to either side, called the same.
    for (name, factor) in [
        ("called same: +2 %, margin 2 %", 1.02),
        ("called same: -2 %, margin 2 %", 1.0 / 1.02),
    ] {
        let scenario = Scenario {
            name,
            sides: with(Noise::Normal(0.01), factor),
            machine: QUIET,
            design: LONG,
            parts: 1,
        };
        let same = rate(&simulate(&scenario, trials, seed, false), |o| o.same);
        let holds = same <= limit;
        kept &= holds;
        println!(
            "{name:46} {:8} {same:>7.2} {:>7}  at most {limit:.2}: {}",
            LONG.name(),
            "-",
            if holds { "kept" } else { "BROKEN" }
        );
    }
    kept
}

/// Prints how many runs are used; whether the promised share is saved.
fn savings(trials: u64, seed: u64) -> bool {
    println!(
        "\ndecided: within the blocks of the fixed design, in percent; runs: of each side until then, \
         at most 30;\nused: the mean, in percent of the fixed design's 30\n"
    );
    println!(
        "{:46} {:8} {:>8} {:>6} {:>7} {:>7} {:>6}  promise",
        "difference", "blocks", "decided", "wrong", "median", "mean", "used"
    );
    let list = [
        (
            "+2 %: normal, sd 1 %",
            with(Noise::Normal(0.01), 1.02),
            true,
        ),
        (
            "+2 %: slow mode, main sd 0.5 %",
            with(slow(0.005), 1.02),
            true,
        ),
        ("+2 %: slow mode, main sd 1 %", with(slow(0.01), 1.02), true),
        (
            "+2 %: slow mode, main sd 1 %, reversed",
            with(slow(0.01), 1.0 / 1.02),
            false,
        ),
        (
            "+2 %: heavy tails (t3), scale 1 %",
            with(Noise::HeavyTails(0.01), 1.02),
            false,
        ),
        (
            "+2 %: normal, sd 2 %",
            with(Noise::Normal(0.02), 1.02),
            false,
        ),
        (
            "+2 %: slow mode, main sd 2 %",
            with(slow(0.02), 1.02),
            false,
        ),
        (
            "+5 %: normal, sd 1 %",
            with(Noise::Normal(0.01), 1.05),
            false,
        ),
        (
            "+1 %: normal, sd 1 %",
            with(Noise::Normal(0.01), 1.01),
            false,
        ),
        (
            "none: normal, sd 1 %",
            with(Noise::Normal(0.01), 1.0),
            false,
        ),
    ];
    let mut kept = true;
    for design in [FIXED, PAIRS, WIDE] {
        for (name, sides, promised) in list {
            let scenario = Scenario {
                name,
                sides,
                machine: QUIET,
                design,
                parts: 1,
            };
            let outcomes = simulate(&scenario, trials, seed, true);
            let mut used: Vec<usize> = outcomes.iter().map(|o| o.blocks * design.each).collect();
            used.sort_unstable();
            let mean = used.iter().sum::<usize>() as f64 / used.len() as f64;
            let share = mean / (design.each * design.blocks) as f64;
            let wrong = if sides[1].factor > 1.0 {
                rate(&outcomes, |o| o.smaller)
            } else {
                rate(&outcomes, |o| o.larger)
            };
            // Promised for the default design.
            let promised = promised && design.blocks == FIXED.blocks;
            let holds = !promised || share <= SAVING;
            kept &= holds;
            let promise = match (promised, holds) {
                (false, _) => "-".to_owned(),
                (true, true) => "at most 60: kept".to_owned(),
                (true, false) => "at most 60: BROKEN".to_owned(),
            };
            println!(
                "{name:46} {:8} {:>8.1} {wrong:>6.2} {:>7} {mean:>7.1} {:>6.1}  {promise}",
                design.name(),
                rate(&outcomes, |o| o.decided),
                used[used.len() / 2],
                100.0 * share,
            );
        }
    }
    kept
}

fn rate(outcomes: &[Outcome], is: fn(&Outcome) -> bool) -> f64 {
    100.0 * outcomes.iter().filter(|outcome| is(outcome)).count() as f64 / outcomes.len() as f64
}

fn simulate(scenario: &Scenario, trials: u64, seed: u64, stop: bool) -> Vec<Outcome> {
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
        decided = stop && done >= LEAST_BLOCKS && claims(&processes).iter().all(|p| *p <= ALPHA);
    }
    let proven = claims(&processes);
    let larger = |(process, p): (&RankEProcess, &f64), side| {
        *p <= ALPHA && process.p(1.0, side) <= ALPHA / 2.0
    };
    let any = |side| {
        processes
            .iter()
            .zip(&proven)
            .any(|claim| larger(claim, side))
    };
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
fn claims(processes: &[RankEProcess]) -> Vec<f64> {
    let p: Vec<f64> = processes
        .iter()
        .map(|process| process.evidence().p)
        .collect();
    holm(&p).unwrap_or_default()
}
