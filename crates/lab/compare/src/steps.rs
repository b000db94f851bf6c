//! What a reader should know of values that lie in steps: once for each metric.

use indexmap::IndexMap;
use perflab_experiment::Metric;

use crate::row::Row;
use crate::warning::Warning;

/// A warning for each metric of which any row is less certain for its steps.
pub(crate) fn step_warnings<'r>(rows: impl Iterator<Item = &'r Row>) -> Vec<Warning> {
    let mut found: IndexMap<(&Metric, bool), f64> = IndexMap::new();
    for row in rows.filter(|row| matters(row)) {
        let step = found.entry((&row.key.metric, row.relative)).or_default();
        *step = step.max(row.rounding.step());
    }
    found
        .into_iter()
        .map(|((metric, relative), step)| Warning::Steps {
            metric: metric.clone(),
            step,
            relative,
        })
        .collect()
}

/// Whether runs may be rounded the same way, or the interval is no wider than a step.
fn matters(row: &Row) -> bool {
    let rounding = &row.rounding;
    let width = row.typical.low.zip(row.typical.high);
    let width = width.map_or(f64::INFINITY, |(low, high)| high - low);
    rounding.typical > 0.0 || rounding.mean > 0.0 || rounding.step() > width
}
