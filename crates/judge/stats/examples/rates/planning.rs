//! Planning: whether so many runs as planned show the difference as often as promised.

use std::sync::atomic::{AtomicU64, Ordering};

use perflab_stats::Better;
use perflab_stats::Observation;
use perflab_stats::multiplicity::holm_weighted;
use perflab_stats::planning::{Goal, Pilot, mean_runs, typical_runs, typical_runs_in_turns};
use perflab_stats::verdict::{Cache, MEAN_WEIGHT, Sides, TYPICAL_WEIGHT, Terms, compare};

use crate::runs::runs;
use crate::scenario::{Kind, Promise, Scenario};
use crate::simulated::{Design, Machine, Noise, Random, SideOf};
use crate::trials::{ALPHA, rates, three_errors};

/// Power that is planned for, in percent.
const POWER: f64 = 80.0;

/// A line of the table.
#[derive(Clone, Copy)]
struct Line {
    noise: Noise,
    question: Question,
    block: usize,
    /// Runs of a block are executed in turns, and the speed differs by 10 % from block to block.
    in_turns: bool,
    source: Source,
    /// Relative difference that is planned for and there.
    difference: f64,
}

/// Where the deviation is known from.
#[derive(Clone, Copy)]
enum Source {
    Known,
    /// A pilot of so many blocks.
    Pilot(usize),
}

/// Which test is to be proven.
#[derive(Clone, Copy)]
enum Question {
    Typical,
    Mean,
}

/// Prints a line for each design; whether all promises are kept.
pub fn table(trials: u64, seed: u64) -> bool {
    let trials = trials.div_ceil(5);
    println!(
        "differences planned to be proven in {POWER} % of reports on two tests (Holm, 4:1); {trials} trials each\n\
         runs: planned for each side, in the mean over pilots\n"
    );
    println!(
        "{:24} {:>5} {:8} {:8} {:12} {:>8} {:>8}  promise",
        "noise", "show", "question", "blocks", "sd from", "runs", "proven"
    );
    let mut kept = true;
    for line in lines() {
        let planned = AtomicU64::new(0);
        let [proven] = rates(trials, seed, Cache::default, |random, cache| {
            let plan = line.plan(random).unwrap_or(0);
            planned.fetch_add(plan as u64, Ordering::Relaxed);
            [plan > 0 && line.is_proven(plan, random, cache)]
        });
        let Line {
            noise,
            question,
            block,
            in_turns,
            source,
            difference,
        } = line;
        let holds = proven >= POWER - three_errors(POWER, trials);
        kept &= holds;
        println!(
            "{:24} {:>5} {:8} {:8} {:12} {:>8.1} {proven:>8.1}  at least {POWER}: {}",
            name(noise),
            format!("{} %", (100.0 * difference).round()),
            match question {
                Question::Typical => "typical",
                Question::Mean => "mean",
            },
            match block {
                0 => "one".to_owned(),
                _ if in_turns => "in turns".to_owned(),
                _ => format!("{block}+{block}"),
            },
            match source {
                Source::Known => "known".to_owned(),
                Source::Pilot(blocks) => format!("{blocks} blocks"),
            },
            planned.into_inner() as f64 / trials as f64,
            if holds { "kept" } else { "BROKEN" }
        );
    }
    kept
}

fn lines() -> Vec<Line> {
    use Question::{Mean, Typical};
    let slow = Noise::SlowMode {
        cv: 0.01,
        share: 0.1,
    };
    let normal = Noise::Normal(0.01);
    let small = [
        (normal, Typical, 3, Source::Known),
        (normal, Typical, 0, Source::Known),
        (normal, Typical, 1, Source::Known),
        (normal, Typical, 5, Source::Known),
        (Noise::Normal(0.005), Typical, 3, Source::Known),
        (Noise::Normal(0.02), Typical, 3, Source::Known),
        (normal, Typical, 3, Source::Pilot(3)),
        (normal, Typical, 3, Source::Pilot(5)),
        (normal, Typical, 3, Source::Pilot(10)),
        (Noise::HeavyTails(0.01), Typical, 3, Source::Pilot(5)),
        (slow, Typical, 3, Source::Pilot(5)),
        (slow, Typical, 3, Source::Pilot(10)),
        (normal, Mean, 3, Source::Known),
        (normal, Mean, 3, Source::Pilot(5)),
        (normal, Typical, 1, Source::Pilot(10)),
        (normal, Mean, 1, Source::Known),
        (normal, Mean, 1, Source::Pilot(10)),
    ];
    let small = small.map(|(noise, question, block, source)| Line {
        noise,
        question,
        block,
        in_turns: false,
        source,
        difference: 0.01,
    });
    let turns = [Typical, Mean].into_iter().flat_map(|question| {
        let from = move |(noise, source)| Line {
            noise,
            question,
            block: 1,
            in_turns: true,
            source,
            difference: 0.01,
        };
        let pilots = [(normal, Source::Pilot(10)), (normal, Source::Pilot(30))];
        [
            (normal, Source::Known),
            (Noise::Normal(0.005), Source::Known),
        ]
        .into_iter()
        .chain(pilots)
        .map(from)
    });
    let large = [(0.02, 0.05), (0.1, 0.1), (0.2, 0.5), (0.3, 0.5), (0.3, 0.9)];
    let large = large.into_iter().flat_map(|(sd, difference)| {
        let asked = [
            (Typical, 0),
            (Mean, 0),
            (Typical, 3),
            (Mean, 3),
            (Typical, 1),
        ];
        asked.map(|(question, block)| Line {
            noise: Noise::Normal(sd),
            question,
            block,
            in_turns: false,
            source: Source::Known,
            difference,
        })
    });
    small.into_iter().chain(turns).chain(large).collect()
}

fn name(noise: Noise) -> String {
    match noise {
        Noise::Normal(sd) => format!("normal, sd {} %", 100.0 * sd),
        Noise::HeavyTails(_) => "heavy tails (t3)".to_owned(),
        Noise::SlowMode { share, .. } => format!("slow mode, {} % of runs", 100.0 * share),
    }
}

impl Line {
    fn plan(self, random: &mut Random) -> Option<usize> {
        let Self {
            noise,
            question,
            block,
            in_turns,
            source,
            difference,
        } = self;
        let pilot = match (source, noise) {
            (Source::Known, Noise::Normal(sd)) if in_turns => Pilot::known_in_turns(sd).ok()?,
            (Source::Known, Noise::Normal(sd)) => Pilot::known(sd, block).ok()?,
            (Source::Pilot(blocks), _) => {
                let (a, b) = self.measured(block, blocks, 1.0, random);
                Pilot::of(&Sides::of(&a, &b).ok()?, in_turns).ok()?
            }
            _ => return None,
        };
        let goal = |share: f64| Goal {
            difference,
            power: POWER / 100.0,
            confidence: 1.0 - ALPHA * share / (TYPICAL_WEIGHT + MEAN_WEIGHT),
        };
        match question {
            Question::Typical if in_turns => {
                typical_runs_in_turns(pilot.typical.upper, &goal(TYPICAL_WEIGHT)).ok()
            }
            Question::Typical => {
                typical_runs(pilot.typical.upper, &goal(TYPICAL_WEIGHT), block).ok()
            }
            Question::Mean => mean_runs(pilot.mean.upper, &goal(MEAN_WEIGHT), block).ok(),
        }
    }

    fn is_proven(self, runs: usize, random: &mut Random, cache: &mut Cache) -> bool {
        let (each, blocks) = if self.block == 0 {
            (runs, 1)
        } else {
            (self.block, runs / self.block)
        };
        let (a, b) = self.measured(each, blocks, 1.0 + self.difference, random);
        let terms = Terms {
            better: Better::Higher,
            confidence: 1.0 - ALPHA,
            margin: None,
            in_turns: self.in_turns,
        };
        let Ok(found) = Sides::of(&a, &b).and_then(|sides| compare(sides, &terms, cache)) else {
            return false;
        };
        let tests = [
            (found.typical.p, TYPICAL_WEIGHT),
            (found.mean.p, MEAN_WEIGHT),
        ];
        let adjusted = holm_weighted(&tests).unwrap_or_default();
        let (place, difference) = match self.question {
            Question::Typical => (0, found.typical.difference),
            Question::Mean => (1, found.mean.difference),
        };
        difference > 0.0 && adjusted.get(place).is_some_and(|p| *p <= ALPHA)
    }

    fn measured(
        self,
        each: usize,
        blocks: usize,
        factor: f64,
        random: &mut Random,
    ) -> (Vec<Observation>, Vec<Observation>) {
        let noise = self.noise;
        let scenario = Scenario {
            name: "",
            a: SideOf { noise, factor: 1.0 },
            b: SideOf { noise, factor },
            machine: Machine::default(),
            design: Design { each, blocks },
            kind: Kind::Single,
            promise: Promise::Shown,
        };
        let (a, b) = runs(&scenario, random);
        let mut sides = [a.concat(), b.concat()];
        if self.in_turns {
            let speeds: Vec<f64> = (0..blocks).map(|_| (0.1 * random.normal()).exp()).collect();
            for run in sides.iter_mut().flatten() {
                run.value *= speeds.get(run.block as usize).copied().unwrap_or(1.0);
            }
        }
        sides.into()
    }
}
