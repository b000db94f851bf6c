//! How often a test is called broken that is flaky, and the other way round, by simulation.
//!
//! `cargo run --release -p perflab-stats --example flaky [TRIALS [SEED]]` prints a table. It ends with code 1 if a promise
//! is broken: of histories that are drawn as the method takes them to be, at most 5 % and 3 standard errors of the
//! verdicts may be false.
#![expect(
    clippy::print_stdout,
    reason = "a table on standard output is what it is for"
)]

use std::process::ExitCode;

use perflab_stats::flaky::{Level, Trials, Verdict, judge};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

const TRIALS: u32 = 2000;
const CONFIDENCE: f64 = 0.95;

/// What a test really does.
#[derive(Clone, Copy)]
enum Truth {
    /// It fails at this rate at all revisions.
    Rate(f64),
    /// It passes, and fails at this rate from a revision on that is drawn.
    Breaks(f64),
    /// It fails, and passes from a revision on that is drawn.
    IsFixed,
    /// As the method takes tests to be.
    Drawn,
}

struct Design {
    revisions: usize,
    runs: u32,
}

/// Counts of one line of the table.
#[derive(Default)]
struct Counts {
    steady: u32,
    broken: u32,
    fixed: u32,
    flaky: u32,
    open: u32,
    /// Verdicts on the last revision that do not hold, and those at any revision before that do not.
    false_now: u32,
    false_ever: u32,
    /// Breaks whose interval does not hold the revision.
    missed: u32,
}

struct Random(ChaCha8Rng);

impl Random {
    fn uniform(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn below(&mut self, end: usize) -> usize {
        (self.uniform() * end as f64) as usize
    }

    /// A rate as the method draws it.
    fn rate(&mut self) -> f64 {
        let class = self.uniform() * 3.0;
        if class < 1.0 {
            0.0
        } else if class < 2.0 {
            1.0
        } else {
            let top = 999_f64.ln();
            (1.0 + (top - 2.0 * top * self.uniform()).exp()).recip()
        }
    }
}

/// The failure rate at each revision.
fn rates(truth: Truth, revisions: usize, random: &mut Random) -> Vec<f64> {
    let change = 1 + random.below(revisions - 1);
    let split = |before: f64, after: f64| {
        let rate = |place| if place < change { before } else { after };
        (0..revisions).map(rate).collect()
    };
    match truth {
        Truth::Rate(rate) => vec![rate; revisions],
        Truth::Breaks(rate) => split(0.0, rate),
        Truth::IsFixed => split(1.0, 0.0),
        Truth::Drawn => {
            let chance = 10_f64.powf(-3.0 + 2.0 * random.uniform());
            let mut rate = random.rate();
            let mut all = vec![rate];
            while all.len() < revisions {
                if random.uniform() < chance {
                    rate = random.rate();
                }
                all.push(rate);
            }
            all
        }
    }
}

/// Whether a verdict holds, and where it gives an interval of revisions, whether that holds the true one.
fn holds(verdict: Verdict, rates: &[f64]) -> (bool, Option<bool>) {
    let last = rates.last().copied().unwrap_or_default();
    let fails = last > 0.5;
    let level = rates.iter().rposition(|rate| (*rate > 0.5) != fails);
    let within = |since: perflab_stats::flaky::Since| {
        level.map(|before| (since.range.0..=since.range.1).contains(&(before + 1)))
    };
    match verdict {
        Verdict::Steady(own) => (level.is_none() && (own == Level::Fails) == fails, None),
        Verdict::Broken(since) => (fails && level.is_some(), within(since)),
        Verdict::Fixed(since) => (!fails && level.is_some(), within(since)),
        Verdict::Flaky(_) => (last > 0.0 && last < 1.0, None),
        Verdict::NotProven => (true, None),
    }
}

fn simulate(truth: Truth, design: &Design, trials: u32, seed: u64) -> Counts {
    let mut random = Random(ChaCha8Rng::seed_from_u64(seed));
    let mut counts = Counts::default();
    for _ in 0..trials {
        let rates = rates(truth, design.revisions, &mut random);
        let mut history = Vec::new();
        let mut was_false = false;
        for (place, rate) in rates.iter().enumerate() {
            let failed = (0..design.runs)
                .filter(|_| random.uniform() < *rate)
                .count() as u32;
            history.push(Trials {
                passed: design.runs - failed,
                failed,
            });
            let verdict =
                judge(&history, CONFIDENCE).map_or(Verdict::NotProven, |found| found.verdict);
            let (is_true, place_is_true) = holds(verdict, &rates[..=place]);
            was_false |= !is_true;
            if place + 1 == rates.len() {
                counts.false_now += u32::from(!is_true);
                counts.missed += u32::from(place_is_true == Some(false));
                match verdict {
                    Verdict::Steady(_) => counts.steady += 1,
                    Verdict::Broken(_) => counts.broken += 1,
                    Verdict::Fixed(_) => counts.fixed += 1,
                    Verdict::Flaky(_) => counts.flaky += 1,
                    Verdict::NotProven => counts.open += 1,
                }
            }
        }
        counts.false_ever += u32::from(was_false);
    }
    counts
}

const TRUTHS: [(&str, Truth); 12] = [
    ("as the method assumes", Truth::Drawn),
    ("passes", Truth::Rate(0.0)),
    ("fails", Truth::Rate(1.0)),
    ("breaks", Truth::Breaks(1.0)),
    ("is fixed", Truth::IsFixed),
    ("fails in 0.2 %", Truth::Rate(0.002)),
    ("fails in 1 %", Truth::Rate(0.01)),
    ("fails in 5 %", Truth::Rate(0.05)),
    ("fails in 20 %", Truth::Rate(0.2)),
    ("fails in 40 %", Truth::Rate(0.4)),
    ("gets to 5 %", Truth::Breaks(0.05)),
    ("gets to 30 %", Truth::Breaks(0.3)),
];

const DESIGNS: [Design; 4] = [
    Design {
        revisions: 10,
        runs: 1,
    },
    Design {
        revisions: 30,
        runs: 1,
    },
    Design {
        revisions: 100,
        runs: 1,
    },
    Design {
        revisions: 30,
        runs: 3,
    },
];

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).map(|word| word.parse::<u32>());
    let (Ok(trials), Ok(seed)) = (
        arguments.next().unwrap_or(Ok(TRIALS)),
        arguments.next().unwrap_or(Ok(1)),
    ) else {
        println!("usage: flaky [TRIALS [SEED]], both whole numbers");
        return ExitCode::from(2);
    };
    let mut kept = true;
    println!(
        "verdicts on the last revision, and false ones there and at any revision, in percent of {trials} histories"
    );
    println!(
        "{:<22} {:>9} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7}",
        "the test",
        "revisions",
        "steady",
        "broken",
        "fixed",
        "flaky",
        "open",
        "false",
        "ever",
        "missed"
    );
    for (name, truth) in TRUTHS {
        for design in &DESIGNS {
            let counts = simulate(truth, design, trials, u64::from(seed));
            let share = |count: u32| 100.0 * f64::from(count) / f64::from(trials);
            println!(
                "{name:<22} {:>9} {:>7.2} {:>7.2} {:>7.2} {:>7.2} {:>7.2} {:>7.2} {:>7.2} {:>7.2}",
                format!("{} x {}", design.revisions, design.runs),
                share(counts.steady),
                share(counts.broken),
                share(counts.fixed),
                share(counts.flaky),
                share(counts.open),
                share(counts.false_now),
                share(counts.false_ever),
                share(counts.missed)
            );
            let decided = trials - counts.open;
            let most = 0.05 * f64::from(decided);
            let bound = most + 3.0 * (0.95 * most).sqrt();
            if matches!(truth, Truth::Drawn) && f64::from(counts.false_now) > bound {
                println!("  more than {bound:.0} of {decided} verdicts are false");
                kept = false;
            }
        }
    }
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
