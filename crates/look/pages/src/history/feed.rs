//! Proven changes for those who do not look at pages: an Atom feed, and a badge.

use maud::html;
use perflab_compare::Outcome;
use perflab_history::{Change, Changes, View, subject_name};
use perflab_report::change_sentences;

use super::address::{HistoryAddress, encoded};
use super::site::Known;
use crate::text::say;

/// Changes of a feed, the newest.
const MOST: usize = 100;

/// Width of a letter of the badge, and room at its sides, in pixels.
const LETTER: usize = 7;
const ROOM: usize = 10;

/// The changes that nobody dismissed.
fn standing(known: &Known) -> Changes {
    let changes = &known.found.changes;
    let found = changes.found.iter().filter(|change| !change.is_dismissed());
    Changes {
        found: found.cloned().collect(),
        ..changes.clone()
    }
}

/// The changes as an Atom feed (RFC 4287), the newest revision first.
pub(super) fn feed(name: &str, known: &Known) -> String {
    let view = &known.found.view;
    let changes = standing(known);
    let entries = change_sentences(view, &changes);
    let root = format!("urn:perflab:history:{}", encoded(name));
    let newest = entries.first().and_then(|(change, _)| time(view, change));
    let body = html! {
        feed xmlns="http://www.w3.org/2005/Atom" {
            title { (say(name)) ": changes" }
            @if entries.len() > MOST { subtitle { "The newest " (MOST) " of " (entries.len()) " changes." } }
            id { (root) }
            author { name { "perflab" } }
            updated { (newest.unwrap_or_else(|| "1970-01-01T00:00:00Z".to_owned())) }
            link rel="self" href=(HistoryAddress::Feed) {}
            @for (change, sentence) in entries.iter().take(MOST) {
                entry {
                    title { (say(&sentence.text)) }
                    id { (root) ":" (identity(view, change)) }
                    updated { (time(view, change).unwrap_or_default()) }
                    @if let Some(address) = known.address(change.place) { link href=(address) {} }
                }
            }
        }
    };
    format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n{}\n",
        body.into_string()
    )
}

fn time(view: &View, change: &Change) -> Option<String> {
    Some(
        view.revisions
            .get(change.place)?
            .revision
            .timestamp()
            .to_string(),
    )
}

/// What tells a change from others of the history.
fn identity(view: &View, change: &Change) -> String {
    let metric = view
        .series
        .get(change.series)
        .map(|series| subject_name(&series.subject));
    let revision = view
        .revisions
        .get(change.place)
        .map(|seen| seen.revision.id.as_str());
    format!(
        "{}:{}",
        encoded(metric.as_deref().unwrap_or_default()),
        encoded(revision.unwrap_or_default())
    )
}

/// The newest change in a few words, as a picture: the worst of its revision where several metrics changed there.
pub(super) fn badge(known: &Known) -> String {
    let view = &known.found.view;
    let changes = standing(known);
    let sentences = change_sentences(view, &changes);
    let (text, colour) = match sentences.first() {
        None => ("no change".to_owned(), "#5f656d"),
        Some((newest, _)) => {
            let since = view
                .revisions
                .get(newest.place)
                .map(|seen| seen.revision.date());
            let there = sentences.iter();
            let there = there.filter(|(change, _)| change.place == newest.place);
            let outcomes = there.map(|(_, sentence)| sentence.outcome);
            let (word, colour) = match Outcome::of_all(&outcomes) {
                Outcome::Better => ("better", "#1a7431"),
                Outcome::Worse | Outcome::Mixed => ("worse", "#b3261e"),
                Outcome::Differs | Outcome::Same | Outcome::NotProven => ("changed", "#2f5d8a"),
            };
            (
                format!("{word} since {}", since.unwrap_or_default()),
                colour,
            )
        }
    };
    let label = "perflab";
    let (left, right) = (LETTER * label.len() + ROOM, LETTER * text.len() + ROOM);
    let picture = html! {
        svg xmlns="http://www.w3.org/2000/svg" width=(left + right) height="20" role="img" aria-label={ (label) ": " (text) } {
            title { (label) ": " (text) }
            rect width=(left) height="20" fill="#333" {}
            rect x=(left) width=(right) height="20" fill=(colour) {}
            g fill="#fff" font-family="DejaVu Sans,Verdana,sans-serif" font-size="11" {
                text x=(ROOM / 2) y="14" { (label) }
                text x=(left + ROOM / 2) y="14" { (text) }
            }
        }
    };
    picture.into_string() + "\n"
}
