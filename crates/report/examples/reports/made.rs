//! One simulated report, and what is false or found in it.

use indexmap::IndexMap;
use perflab_experiment::{Better, Metric};
use perflab_report::{
    Answer, Claims, Design, Group, Report, Row, Selection, Subject, Verdict, analyse,
};
use perflab_stats::Observation;

use crate::cases::{Case, Noise};
use crate::simulated::Random;

/// What a report says, against what is true.
pub struct Found {
    /// Some verdict on the candidate is false.
    pub is_false: bool,
    /// Some verdict on the control is.
    pub control: bool,
    /// The difference of the first subject is proven.
    pub shown: bool,
    /// Intervals of the typical run with two ends that hold the true difference.
    pub covered: u64,
    /// Such intervals.
    pub intervals: u64,
}

/// The spread of samples within a run, relative.
const WITHIN: f64 = 0.002;

pub fn found(case: &Case, random: &mut Random) -> Found {
    let report = report(case, random);
    let mut found = Found {
        is_false: false,
        control: false,
        shown: false,
        covered: 0,
        intervals: 0,
    };
    for (index, row) in report.rows.iter().enumerate() {
        if row.variant == "control" {
            found.control |= is_false(row, 1.0, case.margin);
            continue;
        }
        let variants = if case.control { 2 } else { 1 };
        let factor = case.subjects[index / variants].factor;
        found.is_false |= is_false(row, factor, case.margin);
        found.shown |= index == 0 && row.typical.verdict == Verdict::Worse;
        if let (Some(low), Some(high)) = (row.typical.low, row.typical.high) {
            found.intervals += 1;
            found.covered += u64::from(low <= factor - 1.0 && factor - 1.0 <= high);
        }
    }
    let logs: f64 = case.subjects.iter().map(|of| of.factor.ln()).sum();
    let factor = (logs / case.subjects.len() as f64).exp();
    for row in &report.pooled {
        match row.variant == "control" {
            true => found.control |= is_false(row, 1.0, case.margin),
            false => found.is_false |= is_false(row, factor, case.margin),
        }
    }
    found
}

/// Whether a row of times says what is not so, of the typical run or of the mean.
fn is_false(row: &Row, factor: f64, margin: Option<f64>) -> bool {
    let says = |answer: &Answer| match answer.verdict {
        Verdict::Worse => factor <= 1.0,
        Verdict::Better => factor >= 1.0,
        Verdict::Same => factor >= (1.0 + margin.unwrap_or(0.0)) * (1.0 - 1e-12),
        Verdict::NotProven => false,
    };
    says(&row.typical) || says(&row.mean)
}

fn report(case: &Case, random: &mut Random) -> Report {
    let variants: &[&str] = if case.control {
        &["old", "new", "control"]
    } else {
        &["old", "new"]
    };
    let mut subjects: Vec<Subject> = (0..case.subjects.len())
        .map(|index| Subject {
            workload: "w".to_owned(),
            parameters: IndexMap::new(),
            part: Some(format!("part{index}")),
            metric: Metric {
                name: "wall".to_owned(),
                unit: "s".to_owned(),
                better: Better::Lower,
            },
            groups: Vec::new(),
        })
        .collect();
    for (place, variant) in variants.iter().enumerate() {
        let side = usize::from(place == 1);
        let mut observations = vec![Vec::new(); case.subjects.len()];
        let mut unit = 0;
        for block in 0..case.blocks as u32 {
            for _ in 0..case.runs[side] {
                unit += 1;
                // What a run's subjects have in common.
                let common = case.noise.draw(case.spread[side], random);
                for (of, own) in case.subjects.iter().zip(&mut observations) {
                    let factor = if place == 1 { of.factor } else { 1.0 };
                    for _ in 0..of.samples {
                        let within = match of.samples {
                            1 => 1.0,
                            _ => 1.0 + WITHIN * random.normal(),
                        };
                        let value = shown(100.0 * factor * common * within, case.noise);
                        own.push(Observation { block, unit, value });
                    }
                }
            }
        }
        for (subject, observations) in subjects.iter_mut().zip(observations) {
            let variant = (*variant).to_owned();
            subject.groups.push(Group {
                variant,
                observations,
            });
        }
    }
    let selection = Selection {
        baseline: Some("old".to_owned()),
        control: case.control.then(|| "control".to_owned()),
        margin: case.margin,
        confidence: 0.95,
        claims: Claims::default(),
        anytime: false,
    };
    let design = Design {
        blocks: case.blocks as u32,
        planned: 0,
        recorded: 0,
        failed: IndexMap::new(),
        seed: None,
        randomised: false,
        until_decided: None,
    };
    analyse("simulated", None, &subjects, design, &selection)
        .expect("there is something to compare")
}

/// As the clock shows it.
fn shown(value: f64, noise: Noise) -> f64 {
    match noise {
        Noise::Steps => value.round(),
        _ => value,
    }
}
