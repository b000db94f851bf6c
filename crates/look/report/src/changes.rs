//! The changes of a history as text.

use perflab_compare::Outcome;
use perflab_experiment::{Better, counted};
use perflab_history::{
    ALARM_EVERY, Change, Changes, Confirmation, Said, Seen, Series, SuspectedChange, Value, View,
    subject_name,
};
use perflab_plot::{Tone, clean};
use perflab_stats::changes::SHORTEST;

use crate::aligned::aligned;
use crate::answer::Sentence;
use crate::difference::{Differences, Estimate};
use crate::number::{probability, share};

/// Revisions that are listed on each side of the most likely one.
const BESIDE: usize = 8;

/// Since when each series has its level.
pub fn changes_text(view: &View, changes: &Changes) -> String {
    let mut text = format!(
        "{}: {} in {} series; the chance that any is false is at most {}\n",
        view.name,
        counted(changes.found.len(), "change"),
        changes.series,
        share(changes.level)
    );
    if changes.short > 0 {
        text += &format!(
            "{} series with fewer than {SHORTEST} values: too few to find a change\n",
            changes.short
        );
    }
    for (number, change) in (1..).zip(&changes.found) {
        text += &one(view, change, number);
    }
    for sentence in suspected_sentences(view, changes) {
        text += &format!("\n{sentence}\n");
    }
    text
}

/// What is said of each change, with the place of the first revision behind it, in the order of the changes.
pub fn change_sentences(view: &View, changes: &Changes) -> Vec<(usize, Sentence)> {
    let sentence = |change: &Change| {
        let series = view.series.get(change.series)?;
        let seen = view.revisions.get(change.place)?;
        let size = Estimate::new(change.size(series), None, None);
        let text = format!(
            "{}: {} since {} of {}{}",
            clean(&subject_name(&series.subject)),
            style(series, size).answer(size),
            seen.revision.name(),
            seen.revision.date(),
            match &change.confirmation {
                None => String::new(),
                Some(found) => {
                    let size = Estimate::new(found.difference, found.low, found.high);
                    let word = confirming(found, change, series);
                    format!("; {word}: {}", style(series, size).answer(size))
                }
            }
        );
        let text = match &change.said {
            Some(said) => format!("{text}; {}", said_text(said)),
            None => text,
        };
        let outcome = outcome(series, change.size(series));
        Some((change.place, Sentence { text, outcome }))
    };
    changes.found.iter().filter_map(sentence).collect()
}

/// What somebody said of a change.
fn said_text(said: &Said) -> String {
    match said.why.is_empty() {
        true => said.state.word().to_owned(),
        false => format!("{}: {}", said.state.word(), clean(&said.why)),
    }
}

/// What a difference of a series means.
pub(crate) fn outcome(series: &Series, difference: f64) -> Outcome {
    match (series.subject.metric.better, difference > 0.0) {
        (Better::Neither, _) => Outcome::Differs,
        (Better::Higher, true) | (Better::Lower, false) => Outcome::Better,
        (Better::Higher, false) | (Better::Lower, true) => Outcome::Worse,
    }
}

/// The colour of an outcome.
pub(crate) fn tone(outcome: Outcome) -> Tone {
    match outcome {
        Outcome::Better => Tone::Better,
        Outcome::Worse | Outcome::Mixed => Tone::Worse,
        Outcome::Same | Outcome::Differs => Tone::Same,
        Outcome::NotProven => Tone::Open,
    }
}

fn style(series: &Series, size: Estimate) -> Differences {
    let unit = &series.subject.metric.unit;
    Differences::of([size].into_iter(), series.relative, unit)
}

/// The word for what the values of a confirmation show.
fn confirming(found: &Confirmation, change: &Change, series: &Series) -> &'static str {
    match found.confirms(change.size(series)) {
        true => "confirmed",
        false => "not confirmed",
    }
}

/// The changes that are suspected and not proven, a sentence each.
pub fn suspected_sentences(view: &View, changes: &Changes) -> Vec<String> {
    let suspected = changes.suspected.iter();
    suspected
        .filter_map(|suspected| suspected_text(view, suspected))
        .collect()
}

/// A change that is not proven yet.
fn suspected_text(view: &View, suspected: &SuspectedChange) -> Option<String> {
    let series = view.series.get(suspected.series)?;
    let since = view.revisions.get(suspected.since)?;
    let way = if suspected.rises { "higher" } else { "lower" };
    Some(format!(
        "suspected, not proven: {} is {way} since about {} of {} (false alarms: at most 1 in {ALARM_EVERY} values)",
        clean(&subject_name(&series.subject)),
        since.revision.name(),
        since.revision.date()
    ))
}

fn one(view: &View, change: &Change, number: usize) -> String {
    let Some(series) = view.series.get(change.series) else {
        return String::new();
    };
    let size = Estimate::new(change.size(series), None, None);
    let mut text = format!(
        "\n{number}. {}: {}, {}\n",
        clean(&subject_name(&series.subject)),
        style(series, size).answer(size),
        probability(change.p_adjusted)
    );
    let is_there = |value: &&Value| {
        let seen = view.revisions.get(value.place);
        seen.is_some_and(|seen| !seen.off_branch)
    };
    let values = || series.values.iter().filter(is_there);
    let last = |place: usize| values().rev().find(|value| value.place < place);
    let name = |seen: &Seen| format!("{} of {}", seen.revision.name(), seen.revision.date());
    let before = last(change.low).and_then(|value| view.revisions.get(value.place));
    if let Some(before) = before {
        text += &format!(
            "after {}, with one of these revisions or an unmeasured one between them:\n",
            name(before)
        );
    }
    let candidates = values().filter(|value| (change.low..=change.high).contains(&value.place));
    let candidates: Vec<&Seen> = candidates
        .filter_map(|value| view.revisions.get(value.place))
        .collect();
    let found = view.revisions.get(change.place);
    text += &candidate_rows(&candidates, found.map_or("", |seen| &seen.revision.id));
    if let Some(said) = &change.said {
        text += &format!("{}\n", said_text(said));
    }
    text + &confirmed(view, change, series, before)
}

/// The revisions among which a change is, a line each, those around the most likely one if they are many.
fn candidate_rows(candidates: &[&Seen], likely: &str) -> String {
    let middle = candidates
        .iter()
        .position(|seen| seen.revision.id == likely);
    let first = middle.unwrap_or(0).saturating_sub(BESIDE);
    let end = (middle.unwrap_or(0) + BESIDE + 1).min(candidates.len());
    let row = |seen: &&Seen| {
        let mark = if seen.revision.id == likely {
            "  > "
        } else {
            "    "
        };
        [
            format!("{mark}{}", seen.revision.date()),
            seen.revision.name(),
            clean(&seen.revision.subject),
        ]
    };
    let rows: Vec<[String; 3]> = candidates[first..end].iter().map(row).collect();
    let mut text = String::new();
    if first > 0 {
        text += &format!("    {} earlier\n", counted(first, "revision"));
    }
    text += &aligned(&rows, 3);
    if let Some(last) = candidates[end..].last() {
        let more = counted(candidates.len() - end, "revision");
        text += &format!("    {more} later, up to {}\n", last.revision.name());
    }
    text
}

/// What came out when both sides were measured again, or how to do that.
fn confirmed(view: &View, change: &Change, series: &Series, before: Option<&Seen>) -> String {
    let Some(found) = &change.confirmation else {
        let behind = view.revisions.get(change.high);
        return before.zip(behind).map_or(String::new(), |(before, behind)| {
            format!(
                "the size is too large on average; to measure it again: perflab history run HISTORY.toml --confirm {}..{}\n",
                before.revision.name(),
                behind.revision.name()
            )
        });
    };
    let size = Estimate::new(found.difference, found.low, found.high);
    format!(
        "{} in campaign {}: {} from {} to {}\n",
        confirming(found, change, series),
        found.campaign,
        style(series, size).answer(size),
        found.from.name(),
        found.to.name()
    )
}
