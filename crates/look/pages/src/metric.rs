//! A metric: all its comparisons.

use indexmap::IndexMap;
use maud::{Markup, html};
use perflab_compare::{Comparison, Row, Side};
use perflab_report::plots::{forest, sweep, sweeps};
use perflab_report::sections::{metric_in_words, row_label, sections};
use perflab_report::{answers, sentences};

use crate::address::Address;
use crate::indexed_comparison::IndexedComparison;
use crate::page::Page;
use crate::result::SalvagedResult;
use crate::tables;
use crate::text::say;

/// Rows that are drawn and listed of each candidate.
const MOST_ROWS: usize = 400;

pub(crate) fn metric(result: &SalvagedResult, index: usize, page: &mut Page) -> Option<Markup> {
    let metric = result.metrics().get(index)?;
    let report = result.report_of(index);
    let of_one_unit = |report: &IndexedComparison| {
        let rows = report.rows_of(index);
        rows.iter().all(|row| row.key.metric == **metric)
    };
    let beside = |index: Option<usize>| {
        let index = index.filter(|index| *index < result.metrics().len());
        index.map(Address::Metric)
    };
    Some(html! {
        p.crumbs {
            a href=(Address::First) { "Answer" }
            @if let Some(before) = beside(index.checked_sub(1)) { " · " a href=(before) { "the metric before" } }
            @if let Some(after) = beside(Some(index + 1)) { " · " a href=(after) { "the metric after" } }
        }
        h1 {
            @if report.is_ok_and(of_one_unit) { (say(&metric_in_words(metric))) } @else { (say(&metric.name)) }
        }
        @if !result.is_asked(index) {
            p.note {
                "The experiment does not ask about this metric: verdicts share the error among the tests of this page."
            }
        }
        @match report {
            Ok(report) => (compared(index, report, page)),
            Err(reason) => p.answer { span class="verdict open" { "No verdict: " (say(reason)) } },
        }
        p.note { a href=(Address::MetricJson(index)) download { "These comparisons as JSON" } }
    })
}

fn compared(index: usize, report: &IndexedComparison, page: &mut Page) -> Markup {
    let rows = report.rows_of(index);
    let of_row = |row: &Row| tables::address(report, row);
    let link = |row: &Row| of_row(row).map(|address| address.to_string());
    let is_own = |row: &&Row| rows.iter().any(|own| std::ptr::eq(*own, *row));
    // Rows of another unit, or that differ in another way, have an axis of their own.
    let mut alike: IndexMap<(&str, bool), Vec<&Row>> = IndexMap::new();
    for row in &rows {
        let key = (row.key.metric.unit.as_str(), row.relative);
        alike.entry(key).or_default().push(row);
    }
    let forests: Vec<Markup> = alike
        .values()
        .filter_map(|rows| forest(report, &drawn(rows, report), &link))
        .map(|plot| page.plot(&plot))
        .collect();
    let found = sweeps(report);
    let heat: Vec<Markup> = found
        .iter()
        .filter(|found| found.rows.first().is_some_and(is_own) && found.rows.len() <= MOST_ROWS)
        .map(|found| page.plot(&sweep(report, found, &link)))
        .collect();
    let all = sections(report);
    let own = all
        .iter()
        .filter(|section| section.all().next().is_some_and(|row| is_own(&row)));
    html! {
        // An answer for each metric: those of a report of several are on the first page.
        @if report.rows.iter().all(|row| is_own(&row)) {
            @for answer in answers(report) {
                p.answer {
                    span class={ "verdict " (tables::class(answer.outcome)) } { (say(&answer.text)) }
                }
            }
        }
        @for plot in &forests { (plot) }
        @for plot in &heat { (plot) }
        section aria-label="Comparisons" {
            h2 { "Every comparison" }
            @for section in own { (tables::section(section, MOST_ROWS, Some(&Address::MetricJson(index)), &of_row)) }
            (summaries(report, &rows))
            ul.legend { @for sentence in sentences::legend(report, true) { li { (say(&sentence)) } } }
        }
    }
}

/// The first rows, and all that are pooled.
fn drawn<'r>(rows: &[&'r Row], report: &Comparison) -> Vec<&'r Row> {
    let (pooled, own): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(|row| report.is_pooled(row));
    own.into_iter().take(MOST_ROWS).chain(pooled).collect()
}

fn figure(value: Option<f64>, row: &Row) -> Markup {
    html! {
        td.number data-value=[value] {
            @if let Some(value) = value { (perflab_report::value(value, &row.key.metric.unit)) }
        }
    }
}

/// Mean with its interval, standard deviation, least, most and median of each side of each row.
fn summaries(report: &IndexedComparison, rows: &[&Row]) -> Markup {
    let own = rows.iter().filter(|row| !report.is_pooled(row));
    // The baseline's side comes with each candidate.
    let mut sides: IndexMap<(String, &str), (&Row, &Side)> = IndexMap::new();
    for row in own.take(MOST_ROWS) {
        let label = row_label(row);
        let base = (label.clone(), report.baseline.as_str());
        sides.entry(base).or_insert((row, &row.base));
        let candidate = (label, row.variant.as_str());
        sides.entry(candidate).or_insert((row, &row.candidate));
    }
    html! {
        div.scroll tabindex="0" role="region" aria-label="Every side" {
            table data-sortable {
                caption { "Every side; intervals: " (perflab_report::share(report.confidence)) }
                thead {
                    tr {
                        th scope="col" { "of" } th scope="col" { "variant" }
                        @for name in ["n", "mean", "interval of the mean", "sd", "min", "max", "median"] {
                            th.number scope="col" { (name) }
                        }
                    }
                }
                tbody {
                    @for ((label, variant), (row, side)) in &sides {
                        tr {
                            th scope="row" {
                                @if let Some(address) = tables::address(report, row) {
                                    a href=(address) { (say(label)) }
                                } @else { (say(label)) }
                            }
                            td { (say(variant)) }
                            td.number { (side.n) }
                            (figure(Some(side.mean), row))
                            td.number data-value=[side.mean_low] {
                                @if let (Some(low), Some(high)) = (side.mean_low, side.mean_high) {
                                    (perflab_report::value(low, &row.key.metric.unit)) " to "
                                    (perflab_report::value(high, &row.key.metric.unit))
                                }
                            }
                            @for value in [side.sd, Some(side.min), Some(side.max), Some(side.median)] {
                                (figure(value, row))
                            }
                        }
                    }
                }
            }
        }
    }
}
