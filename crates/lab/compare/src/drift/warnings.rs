//! What is to be known of drift though nobody asked: what is proven.

use crate::comparison::Comparison;
use crate::row::Row;
use crate::row_warning::RowWarning;
use crate::warning::Warning;

/// Adds a warning to the report if the machine drifted, and one to each row whose difference did.
pub(super) fn add(report: &mut Comparison) {
    report.warnings.extend(machine(report));
    let confidence = report.confidence;
    for row in report.all_rows_mut() {
        let drift = row.drift.as_ref();
        if drift.is_some_and(|drift| drift.difference.is_proven(confidence)) {
            row.warnings.push(RowWarning::DifferenceDrifted);
        }
    }
}

/// The machine drifted if the baseline did, and some candidate as it did.
fn machine(report: &Comparison) -> Option<Warning> {
    let drifted = |rows: &[Row]| -> Vec<usize> {
        (0..rows.len())
            .filter(|index| is_the_machine(&rows[*index], report))
            .filter(|index| {
                !rows[..*index]
                    .iter()
                    .any(|row| row.key == rows[*index].key && is_the_machine(row, report))
            })
            .collect()
    };
    let (rows, found) = match drifted(&report.rows) {
        found if found.is_empty() => (&report.pooled, drifted(&report.pooled)),
        found => (&report.rows, found),
    };
    let size = |index: &usize| {
        let drift = rows[*index].drift.as_ref();
        drift.map_or(0.0, |drift| drift.base.change.abs())
    };
    let largest = *found.iter().max_by(|a, b| size(a).total_cmp(&size(b)))?;
    let row = rows.get(largest)?;
    Some(Warning::MachineDrifted {
        subject: Box::new(row.key.clone()),
        level: Box::new(row.drift.as_ref()?.base.clone()),
        relative: row.relative,
        others: found.len() - 1,
    })
}

/// Whether the baseline drifted and this candidate went with it; the control goes with it in any
/// case, so it is asked only where there is nobody else.
fn is_the_machine(row: &Row, report: &Comparison) -> bool {
    let Some(drift) = &row.drift else {
        return false;
    };
    let has_others = || {
        let mut rows = report.all_rows();
        rows.any(|other| other.key == row.key && !report.is_control(other))
    };
    drift.base.is_proven(report.confidence)
        && !drift.difference.is_proven(report.confidence)
        && !(report.is_control(row) && has_others())
}
