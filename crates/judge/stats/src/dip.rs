//! Has the distribution more than one mode?
//!
//! The *dip* of a sample is the distance, as the largest difference between distribution
//! functions, from the sample to the nearest continuous distribution with one mode: convex up to
//! the mode and concave beyond it. It is at least `t / (2n)`, with `t` the size of the largest group
//! of equal values, and at most 1/4 for values that all differ.
//!
//! It sees modes of like size: two halves that lie six standard deviations apart are found in 85 of
//! 100 samples of 30. It is nearly blind to a minority: a separate mode with 15 % of the runs is
//! found in 30 of 100, and in 12 if it is three times as wide, where the gap rule of
//! [`crate::modes`] finds it in 95. So that rule is the one that reports use. And the dip takes the
//! steps of a coarse clock for modes: not for values with many ties.
//!
//! Source: Hartigan and Hartigan, *Annals of Statistics* 13 (1985).

use std::ops::RangeInclusive;

use crate::summary::sorted;
use crate::{Error, Resampling, check};

/// Outcome of the dip test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DipTest {
    /// The dip.
    pub dip: f64,
    /// p-value of a single mode: the share of uniform samples of the same size, the one observed
    /// counted in, with a dip at least as large. Large uniform samples have larger dips than
    /// those of any distribution with one mode and thin tails.
    pub p: f64,
}

/// The dip of at least one value, from 0 to 1/2.
///
/// # Errors
/// No value, or an unusable one.
pub fn dip(values: &[f64]) -> Result<f64, Error> {
    check::sample("sample", values, 1)?;
    Ok(dip_of_sorted(&sorted(values)))
}

/// The dip with its p-value, from `resampling.draws` random samples. Ten thousand give p to one
/// part in a hundred.
///
/// # Errors
/// As [`dip`]; a number of draws out of range.
pub fn dip_test(values: &[f64], resampling: Resampling) -> Result<DipTest, Error> {
    let dip = dip(values)?;
    let mut random = resampling.random()?;
    let mut uniform = vec![0.0; values.len()];
    let mut as_large = 1;
    for _ in 0..resampling.draws {
        uniform.fill_with(|| random.uniform());
        uniform.sort_unstable_by(f64::total_cmp);
        as_large += usize::from(dip_of_sorted(&uniform) >= dip);
    }
    Ok(DipTest {
        dip,
        p: as_large as f64 / (resampling.draws + 1) as f64,
    })
}

/// The paper's algorithm: the interval that holds the mode is narrowed until the two curves that
/// enclose the distribution function in it come closer to each other than the function comes to
/// the curves outside it. Heights are numbers of values.
fn dip_of_sorted(sorted: &[f64]) -> f64 {
    let steps = Steps::of(sorted);
    let (mut first, mut last) = (0, steps.x.len() - 1);
    // No continuous function is nearer to a step than half its height.
    let heights = steps.below.iter().zip(&steps.upto).map(|(l, u)| u - l);
    let mut twice_dip = heights.fold(0.0, f64::max);
    loop {
        let minorant = Curve::new(&steps.x, &steps.below, first..=last, Bend::Convex);
        let majorant = Curve::new(&steps.x, &steps.upto, first..=last, Bend::Concave);
        // The curves are farthest apart at a corner of one of them.
        let mut width = twice_dip;
        let mut widest = None;
        for &i in minorant.corners.iter().chain(&majorant.corners) {
            let here = majorant.at(i) - minorant.at(i);
            if here > width {
                (width, widest) = (here, Some(i));
            }
        }
        // At the ends of the interval they are one step apart, so this is a corner inside it, and
        // the interval becomes smaller.
        let Some(corner) = widest else {
            return 0.5 * twice_dip / sorted.len() as f64;
        };
        // The mode lies between this corner and the next one of the other curve.
        let (left, right) = if minorant.corners.binary_search(&corner).is_ok() {
            (corner, majorant.corner_from(corner))
        } else {
            (minorant.corner_upto(corner), corner)
        };
        let before = (first..=left).map(|i| steps.upto[i] - minorant.at(i));
        let after = (right..=last).map(|i| majorant.at(i) - steps.below[i]);
        twice_dip = before.chain(after).fold(twice_dip, f64::max);
        (first, last) = (left, right);
    }
}

/// The distribution function of a sample: at each value that occurs, the numbers of smaller values
/// and of values up to it.
struct Steps {
    x: Vec<f64>,
    below: Vec<f64>,
    upto: Vec<f64>,
}

impl Steps {
    fn of(sorted: &[f64]) -> Self {
        let (mut x, mut below, mut upto) = (vec![], vec![], vec![]);
        let mut count = 0;
        for equal in sorted.chunk_by(|x, y| x == y) {
            x.push(equal[0]);
            below.push(count as f64);
            count += equal.len();
            upto.push(count as f64);
        }
        Self { x, below, upto }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Bend {
    Convex,
    Concave,
}

/// The largest convex function below the given points, or the smallest concave one above them.
struct Curve<'a> {
    x: &'a [f64],
    y: &'a [f64],
    /// The points at which it bends, and both ends.
    corners: Vec<usize>,
}

impl<'a> Curve<'a> {
    fn new(x: &'a [f64], y: &'a [f64], points: RangeInclusive<usize>, bend: Bend) -> Self {
        let mut corners: Vec<usize> = vec![];
        for i in points {
            while let [.., a, b] = corners[..] {
                // Whether b lies on the wrong side of the line from a to i, or on it.
                let rise = (y[i] - y[a]) * (x[b] - x[a]) - (y[b] - y[a]) * (x[i] - x[a]);
                let needless = match bend {
                    Bend::Convex => rise <= 0.0,
                    Bend::Concave => rise >= 0.0,
                };
                if !needless {
                    break;
                }
                corners.pop();
            }
            corners.push(i);
        }
        Self { x, y, corners }
    }

    /// The corner at the point, or the last one before it.
    fn corner_upto(&self, point: usize) -> usize {
        self.corners[self.corners.partition_point(|&c| c <= point) - 1]
    }

    /// The corner at the point, or the first one behind it.
    fn corner_from(&self, point: usize) -> usize {
        self.corners[self.corners.partition_point(|&c| c < point)]
    }

    fn at(&self, point: usize) -> f64 {
        let (a, b) = (self.corner_upto(point), self.corner_from(point));
        if a == b {
            return self.y[point];
        }
        let share = (self.x[point] - self.x[a]) / (self.x[b] - self.x[a]);
        self.y[a] + share * (self.y[b] - self.y[a])
    }
}
