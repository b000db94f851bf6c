//! Executes the commands of `perflab bench`.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use perflab_runner::{
    Ended, Environment, Exit, Host, Launch, LaunchError, MOST_ATTEMPTS, Redirect, Stopped,
};
use rustix::thread::CpuSet;

use super::arguments::Output;
use super::command_line::Shell;
use super::commands::BenchCommand;
use super::pipe::Pipe;
use super::slices::Slices;
use crate::failure::{Code, Failure, is_disk_full};
use crate::terminal;

/// Holds the number of a run, from 0, or of a warm-up as `warmup-0`: hyperfine's name, which
/// commands use to tell their runs apart.
const ITERATION: &str = "HYPERFINE_ITERATION";

/// Which failures of a command are put up with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tolerated {
    /// None.
    None,
    /// All.
    All,
    /// Those with these codes.
    Codes(Vec<i32>),
}

impl Tolerated {
    /// From the value of --ignore-failure.
    ///
    /// # Errors
    /// When it is neither a word it knows nor a list of codes.
    pub fn parse(flag: Option<&str>) -> Result<Self, Failure> {
        match flag {
            None => Ok(Self::None),
            Some("all" | "all-non-zero" | "") => Ok(Self::All),
            Some(list) => list
                .split(',')
                .map(|code| {
                    code.trim().parse().map_err(|_| {
                        Failure::usage(format!(
                            "--ignore-failure: `{code}` is not an exit code; expected numbers as 1,2"
                        ))
                    })
                })
                .collect::<Result<_, _>>()
                .map(Self::Codes),
        }
    }

    /// Whether a command may end so.
    pub fn accepts(&self, exit: Exit) -> bool {
        match (self, exit) {
            (_, Exit::Code(0)) | (Self::All, _) => true,
            (Self::Codes(codes), Exit::Code(code)) => codes.contains(&code),
            _ => false,
        }
    }
}

/// One run of a command.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Timing {
    /// What is judged, in seconds, that of the shell with it: wall-clock time; where commands take turns, CPU time.
    pub time_s: f64,
    /// Time in user mode in seconds, that of the shell with it.
    pub user_s: f64,
    /// Time in the kernel in seconds, that of the shell with it.
    pub system_s: f64,
    /// Largest resident set in bytes, where it can be told from the laboratory's own.
    pub max_rss_bytes: Option<u64>,
    /// Exit code, where it ended with one.
    pub exit_code: Option<i32>,
}

/// Executes something until neither the laboratory nor the machine stood still meanwhile: what comes of it else, a
/// time or a failure, is no result.
///
/// # Errors
/// Those of the execution; or when the same has happened again and again.
pub fn undisturbed<T>(
    host: &dyn Host,
    name: &str,
    mut execute: impl FnMut() -> Result<T, Failure>,
) -> Result<T, Failure> {
    for _ in 0..MOST_ATTEMPTS {
        let moment = host.moment();
        let outcome = execute();
        let Some(why) = moment.until(&host.moment()) else {
            return outcome;
        };
        if let Err(failure) = outcome
            && failure.code == Code::Interrupted
        {
            return Err(failure);
        }
        let name = terminal::escape(name);
        terminal::say(&format!("a run of `{name}` is repeated: {why} during it"));
    }
    Err(Failure::environment(format!(
        "`{name}` could not be measured: the laboratory or the machine stood still during each of \
         {MOST_ATTEMPTS} attempts"
    )))
}

/// What executes the commands.
#[derive(Debug)]
pub struct Bench<'a> {
    /// How lines become processes.
    pub shell: Shell,
    /// Variables, but for the padding of each run.
    pub environment: Environment,
    /// Where commands may run.
    pub cpus: Option<CpuSet>,
    /// How commands take turns, where they do.
    pub slices: Option<Slices>,
    /// Time limit of a run; where commands take turns, of the time of its turns.
    pub timeout: Option<Duration>,
    /// Which failures are put up with.
    pub tolerated: Tolerated,
    /// A file to read, or nothing.
    pub input: Option<PathBuf>,
    /// Takes the output of commands whose output goes through a pipe.
    pub pipe: Option<Pipe>,
    /// Where commands are executed.
    pub host: &'a dyn Host,
}

impl Bench<'_> {
    /// One run of a command.
    ///
    /// # Errors
    /// When the command cannot be started, fails, or is stopped.
    pub fn run(
        &self,
        command: &BenchCommand,
        argv: &[OsString],
        padding: u32,
        iteration: &str,
    ) -> Result<Timing, Failure> {
        let environment = self.variables(padding, Some(iteration));
        let stdout = self.stdout(&command.output);
        let ended = self.launch(
            &command.line,
            argv,
            &environment,
            stdout,
            stderr(&command.output),
            self.cpus.as_ref(),
        )?;
        if !self.tolerated.accepts(ended.exit) {
            return Err(failed(command, ended.exit));
        }
        Ok(self.timing(&ended))
    }

    /// Where the output of a command goes.
    pub fn stdout<'a>(&'a self, output: &'a Output) -> Redirect<'a> {
        match output {
            Output::Null => Redirect::Null,
            Output::Pipe => match &self.pipe {
                Some(pipe) => Redirect::File(pipe.path()),
                None => Redirect::Null,
            },
            Output::Inherit => Redirect::Inherit,
            Output::File(path) => Redirect::File(path),
        }
    }

    /// What is kept of a run that has ended.
    pub fn timing(&self, ended: &Ended) -> Timing {
        Timing {
            time_s: self.time_s(ended),
            user_s: ended.usage.user.as_secs_f64(),
            system_s: ended.usage.system.as_secs_f64(),
            max_rss_bytes: ended.usage.max_rss_bytes,
            exit_code: match ended.exit {
                Exit::Code(code) => Some(code),
                Exit::Signal(_) => None,
            },
        }
    }

    /// The time that is judged, in seconds.
    fn time_s(&self, ended: &Ended) -> f64 {
        let time = match &self.slices {
            None => ended.wall,
            Some(_) => ended.usage.user + ended.usage.system,
        };
        time.as_secs_f64()
    }

    /// Seconds of one run of what tells the shell's time, of the time that is judged; none if it fails. It runs where the
    /// commands do.
    ///
    /// # Errors
    /// When it cannot be started, or is stopped.
    pub fn probe(&self, argv: &[OsString], padding: u32) -> Result<Option<f64>, Failure> {
        let environment = self.variables(padding, None);
        let ended = self.launch(
            "the empty shell",
            argv,
            &environment,
            Redirect::Null,
            Redirect::Null,
            self.slices
                .as_ref()
                .map_or(self.cpus.as_ref(), |slices| Some(&slices.cpus)),
        )?;
        let passed = matches!(ended.exit, Exit::Code(0));
        Ok(passed.then_some(self.time_s(&ended)))
    }

    /// A command that is not measured, where there is one: setup, prepare, conclude, cleanup.
    ///
    /// # Errors
    /// When it fails: what comes after would measure something else.
    pub fn aside(&self, flag: &str, line: Option<&str>, output: &Output) -> Result<(), Failure> {
        let Some(line) = line else {
            return Ok(());
        };
        let argv = self.shell.argv(line)?;
        let environment = self.variables(0, None);
        let ended = self.launch(
            line,
            &argv,
            &environment,
            stderr(output),
            stderr(output),
            self.cpus.as_ref(),
        )?;
        match ended.exit {
            Exit::Code(0) => Ok(()),
            exit => Err(Failure::no_data(format!(
                "the {flag} command `{line}` {exit}; append ' || true' if that does not matter"
            ))),
        }
    }

    /// All variables of a process; `iteration` is for the command that is measured, and for nothing else.
    pub fn variables(&self, padding: u32, iteration: Option<&str>) -> Environment {
        let mut environment = self.environment.clone();
        if let Some(iteration) = iteration {
            environment.set(ITERATION, iteration);
        }
        environment.pad(padding);
        environment
    }

    /// Executes something to its end; `line` is what it is called where it is stopped.
    fn launch(
        &self,
        line: &str,
        argv: &[OsString],
        environment: &Environment,
        stdout: Redirect<'_>,
        stderr: Redirect<'_>,
        cpus: Option<&CpuSet>,
    ) -> Result<Ended, Failure> {
        let launch = Launch {
            argv,
            environment,
            directory: None::<&Path>,
            stdin: self.input.as_deref(),
            stdout,
            stderr,
            cpus,
        };
        let ended = self
            .host
            .start(&launch)
            .map_err(|error| not_started(&error))?
            .wait(self.timeout)
            .map_err(|error| match error.kind() {
                ErrorKind::PermissionDenied => {
                    Failure::environment(format!("`{}`: {error}", terminal::escape(line)))
                }
                _ => Failure::environment(format!("lost track of a command: {error}")),
            })?;
        match ended.stopped {
            None => Ok(ended),
            Some(why) => Err(self.stopped(line, why)),
        }
    }

    /// What is said where a command was stopped.
    pub fn stopped(&self, line: &str, why: Stopped) -> Failure {
        match why {
            Stopped::Interrupted => Failure::new(Code::Interrupted, "interrupted".to_owned()),
            Stopped::TimeLimit => Failure::new(
                Code::TimeLimit,
                format!(
                    "`{}` took longer than --timeout ({:?})",
                    terminal::escape(line),
                    self.timeout.unwrap_or_default()
                ),
            ),
        }
    }
}

/// What is said where a command failed.
pub fn failed(command: &BenchCommand, exit: Exit) -> Failure {
    Failure::no_data(format!(
        "`{}` {exit}; --ignore-failure goes on all the same, --show-output shows what it says",
        command.line
    ))
}

/// A file that cannot be opened was named on the command line.
pub fn not_started(error: &LaunchError) -> Failure {
    match error {
        LaunchError::Open { source, .. } if is_disk_full(source) => Failure::disk_full(error),
        LaunchError::Open { .. } => Failure::usage(error),
        _ => Failure::environment(error),
    }
}

/// Where messages go, and all that a command writes that is not measured: to the terminal or nowhere.
pub fn stderr(output: &Output) -> Redirect<'static> {
    match output {
        Output::Inherit => Redirect::Inherit,
        _ => Redirect::Null,
    }
}
