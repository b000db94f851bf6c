//! Who hears of what the laboratory does.

use perflab_experiment::{Cell, PlannedRun};
use perflab_store::RunRecord;

use crate::standstill::Standstill;

/// Hears of what happens; must be quick, and silent between `started` and `finished`.
pub trait Reporter {
    /// A run begins.
    fn started(&mut self, run: &PlannedRun, cell: &Cell);
    /// It is thrown away, and begins again.
    fn repeated(&mut self, run: &PlannedRun, cell: &Cell, why: Standstill);
    /// A run has been recorded.
    fn finished(&mut self, record: &RunRecord);
}
