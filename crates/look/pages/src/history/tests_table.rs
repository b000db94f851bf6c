//! The tests of each revision, the worst first, as a table of revisions.

use maud::{Markup, html};
use perflab_experiment::{Outcome, counted};
use perflab_history::{TestCell, TestSeries, View};
use perflab_report::test_letter;

use super::site::Known;
use crate::text::say;

/// Revisions that have a column, the newest.
const COLUMNS: usize = 40;

/// Tests that have a row.
const ROWS: usize = 1000;

pub(super) fn table(known: &Known) -> Option<Markup> {
    let view = &known.found.view;
    let mut places: Vec<usize> = view
        .tests
        .iter()
        .flat_map(|test| &test.cells)
        .map(|cell| cell.place)
        .collect();
    places.sort_unstable();
    places.dedup();
    let mut places = places.split_off(places.len().saturating_sub(COLUMNS));
    places.reverse();
    if places.is_empty() {
        return None;
    }
    let left = view.tests.len().saturating_sub(ROWS);
    Some(html! {
        h1 { "Tests" }
        p.note {
            (counted(view.tests.len(), "test")) ", the worst first, at the last " (counted(places.len(), "revision"))
            " that were tested, the newest first. ~ passed and failed at the same revision."
        }
        label.filter { "Show only rows with " input type="search" data-filter="tests"; }
        div.scroll tabindex="0" role="region" aria-label="Tests" {
            table.tests id="tests" {
                thead {
                    tr {
                        th scope="col" { "state" } th scope="col" { "test" }
                        @for place in &places { (heading(known, view, *place)) }
                    }
                    tr {
                        th {} th scope="row" { "passed" }
                        @for place in &places { td.number { (passed(view, *place)) } }
                    }
                }
                tbody { @for test in view.tests.iter().take(ROWS) { (row(view, test, &places)) } }
            }
        }
        @if left > 0 { p.note { (left) " more tests are in the data." } }
    })
}

fn heading(known: &Known, view: &View, place: usize) -> Markup {
    let revision = view.revisions.get(place).map(|seen| &seen.revision);
    let short = revision.map(|revision| revision.name().chars().take(7).collect::<String>());
    let title = revision.map(|revision| format!("{} of {}", revision.name(), revision.date()));
    let short = say(short.as_deref().unwrap_or_default());
    html! {
        th scope="col" title=[title.as_deref().map(say)] {
            @match known.address(place) {
                Some(address) => { a href=(address) { (short) } }
                None => { (short) }
            }
        }
    }
}

/// The share of the tests that ended as expected at a revision.
fn passed(view: &View, place: usize) -> String {
    let cells = view
        .tests
        .iter()
        .filter(|test| !test.is_group())
        .flat_map(|test| &test.cells);
    let judged = cells
        .filter(|cell| cell.place == place)
        .filter_map(|cell| cell.worst().is_as_expected());
    let judged: Vec<bool> = judged.collect();
    let well = judged.iter().filter(|is_well| **is_well).count();
    match judged.len() {
        0 => String::new(),
        all => format!("{}%", 100 * well / all),
    }
}

fn row(view: &View, test: &TestSeries, places: &[usize]) -> Markup {
    let since = test.since.and_then(|place| view.revisions.get(place));
    html! {
        tr {
            td {
                (test.state.word())
                @if let Some(seen) = since { " since " (say(&seen.revision.name())) " of " (seen.revision.date()) }
            }
            th scope="row" { (say(&test.full_name())) }
            @for place in places {
                @match test.cells.iter().find(|cell| cell.place == *place) {
                    Some(cell) => { td class={ "outcome " (severity(cell)) } title=(words(cell)) { (test_letter(cell)) } }
                    None => { td {} }
                }
            }
        }
    }
}

/// The class of a cell by how bad it is.
fn severity(cell: &TestCell) -> &'static str {
    match cell.worst() {
        _ if cell.is_mixed() => "mixed",
        Outcome::PASS | Outcome::XFAIL => "well",
        Outcome::SKIP => "skipped",
        outcome if outcome.is_as_expected() == Some(false) => "bad",
        _ => "odd",
    }
}

fn words(cell: &TestCell) -> String {
    let names: Vec<&str> = cell.outcomes.iter().map(|outcome| outcome.name()).collect();
    names.join(", ")
}
