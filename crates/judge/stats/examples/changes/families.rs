//! Many series of one history: does any claim not hold?

use std::f64::consts::SQRT_2;

use perflab_stats::changes::{Changes, Terms, changes, changes_of_groups};
use perflab_stats::multiplicity::holm;

use crate::campaigns::{Plan, history};
use crate::noise::{Noise, whole};
use crate::none::percent;
use crate::simulated::Random;
use crate::{Promise, TERMS};

/// Series of a family.
const SERIES: usize = 20;

const N: usize = 150;

/// Noise, and how values share that of a control, if they do.
const CASES: [(Noise, Option<Plan>); 8] = [
    (Noise::Normal, None),
    (Noise::SlowMode, None),
    (Noise::Autocorrelated(0.3), None),
    (Noise::Normal, Some(Plan::Spread)),
    (Noise::SlowMode, Some(Plan::Spread)),
    (Noise::HeavyTails, Some(Plan::Neighbours(4))),
    (Noise::SlowMode, Some(Plan::Neighbours(4))),
    (Noise::HeavyTails, Some(Plan::Neighbours(12))),
];

/// Prints how often any of the claims of a family is false; whether as seldom as promised.
pub fn table(trials: u64, seed: u64) -> bool {
    let trials = trials / 2;
    println!(
        "{SERIES} series of {N} values: any false claim; {trials} families\n\
         series: of a change somewhere (Holm); change: of a change ({SERIES} p <= 5 %)\n\
         power: steps of series that were found and claimed within 5 places\n"
    );
    println!(
        "{:22} {:14} {:>14} {:>7} {:>7} {:>7}  promise",
        "noise", "campaigns", "steps of 2 in", "series", "change", "power"
    );
    let mut kept = true;
    for (noise, plan) in CASES {
        for with in [0, 10] {
            let (mut by_series, mut by_change, mut power) = (0, 0, 0);
            for trial in 0..trials {
                let mut random = Random::of(seed, trial);
                let family: Vec<Changes> = (0..SERIES)
                    .filter_map(|index| of(noise, plan, index < with, &mut random))
                    .collect();
                let p_values: Vec<f64> = family.iter().map(|series| series.p).collect();
                let adjusted = holm(&p_values).unwrap_or_default();
                by_series += u64::from(adjusted[with..].iter().any(|p| *p <= TERMS.level));
                let mut is_false = false;
                for (index, series) in family.iter().enumerate() {
                    let found = &series.changes;
                    let true_ones = found
                        .iter()
                        .filter(|change| change.place.abs_diff(N / 2) <= 5);
                    let near = true_ones.count().min(usize::from(index < with));
                    power += near as u64;
                    // In a series with a step, a second change is false, wherever it is.
                    is_false |= found.len() > usize::from(index < with);
                }
                by_change += u64::from(is_false);
            }
            let shares = [by_series, by_change].map(|count| percent(count, trials));
            let checked = shares.map(|share| Promise::AtMost(5.0).check(share, trials));
            kept &= checked.iter().all(|(_, holds)| *holds);
            let power = percent(power, trials * with.max(1) as u64);
            println!(
                "{:22} {:14} {with:>14} {:>7.2} {:>7.2} {power:>7.1}  {}, {}",
                noise.name(),
                plan.map_or_else(|| "-".to_owned(), Plan::name),
                shares[0],
                shares[1],
                checked[0].0,
                checked[1].0
            );
        }
    }
    kept
}

fn of(noise: Noise, plan: Option<Plan>, with_step: bool, random: &mut Random) -> Option<Changes> {
    let terms = Terms {
        level: TERMS.level / SERIES as f64,
        ..TERMS
    };
    let Some(plan) = plan else {
        let step = [(N / 2, 2.0)];
        let steps = if with_step { &step[..] } else { &[] };
        return changes(&whole(&noise.series(N, steps, random)), &terms).ok();
    };
    // Of differences from a control, a step of two standard deviations as well.
    let step = with_step.then_some((N / 2, 2.0 * SQRT_2));
    changes_of_groups(&history((plan, N), noise, step, random), &terms).ok()
}
