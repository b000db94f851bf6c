//! The values of a series, and the groups whose values share noise.
//!
//! Values that are differences from one measurement of a control are all too large or all too small, by its noise. Where a
//! group begins, such a series has a step though nothing changes. So within a stretch of `l` values with ranks `r`, each
//! value is brought nearer to the others by a part of what its group is off: for `m` values of a group, with mean rank `g`
//! within the stretch,
//!
//! `z = r - (1 - 1 / sqrt(1 + SHARED m)) (g - (l + 1) / 2)`,
//!
//! and the ranks of `z` take the place of `r`. If noise is normal, and that of a group has `SHARED` times the variance of
//! that of a value, then `z` is independent and of one variance (the inverse root of a matrix with one value on its diagonal
//! and another one within groups). What remains of a step between two groups is `1 / sqrt(1 + SHARED m)` of it, of a step
//! within a group all.

use std::borrow::Cow;
use std::ops::Range;

use super::scan::scores;

/// Variance of the noise that a group shares, over that of the noise of a value alone.
///
/// It is 1 where a control has as many runs as each value and varies like it. With 2, false changes are rare also where the
/// control varies more, or has a slow mode.
const SHARED: f64 = 2.0;

/// `2 z` that are as close are equal: they differ by how they were rounded.
const EQUAL: f64 = 1e-6;

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

    /// Values with the group of each.
    pub(crate) fn grouped(values: Vec<f64>, groups: &[usize]) -> Self {
        let mut known: Vec<usize> = groups.to_vec();
        known.sort_unstable();
        known.dedup();
        let place = |group: &usize| known.partition_point(|other| other < group);
        // A group of its own for each changes no rank.
        let groups = match known.len() == values.len() {
            true => Vec::new(),
            false => groups.iter().map(place).collect(),
        };
        Self { values, groups }
    }

    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether no values share noise.
    pub(super) fn is_alone(&self) -> bool {
        self.groups.is_empty()
    }

    /// `2 r - l - 1` of the values of a stretch of constant level, freed of what groups share, and the sum of `t^3 - t` over
    /// groups of `t` equal ones.
    pub(super) fn scores(&self, within: Range<usize>) -> (Vec<i64>, f64) {
        let ranked = scores(&self.values[within.clone()]);
        match self.is_alone() {
            true => ranked,
            false => scores(&self.freed(&ranked.0, |_| 0.0, within, &mut Vec::new())),
        }
    }

    /// The values of a stretch with one change, in front of `place`, freed of what groups share.
    pub(super) fn around(&self, place: usize, within: Range<usize>) -> Cow<'_, [f64]> {
        let values = &self.values[within.clone()];
        if self.is_alone() {
            return Cow::Borrowed(values);
        }
        let (ranked, _) = scores(values);
        let (before, after) = ranked.split_at(place - within.start);
        let levels = [mean(before), mean(after)];
        let level = |index: usize| levels[usize::from(index >= before.len())];
        Cow::Owned(self.freed(&ranked, level, within, &mut Vec::new()))
    }

    /// `2 z` about 0, from `2 r - l - 1` and the level of each. `sums` is left as it was found: it saves an allocation.
    pub(super) fn freed(
        &self,
        ranked: &[i64],
        level: impl Fn(usize) -> f64,
        within: Range<usize>,
        sums: &mut Vec<(f64, f64)>,
    ) -> Vec<f64> {
        let groups = &self.groups[within];
        for (index, (group, score)) in groups.iter().zip(ranked).enumerate() {
            if sums.len() <= *group {
                sums.resize(group + 1, (0.0, 0.0));
            }
            let (sum, count) = &mut sums[*group];
            *sum += *score as f64 - level(index);
            *count += 1.0;
        }
        let freed = groups.iter().zip(ranked).map(|(group, score)| {
            let (sum, count) = sums[*group];
            let off = (1.0 - (1.0 + SHARED * count).powf(-0.5)) * sum / count;
            ((*score as f64 - off) / EQUAL).round()
        });
        let freed = freed.collect();
        for group in groups {
            sums[*group] = (0.0, 0.0);
        }
        freed
    }
}

fn mean(scores: &[i64]) -> f64 {
    scores.iter().sum::<i64>() as f64 / scores.len().max(1) as f64
}
