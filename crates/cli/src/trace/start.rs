//! Commands that have an agent from their start.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};

use perflab_control::variable::{
    CHECKED, RECORD, RECORD_FOR, RECORD_MEMORY, RECORD_REFUSED, RECORD_RING, SAY, check_value,
};
use perflab_control::{Process, RecordWish, Traced};
use perflab_recorder::Recorded;
use rustix::io::Errno;
use rustix::process::{WaitOptions, set_child_subreaper, wait};

use super::outcome::Outcome;
use super::refused::{Pipe, Refusal};
use crate::failure::{Code, Failure};
use crate::terminal;

/// The shared object that starts an agent.
pub const AGENT: &str = "libperflab_preload.so";

/// Becomes the command, which loads the agent before anything else.
pub fn start(
    variable: &str,
    probes: &str,
    wish: RecordWish,
    command: &[OsString],
) -> Result<Option<Code>, Failure> {
    let mut command = with_agent(command)?;
    name_sizes(&mut command, wish);
    // Only the program itself says that it has no such probe, not those that it starts.
    command.env(SAY, std::process::id().to_string());
    command.env(variable, probes);
    check_environment(&command)?;
    let error = command.exec();
    Err(cannot_start(&command, &error))
}

fn cannot_start(command: &Command, error: &std::io::Error) -> Failure {
    let program = command.get_program();
    Failure::environment(format!("{} cannot be started: {error}", program.display()))
}

fn with_agent(command: &[OsString]) -> Result<Command, Failure> {
    let Some((program, arguments)) = command.split_first() else {
        return Err(Failure::usage("give a command after --"));
    };
    let mut preload = OsString::new();
    for first in super::program::check(program)? {
        preload.push(first);
        preload.push(":");
    }
    preload.push(agent()?);
    if let Some(others) = std::env::var_os("LD_PRELOAD").filter(|others| !others.is_empty()) {
        preload.push(":");
        preload.push(others);
    }
    let mut command = Command::new(program);
    command.args(arguments).env("LD_PRELOAD", preload);
    Ok(command)
}

/// The agent would ignore a value that it does not understand.
fn check_environment(command: &Command) -> Result<(), Failure> {
    for variable in CHECKED {
        let is_replaced = command.get_envs().any(|(name, _)| name == variable);
        let Some(value) = std::env::var_os(variable).filter(|_| !is_replaced) else {
            continue;
        };
        check_value(variable, &value.to_string_lossy()).map_err(|error| {
            Failure::usage(format!("{variable}: {error}; change it in the environment"))
        })?;
    }
    Ok(())
}

/// Sets the variables of the sizes that are asked for: threads that start before a recorder comes have them too.
fn name_sizes(command: &mut Command, wish: RecordWish) {
    for (variable, kibibytes) in [(RECORD_RING, wish.ring), (RECORD_MEMORY, wish.all)] {
        if kibibytes > 0 {
            command.env(variable, kibibytes.to_string());
        }
    }
}

/// A command that is recorded, with the processes that it starts.
#[derive(Debug)]
pub struct Watched {
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
    /// The value of [`RECORD_FOR`] in the environment of its processes.
    mark: String,
    /// The pipe by which its processes report that they cannot be recorded.
    refused: Option<Pipe>,
    /// Sockets that were seen, by path, inode and time of the last change.
    known: BTreeSet<(PathBuf, u64, (i64, i64))>,
}

/// Starts a command whose processes keep their events for a recorder.
pub fn watched(probes: &str, wish: RecordWish, command: &[OsString]) -> Result<Watched, Failure> {
    let mut command = with_agent(command)?;
    name_sizes(&mut command, wish);
    let mark = format!("{}-{:016x}", std::process::id(), rand::random::<u64>());
    command.env(RECORD, probes).env(RECORD_FOR, &mark);
    // Without it, only those that are still there when they are asked say that they cannot be recorded.
    let refused = Pipe::new().and_then(|pipe| Ok((pipe.name()?, pipe))).ok();
    match &refused {
        Some((name, _)) => command.env(RECORD_REFUSED, name),
        None => command.env_remove(RECORD_REFUSED),
    };
    check_environment(&command)?;
    // A process whose parent ends becomes a child of this one, so that a daemon is waited for. Where the kernel refuses
    // that, only those are waited for that are seen to record before the command ends.
    let _ = set_child_subreaper(Some(rustix::process::getpid()));
    let others = own_children();
    let child = spawn(&mut command).map_err(|error| cannot_start(&command, &error))?;
    Ok(Watched {
        pid: child.id(),
        started: start_of(child.id()),
        status: None,
        is_alone: false,
        others,
        mark,
        refused: refused.map(|(_, pipe)| pipe),
        known: BTreeSet::new(),
    })
}

/// Starts a command. A file that the kernel takes for no program is one of the shell's, as it is to a shell and to
/// [`start`].
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

impl Watched {
    /// What its processes keep their events for.
    pub fn mark(&self) -> &str {
        &self.mark
    }

    /// Those of its processes that have said since the last time that they cannot be recorded.
    pub fn refusals(&mut self) -> Vec<Refusal> {
        self.refused.as_mut().map_or_else(Vec::new, Pipe::refusals)
    }

    /// Whether a process is one of the command's that was not seen before. One that calls `exec` has a new agent.
    ///
    /// A server may write over its environment, so those count too that are known to keep their events for this.
    pub fn is_new(&mut self, process: &Traced, kept: &[Recorded]) -> bool {
        let Ok(socket) = std::fs::symlink_metadata(&process.socket) else {
            return false;
        };
        let is_kept = || kept.iter().any(|other| other.process.pid == process.pid);
        let is_marked = || {
            let environment = std::fs::read(format!("/proc/{}/environ", process.pid));
            let environment = environment.unwrap_or_default();
            let wanted = format!("{RECORD_FOR}={}", self.mark);
            let mut variables = environment.split(|byte| *byte == 0);
            variables.any(|variable| variable == wanted.as_bytes())
        };
        (is_kept() || is_marked())
            && self.known.insert((
                process.socket.clone(),
                socket.ino(),
                (socket.mtime(), socket.mtime_nsec()),
            ))
    }

    /// Takes the process as not seen yet, so that the next search asks it again.
    pub fn forget(&mut self, process: &Traced) {
        self.known.retain(|(socket, ..)| *socket != process.socket);
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

    /// Says how the command ended, if it has and it was not well.
    pub fn end(mut self, outcome: &mut Outcome) -> Result<(), Failure> {
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

/// The children of a process, as far as the kernel says.
pub fn children(pid: u32) -> BTreeSet<u32> {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task"));
    let threads = threads.into_iter().flatten();
    let lists = threads
        .flatten()
        .filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok());
    let mut all = BTreeSet::new();
    for list in lists {
        all.extend(
            list.split_whitespace()
                .filter_map(|pid| pid.parse::<u32>().ok()),
        );
    }
    all
}

/// Where the agent was installed: beside this program, or in `lib/perflab` beside its directory.
fn agent() -> Result<PathBuf, Failure> {
    let program = std::env::current_exe()
        .map_err(|error| Failure::environment(format!("cannot find this program: {error}")))?;
    let beside = program.parent().map(PathBuf::from).unwrap_or_default();
    let places = [
        beside.join(AGENT),
        beside.join("../lib/perflab").join(AGENT),
    ];
    let found = places.iter().find_map(|path| path.canonicalize().ok());
    found.ok_or_else(|| {
        let looked: Vec<String> = places
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        Failure::environment(format!(
            "the agent {AGENT} is not installed: looked for {}",
            looked.join(", ")
        ))
    })
}
