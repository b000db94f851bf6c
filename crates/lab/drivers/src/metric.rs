//! A driver's metrics as a table of constants, and the samples of them.

use perflab_experiment::{Better, Metric, Sample};

/// Name, unit, which way is better.
pub(crate) type Row = (&'static str, &'static str, Better);

/// The metric in a row.
pub(crate) fn metric((name, unit, better): (&str, &str, Better)) -> Metric {
    Metric::new(name, unit, better)
}

/// All metrics of a table, in its order.
pub(crate) fn metrics(table: &[Row]) -> Vec<Metric> {
    table.iter().copied().map(metric).collect()
}

/// One value of the metric in a row.
pub(crate) fn sample(row: Row, benchmark: Option<&str>, value: f64) -> Sample {
    Sample {
        benchmark: benchmark.map(str::to_owned),
        metric: metric(row).into(),
        value,
        step: None,
    }
}
