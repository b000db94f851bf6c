//! Two results that were not measured together: what changed from the first to the second.
//!
//! Between the two the machine may have changed as well as the programs, so nothing is claimed of the changes
//! themselves. Where both have measured the same programs as a reference, its own change is divided out: each run
//! of another variant is divided by the run of the reference beside it, and these quotients are compared. What
//! slowed both down is gone from them (the difference of differences).

use indexmap::{IndexMap, IndexSet};
use perflab_experiment::{Experiment, Metric, Refresh};
use perflab_stats::Observation;
use perflab_stats::summary::median;
use perflab_store::RunRecord;
use serde_json::Value;

use crate::analysis::{AnalysisError, Group, Subject, analyse};
use crate::cautions::warnings;
use crate::filter::{Filter, metrics};
use crate::model::{Design, Report, Row};
use crate::recorded::failed;
use crate::selection::{Claims, Selection};

/// A result of two.
#[derive(Debug, Clone, Copy)]
pub struct Half<'r> {
    /// What it is called in the report.
    pub name: &'r str,
    /// Its directory, as a command line names it.
    pub directory: &'r str,
    /// Its experiment.
    pub experiment: &'r Experiment,
    /// Its runs.
    pub records: &'r [RunRecord],
    /// The machine and the programs it was measured with, as far as they are known.
    pub fingerprint: Option<&'r Value>,
    /// Whether its own results could end it.
    pub until_decided: bool,
}

/// The key of a subject: workload, parameters by name, part, metric.
type Key<'r> = (
    &'r str,
    Vec<(&'r str, &'r str)>,
    Option<&'r str>,
    &'r Metric,
);

/// The block and the unit of a run, and a value of it.
type Sampled = (u32, u32, f64);

/// Compares what both results have measured of the metrics that the first experiment asks about, variant by variant.
///
/// # Errors
/// When there is nothing to compare.
pub fn pair(a: Half<'_>, b: Half<'_>) -> Result<Report, AnalysisError> {
    let wanted = metrics(a.experiment, a.records, &Filter::default())?;
    let variants = common(&a, &b);
    let several = variants.len() > 1;
    let reference = reference(&a, &b);
    let mut measured = Vec::new();
    let mut divided = Vec::new();
    let mut decided: IndexSet<&str> = IndexSet::new();
    let mut has_values = [false; 2];
    for &variant in &variants {
        let [of_a, of_b] = [a, b].map(|half| values(&half, variant));
        has_values = [
            has_values[0] || !of_a.is_empty(),
            has_values[1] || !of_b.is_empty(),
        ];
        let is_control = is_control([a, b], variant);
        let divisor = reference
            .as_ref()
            .ok()
            .copied()
            .filter(|reference| *reference != variant && !is_control);
        let beside = divisor.map(|reference| [a, b].map(|half| values(&half, reference)));
        for (key, own) in of_a
            .iter()
            .filter(|((.., metric), _)| wanted.contains(&metric.name))
        {
            let Some(other) = of_b.get(key) else { continue };
            let mut raw = subject(key, [a.name, b.name], [apart(own), apart(other)]);
            if several {
                raw.metric.name = format!("{} of {variant}", raw.metric.name);
            }
            measured.push((key.3.name.clone(), raw));
            let quotients = divisor
                .zip(beside.as_ref())
                .and_then(|(reference, [of_a, of_b])| {
                    let quotients = [
                        quotients(own, of_a.get(key)?),
                        quotients(other, of_b.get(key)?),
                    ];
                    let [first, second] =
                        quotients.map(|quotients| quotients.filter(|own| !own.is_empty()));
                    Some((reference, [first?, second?]))
                });
            if let Some((reference, quotients)) = quotients {
                decided.insert(variant);
                let mut quotient = subject(key, [a.name, b.name], quotients);
                quotient.metric.name = format!("{} of {variant} / {reference}", key.3.name);
                quotient.metric.unit = String::new();
                divided.push((key.3.name.clone(), quotient));
            }
        }
    }
    if measured.is_empty() {
        return Err(match has_values {
            [true, true] => AnalysisError::NothingShared,
            _ => AnalysisError::Empty,
        });
    }
    let sorted = |mut subjects: Vec<(String, Subject)>| -> Vec<Subject> {
        subjects.sort_by_key(|(metric, _)| wanted.get_index_of(metric));
        subjects.into_iter().map(|(_, subject)| subject).collect()
    };
    let (measured, divided) = (sorted(measured), sorted(divided));
    let is_reference =
        |variant: &&str| !decided.is_empty() && reference.as_ref().ok() == Some(variant);
    let undecided: Vec<String> = variants
        .iter()
        .filter(|variant| !decided.contains(*variant) && !is_reference(variant))
        // A control is a check of the laboratory, and no question.
        .filter(|variant| decided.is_empty() || !is_control([a, b], variant))
        .map(|variant| (*variant).to_owned())
        .collect();

    let name = format!("{} and {}", a.name, b.name);
    let selection = |claims| Selection {
        baseline: Some(a.name.to_owned()),
        margin: a.experiment.design.margin,
        confidence: a.experiment.design.confidence,
        claims,
        ..Selection::default()
    };
    let nothing = Claims {
        typical: false,
        mean: false,
    };
    let mut report = analyse(
        &name,
        None,
        &measured,
        design([a, b], &variants),
        &selection(nothing),
    )?;
    let changes = report.rows.iter_mut().chain(&mut report.pooled);
    changes.for_each(|row| row.headline = change(row).to_owned());
    if !divided.is_empty() {
        // The mean of quotients is not the quotient of means.
        let typical = Claims {
            typical: true,
            mean: false,
        };
        let of_quotients = analyse(
            &name,
            None,
            &divided,
            report.design.clone(),
            &selection(typical),
        )?;
        report.rows.splice(0..0, of_quotients.rows);
        report.pooled.splice(0..0, of_quotients.pooled);
        report.claims = of_quotients.claims;
    }
    report
        .warnings
        .extend(words(&a, &b, &reference, &undecided));
    report.design.undecided = undecided;
    for half in [a, b] {
        let own = of(&half, &variants);
        let cautions = warnings(half.experiment, &own);
        let named = cautions
            .iter()
            .map(|caution| format!("{}: {caution}", half.name));
        report.warnings.extend(named);
    }
    Ok(report)
}

fn is_control(halves: [Half<'_>; 2], variant: &str) -> bool {
    let mut controls = halves
        .iter()
        .map(|half| half.experiment.design.control.as_deref());
    controls.any(|control| control == Some(variant))
}

/// What the figures say of a change whose cause is not known.
fn change(row: &Row) -> &'static str {
    match (row.typical.low, row.typical.high) {
        (Some(low), Some(high)) if low > 0.0 || high < 0.0 => "changed, cause unknown",
        _ => "no change seen",
    }
}

/// Variants that both have runs of, as the first experiment lists them.
fn common<'r>(a: &Half<'r>, b: &Half<'r>) -> Vec<&'r str> {
    let measured = |half: &Half<'r>| -> IndexSet<&'r str> {
        half.records
            .iter()
            .map(|record| record.variant.as_str())
            .collect()
    };
    let (of_a, of_b) = (measured(a), measured(b));
    let listed = a.experiment.variants.keys().map(String::as_str);
    listed
        .filter(|variant| of_a.contains(variant) && of_b.contains(variant))
        .collect()
}

fn of<'r>(half: &Half<'r>, variants: &[&str]) -> Vec<&'r RunRecord> {
    let own = half.records.iter();
    own.filter(|record| variants.contains(&record.variant.as_str()))
        .collect()
}

/// The variant whose change can be divided out; else why there is none.
fn reference<'r>(a: &Half<'r>, b: &Half<'r>) -> Result<&'r str, String> {
    if let Some(half) = [a, b].into_iter().find(|half| half.until_decided) {
        return Err(format!(
            "{} was measured until it was decided, so nothing can be divided out: what is claimed then is for a number \
             of runs that does not depend on the results",
            half.name
        ));
    }
    let [of_a, of_b] = [a, b].map(|half| {
        let experiment = half.experiment;
        [
            Some(experiment.baseline()),
            experiment.design.control.as_deref(),
        ]
    });
    let shared = of_a
        .into_iter()
        .flatten()
        .find(|name| of_b.contains(&Some(name)));
    let Some(shared) = shared else {
        return Err(
            "the two share no baseline and no control whose own change could be divided out"
                .to_owned(),
        );
    };
    match difference(a, b, shared) {
        Some(what) => Err(format!(
            "the change of {shared} cannot be divided out: {what}"
        )),
        None => Ok(shared),
    }
}

/// Why a variant of one name is perhaps not the same in both.
fn difference(a: &Half<'_>, b: &Half<'_>, variant: &str) -> Option<&'static str> {
    let known = |half: &Half<'_>, pointer: &str| {
        half.fingerprint
            .and_then(|known| known.pointer(pointer))
            .cloned()
    };
    let [machine_a, machine_b] = [a, b].map(|half| known(half, "/machine/machine_id"));
    if machine_a.is_none() || machine_a != machine_b {
        return Some("it was not measured on the same machine");
    }
    if a.experiment.variants.get(variant) != b.experiment.variants.get(variant) {
        return Some("it is not started in the same way in both");
    }
    let workloads = &a.experiment.workloads;
    let is_other = |(name, own)| {
        b.experiment
            .workloads
            .get(name)
            .is_some_and(|other| other != own)
    };
    if workloads.iter().any(is_other) {
        return Some("the workloads are not the same in both");
    }
    let programs = |half: &Half<'_>| -> Option<IndexMap<String, Value>> {
        let all = known(half, "/programs")?;
        let own = all.as_object()?.iter();
        let own = own.filter(|(name, _)| {
            *name == &format!("variants/{variant}") || name.starts_with("workloads/")
        });
        Some(
            own.map(|(name, programs)| (name.clone(), hashes(programs)))
                .collect(),
        )
    };
    match (programs(a), programs(b)) {
        (Some(a), Some(b)) if a == b && !a.is_empty() => None,
        (Some(_), Some(_)) => Some("its programs are not the same in both"),
        _ => Some("which programs it ran is not known"),
    }
}

/// What tells programs apart, wherever they lie: hashes of their files, and what they say of their versions.
fn hashes(programs: &Value) -> Value {
    let mut kept = programs.clone();
    let files = kept.get_mut("files").and_then(Value::as_object_mut);
    for (_, file) in files.into_iter().flatten() {
        *file = file.get("sha256").cloned().unwrap_or_default();
    }
    kept
}

fn subject(key: &Key<'_>, names: [&str; 2], groups: [Vec<(u32, f64)>; 2]) -> Subject {
    let (workload, parameters, part, metric) = key;
    let parameters = parameters.iter();
    let groups = names.into_iter().zip(groups).map(|(name, values)| Group {
        variant: name.to_owned(),
        observations: values
            .into_iter()
            .map(|(unit, value)| Observation {
                // There are no blocks that both have.
                block: 1,
                unit,
                value,
            })
            .collect(),
    });
    Subject {
        workload: (*workload).to_owned(),
        parameters: parameters
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect(),
        part: part.map(str::to_owned),
        metric: (*metric).clone(),
        groups: groups.collect(),
    }
}

fn apart(values: &[Sampled]) -> Vec<(u32, f64)> {
    values
        .iter()
        .map(|(_, unit, value)| (*unit, *value))
        .collect()
}

/// The runs of a variant divided by those of the reference, one by one within each block; nothing where a value is
/// not positive.
fn quotients(own: &[Sampled], reference: &[Sampled]) -> Option<Vec<(u32, f64)>> {
    let [own, reference] = [own, reference].map(units);
    let mut quotients = Vec::new();
    for (block, values) in &own {
        let beside = reference.get(block).into_iter().flatten();
        for (value, reference) in values.iter().zip(beside) {
            if *value <= 0.0 || *reference <= 0.0 {
                return None;
            }
            let number = u32::try_from(quotients.len()).unwrap_or(u32::MAX);
            quotients.push((number, value / reference));
        }
    }
    Some(quotients)
}

/// The median of each unit, by block, in order of execution.
fn units(values: &[Sampled]) -> IndexMap<u32, Vec<f64>> {
    let mut by_unit: IndexMap<(u32, u32), Vec<f64>> = IndexMap::new();
    for (block, unit, value) in values {
        by_unit.entry((*block, *unit)).or_default().push(*value);
    }
    let mut blocks: IndexMap<u32, Vec<f64>> = IndexMap::new();
    for ((block, _), values) in by_unit {
        blocks.entry(block).or_default().extend(median(&values));
    }
    blocks
}

fn design(halves: [Half<'_>; 2], variants: &[&str]) -> Design {
    let records: Vec<_> = halves.iter().flat_map(|half| of(half, variants)).collect();
    Design {
        blocks: 1,
        planned: records.len(),
        recorded: records.len(),
        failed: failed(records),
        seed: None,
        randomised: false,
        until_decided: None,
        undecided: Vec::new(),
    }
}

/// What follows for the reader: of what nothing is claimed, why, and how it can be decided.
fn words(
    a: &Half<'_>,
    b: &Half<'_>,
    reference: &Result<&str, String>,
    undecided: &[String],
) -> Vec<String> {
    let mut words = Vec::new();
    match reference {
        Ok(reference) => words.push(format!(
            "the two were not measured together; {reference} is the same in both, so each run is divided by the run of \
             {reference} next to it (/ {reference}); a verdict on these quotients holds if whatever changed on the \
             machine changed both by the same factor"
        )),
        Err(why) => words.push(format!(
            "the two were not measured together, so a change may be the machine's as well as the program's; {why}"
        )),
    }
    if !undecided.is_empty() {
        words.push(format!(
            "nothing is claimed of {}; to decide it, measure both together: copy {}/experiment.toml to both.toml, add \
             the variant of {} to it under another name, then: perflab run both.toml",
            undecided.join(", "),
            a.directory.trim_end_matches('/'),
            b.name
        ));
    }
    words
}

fn values<'r>(half: &Half<'r>, variant: &str) -> IndexMap<Key<'r>, Vec<Sampled>> {
    let mut found: IndexMap<Key<'r>, Vec<Sampled>> = IndexMap::new();
    let kept = half.experiment.design.refresh == Refresh::Keep;
    let own = half.records.iter();
    for record in own.filter(|record| record.variant == variant && record.status.passed()) {
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
            let value = (record.block, unit, sample.value);
            found.entry(key).or_default().push(value);
        }
    }
    found
}
