//! `perflab run --until-decided`: the rule that ends an experiment by its results.

use std::collections::HashSet;
use std::time::Duration;

use perflab_compare::{
    Comparison, SampleSelection, Selection, is_decided, note_stop, result_report,
};
use perflab_experiment::{Cell, Experiment, Lifetime, Plan};
use perflab_report::ending;
use perflab_store::{Meta, ResultDir, RunRecord, StopReason, Stopped, UntilDecided};

use crate::failure::Failure;
use crate::until::{Budget, LEAST_BLOCKS, Limit, UntilArguments};

/// The rule as it is kept with the result; nothing where the number of runs is fixed.
///
/// # Errors
/// When the flags make no sense, or nothing can be decided. What is resumed has its own number of
/// runs.
pub fn rule(
    arguments: &UntilArguments,
    experiment: &Experiment,
    resumes: bool,
) -> Result<Option<UntilDecided>, Failure> {
    arguments.check_alone()?;
    if !arguments.until_decided {
        return Ok(None);
    }
    arguments.check_gate(experiment.design.margin)?;
    let comparisons = comparisons(experiment, experiment.design.control.as_deref());
    if comparisons == 0 {
        return Err(Failure::usage(
            "--until-decided compares variants with the baseline, found no other variant in any workload that the baseline runs; \
             add a variant, or leave --until-decided out",
        ));
    }
    if !resumes {
        let design = &experiment.design;
        let limit = Limit {
            blocks: design.blocks(),
            block: design.block,
            units: match design.instance_lifetime() {
                Lifetime::Block => 1,
                Lifetime::Run | Lifetime::Experiment => design.block,
            },
            in_file: true,
        };
        UntilArguments::check_blocks(&limit, comparisons, design.confidence)?;
    }
    let budget_ms = arguments
        .budget()?
        .map(|budget| u64::try_from(budget.as_millis()).unwrap_or(u64::MAX));
    Ok(Some(UntilDecided { budget_ms }))
}

/// How many comparisons a report makes at least: more where a run has several metrics or benchmarks.
/// Those with the variant `without` do not count.
pub fn comparisons(experiment: &Experiment, without: Option<&str>) -> usize {
    let baseline = experiment.baseline();
    let cells = experiment.cells();
    comparisons_of(
        cells
            .iter()
            .filter(|cell| Some(cell.variant.as_str()) != without),
        baseline,
    )
}

/// How many of these cells are compared with one of the baseline.
pub fn comparisons_of<'a>(cells: impl Iterator<Item = &'a Cell>, baseline: &str) -> usize {
    let subject = |cell: &Cell| {
        let values: Vec<String> = cell.parameters.values().cloned().collect();
        (cell.workload.clone(), values)
    };
    let (base, others): (Vec<&Cell>, Vec<&Cell>) = cells.partition(|cell| cell.variant == baseline);
    let measured: HashSet<_> = base.into_iter().map(subject).collect();
    let is_compared = |cell: &&&Cell| measured.contains(&subject(cell));
    others.iter().filter(is_compared).count()
}

/// The rule at work.
pub struct Decided<'a> {
    experiment: &'a Experiment,
    plan: &'a Plan,
    selection: Selection,
    budget: Option<Budget>,
    /// Records that earlier sessions have made.
    before: usize,
    reason: Option<StopReason>,
}

impl<'a> Decided<'a> {
    /// The rule that the result was begun with; `before` records are there already.
    pub fn of(meta: &Meta, experiment: &'a Experiment, plan: &'a Plan, before: usize) -> Self {
        let budget = meta
            .origin
            .until_decided
            .map(|rule| Budget::starts(rule.budget_ms.map(Duration::from_millis)));
        Self {
            experiment,
            plan,
            selection: Selection::of(experiment, &meta.origin),
            budget,
            before,
            reason: None,
        }
    }

    /// Whether the experiment is to end, as it stands after whole blocks.
    pub fn is_met(&mut self, records: &[RunRecord]) -> bool {
        let Some(budget) = self.budget else {
            return false;
        };
        let blocks = records.iter().map(|record| record.block).max().unwrap_or(0);
        // As long as nothing can be compared, nothing is decided.
        let decided =
            blocks >= LEAST_BLOCKS && self.report(records).is_ok_and(|report| is_decided(&report));
        // A budget is for one session, and each gets on by a block at least.
        self.reason = budget
            .stops(decided)
            .filter(|_| decided || records.len() > self.before);
        self.reason.is_some()
    }

    /// Notes in the result why the experiment has ended; the report, and a sentence about that.
    ///
    /// # Errors
    /// When it cannot be noted, or there is nothing to compare.
    pub fn conclude(
        &self,
        records: &[RunRecord],
        result: &mut ResultDir,
    ) -> Result<Option<(Comparison, String)>, Failure> {
        if self.budget.is_none() {
            return Ok(None);
        }
        let mut report = self.report(records)?;
        let reason = self.reason.unwrap_or(if is_decided(&report) {
            StopReason::Decided
        } else {
            StopReason::Runs
        });
        let blocks = report.design.until_decided.map_or(0, |until| until.blocks);
        let stopped = Stopped::new(reason, blocks);
        if result.stopped()? != Some(stopped) {
            result.stop(stopped)?;
        }
        note_stop(&mut report, Some(stopped));
        let sentence = ending(&report).unwrap_or_default();
        Ok(Some((report, sentence)))
    }

    fn report(&self, records: &[RunRecord]) -> Result<Comparison, Failure> {
        Ok(result_report(
            self.experiment,
            self.plan,
            records,
            &SampleSelection::default(),
            &self.selection,
        )?)
    }
}
