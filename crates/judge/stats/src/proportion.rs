//! Is a share of runs different: of slow runs, of failures?

use crate::check;
use crate::distribution::{hypergeometric, normal_upper_quantile};
use crate::error::Error;

/// A number of successes among a number of trials.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Proportion {
    pub(crate) successes: usize,
    pub(crate) trials: usize,
}

impl Proportion {
    /// `successes` of `trials`; at least one trial.
    pub fn new(successes: usize, trials: usize) -> Result<Self, Error> {
        if successes <= trials && trials > 0 {
            Ok(Self { successes, trials })
        } else {
            Err(Error::Proportion { successes, trials })
        }
    }

    fn share(self) -> f64 {
        self.successes as f64 / self.trials as f64
    }

    /// Wilson's score interval: low and high end, between 0 and 1 (*Journal of the American
    /// Statistical Association* 22, 1927).
    pub fn wilson(self, confidence: f64) -> Result<(f64, f64), Error> {
        check::probability("confidence", confidence)?;
        let z = normal_upper_quantile(0.5 * (1.0 - confidence));
        let (n, p) = (self.trials as f64, self.share());
        let shrink = 1.0 + z * z / n;
        let centre = (p + z * z / (2.0 * n)) / shrink;
        let half_width = z / shrink * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
        // At no or only successes the end is 0 or 1 itself; rounding must not move it.
        let low = if self.successes == 0 {
            0.0
        } else {
            centre - half_width
        };
        let high = if self.successes == self.trials {
            1.0
        } else {
            centre + half_width
        };
        Ok((low, high))
    }
}

/// Difference of two shares with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ShareDifference {
    /// Share of the candidate less that of the baseline.
    pub difference: f64,
    /// Lower end of the interval, at least -1.
    pub low: f64,
    /// Upper end of the interval, at most 1.
    pub high: f64,
}

/// Newcombe's hybrid score interval for `b - a` (method 10 of *Statistics in Medicine* 17, 1998).
pub(crate) fn newcombe(
    a: Proportion,
    b: Proportion,
    confidence: f64,
) -> Result<ShareDifference, Error> {
    let (low_a, high_a) = a.wilson(confidence)?;
    let (low_b, high_b) = b.wilson(confidence)?;
    let (a, b) = (a.share(), b.share());
    Ok(ShareDifference {
        difference: b - a,
        low: b - a - (b - low_b).hypot(high_a - a),
        high: b - a + (high_b - b).hypot(a - low_a),
    })
}

/// Exact test of equal shares within strata, two-sided: twice the smaller one-sided probability of the sum of the
/// successes of `a`, given the margins of each stratum (Mantel and Haenszel's conditions; Cox, *The Analysis of Binary
/// Data*, 1970). Right where the share differs from stratum to stratum and the trials of the sides are not in
/// proportion. Without a stratum that has both sides it is 1.
pub(crate) fn fisher_stratified(strata: &[(Proportion, Proportion)]) -> f64 {
    let mut observed = 0;
    let mut sums = vec![1.0];
    for (a, b) in strata {
        let all = a.successes + b.successes;
        let (first, pmf) = hypergeometric(a.trials + b.trials, all, a.trials);
        observed += a.successes - first;
        let mut next = vec![0.0; sums.len() + pmf.len() - 1];
        for (place, sum) in sums.iter().enumerate() {
            for (more, p) in pmf.iter().enumerate() {
                next[place + more] += sum * p;
            }
        }
        sums = next;
    }
    let few: f64 = sums[..=observed].iter().sum();
    let many: f64 = sums[observed..].iter().sum();
    (2.0 * few.min(many)).min(1.0)
}

/// Fisher's exact test, two-sided: the probability, given the margins, of all tables that are no
/// likelier than the one observed. Conservative for few trials; [`crate::boschloo`] is sharper.
pub(crate) fn fisher_exact(a: Proportion, b: Proportion) -> f64 {
    let all = a.successes + b.successes;
    let (first, pmf) = hypergeometric(a.trials + b.trials, all, a.trials);
    // Tables that are equally likely may differ by rounding.
    let limit = pmf[a.successes - first] * (1.0 + 1e-7);
    pmf.iter().filter(|&&p| p <= limit).sum::<f64>().min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn p(tables: &[[usize; 4]]) -> f64 {
        let side = |successes, trials| Proportion::new(successes, trials).unwrap();
        let strata: Vec<_> = tables
            .iter()
            .map(|&[a, n, b, m]| (side(a, n), side(b, m)))
            .collect();
        fisher_stratified(&strata)
    }

    #[test]
    fn shares_are_compared_within_strata() {
        // Twice scipy.stats.fisher_exact([[1, 5], [5, 1]], alternative="less").
        assert!((p(&[[1, 6, 5, 6]]) - 0.080_086_580_086_580_08).abs() < 1e-12);
        // By summing over all pairs of tables with these margins.
        assert!((p(&[[1, 6, 5, 6], [0, 3, 3, 9]]) - 0.031_641_086_186_540_73).abs() < 1e-12);
        // One block is slow as a whole and has most runs of one side: its sums alone would prove a difference.
        assert!((p(&[[8, 8, 2, 2], [0, 2, 0, 8]]) - 1.0).abs() < 1e-12);
        assert!((p(&[]) - 1.0).abs() < 1e-12);
    }
}
