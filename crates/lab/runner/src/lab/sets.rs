//! In which sets the runs that are left are executed.

use perflab_experiment::PlannedRun;

use super::Lab;
use super::ledger::Ledger;

impl Lab<'_> {
    /// Whether all blocks before this run's are finished, and its own is not begun.
    pub(super) fn begins_block(&self, run: &PlannedRun) -> bool {
        // Runs are numbered from 1, in order.
        let before = (run.run as usize).checked_sub(2);
        before
            .and_then(|place| self.plan.runs.get(place))
            .is_some_and(|before| before.block < run.block)
    }

    /// The runs that are left, in sets that are executed by turns: with `slices` those of a block that are compared
    /// with each other, else each alone.
    pub(super) fn sets(&self, ledger: &Ledger<'_>) -> Vec<Vec<PlannedRun>> {
        let is_left = |run: &&PlannedRun| !ledger.recorded.contains(&run.run);
        let cell = |run: &PlannedRun| self.plan.cells.get(run.cell);
        let mut sets: Vec<Vec<PlannedRun>> = Vec::new();
        for run in self.plan.runs.iter().filter(is_left) {
            let belongs = |set: &&mut Vec<PlannedRun>| {
                let comparable = |first: &PlannedRun| {
                    let cells = cell(first).zip(cell(run));
                    first.block == run.block && cells.is_some_and(|(a, b)| a.is_comparable(b))
                };
                self.experiment.design.least_slices().is_some()
                    && set.first().is_some_and(comparable)
            };
            match sets.last_mut().filter(belongs) {
                Some(set) => set.push(*run),
                None => sets.push(vec![*run]),
            }
        }
        sets
    }
}
