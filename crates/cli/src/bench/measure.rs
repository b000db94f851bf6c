//! Executes the commands of `perflab bench`.

use std::ffi::OsString;
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

    fn accepts(&self, exit: Exit) -> bool {
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
    /// Wall-clock time in seconds, that of the shell with it.
    pub wall_s: f64,
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
    /// Time limit of a run.
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
        let through = self.pipe.as_ref().map(|pipe| pipe.path().to_owned());
        let stdout = match &command.output {
            Output::Null => Redirect::Null,
            Output::Pipe => through.as_deref().map_or(Redirect::Null, Redirect::File),
            Output::Inherit => Redirect::Inherit,
            Output::File(path) => Redirect::File(path),
        };
        let stderr = stderr(&command.output);
        let ended = self.launch(argv, padding, Some(iteration), stdout, stderr)?;
        if !self.tolerated.accepts(ended.exit) {
            return Err(Failure::no_data(format!(
                "`{}` {}; --ignore-failure goes on all the same, --show-output shows what it says",
                command.line, ended.exit
            )));
        }
        Ok(Timing {
            wall_s: ended.wall.as_secs_f64(),
            user_s: ended.usage.user.as_secs_f64(),
            system_s: ended.usage.system.as_secs_f64(),
            max_rss_bytes: ended.usage.max_rss_bytes,
            exit_code: match ended.exit {
                Exit::Code(code) => Some(code),
                Exit::Signal(_) => None,
            },
        })
    }

    /// Wall-clock seconds of one run of what tells the shell's time; none if it fails.
    ///
    /// # Errors
    /// When it cannot be started, or is stopped.
    pub fn probe(&self, argv: &[OsString], padding: u32) -> Result<Option<f64>, Failure> {
        let ended = self.launch(argv, padding, None, Redirect::Null, Redirect::Null)?;
        let passed = matches!(ended.exit, Exit::Code(0));
        Ok(passed.then_some(ended.wall.as_secs_f64()))
    }

    /// A command that is not measured: setup, prepare, conclude, cleanup.
    ///
    /// # Errors
    /// When it fails: what comes after would measure something else.
    pub fn aside(&self, flag: &str, line: &str, output: &Output) -> Result<(), Failure> {
        let argv = self.shell.argv(line)?;
        let ended = self.launch(&argv, 0, None, stderr(output), stderr(output))?;
        match ended.exit {
            Exit::Code(0) => Ok(()),
            exit => Err(Failure::no_data(format!(
                "the {flag} command `{line}` {exit}; append ' || true' if that does not matter"
            ))),
        }
    }

    /// Executes something; `iteration` is for the command that is measured, and for nothing else.
    fn launch(
        &self,
        argv: &[OsString],
        padding: u32,
        iteration: Option<&str>,
        stdout: Redirect<'_>,
        stderr: Redirect<'_>,
    ) -> Result<Ended, Failure> {
        let mut environment = self.environment.clone();
        if let Some(iteration) = iteration {
            environment.set(ITERATION, iteration);
        }
        environment.pad(padding);
        let launch = Launch {
            argv,
            environment: &environment,
            directory: None::<&Path>,
            stdin: self.input.as_deref(),
            stdout,
            stderr,
            cpus: self.cpus.as_ref(),
        };
        let ended = self
            .host
            .start(&launch)
            .map_err(|error| not_started(&error))?
            .wait(self.timeout)
            .map_err(|error| Failure::environment(format!("lost track of a command: {error}")))?;
        match ended.stopped {
            None => Ok(ended),
            Some(Stopped::Interrupted) => {
                Err(Failure::new(Code::Interrupted, "interrupted".to_owned()))
            }
            Some(Stopped::TimeLimit) => Err(Failure::new(
                Code::TimeLimit,
                format!(
                    "a command took longer than --timeout ({:?})",
                    self.timeout.unwrap_or_default()
                ),
            )),
        }
    }
}

/// A file that cannot be opened was named on the command line.
fn not_started(error: &LaunchError) -> Failure {
    match error {
        LaunchError::Open { source, .. } if is_disk_full(source) => Failure::disk_full(error),
        LaunchError::Open { .. } => Failure::usage(error.to_string()),
        _ => Failure::environment(error.to_string()),
    }
}

/// Where messages go, and all that a command writes that is not measured: to the terminal or nowhere.
fn stderr(output: &Output) -> Redirect<'static> {
    match output {
        Output::Inherit => Redirect::Inherit,
        _ => Redirect::Null,
    }
}
