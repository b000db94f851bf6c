//! Two results that were not measured together: what changed from the first to the second.
//!
//! Between the two the machine may have changed as well as the programs, so nothing is claimed of the changes
//! themselves. Where both have measured the same programs as a reference, its own change is divided out: each run
//! of another variant is divided by a run of the reference from the same block, and these quotients are compared.
//! What slowed both down is gone from them (the difference of differences).

use indexmap::{IndexMap, IndexSet};
use perflab_experiment::{LeftOut, Metric, Refresh};
use perflab_stats::Observation;
use perflab_stats::summary::median;
use perflab_store::RunRecord;

use crate::analyse::analyse;
use crate::comparison::{Comparison, Design};
use crate::error::AnalysisError;
use crate::grid::{Stepped, of_quotients, steps};
use crate::input::Half;
use crate::observation::of_one_kind;
use crate::one_sided::one_sided;
use crate::reference::reference;
use crate::result_report::failed;
use crate::run_warnings::run_warnings;
use crate::sample_selection::{SampleSelection, metrics};
use crate::selection::{Questions, Selection};
use crate::subject::{Group, Steps, Subject, SubjectKey};
use crate::warning::{NoReference, NotTogether, Warning};

/// The key of a subject: workload, parameters by name, benchmark, metric.
type Key<'r> = (
    &'r str,
    Vec<(&'r str, &'r str)>,
    Option<&'r str>,
    &'r Metric,
);

/// The block and the unit of a run, and a value of it.
type Sampled = (u32, u32, Stepped);

/// Compares what both results have measured of the metrics that the first experiment asks about, variant by variant.
///
/// # Errors
/// When there is nothing to compare.
pub fn compare_apart(a: Half<'_>, b: Half<'_>) -> Result<Comparison, AnalysisError> {
    let halves = [a, b];
    let variants = common(&a, &b);
    let reference = reference(&a, &b);
    let divisor = reference.as_ref().ok().copied();
    let Subjects {
        measured,
        divided,
        decided,
        unpaired,
    } = subjects(halves, &variants, divisor)?;

    let name = format!("{} and {}", a.name, b.name);
    let analysed = |subjects: &[Subject], typical: bool| {
        let selection = Selection {
            baseline: Some(a.name.to_owned()),
            margin: a.experiment.design.margin,
            confidence: a.experiment.design.confidence,
            // The mean of quotients is not the quotient of means.
            questions: Questions {
                typical,
                mean: false,
            },
            ..Selection::default()
        };
        analyse(&name, None, subjects, design(halves, &variants), &selection)
    };
    let mut report = analysed(&measured, false)?;
    for row in report.all_rows_mut() {
        row.is_cause_unknown = true;
    }
    if !divided.is_empty() {
        let of_quotients = analysed(&divided, true)?;
        report.rows.splice(0..0, of_quotients.rows);
        report.pooled.splice(0..0, of_quotients.pooled);
        report.tests = of_quotients.tests;
    }
    // Where anything is decided, the reference has served, and a control is a check of the laboratory and no question.
    let is_settled = |variant: &str| {
        decided.contains_key(variant)
            || (!decided.is_empty() && (divisor == Some(variant) || is_control(halves, variant)))
    };
    let undecided = variants.iter().filter(|variant| !is_settled(variant));
    report.design.undecided = undecided.map(|variant| (*variant).to_owned()).collect();
    let alone = decided.values().sum();
    let own = own_warnings(&a, &b, reference, alone, &report.design.undecided);
    report.warnings.extend(own);
    let all = [measured, unpaired].concat();
    report
        .warnings
        .extend(one_sided(&all, a.name, &[b.name.to_owned()]));
    for [half, other] in [[a, b], [b, a]] {
        let alone: Vec<String> = variants_of(&half)
            .difference(&variants_of(&other))
            .map(|variant| (*variant).to_owned())
            .collect();
        if !alone.is_empty() {
            report.warnings.push(Warning::Unpaired {
                result: half.name.to_owned(),
                variants: alone,
            });
        }
    }
    for half in halves {
        let left_out = LeftOut::by_reason(half.left_out).into_iter();
        report.warnings.extend(left_out.map(|alike| {
            let left_out = Warning::LeftOut(alike);
            Warning::OfResult(half.name.to_owned(), Box::new(left_out))
        }));
        if half.records.len() < half.planned && !half.until_decided {
            let partly = Warning::PartlyRecorded {
                recorded: half.records.len(),
                planned: half.planned,
            };
            let of_half = Warning::OfResult(half.name.to_owned(), Box::new(partly));
            report.warnings.push(of_half);
        }
        let of_runs = run_warnings(half.experiment, &of(&half, &variants));
        let named = of_runs
            .into_iter()
            .map(|warning| Warning::OfResult(half.name.to_owned(), Box::new(warning)));
        report.warnings.extend(named);
    }
    Ok(report)
}

/// What two results let one compare.
struct Subjects<'r> {
    /// The values as they were measured.
    measured: Vec<Subject>,
    /// Quotients of runs and those of the reference.
    divided: Vec<Subject>,
    /// Variants that there are quotients of, with the runs of each that had no partner.
    decided: IndexMap<&'r str, usize>,
    /// What only one of the results has runs of.
    unpaired: Vec<Subject>,
}

fn subjects<'r>(
    halves: [Half<'r>; 2],
    variants: &[&'r str],
    reference: Option<&str>,
) -> Result<Subjects<'r>, AnalysisError> {
    let [a, b] = halves;
    let names = halves.map(|half| half.name);
    let (of_a, _) = of_one_kind(a.experiment, a.records, &SampleSelection::default());
    let wanted = metrics(a.experiment, &of_a, &SampleSelection::default())?;
    let (mut measured, mut divided, mut unpaired) = (Vec::new(), Vec::new(), Vec::new());
    let mut decided = IndexMap::new();
    let mut is_empty = [a, b].iter().any(|half| half.records.is_empty()) || !variants.is_empty();
    let of_reference = reference.map(|reference| halves.map(|half| values(&half, reference)));
    for &variant in variants {
        let [of_a, of_b] = [a, b].map(|half| values(&half, variant));
        is_empty &= of_a.is_empty() || of_b.is_empty();
        let divisor = reference
            .filter(|reference| *reference != variant && !is_control(halves, variant))
            .zip(of_reference.as_ref());
        let raw = |key: &Key<'_>, values: [Vec<(u32, Stepped)>; 2]| {
            let mut raw = subject(key, names, values);
            if variants.len() > 1 {
                raw.key.metric.name = format!("{} of {variant}", key.3.name);
            }
            raw
        };
        for (key, own) in &of_b {
            if wanted.contains(&key.3.name) && !of_a.contains_key(key) {
                unpaired.push(raw(key, [Vec::new(), apart(own)]));
            }
        }
        for (key, own) in &of_a {
            let metric = &key.3.name;
            let Some(place) = wanted.get_index_of(metric) else {
                continue;
            };
            let Some(other) = of_b.get(key) else {
                unpaired.push(raw(key, [apart(own), Vec::new()]));
                continue;
            };
            measured.push((place, raw(key, [apart(own), apart(other)])));
            let Some((reference, [beside_a, beside_b])) = divisor else {
                continue;
            };
            let first = beside_a.get(key).and_then(|beside| quotients(own, beside));
            let second = beside_b
                .get(key)
                .and_then(|beside| quotients(other, beside));
            if let (Some(first), Some(second)) = (first, second) {
                let alone = decided.entry(variant).or_default();
                *alone = first.alone.saturating_add(second.alone).max(*alone);
                let mut quotient = subject(key, names, [first.values, second.values]);
                let beside = [beside_a, beside_b].map(|all| all.get(key).map_or(&[][..], |of| of));
                let sides = [[own.as_slice(), other], beside];
                let sides =
                    sides.map(|of| of.concat().into_iter().map(|(.., value)| value).collect());
                quotient.steps = Steps::Known(of_quotients(key.3, &sides, &quotient));
                quotient.key.metric.name = format!("{metric} of {variant} / {reference}");
                quotient.key.metric.unit = String::new();
                divided.push((place, quotient));
            }
        }
    }
    if measured.is_empty() {
        return Err(match is_empty {
            true => AnalysisError::Empty,
            false => AnalysisError::NothingShared,
        });
    }
    Ok(Subjects {
        measured: in_order(measured),
        divided: in_order(divided),
        decided,
        unpaired,
    })
}

/// In the order of the metrics that were asked about.
fn in_order(mut subjects: Vec<(usize, Subject)>) -> Vec<Subject> {
    subjects.sort_by_key(|(place, _)| *place);
    subjects.into_iter().map(|(_, subject)| subject).collect()
}

fn is_control(halves: [Half<'_>; 2], variant: &str) -> bool {
    let mut experiments = halves.iter().map(|half| half.experiment);
    experiments.any(|experiment| experiment.design.control.as_deref() == Some(variant))
}

/// Variants that both have runs of, as the first experiment lists them.
fn common<'r>(a: &Half<'r>, b: &Half<'r>) -> Vec<&'r str> {
    let (of_a, of_b) = (variants_of(a), variants_of(b));
    let listed = a.experiment.variants.keys().map(String::as_str);
    listed
        .filter(|variant| of_a.contains(variant) && of_b.contains(variant))
        .collect()
}

fn variants_of<'r>(half: &Half<'r>) -> IndexSet<&'r str> {
    let records = half.records.iter();
    records.map(|record| record.variant.as_str()).collect()
}

fn of<'r>(half: &Half<'r>, variants: &[&str]) -> Vec<&'r RunRecord> {
    let own = half.records.iter();
    own.filter(|record| variants.contains(&record.variant.as_str()))
        .collect()
}

fn subject(key: &Key<'_>, names: [&str; 2], groups: [Vec<(u32, Stepped)>; 2]) -> Subject {
    let (workload, parameters, benchmark, metric) = key;
    let parameters = parameters.iter();
    let declared = names.into_iter().zip(&groups).map(|(name, values)| {
        let values: Vec<Stepped> = values.iter().map(|(_, value)| *value).collect();
        (name, values)
    });
    let steps = steps(declared.collect());
    let groups = names.into_iter().zip(groups).map(|(name, values)| Group {
        variant: name.to_owned(),
        observations: values
            .into_iter()
            .map(|(unit, (value, _))| Observation {
                // There are no blocks that both have.
                block: 1,
                unit,
                value,
            })
            .collect(),
    });
    Subject {
        key: SubjectKey {
            workload: (*workload).to_owned(),
            parameters: parameters
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
            benchmark: benchmark.map(str::to_owned),
            metric: (*metric).clone(),
            observed: false,
        },
        groups: groups.collect(),
        steps,
    }
}

fn apart(values: &[Sampled]) -> Vec<(u32, Stepped)> {
    values
        .iter()
        .map(|(_, unit, value)| (*unit, *value))
        .collect()
}

/// The runs of a variant, divided by those of the reference.
struct Quotients {
    values: Vec<(u32, Stepped)>,
    /// Runs of the variant that had no partner.
    alone: usize,
}

/// The runs of a variant divided by those of the reference, one by one within each block; nothing where there are no
/// such pairs, or a value is not positive.
fn quotients(own: &[Sampled], reference: &[Sampled]) -> Option<Quotients> {
    let [own, reference] = [own, reference].map(units);
    let mut quotients = Vec::new();
    for (block, values) in &own {
        let beside = reference.get(block).into_iter().flatten();
        for (value, reference) in values.iter().zip(beside) {
            if *value <= 0.0 || *reference <= 0.0 {
                return None;
            }
            let number = u32::try_from(quotients.len()).unwrap_or(u32::MAX);
            quotients.push((number, (value / reference, None)));
        }
    }
    let all: usize = own.values().map(Vec::len).sum();
    (!quotients.is_empty()).then(|| Quotients {
        alone: all - quotients.len(),
        values: quotients,
    })
}

/// The median of each unit, by block, in order of execution.
fn units(values: &[Sampled]) -> IndexMap<u32, Vec<f64>> {
    let mut by_unit: IndexMap<(u32, u32), Vec<f64>> = IndexMap::new();
    for (block, unit, (value, _)) in values {
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
        ..Design::default()
    }
}

/// What follows for the reader: on what there is no verdict, why, and how to get one. `alone`: runs that could not be
/// divided.
fn own_warnings(
    a: &Half<'_>,
    b: &Half<'_>,
    reference: Result<&str, NoReference>,
    alone: usize,
    undecided: &[String],
) -> Vec<Warning> {
    let mut warnings = vec![Warning::NotTogether(match reference {
        Ok(reference) if undecided.iter().any(|variant| variant == reference) => {
            NotTogether::NothingShared(reference.to_owned())
        }
        Ok(reference) => NotTogether::Divided {
            reference: reference.to_owned(),
            alone,
        },
        Err(why) => NotTogether::NoReference(why),
    })];
    if !undecided.is_empty() {
        warnings.push(Warning::NoVerdict {
            variants: undecided.to_vec(),
            directory: a.directory.to_owned(),
            other: b.name.to_owned(),
        });
    }
    warnings
}

fn values<'r>(half: &Half<'r>, variant: &str) -> IndexMap<Key<'r>, Vec<Sampled>> {
    let mut found: IndexMap<Key<'r>, Vec<Sampled>> = IndexMap::new();
    let kept = half.experiment.design.refresh == Refresh::Keep;
    let own = half.records.iter();
    let own = own.filter(|record| record.variant == variant && !record.is_observed());
    for record in own.filter(|record| record.status.passed()) {
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
                sample.benchmark.as_deref(),
                &*sample.metric,
            );
            let value = (record.block, unit, (sample.value, sample.step));
            found.entry(key).or_default().push(value);
        }
    }
    found
}
