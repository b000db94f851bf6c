//! Where the changes of a series are, before the interval of each place is known: the intervals take most of the time.

use super::place::{Search, bounds, interval, settle};
use super::sample::Sample;
use super::segments::{Found, between, found};
use super::{Change, Changes, Terms, dependence, null, present, scan};
use crate::check;
use crate::error::Error;
use crate::resampling::Resampling;
use crate::summary::median;

/// The changes of a series, of each of which more can be asked.
#[derive(Debug, Clone)]
pub struct Located {
    sample: Sample,
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
        let (values, places) = present(series)?;
        Self::of(Sample::alone(values), places, terms)
    }

    /// The changes of a series, each value with the number of its group: values of a group share noise.
    ///
    /// # Errors
    /// As [`super::changes()`].
    pub fn grouped(series: &[(f64, usize)], terms: &Terms) -> Result<Self, Error> {
        let (sample, places) = super::grouped(series)?;
        Self::of(sample, places, terms)
    }

    fn of(sample: Sample, places: Vec<usize>, terms: &Terms) -> Result<Self, Error> {
        check::probability("level", terms.level)?;
        check::probability("confidence", terms.confidence)?;
        // A number of draws that cannot be made is told now, and not at the first interval.
        terms.resampling.random()?;
        let peaks = scan::peaks(&sample);
        let (autocorrelation, factor) = dependence(&sample, &peaks);
        let threshold = factor * null::critical(sample.len(), terms.level);
        let statistics = peaks.iter().map(|peak| peak.statistic);
        let mut found = found(&sample, &peaks, threshold);
        settle(&sample, &mut found);
        Ok(Self {
            found,
            search: Search {
                confidence: terms.confidence,
                draws: terms.resampling.draws,
                factor,
            },
            resampling: terms.resampling,
            largest: statistics.fold(0.0, f64::max),
            autocorrelation,
            sample,
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
        Some(self.outside(bounds(&self.sample, start..end, place, self.search)))
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
        let kept = interval(
            &self.sample,
            start..end,
            found.place,
            self.search,
            &mut random,
        );
        let (low, high) = self.outside(kept);
        Ok(Some(Change {
            place: self.places[found.place],
            low,
            high,
            statistic: found.statistic / self.search.factor,
            p: self.p(found),
            before: median(&self.sample.values[start..found.place])?,
            after: median(&self.sample.values[found.place..end])?,
        }))
    }

    /// All changes.
    pub(super) fn described(&self) -> Result<Changes, Error> {
        let changes = (0..self.len()).filter_map(|index| self.change(index).transpose());
        Ok(Changes {
            changes: changes.collect::<Result<_, _>>()?,
            p: null::p(self.sample.len(), self.largest / self.search.factor),
            values: self.sample.len(),
            autocorrelation: self.autocorrelation,
            factor: self.search.factor,
        })
    }

    fn p(&self, found: &Found) -> f64 {
        null::p(self.sample.len(), found.statistic / self.search.factor)
    }

    /// The values that a change shares with no other.
    fn stretch(&self, index: usize) -> (usize, usize) {
        let cuts: Vec<usize> = self.found.iter().map(|found| found.place).collect();
        between(&cuts, index, self.sample.len())
    }

    /// Places of the series for those among the values: where values in front of a change are missing, nobody knows
    /// which of them was the first after it.
    fn outside(&self, (low, high): (usize, usize)) -> (usize, usize) {
        (self.places[low - 1] + 1, self.places[high])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Percent above the control, of a program that takes four times as long from the 14th revision on.
    const MEASURED: [i32; 47] = [
        0, -2, 1, 3, -4, 0, 2, -1, 1, 0, -3, 2, 1, 292, 280, 290, 292, 283, 304, 304, 290, 295,
        299, 291, 296, 308, 289, 298, 300, 293, 297, 295, 296, 299, 305, 290, 298, 289, 293, 295,
        302, 299, 295, 292, 292, 297, 305,
    ];

    fn found(values: &[f64]) -> Vec<Change> {
        let resampling = Resampling {
            draws: 999,
            seed: 1,
        };
        let terms = Terms {
            level: 0.05,
            confidence: 0.95,
            resampling,
        };
        let series: Vec<_> = values.iter().copied().map(Some).collect();
        Located::new(&series, &terms)
            .unwrap()
            .described()
            .unwrap()
            .changes
    }

    #[test]
    fn the_place_of_a_large_step_with_few_values_in_front_of_it_is_exact() {
        for sign in [1.0, -1.0] {
            let mut values = MEASURED.map(|value| sign * f64::from(value));
            for first in [13, 34] {
                let found = found(&values);
                let [change] = found[..] else {
                    panic!("{found:?}")
                };
                assert_eq!(change.place, first);
                assert!(
                    change.low + 1 >= first && change.high <= first + 1,
                    "{change:?}"
                );
                values.reverse();
            }
        }
    }
}
