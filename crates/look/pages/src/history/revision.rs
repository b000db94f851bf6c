//! One revision: its values, its build, and what changed with it.

use maud::{Markup, html};
use perflab_experiment::counted;
use perflab_history::{BuildFacts, Details, Revision, Seen, SymbolChange, SymbolChanges, View};
use perflab_report::{unmeasured, value_differences, value_with_unit, why_of_control};

use super::address::HistoryAddress;
use super::site::{HistorySite, Known};
use crate::text::say;

/// Lines of a list.
const MOST: usize = 500;

pub(super) fn revision(site: &HistorySite, known: &Known, place: usize) -> Markup {
    let view = &known.found.view;
    let Some(seen) = view.revisions.get(place) else {
        return html! {};
    };
    let revision = &seen.revision;
    let others = seen.other_campaigns.iter().copied();
    let others: Vec<u32> = others.filter(|number| known.is_result(*number)).collect();
    html! {
        p.crumbs { a href=(HistoryAddress::First) { "History" } " › " a href=(HistoryAddress::Revisions(0)) { "Revisions" } }
        h1 { (say(&revision.name())) @if !revision.subject.is_empty() { ": " (say(&revision.subject)) } }
        dl.facts {
            dt { "revision" } dd { code { (say(&revision.id)) } }
            dt { "time" } dd { (revision.timestamp()) }
            @if !revision.tags.is_empty() { dt { "tags" } dd { (say(&revision.tags.join(", "))) } }
            @if let Some(build) = &seen.build { (built(build)) }
            @if !seen.campaigns.is_empty() {
                @match view.why_unmeasured(seen) {
                    None => { dt { "measured in" } }
                    Some(why) => { dt { "not measured" } dd { (unmeasured(why)) } dt { "tried in" } }
                }
                dd { (campaigns(&seen.campaigns)) }
            }
            @if !others.is_empty() { dt { "for confirmations and bisections in" } dd { (campaigns(&others)) } }
            @for found in view.control_failures.iter().filter(|found| found.revisions.contains(&revision.id)) {
                dt { "no value" } dd { (say(&why_of_control(view, &found.failure))) }
            }
            @if let Some(failure) = &seen.failure {
                dt { "runs failed" }
                dd {
                    (say(&failure.to_string())) "; run " (failure.run) " of "
                    a href=(HistoryAddress::Campaign(failure.campaign)) { "campaign " (failure.campaign) }
                }
            }
        }
        (values(view, place))
        (tests(view, seen, place))
        @match view.details_with(&site.directory, place, known.files.as_ref()) {
            Ok(details) => (changed(known, view, &details)),
            Err(error) => { p.warning { (say(&error.to_string())) } }
        }
    }
}

fn campaigns(numbers: &[u32]) -> Markup {
    html! {
        @for (index, campaign) in numbers.iter().enumerate() {
            @if index > 0 { ", " }
            a href=(HistoryAddress::Campaign(*campaign)) { "campaign " (campaign) }
        }
    }
}

fn built(build: &BuildFacts) -> Markup {
    html! {
        dt { "build" }
        dd {
            (format!("{:06}", build.build)) ": " (build.status.name())
            @if let Some(detail) = &build.detail { ", " (say(detail)) }
            @if build.build_seconds() > 0.0 { ", " (value_with_unit(build.build_seconds(), "s")) }
        }
        @for program in &build.programs {
            dt { (say(&program.path)) }
            dd {
                (program.bytes) " bytes"
                @if let Some(code) = program.code_bytes { ", code " (code) " bytes" }
            }
        }
    }
}

/// The difference of each metric from the control.
fn values(view: &View, place: usize) -> Markup {
    let rows = view
        .series
        .iter()
        .enumerate()
        .filter_map(|(index, series)| {
            let found = value_differences(series, place..place + 1)
                .pop()
                .flatten()?;
            Some((index, series, found))
        });
    let rows: Vec<_> = rows.collect();
    html! {
        @if !rows.is_empty() {
            div.scroll tabindex="0" role="region" aria-label="Values" {
                table data-sortable {
                    caption { "Against the control" }
                    thead { tr { th scope="col" { "metric" } th.number scope="col" { "difference" } } }
                    tbody {
                        @for (index, series, (value, text)) in &rows {
                            tr {
                                th scope="row" {
                                    a href=(HistoryAddress::Metric(*index)) { (say(&perflab_history::subject_name(&series.subject))) }
                                }
                                td.number data-value=(value) { (say(text)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The tests that did not end as expected.
fn tests(view: &View, seen: &Seen, place: usize) -> Markup {
    let failed = view.tests.iter().filter_map(|test| {
        let cell = test.cells.iter().find(|cell| cell.place == place)?;
        (cell.worst().is_as_expected() == Some(false)).then(|| (test.full_name(), cell.worst()))
    });
    let failed: Vec<_> = failed.collect();
    html! {
        @if !failed.is_empty() {
            h2 { a href=(HistoryAddress::Tests) { "Tests" } " that failed" }
            ul { @for (name, outcome) in failed.iter().take(MOST) { li { (outcome.name()) " " (say(name)) } } }
            (more(failed.len()))
        }
        @for fault in &seen.test_faults { p { "Tests: " (say(fault)) } }
    }
}

fn changed(known: &Known, view: &View, details: &Details) -> Markup {
    let Some((place, before)) = details
        .before
        .and_then(|place| Some((place, view.revisions.get(place)?)))
    else {
        return html! {};
    };
    html! {
        h2 { "Since " (other(known, place, before)) " of " (before.revision.date()) }
        @if !details.commits.is_empty() {
            h3 { (counted(details.commits.len(), "commit")) }
            ul { @for commit in details.commits.iter().rev().take(MOST) { li { (one(commit)) } } }
            (more(details.commits.len()))
        }
        @if !details.files.is_empty() {
            h3 { (counted(details.files.len(), "file")) }
            ul { @for file in details.files.iter().take(MOST) { li { code { (say(file)) } } } }
            (more(details.files.len()))
        }
        @for (program, changes) in &details.programs { (functions(program, changes)) }
    }
}

fn other(known: &Known, place: usize, seen: &Seen) -> Markup {
    html! {
        @match known.address(place) {
            Some(address) => { a href=(address) { (say(&seen.revision.name())) } }
            None => { (say(&seen.revision.name())) }
        }
    }
}

fn one(commit: &Revision) -> Markup {
    html! { code { (say(&commit.name())) } " " (commit.date()) " " (say(&commit.subject)) }
}

fn functions(program: &str, changes: &SymbolChanges) -> Markup {
    let with = |word: &'static str, all: &[SymbolChange]| -> Vec<(&'static str, SymbolChange)> {
        all.iter().map(|change| (word, change.clone())).collect()
    };
    let mut rows = with("size", &changes.resized);
    rows.extend(with("came", &changes.came));
    rows.extend(with("went", &changes.went));
    html! {
        h3 { "Functions of " (say(program)) }
        p.note {
            (changes.came.len()) " came, " (changes.went.len()) " went, " (changes.resized.len()) " of another size, "
            (changes.moved) " only moved, " (changes.unchanged) " of the same size and place. The code of these may differ."
        }
        @if !rows.is_empty() {
            div.scroll.tall tabindex="0" role="region" aria-label={ "Functions of " (say(program)) } {
                table data-sortable {
                    thead { tr { th scope="col" { "what" } th.number scope="col" { "bytes" } th scope="col" { "function" } } }
                    tbody {
                        @for (word, change) in rows.iter().take(MOST) {
                            @let difference = i128::from(change.after) - i128::from(change.before);
                            tr { td { (word) } td.number data-value=(difference) { (format!("{difference:+}")) } td { code { (say(&change.name)) } } }
                        }
                    }
                }
            }
            (more(rows.len()))
        }
    }
}

/// How many of so many are left out.
fn more(all: usize) -> Markup {
    html! { @if all > MOST { p.note { (all - MOST) " more are left out." } } }
}
