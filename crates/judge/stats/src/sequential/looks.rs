//! A number of looks that is fixed before.

use std::f64::consts::PI;

use crate::distribution::normal_upper_quantile;
use crate::{Error, check};

/// Most looks that the boundaries are computed for.
pub const MOST_LOOKS: usize = 20;

/// Points of the numerical integration: at 20 looks and a confidence of 0.999 999, where it is
/// hardest, the constants keep nine digits.
const POINTS: usize = 128;

/// How the bar is raised at each of a fixed number of looks, after equal numbers of runs.
///
/// The statistic is one that is standard normal at each look without a difference, with increments
/// independent of the past: a z-statistic of all runs so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Boundary {
    /// The same bar at every look (Pocock, *Biometrika* 64, 1977): stops early most often.
    Pocock,
    /// A bar that falls with the root of the number of runs (O'Brien and Fleming, *Biometrics* 35,
    /// 1979): hardly ever stops at the first look, and costs almost nothing at the last.
    OBrienFleming,
}

impl Boundary {
    /// The bar of |z| at each look, so that with probability `confidence` none is passed if there
    /// is no difference.
    ///
    /// # Errors
    /// No look or more than [`MOST_LOOKS`]; a confidence outside (0.5, 0.999 999).
    pub fn bars(self, looks: usize, confidence: f64) -> Result<Vec<f64>, Error> {
        let constant = self.constant(looks, confidence)?;
        let shape = (1..=looks).map(|look| self.shape(look, looks));
        Ok(shape.map(|factor| constant * factor).collect())
    }

    /// The bar at the last look.
    ///
    /// # Errors
    /// As [`Boundary::bars`].
    pub fn constant(self, looks: usize, confidence: f64) -> Result<f64, Error> {
        if looks == 0 {
            return Err(Error::TooFew {
                what: "looks".to_owned(),
                needed: 1,
                found: 0,
            });
        }
        if looks > MOST_LOOKS {
            return Err(Error::TooMany {
                what: "looks",
                most: MOST_LOOKS,
                found: looks,
                instead: "look less often, or use an e-process",
            });
        }
        check::between("confidence", confidence, 0.5, 0.999_999)?;
        let rule = Rule::gauss_legendre(POINTS);
        let stays = |constant: f64| {
            let bounds = (1..=looks).map(|look| {
                // On the scale of the sum after so many looks.
                constant * self.shape(look, looks) * (look as f64).sqrt()
            });
            rule.stays_within(bounds)
        };
        // The bar of one look is too low, Bonferroni's too high.
        let level = 0.5 * (1.0 - confidence);
        let mut low = normal_upper_quantile(level);
        let mut high = normal_upper_quantile(level / looks as f64);
        if self == Self::OBrienFleming {
            // At most twice the chance of the last look alone, by reflection.
            high = normal_upper_quantile(0.5 * level);
        }
        while high - low > 1e-12 * high {
            let middle = 0.5 * (low + high);
            if stays(middle) < confidence {
                low = middle;
            } else {
                high = middle;
            }
        }
        Ok(0.5 * (low + high))
    }

    /// The bar at a look, as a multiple of that at the last one.
    fn shape(self, look: usize, looks: usize) -> f64 {
        match self {
            Self::Pocock => 1.0,
            Self::OBrienFleming => (looks as f64 / look as f64).sqrt(),
        }
    }
}

/// Points and weights of a numerical integration over [-1, 1].
struct Rule {
    points: Vec<f64>,
    weights: Vec<f64>,
}

impl Rule {
    /// Gauss and Legendre's, exact for polynomials of degree `2n - 1`: the points are the roots of
    /// the Legendre polynomial of degree n, found by Newton's method.
    fn gauss_legendre(n: usize) -> Self {
        let order = n as f64;
        let root = |i: usize| {
            let mut x = (PI * (i as f64 + 0.75) / (order + 0.5)).cos();
            let mut slope = 1.0;
            // From this start, it has converged after three or four steps.
            for _ in 0..8 {
                let (mut last, mut value) = (1.0, x);
                for k in 2..=n {
                    let k = k as f64;
                    let next = ((2.0 * k - 1.0) * x * value - (k - 1.0) * last) / k;
                    (last, value) = (value, next);
                }
                slope = order * (x * value - last) / (x * x - 1.0);
                x -= value / slope;
            }
            (x, 2.0 / ((1.0 - x * x) * slope * slope))
        };
        let (points, weights) = (0..n).map(root).unzip();
        Self { points, weights }
    }

    /// Probability that a sum of standard normal steps stays within `-bound..bound` after each of
    /// them, by integrating its density over the interval at each step (Armitage, McPherson and
    /// Rowe, *Journal of the Royal Statistical Society A* 132, 1969).
    fn stays_within(&self, bounds: impl Iterator<Item = f64>) -> f64 {
        let normal = |x: f64| (-0.5 * x * x).exp() / (2.0 * PI).sqrt();
        // The points inside the last interval, with the probability that stands for each.
        let mut inside = vec![(0.0, 1.0)];
        for bound in bounds {
            let density = |x: f64| -> f64 {
                let reached = inside.iter().map(|(from, mass)| mass * normal(x - from));
                reached.sum()
            };
            let points = self.points.iter().zip(&self.weights);
            inside = points
                .map(|(point, weight)| (bound * point, bound * weight * density(bound * point)))
                .collect();
        }
        inside.iter().map(|(_, mass)| mass).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_integrates_polynomials_exactly() {
        let rule = Rule::gauss_legendre(5);
        for degree in 0..10 {
            let points = rule.points.iter().zip(&rule.weights);
            let found: f64 = points.map(|(x, w)| w * x.powi(degree)).sum();
            let expected = if degree % 2 == 0 {
                2.0 / f64::from(degree + 1)
            } else {
                0.0
            };
            assert!((found - expected).abs() < 1e-14, "{degree}: {found}");
        }
    }

    #[test]
    fn the_hardest_case_keeps_nine_digits() {
        let finer = Rule::gauss_legendre(4 * POINTS);
        for boundary in [Boundary::Pocock, Boundary::OBrienFleming] {
            let bars = boundary.bars(MOST_LOOKS, 0.999_998).unwrap();
            let bounds = bars
                .iter()
                .zip(1..)
                .map(|(bar, k)| bar * f64::from(k).sqrt());
            let passed = 1.0 - finer.stays_within(bounds);
            assert!((passed / 2e-6 - 1.0).abs() < 1e-8, "{passed}");
        }
    }
}
