//! Where the changes of a series are, before the interval of each place is known: the intervals take most of the time.

use super::place::{Search, bounds, interval};
use super::segments::{Found, between, found};
use super::{Change, Changes, Terms, dependence, null, present, scan};
use crate::check;
use crate::error::Error;
use crate::resampling::Resampling;
use crate::summary::median;

/// The changes of a series, of each of which more can be asked.
#[derive(Debug, Clone)]
pub struct Located {
    values: Vec<f64>,
    /// The place of each value in the series, in which values may be missing.
    places: Vec<usize>,
    found: Vec<Found>,
    search: Search,
    resampling: Resampling,
    /// The largest rank CUSUM of the series.
    largest: f64,
    autocorrelation: f64,
}

impl Located {
    /// The changes of a series in which values may be missing.
    ///
    /// # Errors
    /// As [`super::changes()`].
    pub fn new(series: &[Option<f64>], terms: &Terms) -> Result<Self, Error> {
        check::probability("level", terms.level)?;
        check::probability("confidence", terms.confidence)?;
        // A number of draws that cannot be made is told now, and not at the first interval.
        terms.resampling.random()?;
        let (values, places) = present(series)?;
        let peaks = scan::peaks(&values);
        let (autocorrelation, factor) = dependence(&values, &peaks);
        let threshold = factor * null::critical(values.len(), terms.level);
        let statistics = peaks.iter().map(|peak| peak.statistic);
        Ok(Self {
            found: found(&values, &peaks, threshold),
            search: Search {
                confidence: terms.confidence,
                draws: terms.resampling.draws,
                factor,
            },
            resampling: terms.resampling,
            largest: statistics.fold(0.0, f64::max),
            autocorrelation,
            values,
            places,
        })
    }

    /// Number of changes.
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// [`Change::place`] and [`Change::p`] of each, in the order of their places.
    pub fn places(&self) -> impl Iterator<Item = (usize, f64)> {
        let place = |found: &Found| (self.places[found.place], self.p(found));
        self.found.iter().map(place)
    }

    /// Least [`Change::low`] and largest [`Change::high`] that a change may have, which takes little time to find. Nothing
    /// if there is no change of this index.
    pub fn bounds(&self, index: usize) -> Option<(usize, usize)> {
        let place = self.found.get(index)?.place;
        let (start, end) = self.stretch(index);
        let (low, high) = bounds(&self.values[start..end], place - start, self.search);
        Some(self.outside((start + low, start + high)))
    }

    /// All that is known of a change; the draws for it begin with the seed, whatever was asked before. Nothing if there is
    /// no change of this index.
    ///
    /// # Errors
    /// None that [`Self::new`] does not report.
    pub fn change(&self, index: usize) -> Result<Option<Change>, Error> {
        let Some(found) = self.found.get(index) else {
            return Ok(None);
        };
        let (start, end) = self.stretch(index);
        let mut random = self.resampling.random()?;
        let stretch = &self.values[start..end];
        let (before, after) = stretch.split_at(found.place - start);
        let (low, high) = interval(stretch, found.place - start, self.search, &mut random);
        let (low, high) = self.outside((start + low, start + high));
        Ok(Some(Change {
            place: self.places[found.place],
            low,
            high,
            statistic: found.statistic / self.search.factor,
            p: self.p(found),
            before: median(before)?,
            after: median(after)?,
        }))
    }

    /// All changes.
    pub(super) fn described(&self) -> Result<Changes, Error> {
        let changes = (0..self.len()).filter_map(|index| self.change(index).transpose());
        Ok(Changes {
            changes: changes.collect::<Result<_, _>>()?,
            p: null::p(self.values.len(), self.largest / self.search.factor),
            values: self.values.len(),
            autocorrelation: self.autocorrelation,
            factor: self.search.factor,
        })
    }

    fn p(&self, found: &Found) -> f64 {
        null::p(self.values.len(), found.statistic / self.search.factor)
    }

    /// The values that a change shares with no other.
    fn stretch(&self, index: usize) -> (usize, usize) {
        let cuts: Vec<usize> = self.found.iter().map(|found| found.place).collect();
        between(&cuts, index, self.values.len())
    }

    /// Places of the series for those among the values: where values in front of a change are missing, nobody knows
    /// which of them was the first after it.
    fn outside(&self, (low, high): (usize, usize)) -> (usize, usize) {
        (self.places[low - 1] + 1, self.places[high])
    }
}
