//! The original's statistics: its formulas in its order of operations, so that the last digit agrees.

use crate::t_table::{LARGEST_ROW, QUANTILES};

/// The confidence levels that the original offers, in per cent.
///
/// The last one uses the quantile of a two-sided 99.8 % interval; see the table.
pub const CONFIDENCE_LEVELS: [f64; 6] = [80.0, 90.0, 95.0, 98.0, 99.0, 99.5];

/// One of the [`CONFIDENCE_LEVELS`]; 95 % unless chosen otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Confidence(usize);

impl Confidence {
    /// The level of that many per cent, if the original offers it.
    pub fn from_percent(percent: f64) -> Option<Self> {
        CONFIDENCE_LEVELS
            .iter()
            .position(|&level| level == percent)
            .map(Self)
    }

    /// In per cent.
    pub fn percent(self) -> f64 {
        CONFIDENCE_LEVELS[self.0]
    }

    /// The quantile of Student's t; beyond 100 degrees of freedom, at once that of the normal distribution.
    fn quantile(self, degrees_of_freedom: usize) -> f64 {
        let row = if degrees_of_freedom > LARGEST_ROW {
            0
        } else {
            degrees_of_freedom
        };
        QUANTILES[row][self.0]
    }
}

impl Default for Confidence {
    fn default() -> Self {
        Self(2)
    }
}

/// A non-empty set of values, sorted, with the sums that the original accumulates while reading.
#[derive(Clone, Debug)]
pub struct Dataset {
    sorted: Vec<f64>,
    sum: f64,
    sum_of_squares: f64,
}

impl Dataset {
    /// Takes the values in the order in which they were measured, which decides how the sums are rounded;
    /// `None` if there are none.
    pub fn new(mut values: Vec<f64>) -> Option<Self> {
        if values.is_empty() {
            return None;
        }
        let (sum, sum_of_squares) = sums(&values);
        sort(&mut values);
        Some(Self {
            sorted: values,
            sum,
            sum_of_squares,
        })
    }

    /// In ascending order, if none is NaN.
    pub fn sorted(&self) -> &[f64] {
        &self.sorted
    }

    /// The number of values, at least 1.
    pub fn count(&self) -> usize {
        self.sorted.len()
    }

    /// The smallest value.
    pub fn min(&self) -> f64 {
        self.sorted[0]
    }

    /// The largest value.
    pub fn max(&self) -> f64 {
        self.sorted[self.sorted.len() - 1]
    }

    /// The middle value; of an even number of values, the upper of the two in the middle.
    pub fn median(&self) -> f64 {
        self.sorted[self.sorted.len() / 2]
    }

    /// The arithmetic mean.
    pub fn mean(&self) -> f64 {
        if self.sum.is_nan() {
            self.sum
        } else {
            self.sum / self.count() as f64
        }
    }

    /// The unbiased variance by the one-pass formula `(sum x^2 - (sum x)^2 / n) / (n - 1)`.
    ///
    /// It loses digits where the spread is small against the mean, and may even be negative.
    pub fn variance(&self) -> f64 {
        if self.sum_of_squares.is_nan() {
            return self.sum_of_squares;
        }
        let n = self.count() as f64;
        hardware_nan((self.sum_of_squares - self.sum * self.sum / n) / (n - 1.0))
    }

    /// The square root of the [variance](Self::variance), hence NaN where that is negative.
    pub fn standard_deviation(&self) -> f64 {
        let variance = self.variance();
        if variance.is_nan() {
            variance
        } else {
            hardware_nan(variance.sqrt())
        }
    }
}

/// What Student's t test says of two datasets, the second measured against the first.
#[derive(Clone, Copy, Debug)]
pub struct Comparison {
    /// The level that the test used.
    pub confidence: Confidence,
    /// Mean minus the baseline's mean.
    pub difference: f64,
    /// Half the width of the confidence interval of the difference.
    pub half_width: f64,
    /// The difference in per cent of the baseline's mean.
    pub relative_difference: f64,
    /// The half width in per cent of the baseline's mean, whose own uncertainty it leaves out.
    pub relative_half_width: f64,
    /// The pooled standard deviation of the two.
    pub pooled_deviation: f64,
}

impl Comparison {
    /// Compares under the assumption of equal variances (Student 1908, Biometrika 6, 1-25).
    pub fn of(baseline: &Dataset, other: &Dataset, confidence: Confidence) -> Self {
        let (n, baseline_n) = (other.count() as f64, baseline.count() as f64);
        let degrees_of_freedom = other.count() + baseline.count() - 2;
        let squares = (n - 1.0) * other.variance() + (baseline_n - 1.0) * baseline.variance();
        let pooled_deviation = (squares / degrees_of_freedom as f64).sqrt();
        let standard_error = pooled_deviation * (1.0 / n + 1.0 / baseline_n).sqrt();
        let difference = other.mean() - baseline.mean();
        let half_width = confidence.quantile(degrees_of_freedom) * standard_error;
        let per_cent_of_baseline = |value: f64| hardware_nan(value * 100.0 / baseline.mean());
        Self {
            confidence,
            difference,
            half_width,
            relative_difference: per_cent_of_baseline(difference),
            relative_half_width: per_cent_of_baseline(half_width),
            pooled_deviation,
        }
    }

    /// Whether the interval excludes zero.
    pub fn is_proven(&self) -> bool {
        self.difference.abs() > self.half_width
    }
}

/// The sum and the sum of squares, in the order given.
fn sums(values: &[f64]) -> (f64, f64) {
    let (mut sum, mut squares) = (0.0, 0.0);
    for &value in values {
        sum += value;
        squares += value * value;
    }
    if sum.is_nan() {
        sums_with_nan(values)
    } else {
        (sum, squares)
    }
}

/// [`sums`] with the sign that an amd64 processor gives to a NaN.
///
/// An addition of two NaNs keeps its first operand, and the original's compiler put the running sum first
/// in the sum, but last in the sum of squares.
fn sums_with_nan(values: &[f64]) -> (f64, f64) {
    let (mut sum, mut squares) = (0.0_f64, 0.0_f64);
    for &value in values {
        if value.is_nan() {
            sum = if sum.is_nan() { sum } else { value };
            squares = value;
        } else {
            sum = if sum.is_nan() {
                sum
            } else {
                hardware_nan(sum + value)
            };
            squares = if squares.is_nan() {
                squares
            } else {
                squares + value * value
            };
        }
    }
    (sum, squares)
}

/// The result of an operation on numbers: where that is invalid, amd64 delivers a NaN with its sign bit set.
fn hardware_nan(result: f64) -> f64 {
    if result.is_nan() {
        f64::NAN.copysign(-1.0)
    } else {
        result
    }
}

fn sort(values: &mut Vec<f64>) {
    let negative_zero = (-0.0_f64).to_bits();
    if values
        .iter()
        .any(|value| value.is_nan() || value.to_bits() == negative_zero)
    {
        *values = merge_sorted(values);
    } else {
        values.sort_unstable_by(f64::total_cmp);
    }
}

/// Sorts in the steps of glibc's `qsort` up to 2.36, a top-down merge sort.
///
/// It matters where the comparison calls different values equal: zeros of either sign keep their order,
/// and a NaN, equal to everything, leaves an order that depends on the steps.
fn merge_sorted(values: &[f64]) -> Vec<f64> {
    if values.len() <= 1 {
        return values.to_vec();
    }
    let (left, right) = values.split_at(values.len() / 2);
    let (left, right) = (merge_sorted(left), merge_sorted(right));
    let (mut left, mut right) = (left.as_slice(), right.as_slice());
    let mut merged = Vec::with_capacity(values.len());
    while let ([first, left_rest @ ..], [second, right_rest @ ..]) = (left, right) {
        if first > second {
            merged.push(*second);
            right = right_rest;
        } else {
            merged.push(*first);
            left = left_rest;
        }
    }
    merged.extend_from_slice(left);
    merged.extend_from_slice(right);
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dataset(values: &[f64]) -> Dataset {
        Dataset::new(values.to_vec()).unwrap()
    }

    #[test]
    fn the_median_of_an_even_number_is_the_upper_one() {
        assert_eq!(dataset(&[4.0, 1.0, 3.0, 2.0]).median(), 3.0);
        assert_eq!(dataset(&[3.0, 1.0, 2.0]).median(), 2.0);
    }

    #[test]
    fn cancellation_is_kept() {
        // The true deviation is 0.0158.
        let far_from_zero: Vec<f64> = (0..5).map(|i| 1e9 + 0.01 * f64::from(i)).collect();
        assert!((dataset(&far_from_zero).standard_deviation() - 22.627417).abs() < 1e-6);
        let deviation = dataset(&[0.1; 3]).standard_deviation();
        assert!(deviation.is_nan() && deviation.is_sign_negative());
    }

    #[test]
    fn a_difference_needs_more_than_the_half_width() {
        // Means 2 and 5, both variances 1: s = 1, e = 2.776 sqrt(2/3).
        let comparison = Comparison::of(
            &dataset(&[1.0, 2.0, 3.0]),
            &dataset(&[4.0, 5.0, 6.0]),
            Confidence::default(),
        );
        assert_eq!(comparison.difference, 3.0);
        assert_eq!(comparison.relative_difference, 150.0);
        assert!((comparison.half_width - 2.776 * (2.0_f64 / 3.0).sqrt()).abs() < 1e-12);
        assert!(comparison.is_proven());
        let same = dataset(&[5.0; 3]);
        assert!(!Comparison::of(&same, &same, Confidence::default()).is_proven());
    }

    #[test]
    fn the_table_ends_at_100_degrees_of_freedom() {
        let confidence = Confidence::default();
        assert_eq!(confidence.percent(), 95.0);
        assert_eq!(confidence.quantile(100), 1.984);
        assert_eq!(confidence.quantile(101), 1.960);
        assert_eq!(Confidence::from_percent(97.0), None);
    }

    #[test]
    fn equal_zeros_keep_their_order() {
        let values = dataset(&[0.0, 1.0, -0.0, 0.0, -1.0]);
        let signs: Vec<bool> = values
            .sorted()
            .iter()
            .map(|value| value.is_sign_negative())
            .collect();
        assert_eq!(signs, [true, false, true, false, false]);
    }

    #[test]
    fn a_nan_blocks_the_merge() {
        let values = dataset(&[3.0, f64::NAN, 2.0, 1.0]);
        // [3, NaN] stays, [2, 1] is swapped; 1 and 2 go before 3, and 3 and NaN are what is left.
        assert_eq!(values.sorted()[..3], [1.0, 2.0, 3.0]);
        let values = dataset(&[f64::NAN, 3.0, 2.0, 1.0]);
        assert!(values.sorted()[0].is_nan());
        assert_eq!(values.sorted()[1..], [1.0, 2.0, 3.0]);
    }
}
