//! Which runs of a plan are recorded, and which cells are beyond hope.

use std::collections::{BTreeMap, BTreeSet};

use perflab_store::RunRecord;

use super::error::LabError;

/// Failed runs of a cell in a row, none having passed before, after which the experiment stops:
/// the rest would fail too. Observed runs are counted apart, for they have reasons of their own to
/// fail, and the order of the two kinds is random.
const HOPELESS: u32 = 3;

/// Which runs there are, and how often each cell failed.
pub(super) struct Ledger {
    pub(super) recorded: BTreeSet<u32>,
    failures: BTreeMap<Kind, Option<u32>>,
}

/// A cell, and whether its run is observed.
type Kind = (String, bool);

fn kind(record: &RunRecord) -> Kind {
    (record.cell.clone(), !record.observers.is_empty())
}

impl Ledger {
    pub(super) fn new(done: &[RunRecord]) -> Self {
        let mut ledger = Self {
            recorded: done.iter().map(|record| record.run).collect(),
            failures: BTreeMap::new(),
        };
        for record in done.iter().filter(|record| record.status.passed()) {
            ledger.failures.insert(kind(record), None);
        }
        ledger
    }

    /// Notes a record; an error when its cell is beyond hope.
    pub(super) fn add(&mut self, record: &RunRecord) -> Option<LabError> {
        // `None` once a run of the cell has passed.
        let failures = self.failures.entry(kind(record)).or_insert(Some(0));
        if record.status.passed() {
            *failures = None;
        }
        let count = failures.as_mut()?;
        *count += 1;
        (*count >= HOPELESS).then(|| LabError::Hopeless {
            cell: record.cell.clone(),
            observers: record.observers.join(", "),
            times: *count,
            status: record.status.name(),
            detail: record.detail.clone().unwrap_or_default(),
        })
    }
}
