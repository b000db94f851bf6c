//! What a run says of its revision, where failures are looked for, and how often the ends failed.

use indexmap::IndexSet;
use perflab_experiment::{Status, counted};
use perflab_history::Revision;
use perflab_stats::bisection::{Answer, Outcomes};
use perflab_store::RunRecord;

use super::answer::no_change_text;
use super::measured::certainty;
use super::steps::Steps;
use crate::failure::Failure;

/// The exit code by which a command says that a revision cannot be tried, as for `git bisect run`.
const SKIP: i32 = 125;

/// Probability of no change in the other direction below which the older end is reported to fail more often.
const DOUBT: f64 = 0.1;

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

/// Whether a run failed; nothing if it says nothing of the revision: it did not begin, or its command says so with exit
/// code 125.
pub(super) fn has_failed(record: &RunRecord) -> Option<bool> {
    let is_begun = !matches!(
        record.status,
        Status::NoBuild | Status::NotReady | Status::NoRun
    );
    let counts = is_begun && record.exit_code != Some(SKIP);
    counts.then(|| !record.status.passed())
}

impl Steps<'_> {
    /// The workloads whose failures are told apart: those that are executed, where they are several.
    pub(super) fn apart(&self) -> IndexSet<String> {
        let cells = self.session.read.experiment.cells().into_iter();
        let names: IndexSet<String> = cells.map(|cell| cell.workload).collect();
        if names.len() > 1 {
            names
        } else {
            IndexSet::new()
        }
    }

    /// Says that the runs of several workloads count alike, where they do.
    pub(super) fn say_workloads(&self) {
        let names = self.apart();
        if !names.is_empty() {
            self.session.say(&format!(
                "a failed run counts whichever workload it is of: {}; --workload NAME looks at one only",
                Vec::from_iter(names).join(", ")
            ));
        }
    }
}

/// The answer that the ends do not differ, by `size` or more, and how often each failed. That every run failed, or that
/// the older end surely fails more often, is no such answer.
pub(super) fn no_change_of_failures(
    steps: &Steps<'_>,
    probability: f64,
    size: &str,
    is_flaky: bool,
) -> Result<String, Failure> {
    let ends = [&steps.range.good, steps.range.bad()];
    let names = ends.map(Revision::name);
    let both = |workload: Option<&str>| -> Result<[Count; 2], Failure> {
        let value = |record: &RunRecord| {
            let is_own = workload.is_none_or(|name| record.workload == name);
            has_failed(record).filter(|_| is_own)
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
    let outcomes = counts.map(|count| [count.failed, count.all - count.failed]);
    let reverse = Outcomes::other_way_round(certainty(is_flaky), outcomes)?;
    let [good, bad] = &names;
    let turn = format!(
        "a search looks for the revision at which a test begins to fail; to find the one at which it stops, turn the test \
         round, as in `perflab bisect {good} {bad} --fails -- sh -c '! ./test'`"
    );
    if matches!(reverse.answer(), Answer::Found(_)) {
        return Err(Failure::no_data(format!("{often}, and {turn}")));
    }
    let never_fails = counts.iter().all(|count| count.failed == 0);
    // A test that always gives the same result needs few runs, and its failures have no share of them.
    let (size, advice) = match never_fails && !is_flaky {
        true => (
            "",
            "perflab took it that all runs of a revision give the same result; if the test fails only at times, add \
             --flaky\n"
                .to_owned(),
        ),
        false if reverse.posterior().no_change < DOUBT => (
            size,
            format!("the older end failed more often, perhaps by chance, and {turn}\n"),
        ),
        false => (size, String::new()),
    };
    let mut text = no_change_text(steps.range, probability, size);
    text += &format!("{often}\n");
    for workload in &steps.apart() {
        let of_workload = Count::text(&names, both(Some(workload))?);
        text += &format!("  {workload}: {of_workload}\n");
    }
    Ok(text + &advice)
}
