//! How often a report on the data at hand would hold a false verdict.
//!
//! If the variants do not differ, their names are labels that chance might as well have given otherwise. So the labels
//! of the runs are shuffled within blocks, and the whole report is computed from what results, many times: every
//! verdict of a difference in it is false.

use std::thread;

use indexmap::{IndexMap, IndexSet};
use perflab_stats::Observation;
use perflab_stats::proportion::Proportion;
use perflab_stats::steps::Grid;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

use crate::analyse::analyse_with;
use crate::comparison::{Calibration, Comparison, Share};
use crate::error::AnalysisError;
use crate::outcome::AskedQuestion;
use crate::selection::Selection;
use crate::subject::{Group, Steps, Subject};
use crate::workers::Workers;

/// Always the same shuffles: the same runs give the same calibration.
const SEED: u64 = 1;

/// Reports that are computed between two calls of `tick`, on each thread.
const STEP: u32 = 4;

/// Shuffles labels, makes reports as `report` was made from `subjects`, and adds what they found to it. `tick` gets
/// how many are done, again and again.
///
/// # Errors
/// As of the report itself.
pub fn add_calibration(
    report: &mut Comparison,
    subjects: &[Subject],
    selection: &Selection,
    reports: u32,
    tick: &mut dyn FnMut(u32),
) -> Result<(), AnalysisError> {
    let mut counts = [0; 2];
    let mut done = 0;
    // Each report is itself compared on what these leave of the processors.
    let workers = Workers::take(usize::MAX);
    let threads = u32::try_from(workers.count().max(1)).unwrap_or(1);
    while done < reports {
        let round = (STEP * threads).min(reports - done);
        let numbers: Vec<u32> = (done..done + round).collect();
        let shared = &*report;
        let found: Result<Vec<[bool; 2]>, AnalysisError> = thread::scope(|scope| {
            let parts: Vec<_> = numbers
                .chunks(STEP as usize)
                .map(|part| {
                    scope.spawn(move || {
                        let one =
                            |number: &u32| shuffled_report(shared, subjects, selection, *number);
                        part.iter().map(one).collect::<Result<Vec<_>, _>>()
                    })
                })
                .collect();
            let mut found = Vec::new();
            for part in parts {
                found.extend(
                    part.join()
                        .unwrap_or_else(|panic| std::panic::resume_unwind(panic))?,
                );
            }
            Ok(found)
        });
        for one in found? {
            counts[0] += u32::from(one[0]);
            counts[1] += u32::from(one[1]);
        }
        done += round;
        tick(done);
    }
    report.calibration = Some(Calibration {
        reports,
        candidates: share(counts[0], reports, selection.confidence),
        control: report
            .control
            .as_ref()
            .map(|_| share(counts[1], reports, selection.confidence)),
    });
    Ok(())
}

/// Whether a report on shuffled labels finds something of a candidate, and of the control.
fn shuffled_report(
    report: &Comparison,
    subjects: &[Subject],
    selection: &Selection,
    number: u32,
) -> Result<[bool; 2], AnalysisError> {
    let mut random = ChaCha8Rng::seed_from_u64(SEED);
    random.set_stream(u64::from(number));
    let shuffled = shuffled(subjects, &mut random);
    let selection = Selection {
        baseline: Some(report.baseline.clone()),
        ..selection.clone()
    };
    // Nothing that is said of drift counts here.
    let found = analyse_with(
        &report.name,
        None,
        &shuffled,
        report.design.clone(),
        &selection,
        |_, _, _, _| None,
    )?;
    let rows = || {
        let all = found.all_rows();
        all.filter(|row| row.asked().any(AskedQuestion::is_difference))
    };
    Ok([
        rows().any(|row| !found.is_control(row)),
        rows().any(|row| found.is_control(row)),
    ])
}

fn share(count: u32, of: u32, confidence: f64) -> Share {
    let ends =
        Proportion::new(count as usize, of as usize).and_then(|share| share.wilson(confidence));
    let (low, high) = ends.unwrap_or((0.0, 1.0));
    Share {
        share: f64::from(count) / f64::from(of.max(1)),
        low,
        high,
    }
}

/// What is executed as one: a run or whatever is a unit, of a variant, in a block.
type Unit<'s> = (&'s str, u32, u32);

/// The subjects with other labels: those of the units of each block, shuffled. All that a unit has measured stays
/// together.
fn shuffled(subjects: &[Subject], random: &mut ChaCha8Rng) -> Vec<Subject> {
    let mut cells: IndexMap<_, IndexSet<Unit<'_>>> = IndexMap::new();
    for subject in subjects {
        let own = cells.entry(cell(subject)).or_default();
        for group in &subject.groups {
            let units = group.observations.iter();
            own.extend(units.map(|one| (group.variant.as_str(), one.block, one.unit)));
        }
    }
    let labels: IndexMap<_, IndexMap<Unit<'_>, (&str, u32)>> = cells
        .into_iter()
        .map(|(cell, units)| (cell, relabelled(&units, random)))
        .collect();
    let moved = |subject: &Subject| {
        let labels = &labels[&cell(subject)];
        let mut groups: IndexMap<&str, Vec<Observation>> = subject
            .groups
            .iter()
            .map(|group| (group.variant.as_str(), Vec::new()))
            .collect();
        for group in &subject.groups {
            for one in &group.observations {
                let (variant, unit) = labels[&(group.variant.as_str(), one.block, one.unit)];
                groups
                    .entry(variant)
                    .or_default()
                    .push(Observation { unit, ..*one });
            }
        }
        Subject {
            groups: groups
                .into_iter()
                .map(|(variant, observations)| Group {
                    variant: variant.to_owned(),
                    observations,
                })
                .collect(),
            key: subject.key.clone(),
            // A value may stand for any variant here.
            steps: coarsest(subject),
        }
    };
    subjects.iter().map(moved).collect()
}

/// The same for all variants: the widest of those that are declared.
fn coarsest(subject: &Subject) -> Steps {
    let Steps::Declared(declared) = &subject.steps else {
        return subject.steps.clone();
    };
    let runs = subject.groups.iter().flat_map(|group| &group.observations);
    let largest = runs.fold(0.0, |largest: f64, one| largest.max(one.value.abs()));
    let wider = |a: &Grid, b: &Grid| a.step_at(largest).total_cmp(&b.step_at(largest));
    Steps::Known(declared.values().copied().max_by(wider))
}

/// What is executed together: subjects of one workload with the same parameters share their runs.
fn cell(subject: &Subject) -> (&str, Vec<(&String, &String)>) {
    (
        &subject.key.workload,
        subject.key.parameters.iter().collect(),
    )
}

/// For each unit another label, and a number that no other has.
fn relabelled<'s>(
    units: &IndexSet<Unit<'s>>,
    random: &mut ChaCha8Rng,
) -> IndexMap<Unit<'s>, (&'s str, u32)> {
    let mut blocks: IndexMap<u32, Vec<Unit<'s>>> = IndexMap::new();
    for unit in units {
        blocks.entry(unit.1).or_default().push(*unit);
    }
    let mut labels = IndexMap::new();
    for own in blocks.into_values() {
        let mut variants: Vec<&str> = own.iter().map(|(variant, ..)| *variant).collect();
        for place in (1..variants.len()).rev() {
            // Of 64 bits the remainder favours nothing that could be seen.
            let other = random.next_u64() % (place as u64 + 1);
            variants.swap(place, other as usize);
        }
        for (unit, variant) in own.into_iter().zip(variants) {
            let number = u32::try_from(labels.len()).unwrap_or(u32::MAX);
            labels.insert(unit, (variant, number));
        }
    }
    labels
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::subject::SubjectKey;
    use perflab_experiment::{Better, Metric};

    fn subject(benchmark: &str, factor: f64) -> Subject {
        let group = |variant: &str, offset: u32| Group {
            variant: variant.to_owned(),
            observations: (0..12)
                .map(|run| Observation {
                    block: run / 3,
                    unit: run,
                    value: factor * f64::from(run + offset),
                })
                .collect(),
        };
        Subject {
            key: SubjectKey {
                workload: "w".to_owned(),
                parameters: IndexMap::new(),
                benchmark: Some(benchmark.to_owned()),
                metric: Metric {
                    name: "wall".to_owned(),
                    unit: "s".to_owned(),
                    better: Better::Lower,
                },
                observed: false,
            },
            groups: vec![group("old", 100), group("new", 200)],
            steps: Steps::Known(None),
        }
    }

    #[test]
    fn values_of_any_label_have_the_coarsest_steps() {
        let mut subject = subject("a", 1.0);
        // Steps of 1, and of 4 about 200.
        let [even, rates] = [Grid::Even(1.0), Grid::Reciprocal(1e-4)];
        let declared = [("old", even), ("new", rates)].map(|(name, grid)| (name.to_owned(), grid));
        subject.steps = Steps::Declared(declared.into_iter().collect());
        assert_eq!(coarsest(&subject), Steps::Known(Some(rates)));
        subject.steps = Steps::Sought;
        assert_eq!(coarsest(&subject), Steps::Sought);
    }

    #[test]
    fn labels_move_within_blocks_and_what_a_run_measured_stays_together() {
        let subjects = [subject("a", 1.0), subject("b", 1000.0)];
        let mut random = ChaCha8Rng::seed_from_u64(3);
        let shuffled = shuffled(&subjects, &mut random);
        let mut moved = 0;
        for (of_a, of_b) in shuffled[0].groups.iter().zip(&shuffled[1].groups) {
            assert_eq!(of_a.observations.len(), 12);
            for (a, b) in of_a.observations.iter().zip(&of_b.observations) {
                assert_eq!(
                    (a.block, a.unit, 1000.0 * a.value),
                    (b.block, b.unit, b.value)
                );
                moved += u32::from((of_a.variant == "old") != (a.value < 150.0));
            }
            let per_block = |block| {
                of_a.observations
                    .iter()
                    .filter(|one| one.block == block)
                    .count()
            };
            assert_eq!((0..4).map(per_block).collect::<Vec<_>>(), [3; 4]);
        }
        assert!((4..20).contains(&moved), "{moved}");
    }
}
