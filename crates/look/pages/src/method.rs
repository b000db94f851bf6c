//! How all this was measured: the design, the tests and where they are explained, the machine, the experiment.

use maud::{Markup, html};
use perflab_compare::Comparison;
use perflab_report::{command, sentences};
use serde_json::Value;

use crate::address::Address;
use crate::document;
use crate::problems::problems;
use crate::result::SalvagedResult;
use crate::text::say;

pub(crate) fn method(result: &SalvagedResult) -> Markup {
    html! {
        h1 { "How this was measured" }
        (problems(result))
        @if let Ok(report) = result.report() { (design(result, report)) }
        @if let Some(meta) = &result.salvage.meta {
            h2 { "Origin" }
            dl.facts {
                dt { "begun" } dd { (say(&meta.origin.created)) }
                dt { "perflab" } dd { (say(&meta.origin.perflab)) }
                dt { "command" } dd { code { (say(&command(&meta.origin.argv))) } }
                @if let Some(imported) = &meta.origin.imported {
                    dt { "imported from" } dd { (say(&imported.format)) }
                    @for file in &imported.files {
                        dt { (say(&file.path)) } dd { code { (say(&file.sha256)) } }
                    }
                    @for note in &imported.notes { dt { "note" } dd { (say(note)) } }
                }
            }
        }
        (methods())
        @if let Some(environment) = &result.salvage.environment {
            h2 { "The machine and what ran on it" }
            (tree(&serde_json::to_value(environment).unwrap_or_default(), 0))
        }
        @if let Some(experiment) = &result.salvage.experiment {
            h2 { "The experiment, word for word" }
            pre tabindex="0" { (lines(&experiment.text)) }
        }
    }
}

fn design(result: &SalvagedResult, report: &Comparison) -> Markup {
    html! {
        h2 { "Design" }
        dl.facts {
            dt { "in short" } dd { (say(&sentences::design(report))) }
            @if let Some(failures) = sentences::failures(report) { dt { "runs" } dd { (say(&failures)) } }
            @if let Some(experiment) = result.experiment() {
                @let text = toml_of(experiment);
                @for (name, value) in text { dt { (say(&name)) } dd { (say(&value)) } }
            }
        }
        ul.legend { @for sentence in sentences::legend(report, true) { li { (say(&sentence)) } } }
    }
}

/// The table `design` of the experiment, as it was understood.
fn toml_of(experiment: &perflab_experiment::Experiment) -> Vec<(String, String)> {
    let design = serde_json::to_value(&experiment.design).unwrap_or_default();
    let fields = design.as_object().into_iter().flatten();
    fields
        .filter(|(_, value)| !value.is_null())
        .map(|(name, value)| (name.clone(), in_words(value)))
        .collect()
}

fn in_words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(in_words).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

fn methods() -> Markup {
    html! {
        h2 { "Methods" }
        p.note { "What each answers, its formula and source, and when not to use it:" }
        (document::list())
        p.note {
            "Every figure of these pages is also in " a href=(Address::ReportJson) download { "the report as JSON" }
            ", whose form " code { "perflab schema result" } " prints."
        }
    }
}

/// Deepest level of an environment that is unfolded.
const DEPTH: usize = 6;

fn tree(value: &Value, depth: usize) -> Markup {
    html! {
        @match value {
            Value::Object(fields) if depth < DEPTH => {
                dl.facts.tree {
                    @for (name, value) in fields.iter().filter(|(_, value)| !value.is_null()).take(500) {
                        dt { (say(name)) } dd { (tree(value, depth + 1)) }
                    }
                }
            }
            Value::Array(items) if depth < DEPTH && items.iter().any(Value::is_object) => {
                ul { @for item in items.iter().take(200) { li { (tree(item, depth + 1)) } } }
            }
            other => { (say(&in_words(other))) }
        }
    }
}

/// A text whose lines stay lines.
fn lines(text: &str) -> String {
    text.lines()
        .take(5000)
        .map(say)
        .collect::<Vec<_>>()
        .join("\n")
}
