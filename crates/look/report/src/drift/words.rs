//! What is said of drift though nobody asked: what is proven, and what follows from it.

use super::is_same_subject;
use super::model::{Drift, Trend};
use crate::model::{Report, Row};
use crate::sections::row_label;

/// Adds a warning to the report if the machine drifted, and one to each row whose difference did.
pub(super) fn add_warnings(report: &mut Report) {
    report.warnings.extend(machine(report));
    let said: Vec<Option<String>> = all(report).map(|row| changed(row, report)).collect();
    let rows = report.rows.iter_mut().chain(&mut report.pooled);
    for (row, said) in rows.zip(said) {
        row.warnings.extend(said);
    }
}

/// The machine drifted if the baseline did, and some candidate as it did.
fn machine(report: &Report) -> Option<String> {
    let drifted = |rows: &[Row]| -> Vec<usize> {
        (0..rows.len())
            .filter(|index| is_the_machine(&rows[*index], report))
            .filter(|index| {
                !rows[..*index]
                    .iter()
                    .any(|row| is_same_subject(row, &rows[*index]) && is_the_machine(row, report))
            })
            .collect()
    };
    let (rows, found) = match drifted(&report.rows) {
        found if found.is_empty() => (&report.pooled, drifted(&report.pooled)),
        found => (&report.rows, found),
    };
    let size = |index: &usize| {
        rows[*index]
            .drift
            .as_ref()
            .map_or(0.0, |d| d.base.change.abs())
    };
    let largest = *found.iter().max_by(|a, b| size(a).total_cmp(&size(b)))?;
    let row = rows.get(largest)?;
    let base = &row.drift.as_ref()?.base;
    let others = match found.len() - 1 {
        0 => String::new(),
        count => format!(" and {count} more"),
    };
    Some(format!(
        "the machine drifted: {} was {} {} at the end than at the start ({} {}{others}); variants \
         were compared within blocks, so the differences do not carry that",
        report.baseline,
        base.size_in_words(row),
        base.direction(&row.metric),
        row_label(row),
        row.metric.name,
    ))
}

/// Whether the baseline drifted and this candidate went with it; the control goes with it in any
/// case, so it is asked only where there is nobody else.
fn is_the_machine(row: &Row, report: &Report) -> bool {
    let Some(drift) = &row.drift else {
        return false;
    };
    let is_control = |row: &Row| Some(&row.variant) == report.control.as_ref();
    let has_others = || all(report).any(|other| is_same_subject(other, row) && !is_control(other));
    drift.base.is_proven(report.confidence)
        && !drift.difference.is_proven(report.confidence)
        && !(is_control(row) && has_others())
}

/// The difference of a row changed.
fn changed(row: &Row, report: &Report) -> Option<String> {
    let drift = row.drift.as_ref()?;
    if !drift.difference.is_proven(report.confidence) {
        return None;
    }
    let change = ends(drift, row);
    if Some(&row.variant) == report.control.as_ref() {
        return Some(format!(
            "the control's difference changed: {change}; it is the baseline once more, so its \
             processes went different ways, or this is a false alarm"
        ));
    }
    let control = match control(row, report) {
        None => "there is no control to set it against".to_owned(),
        Some((row, trend)) if trend.is_proven(report.confidence) => {
            format!(
                "the control's changed too, by {}",
                trend.change_in_words(row)
            )
        }
        Some((row, trend)) => format!(
            "the control's moved by {}, which proves nothing",
            trend.change_in_words(row)
        ),
    };
    Some(format!(
        "the difference itself changed: {change}; {control}; how large it is depends on when one \
         looks"
    ))
}

/// `+0.4% in the first blocks, +3.9% in the last, a change of +3.5% [+2.8, +4.2]`.
fn ends(drift: &Drift, row: &Row) -> String {
    let trend = &drift.difference;
    let [start, end] = [trend.start, trend.end].map(|value| trend.difference_in_words(value, row));
    format!(
        "{start} in the first blocks, {end} in the last, a change of {}",
        trend.change_in_words(row)
    )
}

/// The difference of the control to the same baseline.
pub(super) fn control<'a>(row: &Row, report: &'a Report) -> Option<(&'a Row, &'a Trend)> {
    let control = report.control.as_ref()?;
    let of_control = all(report).find(|other| {
        &other.variant == control && is_same_subject(other, row) && other.drift.is_some()
    })?;
    Some((of_control, &of_control.drift.as_ref()?.difference))
}

fn all(report: &Report) -> impl Iterator<Item = &Row> {
    report.rows.iter().chain(&report.pooled)
}
