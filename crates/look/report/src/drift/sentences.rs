//! What is proven of drift, in sentences.

use perflab_compare::{Comparison, Drift, Row, SubjectKey, Trend};

use super::trend::{change, difference, direction, size};
use crate::sections::subject_label;

/// That the machine drifted: the baseline's level at a subject, and at `others` more.
pub fn machine(
    subject: &SubjectKey,
    level: &Trend,
    relative: bool,
    others: usize,
    report: &Comparison,
) -> String {
    let others = match others {
        0 => String::new(),
        count => format!(" and {count} more"),
    };
    format!(
        "the machine drifted: {} was {} {} at the end than at the start ({} {}{others}); variants \
         were compared within blocks, so the differences do not carry that",
        report.baseline,
        size(level, relative, &subject.metric.unit),
        direction(level, &subject.metric),
        subject_label(subject),
        subject.metric.name,
    )
}

/// The difference of a row changed.
pub fn changed(row: &Row, report: &Comparison) -> Option<String> {
    let drift = row.drift.as_ref()?;
    let ends = ends(drift, row);
    if report.is_control(row) {
        return Some(format!(
            "the control's difference changed: {ends}; it is the baseline once more, so its \
             processes went different ways, or this is a false alarm"
        ));
    }
    let control = match control(row, report) {
        None => "there is no control to set it against".to_owned(),
        Some((row, trend)) if trend.is_proven(report.confidence) => {
            format!("the control's changed too, by {}", change(trend, row))
        }
        Some((row, trend)) => format!(
            "the control's moved by {}, which proves nothing",
            change(trend, row)
        ),
    };
    Some(format!(
        "the difference itself changed: {ends}; {control}; how large it is depends on when one \
         looks"
    ))
}

/// `+0.4% in the first blocks, +3.9% in the last, a change of +3.5% [+2.8, +4.2]`.
fn ends(drift: &Drift, row: &Row) -> String {
    let trend = &drift.difference;
    let [start, end] = [trend.start, trend.end].map(|value| difference(trend, value, row));
    format!(
        "{start} in the first blocks, {end} in the last, a change of {}",
        change(trend, row)
    )
}

/// The difference of the control to the same baseline.
pub(super) fn control<'a>(row: &Row, report: &'a Comparison) -> Option<(&'a Row, &'a Trend)> {
    let of_control = report
        .all_rows()
        .find(|other| report.is_control(other) && other.key == row.key && other.drift.is_some())?;
    Some((of_control, &of_control.drift.as_ref()?.difference))
}
