//! What a campaign says of each revision: its difference from the control, by subject.

use perflab_compare::{ResultInput, Row, SampleSelection, Selection, SubjectKey, compare_result};
use perflab_experiment::Metric;
use perflab_store::OpenedResult;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::campaign::CampaignFacts;

/// What a campaign says of a revision on one subject.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Point {
    /// The campaign.
    pub campaign: u32,
    /// The revision.
    pub revision: String,
    /// What was measured.
    pub subject: SubjectKey,
    /// Difference from the control in the typical run: relative (0.02 is 2 % more), or in the metric's unit.
    pub difference: f64,
    /// Whether it is relative.
    pub relative: bool,
    /// Lower end of its interval, for this revision alone; absent where there is none.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// The median of its runs, in the metric's unit.
    pub median: f64,
    /// The median of the control's.
    pub control: f64,
    /// Runs of the revision.
    pub runs: usize,
}

impl Point {
    /// The same with differences in the metric's unit, unless relative ones are wanted.
    pub(crate) fn on_scale(&self, relative: bool) -> Self {
        let mut point = self.clone();
        if point.relative && !relative {
            let level = point.control.abs();
            point.relative = false;
            point.difference *= level;
            point.low = point.low.map(|low| low * level);
            point.high = point.high.map(|high| high * level);
        }
        point
    }
}

/// All that a campaign says, on all its metrics. Nothing where no run of two revisions passed.
pub fn points(facts: &CampaignFacts, result: &OpenedResult) -> Vec<Point> {
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
    let id = |name: &str| {
        let mut revisions = facts.measured();
        revisions
            .find(|revision| revision.name() == name)
            .map(|revision| revision.id.clone())
    };
    let point = |row: &Row| {
        Some(Point {
            campaign: facts.campaign,
            revision: id(&row.variant)?,
            subject: row.key.clone(),
            difference: row.typical.difference,
            relative: row.relative,
            low: row.typical.low,
            high: row.typical.high,
            median: row.candidate.median,
            control: row.base.median,
            runs: row.candidate.n,
        })
    };
    // An observed run says nothing of the revision alone.
    let rows = report.rows.iter().filter(|row| !row.key.observed);
    rows.filter_map(point).collect()
}

/// A name of a subject for people: what tells it from the others.
pub fn subject_name(subject: &SubjectKey) -> String {
    let Metric { name, unit, .. } = &subject.metric;
    let mut parts = vec![subject.workload.clone()];
    parts.extend(
        subject
            .parameters
            .iter()
            .map(|(name, value)| format!("{name}={value}")),
    );
    parts.extend(subject.benchmark.clone());
    let unit = match unit.is_empty() {
        true => String::new(),
        false => format!(" [{unit}]"),
    };
    format!("{} {name}{unit}", parts.join(" "))
}
