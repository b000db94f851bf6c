//! The first page of a history: its changes, each metric over the revisions, and the newest of these.

use maud::{Markup, html};
use perflab_experiment::counted;
use perflab_history::View;
use perflab_report::plots::series;
use perflab_report::{change_sentences, suspected_sentences};

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
        section aria-label="Changes" {
            @if sentences.is_empty() { p.answer { "No change is proven in any metric." } }
            @for (place, sentence) in sentences.iter().rev().take(MOST_CHANGES) {
                p.answer {
                    span class={ "verdict " (class(sentence.outcome)) } {
                        span aria-hidden="true" { (sign(sentence.outcome)) " " }
                        @match known.address(*place) {
                            Some(address) => { a href=(address) { (say(&sentence.text)) } }
                            None => { (say(&sentence.text)) }
                        }
                    }
                }
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

/// The address of the revision at a place, for a plot.
pub(super) fn link(known: &Known, place: usize) -> Option<String> {
    Some(known.address(place)?.to_string())
}

fn head(view: &View) -> Markup {
    let measured = view
        .revisions
        .iter()
        .filter(|seen| !seen.campaigns.is_empty());
    let unbuilt = view
        .revisions
        .iter()
        .filter(|seen| seen.is_unbuilt())
        .count();
    html! {
        p.note {
            (counted(measured.count(), "revision")) " measured in "
            a href=(HistoryAddress::Campaigns) { (counted(view.campaigns, "campaign")) }
            @if unbuilt > 0 { ", " (unbuilt) " could not be built" }
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
