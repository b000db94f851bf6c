//! What a campaign says of each revision: its difference from the control, by subject.

use std::collections::HashMap;

use indexmap::IndexMap;
use perflab_compare::{ResultInput, SampleSelection, Selection, SubjectKey, compare_result};
use perflab_experiment::Metric;
use perflab_store::OpenedResult;
use serde::{Deserialize, Serialize};

use crate::campaign::CampaignFacts;
use crate::revision::Revision;
use crate::series::Value;

/// What a campaign says on one subject.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SubjectPoints {
    /// The campaign.
    pub campaign: u32,
    /// What was measured.
    pub subject: SubjectKey,
    /// What it says of each revision.
    pub points: Vec<Point>,
}

/// What a campaign says of a revision on one subject.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// The revision.
    pub revision: String,
    /// Difference from the control in the typical run: relative (0.02 is 2 % more), or in the metric's unit.
    pub difference: f64,
    /// Whether it is relative.
    pub relative: bool,
    /// Lower end of its interval, for this revision alone; absent where there is none.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// The median of the control's runs, in the metric's unit.
    pub control: f64,
    /// Whether all of them measured the same.
    #[serde(default)]
    pub is_control_steady: bool,
    /// Runs of the revision.
    pub runs: usize,
}

impl Point {
    /// The same as the value of the revision at a place, by a campaign, with a relative difference or one in the metric's unit. A
    /// difference that is in the metric's unit stays so.
    pub(crate) fn value(&self, place: usize, campaign: u32, relative: bool) -> Value {
        let unit = match self.relative && !relative {
            true => self.control.abs(),
            false => 1.0,
        };
        Value {
            place,
            difference: self.difference * unit,
            low: self.low.map(|low| low * unit),
            high: self.high.map(|high| high * unit),
            runs: self.runs,
            campaign: Some(campaign),
            steady_control: self.is_control_steady.then_some(self.control),
        }
    }
}

/// All that a campaign says, on all its metrics. Nothing where no run of two revisions passed.
pub fn points(facts: &CampaignFacts, result: &OpenedResult) -> Vec<SubjectPoints> {
    let Ok(input) = ResultInput::of(result) else {
        return Vec::new();
    };
    let selection = Selection::of(input.experiment, input.origin);
    let mut names: Vec<String> = Vec::new();
    let samples = result.records.iter().flat_map(|record| &record.samples);
    for name in samples.map(|sample| &sample.metric.name) {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    let all = SampleSelection {
        metrics: names,
        ..SampleSelection::default()
    };
    let Ok(report) = compare_result(&input, &all, &selection) else {
        return Vec::new();
    };
    let revisions: HashMap<String, &Revision> = facts
        .measured()
        .map(|revision| (revision.name(), revision))
        .collect();
    let mut by_subject: Vec<SubjectPoints> = Vec::new();
    // An observed run says nothing of the revision alone.
    for row in report.rows.iter().filter(|row| !row.key.observed) {
        let Some(revision) = revisions.get(&row.variant) else {
            continue;
        };
        let point = Point {
            revision: revision.id.clone(),
            difference: row.typical.difference,
            relative: row.relative,
            low: row.typical.low,
            high: row.typical.high,
            control: row.base.median,
            is_control_steady: row.base.min == row.base.max,
            runs: row.candidate.n,
        };
        let mut known = by_subject.iter_mut();
        match known.find(|known| known.subject == row.key) {
            Some(known) => known.points.push(point),
            None => by_subject.push(SubjectPoints {
                campaign: facts.campaign,
                subject: row.key.clone(),
                points: vec![point],
            }),
        }
    }
    by_subject
}

/// A name of a subject for people: what tells it from the others.
pub fn subject_name(subject: &SubjectKey) -> String {
    let Metric { name, unit, .. } = &subject.metric;
    let mut parts = vec![workload_name(&subject.workload, &subject.parameters)];
    parts.extend(subject.benchmark.clone());
    let unit = match unit.is_empty() {
        true => String::new(),
        false => format!(" [{unit}]"),
    };
    format!("{} {name}{unit}", parts.join(" "))
}

/// A workload with its parameters, for people.
pub(crate) fn workload_name(workload: &str, parameters: &IndexMap<String, String>) -> String {
    let values = parameters.iter();
    let values = values.map(|(name, value)| format!(" {name}={value}"));
    std::iter::once(workload.to_owned()).chain(values).collect()
}
