//! Many series of one history: does any claim not hold?

use perflab_stats::changes::{Changes, Terms, changes};
use perflab_stats::multiplicity::holm;

use crate::noise::{Noise, whole};
use crate::none::percent;
use crate::simulated::Random;
use crate::{Promise, TERMS};

/// Series of a family.
const SERIES: usize = 20;

const N: usize = 150;

/// Prints how often any of the claims of a family is false; whether as seldom as promised.
pub fn table(trials: u64, seed: u64) -> bool {
    let trials = trials / 2;
    println!(
        "{SERIES} series of {N} values: any false claim; {trials} families\n\
         series: of a change somewhere (Holm); change: of a change ({SERIES} p <= 5 %)\n\
         power: steps of series that were found and claimed within 5 places\n"
    );
    println!(
        "{:22} {:>14} {:>7} {:>7} {:>7}  promise",
        "noise", "steps of 2 in", "series", "change", "power"
    );
    let mut kept = true;
    for noise in [Noise::Normal, Noise::SlowMode, Noise::Autocorrelated(0.3)] {
        for with in [0, 10] {
            let (mut by_series, mut by_change, mut power) = (0, 0, 0);
            for trial in 0..trials {
                let mut random = Random::of(seed, trial);
                let family: Vec<Changes> = (0..SERIES)
                    .filter_map(|index| {
                        let step = [(N / 2, 2.0)];
                        let steps = if index < with { &step[..] } else { &[] };
                        of(&noise.series(N, steps, &mut random))
                    })
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
                "{:22} {with:>14} {:>7.2} {:>7.2} {power:>7.1}  {}, {}",
                noise.name(),
                shares[0],
                shares[1],
                checked[0].0,
                checked[1].0
            );
        }
    }
    kept
}

fn of(values: &[f64]) -> Option<Changes> {
    let terms = Terms {
        level: TERMS.level / SERIES as f64,
        ..TERMS
    };
    changes(&whole(values), &terms).ok()
}
