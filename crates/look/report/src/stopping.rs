//! How a measurement that its own results may end has ended, and what may be believed of it.

use perflab_compare::{Comparison, UntilDecided, is_decided};
use perflab_experiment::counted;
use perflab_store::StopReason;

use crate::command::operand;

/// How the measurement ended, in a sentence; nothing where the number of runs was fixed.
pub fn ending(report: &Comparison) -> Option<String> {
    let until = report.design.until_decided?;
    let UntilDecided { blocks, most, .. } = until;
    let so_far = format!("after {blocks} of at most {}", counted(most, "block"));
    Some(match until.stopped {
        Some(StopReason::Decided) => format!("stopped {so_far}: every comparison is decided"),
        Some(StopReason::Runs) => {
            let every = match is_decided(report) {
                true => "every",
                false => "not every",
            };
            let all = counted(most, "block");
            format!("all {all} measured: {every} comparison is decided")
        }
        Some(StopReason::Budget) => format!(
            "stopped {so_far}: the time budget is used up, and not every comparison is decided"
        ),
        None => format!("not stopped yet, {so_far}: `{}` goes on", resume(report)),
    })
}

/// The command that goes on with the measurement. A result does not know where its experiment file is.
pub(crate) fn resume(report: &Comparison) -> String {
    let directory = report.directory.as_ref();
    let directory = directory.map_or_else(|| "RESULT".to_owned(), operand);
    format!("perflab run EXP.toml --resume --out {directory}")
}

/// What may be believed of it.
pub(crate) fn caveat(report: &Comparison) -> String {
    let sameness = if report.margin.is_none() {
        "; without a margin, sameness cannot be shown"
    } else {
        ""
    };
    format!(
        "measured until decided: verdicts and intervals of the typical run hold whenever one stops; \
         the differences are estimates, too large on average where a difference stopped the \
         measurement, and means and slow runs are not tested: their size needs a fixed \
         number of runs{sameness}"
    )
}
