//! An experiment that is just being measured: how far it is, the runs as they come, and the interval as it shrinks.

use indexmap::IndexMap;
use maud::{Markup, html};
use perflab_compare::{Comparison, Row};
use perflab_experiment::counted;
use perflab_plot::{Area, Axis, Layer, Marks, Plot, Tone, Which};
use perflab_report::plots::{runs, sided};
use perflab_report::sections::row_label;
use perflab_store::RunRecord;

use crate::address::Address;
use crate::page::Page;
use crate::result::SalvagedResult;
use crate::text::say;

/// Comparisons that are drawn.
const MOST_ROWS: usize = 3;

/// Points of the line that shows how an interval shrinks.
const STEPS: u32 = 10;

/// The part of the first page that a running experiment has; nothing if none is running.
pub(crate) fn progress(result: &SalvagedResult, page: &mut Page) -> Markup {
    let Some(holder) = result.salvage.writer() else {
        return html! {};
    };
    let done = result.records().len();
    let planned = result.salvage.plan.as_ref();
    let planned = planned.map_or(0, |plan| plan.runs.len());
    let left = time_left(result.records(), planned);
    let rows: Vec<&Row> = result
        .report()
        .into_iter()
        .flat_map(|report| &report.rows)
        .take(MOST_ROWS)
        .collect();
    html! {
        section.live data-live aria-label="Being measured" {
            h2 { "Being measured" }
            p {
                progress value=(done) max=(planned.max(1)) aria-label="Runs" {}
                " " (done) " of " (counted(planned, "run"))
                @if let Some(left) = left { ", about " (left) " left" }
                " (process " (holder.pid) ")"
            }
            p.note data-connection role="status" {
                "What is shown here may change until the end: a verdict counts when all runs are made."
            }
            @if let Ok(report) = result.report() {
                @for row in &rows { (watched(result, report, row, page)) }
            }
        }
    }
}

fn watched(result: &SalvagedResult, report: &Comparison, row: &Row, page: &mut Page) -> Markup {
    let origins = result.origins(report);
    let sides = sided(row, &report.baseline, &origins);
    let mut so_far = runs(row, &sides, &Address::of_run);
    so_far.title = format!("{} {}: runs so far", row_label(row), row.variant);
    let shrinking = shrinking(result, row);
    html! {
        (page.plot(&so_far))
        @if let Some(plot) = shrinking { (page.plot(&plot)) }
        @else { p.note { (say(&row_label(row))) ": an interval needs some more blocks." } }
    }
}

/// So many times the median from the start of a run to that of the next, something came between them.
const INTERRUPTION: f64 = 10.0;

/// The interval of the typical run after each of some numbers of blocks.
fn shrinking(result: &SalvagedResult, row: &Row) -> Option<Plot> {
    let blocks = result.records().iter().map(|record| record.block).max()?;
    let mut after: IndexMap<u32, (f64, f64, f64)> = IndexMap::new();
    for step in 1..=STEPS {
        let until = u64::from(blocks) * u64::from(step);
        let until = u32::try_from(until.div_ceil(u64::from(STEPS))).unwrap_or(u32::MAX);
        if until < 2 || after.contains_key(&until) {
            continue;
        }
        let Some(found) = result.row_after(until, row) else {
            continue;
        };
        if let (Some(low), Some(high)) = (found.typical.low, found.typical.high) {
            after.insert(until, (low, found.typical.difference, high));
        }
    }
    if after.len() < 2 {
        return None;
    }
    let factor = if row.relative { 100.0 } else { 1.0 };
    let unit = if row.relative {
        "%"
    } else {
        row.key.metric.unit.as_str()
    };
    let areas = after.iter().map(|(block, (low, _, high))| Area {
        x: f64::from(*block),
        low: low * factor,
        high: high * factor,
    });
    let line = after
        .iter()
        .map(|(block, (_, difference, _))| [f64::from(*block), difference * factor]);
    let ends = after
        .values()
        .flat_map(|(low, _, high)| [low * factor, high * factor, 0.0]);
    let layer = |name: &str, tone: Tone, marks: Marks| Layer {
        name: name.to_owned(),
        tone,
        marks,
    };
    Some(Plot {
        title: format!(
            "{} {}: the interval as it shrinks",
            row_label(row),
            row.variant
        ),
        description:
            "The difference of the typical run and its interval after more and more blocks."
                .to_owned(),
        x: Axis::around("blocks", after.keys().map(|block| f64::from(*block))),
        y: Axis::around(format!("difference ({unit})"), ends),
        layers: vec![
            layer("interval", Tone::Series(1), Marks::Areas(areas.collect())),
            layer(
                "",
                Tone::Quiet,
                Marks::Rule {
                    axis: Which::Y,
                    at: 0.0,
                },
            ),
            layer("difference", Tone::Series(1), Marks::Line(line.collect())),
        ],
    })
}

/// How long the rest takes, if it goes on as before; in words.
fn time_left(records: &[RunRecord], planned: usize) -> Option<String> {
    let mut starts: Vec<jiff::Timestamp> = records
        .iter()
        .filter_map(|record| record.started.parse().ok())
        .collect();
    starts.sort_unstable();
    let gaps = starts.windows(2).filter_map(|pair| match pair {
        [one, next] => Some(next.duration_since(*one).as_secs_f64()),
        _ => None,
    });
    let mut gaps: Vec<f64> = gaps.collect();
    gaps.sort_by(f64::total_cmp);
    // A night between two runs, after which somebody went on, is none.
    let longest = gaps.get(gaps.len() / 2).copied().unwrap_or_default() * INTERRUPTION;
    gaps.retain(|gap| *gap <= longest);
    let each = match gaps.len() {
        0 => records.last()?.usage?.wall_s,
        count => gaps.iter().sum::<f64>() / count as f64,
    };
    let left = each * planned.checked_sub(records.len())? as f64;
    if !left.is_finite() || left < 0.0 {
        return None;
    }
    let seconds = left.round() as u64;
    Some(match (seconds / 3600, seconds / 60 % 60) {
        (0, 0) => format!("{seconds} s"),
        (0, minutes) => format!("{minutes} min"),
        (hours, minutes) => format!("{hours} h {minutes:02} min"),
    })
}
