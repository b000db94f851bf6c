//! Values far from the rest. They are marked, never dropped: a slow run is a finding.
//!
//! A mark is no verdict. Of skewed or heavy-tailed samples without any fault, most have marks.

use crate::quantile::quantile_of_sorted;
use crate::summary::{median_of_sorted, raw_mad, sorted};
use crate::{Error, check};

/// Limits and the values beyond them.
#[derive(Debug, Clone, PartialEq)]
pub struct Marks {
    /// Values below this are marked.
    pub low: f64,
    /// Values above this are marked.
    pub high: f64,
    /// Indices of the marked values, ascending.
    pub marked: Vec<usize>,
}

impl Marks {
    fn new(values: &[f64], low: f64, high: f64) -> Self {
        let marked = values
            .iter()
            .enumerate()
            .filter(|&(_, &v)| v < low || v > high)
            .map(|(index, _)| index)
            .collect();
        Self { low, high, marked }
    }
}

/// Tukey's fences: `factor` times the distance of the quartiles, beyond the quartiles.
///
/// The usual factor is 1.5; 3 marks values that are far out (Tukey, *Exploratory Data Analysis*,
/// 1977). Quartiles as in [`crate::quantile::quantile`]. At least one value.
pub fn tukey_fences(values: &[f64], factor: f64) -> Result<Marks, Error> {
    check::sample("sample", values, 1)?;
    check::between("factor", factor, 0.0, f64::INFINITY)?;
    let sorted = sorted(values);
    let (q1, q3) = (
        quantile_of_sorted(&sorted, 0.25),
        quantile_of_sorted(&sorted, 0.75),
    );
    let reach = factor * (q3 - q1);
    Ok(Marks::new(values, q1 - reach, q3 + reach))
}

/// Values whose modified z-score `0.6745 |x - median| / MAD` exceeds `threshold`, usually 3.5
/// (Iglewicz and Hoaglin, *How to Detect and Handle Outliers*, 1993). At least one value.
///
/// None if the MAD is zero, that is, if more than half of the values are equal: then every other
/// value would be infinitely far away.
pub fn mad_marks(values: &[f64], threshold: f64) -> Result<Option<Marks>, Error> {
    check::sample("sample", values, 1)?;
    check::between("threshold", threshold, 0.0, f64::INFINITY)?;
    let sorted = sorted(values);
    let (centre, mad) = (median_of_sorted(&sorted), raw_mad(&sorted));
    let reach = threshold * mad / 0.6745;
    Ok((mad > 0.0).then(|| Marks::new(values, centre - reach, centre + reach)))
}
