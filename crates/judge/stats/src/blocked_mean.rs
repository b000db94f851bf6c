//! Is the mean different, when runs were made in blocks?
//!
//! Each block gives one difference of means; blocks may drift as they like, since only
//! differences within blocks are used. Block `i` with `n` runs of the baseline and `m` of the
//! candidate has the weight `n m / (n + m)`, which is the best one if all runs vary alike. Blocks
//! are fixed effects: the result speaks of the mean over these blocks.
//!
//! - [`blocked_welch`] lets the two sides vary differently. It needs, on each side, some block
//!   with two runs or more. This is the one to use; with one block it is Welch's test.
//! - [`blocked_additive`] is the classical two-way layout (variant + block, no interaction), one
//!   variance for all. It also works with blocks of 1+1, where it is the paired t test, and has
//!   more degrees of freedom; but where the sides vary differently and have different numbers of
//!   runs, its error rate is not the one stated. Differences that change from block to block
//!   widen its interval, since they count as noise; that of `blocked_welch` they do not touch.

use std::collections::{BTreeMap, HashMap};

use crate::check;
use crate::error::Error;
use crate::mean::{ErrorPart, MeanDifference, satterthwaite};
use crate::ratio_of_means::{RatioOfMeans, fieller};
use crate::stratum::Stratum;
use crate::summary::{raw_mean, squared_deviations};

/// Difference and ratio of means within blocks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BlockedMean {
    /// The weighted means of both sides and their difference, with interval and test.
    pub difference: MeanDifference,
    /// The ratio of the weighted means with Fieller's interval, at the same degrees of freedom:
    /// the interval leaves out 1 exactly if that of the difference leaves out 0. None if the
    /// baseline's mean is zero.
    pub ratio: Option<RatioOfMeans>,
    /// Number of blocks with runs of both sides.
    pub blocks: usize,
}

/// Weighted mean of the differences within blocks, each side with its own variance.
///
/// The variance of a side is pooled over the blocks; degrees of freedom after Satterthwaite
/// (*Biometrics Bulletin* 2, 1946).
///
/// # Errors
/// Unusable values; [`Error::NoPairs`] without a block that has both sides;
/// [`Error::NoReplicates`] if a side never has two runs in a block; [`Error::NoVariation`] if
/// neither side varies within blocks.
pub fn blocked_welch(strata: &[Stratum], confidence: f64) -> Result<BlockedMean, Error> {
    let layout = Layout::new(strata, confidence)?;
    let [a, b] = [("baseline", &layout.a), ("candidate", &layout.b)].map(|(side, parts)| {
        if parts.df > 0.0 {
            Ok(ErrorPart {
                squared: parts.squares / parts.df * parts.squared_weights,
                df: parts.df,
            })
        } else {
            Err(Error::NoReplicates {
                side,
                blocks: layout.blocks,
            })
        }
    });
    let (a, b) = (a?, b?);
    layout.result(a.squared, b.squared, satterthwaite(a, b), confidence)
}

/// Least squares for the additive model `value = block + variant + noise`, one noise variance.
///
/// With `N` runs in `K` blocks the residual has `N - K - 1` degrees of freedom (Scheffé, *The
/// Analysis of Variance*, 1959, chapter 4).
///
/// # Errors
/// As [`blocked_welch`]; [`Error::TooFew`] without residual degrees of freedom.
pub fn blocked_additive(strata: &[Stratum], confidence: f64) -> Result<BlockedMean, Error> {
    let layout = Layout::new(strata, confidence)?;
    // Runs less blocks less one; the parts hold runs less blocks of each side.
    let df = layout.a.df + layout.b.df + layout.blocks as f64 - 1.0;
    if df < 1.0 {
        return Err(Error::TooFew {
            what: "runs of both sides together, in blocks that have both".to_owned(),
            needed: layout.blocks + 2,
            found: layout.blocks + 1,
        });
    }
    let residual = layout.a.squares + layout.b.squares + layout.between;
    let variance = residual / df;
    layout.result(
        variance * layout.a.squared_weights,
        variance * layout.b.squared_weights,
        df,
        confidence,
    )
}

/// The weighted means of both sides, and their difference within blocks.
///
/// # Errors
/// Unusable values; [`Error::NoPairs`] without a block that has both sides.
pub(crate) fn weighted_means(
    strata: &[Stratum],
    confidence: f64,
) -> Result<(f64, f64, f64), Error> {
    let layout = Layout::new(strata, confidence)?;
    Ok((layout.a.mean, layout.b.mean, layout.difference))
}

/// What a block counts for, up to a common factor.
fn raw_weight(runs_of_a: usize, runs_of_b: usize) -> f64 {
    (runs_of_a * runs_of_b) as f64 / (runs_of_a + runs_of_b) as f64
}

/// The weights of blocks that have runs of both sides, from the block of each run; nothing where
/// there is no such block.
pub(crate) fn block_weights(a: &[u32], b: &[u32]) -> Option<HashMap<u32, f64>> {
    let mut runs: BTreeMap<u32, [usize; 2]> = BTreeMap::new();
    for (side, blocks) in [a, b].into_iter().enumerate() {
        for block in blocks {
            runs.entry(*block).or_default()[side] += 1;
        }
    }
    runs.retain(|_, [a, b]| *a > 0 && *b > 0);
    let total: f64 = runs.values().map(|[a, b]| raw_weight(*a, *b)).sum();
    let weight = |(block, [a, b]): (u32, [usize; 2])| (block, raw_weight(a, b) / total);
    (total > 0.0).then(|| runs.into_iter().map(weight).collect())
}

/// What one side contributes.
#[derive(Default)]
struct SideParts {
    /// Weighted mean of the block means.
    mean: f64,
    /// Sum of the squared deviations from the block means, and their degrees of freedom.
    squares: f64,
    df: f64,
    /// Sum over the blocks of squared weight over number of runs: the squared error of the
    /// weighted mean is this times the variance of a run.
    squared_weights: f64,
}

struct Layout {
    a: SideParts,
    b: SideParts,
    difference: f64,
    /// Weighted squared deviations of the blocks' differences from the overall one.
    between: f64,
    blocks: usize,
}

impl Layout {
    fn new(strata: &[Stratum], confidence: f64) -> Result<Self, Error> {
        check::probability("confidence", confidence)?;
        for (index, stratum) in strata.iter().enumerate() {
            for (side, values) in [("baseline", &stratum.a), ("candidate", &stratum.b)] {
                check::sample(format_args!("block {}, {side}", index + 1), values, 0)?;
            }
        }
        let used: Vec<&Stratum> = strata.iter().filter(|s| s.has_pairs()).collect();
        if used.is_empty() {
            return Err(Error::NoPairs {
                blocks: strata.len(),
            });
        }
        let raw_weights: Vec<f64> = used
            .iter()
            .map(|s| raw_weight(s.a.len(), s.b.len()))
            .collect();
        let total: f64 = raw_weights.iter().sum();
        let (mut a, mut b) = (SideParts::default(), SideParts::default());
        let mut difference = 0.0;
        for (stratum, raw) in used.iter().zip(&raw_weights) {
            a.add(&stratum.a, raw / total);
            b.add(&stratum.b, raw / total);
            difference += raw / total * (raw_mean(&stratum.b) - raw_mean(&stratum.a));
        }
        let between = used
            .iter()
            .zip(&raw_weights)
            .map(|(s, raw)| raw * (raw_mean(&s.b) - raw_mean(&s.a) - difference).powi(2))
            .sum();
        Ok(Self {
            a,
            b,
            difference,
            between,
            blocks: used.len(),
        })
    }

    fn result(
        &self,
        squared_error_a: f64,
        squared_error_b: f64,
        df: f64,
        confidence: f64,
    ) -> Result<BlockedMean, Error> {
        let difference = MeanDifference::new(
            self.a.mean,
            self.b.mean,
            self.difference,
            squared_error_a + squared_error_b,
            df,
            confidence,
        )?;
        let ratio = fieller(
            (self.a.mean, squared_error_a),
            (self.b.mean, squared_error_b),
            df,
            confidence,
        );
        Ok(BlockedMean {
            difference,
            ratio,
            blocks: self.blocks,
        })
    }
}

impl SideParts {
    fn add(&mut self, values: &[f64], weight: f64) {
        let runs = values.len() as f64;
        self.mean += weight * raw_mean(values);
        self.squares += squared_deviations(values);
        self.df += runs - 1.0;
        self.squared_weights += weight * weight / runs;
    }
}
