//! When a measurement that its own results may end has ended.

use perflab_store::Stopped;

use crate::comparison::Comparison;
use crate::verdict::Verdict;

/// Whether every test that was asked for is decided: for each row and pooled row, the typical run
/// is proven to differ, or to be the same within the margin.
///
/// The control's rows do not count: they are the baseline once more, and are not to be decided.
pub fn is_decided(report: &Comparison) -> bool {
    let mut asked = report
        .all_rows()
        .filter(|row| !report.is_control(row))
        .peekable();
    asked.peek().is_some() && asked.all(|row| row.typical.verdict != Verdict::NotProven)
}

/// Notes why the measurement ended, unless it has gone on since.
pub fn note_stop(report: &mut Comparison, stopped: Option<Stopped>) {
    if let (Some(until), Some(stopped)) = (&mut report.design.until_decided, stopped)
        && stopped.blocks == until.blocks
    {
        until.stopped = Some(stopped.reason);
    }
}
