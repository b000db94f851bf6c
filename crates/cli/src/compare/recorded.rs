//! A result directory.

use std::collections::HashSet;
use std::path::Path;

use perflab_report::{Claims, Filter, Report, add_latencies, add_saturation, result_report};
use perflab_store::Stopped;

use super::{CompareArguments, analysis_failure};
use crate::bench::percent;
use crate::failure::Failure;
use crate::run::store_failure;
use crate::selection::{Chosen, Recorded, chosen, opened, usable_cpus};

/// The report on a result, and the cells that it can say nothing of.
pub(super) fn recorded(
    path: &Path,
    arguments: &CompareArguments,
    margin: Option<f64>,
    confidence: Option<f64>,
    claims: Claims,
) -> Result<(Report, Vec<String>), Failure> {
    let Recorded {
        result,
        experiment,
        plan,
        records,
    } = opened(path)?;
    let selection = chosen(
        &experiment,
        Chosen {
            baseline: arguments.baseline.as_deref(),
            margin,
            confidence,
            claims,
            anytime: result.meta().origin.until_decided.is_some(),
        },
    );
    if selection.anytime && !claims.typical {
        return Err(Failure::usage(format!(
            "{} was measured until decided: nothing can be claimed of its means; leave --claims out, \
             or measure a fixed number of runs",
            path.display()
        )));
    }
    let filter = Filter {
        metrics: arguments.metric.clone(),
        parts: arguments.part.clone(),
        tails: arguments
            .tail
            .iter()
            .map(|text| tail(text))
            .collect::<Result<_, _>>()?,
    };
    let mut report = result_report(&experiment, &plan, &records, &filter, &selection)
        .map_err(|error| analysis_failure(&error))?;
    note_stop(&mut report, result.stopped().map_err(store_failure)?);
    add_latencies(
        &mut report,
        &experiment,
        &plan,
        &records,
        &filter,
        &selection,
    );
    add_saturation(&mut report, &experiment, &records, usable_cpus(&result));
    if let Some(imported) = &result.meta().origin.imported
        && imported.independent
    {
        report.warnings.push(
            "imported with --independent: values that one process made count as runs, though what \
             changes from process to process is in none of them"
                .to_owned(),
        );
    }
    for notice in result.notices() {
        report.warnings.push(notice.to_string());
    }
    let passed: HashSet<&str> = records
        .iter()
        .filter(|record| record.status.passed())
        .map(|record| record.cell.as_str())
        .collect();
    let cells = plan.cells.into_iter().map(|cell| cell.id);
    Ok((
        report,
        cells
            .filter(|cell| !passed.contains(cell.as_str()))
            .collect(),
    ))
}

/// Why the experiment ended, unless it has gone on since.
pub fn note_stop(report: &mut Report, stopped: Option<Stopped>) {
    if let (Some(until), Some(stopped)) = (&mut report.design.until_decided, stopped)
        && stopped.blocks == until.blocks
    {
        until.stopped = Some(stopped.reason);
    }
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
