//! The list of all runs, some at a time.

use maud::{Markup, html};
use perflab_experiment::counted;

use crate::address::Address;
use crate::problems::problems;
use crate::result::SalvagedResult;
use crate::text::say;

/// Runs of a page.
pub(crate) const ON_A_PAGE: usize = 2000;

/// How many pages the list has; one at least.
pub(crate) fn pages(result: &SalvagedResult) -> usize {
    result.records().len().div_ceil(ON_A_PAGE).max(1)
}

pub(crate) fn runs(result: &SalvagedResult, index: usize) -> Option<Markup> {
    let pages = pages(result);
    if index >= pages {
        return None;
    }
    let records = result.records();
    let first = index * ON_A_PAGE;
    let own = records.iter().skip(first).take(ON_A_PAGE);
    Some(html! {
        h1 { "Runs" }
        p.note {
            (counted(records.len(), "run")) ", in the order in which they ended"
            @if pages > 1 { "; page " (index + 1) " of " (pages) } "."
        }
        (problems(result))
        (turn(index, pages))
        label.filter { "Show only rows with " input type="search" data-filter="runs"; }
        div.scroll tabindex="0" role="region" aria-label="Runs" {
            table id="runs" data-sortable {
                thead {
                    tr {
                        th.number scope="col" { "run" } th.number scope="col" { "block" }
                        th scope="col" { "cell" } th scope="col" { "status" }
                        th.number scope="col" { "wall" } th scope="col" { "started" }
                    }
                }
                tbody {
                    @for record in own {
                        tr.failed[!record.status.passed()] {
                            td.number { a href=(Address::Run(record.run)) { (record.run) } }
                            td.number { (record.block) }
                            td { (say(&record.cell)) }
                            td { (record.status.name()) }
                            @match record.usage {
                                Some(usage) => {
                                    td.number data-value=(usage.wall_s) { (perflab_report::value(usage.wall_s, "s")) }
                                }
                                None => { td.number { } }
                            }
                            td { (say(record.started.get(..19).unwrap_or(&record.started))) }
                        }
                    }
                }
            }
        }
        (turn(index, pages))
    })
}

fn turn(index: usize, pages: usize) -> Markup {
    html! {
        @if pages > 1 {
            nav.turn aria-label="Pages of the list" {
                @for page in 0..pages {
                    a href=(Address::Runs(page)) aria-current=[(page == index).then_some("page")] { (page + 1) }
                }
            }
        }
    }
}
