//! Steady state: which class series of iterations are given, by the noise they have.

use perflab_stats::Better;
use perflab_stats::steady::{Class, Terms, steady};

use crate::simulated::Random;
use crate::trials::{rates, three_errors};

/// Iterations of a process.
const ITERATIONS: usize = 500;

/// Iterations of a warm-up.
const COLD: usize = 30;

/// How iterations scatter about 1.
#[derive(Clone, Copy)]
enum Noise {
    /// Normal, with a standard deviation of 1 %.
    Normal,
    /// Student's t with three degrees of freedom, times 1 %.
    HeavyTails,
    /// Normal, but for this share of iterations that take 30.8 % longer.
    SlowMode(f64),
    /// Normal, correlated with the one before.
    Autocorrelated(f64),
}

/// What the process does.
#[derive(Clone, Copy)]
enum Shape {
    Flat,
    /// The first iterations take so much longer.
    Warmup(f64),
    /// The first iterations take so much less.
    Slowdown(f64),
    /// So many iterations as ever, and so many that take 5 % longer, in turns.
    Cycles(usize),
}

/// Prints a line for each kind of series; whether all promises are kept.
pub fn table(trials: u64, seed: u64) -> bool {
    let trials = trials.div_ceil(10);
    println!(
        "processes of {ITERATIONS} iterations, sd 1 %; margin 1 %; {trials} trials each\n\
         changes: series with any change; start: steady state found within 5 iterations\n"
    );
    println!(
        "{:32} {:22} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8}  promise",
        "series", "noise", "flat", "warmup", "slowdown", "never", "changes", "start"
    );
    let mut kept = true;
    for (shape, noise, promise) in lines() {
        let found = rates(
            trials,
            seed,
            || (),
            |random, ()| classes(shape, noise, random),
        );
        let [flat, warmup, slowdown, never, changes, start] = found;
        let promise = match promise {
            None => "-".to_owned(),
            Some(least) => {
                let holds = start >= least - three_errors(least, trials);
                kept &= holds;
                let word = if holds { "kept" } else { "BROKEN" };
                format!("start right in {least}: {word}")
            }
        };
        println!(
            "{:32} {:22} {flat:>8.1} {warmup:>8.1} {slowdown:>8.1} {never:>8.1} {changes:>8.1} {start:>8.1}  {promise}",
            shape.name(),
            noise.name(),
        );
    }
    kept
}

fn lines() -> Vec<(Shape, Noise, Option<f64>)> {
    use Noise::{Autocorrelated, HeavyTails, Normal, SlowMode};
    use Shape::{Cycles, Flat, Slowdown, Warmup};
    vec![
        (Flat, Normal, Some(99.0)),
        (Flat, HeavyTails, Some(99.0)),
        (Flat, SlowMode(0.02), Some(99.0)),
        (Flat, SlowMode(0.05), Some(99.0)),
        (Flat, SlowMode(0.15), Some(99.0)),
        (Flat, SlowMode(0.3), Some(99.0)),
        (Flat, Autocorrelated(0.3), None),
        (Flat, Autocorrelated(0.6), None),
        (Warmup(0.02), Normal, None),
        (Warmup(0.05), Normal, Some(99.0)),
        (Warmup(0.5), Normal, Some(99.0)),
        (Warmup(0.05), HeavyTails, None),
        (Warmup(0.5), HeavyTails, None),
        (Warmup(0.05), SlowMode(0.05), None),
        (Warmup(0.5), SlowMode(0.05), None),
        (Slowdown(0.05), Normal, Some(99.0)),
        (Cycles(75), Normal, Some(99.0)),
        (Cycles(30), Normal, None),
        (Cycles(75), SlowMode(0.05), None),
    ]
}

/// Flat, warm-up, slowdown, no steady state; any change; the steady state where it is.
fn classes(shape: Shape, noise: Noise, random: &mut Random) -> [bool; 6] {
    let terms = Terms {
        better: Better::Lower,
        margin: 0.01,
    };
    let Ok(found) = steady(&series(shape, noise, random), &terms) else {
        return [false; 6];
    };
    let begins = match shape {
        Shape::Flat => Some(0),
        Shape::Warmup(_) | Shape::Slowdown(_) => Some(COLD),
        Shape::Cycles(_) => None,
    };
    let near = match (found.from, begins) {
        (Some(from), Some(begins)) => from.abs_diff(begins) <= 5,
        (from, begins) => from == begins,
    };
    [
        found.class == Class::Flat,
        found.class == Class::Warmup,
        found.class == Class::Slowdown,
        found.class == Class::NoSteadyState,
        found.segments.len() > 1,
        near,
    ]
}

fn series(shape: Shape, noise: Noise, random: &mut Random) -> Vec<f64> {
    let mut last = random.normal();
    (0..ITERATIONS)
        .map(|iteration| {
            let level = match shape {
                Shape::Warmup(more) if iteration < COLD => 1.0 + more,
                Shape::Slowdown(less) if iteration < COLD => 1.0 - less,
                Shape::Cycles(half) if iteration / half % 2 == 1 => 1.05,
                _ => 1.0,
            };
            let factor = match noise {
                Noise::Normal => 1.0 + 0.01 * random.normal(),
                Noise::HeavyTails => {
                    let squares: f64 = (0..3).map(|_| random.normal().powi(2)).sum();
                    (0.01 * random.normal() / (squares / 3.0).sqrt()).exp()
                }
                Noise::SlowMode(share) => {
                    let slow = if random.uniform() < share { 1.308 } else { 1.0 };
                    slow * (1.0 + 0.01 * random.normal())
                }
                Noise::Autocorrelated(phi) => {
                    last = phi * last + (1.0 - phi * phi).sqrt() * random.normal();
                    1.0 + 0.01 * last
                }
            };
            level * factor
        })
        .collect()
}

impl Shape {
    fn name(self) -> String {
        match self {
            Self::Flat => "flat".to_owned(),
            Self::Warmup(more) => format!("{COLD} iterations {} % slower", 100.0 * more),
            Self::Slowdown(less) => format!("{COLD} iterations {} % faster", 100.0 * less),
            Self::Cycles(half) => format!("{half} of {} 5 % slower, in turns", 2 * half),
        }
    }
}

impl Noise {
    fn name(self) -> String {
        match self {
            Self::Normal => "normal".to_owned(),
            Self::HeavyTails => "heavy tails (t3)".to_owned(),
            Self::SlowMode(share) => format!("{} % are slow", 100.0 * share),
            Self::Autocorrelated(phi) => format!("autocorrelation {phi}"),
        }
    }
}
