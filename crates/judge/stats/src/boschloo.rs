//! Boschloo's test: Fisher's p-value as the statistic of an unconditional test.

use std::f64::consts::FRAC_PI_2;

use crate::distribution::{binomial, hypergeometric};
use crate::proportion::{Proportion, fisher_exact};

/// Up to this many trials, both sides together, the unconditional test is computed.
pub const LARGEST_UNCONDITIONAL: usize = 300;

/// Result of [`boschloo`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UnconditionalTest {
    /// Two-sided p-value.
    pub p: f64,
    /// Whether it is Boschloo's; otherwise it is Fisher's.
    pub unconditional: bool,
}

/// Boschloo's exact test of equal shares, two-sided: twice the smaller of the one-sided p-values.
///
/// A one-sided p-value is the largest probability, over all values of the common share, of the
/// tables whose one-sided Fisher p-value is no larger than the one observed. It is never above
/// the one-sided Fisher p-value itself (Boschloo, *Statistica Neerlandica* 24, 1970). Beyond
/// [`LARGEST_UNCONDITIONAL`] trials the two tests hardly differ, and Fisher's two-sided p-value
/// is returned.
pub fn boschloo(a: Proportion, b: Proportion) -> UnconditionalTest {
    if a.trials + b.trials > LARGEST_UNCONDITIONAL {
        return UnconditionalTest {
            p: fisher_exact(a, b),
            unconditional: false,
        };
    }
    let smaller = one_sided(a, b).min(one_sided(b, a));
    UnconditionalTest {
        p: (2.0 * smaller).min(1.0),
        unconditional: true,
    }
}

/// One-sided p-value of "the share of `a` is not the smaller one".
fn one_sided(a: Proportion, b: Proportion) -> f64 {
    let region = Region::new(a, b);
    // On the scale of the arcsine of the root the variance of a share is constant, so that bumps
    // of the curve are all about as wide; this grid has many points on each.
    let points = 4 * (a.trials + b.trials).max(25);
    let grid: Vec<f64> = (1..points)
        .map(|i| region.probability(FRAC_PI_2 * f64::from(i as u32) / f64::from(points as u32)))
        .collect();
    let highest = grid.iter().copied().fold(0.0, f64::max);
    let step = FRAC_PI_2 / points as f64;
    let mut p = highest;
    for (i, &value) in grid.iter().enumerate() {
        let left = if i == 0 { 0.0 } else { grid[i - 1] };
        let right = grid.get(i + 1).copied().unwrap_or(0.0);
        // Only tops that refinement could make the highest.
        if value >= left && value >= right && value > 0.99 * highest {
            let top = (i + 1) as f64 * step;
            p = f64::max(p, region.highest_between(top - step, top + step));
        }
    }
    p.min(1.0)
}

/// The tables at least as extreme as the one observed: for each number of successes of `a`, all
/// numbers of `b` from a least one on.
struct Region {
    trials_a: usize,
    trials_b: usize,
    /// By successes of `a`; more than the trials of `b` if no number is extreme.
    least_b: Vec<usize>,
}

impl Region {
    fn new(a: Proportion, b: Proportion) -> Self {
        let (n, m) = (a.trials, b.trials);
        let mut least_b = vec![m + 1; n + 1];
        // Fisher's p-value of few successes in a, for the tables with each sum of successes.
        let conditional = |sum: usize| {
            let (first, mut tail) = hypergeometric(n + m, sum, n);
            let mut total = 0.0;
            for p in &mut tail {
                total += *p;
                *p = total;
            }
            (first, tail)
        };
        let (first, tail) = conditional(a.successes + b.successes);
        let limit = tail[a.successes - first] * (1.0 + 1e-9);
        for sum in 0..=n + m {
            let (first, tail) = conditional(sum);
            for (x, p) in (first..).zip(tail) {
                if p <= limit {
                    least_b[x] = least_b[x].min(sum - x);
                }
            }
        }
        Self {
            trials_a: n,
            trials_b: m,
            least_b,
        }
    }

    /// Probability of the region if both shares are the squared sine of `angle`.
    fn probability(&self, angle: f64) -> f64 {
        let share = angle.sin().powi(2);
        let of_a = binomial(self.trials_a, share);
        let of_b = binomial(self.trials_b, share);
        let mut from = vec![0.0; self.trials_b + 2];
        for (y, p) in of_b.iter().enumerate().rev() {
            from[y] = from[y + 1] + p;
        }
        of_a.iter()
            .zip(&self.least_b)
            .map(|(p, &least)| p * from[least])
            .sum()
    }

    /// Highest probability between two angles with one top between them, by golden section.
    fn highest_between(&self, mut low: f64, mut high: f64) -> f64 {
        let golden = 0.5 * (5.0_f64.sqrt() - 1.0);
        let (mut x, mut y) = (high - golden * (high - low), low + golden * (high - low));
        let (mut at_x, mut at_y) = (self.probability(x), self.probability(y));
        // Near its top the curve is flat: an angle to 1e-8 gives the probability to 1e-15.
        while high - low > 1e-8 {
            if at_x > at_y {
                (high, y, at_y) = (y, x, at_x);
                x = high - golden * (high - low);
                at_x = self.probability(x);
            } else {
                (low, x, at_x) = (x, y, at_y);
                y = low + golden * (high - low);
                at_y = self.probability(y);
            }
        }
        at_x.max(at_y)
    }
}
