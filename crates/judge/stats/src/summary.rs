//! One sample in seven numbers.

use crate::check;
use crate::error::Error;

/// What a report prints of one sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    /// Number of values.
    pub n: usize,
    /// Smallest value.
    pub min: f64,
    /// Largest value.
    pub max: f64,
    /// Median; for an even number of values the mean of the two in the middle.
    pub median: f64,
    /// Arithmetic mean.
    pub mean: f64,
    /// Standard deviation with divisor `n - 1`; none for a single value.
    pub sd: Option<f64>,
    /// Median of the absolute deviations from the median, not scaled. Times 1.4826 it estimates
    /// the standard deviation of normal data.
    pub mad: f64,
}

impl Summary {
    /// Summary of at least one value.
    pub fn of(values: &[f64]) -> Result<Self, Error> {
        check::sample("sample", values, 1)?;
        let sorted = sorted(values);
        Ok(Self {
            n: values.len(),
            min: sorted[0],
            max: sorted[sorted.len() - 1],
            median: median_of_sorted(&sorted),
            mean: raw_mean(values),
            sd: (values.len() > 1).then(|| raw_variance(values).sqrt()),
            mad: raw_mad(&sorted),
        })
    }
}

/// Arithmetic mean of at least one value.
pub fn mean(values: &[f64]) -> Result<f64, Error> {
    check::sample("sample", values, 1)?;
    Ok(raw_mean(values))
}

/// Median of at least one value; for an even number the mean of the two in the middle.
pub fn median(values: &[f64]) -> Result<f64, Error> {
    check::sample("sample", values, 1)?;
    Ok(selected_median(&mut values.to_vec()))
}

/// The median of values in any order, of which there is one at least. They need not be sorted for that, which takes far
/// longer where they are many; their order changes.
pub(crate) fn selected_median(values: &mut [f64]) -> f64 {
    let half = values.len() / 2;
    let is_odd = values.len() % 2 == 1;
    let (lower, upper, _) = values.select_nth_unstable_by(half, f64::total_cmp);
    let below = lower.iter().copied().max_by(f64::total_cmp);
    match below.filter(|_| !is_odd) {
        Some(below) => 0.5 * (below + *upper),
        None => *upper,
    }
}

pub(crate) fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted
}

pub(crate) fn median_of_sorted(sorted: &[f64]) -> f64 {
    let half = sorted.len() / 2;
    if sorted.len() % 2 == 1 {
        sorted[half]
    } else {
        0.5 * (sorted[half - 1] + sorted[half])
    }
}

pub(crate) fn raw_mad(sorted_values: &[f64]) -> f64 {
    let centre = median_of_sorted(sorted_values);
    let mut deviations: Vec<f64> = sorted_values.iter().map(|v| (v - centre).abs()).collect();
    selected_median(&mut deviations)
}

/// The mean, corrected by the mean of the residuals, which the rounding of a long sum leaves.
pub(crate) fn raw_mean(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let first = values.iter().sum::<f64>() / n;
    first + values.iter().map(|v| v - first).sum::<f64>() / n
}

/// Sum of the squared deviations from the mean.
///
/// The second sum removes the rounding error of the mean (Chan, Golub and LeVeque, *The American
/// Statistician* 37, 1983).
pub(crate) fn squared_deviations(values: &[f64]) -> f64 {
    // Equal values must give an exact zero, although their mean may be off by one rounding.
    if values.iter().all(|v| *v == values[0]) {
        return 0.0;
    }
    let centre = raw_mean(values);
    let squares: f64 = values.iter().map(|v| (v - centre) * (v - centre)).sum();
    let residue: f64 = values.iter().map(|v| v - centre).sum();
    squares - residue * residue / values.len() as f64
}

pub(crate) fn raw_variance(values: &[f64]) -> f64 {
    squared_deviations(values) / (values.len() as f64 - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn survives_the_cancellation_that_ruins_the_one_pass_formula() {
        let values: Vec<f64> = (0..5).map(|i| 1e9 + 0.01 * f64::from(i)).collect();
        let summary = Summary::of(&values).unwrap();
        assert!((summary.sd.unwrap() - 0.015_811_388).abs() < 1e-7);
    }

    #[test]
    fn equal_values_have_no_deviation_at_all() {
        assert_eq!(raw_variance(&[0.1; 3]), 0.0);
        assert_eq!(Summary::of(&[0.1; 3]).unwrap().mean, 0.1);
    }

    #[test]
    fn a_single_value_has_no_standard_deviation() {
        let summary = Summary::of(&[7.0]).unwrap();
        assert_eq!((summary.sd, summary.mad, summary.median), (None, 0.0, 7.0));
    }

    #[test]
    fn medians_of_odd_and_even_numbers() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), Ok(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Ok(2.5));
        assert_eq!(raw_mad(&[1.0, 2.0, 4.0, 8.0, 16.0]), 3.0);
    }

    #[test]
    fn says_where_the_unusable_value_stands() {
        let error = Summary::of(&[1.0, f64::NAN]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "sample, value 2: expected a finite number of at most 1e75 in size, found NaN; \
             leave out runs that have no result, or change the unit"
        );
        assert!(matches!(Summary::of(&[]), Err(Error::TooFew { .. })));
        assert!(mean(&[f64::INFINITY]).is_err());
    }
}
