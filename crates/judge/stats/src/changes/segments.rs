//! From the peaks of all intervals to the changes: the narrowest interval over the threshold first,
//! then each change once more between its neighbours.
//!
//! Source: Baranowski, Chen and Fryzlewicz, *Journal of the Royal Statistical Society B* 81 (2019).
//!
//! A narrow interval holds one change only, so its peak is where the change is and not between two;
//! but it uses few of the values. So the places are found again with all values between the
//! neighbouring changes. The evidence of a change is the largest peak of a seeded interval that
//! holds its place and that lies between its neighbours: the chance that any interval without a
//! change has as large a peak is what [`super::null`] tells.

use std::ops::Range;

use super::sample::Sample;
use super::scan::{Peak, largest, scores};

/// Rounds after which the places are taken as they are.
const ROUNDS: usize = 20;

/// A change, and the largest statistic that shows it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Found {
    pub(crate) place: usize,
    pub(crate) statistic: f64,
    /// The places within the interval that shows it.
    pub(super) evidence: Range<usize>,
}

/// The changes of a series, whose peaks are given, that reach `threshold`; in order.
pub(crate) fn found(sample: &Sample, peaks: &[Peak], threshold: f64) -> Vec<Found> {
    let mut over: Vec<&Peak> = peaks
        .iter()
        .filter(|peak| peak.statistic >= threshold)
        .collect();
    over.sort_by(|a, b| {
        let by_length = a.within.len().cmp(&b.within.len());
        by_length.then(b.statistic.total_cmp(&a.statistic))
    });
    let mut places = Vec::new();
    for _ in 0..ROUNDS {
        let before = places.clone();
        add(&mut places, &over);
        relocate(&mut places, sample, &over);
        drop_weak(&mut places, sample, &over);
        if places == before {
            break;
        }
    }
    let evidence = strongest(&places, &over);
    let found = places.iter().zip(evidence);
    found
        .filter_map(|(&place, peak)| {
            let peak = peak?;
            Some(Found {
                place,
                statistic: peak.statistic,
                evidence: peak.within.start + 1..peak.within.end,
            })
        })
        .collect()
}

/// Enters the place of each peak whose interval has no change yet, from narrow to wide.
fn add(places: &mut Vec<usize>, over: &[&Peak]) {
    for peak in over {
        let next = places.partition_point(|place| *place <= peak.within.start);
        let is_free = places
            .get(next)
            .is_none_or(|place| *place >= peak.within.end);
        if is_free {
            places.insert(next, peak.place);
        }
    }
}

/// Moves each place to where the CUSUM between its neighbours is largest, one after the other; but
/// not out of the interval that is its evidence.
fn relocate(places: &mut [usize], sample: &Sample, over: &[&Peak]) {
    let evidence = strongest(places, over);
    for (index, peak) in evidence.into_iter().enumerate() {
        let Some(peak) = peak else { continue };
        let (start, end) = between(places, index, sample.len());
        let ranked = scores(&sample.values[start..end]);
        let scores = sample.around(places[index], start..end, ranked);
        let whole = largest(&scores.of, scores.squares).map(|(place, _)| start + place);
        let is_inside = |place: &usize| *place > peak.within.start && *place < peak.within.end;
        places[index] = whole.filter(is_inside).unwrap_or(peak.place);
    }
}

/// Drops changes until each has evidence of its own; of several without, the smallest step first.
fn drop_weak(places: &mut Vec<usize>, sample: &Sample, over: &[&Peak]) {
    loop {
        let evidence = strongest(places, over);
        let without = (0..places.len()).filter(|index| evidence[*index].is_none());
        let steps = without.map(|index| (step(places, index, sample), index));
        match steps.min_by(|a, b| a.0.total_cmp(&b.0)) {
            Some((_, index)) => places.remove(index),
            None => return,
        };
    }
}

/// The largest CUSUM between the neighbours of a place.
fn step(places: &[usize], index: usize, sample: &Sample) -> f64 {
    let (start, end) = between(places, index, sample.len());
    let scores = sample.scores(start..end);
    largest(&scores.of, scores.squares).map_or(0.0, |(_, statistic)| statistic)
}

/// The stretch that a place shares with no other: from the one before to the next one.
pub(super) fn between(places: &[usize], index: usize, n: usize) -> (usize, usize) {
    let start = index.checked_sub(1).map_or(0, |before| places[before]);
    (start, places.get(index + 1).copied().unwrap_or(n))
}

/// For each place, the largest peak whose interval holds it and no other.
fn strongest<'a>(places: &[usize], over: &[&'a Peak]) -> Vec<Option<&'a Peak>> {
    let mut strongest: Vec<Option<&Peak>> = vec![None; places.len()];
    for peak in over {
        let index = places.partition_point(|place| *place <= peak.within.start);
        let holds = |index: usize| {
            let place = places.get(index);
            place.is_some_and(|place| *place < peak.within.end)
        };
        if holds(index) && !holds(index + 1) {
            let is_larger = strongest[index].is_none_or(|other| other.statistic < peak.statistic);
            if is_larger {
                strongest[index] = Some(peak);
            }
        }
    }
    strongest
}
