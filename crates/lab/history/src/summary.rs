//! What a campaign came to. Of one that is complete it is kept in a file, since a result takes long to read.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use perflab_store::{FileStamps, OpenedResult};
use serde::{Deserialize, Serialize};

use crate::campaign::CampaignFacts;
use crate::points::{SubjectPoints, points};
use crate::run_failure::{RunFailure, failures};

/// What a campaign came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Those of the result that was read.
    stamps: FileStamps,
    /// Whether all runs were recorded that were planned.
    pub is_complete: bool,
    /// What became of the runs of each revision, by the names of these.
    tallies: HashMap<String, Tally>,
    /// What it says on each subject.
    pub points: Vec<SubjectPoints>,
}

/// What became of the runs of a revision.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Tally {
    planned: usize,
    recorded: usize,
    passed: usize,
    /// The workloads of which none passed.
    failures: Vec<RunFailure>,
}

impl Summary {
    /// Of a result that was read when its files had these stamps.
    pub(crate) fn of(facts: &CampaignFacts, result: &OpenedResult, stamps: FileStamps) -> Self {
        let mut tallies: HashMap<String, Tally> = HashMap::new();
        for run in &result.plan.runs {
            if let Some(cell) = result.plan.cells.get(run.cell) {
                tallies.entry(cell.variant.clone()).or_default().planned += 1;
            }
        }
        for record in &result.records {
            let tally = tallies.entry(record.variant.clone()).or_default();
            tally.recorded += 1;
            tally.passed += usize::from(record.status.passed());
        }
        for (revision, failure) in failures(facts, result) {
            let tally = tallies.entry(revision.to_owned()).or_default();
            tally.failures.push(failure);
        }
        Self {
            stamps,
            is_complete: result.records.len() >= result.plan.runs.len(),
            tallies,
            points: points(facts, result),
        }
    }

    /// Whether no run of a revision is missing, or it fails in all its runs so far. Of a campaign that was given up there
    /// may be some runs of others.
    pub fn has_measured(&self, revision: &str) -> bool {
        let is_told = |tally: &Tally| tally.recorded >= tally.planned || tally.passed == 0;
        self.run(revision).is_some_and(is_told)
    }

    /// Whether a run of a revision passed.
    pub fn has_passed(&self, revision: &str) -> bool {
        self.run(revision).is_some_and(|tally| tally.passed > 0)
    }

    /// How many runs of a revision failed.
    pub fn failed_runs(&self, revision: &str) -> usize {
        let tally = self.run(revision);
        tally.map_or(0, |tally| tally.recorded - tally.passed)
    }

    /// Whether a run of a revision was recorded.
    pub(crate) fn has_run(&self, revision: &str) -> bool {
        self.run(revision).is_some()
    }

    /// The first workload of which no run of a revision passed.
    pub fn failure(&self, revision: &str) -> Option<&RunFailure> {
        self.failures(revision).first()
    }

    /// The workloads of which no run of a revision passed.
    pub(crate) fn failures(&self, revision: &str) -> &[RunFailure] {
        self.run(revision).map_or(&[], |tally| &tally.failures)
    }

    /// What became of the runs of a revision, where there are any.
    fn run(&self, revision: &str) -> Option<&Tally> {
        let tally = self.tallies.get(revision);
        tally.filter(|tally| tally.recorded > 0)
    }

    /// What was kept in a file of this name; nothing if it is not there, or damaged, or the result has other stamps.
    pub(crate) fn kept(path: &Path, stamps: &FileStamps) -> Option<Self> {
        let summary: Self = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
        (summary.stamps == *stamps).then_some(summary)
    }

    /// What is kept of it.
    pub(crate) fn to_json(&self) -> serde_json::Result<Vec<u8>> {
        serde_json::to_vec(self)
    }
}
