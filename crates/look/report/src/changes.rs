//! The changes of a history as text.

use std::cmp::Reverse;
use std::path::Path;

use perflab_compare::Outcome;
use perflab_experiment::{Better, counted};
use perflab_history::{
    ALARM_EVERY, Change, Changes, Confirmation, Confirmed, Said, Seen, Series, SuspectedChange,
    Value, View, subject_name,
};
use perflab_plot::{Tone, clean};
use perflab_stats::changes::SHORTEST;

use crate::aligned::aligned;
use crate::answer::Sentence;
use crate::command::operand;
use crate::difference::{Differences, Estimate};
use crate::history::control_failure_sentences;
use crate::number::{probability, share};

/// Revisions that are listed on each side of the most likely one.
const BESIDE: usize = 8;

/// Since when each series has its level. `directory`: that of the history, for the commands that measure more.
pub fn changes_text(view: &View, changes: &Changes, directory: &Path) -> String {
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
    for sentence in control_failure_sentences(view) {
        text += &format!("{sentence}\n");
    }
    let failing = view.revisions.iter().filter(|seen| seen.failure.is_some());
    let failing = failing.count();
    if failing > 0 {
        text += &format!(
            "runs of {} fail; `perflab history show {}` says how\n",
            counted(failing, "revision"),
            operand(directory)
        );
    }
    for (number, change) in (1..).zip(&changes.found) {
        text += &one(view, change, number, directory);
    }
    for sentence in suspected_sentences(view, changes) {
        text += &format!("\n{sentence}\n");
    }
    text
}

/// What is said of each change, those with the newest revisions first.
pub fn change_sentences<'c>(view: &View, changes: &'c Changes) -> Vec<(&'c Change, Sentence)> {
    let sentence = |change: &'c Change| {
        let series = view.series.get(change.series)?;
        let seen = view.revisions.get(change.place)?;
        let text = format!(
            "{}: {} since {} of {}{}",
            clean(&subject_name(&series.subject)),
            size_text(change, series),
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
        Some((change, Sentence { text, outcome }))
    };
    let mut found: Vec<_> = changes.found.iter().filter_map(sentence).collect();
    found.sort_by_key(|(change, _)| Reverse(change.place));
    found
}

/// By how much the level has changed. Values may have changed where their median has not, as most of them are equal.
fn size_text(change: &Change, series: &Series) -> String {
    let size = Estimate::new(change.size(series), None, None);
    match has_size(change, series) {
        true => style(series, size).answer(size),
        false => "a change with the same median".to_owned(),
    }
}

fn has_size(change: &Change, series: &Series) -> bool {
    change.size(series) != 0.0
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
    let gain = match series.subject.metric.better {
        Better::Higher => difference,
        Better::Lower => -difference,
        Better::Neither => 0.0,
    };
    match gain {
        _ if gain > 0.0 => Outcome::Better,
        _ if gain < 0.0 => Outcome::Worse,
        _ => Outcome::Differs,
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
        Confirmed::Yes => "confirmed",
        Confirmed::No => "not confirmed",
        Confirmed::Undecided => "undecided",
        Confirmed::NoSize => "measured again",
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

fn one(view: &View, change: &Change, number: usize, directory: &Path) -> String {
    let Some(series) = view.series.get(change.series) else {
        return String::new();
    };
    let mut text = format!(
        "\n{number}. {}: {}, {}\n",
        clean(&subject_name(&series.subject)),
        size_text(change, series),
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
    let sides = before.zip(view.revisions.get(change.high));
    match (&change.confirmation, sides) {
        (Some(found), _) => text += &confirmed(found, change, series),
        (None, Some(sides)) => text += &to_confirm(change, series, sides, directory),
        (None, None) => {}
    }
    text
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

/// How to measure the sides of a change again.
fn to_confirm(
    change: &Change,
    series: &Series,
    (before, behind): (&Seen, &Seen),
    directory: &Path,
) -> String {
    let why = match has_size(change, series) {
        true => "the size is too large on average; to measure it again",
        false => "to measure both sides again",
    };
    format!(
        "{why}: perflab history run HISTORY.toml --out {} --confirm {}..{}\n",
        operand(directory),
        before.revision.name(),
        behind.revision.name()
    )
}

/// What came out when both sides were measured again.
fn confirmed(found: &Confirmation, change: &Change, series: &Series) -> String {
    let size = Estimate::new(found.difference, found.low, found.high);
    let confirms = found.confirms(change.size(series));
    let is_small = confirms == Confirmed::Yes && found.is_far_below(change.size(series));
    format!(
        "{} in campaign {}: {} from {} to {}\n{}",
        confirming(found, change, series),
        found.campaign,
        style(series, size).answer(size),
        found.from.name(),
        found.to.name(),
        match is_small {
            true =>
                "less than half of the size in the history: the change may be at another revision\n",
            false => "",
        }
    )
}

#[cfg(test)]
mod tests {
    use perflab_history::ChangesView;
    use serde_json::json;

    use super::*;

    /// A history of six revisions, with changes of its only series.
    fn found(changes: &serde_json::Value) -> ChangesView {
        let revision = |place: i64| json!({ "id": format!("v{place}"), "time": place * 86400 });
        let seen = |place| json!({ "revision": revision(place), "build": null, "campaigns": [1] });
        let value = |place: i64| json!({ "place": place, "difference": 0.0, "low": null, "high": null, "runs": 2 });
        let subject = json!({
            "workload": "w", "parameters": {}, "benchmark": null, "observed": false,
            "metric": { "name": "errors", "unit": "", "better": "lower" },
        });
        let found = json!({
            "schema": 1, "name": "h", "control": revision(0), "campaigns": 1,
            "revisions": (0..6).map(seen).collect::<Vec<_>>(),
            "series": [{
                "subject": subject, "relative": false, "control": 0.0,
                "values": (0..6).map(value).collect::<Vec<_>>(),
            }],
            "changes": { "series": 1, "short": 0, "level": 0.05, "found": changes },
        });
        serde_json::from_value(found).unwrap()
    }

    fn change(place: usize, after: f64) -> serde_json::Value {
        json!({
            "series": 0, "place": place, "low": place, "high": place, "before": 0.0, "after": after,
            "p_adjusted": 0.01,
        })
    }

    #[test]
    fn a_change_without_a_size_is_neither_better_nor_worse() {
        let found = found(&json!([change(2, 0.0), change(4, 3.0)]));
        let sentences = change_sentences(&found.view, &found.changes);
        let sentences = sentences
            .iter()
            .map(|(change, sentence)| (change.place, sentence.outcome, sentence.text.as_str()));
        assert_eq!(
            sentences.collect::<Vec<_>>(),
            [
                (4, Outcome::Worse, "w errors: +3.0 since v4 of 1970-01-05"),
                (
                    2,
                    Outcome::Differs,
                    "w errors: a change with the same median since v2 of 1970-01-03"
                ),
            ]
        );
        let text = changes_text(&found.view, &found.changes, Path::new("a b"));
        let command = "perflab history run HISTORY.toml --out 'a b' --confirm v1..v2\n";
        assert!(text.contains("1. w errors: a change with the same median, p = 0.01"));
        assert!(text.contains(&format!("\nto measure both sides again: {command}")));
        assert!(text.contains("\nthe size is too large on average; to measure it again: "));
    }

    #[test]
    fn a_confirmation_of_a_change_without_a_size_says_what_it_found() {
        let mut change = change(2, 0.0);
        let side = |name| json!({ "id": name, "time": 0 });
        change["confirmation"] = json!({
            "campaign": 7, "from": side("v1"), "to": side("v2"), "difference": 0.5, "low": 0.25, "high": 0.75,
        });
        let found = found(&json!([change]));
        let text = changes_text(&found.view, &found.changes, Path::new("h"));
        let again = "measured again in campaign 7: +0.5 [+0.2, +0.8] from v1 to v2\n";
        assert!(text.contains(again), "{text}");
        let sentences = change_sentences(&found.view, &found.changes);
        let (_, sentence) = sentences.first().unwrap();
        assert!(sentence.text.contains("; measured again: +0.5 "));
    }

    #[test]
    fn what_excludes_neither_the_change_nor_its_absence_is_undecided() {
        let side = |name| json!({ "id": name, "time": 0 });
        let cases = [
            (3.0, 0.5, 4.0, "confirmed in"),
            (3.0, 0.5, 1.0, "confirmed in"),
            (3.0, -0.5, 4.0, "undecided in"),
            (3.0, -0.5, 2.0, "not confirmed in"),
            (3.0, -4.0, -2.0, "not confirmed in"),
            (-3.0, -4.0, -0.5, "confirmed in"),
            (-3.0, -1.0, -0.5, "confirmed in"),
            (-3.0, -4.0, 0.5, "undecided in"),
            (-3.0, -2.0, 0.5, "not confirmed in"),
        ];
        for (size, low, high, word) in cases {
            let mut change = change(2, size);
            change["confirmation"] = json!({
                "campaign": 7, "from": side("v1"), "to": side("v2"), "difference": low, "low": low, "high": high,
            });
            let found = found(&json!([change]));
            let text = changes_text(&found.view, &found.changes, Path::new("h"));
            assert!(text.contains(&format!("\n{word} campaign 7")), "{text}");
            // Far from the size that was found.
            let is_far = word == "confirmed in" && f64::max(-low, high) < 1.5;
            assert_eq!(
                text.contains("less than half of the size in the history"),
                is_far,
                "{text}"
            );
        }
    }
}
