//! A result directory.

use std::collections::HashMap;
use std::path::Path;

use perflab_compare::{
    Comparison, Questions, SampleSelection, Warning, add_limits, calibrate, compare_result,
};
use perflab_experiment::counted;
use perflab_store::{OpenedResult, RunRecord, read_slices};

use super::arguments::CompareArguments;
use crate::drawn::needs_runs;
use crate::failure::Failure;
use crate::percent::percent;
use crate::progress::counting;
use crate::selection::{Chosen, chosen, input, open};
use crate::terminal;

/// Cells that are named before the rest is counted.
const NAMED: usize = 3;

/// A result and the report on it.
pub(super) struct Compared {
    /// The report.
    pub(super) report: Comparison,
    /// The runs, where plots need them.
    pub(super) records: Vec<RunRecord>,
    /// Cells that the report can say nothing of.
    pub(super) unmeasured: Unmeasured,
}

/// Cells without a run that passed.
#[derive(Default)]
pub(super) struct Unmeasured {
    /// Those whose runs failed.
    failed: Vec<String>,
    /// How many have no run yet.
    without_run: usize,
}

impl Unmeasured {
    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.failed.is_empty() && self.without_run == 0
    }

    /// What to say of them.
    pub(super) fn sentences(&self) -> Vec<String> {
        let named = self.failed.iter().take(NAMED).cloned();
        let named = named.collect::<Vec<_>>().join(", ");
        let failed = match self.failed.len() {
            0 => None,
            count if count <= NAMED => Some(format!("no run of {named} passed")),
            count => Some(format!(
                "no run of {named} and {} passed",
                counted(count - NAMED, "more cell")
            )),
        };
        let without_run = (self.without_run > 0)
            .then(|| format!("no run yet: {}", counted(self.without_run, "cell")));
        failed.into_iter().chain(without_run).collect()
    }
}

/// The report on a result.
pub(super) fn recorded(
    path: &Path,
    arguments: &CompareArguments,
    margin: Option<f64>,
    confidence: Option<f64>,
    questions: Questions,
) -> Result<Compared, Failure> {
    if !path.is_dir() {
        return Err(Failure::usage(format!(
            "{} is no result directory; for plain files write LABEL=FILE for each, as in old=a.txt new=b.txt",
            path.display()
        )));
    }
    let opened = open(path)?;
    let result = input(&opened)?;
    let selection = chosen(
        &result,
        Chosen {
            baseline: arguments.baseline.as_deref(),
            margin,
            confidence,
            questions,
        },
    );
    if selection.anytime && !questions.typical {
        return Err(Failure::usage(format!(
            "{} was measured until decided: its means cannot be tested; leave --questions out, \
             or measure a fixed number of runs",
            path.display()
        )));
    }
    let sample_selection = SampleSelection {
        metrics: arguments.metric.clone(),
        benchmarks: arguments.benchmark.clone(),
        tails: arguments
            .tail
            .iter()
            .map(|text| tail(text))
            .collect::<Result<_, _>>()?,
    };
    let mut report = compare_result(&result, &sample_selection, &selection)?;
    for (quantile, text) in sample_selection.tails.iter().zip(&arguments.tail) {
        if report.warnings.contains(&Warning::NoQuantile(*quantile)) {
            return Err(Failure::usage(format!(
                "--tail {text} would do nothing: no run has several samples of what is compared; leave it out, or \
                 choose another --metric"
            )));
        }
    }
    if arguments.is_in_detail() {
        let slices = |run| read_slices(&opened.run_dir(run));
        let unread = add_limits(&mut report, result.experiment, result.records, slices);
        if let Some((run, error)) = unread.first() {
            terminal::say(&terminal::escape(&format!(
                "`limits` leaves out {}, whose slices cannot be read; the first is run {run}: {error}",
                counted(unread.len(), "run")
            )));
        }
    }
    if let Some(reports) = arguments.calibrate {
        let samples = &sample_selection;
        counting("calibrating", reports, |tick| {
            calibrate(&mut report, &result, samples, &selection, reports, tick)
        })?;
    }
    let OpenedResult { plan, records, .. } = opened;
    let mut passed: HashMap<&str, bool> = HashMap::new();
    for record in &records {
        *passed.entry(&record.cell).or_default() |= record.status.passed();
    }
    let mut unmeasured = Unmeasured::default();
    for cell in plan.cells {
        match passed.get(cell.id.as_str()) {
            Some(true) => {}
            Some(false) => unmeasured.failed.push(cell.id),
            None => unmeasured.without_run += 1,
        }
    }
    Ok(Compared {
        report,
        unmeasured,
        records: if needs_runs(&arguments.plot) {
            records
        } else {
            Vec::new()
        },
    })
}

/// A quantile of the command line.
fn tail(text: &str) -> Result<f64, Failure> {
    match percent(text) {
        Ok(tail) if tail > 0.0 && tail < 1.0 => Ok(tail),
        _ => Err(Failure::usage(format!(
            "--tail: expected more than 0% and less than 100%, found {text}"
        ))),
    }
}
