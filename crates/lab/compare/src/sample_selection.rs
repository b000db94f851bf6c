//! Which of a result's samples are compared: metrics, benchmarks and quantiles, by name.

use indexmap::IndexSet;
use perflab_experiment::Experiment;
use perflab_store::RunRecord;

use crate::error::AnalysisError;

/// Which of the samples to compare.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SampleSelection {
    /// Names of metrics; empty for the experiment's own choice.
    pub metrics: Vec<String>,
    /// Names of benchmarks or subsets; empty for all.
    pub benchmarks: Vec<String>,
    /// Quantiles, as 0.99, that are asked about beside each metric with several samples in a run.
    pub tails: Vec<f64>,
}

/// Names of the metrics to compare: as asked, as the experiment says, or the first of each run.
pub(crate) fn metrics(
    experiment: &Experiment,
    records: &[RunRecord],
    sample_selection: &SampleSelection,
) -> Result<IndexSet<String>, AnalysisError> {
    let known: IndexSet<&str> = records
        .iter()
        .flat_map(|record| &record.samples)
        .map(|sample| sample.metric.name.as_str())
        .collect();
    if known.is_empty() {
        return Err(AnalysisError::Empty);
    }
    let asked = if sample_selection.metrics.is_empty() {
        &experiment.design.metrics
    } else {
        &sample_selection.metrics
    };
    if asked.is_empty() {
        return Ok(records
            .iter()
            .filter_map(|record| record.samples.first())
            .map(|sample| sample.metric.name.clone())
            .collect());
    }
    for name in asked {
        if !known.contains(name.as_str()) {
            return Err(AnalysisError::Unknown {
                what: "metric",
                wanted: name.clone(),
                known: list(&known),
            });
        }
    }
    Ok(asked.iter().cloned().collect())
}

/// Names of the benchmarks to compare; nothing for all.
pub(crate) fn benchmarks(
    experiment: &Experiment,
    records: &[RunRecord],
    sample_selection: &SampleSelection,
) -> Result<Option<IndexSet<String>>, AnalysisError> {
    if sample_selection.benchmarks.is_empty() {
        return Ok(None);
    }
    let known: IndexSet<&str> = records
        .iter()
        .flat_map(|record| &record.samples)
        .filter_map(|sample| sample.benchmark.as_deref())
        .collect();
    let mut wanted = IndexSet::new();
    for name in &sample_selection.benchmarks {
        match experiment.subsets.get(name) {
            Some(subset) => wanted.extend(subset.iter().cloned()),
            None if known.contains(name.as_str()) => {
                wanted.insert(name.clone());
            }
            None if known.is_empty() && experiment.subsets.is_empty() => {
                return Err(AnalysisError::NoParts {
                    wanted: name.clone(),
                });
            }
            None => {
                return Err(AnalysisError::Unknown {
                    what: "benchmark or subset",
                    wanted: name.clone(),
                    known: {
                        let subsets = experiment.subsets.keys().map(String::as_str);
                        list(&known.into_iter().chain(subsets).collect())
                    },
                });
            }
        }
    }
    Ok(Some(wanted))
}

fn list(names: &IndexSet<&str>) -> String {
    let names: Vec<&str> = names.iter().copied().collect();
    names.join(", ")
}
