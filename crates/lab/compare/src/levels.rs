//! How much each level of repetition varies: builds, runs, samples within a run.

use std::cell::LazyCell;

use indexmap::IndexMap;
use perflab_experiment::{Experiment, Refresh, Sample};
use perflab_stats::nested::nested;
use perflab_store::RunRecord;

use crate::comparison::Comparison;
use crate::costs::Costs;
use crate::row::{Level, Levels};
use crate::sample_index::SampleIndex;

/// Adds the levels to every row whose runs share units, or hold several samples.
pub(crate) fn add_levels(
    report: &mut Comparison,
    experiment: &Experiment,
    records: &[RunRecord],
    index: &SampleIndex,
) {
    let costs = LazyCell::new(|| Costs::of(records));
    for row in &mut report.rows {
        let sides = [
            (report.baseline.as_str(), &row.base),
            (&row.variant, &row.candidate),
        ];
        let found = sides.map(|(variant, side)| {
            // Where each unit has one value there is one level.
            let has_levels = side.values.len() > side.n;
            has_levels.then(|| {
                let samples: Vec<_> = index.of_row(row, variant, records).collect();
                levels(variant, &samples, experiment, *costs)
            })?
        });
        row.levels = found.into_iter().flatten().collect();
    }
}

/// What is made anew with each unit.
pub(crate) fn unit_name(refresh: Refresh) -> &'static str {
    match refresh {
        Refresh::Rebuild => "build",
        Refresh::Relink => "layout",
        Refresh::Restart => "start",
        Refresh::Keep => "run",
    }
}

/// Of the samples of one side, with their records and where these are. What a run costs is that of the runs that
/// tell of the metric.
fn levels(
    variant: &str,
    samples: &[(usize, &RunRecord, &Sample)],
    experiment: &Experiment,
    costs: Option<Costs>,
) -> Option<Levels> {
    let own: Vec<_> = samples.chunk_by(|one, other| one.0 == other.0).collect();
    let mut units: IndexMap<u32, Vec<Vec<f64>>> = IndexMap::new();
    let mut wall = 0.0;
    for samples in &own {
        let Some((_, record, _)) = samples.first() else {
            continue;
        };
        wall += record.usage.map_or(0.0, |usage| usage.wall_s);
        let unit = match experiment.design.refresh {
            Refresh::Keep => record.run,
            _ => record.unit,
        };
        let values = samples.iter().map(|(.., sample)| sample.value).collect();
        units.entry(unit).or_default().push(values);
    }
    // The same number everywhere: what is beyond the least is left out.
    let runs = units.values().map(Vec::len).min()?;
    let samples = units.values().flatten().map(Vec::len).min()?;
    let values: Vec<f64> = units
        .values()
        .flat_map(|unit| unit.iter().take(runs))
        .flat_map(|run| run.iter().take(samples))
        .copied()
        .collect();
    let wall = wall / own.len() as f64;
    let cost = |of: fn(Costs, f64) -> Option<f64>| costs.and_then(|costs| of(costs, wall));
    let unit_name = unit_name(experiment.design.refresh);
    let within = (samples > 1).then_some(wall / samples as f64);
    let run = match within {
        Some(_) => cost(|costs, wall| Some((costs.run_s - wall).max(0.0))),
        None => cost(|costs, _| Some(costs.run_s)),
    };
    let all = if runs > 1 {
        vec![
            (unit_name, units.len(), cost(|costs, _| costs.unit_s)),
            ("run", runs, run),
        ]
    } else {
        vec![("run", units.len(), run)]
    };
    let all: Vec<_> = all
        .into_iter()
        .chain(within.map(|cost| ("sample", samples, Some(cost))))
        .collect();
    if all.len() < 2 {
        return None;
    }
    let repetitions: Vec<usize> = all.iter().map(|(_, repetitions, _)| *repetitions).collect();
    let found = nested(&values, &repetitions).ok()?;
    let known: Option<Vec<f64>> = all.iter().map(|(.., cost)| *cost).collect();
    let best = known.and_then(|costs| found.optimal_repetitions(&costs).ok());
    let total: f64 = found.levels.iter().map(|l| l.own_variance.max(0.0)).sum();
    Some(Levels {
        variant: variant.to_owned(),
        levels: all
            .iter()
            .zip(&found.levels)
            .enumerate()
            .map(|(place, ((name, repetitions, cost_s), level))| Level {
                name: (*name).to_owned(),
                repetitions: *repetitions,
                share: level.own_variance.max(0.0) / total,
                cost_s: *cost_s,
                best: best
                    .as_ref()
                    .and_then(|best| *best.get(place.checked_sub(1)?)?),
            })
            .collect(),
        intraclass_correlation: found.intraclass_correlation().ok()?,
        design_effect: found.design_effect().ok()?,
    })
}
