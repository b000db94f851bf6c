//! The list of all results, from which one is opened, or two are chosen to be compared.

use maud::{Markup, html};

use crate::shell::Shell;
use crate::text::say;

/// What the list says of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its path below the root.
    pub path: String,
    /// The experiment's name.
    pub name: String,
    /// The experiment's question.
    pub question: Option<String>,
    /// When it was begun, RFC 3339.
    pub created: String,
    /// Runs that are recorded.
    pub done: usize,
    /// Of these, runs that did not pass.
    pub failed: usize,
    /// Runs in the plan.
    pub planned: Option<usize>,
    /// The variants.
    pub variants: Vec<String>,
    /// Whether a laboratory adds runs now.
    pub is_running: bool,
    /// How many things are wrong with it.
    pub problems: usize,
}

/// What the list says of a history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryEntry {
    /// Its path below the root.
    pub path: String,
    /// Its name.
    pub name: String,
    /// What it is to answer.
    pub question: Option<String>,
    /// Campaigns.
    pub campaigns: usize,
    /// When the last one was begun, RFC 3339; empty where there is none.
    pub last: String,
    /// Revisions that are known.
    pub revisions: usize,
    /// Changes that are proven.
    pub changes: usize,
    /// Whether something of it cannot be trusted.
    pub is_damaged: bool,
}

impl HistoryEntry {
    /// Whether all words of a search are in what the list says.
    fn has(&self, words: &[String]) -> bool {
        let question = self.question.as_deref().unwrap_or_default();
        let mut text = format!("{} {} {question} {}", self.path, self.name, self.last);
        text.make_ascii_lowercase();
        words.iter().all(|word| text.contains(word.as_str()))
    }
}

impl Entry {
    /// Whether all words of a search are in what the list says.
    fn has(&self, words: &[String]) -> bool {
        let mut text = format!(
            "{} {} {} {} {}",
            self.path,
            self.name,
            self.question.as_deref().unwrap_or_default(),
            self.created,
            self.variants.join(" ")
        );
        text.make_ascii_lowercase();
        let states = [
            (self.is_running, "running"),
            (self.failed > 0, "failed"),
            (self.problems > 0, "damaged"),
        ];
        for (_, word) in states.iter().filter(|(is, _)| *is) {
            text.push(' ');
            text.push_str(word);
        }
        words.iter().all(|word| text.contains(word.as_str()))
    }
}

/// The page with the histories and results that a search finds, as they come. `address` is that of a first page.
pub fn list(
    histories: &[HistoryEntry],
    entries: &[Entry],
    query: &str,
    address: &dyn Fn(&str) -> String,
) -> String {
    let words: Vec<String> = query
        .split_whitespace()
        .map(str::to_ascii_lowercase)
        .collect();
    let found: Vec<&Entry> = entries.iter().filter(|entry| entry.has(&words)).collect();
    let past: Vec<&HistoryEntry> = histories.iter().filter(|entry| entry.has(&words)).collect();
    let body = html! {
        h1 { "Results" }
        form.search method="get" action="/" role="search" {
            label { "Search " input type="search" name="q" value=(say(query)); }
            button type="submit" { "Find" }
            span.note { " words of name, question, variant or date; running, failed, damaged" }
        }
        @if !past.is_empty() { (history_table(&past, address)) }
        @if entries.is_empty() && !histories.is_empty() {
        } @else if entries.is_empty() {
            p.answer { "There are no results here yet; " code { "perflab run" } " makes some." }
        } @else if found.is_empty() {
            p.answer { "None of " (entries.len()) " results has all these words." }
        } @else {
            (table(&found, address))
        }
    };
    Shell::plain("Results").finish("Results", &body)
}

fn history_table(found: &[&HistoryEntry], address: &dyn Fn(&str) -> String) -> Markup {
    html! {
        h2 { "Histories" }
        div.scroll tabindex="0" role="region" aria-label="Histories" {
            table data-sortable {
                thead { tr {
                    th scope="col" { "history" } th scope="col" { "question" }
                    th.number scope="col" { "revisions" } th.number scope="col" { "changes" }
                    th.number scope="col" { "campaigns" } th scope="col" { "last" }
                } }
                tbody { @for entry in found {
                    tr {
                        th scope="row" {
                            a href=(address(&entry.path)) { (say(&entry.path)) }
                            @if entry.is_damaged { " " span.verdict.worse { "damaged" } }
                        }
                        td { (say(entry.question.as_deref().unwrap_or_default())) }
                        td.number { (entry.revisions) } td.number { (entry.changes) } td.number { (entry.campaigns) }
                        td { (say(entry.last.get(..19).unwrap_or(&entry.last))) }
                    }
                } }
            }
        }
    }
}

fn table(found: &[&Entry], address: &dyn Fn(&str) -> String) -> Markup {
    html! {
        form method="get" action="/pair" {
            div.scroll tabindex="0" role="region" aria-label="Results" {
                table data-sortable {
                    thead { tr {
                        th scope="col" { "A" } th scope="col" { "B" } th scope="col" { "result" }
                        th scope="col" { "question" } th scope="col" { "variants" }
                        th.number scope="col" { "runs" } th scope="col" { "begun" }
                    } }
                    tbody { @for entry in found { (row(entry, address)) } }
                }
            }
            p { button type="submit" { "Compare B with A" } }
        }
    }
}

fn row(entry: &Entry, address: &dyn Fn(&str) -> String) -> Markup {
    html! {
        tr {
            td { input type="radio" name="a" value=(entry.path) aria-label={ "A: " (say(&entry.path)) }; }
            td { input type="radio" name="b" value=(entry.path) aria-label={ "B: " (say(&entry.path)) }; }
            th scope="row" {
                a href=(address(&entry.path)) { (say(&entry.path)) }
                @if entry.is_running { " " span.verdict.same { "running" } }
                @if entry.problems > 0 { " " span.verdict.worse { "damaged" } }
            }
            td { (say(entry.question.as_deref().unwrap_or_default())) }
            td { (say(&entry.variants.join(", "))) }
            td.number data-value=(entry.done) {
                (entry.done) @if let Some(planned) = entry.planned { "/" (planned) }
                @if entry.failed > 0 { ", " (entry.failed) " failed" }
            }
            td { (say(entry.created.get(..19).unwrap_or(&entry.created))) }
        }
    }
}
