//! Tables of comparisons.

use maud::{Markup, html};
use perflab_compare::{Outcome, Row, Side};
use perflab_report::headline;
use perflab_report::sections::{Section, slow_runs};

use crate::address::Address;
use crate::indexed_comparison::IndexedComparison;
use crate::text::say;

/// The class of what is proven.
pub(crate) fn class(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Better => "better",
        Outcome::Mixed | Outcome::Worse => "worse",
        Outcome::Same | Outcome::Differs => "same",
        Outcome::NotProven => "open",
    }
}

/// A sign beside the word, so that colour is not all that tells verdicts apart.
pub(crate) fn sign(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Better => "▲",
        Outcome::Mixed => "▲▼",
        Outcome::Worse => "▼",
        Outcome::Differs => "≠",
        Outcome::Same => "=",
        Outcome::NotProven => "?",
    }
}

/// The address of a row's page.
pub(crate) fn address(report: &IndexedComparison, row: &Row) -> Option<Address> {
    let (metric, place) = report.address_of(row)?;
    Some(Address::Comparison(metric, place))
}

/// So many rows of a section, with their places among all; what is pooled is always among them.
pub(crate) fn first<'s, 'r>(
    section: &'s Section<'r>,
    most: usize,
) -> impl Iterator<Item = (usize, &'r Row)> + use<'s, 'r> {
    let rows = section.rows.len();
    let all = section.all().enumerate();
    all.filter(move |(place, _)| *place < most || *place >= rows)
}

/// Rows of one metric and candidate; each leads to its page. All of them are in `data`.
pub(crate) fn section(
    section: &Section<'_>,
    most: usize,
    data: Option<&Address>,
    link: &dyn Fn(&Row) -> Option<Address>,
) -> Markup {
    let labels = section.labels();
    let medians = section.medians();
    let typical = section.style(|row| &row.typical);
    let mean = section.style(|row| &row.mean);
    let has_slow = section.has_slow_runs();
    let more = section.rows.len().saturating_sub(most);
    html! {
        div.scroll tabindex="0" role="region" aria-label=(say(&section.title())) {
            table data-sortable {
                caption { (say(&section.title())) }
                thead {
                    tr {
                        @for label in &labels { th scope="col" { (say(&label.header)) } }
                        th.number scope="col" { (say(section.baseline)) }
                        th.number scope="col" { (say(section.variant)) }
                        th.number scope="col" { "typical run" }
                        th scope="col" { "verdict" }
                        th.number scope="col" { "mean" }
                        @if has_slow { th.number scope="col" { "slow runs" } }
                    }
                }
                tbody {
                    @for (index, row) in first(section, most) {
                        @let is_pooled = index >= section.rows.len();
                        @let median = |side: &Side| (!is_pooled).then_some(side.median);
                        tr.pooled[is_pooled] {
                            @for (place, label) in labels.iter().enumerate() {
                                (label_cell(row, label.cells.get(index), place == 0, link))
                            }
                            @let (base, candidate) = medians.get(index).cloned().unwrap_or_default();
                            td.number data-value=[median(&row.base)] { (base) }
                            td.number data-value=[median(&row.candidate)] { (candidate) }
                            td.number data-value=(row.typical.difference) { (typical(row).answer(&row.typical)) }
                            td { (verdict(row)) }
                            td.number data-value=(row.mean.difference) { (mean(row).answer(&row.mean)) }
                            @if has_slow {
                                td.number data-value=[row.slow.as_ref().map(|slow| slow.difference)] {
                                    @if let Some((base, candidate)) = slow_runs(row) { (base) ", " (candidate) }
                                }
                            }
                        }
                    }
                }
            }
        }
        @if more > 0 {
            p.note {
                (more) " more rows are "
                @match data {
                    Some(address) => { "in " a href=(address) download { "the data" } "." }
                    None => { "left out." }
                }
            }
        }
    }
}

fn label_cell(
    row: &Row,
    text: Option<&String>,
    is_first: bool,
    link: &dyn Fn(&Row) -> Option<Address>,
) -> Markup {
    let text = text.map(|text| say(text)).unwrap_or_default();
    let text = if text.is_empty() {
        "all".to_owned()
    } else {
        text
    };
    html! {
        @if is_first {
            th scope="row" {
                @if let Some(address) = link(row) { a href=(address) { (text) } } @else { (text) }
            }
        } @else {
            td { (text) }
        }
    }
}

/// The verdict of a row in words, with its sign.
pub(crate) fn verdict(row: &Row) -> Markup {
    let outcome = row.outcome();
    html! {
        span class={ "verdict " (class(outcome)) } {
            span aria-hidden="true" { (sign(outcome)) " " } (say(&headline(row)))
        }
    }
}
