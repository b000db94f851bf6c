//! Series with one step that is far larger than the noise, nearer to one end: is its place exact?

use perflab_stats::changes::{changes, changes_of_groups};

use crate::campaigns::{Plan, history};
use crate::noise::{Noise, whole};
use crate::none::percent;
use crate::simulated::Random;
use crate::{Promise, TERMS};

/// Number of values, and the first one behind the step.
const PLACES: [(usize, usize); 4] = [(40, 8), (48, 14), (150, 30), (150, 143)];

/// Sizes of the step.
const SIZES: [f64; 2] = [50.0, 300.0];

const NOISES: [Noise; 3] = [Noise::Normal, Noise::HeavyTails, Noise::SlowMode];

/// How values share the noise of a control, if they do.
const PLANS: [Option<Plan>; 2] = [None, Some(Plan::Spread)];

/// Prints how often the place is exact and the interval holds it; whether as often as promised.
pub fn table(trials: u64, seed: u64) -> bool {
    println!(
        "one step of 50 and 300 standard deviations, where one change was found: its place is the true one, and the\n\
         95 % interval holds it; a slow value, 30 above the others, in front of a step of 50 is nearer to those behind it\n"
    );
    println!(
        "{:22} {:14} {:>6} {:>5} {:>5} {:>7} {:>7} {:>7} {:>8} {:>8}  promise",
        "noise", "campaigns", "values", "at", "step", "found", "exact", "holds", "median", "90 %"
    );
    let mut kept = true;
    for noise in NOISES {
        for plan in PLANS {
            for (n, at) in PLACES {
                for size in SIZES {
                    kept &= line(noise, plan, (n, at), size, (trials, seed));
                }
            }
        }
    }
    kept
}

fn line(
    noise: Noise,
    plan: Option<Plan>,
    (n, at): (usize, usize),
    size: f64,
    (trials, seed): (u64, u64),
) -> bool {
    let mut widths = Vec::new();
    let (mut exact, mut holding) = (0, 0);
    for trial in 0..trials {
        let mut random = Random::of(seed, trial);
        let step = (at, size);
        let found = match plan {
            Some(plan) => {
                changes_of_groups(&history((plan, n), noise, Some(step), &mut random), &TERMS)
            }
            None => changes(&whole(&noise.series(n, &[step], &mut random)), &TERMS),
        };
        let found = found.map_or(Vec::new(), |found| found.changes);
        if let [change] = found.as_slice() {
            widths.push(change.high - change.low + 1);
            exact += u64::from(change.place == at);
            holding += u64::from(change.low <= at && at <= change.high);
        }
    }
    widths.sort_unstable();
    let single = widths.len() as u64;
    let width = |share: f64| widths.get((widths.len() as f64 * share) as usize);
    let shares = [exact, holding].map(|count| percent(count, single));
    // A slow value in front of a step that is less than twice as high is nearer to the values behind it.
    let is_clear = !matches!(noise, Noise::SlowMode) || size > 100.0;
    let exactly = if is_clear {
        Promise::AtLeast(95.0)
    } else {
        Promise::None
    };
    let checked = [
        exactly.check(shares[0], single),
        Promise::AtLeast(95.0).check(shares[1], single),
    ];
    println!(
        "{:22} {:14} {n:>6} {at:>5} {size:>5} {:>7.1} {:>7.1} {:>7.1} {:>8} {:>8}  {}, {}",
        noise.name(),
        plan.map_or_else(|| "-".to_owned(), Plan::name),
        percent(single, trials),
        shares[0],
        shares[1],
        width(0.5).copied().unwrap_or_default(),
        width(0.9).copied().unwrap_or_default(),
        checked[0].0,
        checked[1].0
    );
    checked.iter().all(|(_, holds)| *holds)
}
