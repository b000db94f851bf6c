//! Drift: whether the levels of a row, and their difference, moved from the first block to the last.
//!
//! Levels and differences are two families of tests, apart from the tests of the report: at most
//! 5 % (at a confidence of 95 %) that any level is falsely said to drift, and the same for any
//! difference.

mod warnings;

use perflab_stats::drift::drift;
use perflab_stats::location::Scale;
use perflab_stats::multiplicity::holm;

use crate::comparison::Comparison;
use crate::row::Row;
use crate::selection::Selection;
use crate::subject::Group;
use crate::trend::{Drift, Trend};

/// The drift of two variants; nothing where they have too few blocks.
pub(crate) fn drift_of(
    base: &Group,
    candidate: &Group,
    relative: bool,
    selection: &Selection,
) -> Option<Drift> {
    let scale = if relative { Scale::Ratio } else { Scale::Shift };
    let sides = [&base.observations, &candidate.observations];
    let found = drift(sides[0], sides[1], scale, selection.confidence).ok()?;
    // The tests are for a fixed number of blocks.
    let is_estimate = selection.anytime;
    Some(Drift {
        base: Trend::of(&found.base, is_estimate),
        candidate: Trend::of(&found.candidate, is_estimate),
        difference: Trend::of(&found.difference, is_estimate),
    })
}

/// Shares the error among the tests of drift, and adds warnings about what is proven. Where
/// the order of runs was not random within blocks, drift is forgotten: it would be part of the
/// difference.
pub fn settle_drift(report: &mut Comparison) {
    if !report.design.randomised {
        report.all_rows_mut().for_each(|row| row.drift = None);
        return;
    }
    let mut rows: Vec<&mut Row> = report.all_rows_mut().collect();
    share_among_levels(&mut rows);
    adjust(
        rows.iter_mut()
            .filter_map(|row| Some(&mut row.drift.as_mut()?.difference)),
    );
    warnings::add(report);
}

/// The baseline's level stands in the row of every candidate, and is one test.
fn share_among_levels(rows: &mut [&mut Row]) {
    let firsts: Vec<usize> = (0..rows.len())
        .map(|index| {
            let same = |row: &&mut Row| row.key == rows[index].key;
            rows.iter().position(same).unwrap_or(index)
        })
        .collect();
    let levels = rows.iter_mut().enumerate().flat_map(|(index, row)| {
        let drift = row.drift.as_mut();
        drift.into_iter().flat_map({
            let is_first = firsts.get(index) == Some(&index);
            move |drift| {
                let base = is_first.then_some(&mut drift.base);
                base.into_iter().chain([&mut drift.candidate])
            }
        })
    });
    adjust(levels);
    for (index, first) in firsts.into_iter().enumerate() {
        let adjusted = rows[first]
            .drift
            .as_ref()
            .and_then(|drift| drift.base.p_adjusted);
        if let Some(drift) = &mut rows[index].drift {
            drift.base.p_adjusted = adjusted;
        }
    }
}

fn adjust<'a>(family: impl Iterator<Item = &'a mut Trend>) {
    let mut family: Vec<(&mut Trend, f64)> = family
        .filter_map(|trend| trend.p.map(|p| (trend, p)))
        .collect();
    let alone: Vec<f64> = family.iter().map(|(_, p)| *p).collect();
    // Fails for what is no p-value only; then nothing is proven.
    let adjusted = holm(&alone).unwrap_or_default();
    for ((trend, _), adjusted) in family.iter_mut().zip(adjusted) {
        trend.p_adjusted = Some(adjusted);
    }
}
