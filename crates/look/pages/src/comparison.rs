//! One comparison: every run of both sides, and what is proven of them.

use maud::{Markup, html};
use perflab_compare::{Comparison, Decile, Row, deciles};
use perflab_report::plots::{Sided, distribution, quantiles, runs, shift, sided};
use perflab_report::sections::{metric_in_words, row_label};
use perflab_report::{command, facts, no_deciles, row_warnings, value_with_unit};

use crate::address::Address;
use crate::data;
use crate::page::Page;
use crate::result::SalvagedResult;
use crate::tables;
use crate::text::say;

/// Runs that the table has; the rest is in the data.
const MOST_RUNS: usize = 1000;

pub(crate) fn comparison(
    result: &SalvagedResult,
    metric: usize,
    place: usize,
    page: &mut Page,
) -> Option<(String, Markup)> {
    let report = result.report_of(metric).ok()?;
    let row = *report.rows_of(metric).get(place)?;
    let origins = result.origins(report);
    let sides = sided(row, &report.baseline, &origins);
    let deciles = deciles_of(row, report, result.affords_deciles(row));
    let (deciles, missing) = match deciles {
        Ok(deciles) => (deciles, None),
        Err(reason) => (Vec::new(), Some(reason)),
    };
    let row = &Row {
        deciles,
        ..row.clone()
    };
    let plots = [
        Some(runs(row, &sides, &Address::of_run)),
        Some(distribution(row, &sides, &Address::of_run)),
        Some(quantiles(row, &sides)),
        shift(row, &report.baseline),
    ];
    page.keep(
        Address::ComparisonCsv(metric, place),
        data::comparison_csv(row, &sides),
    );
    let plots: Vec<Markup> = plots
        .into_iter()
        .flatten()
        .map(|plot| page.plot(&plot))
        .collect();
    let heading = format!(
        "{}: {} against {}",
        row_label(row),
        row.variant,
        report.baseline
    );
    let data = Address::ComparisonCsv(metric, place);
    let body = html! {
        p.crumbs {
            a href=(Address::First) { "Answer" } " › "
            a href=(Address::Metric(metric)) { (say(&row.key.metric.name)) }
        }
        h1 { (say(&heading)) }
        p.note { (say(&metric_in_words(&row.key.metric))) }
        p.answer { (tables::verdict(row)) }
        (known(row, report))
        @for plot in &plots { (plot) }
        @if let Some(reason) = &missing { p.note { "There is no plot of the deciles: " (say(reason)) "." } }
        p.note { a href=(data) download { "These values as CSV" } }
        (values(row, &sides, &data))
    };
    Some((format!("{heading}, {}", row.key.metric.name), body))
}

/// All values of a comparison with their runs.
pub(crate) fn csv(result: &SalvagedResult, metric: usize, place: usize) -> Option<String> {
    let report = result.report_of(metric).ok()?;
    let row = *report.rows_of(metric).get(place)?;
    let sides = sided(row, &report.baseline, &result.origins(report));
    Some(data::comparison_csv(row, &sides))
}

/// The deciles of a row, which take a bootstrap, so that only those that are looked at get them; or why it has none.
fn deciles_of(row: &Row, report: &Comparison, is_affordable: bool) -> Result<Vec<Decile>, String> {
    if report.is_pooled(row) {
        return Err("what is pooled is of no single distribution".to_owned());
    }
    if !is_affordable {
        return Err(format!(
            "those of so many runs take long; `{}` computes them",
            command([
                "perflab",
                "compare",
                "--deciles",
                &format!("--metric={}", row.key.metric.name)
            ])
        ));
    }
    deciles(row, &report.design, report.confidence).map_err(|reason| no_deciles(&reason))
}

fn known(row: &Row, report: &Comparison) -> Markup {
    let warnings = row_warnings(row, report);
    html! {
        dl.facts {
            @for (name, fact) in facts(row, report) {
                dt { (say(&name)) }
                dd { (say(&fact)) }
            }
        }
        @if !warnings.is_empty() {
            section.warnings aria-label="Warnings" {
                h2 { "Before you believe it" }
                ul { @for warning in &warnings { li { (say(warning)) } } }
            }
        }
    }
}

fn values(row: &Row, sides: &[Sided; 2], data: &Address) -> Markup {
    let mut all: Vec<_> = sides
        .iter()
        .flat_map(|side| {
            let slow = side.is_slow.iter();
            side.values
                .iter()
                .zip(slow)
                .map(|((value, measured), slow)| {
                    let run = measured.map(|measured| measured.run);
                    let block = measured.map(|measured| measured.block);
                    (run, block, side.variant.as_str(), *value, *slow)
                })
        })
        .collect();
    all.sort_by_key(|(run, ..)| *run);
    let has_slow = all.iter().any(|(.., slow)| *slow);
    html! {
        section aria-label="Values" {
            h2 { "Every value" }
            label.filter { "Show only rows with " input type="search" data-filter="values"; }
            div.scroll.tall tabindex="0" role="region" aria-label="Every value" {
                table id="values" data-sortable {
                    thead {
                        tr {
                            th.number scope="col" { "run" } th.number scope="col" { "block" }
                            th scope="col" { "variant" } th.number scope="col" { (say(&row.key.metric.name)) }
                            @if has_slow { th scope="col" { "mode" } }
                        }
                    }
                    tbody {
                        @for (run, block, variant, value, slow) in all.iter().take(MOST_RUNS) {
                            tr {
                                td.number {
                                    @if let Some(run) = run { a href=(Address::Run(*run)) { (run) } }
                                }
                                td.number { @if let Some(block) = block { (block) } }
                                td { (say(variant)) }
                                td.number data-value=(value) { (say(&value_with_unit(*value, &row.key.metric.unit))) }
                                @if has_slow { td { @if *slow { "slow" } } }
                            }
                        }
                    }
                }
            }
            @if all.len() > MOST_RUNS {
                p.note {
                    (all.len() - MOST_RUNS) " more are in "
                    a href=(data) download { "the table as CSV" } "."
                }
            }
        }
    }
}
