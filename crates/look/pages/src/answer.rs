//! The first screen: the question, the answer, the differences at a glance, and what to beware of.

use maud::{Markup, html};
use perflab_compare::{Outcome, Row};
use perflab_experiment::counted;
use perflab_report::plots::{forest, sweep, sweeps};
use perflab_report::sections::sections;
use perflab_report::{answers, sentences};

use crate::address::Address;
use crate::charts::has_charts;
use crate::indexed_comparison::IndexedComparison;
use crate::page::Page;
use crate::problems::problems;
use crate::progress::progress;
use crate::result::SalvagedResult;
use crate::tables;
use crate::text::say;

/// Rows that the first screen draws and lists of each metric and candidate; the rest is on the metric's page.
const MOST_ROWS: usize = 60;

/// Plots of differences that it has.
const MOST_PLOTS: usize = 8;

/// Answers that it gives.
const MOST_ANSWERS: usize = 12;

/// Tables that it has.
const MOST_TABLES: usize = 30;

/// Warnings that it gives.
const MOST_WARNINGS: usize = 30;

/// Metrics that it names.
const MOST_METRICS: usize = 400;

pub(crate) fn answer(result: &SalvagedResult, page: &mut Page) -> Markup {
    let question = result
        .experiment()
        .and_then(|experiment| experiment.question.as_deref());
    html! {
        h1 { (say(question.unwrap_or(result.name()))) }
        (problems(result))
        (progress(result, page))
        @match result.report() {
            Ok(report) => (compared(report, page)),
            Err(reason) => {
                p.answer { span class="verdict open" { "No verdict: " (say(reason)) } }
            }
        }
        @if has_charts(result) {
            p.note { a href=(Address::Charts) { "Charts" } " of the benchmarks that differ in a number." }
        }
        (metrics(result))
        (counts(result))
    }
}

fn compared(report: &IndexedComparison, page: &mut Page) -> Markup {
    let warnings = sentences::warnings(report);
    let control = sentences::control(report);
    let of_row = |row: &Row| tables::address(report, row);
    let link = |row: &Row| of_row(row).map(|address| address.to_string());
    let all = sections(report);
    let forests: Vec<Markup> = all
        .iter()
        .flat_map(|section| {
            let of = |relative: bool| -> Vec<&Row> {
                let own = tables::first(section, MOST_ROWS).map(|(_, row)| row);
                own.filter(|row| row.relative == relative).collect()
            };
            [of(true), of(false)]
        })
        .filter_map(|rows| forest(report, &rows, &link))
        .take(MOST_PLOTS)
        .map(|plot| page.plot(&plot))
        .collect();
    let heat: Vec<Markup> = sweeps(report)
        .iter()
        .filter(|found| found.rows.len() > 3 && found.rows.len() <= 200)
        .take(4)
        .map(|found| page.plot(&sweep(report, found, &link)))
        .collect();
    let mut told = answers(report);
    if told.len() > MOST_ANSWERS {
        told.sort_by_key(|answer| match answer.outcome {
            Outcome::Mixed | Outcome::Worse => 0,
            Outcome::Better | Outcome::Differs => 1,
            Outcome::Same | Outcome::NotProven => 2,
        });
    }
    html! {
        section aria-label="Answer" {
            @for answer in told.iter().take(MOST_ANSWERS) {
                p.answer {
                    span class={ "verdict " (tables::class(answer.outcome)) } {
                        span aria-hidden="true" { (tables::sign(answer.outcome)) " " }
                        (say(&answer.text))
                    }
                }
            }
            (more(told.len(), MOST_ANSWERS, "answers are on the pages of their metrics"))
            @if let Some(nothing) = sentences::nothing(report) { p.answer { (say(&nothing)) } }
            p.note { (say(&sentences::design(report))) }
            @if let Some(failures) = sentences::failures(report) { p.note { (say(&failures)) } }
        }
        @if let Some((sentence, alarm)) = control {
            p.warning[alarm].note[!alarm] { (say(&sentence)) }
        }
        @for plot in forests.iter().take(1) { (plot) }
        @if !warnings.is_empty() {
            section.warnings aria-label="Warnings" {
                h2 { "Before you believe it" }
                ul { @for warning in warnings.iter().take(MOST_WARNINGS) { li { (say(warning)) } } }
                (more(warnings.len(), MOST_WARNINGS, "are in the report as JSON"))
            }
        }
        @for plot in forests.iter().skip(1) { (plot) }
        @for plot in &heat { (plot) }
        section aria-label="Comparisons" {
            h2 { "Every comparison" }
            @for section in all.iter().take(MOST_TABLES) { (tables::section(section, MOST_ROWS, Some(&Address::ReportCsv), &of_row)) }
            (more(all.len(), MOST_TABLES, "tables are on the pages of their metrics"))
            ul.legend { @for sentence in sentences::legend(report, true) { li { (say(&sentence)) } } }
        }
    }
}

/// How many are left out, and where they are.
fn more(all: usize, shown: usize, are: &str) -> Markup {
    html! {
        @if all > shown { p.note { (all - shown) " more " (are) "." } }
    }
}

fn metrics(result: &SalvagedResult) -> Markup {
    let metrics = result.metrics();
    html! {
        @if !metrics.is_empty() {
            section aria-label="Metrics" {
                h2 { "Metrics" }
                p.note {
                    "Those that the experiment asks about are bold. Verdicts on the others share the error only \
                     among the tests of their own page."
                }
                ul.metrics {
                    @for (index, metric) in metrics.iter().enumerate().take(MOST_METRICS) {
                        li {
                            a href=(Address::Metric(index)) class=[result.is_asked(index).then_some("asked")] {
                                (say(&metric.name))
                            }
                        }
                    }
                }
                @if let Some(next) = metrics.get(MOST_METRICS) {
                    p.note {
                        (metrics.len() - MOST_METRICS) " more follow: "
                        a href=(Address::Metric(MOST_METRICS)) { (say(&next.name)) } " is the next."
                    }
                }
            }
        }
    }
}

fn counts(result: &SalvagedResult) -> Markup {
    let records = result.records();
    let planned = result.salvage.plan.as_ref().map(|plan| plan.runs.len());
    let failed = records
        .iter()
        .filter(|record| !record.status.passed())
        .count();
    html! {
        p.note {
            a href=(Address::Runs(0)) { (counted(records.len(), "run")) }
            @if let Some(planned) = planned { " of " (planned) " planned" }
            @if failed > 0 { ", " (failed) " of them failed" }
            ". "
            @if let Some(meta) = &result.salvage.meta { "Begun " (say(&meta.origin.created)) ". " }
            a href=(Address::Method) { "How this was measured" } "."
        }
    }
}
