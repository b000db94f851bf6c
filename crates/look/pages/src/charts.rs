//! Charts: metrics over the numbers at the ends of their benchmarks' names.

use maud::{Markup, html};
use perflab_report::plots::chart as drawn;
use perflab_report::{Chart, charts as found};

use crate::address::Address;
use crate::page::Page;
use crate::problems::problems;
use crate::result::SalvagedResult;
use crate::text::say;

/// Charts of the page.
const MOST_CHARTS: usize = 100;

/// Whether the result has any.
pub(crate) fn has_charts(result: &SalvagedResult) -> bool {
    result
        .report()
        .is_ok_and(|report| !found(report).is_empty())
}

pub(crate) fn charts(result: &SalvagedResult, page: &mut Page) -> Option<Markup> {
    let report = result.report().ok()?;
    let all = found(report);
    if all.is_empty() {
        return None;
    }
    let shown = all.iter().take(MOST_CHARTS);
    let shown: Vec<(&Chart<'_>, Markup)> = shown
        .map(|chart| (chart, page.plot(&drawn(chart))))
        .collect();
    let more = all.len() - shown.len();
    Some(html! {
        p.crumbs { a href=(Address::First) { "Answer" } }
        h1 { "Charts" }
        (problems(result))
        p.note {
            "Each point is the median of the runs of a variant, with its interval ("
            (perflab_report::share(report.confidence)) ", by "
            a href=(Address::Document("quantiles")) { "order statistics" }
            "). Verdicts are on the pages of the metrics."
        }
        @for (chart, plot) in &shown {
            section aria-label=(say(&chart.heading())) {
                (plot)
                (medians(chart))
                (times(chart))
            }
        }
        @if more > 0 { p.note { (more) " more charts are left out." } }
    })
}

fn medians(chart: &Chart<'_>) -> Markup {
    table(chart, &chart.heading(), |line, point| {
        let value = (*chart.lines.get(line)?.values.get(point)?)?;
        let median = chart.shown(value.median);
        let text = match value.interval {
            Some((low, high)) => {
                format!("{median} [{}, {}]", chart.shown(low), chart.shown(high))
            }
            None => median,
        };
        Some((value.median, text))
    })
}

fn times(chart: &Chart<'_>) -> Markup {
    let baseline = chart.lines.first().map_or("", |line| line.variant);
    let caption = format!("{}, times {baseline}", chart.title);
    table(chart, &caption, |line, point| {
        let times = chart.times_baseline(line, point)?;
        Some((times, format!("{times:.3}")))
    })
}

/// A row for each variant that has cells, a column for each point. A cell is a value and what is written.
fn table(
    chart: &Chart<'_>,
    caption: &str,
    cell: impl Fn(usize, usize) -> Option<(f64, String)>,
) -> Markup {
    let rows = chart.lines.iter().enumerate().map(|(index, line)| {
        let cells = (0..chart.points.len()).map(|point| cell(index, point));
        (line.variant, cells.collect::<Vec<_>>())
    });
    let rows: Vec<(&str, Vec<_>)> = rows
        .filter(|(_, cells)| cells.iter().any(Option::is_some))
        .collect();
    html! {
        div.scroll tabindex="0" role="region" aria-label=(say(caption)) {
            table data-sortable {
                caption { (say(caption)) }
                thead {
                    tr {
                        th scope="col" { "variant" }
                        @for (_, text) in &chart.points { th.number scope="col" { (say(text)) } }
                    }
                }
                tbody {
                    @for (variant, cells) in &rows {
                        tr {
                            th scope="row" { (say(variant)) }
                            @for cell in cells {
                                @match cell {
                                    Some((value, text)) => { td.number data-value=(value) { (text) } }
                                    None => { td.number { } }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
