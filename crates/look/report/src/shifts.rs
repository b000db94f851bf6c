//! The changes of a history as text.

use perflab_experiment::counted;
use perflab_history::{ALARM_EVERY, Seen, Series, Shift, Shifts, Suspicion, View, subject_name};
use perflab_plot::clean;
use perflab_stats::changes::SHORTEST;

use crate::aligned::aligned;
use crate::difference::{Differences, Estimate};
use crate::number::{probability, share};

/// Since when each series has its level.
pub fn shifts_text(view: &View, shifts: &Shifts) -> String {
    let mut text = format!(
        "{}: {} in {}; the chance that any is false is at most {}\n",
        view.name,
        counted(shifts.found.len(), "change"),
        counted(shifts.series, "metric"),
        share(shifts.level)
    );
    if shifts.short > 0 {
        text += &format!(
            "{} with fewer than {SHORTEST} values: too few to find a change\n",
            counted(shifts.short, "metric")
        );
    }
    for (number, shift) in (1..).zip(&shifts.found) {
        text += &one(view, shift, number);
    }
    for suspicion in &shifts.suspected {
        text += &suspected(view, suspicion);
    }
    text
}

/// A change that is not proven yet.
fn suspected(view: &View, suspicion: &Suspicion) -> String {
    let series = view.series.get(suspicion.series);
    let since = view.revisions.get(suspicion.since);
    let way = if suspicion.rises { "higher" } else { "lower" };
    series.zip(since).map_or(String::new(), |(series, since)| {
        format!(
            "\nsuspected, not proven: {} is {way} since about {} of {} (false alarms: at most 1 in {ALARM_EVERY} values)\n",
            clean(&subject_name(&series.subject)),
            since.revision.name(),
            since.revision.date()
        )
    })
}

fn one(view: &View, shift: &Shift, number: usize) -> String {
    let Some(series) = view.series.get(shift.series) else {
        return String::new();
    };
    let size = Estimate::new(shift.size(series), None, None);
    let unit = &series.subject.metric.unit;
    let style = Differences::of([size].into_iter(), series.relative, unit);
    let mut text = format!(
        "\n{number}. {}: {}, {}\n",
        clean(&subject_name(&series.subject)),
        style.answer(size),
        probability(shift.p_adjusted)
    );
    let last = |place: usize| series.values.iter().rev().find(|value| value.place < place);
    let name = |seen: &Seen| format!("{} of {}", seen.revision.name(), seen.revision.date());
    let before = last(shift.low).and_then(|value| view.revisions.get(value.place));
    if let Some(before) = before {
        text += &format!(
            "after {}, up to one of these, or with a revision between that was not measured:\n",
            name(before)
        );
    }
    let candidates = series
        .values
        .iter()
        .filter(|value| (shift.low..=shift.high).contains(&value.place));
    let rows = candidates.filter_map(|value| {
        let revision = &view.revisions.get(value.place)?.revision;
        let mark = if value.place == shift.place {
            "  > "
        } else {
            "    "
        };
        Some([
            format!("{mark}{}", revision.date()),
            revision.name(),
            clean(&revision.subject),
        ])
    });
    text += &aligned(&rows.collect::<Vec<_>>(), 3);
    text + &confirmed(view, shift, series, before)
}

/// What came out when both sides were measured again, or how to do that.
fn confirmed(view: &View, shift: &Shift, series: &Series, before: Option<&Seen>) -> String {
    let Some(found) = &shift.confirmation else {
        let behind = view.revisions.get(shift.high);
        return before.zip(behind).map_or(String::new(), |(before, behind)| {
            format!(
                "this size is too large on average; to measure it: perflab history run HISTORY.toml --confirm {}..{}\n",
                before.revision.name(),
                behind.revision.name()
            )
        });
    };
    let size = Estimate::new(found.difference, found.low, found.high);
    let style = Differences::of(
        [size].into_iter(),
        series.relative,
        &series.subject.metric.unit,
    );
    let word = match found.confirms(shift.size(series)) {
        true => "confirmed",
        false => "not confirmed",
    };
    format!(
        "{word} in campaign {}: {} from {} to {}\n",
        found.campaign,
        style.answer(size),
        found.from.name(),
        found.to.name()
    )
}
