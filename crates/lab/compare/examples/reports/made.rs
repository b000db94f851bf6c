//! One simulated report, and what is false or found in it.

use std::iter::Sum;

use indexmap::IndexMap;
use perflab_compare::{
    AnalysisError, Answer, Comparison, Design, Group, Questions, Row, Selection, Steps, Subject,
    SubjectKey, Verdict, analyse,
};
use perflab_experiment::{Better, Metric};
use perflab_stats::{Error, Observation};

use crate::case::{Case, Noise, Promise, SLOWER};
use crate::simulated::Random;
use crate::steps::InSteps;

/// What reports say, against what is true.
#[derive(Default)]
pub struct Found {
    /// Reports with a false verdict on the candidate.
    pub is_false: u64,
    /// Reports with any verdict on the control.
    pub control: u64,
    /// Reports that prove the difference of the first subject, or the one that the same runs without a difference
    /// state as their minimum detectable effect.
    pub shown: u64,
    /// Reports of which power is asked: all, or those that state a minimum detectable effect.
    pub able: u64,
    /// Intervals of the typical run.
    pub intervals: u64,
    /// Those that do not hold the true difference.
    pub missed: u64,
    /// Intervals of the mean, where the noise has a mean.
    pub mean_intervals: u64,
    /// Those that do not hold the true difference, although the report does not warn of it.
    pub mean_missed: u64,
    /// Those that do not hold it, of which the report warns.
    pub warned: u64,
}

impl Sum for Found {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, one| Self {
            is_false: sum.is_false + one.is_false,
            control: sum.control + one.control,
            shown: sum.shown + one.shown,
            able: sum.able + one.able,
            intervals: sum.intervals + one.intervals,
            missed: sum.missed + one.missed,
            mean_intervals: sum.mean_intervals + one.mean_intervals,
            mean_missed: sum.mean_missed + one.mean_missed,
            warned: sum.warned + one.warned,
        })
    }
}

/// The relative standard deviation of samples within a run.
const WITHIN: f64 = 0.002;

pub fn found(case: &Case, random: &mut Random) -> Found {
    let report = report(case, random);
    let mut found = Found::default();
    if let Promise::Detectable(..) = case.promise {
        if let Some(smallest) = report.rows[0].mde {
            found.able = 1;
            found.shown = u64::from(shows(smallest, case, random));
        }
    } else {
        found.able = 1;
    }
    let variants = if case.control { 2 } else { 1 };
    for (index, row) in report.rows.iter().enumerate() {
        if row.variant == "control" {
            found.control |= u64::from(is_false(row, case, 1.0, true));
            continue;
        }
        let factor = case.subjects[index / variants].factor;
        found.is_false |= u64::from(is_false(row, case, factor, false));
        let verdict = match (case.promise, &row.slow) {
            (Promise::SlowRuns(_), slow) => slow.as_ref().map(|slow| slow.verdict),
            _ => Some(row.typical.verdict),
        };
        found.shown |= u64::from(index == 0 && verdict == Some(Verdict::Worse));
        found.intervals += 1;
        found.missed += u64::from(!covers(&row.typical, factor));
        if matches!(case.noise, Noise::Normal | Noise::SlowMode | Noise::Levels) {
            let covered = covers(&row.mean, factor * of_means(case));
            found.mean_intervals += 1;
            found.mean_missed += u64::from(!covered && row.slow.is_none());
            found.warned += u64::from(!covered && row.slow.is_some());
        }
    }
    let logs: f64 = case.subjects.iter().map(|of| of.factor.ln()).sum();
    let factor = (logs / case.subjects.len() as f64).exp();
    for row in &report.pooled {
        match row.variant == "control" {
            true => found.control |= u64::from(is_false(row, case, 1.0, true)),
            false => found.is_false |= u64::from(is_false(row, case, factor, false)),
        }
    }
    found
}

/// Whether as many runs again, with this difference between the sides, prove it.
fn shows(difference: f64, case: &Case, random: &mut Random) -> bool {
    let mut case = case.clone();
    case.subjects[0].factor += difference;
    report(&case, random).rows[0].typical.verdict == Verdict::Worse
}

/// What arithmetic may lose: an interval of no width holds the true ratio up to this.
const ROUNDING: f64 = 1e-12;

/// Whether an interval holds the true ratio; without an end it does on that side.
fn covers(answer: &Answer, factor: f64) -> bool {
    let difference = factor - 1.0;
    answer.low.is_none_or(|low| low <= difference + ROUNDING)
        && answer.high.is_none_or(|high| difference - ROUNDING <= high)
}

/// How the shares of slow runs alone change the mean.
fn of_means(case: &Case) -> f64 {
    match case.noise {
        Noise::SlowMode => (1.0 + SLOWER * case.slow[1]) / (1.0 + SLOWER * case.slow[0]),
        _ => 1.0,
    }
}

/// Whether a row has a false verdict: on the typical run (the main mode), the mean or the share of slow runs.
fn is_false(row: &Row, case: &Case, factor: f64, is_control: bool) -> bool {
    let says = |verdict: Verdict, factor: f64| match verdict {
        Verdict::Worse => factor <= 1.0,
        Verdict::Better => factor >= 1.0,
        Verdict::Same => factor >= (1.0 + case.margin.unwrap_or(0.0)) * (1.0 - 1e-12),
        Verdict::Differs | Verdict::NotProven => false,
    };
    let (of_means, of_shares) = match is_control {
        true => (1.0, 1.0),
        false => (of_means(case), (1.0 + case.slow[1]) / (1.0 + case.slow[0])),
    };
    // Skewed runs have the same mean as the others, and another median.
    case.noise != Noise::Skewed && says(row.typical.verdict, factor)
        || says(row.mean.verdict, factor * of_means)
        || row
            .slow
            .as_ref()
            .is_some_and(|slow| says(slow.verdict, of_shares))
}

/// A report of simulated runs. Where no block has runs of both sides, there is nothing to report, and others are drawn.
fn report(case: &Case, random: &mut Random) -> Comparison {
    let selection = Selection {
        baseline: Some("old".to_owned()),
        control: case.control.then(|| "control".to_owned()),
        margin: case.margin,
        confidence: 0.95,
        questions: Questions::default(),
        anytime: false,
        in_turns: case.in_turns.is_some(),
    };
    loop {
        let design = Design {
            blocks: case.blocks as u32,
            planned: 0,
            recorded: 0,
            failed: IndexMap::new(),
            seed: None,
            randomised: false,
            until_decided: None,
            undecided: Vec::new(),
            ..Design::default()
        };
        match analyse(
            "simulated",
            None,
            &subjects(case, random),
            design,
            &selection,
        ) {
            Err(AnalysisError::Statistics {
                source: Error::NoPairs { .. },
                ..
            }) => {}
            made => return made.expect("there is something to compare"),
        }
    }
}

fn subjects(case: &Case, random: &mut Random) -> Vec<Subject> {
    let variants: &[&str] = if case.control {
        &["old", "new", "control"]
    } else {
        &["old", "new"]
    };
    let mut subjects: Vec<Subject> = (0..case.subjects.len())
        .map(|index| Subject {
            key: SubjectKey {
                workload: "w".to_owned(),
                parameters: IndexMap::new(),
                benchmark: Some(format!("benchmark{index}")),
                metric: Metric {
                    name: "wall".to_owned(),
                    unit: match case.steps {
                        Some(steps) if steps.reciprocal => "1/s".to_owned(),
                        _ => "s".to_owned(),
                    },
                    better: Better::Lower,
                },
                observed: false,
            },
            steps: Steps::Known(None),
            groups: Vec::new(),
        })
        .collect();
    let phase = case.steps.map_or(1.0, |steps| steps.level(random));
    let level = |random: &mut Random| match case.in_turns {
        Some(apart) => (apart * random.normal()).exp(),
        None => phase * case.noise.level(random),
    };
    let levels: Vec<f64> = (0..case.blocks).map(|_| level(random)).collect();
    for variant in variants {
        let observed = observed(case, *variant == "new", &levels, random);
        for (subject, observations) in subjects.iter_mut().zip(observed) {
            subject.groups.push(Group {
                variant: (*variant).to_owned(),
                observations,
            });
        }
    }
    for subject in &mut subjects {
        subject.steps = case.steps.map_or(Steps::Known(None), InSteps::known);
    }
    subjects
}

/// What the runs of a variant measured of each subject.
fn observed(
    case: &Case,
    is_candidate: bool,
    levels: &[f64],
    random: &mut Random,
) -> Vec<Vec<Observation>> {
    let side = usize::from(is_candidate);
    let mut observations = vec![Vec::new(); case.subjects.len()];
    let mut unit = 0;
    for (block, level) in (0_u32..).zip(levels) {
        for _ in 0..case.runs[side] {
            if case.noise.is_missing(random) {
                continue;
            }
            unit += 1;
            // What a run's subjects have in common.
            let common = level * case.noise.draw(case.sd[side], case.slow[side], random);
            for (index, (of, own)) in case.subjects.iter().zip(&mut observations).enumerate() {
                let common = match case.apart && index > 0 {
                    true => level * case.noise.draw(case.sd[side], case.slow[side], random),
                    false => common,
                };
                let factor = if is_candidate { of.factor } else { 1.0 };
                for _ in 0..of.samples {
                    let within = match of.samples {
                        1 => 1.0,
                        _ => 1.0 + WITHIN * random.normal(),
                    };
                    let value = 100.0 * factor * common * within;
                    let value = match case.steps {
                        Some(steps) => steps.shown(value, is_candidate),
                        None => shown(value, case.noise),
                    };
                    own.push(Observation { block, unit, value });
                }
            }
        }
    }
    observations
}

/// As the clock shows it.
fn shown(value: f64, noise: Noise) -> f64 {
    match noise {
        Noise::Steps => value.round(),
        _ => value,
    }
}
