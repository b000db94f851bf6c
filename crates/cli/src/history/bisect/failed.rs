//! What a run says of its revision, where failures are looked for, and how often the ends failed.

use perflab_experiment::{Status, counted};
use perflab_history::Revision;
use perflab_stats::bisection::Outcomes;
use perflab_store::RunRecord;

use super::steps::Steps;
use crate::failure::Failure;

/// The exit code by which a command says that a revision cannot be tried, as for `git bisect run`.
const SKIP: i32 = 125;

/// How many runs failed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Count {
    pub(super) failed: usize,
    pub(super) all: usize,
}

impl Count {
    /// Of these, each of which failed or did not.
    pub(super) fn of(outcomes: impl IntoIterator<Item = bool>) -> Self {
        let mut count = Self { failed: 0, all: 0 };
        for has_failed in outcomes {
            count.failed += usize::from(has_failed);
            count.all += 1;
        }
        count
    }

    /// How often two revisions fail, in words.
    pub(super) fn text(names: &[String; 2], counts: [Self; 2]) -> String {
        let of = |count: Self| format!("{} of {}", count.failed, counted(count.all, "run"));
        let [first, second] = counts.map(of);
        format!("{} fails in {first}, {} in {second}", names[0], names[1])
    }
}

impl Steps<'_> {
    /// Whether a run failed; nothing if it says nothing of the revision: it did not begin, its command says so with exit
    /// code 125, or another workload is asked for.
    pub(super) fn has_failed(&self, record: &RunRecord) -> Option<bool> {
        let is_begun = !matches!(
            record.status,
            Status::NoBuild | Status::NotReady | Status::NoRun
        );
        let counts = is_begun && record.exit_code != Some(SKIP) && self.is_of_workload(record);
        counts.then(|| !record.status.passed())
    }

    /// Whether a run is of the workload that is asked for.
    pub(super) fn is_of_workload(&self, record: &RunRecord) -> bool {
        self.workload.is_none_or(|name| record.workload == name)
    }

    /// The workloads whose failures are told apart: all, where there are several and none is asked for.
    pub(super) fn apart(&self) -> Vec<&str> {
        let workloads = &self.session.read.experiment.workloads;
        let names = workloads.keys().map(String::as_str);
        let are_apart = self.workload.is_none() && workloads.len() > 1;
        names.filter(|_| are_apart).collect()
    }

    /// Says that the runs of several workloads count alike, where they do.
    pub(super) fn say_workloads(&self) {
        let names = self.apart();
        if !names.is_empty() {
            self.session.say(&format!(
                "a failed run counts whichever workload it is of: {}; --workload NAME looks at one only",
                names.join(", ")
            ));
        }
    }
}

/// Says how often each end failed, where the search found that they do not differ. That every run failed, or that the good
/// end fails more often than the bad one, is no such answer.
pub(super) fn same_at_both_ends(steps: &Steps<'_>, certain: f64) -> Result<String, Failure> {
    let ends = [&steps.range.good, steps.range.bad()];
    let names = ends.map(Revision::name);
    let both = |workload: Option<&str>| -> Result<[Count; 2], Failure> {
        let value = |record: &RunRecord| {
            let is_own = workload.is_none_or(|name| record.workload == name);
            steps.has_failed(record).filter(|_| is_own)
        };
        let [good, bad] = ends.map(|end| steps.values_of(end, value));
        Ok([Count::of(good?), Count::of(bad?)])
    };
    let counts = both(None)?;
    let often = Count::text(&names, counts);
    if counts.iter().all(|count| count.failed == count.all) {
        let failed = steps.failed_runs(&ends)?;
        let last = failed.last().map_or(String::new(), ToString::to_string);
        return Err(Failure::no_data(format!(
            "every run of both ends failed ({often}), so perflab cannot tell where failures begin; the last run: {last}"
        )));
    }
    let counts = counts.map(|count| [count.failed, count.all - count.failed]);
    if Outcomes::is_other_way_round(certain, counts)? {
        let [good, bad] = names;
        return Err(Failure::no_data(format!(
            "{often}, and a search looks for the revision at which a test begins to fail; to find the one at which it stops, \
             turn the test round, as in `perflab bisect {good} {bad} --fails -- sh -c '! ./test'`"
        )));
    }
    let mut text = format!("{often}\n");
    for workload in steps.apart() {
        let of_workload = Count::text(&names, both(Some(workload))?);
        text += &format!("  {workload}: {of_workload}\n");
    }
    Ok(text)
}
