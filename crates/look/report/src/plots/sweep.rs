//! A candidate over the values of two parameters: where it is better, and where worse.

use indexmap::IndexMap;
use perflab_compare::{Comparison, Row};
use perflab_plot::{Axis, Cell, Layer, Marks, Plot, Tone};

use super::row_mark::{label, tone};
use crate::difference::Differences;
use crate::sections::distinct;

/// The rows of one candidate on one metric, which differ in the values of parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Sweep<'r> {
    /// The parameter whose values go from left to right.
    pub across: &'r str,
    /// The candidate.
    pub variant: &'r str,
    /// The rows that have this parameter, in the report's order.
    pub rows: Vec<&'r Row>,
}

/// The sweeps of a report: wherever some parameter has several values.
pub fn sweeps(report: &Comparison) -> Vec<Sweep<'_>> {
    let mut groups: IndexMap<[&str; 3], Vec<&Row>> = IndexMap::new();
    for row in &report.rows {
        let key = [&row.key.metric.name, &row.key.metric.unit, &row.variant].map(String::as_str);
        groups.entry(key).or_default().push(row);
    }
    groups
        .into_iter()
        .filter_map(|([_, _, variant], rows)| sweep_of(variant, rows))
        .collect()
}

fn sweep_of<'r>(variant: &'r str, mut rows: Vec<&'r Row>) -> Option<Sweep<'r>> {
    let keys = distinct(rows.iter().flat_map(|row| row.key.parameters.keys()));
    let values =
        |key: &str| distinct(rows.iter().filter_map(|row| row.key.parameters.get(key))).len();
    // The one with most values has the long side; the first of several.
    let across = keys
        .into_iter()
        .filter(|key| values(key) > 1)
        .max_by_key(|key| (values(key), std::cmp::Reverse(position(&rows, key))))?;
    rows.retain(|row| row.key.parameters.contains_key(across));
    Some(Sweep {
        across,
        variant,
        rows,
    })
}

fn position(rows: &[&Row], key: &str) -> usize {
    rows.first()
        .and_then(|row| row.key.parameters.get_index_of(key))
        .unwrap_or(usize::MAX)
}

/// A heat map: the typical run's difference at each place, coloured by verdict and, the larger, the stronger.
pub fn sweep(
    report: &Comparison,
    sweep: &Sweep<'_>,
    link: &dyn Fn(&Row) -> Option<String>,
) -> Plot {
    let columns = distinct(
        sweep
            .rows
            .iter()
            .filter_map(|row| row.key.parameters.get(sweep.across)),
    );
    let lines = distinct(sweep.rows.iter().map(|row| without(row, sweep.across)));
    let largest = sweep
        .rows
        .iter()
        .map(|row| row.typical.difference.abs())
        .filter(|size| size.is_finite())
        .fold(0.0, f64::max);
    let cells = sweep.rows.iter().filter_map(|row| {
        let answer = &row.typical;
        let value = row.key.parameters.get(sweep.across)?;
        let style = Differences::of([answer].into_iter(), row.relative, &row.key.metric.unit);
        let size = answer.difference.abs() / largest;
        Some(Cell {
            x: columns.iter().position(|column| *column == value)?,
            y: lines
                .iter()
                .position(|line| *line == without(row, sweep.across))?,
            strength: match answer.verdict {
                verdict if verdict.is_difference() && size.is_finite() => 0.25 + 0.6 * size,
                _ => 0.15,
            },
            tone: tone(answer.verdict),
            value: style.estimate(answer.difference),
            label: label(row),
            link: link(row),
        })
    });
    let metric = sweep
        .rows
        .first()
        .map_or("", |row| row.key.metric.name.as_str());
    Plot {
        title: format!(
            "{metric} over {}: {} against {}",
            sweep.across, sweep.variant, report.baseline
        ),
        description: format!(
            "The difference of the typical run for each value of {}, by the other parameters. \
             The table below has the same numbers.",
            sweep.across
        ),
        x: Axis::names(sweep.across, columns.iter().map(|column| (*column).clone())),
        y: Axis::names("", lines.iter().map(|line| in_words(line))),
        layers: vec![Layer::unnamed(Tone::Open, Marks::Cells(cells.collect()))],
    }
}

/// What tells a row apart but for one parameter.
fn without<'r>(
    row: &'r Row,
    parameter: &str,
) -> (&'r str, IndexMap<&'r str, &'r str>, Option<&'r str>) {
    let others = row
        .key
        .parameters
        .iter()
        .filter(|(key, _)| *key != parameter)
        .map(|(key, value)| (key.as_str(), value.as_str()));
    (
        &row.key.workload,
        others.collect(),
        row.key.benchmark.as_deref(),
    )
}

fn in_words(
    (workload, parameters, benchmark): &(&str, IndexMap<&str, &str>, Option<&str>),
) -> String {
    let mut words = vec![(*workload).to_owned()];
    words.extend(
        parameters
            .iter()
            .map(|(key, value)| format!("{key}={value}")),
    );
    words.extend(benchmark.map(str::to_owned));
    words.join(" ")
}
