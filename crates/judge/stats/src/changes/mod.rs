//! Where does a history of values change, and by how much?
//!
//! The values are those of one metric, one for each revision, in their order. Whether they change
//! depends on their ranks alone, so outliers and a slow mode do no harm.
//!
//! 1. In each seeded interval ([`layers`]), the rank CUSUM says where the ranks before a place differ
//!    most from those behind it, and by how many standard deviations.
//! 2. The threshold is the quantile of the largest of all these statistics in a series without
//!    changes. It depends on the number of values alone (`null`, a table). Where values are
//!    autocorrelated it is multiplied by `sqrt((1 + rho) / (1 - rho))`, `rho` the autocorrelation of the ranks within
//!    segments.
//! 3. The narrowest interval over the threshold has the first change, the narrowest of those without
//!    a change the next one. Then each change is found again between its neighbours (`segments`).
//! 4. Each place moves to where the pairs of values that differ by half the step or more say, and its
//!    interval holds what permutation tests do not reject (`place`).
//!
//! The promise: if the values within each stretch between true changes are exchangeable, any of the
//! changes found is false in at most the stated share of series. False is a change whose evidence
//! comes from an interval in which nothing changed.
//!
//! Values may share noise by groups, as differences from one measurement of a control do (`sample`): then the promise is for
//! noise that is about normal.
//!
//! [`arrivals`] looks at values as they arrive.
//!
//! Sources: Pettitt, *Applied Statistics* 28 (1979); Baranowski, Chen and Fryzlewicz, *Journal of the
//! Royal Statistical Society B* 81 (2019); Kovács, Bühlmann, Li and Munk, *Biometrika* 110 (2023).

pub mod arrivals;
pub(crate) mod dependence;
mod intervals;
mod located;
mod null;
pub(crate) mod place;
pub(crate) mod sample;
pub(crate) mod scan;
pub(crate) mod segments;

use crate::check;
use crate::error::Error;
use crate::resampling::Resampling;
use sample::Sample;

pub use intervals::{SHORTEST, layers};
pub use located::Located;

/// Most places of a history.
pub const MOST_VALUES: usize = 200_000;

/// The level of the segments in which the autocorrelation is estimated, by the threshold of
/// independent values. It is the same whatever level is asked for, so that p-values do not depend on
/// that. At 5 % autocorrelated noise would be cut so often that little of the autocorrelation is
/// left, at 0.1 % many changes close to each other would pass for autocorrelation.
const REFERENCE_LEVEL: f64 = 0.01;

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Terms {
    /// Largest chance that a series without changes shows any, between 0 and 1. For a family of
    /// series, divide the level of the family by their number.
    pub level: f64,
    /// Confidence of each interval of places, between 0 and 1.
    pub confidence: f64,
    /// The random permutations behind the intervals of places. They change nothing else.
    pub resampling: Resampling,
}

/// A change of the level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change {
    /// The first value after the change, by its index in the series.
    pub place: usize,
    /// The earliest place that is not rejected. It may be a missing value: if the values in front of
    /// a change are missing, nobody knows which of them was the first after it.
    pub low: usize,
    /// The latest.
    pub high: usize,
    /// The largest rank CUSUM around the place between its neighbours, over the factor of the series.
    pub statistic: f64,
    /// Probability that a series as long, without any change, has as large a statistic anywhere.
    pub p: f64,
    /// Median of the values from the change before, or the start.
    pub before: f64,
    /// Median of the values up to the next change, or the end.
    pub after: f64,
}

impl Change {
    /// `after - before`. Too large on average, as are all sizes here: the values that chose the
    /// place are those that show the size. To know the size, measure both revisions once more.
    pub fn difference(&self) -> f64 {
        self.after - self.before
    }

    /// `after / before`, where both are positive.
    pub fn ratio(&self) -> Option<f64> {
        (self.before > 0.0 && self.after > 0.0).then(|| self.after / self.before)
    }
}

/// The changes of a series.
#[derive(Debug, Clone, PartialEq)]
pub struct Changes {
    /// In the order of their places.
    pub changes: Vec<Change>,
    /// p-value of "nothing changes anywhere"; 1 for fewer than [`SHORTEST`] values.
    pub p: f64,
    /// Number of values that are not missing.
    pub values: usize,
    /// Autocorrelation of the ranks within segments.
    pub autocorrelation: f64,
    /// What the threshold was multiplied by for it; at least 1.
    pub factor: f64,
}

/// The changes of a series in which values may be missing.
///
/// The p-value of each change is one for the whole series, so it holds for all changes of a series
/// together. For a family of `m` series, [`crate::multiplicity::holm`] over the p-values
/// [`Changes::p`] tells which series change at all; a single change is proven where `m` times its
/// [`Change::p`] is at most the level.
///
/// ```
/// use perflab_stats::Resampling;
/// use perflab_stats::changes::{Terms, changes};
///
/// let noise = |i: u32| f64::from(i * 37 % 11) / 10.0;
/// let series: Vec<Option<f64>> = (0..60)
///     .map(|i| (i % 7 != 6).then(|| noise(i) + if i < 40 { 100.0 } else { 101.0 }))
///     .collect();
/// let terms = Terms { level: 0.05, confidence: 0.95, resampling: Resampling { draws: 199, seed: 1 } };
/// let found = changes(&series, &terms)?;
/// assert_eq!(found.changes.len(), 1);
/// let change = found.changes[0];
/// assert_eq!(change.place, 40);
/// assert!(change.low <= 40 && change.high >= 40 && change.p < 0.001);
/// assert!((change.difference() - 1.0).abs() < 0.2);
/// # Ok::<(), perflab_stats::Error>(())
/// ```
///
/// # Errors
/// An unusable value, more than [`MOST_VALUES`] places, a level or a confidence outside (0, 1), no
/// draws or too many.
pub fn changes(series: &[Option<f64>], terms: &Terms) -> Result<Changes, Error> {
    Located::new(series, terms)?.described()
}

/// The changes of a series, each value with the number of its group: values of a group share noise, as differences from one
/// measurement of a control do. Of normal noise that of a group may have twice the variance of that of a value.
///
/// # Errors
/// As [`changes()`].
pub fn changes_of_groups(series: &[(f64, usize)], terms: &Terms) -> Result<Changes, Error> {
    Located::grouped(series, terms)?.described()
}

/// The ranks of the values of a series, each with the number of its group, freed of what groups share: without a change they
/// are about as likely in any order. Where many values are equal, those of the largest group, and nothing for the others.
///
/// # Errors
/// An unusable value, or more than [`MOST_VALUES`].
pub fn freed_of_groups(series: &[(f64, usize)]) -> Result<Vec<Option<f64>>, Error> {
    let (sample, places) = grouped(series)?;
    let scores = sample.scores(0..sample.len()).of;
    let mut freed = vec![None; series.len()];
    for (place, score) in places.into_iter().zip(scores) {
        freed[place] = Some(score as f64);
    }
    Ok(freed)
}

/// The largest rank CUSUM of a series over all its seeded intervals; 0 where all values are equal,
/// or fewer than [`SHORTEST`]. The statistic whose distribution [`Changes::p`] is of.
///
/// # Errors
/// An unusable value, or more than [`MOST_VALUES`].
pub fn strongest(values: &[f64]) -> Result<f64, Error> {
    check::sample("series", values, 0)?;
    few_enough(values.len())?;
    let peaks = scan::peaks(&Sample::alone(values.to_vec()));
    Ok(peaks
        .iter()
        .fold(0.0, |most, peak| peak.statistic.max(most)))
}

/// Probability that [`strongest`] of `n` values without ties in random order is as large. Good to
/// about 3 % where it is 0.001 or more, and to 20 % down to 1e-6; not less than 1e-12.
pub fn p_value(n: usize, statistic: f64) -> f64 {
    null::p(n, statistic)
}

/// The values that are there, and their places.
fn present(series: &[Option<f64>]) -> Result<(Vec<f64>, Vec<usize>), Error> {
    few_enough(series.len())?;
    let held = series.iter().enumerate();
    let (places, values): (Vec<usize>, Vec<f64>) = held
        .filter_map(|(place, value)| value.map(|value| (place, value)))
        .unzip();
    check::sample("series", &values, 0)?;
    Ok((values, places))
}

/// Values with the group of each, and the places of those that count.
fn grouped(series: &[(f64, usize)]) -> Result<(Sample, Vec<usize>), Error> {
    few_enough(series.len())?;
    let (values, groups): (Vec<f64>, Vec<usize>) = series.iter().copied().unzip();
    check::sample("series", &values, 0)?;
    Ok(Sample::grouped(values, &groups))
}

fn few_enough(found: usize) -> Result<(), Error> {
    if found > MOST_VALUES {
        return Err(Error::TooMany {
            what: "values of a series",
            most: MOST_VALUES,
            found,
            instead: "take the medians of a few neighbours each, or a shorter series",
        });
    }
    Ok(())
}

/// Autocorrelation within segments, and what it multiplies the threshold by.
fn dependence(sample: &Sample, peaks: &[scan::Peak]) -> (f64, f64) {
    let threshold = null::critical(sample.len(), REFERENCE_LEVEL);
    let segments = segments::found(sample, peaks, threshold);
    let places: Vec<usize> = segments.iter().map(|found| found.place).collect();
    let autocorrelation = dependence::autocorrelation(sample, &places);
    let factor = dependence::factor(autocorrelation, sample.len());
    (autocorrelation, factor)
}
