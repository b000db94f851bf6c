//! Several subjects as one: what holds of all of them together.
//!
//! The run is the replicate, whatever it measures apart: each subject is first brought down
//! to one value per run, and a run's values are then made one. So what subjects have in common
//! within a run counts once, and a subject with a hundred samples per run weighs as much as one
//! with a single sample.
//!
//! Runs are matched within their block: by their unit where subjects were measured by the same
//! executions; where no unit is common to all of them, in the order in which they appear. A run
//! that lacks a subject is left out.
//!
//! - For the typical run a run's value is the geometric mean over subjects, so its effect is the
//!   mean of logarithms.
//! - For the mean it is the arithmetic mean over subjects of the value relative to its side's mean
//!   of that subject, times the geometric mean over subjects of these means. So the ratio of means
//!   is the geometric mean of the subjects' ratios of means, and lies among them; and the variance
//!   of these values is, to first order, that of its logarithm (delta method).

use std::collections::{BTreeMap, HashMap};

use crate::blocked_mean::block_weights;
use crate::error::Error;
use crate::observation::{Observation, Strata, units};
use crate::summary::{mean, median};

/// A side's runs, each with one value per subject.
struct Runs {
    /// Block and unit of each run; the unit is that of the first subject.
    places: Vec<(u32, u32)>,
    /// For each subject the median of each run.
    medians: Vec<Vec<f64>>,
    /// For each subject the mean of each run.
    means: Vec<Vec<f64>>,
}

/// One value for each run that has all subjects: the geometric mean of the subjects' medians.
///
/// `subjects` holds the values of one variant, subject by subject; all should be positive.
///
/// # Errors
/// A value that is not finite.
pub fn typical_runs(subjects: &[&[Observation]]) -> Result<Vec<Observation>, Error> {
    let runs = Runs::of(subjects)?;
    let values = (0..runs.places.len()).map(|run| {
        let logs: f64 = runs.medians.iter().map(|own| own[run].ln()).sum();
        (logs / runs.medians.len() as f64).exp()
    });
    Ok(runs.observed(values))
}

/// Both sides for the mean; nothing where no block has runs of both.
pub(crate) fn average_runs(
    base: &[&[Observation]],
    candidate: &[&[Observation]],
) -> Result<Option<Strata>, Error> {
    let sides = [Runs::of(base)?, Runs::of(candidate)?];
    let blocks =
        |runs: &Runs| -> Vec<u32> { runs.places.iter().map(|(block, _)| *block).collect() };
    let Some(weights) = block_weights(&blocks(&sides[0]), &blocks(&sides[1])) else {
        return Ok(None);
    };
    let [base, candidate] = sides.map(|runs| {
        let centres: Vec<f64> = runs
            .means
            .iter()
            .map(|own| runs.centre(own, &weights))
            .collect();
        let logs: f64 = centres.iter().map(|centre| centre.ln()).sum();
        let subjects = centres.len() as f64;
        let level = (logs / subjects).exp();
        let values = (0..runs.places.len()).map(|run| {
            let own = runs.means.iter().zip(&centres);
            level * own.map(|(own, centre)| own[run] / centre).sum::<f64>() / subjects
        });
        runs.observed(values)
    });
    Strata::of(&base, &candidate, mean).map(Some)
}

impl Runs {
    fn of(subjects: &[&[Observation]]) -> Result<Self, Error> {
        let of_each = |centre| -> Result<Vec<Vec<Observation>>, Error> {
            subjects.iter().map(|own| units(own, centre)).collect()
        };
        let (medians, means) = (of_each(median)?, of_each(mean)?);
        let matched = matched(&medians);
        let chosen = |all: &[Vec<Observation>]| -> Vec<Vec<f64>> {
            all.iter()
                .zip(&matched)
                .map(|(own, places)| places.iter().map(|place| own[*place].value).collect())
                .collect()
        };
        let first = medians.first().zip(matched.first());
        Ok(Self {
            places: first.map_or_else(Vec::new, |(own, places)| {
                places
                    .iter()
                    .map(|place| (own[*place].block, own[*place].unit))
                    .collect()
            }),
            medians: chosen(&medians),
            means: chosen(&means),
        })
    }

    fn observed(&self, values: impl Iterator<Item = f64>) -> Vec<Observation> {
        let places = self.places.iter();
        places
            .zip(values)
            .map(|(&(block, unit), value)| Observation { block, unit, value })
            .collect()
    }

    /// The mean of one subject's values, blocks weighted as in the comparison of means.
    fn centre(&self, values: &[f64], weights: &HashMap<u32, f64>) -> f64 {
        let mut blocks: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
        for ((block, _), value) in self.places.iter().zip(values) {
            let (sum, runs) = blocks.entry(*block).or_default();
            *sum += value;
            *runs += 1.0;
        }
        let weighted = |(block, (sum, runs)): (u32, (f64, f64))| {
            weights.get(&block).map(|weight| weight * sum / runs)
        };
        blocks.into_iter().filter_map(weighted).sum()
    }
}

/// For each subject the places of the runs that belong together, run by run.
fn matched(subjects: &[Vec<Observation>]) -> Vec<Vec<usize>> {
    let blocks: Vec<BTreeMap<u32, Vec<usize>>> = subjects
        .iter()
        .map(|runs| {
            let mut blocks: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
            for (place, run) in runs.iter().enumerate() {
                blocks.entry(run.block).or_default().push(place);
            }
            blocks
        })
        .collect();
    let mut matched = vec![Vec::new(); subjects.len()];
    for block in blocks.first().into_iter().flat_map(BTreeMap::keys) {
        let own: Option<Vec<&Vec<usize>>> = blocks.iter().map(|of| of.get(block)).collect();
        let Some(own) = own else {
            continue;
        };
        for run in by_unit(subjects, &own).unwrap_or_else(|| in_order(&own)) {
            for (places, place) in matched.iter_mut().zip(run) {
                places.push(place);
            }
        }
    }
    matched
}

/// The runs of a block whose unit all subjects have; nothing where there is none.
fn by_unit(subjects: &[Vec<Observation>], own: &[&Vec<usize>]) -> Option<Vec<Vec<usize>>> {
    let unit = |subject: usize, place: usize| subjects[subject][place].unit;
    let known: Vec<HashMap<u32, usize>> = own
        .iter()
        .enumerate()
        .map(|(subject, places)| places.iter().map(|&p| (unit(subject, p), p)).collect())
        .collect();
    let first = own.first()?.iter().map(|&place| unit(0, place));
    let runs: Vec<Vec<usize>> = first
        .filter_map(|unit| {
            known
                .iter()
                .map(|places| places.get(&unit).copied())
                .collect()
        })
        .collect();
    (!runs.is_empty()).then_some(runs)
}

fn in_order(own: &[&Vec<usize>]) -> Vec<Vec<usize>> {
    let complete = own.iter().map(|places| places.len()).min().unwrap_or(0);
    (0..complete)
        .map(|run| own.iter().map(|places| places[run]).collect())
        .collect()
}
