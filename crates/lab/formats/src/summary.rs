//! Formats that hold one number for a benchmark get the median over its runs.

use indexmap::IndexMap;
use perflab_experiment::Metric;

use crate::run::{Run, joined, several_variants, several_workloads};

/// All runs of one benchmark of one variant on one metric, brought down to a few numbers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Summary<'a> {
    /// A run of it, for its variant, workload and parameters.
    pub(crate) run: &'a Run,
    pub(crate) benchmark: Option<&'a str>,
    pub(crate) metric: &'a Metric,
    /// The median of each run, sorted.
    pub(crate) values: Vec<f64>,
}

impl Summary<'_> {
    pub(crate) fn median(&self) -> f64 {
        median(&self.values)
    }

    pub(crate) fn min(&self) -> f64 {
        self.values.first().copied().unwrap_or_default()
    }

    pub(crate) fn max(&self) -> f64 {
        self.values.last().copied().unwrap_or_default()
    }

    pub(crate) fn mean(&self) -> f64 {
        // Divided first: a sum of large numbers may have no value.
        let n = self.values.len().max(1) as f64;
        self.values.iter().map(|value| value / n).sum()
    }

    /// Standard deviation; none for a single run.
    pub(crate) fn deviation(&self) -> Option<f64> {
        let n = self.values.len();
        if n < 2 {
            return None;
        }
        let mean = self.mean();
        let squares: f64 = self.values.iter().map(|value| (value - mean).powi(2)).sum();
        Some((squares / (n - 1) as f64).sqrt())
    }

    /// The benchmark's name: variant, workload, benchmark and parameters, as far as there are several.
    pub(crate) fn name(&self, scope: Scope) -> String {
        let variant = self.run.variant.as_deref().filter(|_| scope.variants);
        let rest = crate::run::benchmark(self.run, self.benchmark, scope.workloads);
        joined([variant, Some(rest.as_str())])
    }
}

/// What names have to tell apart.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scope {
    variants: bool,
    workloads: bool,
}

impl Scope {
    pub(crate) fn of(runs: &[Run]) -> Self {
        Self {
            variants: several_variants(runs),
            workloads: several_workloads(runs),
        }
    }
}

/// What belongs to one summary.
type Key<'a> = (
    Option<&'a str>,
    Option<&'a str>,
    Vec<(&'a String, &'a String)>,
    Option<&'a str>,
    &'a Metric,
);

/// One summary for each variant, workload, parameters, benchmark and metric, in the order of the runs.
pub(crate) fn summaries(runs: &[Run]) -> Vec<Summary<'_>> {
    let mut found: IndexMap<Key<'_>, (&Run, Vec<f64>)> = IndexMap::new();
    for run in runs {
        let mut own: IndexMap<(Option<&str>, &Metric), Vec<f64>> = IndexMap::new();
        for sample in &run.samples {
            own.entry((sample.benchmark.as_deref(), &sample.metric))
                .or_default()
                .push(sample.value);
        }
        for ((benchmark, metric), mut values) in own {
            values.sort_by(f64::total_cmp);
            let key = (
                run.variant.as_deref(),
                run.workload.as_deref(),
                run.parameters.iter().collect(),
                benchmark,
                metric,
            );
            let (_, medians) = found.entry(key).or_insert_with(|| (run, Vec::new()));
            medians.push(median(&values));
        }
    }
    found
        .into_iter()
        .map(|((.., benchmark, metric), (run, mut values))| {
            values.sort_by(f64::total_cmp);
            Summary {
                run,
                benchmark,
                metric,
                values,
            }
        })
        .collect()
}

/// The middle of sorted values, or the mean of the two in the middle.
fn median(sorted: &[f64]) -> f64 {
    let n = sorted.len();
    let at = |place: usize| sorted.get(place).copied().unwrap_or_default();
    match n % 2 {
        1 => at(n / 2),
        _ => at((n / 2).saturating_sub(1)) / 2.0 + at(n / 2) / 2.0,
    }
}
