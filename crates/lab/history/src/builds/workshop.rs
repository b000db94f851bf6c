//! Commands that are executed for a build.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use perflab_experiment::Status;
use perflab_runner::{Aside, Environment, Fault, Host, LEAST_ROOM_BYTES, Trouble};

use super::error::BuildError;
use crate::file::BuildTable;
use crate::git::{QUIET, inherited};

/// Time limit of git: a fetch of a large repository takes long.
const GIT_LIMIT: Duration = Duration::from_secs(3600);

/// Where commands are executed.
pub(super) struct Workshop<'a> {
    pub(super) host: &'a dyn Host,
    pub(super) environment: Environment,
    /// That of git: the user's, as for all calls of git.
    pub(super) of_git: Environment,
}

impl<'a> Workshop<'a> {
    /// With the environment of a build.
    pub(super) fn new(host: &'a dyn Host, build: &BuildTable) -> Self {
        let of = |inherit: &[String]| {
            let mut environment = host.environment(inherit);
            environment.set("GIT_TERMINAL_PROMPT", "0");
            environment
        };
        let mut environment = of(&[]);
        let own = build.env.iter();
        environment.extend(own.map(|(name, value)| (name.into(), value.into())));
        Self {
            host,
            environment,
            of_git: of(&inherited()),
        }
    }

    /// Where there is no room left, what fails says nothing of the revision.
    pub(super) fn check_room(&self, home: &Path) -> Result<(), BuildError> {
        for path in [home.to_owned(), std::env::temp_dir()] {
            let room = self.host.room(&path);
            if room.is_some_and(|room| room < LEAST_ROOM_BYTES) {
                // Some file systems say so and have room.
                let probe = path.join(format!(".room-{}", std::process::id()));
                let written = File::create(&probe).and_then(|mut file| {
                    file.write_all(&[1; LEAST_ROOM_BYTES as usize])?;
                    file.sync_all()
                });
                let _ = fs::remove_file(&probe);
                written.map_err(BuildError::io("build with the room that is left in", &path))?;
            }
        }
        Ok(())
    }

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
        self.done(&aside)
    }

    fn done(&self, aside: &Aside<'_>) -> Result<Result<(), Fault>, BuildError> {
        match aside.execute(self.host) {
            Ok(()) => Ok(Ok(())),
            Err(Trouble::Fault(fault)) => Ok(Err(fault)),
            Err(Trouble::Interrupted) => Err(BuildError::Interrupted),
            Err(Trouble::Fatal(source)) => Err(BuildError::io(
                "execute a command in",
                aside.directory,
            )(source)),
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
        let aside = self.aside("git", Status::NoBuild, &argv, directory, log, GIT_LIMIT);
        self.done(&Aside {
            environment: &self.of_git,
            ..aside
        })
    }
}

/// What every build needs: a fault of it ends the work.
pub(super) fn needed(done: Result<(), Fault>, log: &Path) -> Result<(), BuildError> {
    done.map_err(|fault| BuildError::Needed {
        detail: fault.detail,
        log: log.to_owned(),
    })
}
