//! Values within runs within builds: how much each level varies, and how often to repeat it.
//!
//! Levels are counted from below: iterations are level 1, runs level 2, builds level 3, up to the
//! highest level n. Level i is repeated r_i times within each unit of the level above, the same
//! number everywhere. `S_i^2` is the variance of the means of level i about the mean of their unit,
//! averaged over the units; it contains what remains of the levels below. The part that is level
//! i's own is `T_i^2 = S_i^2 - S_(i-1)^2 / r_(i-1)`, with `T_1^2 = S_1^2`.
//!
//! Only units of the highest level are independent. Pooling the values as if they were runs makes
//! 27 % false differences of 10 runs with 3 values each, and 88 % of 3 runs with 100.
//!
//! Source: Kalibera and Jones, *Rigorous Benchmarking in Reasonable Time*, ISMM 2013.

use crate::check;
use crate::distribution::f_quantile;
use crate::error::Error;
use crate::summary::{raw_mean, raw_variance};

/// One level of repetition.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Level {
    /// Repetitions within a unit of the level above, `r_i`.
    pub repetitions: usize,
    /// Variance of the means at this level, `S_i^2`, in the square of the values' unit.
    pub variance: f64,
    /// The level's own part of it, `T_i^2`. Unbiased, so it can come out below zero where the
    /// level adds little; it then counts as zero.
    pub own_variance: f64,
}

/// The analysis of nested values.
#[derive(Debug, Clone, PartialEq)]
pub struct Nested {
    /// Mean of all values.
    pub mean: f64,
    /// The levels, the highest first.
    pub levels: Vec<Level>,
}

/// Analyses values that are given unit by unit: the repetitions of the lowest level stand next to
/// each other.
///
/// `repetitions` are those of the levels, the highest first, each at least two: `[5, 4]` for 5
/// runs of 4 values each. Iterations should be past warm-up and free of memory of each other, see
/// [`crate::dependence`].
///
/// ```
/// use perflab_stats::nested::nested;
///
/// let runs = [10.1, 10.3, 10.2, 11.0, 11.2, 11.1, 10.6, 10.5, 10.4];
/// let found = nested(&runs, &[3, 3])?;
/// // The values of a run are alike: three of them say little more than one.
/// assert!(found.intraclass_correlation()? > 0.9 && found.design_effect()? > 2.8);
/// # Ok::<(), perflab_stats::Error>(())
/// ```
///
/// # Errors
/// No level, a level of fewer than two repetitions, a number of values that is not their product,
/// or an unusable value.
pub fn nested(values: &[f64], repetitions: &[usize]) -> Result<Nested, Error> {
    check_shape(values, repetitions)?;
    let mut levels = Vec::with_capacity(repetitions.len());
    let mut means = values.to_vec();
    let mut from_below = 0.0;
    for &r in repetitions.iter().rev() {
        let units = means.chunks_exact(r);
        let variance = raw_mean(&units.clone().map(raw_variance).collect::<Vec<_>>());
        levels.push(Level {
            repetitions: r,
            variance,
            own_variance: variance - from_below,
        });
        from_below = variance / r as f64;
        means = units.map(raw_mean).collect();
    }
    levels.reverse();
    Ok(Nested {
        mean: means[0],
        levels,
    })
}

/// A share of a variance, from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VarianceShare {
    /// Its estimate.
    pub share: f64,
    /// Lower end of its interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

fn check_shape(values: &[f64], repetitions: &[usize]) -> Result<(), Error> {
    if repetitions.is_empty() {
        return Err(Error::TooFew {
            what: "levels".to_owned(),
            needed: 1,
            found: 0,
        });
    }
    let levels = repetitions.len();
    if let Some(index) = repetitions.iter().position(|&r| r < 2) {
        return Err(Error::TooFew {
            what: format!("repetitions of level {}", levels - index),
            needed: 2,
            found: repetitions[index],
        });
    }
    let product = repetitions
        .iter()
        .fold(1_usize, |product, &r| product.saturating_mul(r));
    if values.len() != product {
        return Err(Error::Unbalanced {
            expected: product,
            found: values.len(),
        });
    }
    check::sample("sample", values, 2)
}

impl Nested {
    /// Intraclass correlation: the share of the variance of a single value that values of one unit
    /// of the highest level have in common, from 0 to 1.
    ///
    /// # Errors
    /// [`Error::NoVariation`] if all values are equal.
    pub fn intraclass_correlation(&self) -> Result<f64, Error> {
        Ok(self.levels[0].own_variance.max(0.0) / self.variance_of_a_value()?)
    }

    /// Design effect: how many nested values say as much of the mean as one independent value
    /// (Kish, *Survey Sampling*, 1965). With two levels it is `1 + (r_1 - 1)` times the intraclass
    /// correlation.
    ///
    /// # Errors
    /// [`Error::NoVariation`] if all values are equal.
    pub fn design_effect(&self) -> Result<f64, Error> {
        // Each level's own variance, divided by the number of units of that level in all.
        let mut units = 1.0;
        let mut nested = 0.0;
        for level in &self.levels {
            units *= level.repetitions as f64;
            nested += level.own_variance.max(0.0) / units;
        }
        Ok(nested * units / self.variance_of_a_value()?)
    }

    /// The share that the level below has in the variance of the means of the highest level,
    /// `S_(n-1)^2 / r_(n-1) / S_n^2`: what more repetitions within its units would take away.
    ///
    /// The interval is that of the model with random effects, in which the ratio of the mean
    /// squares is F distributed about that of their expectations (Searle, Casella and McCulloch,
    /// *Variance Components*, 1992): exact for normal effects.
    ///
    /// # Errors
    /// A single level, a confidence outside of (0, 1), or [`Error::NoVariation`] if the means of the
    /// highest level are all equal.
    pub fn share_from_below(&self, confidence: f64) -> Result<VarianceShare, Error> {
        check::probability("confidence", confidence)?;
        let [highest, below, ..] = self.levels[..] else {
            return Err(Error::TooFew {
                what: "levels".to_owned(),
                needed: 2,
                found: self.levels.len(),
            });
        };
        if highest.variance <= 0.0 {
            return Err(Error::NoVariation);
        }
        let [units, repetitions] = [highest, below].map(|level| level.repetitions as f64);
        let ratio = below.variance / repetitions / highest.variance;
        let [low, high] = [0.5 * (1.0 - confidence), 0.5 * (1.0 + confidence)]
            .map(|p| ratio * f_quantile(p, units - 1.0, units * (repetitions - 1.0)));
        let [share, low, high] = [ratio, low, high].map(|share| share.min(1.0));
        Ok(VarianceShare { share, low, high })
    }

    fn variance_of_a_value(&self) -> Result<f64, Error> {
        let own = self.levels.iter().map(|level| level.own_variance.max(0.0));
        let total: f64 = own.sum();
        if total > 0.0 {
            Ok(total)
        } else {
            Err(Error::NoVariation)
        }
    }

    /// Repetitions of each level but the highest that give the narrowest interval for the time
    /// spent, `r_i = sqrt(c_(i+1) / c_i * T_i^2 / T_(i+1)^2)`, at least 1, the highest of them
    /// first. To be rounded up; the highest level takes what time remains.
    ///
    /// `costs` has one positive number for each level, the highest first: the time that one more
    /// repetition of it takes, apart from those inside it. None stands where the level above has
    /// no variance of its own: repeat as often as is cheap.
    ///
    /// # Errors
    /// A number of costs other than that of the levels, or a cost that is not positive.
    pub fn optimal_repetitions(&self, costs: &[f64]) -> Result<Vec<Option<f64>>, Error> {
        if costs.len() != self.levels.len() {
            return Err(Error::Unbalanced {
                expected: self.levels.len(),
                found: costs.len(),
            });
        }
        check::positive("costs", costs, 1)?;
        let neighbours = self.levels.windows(2).zip(costs.windows(2));
        Ok(neighbours
            .map(|(levels, costs)| {
                let [above, here] = [0, 1].map(|i| levels[i].own_variance.max(0.0));
                let best = (costs[0] / costs[1] * (here / above)).sqrt();
                (above > 0.0).then(|| best.max(1.0))
            })
            .collect())
    }
}
