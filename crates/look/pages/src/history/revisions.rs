//! The list of revisions, the newest first.

use std::ops::Range;

use maud::{Markup, html};
use perflab_experiment::counted;
use perflab_history::{Seen, Series, View};
use perflab_report::{OFF_BRANCH, value_differences};

use super::address::HistoryAddress;
use super::site::Known;
use crate::text::say;

/// Revisions of a page.
const ON_A_PAGE: usize = 500;

/// Metrics that have a column.
const MOST_COLUMNS: usize = 6;

/// A metric, with the difference of each revision from the control where there is one.
type Column<'v> = (&'v Series, Vec<Option<(f64, String)>>);

/// How many pages the list has; one at least.
pub(super) fn pages(view: &View) -> usize {
    view.revisions.len().div_ceil(ON_A_PAGE).max(1)
}

pub(super) fn page(known: &Known, index: usize) -> Option<Markup> {
    let view = &known.found.view;
    let pages = pages(view);
    if index >= pages {
        return None;
    }
    let end = view.revisions.len().saturating_sub(index * ON_A_PAGE);
    Some(html! {
        h1 { "Revisions" }
        p.note {
            (counted(view.revisions.len(), "revision")) ", the newest first"
            @if pages > 1 { "; page " (index + 1) " of " (pages) } "."
        }
        (turn(index, pages))
        label.filter { "Show only rows with " input type="search" data-filter="revisions"; }
        (table(known, end.saturating_sub(ON_A_PAGE)..end))
        (turn(index, pages))
    })
}

fn turn(index: usize, pages: usize) -> Markup {
    html! {
        @if pages > 1 {
            nav.turn aria-label="Pages of the list" {
                @for page in 0..pages {
                    a href=(HistoryAddress::Revisions(page)) aria-current=[(page == index).then_some("page")] { (page + 1) }
                }
            }
        }
    }
}

/// The revisions at some places, the newest first.
pub(super) fn table(known: &Known, places: Range<usize>) -> Markup {
    let view = &known.found.view;
    let measured = view.series.iter().filter(|series| !series.is_of_builds);
    let columns: Vec<Column<'_>> = measured
        .take(MOST_COLUMNS)
        .map(|series| (series, value_differences(series, places.clone())))
        .collect();
    let shown = view.revisions.get(places.clone()).unwrap_or_default();
    let has_tags = shown.iter().any(|seen| !seen.revision.tags.is_empty());
    let cells = |place: usize| {
        let index = place - places.start;
        columns
            .iter()
            .map(move |(_, values)| values.get(index).and_then(Option::as_ref))
    };
    html! {
        div.scroll tabindex="0" role="region" aria-label="Revisions" {
            table id="revisions" data-sortable {
                thead { tr {
                    th scope="col" { "date" } th scope="col" { "revision" }
                    @if has_tags { th scope="col" { "tags" } }
                    @for (series, _) in &columns {
                        th.number scope="col" { (say(&perflab_history::subject_name(&series.subject))) }
                    }
                    th scope="col" { "subject" }
                } }
                tbody {
                    @for place in places.clone().rev() {
                        @if let Some(seen) = view.revisions.get(place) {
                            (row(known, seen, place, has_tags, cells(place)))
                        }
                    }
                }
            }
        }
    }
}

fn row<'v>(
    known: &Known,
    seen: &Seen,
    place: usize,
    has_tags: bool,
    cells: impl Iterator<Item = Option<&'v (f64, String)>>,
) -> Markup {
    let revision = &seen.revision;
    html! {
        tr.failed[seen.is_unbuilt() || seen.failure.is_some()] {
            td { (revision.date()) }
            th scope="row" {
                @match known.address(place) {
                    Some(address) => { a href=(address) { (say(&revision.name())) } }
                    None => { (say(&revision.name())) }
                }
                @if seen.is_unbuilt() { " (not built)" }
                @else if seen.failure.is_some() { " (runs failed)" }
                @else if known.found.view.why_unmeasured(seen).is_some() { " (not measured)" }
                @if seen.off_branch { " " (OFF_BRANCH) }
            }
            @if has_tags { td { (say(&revision.tags.join(" "))) } }
            @for cell in cells {
                @match cell {
                    Some((value, text)) => { td.number data-value=(value) { (say(text)) } }
                    None => { td.number {} }
                }
            }
            td { (say(&revision.subject)) }
        }
    }
}
