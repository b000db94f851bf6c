//! Commands that are executed for a build.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use perflab_experiment::Status;
use perflab_runner::{Aside, Environment, Fault, Host, Trouble};

use super::error::BuildError;
use crate::git::QUIET;

/// Time limit of git: a fetch of a large repository takes long.
const GIT_LIMIT: Duration = Duration::from_secs(3600);

/// Where commands are executed.
pub(super) struct Workshop<'a> {
    pub(super) host: &'a dyn Host,
    pub(super) environment: Environment,
}

impl Workshop<'_> {
    /// Executes a command; a fault where it fails.
    pub(super) fn execute(
        &self,
        purpose: &str,
        argv: &[OsString],
        directory: &Path,
        log: &Path,
        limit: Duration,
    ) -> Result<Result<(), Fault>, BuildError> {
        let aside = self.aside(purpose, Status::NoBuild, argv, directory, log, limit);
        match aside.execute(self.host) {
            Ok(()) => Ok(Ok(())),
            Err(Trouble::Fault(fault)) => Ok(Err(fault)),
            Err(Trouble::Interrupted) => Err(BuildError::Interrupted),
            Err(Trouble::Fatal(source)) => {
                Err(BuildError::io("execute a command in", directory)(source))
            }
        }
    }

    /// Executes a command that may fail: how it ended.
    pub(super) fn outcome(
        &self,
        purpose: &str,
        argv: &[OsString],
        directory: &Path,
        log: &Path,
        limit: Duration,
    ) -> Result<(Status, Option<String>), BuildError> {
        let aside = self.aside(purpose, Status::NoRun, argv, directory, log, limit);
        match aside.outcome(self.host) {
            Ok(outcome) => Ok(outcome),
            Err(Trouble::Fault(fault)) => Ok((fault.status, Some(fault.detail))),
            Err(Trouble::Interrupted) => Err(BuildError::Interrupted),
            Err(Trouble::Fatal(source)) => {
                Err(BuildError::io("execute a command in", directory)(source))
            }
        }
    }

    fn aside<'s>(
        &'s self,
        purpose: &'s str,
        status: Status,
        argv: &'s [OsString],
        directory: &'s Path,
        log: &'s Path,
        limit: Duration,
    ) -> Aside<'s> {
        Aside {
            purpose,
            status,
            argv,
            environment: &self.environment,
            directory,
            log,
            cpus: None,
            limit,
        }
    }

    /// Executes git; a fault where it fails.
    pub(super) fn git<W: Into<OsString>>(
        &self,
        words: impl IntoIterator<Item = W>,
        directory: &Path,
        log: &Path,
    ) -> Result<Result<(), Fault>, BuildError> {
        let quiet = QUIET.iter().map(OsString::from);
        let words = words.into_iter().map(W::into);
        let git = std::iter::once(OsString::from("git"));
        let argv: Vec<OsString> = git.chain(quiet).chain(words).collect();
        self.execute("git", &argv, directory, log, GIT_LIMIT)
    }
}

/// What every build needs: a fault of it ends the work.
pub(super) fn needed(done: Result<(), Fault>, log: &Path) -> Result<(), BuildError> {
    done.map_err(|fault| BuildError::Needed {
        detail: fault.detail,
        log: log.to_owned(),
    })
}
