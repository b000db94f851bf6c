//! Which runs of a plan are recorded, and which cells are beyond hope.

use std::collections::{BTreeMap, BTreeSet};

use perflab_experiment::Cell;
use perflab_store::RunRecord;

use super::error::LabError;

/// Failed runs of a cell in a row, none having passed before, after which it is beyond hope: the rest would fail too.
/// Observed runs are counted apart, for they have reasons of their own to fail, and the order of the two kinds is random.
const HOPELESS: u32 = 3;

/// The variants without which the rest of an experiment is not worth its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needed<'n> {
    /// All of them: it ends when a cell is beyond hope.
    All,
    /// Each of these names: it ends when all cells of one are.
    Each(&'n [String]),
    /// None of them: whether they fail is what is asked.
    None,
}

/// Which runs there are, and how often each cell failed.
pub(super) struct Ledger<'l> {
    pub(super) recorded: BTreeSet<u32>,
    failures: BTreeMap<Kind, Option<u32>>,
    needed: Needed<'l>,
    cells: &'l [Cell],
}

/// A cell, and whether its run is observed.
type Kind = (String, bool);

fn kind(record: &RunRecord) -> Kind {
    (record.cell.clone(), !record.observers.is_empty())
}

impl<'l> Ledger<'l> {
    /// Of an experiment with these cells.
    pub(super) fn new(done: &[RunRecord], needed: Needed<'l>, cells: &'l [Cell]) -> Self {
        let mut ledger = Self {
            recorded: done.iter().map(|record| record.run).collect(),
            failures: BTreeMap::new(),
            needed,
            cells,
        };
        for record in done.iter().filter(|record| record.status.passed()) {
            ledger.failures.insert(kind(record), None);
        }
        ledger
    }

    /// Notes a record; an error when the experiment has to end, as its cell is beyond hope.
    pub(super) fn add(&mut self, record: &RunRecord) -> Option<LabError> {
        // `None` once a run of the cell has passed.
        let failures = self.failures.entry(kind(record)).or_insert(Some(0));
        if record.status.passed() {
            *failures = None;
        }
        let count = failures.as_mut()?;
        *count += 1;
        let times = *count;
        (times >= HOPELESS && self.is_end()).then(|| LabError::Hopeless {
            cell: record.cell.clone(),
            observers: record.observers.join(", "),
            times,
            status: record.status.name(),
            detail: record.detail.clone().unwrap_or_default(),
        })
    }

    /// Whether nothing can come of the rest, now that some cell is beyond hope.
    fn is_end(&self) -> bool {
        let is_hopeless = |cell: &Cell| {
            let failures = self.failures.get(&(cell.id.clone(), false));
            failures.is_some_and(|failures| failures.is_some_and(|count| count >= HOPELESS))
        };
        match self.needed {
            Needed::All => true,
            Needed::None => false,
            Needed::Each(names) => names.iter().any(|name| {
                let mut own = self.cells.iter().filter(|cell| cell.variant == *name);
                own.all(is_hopeless)
            }),
        }
    }
}
