//! One variant in two results: what a second measurement says against a first one.

use indexmap::IndexMap;
use perflab_experiment::{Experiment, Metric, Refresh};
use perflab_stats::Observation;
use perflab_store::RunRecord;

use crate::analysis::{AnalysisError, Group, Subject, analyse};
use crate::cautions::warnings;
use crate::filter::{Filter, metrics};
use crate::model::{Design, Report};
use crate::recorded::failed;
use crate::selection::Selection;

/// A result of two.
#[derive(Debug, Clone, Copy)]
pub struct Half<'r> {
    /// What it is called in the report.
    pub name: &'r str,
    /// Its experiment.
    pub experiment: &'r Experiment,
    /// Its runs.
    pub records: &'r [RunRecord],
    /// Whether its own results could end it.
    pub until_decided: bool,
}

impl<'r> Half<'r> {
    /// The runs of a variant.
    fn of(&self, variant: &str) -> Vec<&'r RunRecord> {
        let all = self.records.iter();
        all.filter(|record| record.variant == variant).collect()
    }
}

type Key<'r> = (
    &'r str,
    Vec<(&'r str, &'r str)>,
    Option<&'r str>,
    &'r Metric,
);

/// Compares a variant in `b` with the same one in `a`, on what both have measured of the metrics that the first
/// experiment asks about.
///
/// The two were not measured in turns, so whatever else changed between them counts as a difference: a warning says
/// so.
///
/// # Errors
/// When there is nothing to compare.
pub fn pair(a: Half<'_>, b: Half<'_>, variant: &str) -> Result<Report, AnalysisError> {
    let wanted = metrics(a.experiment, a.records, &Filter::default())?;
    let records = [a, b].map(|half| half.of(variant));
    let sides = [(a, &records[0]), (b, &records[1])].map(|(half, own)| values(&half, own));
    let [of_a, of_b] = &sides;
    let mut subjects = Vec::new();
    for (key, own) in of_a
        .iter()
        .filter(|((.., metric), _)| wanted.contains(&metric.name))
    {
        let Some(other) = of_b.get(key) else { continue };
        let (workload, parameters, part, metric) = key;
        let group = |name: &str, values: &Vec<(u32, f64)>| Group {
            variant: name.to_owned(),
            observations: values
                .iter()
                .map(|(unit, value)| Observation {
                    // There are no blocks that both have.
                    block: 1,
                    unit: *unit,
                    value: *value,
                })
                .collect(),
        };
        subjects.push(Subject {
            workload: (*workload).to_owned(),
            parameters: parameters
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
            part: part.map(str::to_owned),
            metric: (*metric).clone(),
            groups: vec![group(a.name, own), group(b.name, other)],
        });
    }
    if subjects.is_empty() && !of_a.is_empty() && !of_b.is_empty() {
        return Err(AnalysisError::NothingShared);
    }
    subjects.sort_by_key(|subject| wanted.get_index_of(&subject.metric.name));
    let recorded = records.iter().map(Vec::len).sum();
    let design = Design {
        blocks: 1,
        planned: recorded,
        recorded,
        failed: failed(records.iter().flatten().copied()),
        seed: None,
        randomised: false,
        until_decided: None,
    };
    let selection = Selection {
        baseline: Some(a.name.to_owned()),
        margin: a.experiment.design.margin,
        confidence: a.experiment.design.confidence,
        ..Selection::default()
    };
    let mut report = analyse(variant, None, &subjects, design, &selection)?;
    report.warnings.push(
        "the two were not measured in turns: what else changed from one to the other, of the machine or of the \
         programs, counts as a difference; measure both in one experiment to be sure"
            .to_owned(),
    );
    for (half, own) in [a, b].iter().zip(&records) {
        let cautions = warnings(half.experiment, own);
        let named = cautions
            .iter()
            .map(|caution| format!("{}: {caution}", half.name));
        report.warnings.extend(named);
        if half.until_decided {
            report.warnings.push(format!(
                "{} was measured until it was decided: p-values and intervals here are for a number of runs that \
                 does not depend on the results",
                half.name
            ));
        }
    }
    Ok(report)
}

fn values<'r>(half: &Half<'r>, own: &[&'r RunRecord]) -> IndexMap<Key<'r>, Vec<(u32, f64)>> {
    let mut found: IndexMap<Key<'r>, Vec<(u32, f64)>> = IndexMap::new();
    let kept = half.experiment.design.refresh == Refresh::Keep;
    for record in own.iter().filter(|record| record.status.passed()) {
        // As where one experiment is compared.
        let unit = if kept { record.run } else { record.unit };
        for sample in &record.samples {
            let parameters = record.parameters.iter();
            let mut pairs: Vec<(&str, &str)> = parameters
                .map(|(name, value)| (name.as_str(), value.as_str()))
                .collect();
            // Two experiments may list their parameters in another order.
            pairs.sort_unstable();
            let key = (
                record.workload.as_str(),
                pairs,
                sample.part.as_deref(),
                &*sample.metric,
            );
            found.entry(key).or_default().push((unit, sample.value));
        }
    }
    found
}
