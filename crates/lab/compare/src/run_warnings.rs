//! What to know before believing a result: failed runs, a busy hypervisor, tools with known lies.

use std::borrow::Borrow;

use indexmap::IndexSet;
use perflab_experiment::{Experiment, Refresh};
use perflab_store::RunRecord;

use crate::warning::Warning;

/// Share of time taken by the hypervisor from which a result is suspect.
const STEAL_LIMIT: f64 = 0.01;

/// What to know of the runs and of the tools that made them.
pub(crate) fn run_warnings(
    experiment: &Experiment,
    records: &[impl Borrow<RunRecord>],
) -> Vec<Warning> {
    let records: Vec<&RunRecord> = records.iter().map(Borrow::borrow).collect();
    let mut warnings = Vec::new();
    for variant in experiment.variants.keys() {
        let own = || {
            let records = records.iter().copied();
            records.filter(|record| &record.variant == variant)
        };
        let failed = own().filter(|record| !record.status.passed()).count();
        if failed > 0 {
            let first = own().find_map(|record| record.detail.clone());
            warnings.push(Warning::Failed {
                variant: variant.clone(),
                failed,
                runs: own().count(),
                first,
            });
        }
    }
    if experiment.design.refresh == Refresh::Keep
        && experiment.variants.values().any(|v| v.start.is_some())
    {
        warnings.push(Warning::SystemsKept);
    }
    let stolen: Vec<f64> = records
        .iter()
        .filter_map(|record| record.steal_share)
        .collect();
    let mean = stolen.iter().sum::<f64>() / stolen.len().max(1) as f64;
    if mean > STEAL_LIMIT {
        warnings.push(Warning::Stolen(mean));
    }
    warnings.extend(experiment_cautions(experiment));
    warnings
}

/// What the drivers say of their tools' known lies with these arguments.
fn experiment_cautions(experiment: &Experiment) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for (workload, own) in &experiment.workloads {
        let driver = perflab_drivers::tool(own.driver.name());
        let cautions = driver.map(|driver| driver.cautions(&own.args));
        let distinct: IndexSet<String> = cautions.into_iter().flatten().collect();
        warnings.extend(distinct.into_iter().map(|caution| Warning::Tool {
            workload: workload.clone(),
            caution,
        }));
    }
    warnings
}
