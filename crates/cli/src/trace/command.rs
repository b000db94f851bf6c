//! A command that is recorded, with the processes that it starts.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};

use perflab_control::Process;
use perflab_control::variable::RECORD_REFUSED;
use perflab_recorder::children;
use rustix::io::Errno;
use rustix::process::{WaitOptions, set_child_subreaper, wait};

use super::outcome::Outcome;
use super::start::{cannot_start, check_environment};
use crate::failure::Failure;
use crate::terminal;

/// A command that is recorded, with the processes that it starts.
#[derive(Debug)]
pub struct Started {
    /// The command's number.
    pid: u32,
    /// When it started, in clock ticks since the machine did; nothing where that cannot be read.
    started: Option<u64>,
    /// How it ended, if it has.
    status: Option<ExitStatus>,
    /// Whether no process of the command is left, as far as they are this one's children.
    is_alone: bool,
    /// Children that this process had before, as it has if a script became it by `exec`.
    others: BTreeSet<u32>,
}

impl Started {
    /// Starts a command with these variables, of a recording.
    pub fn start(
        mut command: Command,
        environment: Vec<(OsString, OsString)>,
    ) -> Result<Self, Failure> {
        // What this process has of it is of another recording. The others of a recording always have a value in
        // `environment`, the filter an empty one if there is none.
        command.env_remove(RECORD_REFUSED).envs(environment);
        check_environment(&command)?;
        // A process whose parent ends becomes a child of this one, so that a daemon is waited for. Where the kernel
        // refuses that, only those are waited for that are seen to record before the command ends.
        let _ = set_child_subreaper(Some(rustix::process::getpid()));
        let others = own_children();
        let child = spawn(&mut command).map_err(|error| cannot_start(&command, &error))?;
        Ok(Self {
            pid: child.id(),
            started: start_of(child.id()),
            status: None,
            is_alone: false,
            others,
        })
    }

    /// Whether the command and all processes that it started have ended.
    pub fn have_all_ended(&mut self) -> Result<bool, Failure> {
        self.reap()?;
        Ok(self.is_alone)
    }

    /// Takes in which children of this process have ended: the command, and processes whose parents had ended before.
    fn reap(&mut self) -> Result<(), Failure> {
        while !self.is_alone {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if pid.as_raw_nonzero().get() == self.pid as i32 => {
                    self.status = Some(ExitStatus::from_raw(status.as_raw()));
                }
                Ok(Some(_)) | Err(Errno::INTR) => {}
                Ok(None) => {
                    self.is_alone = !self.others.is_empty() && self.children().next().is_none();
                    break;
                }
                Err(Errno::CHILD) => self.is_alone = true,
                Err(error) => {
                    let text = format!("the command cannot be waited for: {error}");
                    return Err(Failure::environment(text));
                }
            }
        }
        Ok(())
    }

    /// The children of this process that are the command or were left by it, and not by a child that it had before.
    pub fn children(&self) -> impl Iterator<Item = u32> {
        let is_own = |child: &u32| !self.others.contains(child) && start_of(*child) >= self.started;
        own_children().into_iter().filter(is_own)
    }

    /// Says how the command ended, if it has and it was not well. A signal to the recording reaches the command too from
    /// a terminal, sooner or later, so that its end is no failure then.
    pub fn end(mut self, is_interrupted: bool, outcome: &mut Outcome) -> Result<(), Failure> {
        self.reap()?;
        if self.status.is_some() && !self.is_alone {
            terminal::say(
                "processes that the command started still run; what they do from now on is not in the trace",
            );
        }
        match self.status {
            None => terminal::say(&format!(
                "the command still runs as process {}; what it does from now on is not in the trace",
                self.pid
            )),
            Some(status) if !status.success() && is_interrupted => {
                terminal::say(&format!("the command ended with {status}"));
            }
            Some(status) if !status.success() => outcome.fail(&Failure::no_data(format!(
                "the command ended with {status}"
            ))),
            Some(_) => {}
        }
        Ok(())
    }
}

fn start_of(pid: u32) -> Option<u64> {
    Process::of(pid).map(|process| process.start)
}

fn own_children() -> BTreeSet<u32> {
    children(std::process::id())
}

/// Starts a command. A file that the kernel takes for no program is one of the shell's, as it is to a shell and to
/// [`start`](super::start::start).
fn spawn(command: &mut Command) -> std::io::Result<Child> {
    let error = match command.spawn() {
        Err(error) if error.raw_os_error() == Some(Errno::NOEXEC.raw_os_error()) => error,
        other => return other,
    };
    let path = std::env::var_os("PATH").unwrap_or_default();
    let Some(script) =
        perflab_machine::resolve_in_path(command.get_program(), Path::new(""), &path)
    else {
        return Err(error);
    };
    let mut shell = Command::new("/bin/sh");
    shell.arg(script).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    shell.spawn()
}
