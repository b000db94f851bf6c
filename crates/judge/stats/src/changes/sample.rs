//! The values of a series, and the groups whose values share noise.
//!
//! Values that are differences from one measurement of a control are all too large or all too small, by its noise. Where a
//! group begins, such a series has a step though nothing changes. So within a stretch of `l` values with ranks `r`, each
//! value is brought nearer to the others by a part of what its group is off: for `m` values of a group, with mean rank `g`
//! within the stretch,
//!
//! `z = r - (1 - 1 / sqrt(1 + SHARED m)) (g - (l + 1) / 2)`,
//!
//! and `z` takes the place of `r`. If noise is normal, and that of a group has `SHARED` times the variance of that of a
//! value, then `z` is independent and of one variance (the inverse root of a matrix with one value on its diagonal and
//! another one within groups). What remains of a step between two groups is `1 / sqrt(1 + SHARED m)` of it, of a step
//! within a group all. The ranks of `z` would not do: of equal values they would make as many ranks as there are groups.

use std::ops::Range;

use super::scan::{Scores, scores, squares};

/// Variance of the noise that a group shares, over that of the noise of a value alone.
///
/// It is 1 where a control has as many runs as each value and varies like it. With 2, false changes are rare also where the
/// control varies more, or has a slow mode.
const SHARED: f64 = 2.0;

/// Part of the squares of ranks that is left where so many values are equal that groups cannot be brought nearer.
const FEW_EQUAL: f64 = 0.85;

/// Scores are whole numbers: so many to a unit of `2 z`.
const FINE: f64 = 1024.0;

/// The values of a series.
#[derive(Debug, Clone)]
pub(crate) struct Sample {
    pub(super) values: Vec<f64>,
    /// The group of each value, counted from 0; nothing where no values share noise.
    groups: Vec<usize>,
}

impl Sample {
    /// Values that share no noise.
    pub(crate) fn alone(values: Vec<f64>) -> Self {
        let groups = Vec::new();
        Self { values, groups }
    }

    /// Values with the group of each, and the places of those that count.
    ///
    /// Where so many are equal that a rank tells little, a whole group that is off looks like a level, whatever is taken from
    /// it. So only the values of the largest group count then: they share all that groups share.
    pub(crate) fn grouped(mut values: Vec<f64>, groups: &[usize]) -> (Self, Vec<usize>) {
        let mut places: Vec<usize> = (0..values.len()).collect();
        let mut known: Vec<usize> = groups.to_vec();
        known.sort_unstable();
        let untied = squares(values.len(), 0.0);
        if sum_of_squares(&scores(&values).of) < FEW_EQUAL * untied {
            let parts = known.chunk_by(|one, other| one == other);
            let largest = parts.max_by_key(|part| part.len());
            let largest = largest.and_then(|part| part.first().copied());
            places.retain(|place| Some(groups[*place]) == largest);
            values = places.iter().map(|place| values[*place]).collect();
            return (Self::alone(values), places);
        }
        known.dedup();
        let place = |group: &usize| known.partition_point(|other| other < group);
        // A group of its own for each changes no rank.
        let groups = match known.len() == values.len() {
            true => Vec::new(),
            false => groups.iter().map(place).collect(),
        };
        (Self { values, groups }, places)
    }

    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether no values share noise.
    pub(super) fn is_alone(&self) -> bool {
        self.groups.is_empty()
    }

    /// The scores of a stretch of constant level, freed of what groups share.
    pub(super) fn scores(&self, within: Range<usize>) -> Scores {
        let ranked = scores(&self.values[within.clone()]);
        match self.is_alone() {
            true => ranked,
            false => self.freed(&ranked, |_| 0.0, within, &mut Vec::new()),
        }
    }

    /// Scores of a stretch with one change, in front of `place`, freed of what groups share.
    pub(super) fn around(&self, place: usize, within: Range<usize>, ranked: Scores) -> Scores {
        if self.is_alone() {
            return ranked;
        }
        let (before, after) = ranked.of.split_at(place - within.start);
        let levels = [mean(before), mean(after)];
        let level = |index: usize| levels[usize::from(index >= before.len())];
        self.freed(&ranked, level, within, &mut Vec::new())
    }

    /// `2 z` about its mean from `2 r - l - 1` and the level of each. `sums` is left as it was found: it saves an
    /// allocation.
    pub(super) fn freed(
        &self,
        ranked: &Scores,
        level: impl Fn(usize) -> f64,
        within: Range<usize>,
        sums: &mut Vec<(f64, f64)>,
    ) -> Scores {
        let groups = &self.groups[within];
        for (index, (group, score)) in groups.iter().zip(&ranked.of).enumerate() {
            if sums.len() <= *group {
                sums.resize(group + 1, (0.0, 0.0));
            }
            let (sum, count) = &mut sums[*group];
            *sum += *score as f64 - level(index);
            *count += 1.0;
        }
        let freed = groups.iter().zip(&ranked.of).map(|(group, score)| {
            let (sum, count) = sums[*group];
            let off = (1.0 - (1.0 + SHARED * count).powf(-0.5)) * sum / count;
            *score as f64 - off
        });
        let freed: Vec<f64> = freed.collect();
        for group in groups {
            sums[*group] = (0.0, 0.0);
        }
        let centre = freed.iter().sum::<f64>() / freed.len().max(1) as f64;
        let of = freed.iter().map(|z| (FINE * (z - centre)).round() as i64);
        let of: Vec<i64> = of.collect();
        // Many equal values are no less reason for caution than without groups.
        let squares = sum_of_squares(&of) * ranked.caution();
        Scores { of, squares }
    }
}

pub(super) fn sum_of_squares(scores: &[i64]) -> f64 {
    scores.iter().map(|score| (*score as f64).powi(2)).sum()
}

fn mean(scores: &[i64]) -> f64 {
    scores.iter().sum::<i64>() as f64 / scores.len().max(1) as f64
}
