//! What to know before believing a result: failed runs, a busy hypervisor, tools with known lies.

use std::borrow::Borrow;

use indexmap::IndexSet;
use perflab_experiment::{Experiment, Refresh, counted};
use perflab_store::RunRecord;

/// Share of time taken by the hypervisor from which a result is suspect.
const STEAL_LIMIT: f64 = 0.01;

/// What to know of the runs and of the tools that made them.
pub(crate) fn warnings(experiment: &Experiment, records: &[impl Borrow<RunRecord>]) -> Vec<String> {
    let records: Vec<&RunRecord> = records.iter().map(Borrow::borrow).collect();
    let mut warnings = Vec::new();
    for variant in experiment.variants.keys() {
        let own = || {
            let records = records.iter().copied();
            records.filter(|record| &record.variant == variant)
        };
        let failed = own().filter(|record| !record.status.passed()).count();
        if failed > 0 {
            let detail = own()
                .find_map(|record| record.detail.clone())
                .unwrap_or_default();
            warnings.push(format!(
                "{failed} of {} of {variant} failed and count for nothing; the first: {detail}",
                counted(own().count(), "run")
            ));
        }
    }
    if experiment.design.refresh == Refresh::Keep
        && experiment.variants.values().any(|v| v.start.is_some())
    {
        warnings.push(
            "each system was started once and kept: the verdicts are about these processes, and \
             another start of the same programs may differ"
                .to_owned(),
        );
    }
    let stolen: Vec<f64> = records
        .iter()
        .filter_map(|record| record.steal_share)
        .collect();
    let mean = stolen.iter().sum::<f64>() / stolen.len().max(1) as f64;
    if mean > STEAL_LIMIT {
        warnings.push(format!(
            "the hypervisor took {:.1}% of the machine's time while runs were measured",
            mean * 100.0
        ));
    }
    warnings.extend(experiment_cautions(experiment));
    warnings
}

/// What the drivers say of their tools' known lies with these arguments.
fn experiment_cautions(experiment: &Experiment) -> IndexSet<String> {
    let mut cautions = IndexSet::new();
    for (name, workload) in &experiment.workloads {
        let said = perflab_drivers::tool(workload.driver.name())
            .map(|driver| driver.cautions(&workload.args))
            .unwrap_or_default();
        cautions.extend(said.into_iter().map(|caution| format!("{name}: {caution}")));
    }
    cautions
}
