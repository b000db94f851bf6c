//! What a run says of its revision, where failures are looked for, and how often the ends failed.

use perflab_experiment::{Status, counted};
use perflab_history::Revision;
use perflab_stats::bisection::Outcomes;
use perflab_store::RunRecord;

use super::steps::Steps;
use crate::failure::Failure;

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

/// Says how often each end failed, where the search found that they do not differ. That every run failed, or that the good
/// end fails more often than the bad one, is no such answer.
pub(super) fn same_at_both_ends(steps: &Steps<'_>, certain: f64) -> Result<String, Failure> {
    let ends = [&steps.range.good, steps.range.bad()];
    let [good, bad] = ends.map(|end| steps.values_of(end, has_failed));
    let counts = [good?, bad?].map(|outcomes| {
        let failed = outcomes.iter().filter(|failed| **failed).count();
        [failed, outcomes.len() - failed]
    });
    let all = |[failed, passed]: [usize; 2]| counted(failed + passed, "run");
    let [good, bad] = ends.map(Revision::name);
    let often = format!(
        "{good} fails in {} of {}, {bad} in {} of {}",
        counts[0][0],
        all(counts[0]),
        counts[1][0],
        all(counts[1]),
    );
    if counts.iter().all(|[_, passed]| *passed == 0) {
        let failed = steps.failed_runs(&ends)?;
        let last = failed.last().map_or(String::new(), ToString::to_string);
        return Err(Failure::no_data(format!(
            "every run of both ends failed ({often}), so perflab cannot tell where failures begin; the last run: {last}"
        )));
    }
    if Outcomes::is_other_way_round(certain, counts)? {
        return Err(Failure::no_data(format!(
            "{often}, and a search looks for the revision at which a test begins to fail; to find the one at which it stops, \
             turn the test round, as in `perflab bisect {good} {bad} --fails -- sh -c '! ./test'`"
        )));
    }
    Ok(format!("{often}\n"))
}
