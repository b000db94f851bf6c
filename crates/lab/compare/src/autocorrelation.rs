//! Runs that are autocorrelated: the machine changed while they were made.

use perflab_stats::dependence::{looks_dependent, without_medians};
use perflab_store::RunRecord;

use crate::comparison::Comparison;
use crate::row::Row;
use crate::row_warning::RowWarning;
use crate::sample_index::SampleIndex;

/// Adds a warning to every row whose runs, in the order of execution, are autocorrelated.
pub(crate) fn warn_of_autocorrelation(
    report: &mut Comparison,
    records: &[RunRecord],
    places: &SampleIndex,
) {
    for row in &mut report.rows {
        // That the machine drifted is said already.
        let drift = row.drift.as_ref();
        if drift.is_some_and(|drift| drift.base.is_proven(report.confidence)) {
            continue;
        }
        // Runs that share a build or a start are alike for that.
        if [&row.base, &row.candidate]
            .iter()
            .any(|side| side.values.len() != side.n)
        {
            continue;
        }
        let sides = [report.baseline.as_str(), &row.variant];
        if looks_dependent(&without_medians(&in_order(row, sides, records, places))) {
            row.warnings.push(RowWarning::Autocorrelated);
        }
    }
}

/// The side of each run and its value, or the logarithm where differences are relative.
fn in_order(
    row: &Row,
    sides: [&str; 2],
    records: &[RunRecord],
    places: &SampleIndex,
) -> Vec<(usize, f64)> {
    let mut runs: Vec<(usize, usize, f64)> = Vec::new();
    for (side, variant) in sides.into_iter().enumerate() {
        for (place, _, sample) in places.of_row(row, variant, records) {
            let value = if row.relative {
                sample.value.ln()
            } else {
                sample.value
            };
            runs.push((place, side, value));
        }
    }
    runs.sort_by_key(|(place, ..)| *place);
    runs.into_iter()
        .map(|(_, side, value)| (side, value))
        .collect()
}
