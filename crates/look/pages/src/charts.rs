//! Charts: metrics over the numbers at the ends of their benchmarks' names.

use maud::{Markup, html};
use perflab_experiment::counted;
use perflab_report::plots::draw_chart;
use perflab_report::{Chart, find_charts, quotient};

use crate::address::Address;
use crate::page::Page;
use crate::problems::problems;
use crate::result::SalvagedResult;
use crate::text::say;

/// Medians that the page has, so that it is no larger than 2 MB; a chart takes as much room as some of them.
const MOST_MEDIANS: usize = 7000;
const OF_A_CHART: usize = 20;

/// Charts of which it says that they are too large.
const MOST_TOO_LARGE: usize = 100;

/// Whether there is such a page.
pub(crate) fn has_charts(result: &SalvagedResult) -> bool {
    let report = result.report();
    report.is_ok_and(|report| perflab_report::has_charts(report))
}

pub(crate) fn charts_page(result: &SalvagedResult, page: &mut Page) -> Option<Markup> {
    let report = result.report().ok()?;
    let charts = find_charts(report);
    let (readable, too_large) = (&charts.readable, &charts.too_large);
    if readable.is_empty() && too_large.is_empty() {
        return None;
    }
    let sizes = readable.iter().scan(0, |sum, chart| {
        *sum += OF_A_CHART + chart.points.len() * chart.lines.len();
        Some(*sum)
    });
    let shown = sizes.take_while(|sum| *sum <= MOST_MEDIANS).count();
    let shown: Vec<(&Chart<'_>, Markup)> = (readable.iter().take(shown))
        .map(|chart| (chart, page.plot(&draw_chart(chart))))
        .collect();
    let more = readable.len() - shown.len() + too_large.len().saturating_sub(MOST_TOO_LARGE);
    let csv = html! { a href=(Address::ReportCsv) download { "the report as CSV" } "." };
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
        @for sentence in too_large.iter().take(MOST_TOO_LARGE) {
            p.note { (say(sentence)) ". Its medians are in " (csv) }
        }
        @if more > 0 { p.note { (counted(more, "more chart")) " left out: the medians are in " (csv) } }
        ul.metrics {
            @for (number, (chart, _)) in shown.iter().enumerate() {
                li { a href={ "#chart-" (number) } { (say(&chart.heading())) } }
            }
        }
        @for (number, (chart, plot)) in shown.iter().enumerate() {
            section id={ "chart-" (number) } aria-label=(say(&chart.heading())) {
                (plot)
                (medians(chart))
                (times(chart))
            }
        }
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
        Some((times, quotient(times)))
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
