//! Two results that were not measured together: each variant that both have, in the second against the first.

use maud::{Markup, html};
use perflab_compare::{Comparison, Half, ResultInput, Row, compare_apart};
use perflab_report::plots::forest;
use perflab_report::sections::{by_metric, sections};
use perflab_report::{answers, sentences};
use serde_json::Value;

use crate::figure::figure;
use crate::shell::Shell;
use crate::site::Site;
use crate::tables;
use crate::text::say;

/// Rows that are drawn, and differences of the surroundings that are listed.
const MOST: usize = 60;

/// Rows of a table.
const MOST_ROWS: usize = 400;

/// The page that compares the second result with the first. `address` is that of a result's first page.
pub fn pair(
    (a_path, a): (&str, &Site),
    (b_path, b): (&str, &Site),
    address: &dyn Fn(&str) -> String,
) -> String {
    let report = report((a_path, a), (b_path, b));
    let changed = changes(a, b);
    let body = html! {
        h1 { "B against A" }
        dl.facts {
            dt { "A" } dd { a href=(address(a_path)) { (say(a_path)) } ": " (say(a.name())) }
            dt { "B" } dd { a href=(address(b_path)) { (say(b_path)) } ": " (say(b.name())) }
        }
        @match &report {
            Ok(report) => (compared(report)),
            Err(reason) => { p.answer { "No verdict: " (say(reason)) } }
        }
        (changed)
    };
    Shell::plain("Results").finish("B against A", &body)
}

fn report((a_path, a): (&str, &Site), (b_path, b): (&str, &Site)) -> Result<Comparison, String> {
    let (of_a, of_b) = (half("A", a_path, a)?, half("B", b_path, b)?);
    if a_path == b_path {
        return Err("both are the same result".to_owned());
    }
    compare_apart(of_a, of_b).map_err(|error| error.to_string())
}

fn half<'s>(name: &'static str, path: &'s str, site: &'s Site) -> Result<Half<'s>, String> {
    match ResultInput::of_salvage(&site.result().salvage) {
        Ok(result) => Ok(Half::of(name, path, &result)),
        Err(_) => Err(format!("{name} cannot be trusted as a whole")),
    }
}

fn compared(report: &Comparison) -> Markup {
    // No page is behind a row: its runs are of two results.
    let plots: Vec<Markup> = by_metric(report)
        .iter()
        .flat_map(|rows| {
            [true, false].map(|relative| {
                let own = rows.iter().copied().filter(|row| row.relative == relative);
                let own: Vec<&Row> = own.take(MOST).collect();
                forest(report, &own, &|_| None)
            })
        })
        .flatten()
        .enumerate()
        .map(|(index, plot)| figure(&plot, &format!("plot-{index}")))
        .collect();
    html! {
        @for answer in answers(report) {
            p.answer { span class={ "verdict " (tables::class(answer.outcome)) } { (say(&answer.text)) } }
        }
        section.warnings aria-label="Warnings" {
            ul { @for warning in sentences::warnings(report) { li { (say(&warning)) } } }
        }
        @for plot in &plots { (plot) }
        @for section in sections(report) { (tables::section(&section, MOST_ROWS, None, &|_| None)) }
        ul.legend { @for sentence in sentences::legend(report, true) { li { (say(&sentence)) } } }
    }
}

/// What else is different: facts of the machine and of the programs.
fn changes(a: &Site, b: &Site) -> Markup {
    let facts = [a, b].map(|site| {
        let mut leaves = Vec::new();
        if let Some(environment) = &site.result().salvage.environment {
            let value = serde_json::to_value(environment).unwrap_or_default();
            flatten(&value, "", &mut leaves);
        }
        leaves
    });
    let [of_a, of_b] = &facts;
    let value = |leaves: &[(String, String)], name: &str| {
        let found = leaves.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.clone())
    };
    let mut rows: Vec<(&String, Option<String>, Option<String>)> = Vec::new();
    for (name, _) in of_a.iter().chain(of_b) {
        let both = (value(of_a, name), value(of_b, name));
        if both.0 != both.1 && !rows.iter().any(|(known, ..)| *known == name) {
            rows.push((name, both.0, both.1));
        }
    }
    html! {
        h2 { "What else changed" }
        @if rows.is_empty() {
            p.note { "Nothing that the recorded environments show." }
        } @else {
            div.scroll tabindex="0" role="region" aria-label="What else changed" {
                table data-sortable {
                    thead { tr { th scope="col" { "fact" } th scope="col" { "A" } th scope="col" { "B" } } }
                    tbody {
                        @for (name, a, b) in rows.iter().take(MOST) {
                            tr {
                                th scope="row" { (say(name)) }
                                td { (say(a.as_deref().unwrap_or("not known"))) }
                                td { (say(b.as_deref().unwrap_or("not known"))) }
                            }
                        }
                    }
                }
            }
            @if rows.len() > MOST { p.note { (rows.len() - MOST) " more." } }
        }
    }
}

fn flatten(value: &Value, name: &str, leaves: &mut Vec<(String, String)>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                let name = if name.is_empty() {
                    key.clone()
                } else {
                    format!("{name}.{key}")
                };
                flatten(value, &name, leaves);
            }
        }
        Value::Null => {}
        Value::String(text) => leaves.push((name.to_owned(), text.clone())),
        other => leaves.push((name.to_owned(), other.to_string())),
    }
}
