//! A result directory.

use std::collections::HashSet;
use std::path::Path;

use perflab_report::{Claims, Filter, Report};
use perflab_store::RunRecord;

use super::CompareArguments;
use crate::bench::percent;
use crate::drawn::needs_runs;
use crate::failure::Failure;
use crate::selection::{Chosen, Recorded, chosen, opened};

/// A result and the report on it.
pub(super) struct Compared {
    /// The report.
    pub(super) report: Report,
    /// The runs, where plots need them.
    pub(super) records: Vec<RunRecord>,
    /// Cells that the report can say nothing of.
    pub(super) unmeasured: Vec<String>,
}

/// The report on a result.
pub(super) fn recorded(
    path: &Path,
    arguments: &CompareArguments,
    margin: Option<f64>,
    confidence: Option<f64>,
    claims: Claims,
) -> Result<Compared, Failure> {
    let opened = opened(path)?;
    let selection = chosen(
        &opened,
        Chosen {
            baseline: arguments.baseline.as_deref(),
            margin,
            confidence,
            claims,
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
    let report = opened.compared(&filter, &selection)?;
    let Recorded { plan, records, .. } = opened;
    let passed: HashSet<&str> = records
        .iter()
        .filter(|record| record.status.passed())
        .map(|record| record.cell.as_str())
        .collect();
    let cells = plan.cells.into_iter().map(|cell| cell.id);
    let unmeasured = cells
        .filter(|cell| !passed.contains(cell.as_str()))
        .collect();
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
