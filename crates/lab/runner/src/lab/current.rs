//! The run under way, what it comes to, and the record made of that.

use std::path::PathBuf;
use std::time::Duration;

use indexmap::IndexMap;
use perflab_drivers::Numbers;
use perflab_experiment::{Cell, PlannedRun, Sample, Status, Variant, Workload};
use perflab_machine::Load;
use perflab_store::{RunRecord, Step, StepKind, Usage};
use rand_chacha::ChaCha8Rng;

use crate::host::{Ended, Exit};
use crate::observer::Observer;

/// The run under way.
#[derive(Debug)]
pub(super) struct Current<'r> {
    /// The place whose CPUs it has, from 0, where variants are executed at the same time; they swap between rounds.
    pub(super) place: usize,
    pub(super) planned: &'r PlannedRun,
    pub(super) cell: &'r Cell,
    /// With parameters filled in.
    pub(super) variant: &'r Variant,
    /// With parameters filled in.
    pub(super) workload: &'r Workload,
    /// Where its raw output goes.
    pub(super) logs: PathBuf,
    /// Source of this run's own choices.
    pub(super) random: ChaCha8Rng,
    /// The names of those that look on as the plan wants it.
    pub(super) observed_by: Vec<String>,
    /// What looks on.
    pub(super) observers: Vec<&'r mut dyn Observer>,
    pub(super) outcome: RunOutcome,
}

/// What a run comes to.
#[derive(Debug, Default)]
pub(super) struct RunOutcome {
    pub(super) ended: Option<Ended>,
    /// Whether what ended was the process of a whole set: what it used is not this run's.
    pub(super) is_of_set: bool,
    pub(super) argv: Vec<String>,
    /// The programs that were started, with the hashes of their files.
    pub(super) programs: IndexMap<String, String>,
    pub(super) samples: Vec<Sample>,
    pub(super) evidence: IndexMap<String, f64>,
    pub(super) layout: Option<String>,
    pub(super) settings: IndexMap<String, String>,
    pub(super) padding: u32,
    pub(super) load: Option<(Load, Load)>,
    pub(super) steps: Vec<Step>,
}

impl RunOutcome {
    /// Notes that a step has ended, which took so long.
    pub(super) fn note(&mut self, step: StepKind, took: Duration) {
        let seconds = took.as_secs_f64();
        self.steps.push(Step { step, seconds });
    }

    /// Adds the evidence of a slice to that of the slices before.
    pub(super) fn add_evidence(&mut self, evidence: &Numbers) {
        for (name, number) in evidence {
            *self.evidence.entry(name.clone()).or_default() += number;
        }
    }

    /// The same of a step that goes on with an earlier one of its kind, if it does.
    pub(super) fn note_again(&mut self, step: StepKind, took: Duration, goes_on: bool) {
        let mut earlier = self.steps.iter_mut().rev().filter(|_| goes_on);
        match earlier.find(|earlier| earlier.step == step) {
            Some(earlier) => earlier.seconds += took.as_secs_f64(),
            None => self.note(step, took),
        }
    }
}

/// What is kept of a run.
pub(super) fn record(
    run: Current<'_>,
    host: Option<&str>,
    started: String,
    status: Status,
    detail: Option<String>,
) -> RunRecord {
    let Current {
        planned,
        cell,
        observed_by,
        outcome,
        ..
    } = run;
    let ended = outcome.ended.as_ref();
    let own = ended.filter(|_| !outcome.is_of_set);
    let usage = own.map(|ended| Usage {
        wall_s: ended.wall.as_secs_f64(),
        user_s: ended.usage.user.as_secs_f64(),
        system_s: ended.usage.system.as_secs_f64(),
        max_rss_bytes: ended.usage.max_rss_bytes,
        voluntary_switches: ended.usage.voluntary_switches,
        involuntary_switches: ended.usage.involuntary_switches,
    });
    let (exit_code, signal) = match ended.map(|ended| ended.exit) {
        Some(Exit::Code(code)) => (Some(code), None),
        Some(Exit::Signal(signal)) => (None, Some(signal)),
        None => (None, None),
    };
    RunRecord {
        schema: RunRecord::SCHEMA,
        run: planned.run,
        block: planned.block,
        cell: cell.id.clone(),
        variant: cell.variant.clone(),
        workload: cell.workload.clone(),
        parameters: cell.parameters.clone(),
        unit: planned.unit,
        started,
        status,
        detail,
        source: None,
        host: host.map(str::to_owned),
        observers: observed_by,
        programs: outcome.programs,
        argv: outcome.argv,
        exit_code,
        signal,
        usage,
        steps: outcome.steps,
        environment_padding_bytes: outcome.padding,
        layout: outcome.layout,
        settings: outcome.settings,
        load1: outcome.load.as_ref().and_then(|(before, _)| before.load1),
        steal_share: outcome
            .load
            .as_ref()
            .and_then(|(before, after)| perflab_machine::steal_share(before, after)),
        samples: outcome.samples,
        sample_files: Vec::new(),
        evidence: outcome.evidence,
    }
}
