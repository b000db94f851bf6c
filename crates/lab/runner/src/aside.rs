//! Commands that are executed beside the measurement: builds, prepare, cleanup, ready, stop.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::time::Duration;

use perflab_experiment::Status;
use rustix::thread::CpuSet;

use crate::environment::Environment;
use crate::fault::{Fault, Trouble};
use crate::host::{Exit, Host, Launch, LaunchError, Redirect, Stopped};
use crate::visible::visible;

/// A command beside the measurement.
#[derive(Debug)]
pub struct Aside<'a> {
    /// What it is for, in messages: `build`, `prepare`.
    pub purpose: &'a str,
    /// The status of the run should it fail.
    pub status: Status,
    /// The program and its arguments.
    pub argv: &'a [OsString],
    /// Its variables.
    pub environment: &'a Environment,
    /// Its working directory.
    pub directory: &'a Path,
    /// Receives standard output and error.
    pub log: &'a Path,
    /// The CPUs that it may use; nothing for all.
    pub cpus: Option<&'a CpuSet>,
    /// Its time limit.
    pub limit: Duration,
}

impl Aside<'_> {
    /// Executes it; it must end with code 0.
    ///
    /// # Errors
    /// If it does not, with the last line of its output; if the user asked to stop; if the laboratory cannot go on.
    pub fn execute(&self, host: &dyn Host) -> Result<(), Trouble> {
        match self.exit(host)? {
            Exit::Code(0) => Ok(()),
            exit => Err(self
                .fault(&format!("{exit}{}", last_line(host, self.log)))
                .into()),
        }
    }

    /// Executes it and says how it ended, as of a run: `PASS`, or what went wrong, in one line.
    ///
    /// # Errors
    /// If it cannot be started; if the user asked to stop; if the laboratory cannot go on.
    pub fn outcome(&self, host: &dyn Host) -> Result<(Status, Option<String>), Trouble> {
        let (status, what) = match self.ended(host)? {
            (Exit::Code(0), false) => return Ok((Status::Pass, None)),
            (_, true) => (Status::Timeout, self.late()),
            (exit @ Exit::Code(_), false) => (Status::Exit, exit.to_string()),
            (exit @ Exit::Signal(_), false) => (Status::Signal, exit.to_string()),
        };
        let fault = self.fault(&format!("{what}{}", last_line(host, self.log)));
        Ok((status, Some(fault.detail)))
    }

    /// Executes it and says how it ended.
    pub(crate) fn exit(&self, host: &dyn Host) -> Result<Exit, Trouble> {
        match self.ended(host)? {
            (exit, false) => Ok(exit),
            (_, true) => Err(self.fault(&self.late()).into()),
        }
    }

    fn late(&self) -> String {
        format!("took longer than {:?} and was killed", self.limit)
    }

    /// Executes it: how it ended, and whether its time was over.
    fn ended(&self, host: &dyn Host) -> Result<(Exit, bool), Trouble> {
        let launch = Launch {
            argv: self.argv,
            environment: self.environment,
            directory: Some(self.directory),
            stdin: None,
            stdout: Redirect::File(self.log),
            stderr: Redirect::File(self.log),
            cpus: self.cpus,
        };
        let process = host.start(&launch).map_err(|error| self.launch(error))?;
        let ended = process.wait(Some(self.limit)).map_err(Trouble::Fatal)?;
        match ended.stopped {
            None => Ok((ended.exit, false)),
            Some(Stopped::Interrupted) => Err(Trouble::Interrupted),
            Some(Stopped::TimeLimit) => Ok((ended.exit, true)),
        }
    }

    fn launch(&self, error: LaunchError) -> Trouble {
        launch_trouble(error, |text| self.fault(&text))
    }

    fn fault(&self, what: &str) -> Fault {
        Fault::new(self.status, format!("the {} command {what}", self.purpose))
    }
}

/// A full disk stops the laboratory; whatever else keeps a process from starting is the run's.
pub(crate) fn launch_trouble(error: LaunchError, fault: impl FnOnce(String) -> Fault) -> Trouble {
    match error {
        LaunchError::Open { source, .. } if is_full(&source) => Trouble::Fatal(source),
        error => Trouble::Fault(fault(error.to_string())),
    }
}

/// Whether an error says that the disk, or the user's share of it, is full.
pub(crate) fn is_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
    )
}

/// Bytes of a log that are looked at for its last line.
const TAIL_BYTES: u64 = 4096;

/// The last line of a log, for a message; nothing where there is none.
pub(crate) fn last_line(host: &dyn Host, log: &Path) -> String {
    match said_last(host, log) {
        Some(line) => format!("; it said last: {line}"),
        None => String::new(),
    }
}

/// The last line of a log that holds anything, fit for a message.
pub(crate) fn said_last(host: &dyn Host, log: &Path) -> Option<String> {
    let tail = host.length(log).and_then(|length| {
        let begin = length.saturating_sub(TAIL_BYTES);
        host.read(log, begin, TAIL_BYTES)
    });
    let tail = tail.ok()?;
    let text = String::from_utf8_lossy(&tail);
    let mut lines = text.lines().map(str::trim);
    lines.rfind(|line| !line.is_empty()).map(visible)
}
