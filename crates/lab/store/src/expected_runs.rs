//! The runs that other files of a result tell of: lines that are missing at the end of `runs.jsonl` break no chain.

use std::collections::BTreeMap;
use std::path::Path;

use perflab_experiment::{Plan, PlannedRun};

use crate::error::LineProblem;
use crate::meta::Meta;
use crate::raw_output;
use crate::stopped::Stopped;

/// Runs that must be recorded, each with what tells of it.
#[derive(Debug, Default)]
pub(crate) struct ExpectedRuns(BTreeMap<u32, Reason>);

#[derive(Debug, Clone, Copy)]
enum Reason {
    /// Its output has its final name, which it gets once the record is on the disk.
    Output,
    /// All of an import is written before it gets its name.
    Imported,
    /// It is in a block that was finished when the experiment ended.
    Finished(u32),
}

impl ExpectedRuns {
    /// To be gathered before the records are read, so that a laboratory that adds to them meanwhile does no harm.
    /// Results that were begun before lines were chained keep no such promises.
    pub(crate) fn gather(directory: &Path, meta: &Meta, plan: Option<&Plan>) -> Self {
        if !meta.chained {
            return Self::default();
        }
        let planned: &[PlannedRun] = plan.map_or(&[], |plan| &plan.runs);
        let mut expected = BTreeMap::new();
        if meta.origin.imported.is_some() {
            expected.extend(planned.iter().map(|run| (run.run, Reason::Imported)));
        }
        // A note that cannot be read is reported by those who need what it says.
        if let Ok(Some(stopped)) = Stopped::read(directory) {
            let finished = planned
                .iter()
                .filter(|run| (1..=stopped.blocks).contains(&run.block));
            expected.extend(finished.map(|run| (run.run, Reason::Finished(run.block))));
        }
        let output = raw_output::all_finished(directory);
        // A directory with a number that was never planned is not the laboratory's.
        let is_planned = |run: &u32| plan.is_none_or(|plan| plan.has(*run));
        let output = output.into_iter().filter(is_planned);
        expected.extend(output.map(|run| (run, Reason::Output)));
        Self(expected)
    }

    /// The problem if these runs are all that are recorded. A last line that was cut off is of a run that nothing else
    /// tells of yet: its whole line is on the disk before anything does.
    pub(crate) fn missing(&self, is_recorded: impl Fn(u32) -> bool) -> Option<LineProblem> {
        let (run, reason) = self.0.iter().find(|(run, _)| !is_recorded(**run))?;
        let why = match reason {
            Reason::Output => format!("its output is in runs/{run:06}"),
            Reason::Imported => "the plan of the import has it".to_owned(),
            Reason::Finished(block) => format!("stopped.json counts its block, {block}"),
        };
        Some(LineProblem::Missing { run: *run, why })
    }
}
