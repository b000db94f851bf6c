//! Differences with their intervals below each other, and the margin.

use perflab_compare::{Comparison, Row};
use perflab_plot::{Axis, Interval, Layer, Marks, Plot, Tone, Which};

use super::axis_unit::{differences_in_unit, titled};
use super::row_mark::{label, tone};
use crate::sections::{distinct, short_label};

/// Rows of one metric, all relative or all absolute, with the typical run's difference.
///
/// `link` leads from a row to what is behind it. None if there is no row.
pub fn forest(
    report: &Comparison,
    rows: &[&Row],
    link: &dyn Fn(&Row) -> Option<String>,
) -> Option<Plot> {
    let first = rows.first()?;
    let relative = first.relative;
    let rows: Vec<&&Row> = rows.iter().filter(|row| row.relative == relative).collect();
    let several = rows.iter().any(|row| row.variant != first.variant);
    let ends = rows.iter().flat_map(|row| {
        let answer = &row.typical;
        [Some(answer.difference), answer.low, answer.high]
    });
    let mut values: Vec<f64> = ends.flatten().collect();
    values.push(0.0);
    let (factor, unit) = differences_in_unit(first, &values);
    let title = titled("difference of the typical run", &unit);
    let margin = report.margin.filter(|_| relative);
    values.extend(margin.into_iter().flat_map(|margin| [-margin, margin]));
    // A pooled row is of all workloads, which says nothing of how many there are.
    let single = rows.iter().filter(|row| !report.is_pooled(row));
    let one_workload = distinct(single.map(|row| &row.key.workload)).len() <= 1;
    let names = rows.iter().map(|row| {
        let label = short_label(row, one_workload);
        if several {
            format!("{label} {}", row.variant)
        } else {
            label
        }
    });
    let intervals = rows.iter().enumerate().map(|(index, row)| {
        let answer = &row.typical;
        Interval {
            y: index as f64,
            low: answer.low.map(|low| low * factor),
            middle: answer.difference * factor,
            high: answer.high.map(|high| high * factor),
            tone: tone(answer.verdict),
            label: label(row),
            link: link(row),
        }
    });
    let intervals: Vec<Interval> = intervals.collect();
    let mut layers = Vec::new();
    if let Some(margin) = margin {
        layers.push(Layer {
            name: "within the margin".to_owned(),
            tone: Tone::Quiet,
            marks: Marks::Stripe {
                axis: Which::X,
                low: -margin * factor,
                high: margin * factor,
            },
        });
    }
    layers.push(Layer::unnamed(
        Tone::Quiet,
        Marks::Rule {
            axis: Which::X,
            at: 0.0,
        },
    ));
    layers.push(Layer::unnamed(Tone::Open, Marks::Intervals(intervals)));
    let metric = &first.key.metric.name;
    let candidates = if several {
        "candidates"
    } else {
        first.variant.as_str()
    };
    Some(Plot {
        title: format!("{metric}: {candidates} against {}", report.baseline),
        description: format!(
            "A line for each of {} comparisons: the difference of the typical run and its interval. \
             The table beside it has the same numbers.",
            rows.len()
        ),
        x: Axis::around(title, values.iter().map(|value| value * factor)),
        y: Axis::names("", names),
        layers,
    })
}
