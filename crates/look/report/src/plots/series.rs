//! A series of a history: the difference of each revision from the control.

use perflab_experiment::counted;
use perflab_history::{Changes, Series, Value, View, subject_name};
use perflab_plot::{Area, Axis, Layer, Marker, Marks, Plot, Point, Tone, Which};

use super::axis_unit::{in_unit, titled};
use crate::changes::{outcome, tone};
use crate::difference::{Differences, Estimate};

/// Quirks that it names; more would hide the values.
const MOST_QUIRKS: usize = 12;

/// The values of a series from the revision at a place on, with its changes and what else changed. `link`: the address
/// of the page of a revision, by its place.
pub fn series(
    view: &View,
    changes: &Changes,
    index: usize,
    from: usize,
    link: &dyn Fn(usize) -> Option<String>,
) -> Option<Plot> {
    let series = view.series.get(index)?;
    let values = series.values.iter().filter(|value| value.place >= from);
    let values: Vec<&Value> = values.collect();
    let (factor, unit) = scale(series, &values);
    let mut layers = Vec::new();
    let own = changes.found.iter().filter(|change| change.series == index);
    for change in own.filter(|change| change.high >= from) {
        layers.push(Layer::unnamed(
            tone(outcome(series, change.size(series))),
            Marks::Stripe {
                axis: Which::X,
                low: change.low.max(from) as f64 - 0.5,
                high: change.high as f64 + 0.5,
            },
        ));
    }
    let quirks = view.quirks.iter().filter(|quirk| quirk.place >= from);
    for quirk in quirks.take(MOST_QUIRKS) {
        layers.push(Layer {
            name: format!("{}: {}", quirk.letter, quirk.what),
            tone: Tone::Quiet,
            marks: Marks::Rule {
                axis: Which::X,
                at: quirk.place as f64 - 0.5,
            },
        });
    }
    layers.push(Layer {
        name: "control".to_owned(),
        tone: Tone::Quiet,
        marks: Marks::Rule {
            axis: Which::Y,
            at: 0.0,
        },
    });
    let areas = values.iter().filter_map(|value| {
        Some(Area {
            x: value.place as f64,
            low: value.low? * factor,
            high: value.high? * factor,
        })
    });
    let areas: Vec<Area> = areas.collect();
    if !areas.is_empty() {
        layers.push(Layer {
            name: "95% interval of each".to_owned(),
            tone: Tone::Series(0),
            marks: Marks::Areas(areas),
        });
    }
    layers.push(Layer::unnamed(
        Tone::Series(0),
        Marks::Points {
            marker: Marker::Disc,
            at: points(view, series, &values, factor, link),
        },
    ));
    let name = subject_name(&series.subject);
    let (places, differences) = (
        values.iter().map(|value| value.place as f64),
        values.iter().map(|value| value.difference * factor),
    );
    Some(Plot {
        title: format!("{name}: difference from the control"),
        description: format!(
            "The differences of {} from the control, in the order of the branch.",
            counted(values.len(), "revision")
        ),
        x: Axis::around("revision", places),
        y: Axis::around(
            titled("difference", &unit),
            differences.chain(std::iter::once(0.0)),
        ),
        layers,
    })
}

/// What differences are multiplied by, and the unit that they have then.
fn scale(series: &Series, values: &[&Value]) -> (f64, String) {
    let differences: Vec<f64> = values.iter().map(|value| value.difference).collect();
    match series.relative {
        true => (100.0, "%".to_owned()),
        false => in_unit(&differences, &series.subject.metric.unit),
    }
}

fn points(
    view: &View,
    series: &Series,
    values: &[&Value],
    factor: f64,
    link: &dyn Fn(usize) -> Option<String>,
) -> Vec<Point> {
    let estimate = |value: &Value| Estimate::new(value.difference, value.low, value.high);
    let unit = &series.subject.metric.unit;
    let estimates = values.iter().map(|value| estimate(value));
    let style = Differences::of(estimates, series.relative, unit);
    let at = values.iter().filter_map(|value| {
        let revision = &view.revisions.get(value.place)?.revision;
        Some(Point {
            x: value.place as f64,
            y: value.difference * factor,
            label: format!(
                "{} of {}: {}\n{}",
                revision.name(),
                revision.date(),
                style.answer(estimate(value)),
                revision.subject
            ),
            link: link(value.place),
        })
    });
    at.collect()
}
