//! Where in the distribution do two variants differ: all runs alike, the fast ones, the slow ones?
//!
//! The difference at each decile, `b` less `a`, of Harrell and Davis' estimates, or their ratio less one. Interval and
//! p-value by the percentile bootstrap: both samples are drawn again from themselves, each on its own;
//! `p = 2 min(c, 1 - c)` with `c` the share of draws below no difference (equal ones count half,
//! and one draw more than there are, on either side). Holm's adjustment over the nine deciles holds
//! the chance of any false verdict among them.
//!
//! Blocks do not count here: what drifts from block to block makes the intervals wider, not false,
//! as long as the order within blocks is random.
//!
//! Of values in steps, equal ones are spread evenly over their step, as in quantiles of grouped data, and the interval is
//! moved outwards by how far these may be off ([`crate::steps`]).
//!
//! Sources: Doksum, *Annals of Statistics* 2 (1974); Wilcox, *Biometrics* 51 (1995); Wilcox,
//! Erceg-Hurn, Clark and Carlson, *Journal of Statistical Computation and Simulation* 84 (2014).

use crate::check;
use crate::error::Error;
use crate::harrell_davis::{estimate, weights};
use crate::location::Scale;
use crate::multiplicity::holm;
use crate::quantile::quantile_of_sorted;
use crate::resampling::Random;
use crate::resampling::Resampling;
use crate::steps::{Grid, Grids, bias_of_both};
use crate::summary::sorted;

/// Fewest values of a side: with fewer, the outer deciles are false too often.
const FEWEST: usize = 20;

/// The deciles.
const DECILES: [f64; 9] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

/// The difference at one decile.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Decile {
    /// Which, from 0.1 to 0.9.
    pub quantile: f64,
    /// The baseline's, in the unit of the values.
    pub a: f64,
    /// The candidate's.
    pub b: f64,
    /// Their difference; for ratios, the ratio less one.
    pub difference: f64,
    /// Lower end of its interval, for this decile alone.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Two-sided p-value of "no difference", for this decile alone.
    pub p: f64,
    /// The same, adjusted for all nine (Holm).
    pub p_adjusted: f64,
}

/// Compares two samples decile by decile. The grids are those of the values, where they lie in steps.
///
/// # Errors
/// Fewer than 20 values, an unusable one (for ratios also one that is not positive), a
/// confidence outside (0, 1) or no draws.
pub fn shift_function(
    a: &[f64],
    b: &[f64],
    scale: Scale,
    grids: Grids,
    confidence: f64,
    resampling: Resampling,
) -> Result<Vec<Decile>, Error> {
    for (side, values) in [("baseline", a), ("candidate", b)] {
        match scale {
            Scale::Ratio => check::positive(side, values, FEWEST)?,
            Scale::Shift => check::sample(side, values, FEWEST)?,
        }
    }
    check::probability("confidence", confidence)?;
    // What a decile of equal values is, lies anywhere within their step; further off is none.
    let off = bias_of_both(grids, scale, [a, b]);
    let spread = |grid: Option<Grid>, values: &[f64]| {
        grid.map_or_else(|| values.to_vec(), |grid| grid.spread(values))
    };
    let [a, b] = [spread(grids[0], a), spread(grids[1], b)];
    let sides = [Side::of(&a), Side::of(&b)];
    let none = scale.none();
    let moved = |difference: f64, by: f64| scale.moved(difference + none, by) - none;
    let difference = |a: f64, b: f64| match scale {
        Scale::Ratio => b / a - 1.0,
        Scale::Shift => b - a,
    };
    let mut random = resampling.random()?;
    let mut draws: Vec<Vec<f64>> = vec![Vec::with_capacity(resampling.draws); DECILES.len()];
    for _ in 0..resampling.draws {
        let drawn = sides.each_ref().map(|side| side.drawn(&mut random));
        for (decile, differences) in draws.iter_mut().enumerate() {
            let [a, b] = [0, 1].map(|side| sides[side].decile(&drawn[side], decile));
            differences.push(difference(a, b));
        }
    }
    let level = 0.5 * (1.0 - confidence);
    let mut deciles: Vec<Decile> = DECILES
        .iter()
        .zip(&mut draws)
        .enumerate()
        .map(|(decile, (&quantile, differences))| {
            differences.sort_unstable_by(f64::total_cmp);
            let [a, b] = [0, 1].map(|side| sides[side].decile(&sides[side].sorted, decile));
            let ends = [level, 1.0 - level].map(|level| quantile_of_sorted(differences, level));
            let [low, high] = match off > 0.0 {
                true => [moved(ends[0], -off), moved(ends[1], off)],
                false => ends,
            };
            Decile {
                quantile,
                a,
                b,
                difference: difference(a, b),
                low,
                high,
                p: two_sided(differences, moved(0.0, off)),
                p_adjusted: 1.0,
            }
        })
        .collect();
    let p_values: Vec<f64> = deciles.iter().map(|decile| decile.p).collect();
    for (decile, adjusted) in deciles.iter_mut().zip(holm(&p_values)?) {
        decile.p_adjusted = adjusted;
    }
    Ok(deciles)
}

/// One more draw than there are stands on the side of no difference, so that no p-value is zero. Differences that steps
/// may make of none are on either side.
fn two_sided(differences: &[f64], hidden: f64) -> f64 {
    let not_beyond = |border: f64, direction: f64| {
        let beyond = |d: &&f64| direction * **d < direction * border;
        let below = differences.iter().filter(beyond).count() as f64;
        let equal = differences.iter().filter(|d| **d == border).count() as f64;
        below + 0.5 * equal
    };
    let least = not_beyond(hidden, 1.0).min(not_beyond(-hidden, -1.0));
    let n = differences.len() as f64;
    (2.0 * (least + 1.0) / (n + 1.0)).min(1.0)
}

/// A sample, and the weights of its values at each decile.
struct Side {
    sorted: Vec<f64>,
    weights: [Vec<f64>; 9],
}

impl Side {
    fn of(values: &[f64]) -> Self {
        Self {
            sorted: sorted(values),
            weights: DECILES.map(|p| weights(values.len(), p)),
        }
    }

    /// As many values again, drawn with replacement, in ascending order.
    fn drawn(&self, random: &mut Random) -> Vec<f64> {
        let n = self.sorted.len();
        let mut places: Vec<usize> = (0..n).map(|_| random.below(n)).collect();
        places.sort_unstable();
        places.iter().map(|place| self.sorted[*place]).collect()
    }

    fn decile(&self, sorted: &[f64], decile: usize) -> f64 {
        estimate(sorted, &self.weights[decile])
    }
}
