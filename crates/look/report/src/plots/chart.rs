//! A chart: the medians of the variants over a number, with their intervals.

use perflab_experiment::counted;
use perflab_plot::{Axis, Layer, Marker, Marks, Plot, Point, Tone};

use super::axis_unit::titled;
use crate::charts::{Chart, ChartLine, ChartValue};

/// Where the largest number is so many times the smallest but 0, the numbers stand side by side, not in their distances.
const FAR: f64 = 100.0;

/// Medians as points, joined by lines; intervals as upright lines through them.
pub fn draw_chart(chart: &Chart<'_>) -> Plot {
    let numbers = chart.points.iter().map(|(number, _)| *number);
    let least = numbers
        .clone()
        .filter(|number| *number > 0.0)
        .fold(f64::INFINITY, f64::min);
    let most = numbers.clone().fold(0.0, f64::max);
    let is_wide = most / least >= FAR;
    let place = |point: usize| match chart.points.get(point) {
        Some((number, _)) if !is_wide => *number,
        _ => point as f64,
    };
    let factor = chart.factor();
    let mut layers = Vec::new();
    let (mut lowest, mut highest) = (0.0_f64, 0.0_f64);
    for line in &chart.lines {
        let found = line.values.iter().enumerate();
        let found = found.filter_map(|(point, value)| Some((point, (*value)?)));
        let found: Vec<(usize, ChartValue)> = found.collect();
        let layer = |marks| Layer {
            name: line.variant.to_owned(),
            tone: Tone::Series(u8::try_from(line.series).unwrap_or(u8::MAX)),
            marks,
        };
        let at = found.iter().map(|(point, value)| Point {
            x: place(*point),
            y: value.median * factor,
            label: label(chart, line, *point, value),
            link: None,
        });
        let medians = found.iter();
        let medians = medians.map(|(point, value)| [place(*point), value.median * factor]);
        let intervals = found.iter().filter_map(|(point, value)| {
            let (low, high) = value.interval?;
            let x = place(*point);
            // Behind each comes a gap.
            Some([[x, low * factor], [x, high * factor], [f64::NAN; 2]])
        });
        let intervals: Vec<[f64; 2]> = intervals.flatten().collect();
        let ends = intervals.iter().map(|[_, y]| *y);
        let values = found.iter().map(|(_, value)| value.median * factor);
        for shown in ends.chain(values) {
            (lowest, highest) = (lowest.min(shown), highest.max(shown));
        }
        layers.push(layer(Marks::Points {
            marker: Marker::of_series(line.series),
            at: at.collect(),
        }));
        layers.push(layer(Marks::Line(medians.collect())));
        layers.push(layer(Marks::Line(intervals)));
    }
    let names = chart.points.iter().map(|(_, text)| (*text).to_owned());
    Plot {
        title: chart.heading(),
        description: format!(
            "The medians of {} at {}, with intervals. The table below has the same numbers.",
            counted(chart.lines.len(), "variant"),
            counted(chart.points.len(), "point")
        ),
        x: if is_wide {
            Axis::names(format!("{} (not to scale)", chart.title), names)
        } else {
            Axis::around(chart.title.clone(), numbers)
        },
        y: Axis::between(
            titled(&chart.metric.name, &chart.unit()),
            lowest * 1.04,
            highest * 1.04,
        ),
        layers,
    }
}

/// What a point is.
fn label(chart: &Chart<'_>, line: &ChartLine<'_>, point: usize, value: &ChartValue) -> String {
    let at = chart.points.get(point).map_or("", |(_, text)| *text);
    let unit = chart.unit();
    let median = chart.shown(value.median);
    let interval = value.interval.map_or_else(String::new, |(low, high)| {
        format!(" [{}, {}]", chart.shown(low), chart.shown(high))
    });
    format!("{} at {at}: {median}{interval} {unit}", line.variant)
}
