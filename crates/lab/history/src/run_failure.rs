//! Runs that fail: why a revision has no value.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;

use indexmap::{IndexMap, IndexSet};
use perflab_experiment::Status;
use perflab_store::{OpenedResult, RunRecord};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::campaign::CampaignFacts;
use crate::points::workload_name;
use crate::summary::Summary;

/// A workload of which no run of a revision passed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunFailure {
    /// The campaign.
    pub campaign: u32,
    /// The workload with its parameters.
    pub workload: String,
    /// Its first run.
    pub run: u32,
    /// How that ended.
    pub status: Status,
    /// What went wrong with it, in a line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

impl RunFailure {
    /// As the first run of its workload in a campaign shows it.
    fn of(facts: &CampaignFacts, record: &RunRecord) -> Self {
        Self {
            campaign: facts.campaign,
            workload: workload_name(&record.workload, &record.parameters),
            run: record.run,
            status: record.status,
            detail: record.detail.clone(),
        }
    }
}

/// Why a revision has no value, though a campaign was to measure it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Unmeasured {
    /// No run of it passed.
    Failed,
    /// Runs of it passed, but in no campaign in which one of the control did.
    ControlFailed,
    /// No run of it was made.
    NoRun,
}

/// A workload of which revisions have no value, as no run of the control passed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ControlFailure {
    /// How the control failed in the last such campaign.
    pub failure: RunFailure,
    /// The ids of the revisions. Those without a value of any workload are not among them.
    pub revisions: Vec<String>,
}

/// The failures in a campaign in the order of the workloads, each with the name of the revision.
pub(crate) fn failures<'r>(
    facts: &CampaignFacts,
    result: &'r OpenedResult,
) -> Vec<(&'r str, RunFailure)> {
    let mut by_cell: HashMap<&str, Vec<&RunRecord>> = HashMap::new();
    // An observed run may fail for reasons of its own.
    for record in result.records.iter().filter(|record| !record.is_observed()) {
        by_cell.entry(&record.cell).or_default().push(record);
    }
    let failed = result.plan.cells.iter().filter_map(|cell| {
        let own = by_cell.get(cell.id.as_str())?;
        let has_passed = own.iter().any(|record| record.status.passed());
        let first = own.first().filter(|_| !has_passed)?;
        Some((cell.variant.as_str(), RunFailure::of(facts, first)))
    });
    failed.collect()
}

impl fmt::Display for RunFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.workload, self.status.name())?;
        match &self.detail {
            Some(detail) => write!(f, ", {detail}"),
            None => Ok(()),
        }
    }
}

/// The failures of each revision in the last campaign that ran it, by its id.
pub(crate) fn last_failures(
    campaigns: &[CampaignFacts],
    summaries: &[Option<Summary>],
) -> HashMap<String, RunFailure> {
    let mut last = HashMap::new();
    for (facts, summary) in campaigns.iter().zip(summaries) {
        for revision in facts.measured() {
            let name = revision.name();
            if let Some(summary) = summary.as_ref().filter(|summary| summary.has_run(&name)) {
                last.insert(&revision.id, summary.failure(&name));
            }
        }
    }
    let failed = last.into_iter();
    let failed = failed.filter_map(|(id, failure)| Some((id.clone(), failure?.clone())));
    failed.collect()
}

/// The revisions without a value, of those that campaigns were to measure, by their ids.
pub(crate) fn unmeasured(
    campaigns: &[CampaignFacts],
    summaries: &[Option<Summary>],
) -> BTreeMap<String, Unmeasured> {
    let mut best: HashMap<&String, Option<Unmeasured>> = HashMap::new();
    for (facts, summary) in campaigns.iter().zip(summaries) {
        let Some(summary) = summary else {
            continue;
        };
        let has_control = summary.has_passed(&facts.control.name());
        for revision in facts.measured() {
            let name = revision.name();
            let why = match (summary.has_run(&name), summary.has_passed(&name)) {
                (false, _) => Some(Unmeasured::NoRun),
                (true, false) => Some(Unmeasured::Failed),
                (true, true) => (!has_control).then_some(Unmeasured::ControlFailed),
            };
            let known = best.entry(&revision.id).or_insert(why);
            // A value counts for more than a run that failed, and this for more than none.
            if known.is_some() && why != Some(Unmeasured::NoRun) {
                *known = why;
            }
        }
    }
    let without = best.into_iter();
    without
        .filter_map(|(id, why)| Some((id.clone(), why?)))
        .collect()
}

/// The workloads of which revisions have no value, as the control failed. `without_any`: the revisions without any
/// value.
pub(crate) fn control_failures(
    campaigns: &[CampaignFacts],
    summaries: &[Option<Summary>],
    without_any: &BTreeMap<String, Unmeasured>,
) -> Vec<ControlFailure> {
    let control = campaigns.last().map(|facts| &facts.control.id);
    let mut found: IndexMap<&str, (&RunFailure, IndexSet<&str>)> = IndexMap::new();
    let mut with_value: HashSet<(String, &str)> = HashSet::new();
    for (facts, summary) in campaigns.iter().zip(summaries) {
        let is_current = Some(&facts.control.id) == control;
        let Some(summary) = summary.as_ref().filter(|_| is_current) else {
            continue;
        };
        for of in &summary.points {
            let workload = workload_name(&of.subject.workload, &of.subject.parameters);
            let points = of.points.iter();
            with_value.extend(points.map(|point| (workload.clone(), point.revision.as_str())));
        }
        for failure in summary.failures(&facts.control.name()) {
            let entry = found.entry(&failure.workload);
            let (last, revisions) = entry.or_insert((failure, IndexSet::new()));
            *last = failure;
            let others = facts.beside_control();
            let others = others.filter(|revision| summary.has_run(&revision.name()));
            revisions.extend(others.map(|revision| revision.id.as_str()));
        }
    }
    let found = found
        .into_iter()
        .filter_map(|(workload, (failure, revisions))| {
            let lacks = |id: &&str| {
                !without_any.contains_key(*id) && !with_value.contains(&(workload.to_owned(), *id))
            };
            let revisions: Vec<String> = revisions
                .into_iter()
                .filter(lacks)
                .map(str::to_owned)
                .collect();
            (!revisions.is_empty()).then(|| ControlFailure {
                failure: failure.clone(),
                revisions,
            })
        });
    found.collect()
}
