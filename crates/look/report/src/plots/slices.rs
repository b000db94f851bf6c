//! The slices of a run, in the order in which they were executed.

use indexmap::IndexMap;
use perflab_experiment::{Metric, counted};
use perflab_plot::{Axis, Layer, Marker, Marks, Plot, Point, Tone};
use perflab_store::SliceRecord;

use super::axis_unit::{in_unit, titled};

/// Plots of one run.
const MOST: usize = 40;

/// The first metric of the slices over time, a plot for each benchmark.
pub fn slices(slices: &[SliceRecord]) -> Vec<Plot> {
    let samples = slices.iter().flat_map(|slice| &slice.samples);
    let Some(metric) = samples.clone().map(|sample| &sample.metric).next() else {
        return Vec::new();
    };
    let mut values: IndexMap<Option<&str>, Vec<(&SliceRecord, f64)>> = IndexMap::new();
    for slice in slices {
        let own = slice
            .samples
            .iter()
            .filter(|sample| sample.metric == *metric);
        for sample in own {
            let benchmark = values.entry(sample.benchmark.as_deref()).or_default();
            benchmark.push((slice, sample.value));
        }
    }
    let plots = values.into_iter().take(MOST);
    plots
        .map(|(benchmark, values)| plot(benchmark, metric, &values))
        .collect()
}

fn plot(benchmark: Option<&str>, metric: &Metric, values: &[(&SliceRecord, f64)]) -> Plot {
    let numbers: Vec<f64> = values.iter().map(|(_, value)| *value).collect();
    let (factor, unit) = in_unit(&numbers, &metric.unit);
    let at = values.iter().map(|(slice, value)| Point {
        x: slice.at_s,
        y: value * factor,
        label: format!(
            "slice {}: {}",
            slice.slice,
            crate::value_with_unit(*value, &metric.unit)
        ),
        link: None,
    });
    let of = benchmark.map_or_else(String::new, |benchmark| format!(" of {benchmark}"));
    Plot {
        title: format!("{}{of}: every slice in order", metric.name),
        description: format!(
            "{} of {}{of}, each at the time of its slice in the turns of the block.",
            counted(values.len(), "value"),
            metric.name
        ),
        x: Axis::around("time in s", values.iter().map(|(slice, _)| slice.at_s)),
        y: Axis::around(
            titled(&metric.name, &unit),
            numbers.iter().map(|value| value * factor),
        ),
        layers: vec![Layer::unnamed(
            Tone::Series(0),
            Marks::Points {
                marker: Marker::Disc,
                at: at.collect(),
            },
        )],
    }
}
