//! The first page of a history: its changes, each metric over the revisions, and the newest of these.

use maud::{Markup, html};
use perflab_experiment::counted;
use perflab_history::{Change, Seen, View};
use perflab_report::plots::series;
use perflab_report::{Sentence, change_sentences, control_failure_sentences, suspected_sentences};

use super::address::HistoryAddress;
use super::site::{HistorySite, Known, Plots};
use super::{campaigns, revisions};
use crate::tables::{class, sign};
use crate::text::say;

/// Metrics that are drawn, those with changes first.
const MOST_PLOTS: usize = 4;

/// Revisions that a plot shows, the newest. All are on the page of the metric.
const DRAWN: usize = 300;

/// Revisions that are listed, the newest.
const LISTED: usize = 50;

/// Campaigns that are listed, the newest.
const CAMPAIGNS: usize = 10;

/// Changes that are told.
const MOST_CHANGES: usize = 50;

pub(super) fn first(site: &HistorySite, known: &Known, plots: &mut Plots) -> Markup {
    let view = &known.found.view;
    let sentences = change_sentences(view, &known.found.changes);
    let suspected = suspected_sentences(view, &known.found.changes);
    let from = view.revisions.len().saturating_sub(DRAWN);
    html! {
        h1 { (say(site.question.as_deref().unwrap_or(site.name()))) }
        (head(view))
        @for sentence in control_failure_sentences(view) { p.note { (say(&sentence)) } }
        section aria-label="Changes" {
            @if sentences.is_empty() { p.answer { "No change is proven in any metric." } }
            @for (change, sentence) in sentences.iter().take(MOST_CHANGES) { (answer(known, change, sentence)) }
            @if sentences.len() > MOST_CHANGES {
                p.note { (older(sentences.len() - MOST_CHANGES)) " on the pages of the metrics." }
            }
            @for sentence in &suspected { p.note { (say(sentence)) } }
            p.note { "The chance that any of the changes is false is at most 5%, for all metrics together." }
        }
        @for index in drawn(known).into_iter().take(MOST_PLOTS) {
            @if let Some(plot) = series(view, &known.found.changes, index, from, &|place| link(known, place)) {
                (plots.next_over_revisions(&plot))
            }
        }
        (metrics(view))
        (quirks(known))
        section aria-label="Revisions" {
            h2 { "The newest revisions" }
            (revisions::table(known, view.revisions.len().saturating_sub(LISTED)..view.revisions.len()))
            @if view.revisions.len() > LISTED {
                p.note { a href=(HistoryAddress::Revisions(0)) { "All " (counted(view.revisions.len(), "revision")) } "." }
            }
        }
        section aria-label="Campaigns" {
            h2 { "The newest campaigns" }
            (campaigns::table(known, CAMPAIGNS))
            @if known.campaigns.len() > CAMPAIGNS {
                p.note { a href=(HistoryAddress::Campaigns) { "All " (counted(known.campaigns.len(), "campaign")) } "." }
            }
        }
    }
}

/// The number of changes that are not told, as the beginning of a sentence.
fn older(changes: usize) -> String {
    let are = if changes == 1 { "is" } else { "are" };
    format!("{} {are}", counted(changes, "older change"))
}

/// What is said of a change, with a link to the first revision after it.
pub(super) fn answer(known: &Known, change: &Change, sentence: &Sentence) -> Markup {
    html! {
        p.answer {
            span class={ "verdict " (class(sentence.outcome)) } {
                span aria-hidden="true" { (sign(sentence.outcome)) " " }
                @match known.address(change.place) {
                    Some(address) => { a href=(address) { (say(&sentence.text)) } }
                    None => { (say(&sentence.text)) }
                }
            }
        }
    }
}

/// The address of the revision at a place, for a plot.
pub(super) fn link(known: &Known, place: usize) -> Option<String> {
    Some(known.address(place)?.to_string())
}

fn head(view: &View) -> Markup {
    let count = |is: fn(&Seen) -> bool| view.revisions.iter().filter(|seen| is(seen)).count();
    let unbuilt = count(Seen::is_unbuilt);
    let failed = count(|seen| seen.failure.is_some());
    html! {
        p.note {
            (counted(view.measured().count(), "revision")) " measured in "
            a href=(HistoryAddress::Campaigns) { (counted(view.campaigns, "campaign")) }
            @if unbuilt > 0 { ", " (unbuilt) " could not be built" }
            @if failed > 0 { ", runs of " (failed) " failed" }
            "."
            @if let Some(control) = &view.control {
                " Differences are from the control " code { (say(&control.name())) } " of " (control.date())
                ", which is measured in each campaign."
            }
        }
    }
}

/// The series in the order in which they are drawn: those with the newest changes first. A figure of a build is that of a
/// single one, so these are on their own pages only.
fn drawn(known: &Known) -> Vec<usize> {
    let view = &known.found.view;
    let newest = |index: usize| {
        let own = known
            .found
            .changes
            .found
            .iter()
            .filter(|change| change.series == index);
        own.map(|change| change.place).max()
    };
    let mut all: Vec<usize> = (0..view.series.len()).collect();
    let is_measured = |index: &usize| {
        view.series
            .get(*index)
            .is_some_and(|series| !series.is_of_builds)
    };
    all.retain(is_measured);
    all.sort_by_key(|index| std::cmp::Reverse(newest(*index)));
    all
}

fn metrics(view: &View) -> Markup {
    html! {
        @if !view.series.is_empty() {
            section aria-label="Metrics" {
                h2 { "Metrics over all revisions" }
                ul.metrics {
                    @for (index, series) in view.series.iter().enumerate() {
                        li { a href=(HistoryAddress::Metric(index)) { (say(&perflab_history::subject_name(&series.subject))) } }
                    }
                }
            }
        }
    }
}

fn quirks(known: &Known) -> Markup {
    let view = &known.found.view;
    html! {
        @if !view.quirks.is_empty() {
            section aria-label="Quirks" {
                h2 { "What else changed" }
                dl.facts {
                    @for quirk in &view.quirks {
                        dt { (say(&quirk.letter)) }
                        dd {
                            (say(&quirk.what))
                            @if let Some(seen) = view.revisions.get(quirk.place) {
                                ", from " (say(&seen.revision.name())) " of " (seen.revision.date()) " on"
                            }
                        }
                    }
                }
            }
        }
    }
}
