//! What a run says of its revision.

use perflab_experiment::Status;
use perflab_store::RunRecord;

/// The exit code by which a command says that a revision cannot be tried, as for `git bisect run`.
const SKIP: i32 = 125;

/// Whether a run failed; nothing if it says nothing of the revision: it did not begin, or its command says so with exit code
/// 125.
pub(super) fn has_failed(record: &RunRecord) -> Option<bool> {
    let is_begun = !matches!(
        record.status,
        Status::NoBuild | Status::NotReady | Status::NoRun
    );
    (is_begun && record.exit_code != Some(SKIP)).then(|| !record.status.passed())
}
