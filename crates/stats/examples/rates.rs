//! How often verdicts are false, and how often true differences are found, by simulation.
//!
//! `cargo run --release -p perflab-stats --example rates [TRIALS [SEED]]` prints a table. It ends
//! with code 1 if a promise is broken: more than 5 % + 3 standard errors of false verdicts in any
//! noise model, or too little power where power is promised.
#![expect(
    clippy::print_stdout,
    reason = "a table on standard output is what it is for"
)]

use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};

use perflab_stats::mean::student;
use perflab_stats::multiplicity::holm_weighted;
use perflab_stats::verdict::{Cache, Comparison, MEAN_WEIGHT, TYPICAL_WEIGHT, Terms, compare};
use perflab_stats::{Better, Observation};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// Level of every verdict.
const ALPHA: f64 = 0.05;

/// Trials where none are asked for.
const TRIALS: u64 = 10_000;

/// What a run would have been on a quiet machine.
const BASE: f64 = 46_981.0;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).map(|word| word.parse::<u64>());
    let (Ok(trials), Ok(seed)) = (
        arguments.next().unwrap_or(Ok(TRIALS)),
        arguments.next().unwrap_or(Ok(1)),
    ) else {
        println!("usage: rates [TRIALS [SEED]], both whole numbers");
        return ExitCode::from(2);
    };
    println!(
        "{trials} trials each, seed {seed}; in percent; two variants with 30 runs each\n\
         typical, mean: verdicts of that question alone; report: any verdict of the two (Holm, 4:1);\n\
         faster: reports whose headline is `faster` without more; ministat: Student's t\n"
    );
    println!(
        "{:44} {:8} {:>8} {:>8} {:>8} {:>8} {:>8}  promise",
        "noise", "blocks", "typical", "mean", "report", "faster", "ministat"
    );
    let mut kept = true;
    for scenario in scenarios() {
        let rates = simulate(&scenario, trials, seed);
        let (promise, holds) = scenario.promise.check(&rates, trials);
        kept &= holds;
        println!(
            "{:44} {:8} {:>8.2} {:>8.2} {:>8.2} {:>8.2} {:>8.2}  {promise}",
            scenario.name,
            scenario.design.name(),
            rates.typical,
            rates.mean,
            rates.report,
            rates.faster,
            rates.ministat
        );
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

/// Runs of each side in a block, and blocks.
#[derive(Clone, Copy)]
struct Design {
    each: usize,
    blocks: usize,
}

impl Design {
    fn name(self) -> String {
        format!("{0}+{0}x{1}", self.each, self.blocks)
    }
}

const BLOCKED: Design = Design {
    each: 3,
    blocks: 10,
};
const UNBLOCKED: Design = Design {
    each: 30,
    blocks: 1,
};
const SHORT: Design = Design { each: 3, blocks: 5 };
const PAIRS: Design = Design {
    each: 1,
    blocks: 30,
};

/// How single runs scatter.
#[derive(Clone, Copy)]
enum Noise {
    /// Normal, with this standard deviation relative to the mean.
    Normal(f64),
    /// Exponentials of Student's t with three degrees of freedom, times this.
    HeavyTails(f64),
    /// Normal, but for this share of runs in a mode 30.8 % slower that scatters by 3 %.
    SlowMode { cv: f64, share: f64 },
}

/// What one side is.
#[derive(Clone, Copy)]
struct SideOf {
    noise: Noise,
    /// Factor on the main mode.
    factor: f64,
}

/// What the machine does meanwhile.
#[derive(Clone, Copy, Default)]
struct Machine {
    /// Change from the first run to the last, relative.
    drift: f64,
    /// Correlation of a run's normal noise with that of the run before.
    autocorrelation: f64,
}

/// What is measured in a run.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// One number; verdicts as for one row.
    Single,
    /// So many parts that share noise and slow mode within a run, pooled into one verdict.
    Pooled(usize),
    /// So many parts, each with its own verdicts in one report.
    Family(usize),
}

/// What must hold.
#[derive(Clone, Copy)]
enum Promise {
    /// No question is answered falsely in more than 5 % of trials.
    False,
    /// The typical run is: its verdict is about a location that the sides do not share exactly.
    FalseMean,
    /// The typical run's difference is found at least so often, in percent.
    Power(f64),
    /// The headline is never `faster` without more.
    NeverFaster,
    /// Nothing; for the reader.
    Shown,
}

impl Promise {
    fn check(self, rates: &Rates, trials: u64) -> (String, bool) {
        let limit = 100.0 * (ALPHA + 3.0 * (ALPHA * (1.0 - ALPHA) / trials as f64).sqrt());
        let (text, holds) = match self {
            Self::False => {
                let worst = rates.typical.max(rates.mean).max(rates.report);
                (format!("at most {limit:.2}"), worst <= limit)
            }
            Self::FalseMean => (format!("mean at most {limit:.2}"), rates.mean <= limit),
            Self::Power(least) => (format!("typical at least {least}"), rates.typical >= least),
            Self::NeverFaster => ("faster: never".to_owned(), rates.faster == 0.0),
            Self::Shown => return ("-".to_owned(), true),
        };
        (
            format!("{text}: {}", if holds { "kept" } else { "BROKEN" }),
            holds,
        )
    }
}

struct Scenario {
    name: &'static str,
    a: SideOf,
    b: SideOf,
    machine: Machine,
    design: Design,
    kind: Kind,
    promise: Promise,
}

fn scenarios() -> Vec<Scenario> {
    let side = |noise, factor| SideOf { noise, factor };
    let slow = |cv| Noise::SlowMode { cv, share: 0.15 };
    let quiet = Machine::default();
    let restless = Machine {
        drift: 0.05,
        autocorrelation: 0.8,
    };
    let mut list = Vec::new();
    let mut add = |name, a, b, machine, design, kind, promise| {
        list.push(Scenario {
            name,
            a,
            b,
            machine,
            design,
            kind,
            promise,
        });
    };
    let same = |noise| (side(noise, 1.0), side(noise, 1.0));
    for design in [BLOCKED, UNBLOCKED, SHORT, PAIRS] {
        for (name, noise) in [
            ("equal: normal, sd 2 %", Noise::Normal(0.02)),
            ("equal: slow mode, 15 % of runs", slow(0.005)),
            ("equal: heavy tails (t3)", Noise::HeavyTails(0.02)),
        ] {
            let (a, b) = same(noise);
            add(name, a, b, quiet, design, Kind::Single, Promise::False);
        }
        let (a, b) = (
            side(Noise::Normal(0.005), 1.0),
            side(Noise::Normal(0.03), 1.0),
        );
        add(
            "equal: unequal spread, sd 0.5 v 3 %",
            a,
            b,
            quiet,
            design,
            Kind::Single,
            Promise::False,
        );
    }
    for design in [BLOCKED, UNBLOCKED, SHORT, PAIRS] {
        let (a, b) = same(slow(0.005));
        let drift = Machine {
            drift: 0.03,
            autocorrelation: 0.0,
        };
        add(
            "equal: slow mode, drift 3 %",
            a,
            b,
            drift,
            design,
            Kind::Single,
            Promise::False,
        );
        let (a, b) = same(Noise::Normal(0.01));
        let wave = Machine {
            drift: 0.0,
            autocorrelation: 0.8,
        };
        add(
            "equal: autocorrelation 0.8",
            a,
            b,
            wave,
            design,
            Kind::Single,
            Promise::False,
        );
        add(
            "equal: autocorrelation 0.8, drift 5 %",
            a,
            b,
            restless,
            design,
            Kind::Single,
            Promise::False,
        );
        let (a, b) = (
            side(Noise::Normal(0.005), 1.0),
            side(Noise::Normal(0.03), 1.0),
        );
        add(
            "equal: unequal spread, drift 3 %",
            a,
            b,
            drift,
            design,
            Kind::Single,
            Promise::False,
        );
    }
    for design in [BLOCKED, UNBLOCKED] {
        let (a, b) = same(slow(0.01));
        add(
            "equal: 14 correlated parts, pooled",
            a,
            b,
            quiet,
            design,
            Kind::Pooled(14),
            Promise::False,
        );
        add(
            "equal: the same, restless machine",
            a,
            b,
            restless,
            design,
            Kind::Pooled(14),
            Promise::False,
        );
        add(
            "equal: 20 correlated parts, one report",
            a,
            b,
            quiet,
            design,
            Kind::Family(20),
            Promise::False,
        );
        let (a, b) = same(Noise::Normal(0.02));
        add(
            "equal: 20 parts, normal, one report",
            a,
            b,
            quiet,
            design,
            Kind::Family(20),
            Promise::False,
        );
    }
    let faster = 48_053.0 / BASE;
    for (design, least) in [(BLOCKED, 98.0), (UNBLOCKED, 99.0)] {
        let (a, b) = (side(slow(0.01), 1.0), side(slow(0.01), faster));
        add(
            "+2.28 %: slow mode, main sd 1 %",
            a,
            b,
            quiet,
            design,
            Kind::Single,
            Promise::Power(least),
        );
        let (a, b) = (side(slow(0.005), 1.0), side(slow(0.005), faster));
        add(
            "+2.28 %: slow mode, main sd 0.5 %",
            a,
            b,
            quiet,
            design,
            Kind::Single,
            Promise::Power(99.0),
        );
        let (a, b) = (side(slow(0.02), 1.0), side(slow(0.02), faster));
        add(
            "+2.28 %: slow mode, main sd 2 %",
            a,
            b,
            quiet,
            design,
            Kind::Single,
            Promise::Shown,
        );
        let (a, b) = (
            side(Noise::Normal(0.02), 1.0),
            side(Noise::Normal(0.02), 1.02),
        );
        add(
            "+2 %: normal, sd 2 %",
            a,
            b,
            quiet,
            design,
            Kind::Single,
            Promise::Shown,
        );
        let (a, b) = (side(slow(0.01), 1.0), side(slow(0.01), faster));
        let drift = Machine {
            drift: 0.05,
            autocorrelation: 0.0,
        };
        add(
            "+2.28 %: slow mode, sd 1 %, drift 5 %",
            a,
            b,
            drift,
            design,
            Kind::Single,
            Promise::Shown,
        );
        add(
            "+2.28 %: 14 correlated parts, pooled",
            a,
            b,
            quiet,
            design,
            Kind::Pooled(14),
            Promise::Shown,
        );
    }
    for design in [BLOCKED, UNBLOCKED] {
        let a = side(slow(0.005), 1.0);
        let b = side(
            Noise::SlowMode {
                cv: 0.005,
                share: 0.30,
            },
            faster,
        );
        add(
            "d2: main +2.28 %, slow runs 15 -> 30 %",
            a,
            b,
            quiet,
            design,
            Kind::Single,
            Promise::NeverFaster,
        );
    }
    let a = side(slow(0.005), 1.0);
    let b = side(
        Noise::SlowMode {
            cv: 0.005,
            share: 0.40,
        },
        1.0,
    );
    add(
        "d: slow runs 15 -> 40 %, same main mode",
        a,
        b,
        quiet,
        BLOCKED,
        Kind::Single,
        Promise::NeverFaster,
    );
    // The means are equal and the centres of the typical run are not: only the mean can be false.
    let lognormal = Noise::HeavyTails(0.02);
    let (a, b) = (side(lognormal, 1.0), side(lognormal, 1.0));
    add(
        "equal: heavy tails, restless machine",
        a,
        b,
        restless,
        BLOCKED,
        Kind::Single,
        Promise::FalseMean,
    );
    list
}

/// Shares of trials, in percent.
#[derive(Default)]
struct Rates {
    typical: f64,
    mean: f64,
    report: f64,
    faster: f64,
    ministat: f64,
}

fn simulate(scenario: &Scenario, trials: u64, seed: u64) -> Rates {
    let counts: [AtomicU64; 5] = Default::default();
    let next = AtomicU64::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut cache = Cache::default();
                loop {
                    let trial = next.fetch_add(1, Ordering::Relaxed);
                    if trial >= trials {
                        break;
                    }
                    let mut random = Random(ChaCha8Rng::seed_from_u64(seed << 32 | trial));
                    let hits = one_trial(scenario, &mut random, &mut cache);
                    for (count, hit) in counts.iter().zip(hits) {
                        count.fetch_add(u64::from(hit), Ordering::Relaxed);
                    }
                }
            });
        }
    });
    let [typical, mean, report, faster, ministat] =
        counts.map(|count| 100.0 * count.into_inner() as f64 / trials as f64);
    Rates {
        typical,
        mean,
        report,
        faster,
        ministat,
    }
}

/// Whether the typical run, the mean, the report and ministat call a difference, and whether the
/// headline is `faster`.
fn one_trial(scenario: &Scenario, random: &mut Random, cache: &mut Cache) -> [bool; 5] {
    let (base, candidate) = runs(scenario, random);
    let parts: Vec<(Vec<Observation>, Vec<Observation>)> = match scenario.kind {
        Kind::Single | Kind::Family(_) => base.into_iter().zip(candidate).collect(),
        Kind::Pooled(_) => vec![(pooled(&base), pooled(&candidate))],
    };
    let comparisons: Vec<Comparison> = parts
        .iter()
        .filter_map(|(a, b)| compared(a, b, cache))
        .collect();
    let claims: Vec<(f64, f64)> = comparisons
        .iter()
        .flat_map(|c| [(c.typical.p, TYPICAL_WEIGHT), (c.mean.p, MEAN_WEIGHT)])
        .collect();
    let adjusted = holm_weighted(&claims).unwrap_or_default();
    let one = comparisons.len() == 1;
    let first = comparisons.first();
    let faster = |p: f64, difference: f64| p <= ALPHA && difference > 0.0;
    [
        one && first.is_some_and(|c| c.typical.p <= ALPHA),
        one && first.is_some_and(|c| c.mean.p <= ALPHA),
        adjusted.iter().any(|p| *p <= ALPHA),
        match (first, adjusted.as_slice()) {
            (Some(c), [typical, mean]) => {
                c.slow.is_none()
                    && faster(*typical, c.typical.difference)
                    && faster(*mean, c.mean.difference)
            }
            _ => false,
        },
        parts.first().is_some_and(|(a, b)| {
            let values = |side: &[Observation]| side.iter().map(|o| o.value).collect::<Vec<_>>();
            one && student(&values(a), &values(b), 1.0 - ALPHA).is_ok_and(|t| t.p < ALPHA)
        }),
    ]
}

fn compared(a: &[Observation], b: &[Observation], cache: &mut Cache) -> Option<Comparison> {
    let terms = Terms {
        better: Better::Higher,
        confidence: 1.0 - ALPHA,
        margin: None,
    };
    compare(a, b, &terms, cache).ok()
}

/// All runs of both sides, for each part, in random order within blocks.
fn runs(
    scenario: &Scenario,
    random: &mut Random,
) -> (Vec<Vec<Observation>>, Vec<Vec<Observation>>) {
    let parts = match scenario.kind {
        Kind::Single => 1,
        Kind::Pooled(parts) | Kind::Family(parts) => parts,
    };
    let Design { each, blocks } = scenario.design;
    let total = (2 * each * blocks) as f64;
    let mut sides = [vec![Vec::new(); parts], vec![Vec::new(); parts]];
    let mut last = random.normal();
    let mut slot = 0.0;
    for block in 0..blocks {
        let mut order: Vec<usize> = (0..2 * each).map(|run| run % 2).collect();
        for end in (1..order.len()).rev() {
            order.swap(end, random.below(end + 1));
        }
        for side in order {
            let phi = scenario.machine.autocorrelation;
            last = phi * last + (1.0 - phi * phi).sqrt() * random.normal();
            let moved = 1.0 + scenario.machine.drift * slot / total;
            slot += 1.0;
            let of = if side == 0 { scenario.a } else { scenario.b };
            let common = of.noise.draw(last, random);
            for (part, values) in sides[side].iter_mut().enumerate() {
                // Parts of a run share most of their noise, and add a little of their own.
                let own = if parts == 1 {
                    1.0
                } else {
                    1.0 + 0.005 * random.normal()
                };
                let level = BASE / (1.0 + part as f64);
                values.push(Observation {
                    block: block as u32,
                    unit: slot as u32,
                    value: level * of.factor * moved * common * own,
                });
            }
        }
    }
    let [a, b] = sides;
    (a, b)
}

/// The geometric mean over parts of each run, which is what a pooled verdict is about.
fn pooled(parts: &[Vec<Observation>]) -> Vec<Observation> {
    let Some(first) = parts.first() else {
        return Vec::new();
    };
    (0..first.len())
        .map(|run| {
            let logs: f64 = parts.iter().map(|part| part[run].value.ln()).sum();
            Observation {
                value: (logs / parts.len() as f64).exp(),
                ..first[run]
            }
        })
        .collect()
}

impl Noise {
    /// A factor around 1, from a standard normal number and more chance.
    fn draw(self, normal: f64, random: &mut Random) -> f64 {
        match self {
            Self::Normal(sd) => 1.0 + sd * normal,
            Self::HeavyTails(scale) => {
                let squares: f64 = (0..3).map(|_| random.normal().powi(2)).sum();
                (scale * normal / (squares / 3.0).sqrt()).exp()
            }
            Self::SlowMode { cv, share } => {
                if random.uniform() < share {
                    0.692 * (1.0 + 0.03 * random.normal())
                } else {
                    1.0 + cv * normal
                }
            }
        }
    }
}

struct Random(ChaCha8Rng);

impl Random {
    /// Uniform in (0, 1).
    fn uniform(&mut self) -> f64 {
        ((self.0.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    /// Standard normal, by Box and Muller.
    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.uniform().ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// Uniform in 0..n; the bias of the product is below 2^-50.
    fn below(&mut self, n: usize) -> usize {
        ((self.uniform() * n as f64) as usize).min(n - 1)
    }
}
