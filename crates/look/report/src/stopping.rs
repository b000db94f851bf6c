//! When a measurement that its own results may end has ended, and what is said of it.

use crate::model::{Report, UntilDecided, Verdict};
use perflab_experiment::counted;
use perflab_store::{StopReason, Stopped};

/// Whether every claim that was asked for is decided: for each row and pooled row, the typical run
/// is proven to differ, or to be the same within the margin.
///
/// The control's rows do not count: they are the baseline once more, and are not to be decided.
pub fn is_decided(report: &Report) -> bool {
    let mut asked = report
        .rows
        .iter()
        .chain(&report.pooled)
        .filter(|row| Some(&row.variant) != report.control.as_ref())
        .peekable();
    asked.peek().is_some() && asked.all(|row| row.typical.verdict != Verdict::NotProven)
}

/// Notes why the measurement ended, unless it has gone on since.
pub fn note_stop(report: &mut Report, stopped: Option<Stopped>) {
    if let (Some(until), Some(stopped)) = (&mut report.design.until_decided, stopped)
        && stopped.blocks == until.blocks
    {
        until.stopped = Some(stopped.reason);
    }
}

/// How the measurement ended, in a sentence; nothing where the number of runs was fixed.
pub fn ending(report: &Report) -> Option<String> {
    let until = report.design.until_decided?;
    let UntilDecided { blocks, most, .. } = until;
    let so_far = format!("after {blocks} of at most {}", counted(most, "block"));
    Some(match until.stopped {
        Some(StopReason::Decided) => format!("stopped {so_far}: every comparison is decided"),
        Some(StopReason::Runs) if is_decided(report) => {
            format!(
                "all {} measured: every comparison is decided",
                counted(most, "block")
            )
        }
        Some(StopReason::Runs) => {
            format!(
                "all {} measured: not every comparison is decided",
                counted(most, "block")
            )
        }
        Some(StopReason::Budget) => format!(
            "stopped {so_far}: the time budget is used up, and not every comparison is decided"
        ),
        None => format!("not stopped yet, {so_far}: `perflab run --resume` goes on"),
    })
}

/// What may be believed of it.
pub(crate) fn caveat(report: &Report) -> String {
    let sameness = if report.margin.is_none() {
        "; without a margin, sameness cannot be shown"
    } else {
        ""
    };
    format!(
        "measured until decided: verdicts and intervals of the typical run hold whenever one stops; \
         the differences are estimates, too large on average where a difference stopped the \
         measurement, and nothing is claimed of means and slow runs: their size needs a fixed \
         number of runs{sameness}"
    )
}
