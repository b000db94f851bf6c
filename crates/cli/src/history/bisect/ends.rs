//! The ends of a search: what their runs gave, and how those failed that gave nothing.

use std::fmt;
use std::path::PathBuf;

use perflab_experiment::Status;
use perflab_history::{CampaignFacts, Purpose, Revision};
use perflab_report::operand;
use perflab_store::{OpenedResult, RunRecord, recorded_output};

use super::steps::Steps;
use crate::failure::Failure;

/// The exit codes with which a shell, and `env`, say that a command cannot be executed: it may not be, or is not there.
const NOT_EXECUTED: [i32; 2] = [126, 127];

/// A run of an end that failed.
pub(super) struct FailedRun {
    status: Status,
    detail: Option<String>,
    exit_code: Option<i32>,
    /// The directory with its output.
    output: PathBuf,
}

impl fmt::Display for FailedRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.status.name())?;
        if let Some(detail) = &self.detail {
            write!(f, ", {detail}")?;
        }
        if self
            .exit_code
            .is_some_and(|code| NOT_EXECUTED.contains(&code))
        {
            write!(f, " (so the command cannot be executed)")?;
        }
        write!(f, "; its output is in {}", operand(&self.output))
    }
}

impl Steps<'_> {
    /// The values that the runs of an end gave in all campaigns.
    pub(super) fn values_of<V>(
        &self,
        end: &Revision,
        value: impl Fn(&RunRecord) -> Option<V>,
    ) -> Result<Vec<V>, Failure> {
        let name = end.name();
        let mut values = Vec::new();
        for facts in self.campaigns(&Purpose::Bisect)? {
            let result = self.session.directory.opened(&facts)?;
            let records = result.iter().flat_map(|result| &result.records);
            values.extend(
                records
                    .filter(|record| record.variant == name)
                    .filter_map(&value),
            );
        }
        Ok(values)
    }

    /// The first campaign in which runs of both ends passed.
    pub(super) fn first(&self) -> Result<Option<OpenedResult>, Failure> {
        let ends = [self.range.good.name(), self.range.bad().name()];
        for facts in self.campaigns(&Purpose::Bisect)? {
            let Some(result) = self.session.directory.opened(&facts)? else {
                continue;
            };
            let has_passed = |name: &String| {
                let mut own = result
                    .records
                    .iter()
                    .filter(|record| record.variant == *name);
                own.any(|record| record.status.passed())
            };
            if ends.iter().all(has_passed) {
                return Ok(Some(result));
            }
        }
        Ok(None)
    }

    /// The runs of these ends that failed in the last campaign in which any did, in order.
    pub(super) fn failed_runs(&self, ends: &[&Revision]) -> Result<Vec<FailedRun>, Failure> {
        let names: Vec<String> = ends.iter().map(|end| end.name()).collect();
        for facts in self.campaigns(&Purpose::Bisect)?.iter().rev() {
            let result = self.session.directory.opened(facts)?;
            let records = result.iter().flat_map(|result| &result.records);
            let failed = records
                .filter(|record| names.contains(&record.variant) && !record.status.passed())
                .map(|record| self.failed_run(facts, record));
            let failed: Vec<FailedRun> = failed.collect();
            if !failed.is_empty() {
                return Ok(failed);
            }
        }
        Ok(Vec::new())
    }

    fn failed_run(&self, facts: &CampaignFacts, record: &RunRecord) -> FailedRun {
        let result = self.session.directory.result(facts);
        FailedRun {
            status: record.status,
            detail: record.detail.clone(),
            exit_code: record.exit_code,
            output: recorded_output(&result, record.run),
        }
    }

    /// Says that nothing can be compared with an end, or the ends with each other, and how their runs failed.
    pub(super) fn no_values(&self, what: &str, ends: &[&Revision]) -> Failure {
        let failed = match self.failed_runs(ends) {
            Ok(failed) => failed,
            Err(failure) => return failure,
        };
        let how = failed.first().map_or_else(
            || {
                let path = operand(self.session.directory.path());
                format!("`perflab show` on the last campaign below {path} says why")
            },
            |first| format!("the first run that failed: {first}"),
        );
        Failure::no_data(format!("{what}; {how}"))
    }
}
