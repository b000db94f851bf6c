//! A history as text.

use std::ops::Range;

use perflab_experiment::counted;
use perflab_history::{
    ControlFailure, Revision, RunFailure, Seen, Series, Unmeasured, Value, View, subject_name,
};
use perflab_plot::clean;

use crate::aligned::aligned;
use crate::difference::{Differences, Estimate};
use crate::number::value_with_unit;

/// Marks a revision that the branch does not have.
pub const OFF_BRANCH: &str = "(not on the branch)";

/// Says why values have no interval, or one without an end. Builds have none, as each value is that of a single one.
pub(crate) fn no_interval<'v>(
    values: impl IntoIterator<Item = (&'v Series, &'v Value)>,
) -> &'static str {
    let is_open = |(series, value): (&Series, &Value)| {
        !series.is_of_builds && (value.low.is_none() || value.high.is_none())
    };
    match values.into_iter().any(is_open) {
        true => "no interval, or … as its end: the runs are too few or too uneven\n",
        false => "",
    }
}

/// From the lowest to the highest bar.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// What is known of each revision: a table for each series that is wanted, then what could not be built, and what failed.
pub fn history_text(view: &View, wanted: impl Fn(&Series) -> bool) -> String {
    let mut text = head(view);
    let shown = view.series.iter().filter(|series| wanted(series));
    for series in shown.clone() {
        text.push('\n');
        text += &table(view, series);
    }
    let values = shown.flat_map(|series| series.values.iter().map(move |value| (series, value)));
    let note = no_interval(values);
    if !note.is_empty() {
        text += &format!("\n{note}");
    }
    text += &list(view, "not built", |seen| {
        let build = seen.build.as_ref().filter(|_| seen.is_unbuilt())?;
        Some(build.detail.clone().unwrap_or_default())
    });
    text += &list(view, "not measured", |seen| {
        let why = view.why_unmeasured(seen)?;
        let failure = seen.failure.as_ref().map(ToString::to_string);
        Some(failure.unwrap_or_else(|| unmeasured(why).to_owned()))
    });
    text += &list(view, "runs failed", |seen| {
        let failure = seen.failure.as_ref();
        let failure = failure.filter(|_| view.why_unmeasured(seen).is_none());
        Some(failure?.to_string())
    });
    let sentences = control_failure_sentences(view);
    if !sentences.is_empty() {
        text += &format!("\n{}\n", sentences.join("\n"));
    }
    text
}

/// The workloads of which revisions have no value as the control failed, a sentence each.
pub fn control_failure_sentences(view: &View) -> Vec<String> {
    let found = view.control_failures.iter();
    let sentence = |found: &ControlFailure| {
        let revisions = counted(found.revisions.len(), "revision");
        format!(
            "no value of {revisions}, {}",
            why_of_control(view, &found.failure)
        )
    };
    found.map(sentence).collect()
}

/// Why revisions have no value of a workload: how the control failed.
pub fn why_of_control(view: &View, failure: &RunFailure) -> String {
    let control = view
        .control
        .as_ref()
        .map_or_else(String::new, Revision::name);
    clean(&format!(
        "as all runs of the control {control} in campaign {} failed: {failure}",
        failure.campaign
    ))
}

/// Why a revision has no value.
pub fn unmeasured(why: Unmeasured) -> &'static str {
    match why {
        Unmeasured::Failed => "no run of it passed",
        Unmeasured::ControlFailed => "its runs passed, but those of the control failed",
        Unmeasured::NoRun => "no run of it was made",
    }
}

/// The revisions of which there is something to tell, a line each.
fn list(view: &View, heading: &str, detail: impl Fn(&Seen) -> Option<String>) -> String {
    let rows = view.revisions.iter().filter_map(|seen| {
        let detail = clean(&detail(seen)?);
        Some([seen.revision.date(), seen.revision.name(), detail])
    });
    let rows: Vec<[String; 3]> = rows.collect();
    match rows.is_empty() {
        true => String::new(),
        false => format!("\n{heading}:\n{}", aligned(&rows, 3)),
    }
}

fn head(view: &View) -> String {
    let control = view.control.as_ref().map_or_else(String::new, |control| {
        format!(
            "; differences are from {} of {}",
            control.name(),
            control.date()
        )
    });
    format!(
        "{}: {} measured in {}{control}\n",
        view.name,
        counted(view.measured().count(), "revision"),
        counted(view.campaigns, "campaign"),
    )
}

fn table(view: &View, series: &Series) -> String {
    let unit = &series.subject.metric.unit;
    let mut text = format!(
        "{}, {} at the control\n",
        clean(&subject_name(&series.subject)),
        value_with_unit(series.control, unit)
    );
    let bars = bars(series);
    if !bars.is_empty() {
        text += &format!("{bars}\n");
    }
    let estimate = |value: &Value| Estimate::new(value.difference, value.low, value.high);
    let style = Differences::of(series.values.iter().map(estimate), series.relative, unit);
    let rows = series.values.iter().filter_map(|value| {
        let seen = view.revisions.get(value.place)?;
        let revision = &seen.revision;
        let off = seen.off_branch.then(|| OFF_BRANCH.to_owned());
        let marks = revision.tags.iter().cloned().chain(off);
        Some([
            revision.date(),
            revision.name(),
            clean(&marks.collect::<Vec<_>>().join(" ")),
            style.answer(estimate(value)),
            clean(&revision.subject),
        ])
    });
    text += &aligned(&rows.collect::<Vec<_>>(), 5);
    text
}

/// The difference of each revision at these places from the control, and how it is written; nothing where there is none.
pub fn value_differences(series: &Series, places: Range<usize>) -> Vec<Option<(f64, String)>> {
    // They are in the order of places.
    let at = |end: usize| series.values.partition_point(|value| value.place < end);
    let shown = series.values[at(places.start)..at(places.end)].iter();
    let estimate = |value: &Value| Estimate::new(value.difference, value.low, value.high);
    let unit = &series.subject.metric.unit;
    let style = Differences::of(shown.clone().map(estimate), series.relative, unit);
    let mut found = vec![None; places.len()];
    for value in shown {
        if let Some(place) = found.get_mut(value.place - places.start) {
            *place = Some((value.difference, style.answer(estimate(value))));
        }
    }
    found
}

/// One character for each value, from the lowest to the highest difference.
fn bars(series: &Series) -> String {
    let differences = series.values.iter().map(|value| value.difference);
    let low = differences.clone().fold(f64::INFINITY, f64::min);
    let high = differences.clone().fold(f64::NEG_INFINITY, f64::max);
    if series.values.len() < 2 || !(high - low).is_finite() || high <= low {
        return String::new();
    }
    let top = BARS.len() - 1;
    let bar =
        |difference: f64| BARS[((difference - low) / (high - low) * top as f64).round() as usize];
    differences.map(bar).collect()
}
