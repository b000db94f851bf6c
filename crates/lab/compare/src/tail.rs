//! The tail as a question of its own: one quantile of each run's samples, compared from run to run.

use std::collections::HashMap;

use perflab_experiment::Metric;
use perflab_stats::quantile::{min_values, quantile};

use crate::sample_selection::SampleSelection;
use crate::selection::Selection;
use crate::subject::Subject;
use crate::warning::Warning;

/// `latency p99.9`.
pub fn tail_name(metric: &str, tail: f64) -> String {
    // Two digits behind the point are enough for p99.99, and hide what the percent sign rounded.
    let percent = (tail * 10_000.0).round() / 100.0;
    format!("{metric} p{percent}")
}

/// The metric of a quantile of each run.
pub(crate) fn tail_metric(metric: &Metric, tail: f64) -> Metric {
    Metric {
        name: tail_name(&metric.name, tail),
        ..metric.clone()
    }
}

/// The quantile of a run's samples; nothing for a single sample.
pub(crate) fn tail_of_run(samples: &[f64], tail: f64) -> Option<f64> {
    let several = samples.len() > 1;
    several.then(|| quantile(samples, tail).ok()).flatten()
}

/// A warning for each quantile of which runs have too few samples.
pub(crate) fn short_runs(
    subjects: &[Subject],
    sample_selection: &SampleSelection,
    selection: &Selection,
) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for tail in &sample_selection.tails {
        let Ok(needed) = min_values(*tail, selection.confidence) else {
            continue;
        };
        let names: Vec<String> = subjects
            .iter()
            .map(|subject| tail_name(&subject.key.metric.name, *tail))
            .collect();
        let with_tail = subjects.iter().zip(&names).filter(|(_, name)| {
            let mut all = subjects.iter();
            all.any(|other| other.key.metric.name == **name)
        });
        let fewest = with_tail
            .flat_map(|(subject, _)| samples_of_runs(subject))
            .min();
        match fewest {
            None => warnings.push(Warning::NoQuantile(*tail)),
            Some(found) if found < needed => warnings.push(Warning::ShortRuns {
                quantile: *tail,
                found,
                needed,
            }),
            Some(_) => {}
        }
    }
    warnings
}

/// Samples of each unit of each variant.
fn samples_of_runs(subject: &Subject) -> Vec<usize> {
    let mut counts: HashMap<(&str, u32, u32), usize> = HashMap::new();
    for group in &subject.groups {
        for observation in &group.observations {
            let unit = (group.variant.as_str(), observation.block, observation.unit);
            *counts.entry(unit).or_default() += 1;
        }
    }
    counts.into_values().collect()
}
