//! One process: started in its own group, pinned, waited for with a deadline, accounted for.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, retry_on_intr};
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, WaitIdStatus, kill_process_group, pidfd_open,
    waitid,
};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use crate::aside::visible;
use crate::brand::{Brand, START};
use crate::environment::Environment;
use crate::interrupt::Interrupt;
use crate::job_control::start;
use crate::locate::locate;
use crate::reaper::Reaper;
use crate::sys::{self, Exit, ResourceUsage};

/// Where an output stream of a process goes. Always a file or nothing: a pipe would make the
/// laboratory run while it measures.
#[derive(Debug, Clone, Copy)]
pub enum Redirect<'a> {
    /// Discarded.
    Null,
    /// Into this file, replaced.
    File(&'a Path),
    /// Where the laboratory's own goes.
    Inherit,
}

/// What to start and how.
#[derive(Debug)]
pub struct Launch<'a> {
    /// Program and arguments; never empty.
    pub argv: &'a [OsString],
    /// All variables that the process gets.
    pub environment: &'a Environment,
    /// Working directory; the laboratory's own where absent.
    pub directory: Option<&'a Path>,
    /// Read as standard input; nothing where absent.
    pub stdin: Option<&'a Path>,
    /// Standard output.
    pub stdout: Redirect<'a>,
    /// Standard error; the same file as standard output makes one log of both.
    pub stderr: Redirect<'a>,
    /// The CPUs it may run on; any where absent.
    pub cpus: Option<&'a CpuSet>,
}

/// Why a process could not be started.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// The command is empty.
    #[error("there is no command to start: expected a program and its arguments")]
    Empty,
    /// The program could not be executed.
    #[error("cannot start `{program}`: {}", .why.clone().unwrap_or_else(|| .source.to_string()))]
    Start {
        /// What was to be executed.
        program: String,
        /// Which file is in the way, where one is.
        why: Option<String>,
        /// What the kernel said.
        source: io::Error,
    },
    /// A file for input or output could not be opened.
    #[error("cannot open {}: {source}", .path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// What the kernel said.
        source: io::Error,
    },
    /// The CPUs asked for cannot be used.
    #[error(
        "cannot pin to the CPUs asked for: {0}; `cat /proc/self/status | grep Cpus_allowed_list` shows which may be used"
    )]
    Pin(io::Error),
}

/// How and when a process ended.
#[derive(Debug, Clone, Copy)]
pub struct Ended {
    /// Code or signal.
    pub exit: Exit,
    /// From just before it was started until it was collected, as a shell or `time` would see it.
    pub wall: Duration,
    /// What it used.
    pub usage: ResourceUsage,
    /// Whether the laboratory ended it, or would have, and why.
    pub stopped: Option<Stopped>,
}

/// Why the laboratory ended a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// Its time limit ran out.
    TimeLimit,
    /// The user asked to stop.
    Interrupted,
}

/// A running process that leads its own process group.
///
/// Dropping it kills the whole group and collects the process.
#[derive(Debug)]
pub struct Process<'k> {
    pid: Pid,
    started: Instant,
    collected: bool,
    brand: Option<Brand>,
    reaper: &'k Reaper,
}

impl<'k> Process<'k> {
    /// Starts it.
    ///
    /// The child inherits the CPUs from this thread, which takes them for the moment of the start:
    /// so no code runs between fork and exec, and the cheap way of starting (vfork) stays open.
    ///
    /// # Errors
    /// When it cannot be started: see [`LaunchError`].
    pub fn start(launch: &Launch<'_>, reaper: &'k Reaper) -> Result<Self, LaunchError> {
        let (program, arguments) = launch.argv.split_first().ok_or(LaunchError::Empty)?;
        let mut command = Command::new(program);
        command.args(arguments).process_group(0);
        launch.environment.apply(&mut command);
        if let Some(directory) = launch.directory {
            command.current_dir(directory);
        }
        command.stdin(match launch.stdin {
            None => Stdio::null(),
            Some(path) => File::open(path)
                .map_err(|source| open_error(path, source))?
                .into(),
        });
        let shared = match (launch.stdout, launch.stderr) {
            (Redirect::File(out), Redirect::File(err)) if out == err => {
                let log = create(out)?;
                Some((log.try_clone().map_err(|e| open_error(out, e))?, log))
            }
            _ => None,
        };
        match shared {
            Some((out, err)) => {
                command.stdout(out).stderr(err);
            }
            None => {
                command
                    .stdout(stdio(launch.stdout)?)
                    .stderr(stdio(launch.stderr)?);
            }
        }

        let home = launch
            .cpus
            .map(Pinned::to)
            .transpose()
            .map_err(LaunchError::Pin)?;
        let started = Instant::now();
        // `Child` is only a number here: dropping it neither kills nor waits.
        let brand = reaper.next_brand();
        if let Some(brand) = brand {
            command.env(START, brand.to_string());
        }
        let child = start(&mut command, brand, |child| {
            reaper.started(Pid::from_child(child));
        });
        drop(home);
        let child = child.map_err(|source| LaunchError::Start {
            program: program.to_string_lossy().into_owned(),
            why: obstacle(program, launch),
            source,
        })?;
        Ok(Self {
            pid: Pid::from_child(&child),
            started,
            collected: false,
            brand,
            reaper,
        })
    }

    /// The process's number, which is its group's too.
    pub fn pid(&self) -> Pid {
        self.pid
    }

    /// Whether it is still running.
    pub fn alive(&self) -> bool {
        matches!(self.look(WaitIdOptions::NOHANG), Ok(None))
    }

    /// How it ended, if it has.
    pub(crate) fn exit(&self) -> Option<Exit> {
        let status = self.look(WaitIdOptions::NOHANG).ok()??;
        let code = status.exit_status().map(Exit::Code);
        code.or(status.terminating_signal().map(Exit::Signal))
    }

    /// What the kernel calls it: the name of its program, cut to 15 bytes.
    pub(crate) fn name(&self) -> Option<String> {
        let file = format!("/proc/{}/comm", self.pid.as_raw_nonzero());
        let name = std::fs::read(file).ok()?;
        Some(visible(String::from_utf8_lossy(&name).trim_end()))
    }

    /// Sends a signal to the process alone, which may want to end its children itself.
    pub fn signal(&self, signal: Signal) {
        let _ = rustix::process::kill_process(self.pid, signal);
    }

    /// Waits until it has ended; at the limit, or when the user asks to stop, the whole group is
    /// killed. What it left running is killed in any case, also where that has left the group.
    ///
    /// # Errors
    /// When it can be waited for no longer, as somebody else collected it, or cannot be watched
    /// against a time limit: that takes `pidfd_open`, which Linux has since 5.3.
    pub fn wait(mut self, limit: Option<Duration>, interrupt: &Interrupt) -> io::Result<Ended> {
        let seat = match limit {
            None => interrupt.foreground(self.pid),
            Some(_) => None,
        };
        let stopped = if seat.is_some() {
            self.look(WaitIdOptions::empty())?;
            interrupt.asked().then_some(Stopped::Interrupted)
        } else {
            let deadline = limit.map(|limit| later(self.started, limit));
            self.watch_until(deadline, interrupt)?
        };
        drop(seat);
        let mut ended = self.collect(stopped)?;
        // It may have ended before the laboratory, which came late, could end it.
        if limit.is_some_and(|limit| ended.wall > limit) {
            ended.stopped = ended.stopped.or(Some(Stopped::TimeLimit));
        }
        Ok(ended)
    }

    /// Waits at most so long, without ending anything; whether it has ended by then.
    pub fn ends_within(&self, patience: Duration) -> bool {
        let deadline = later(Instant::now(), patience);
        let Ok(watch) = self.watch() else {
            return !self.alive();
        };
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let mut ready = [PollFd::new(&watch, PollFlags::IN)];
            match poll(&mut ready, Some(&timespec(left))) {
                Ok(0) => return false,
                Ok(_) => return true,
                Err(Errno::INTR) => {}
                Err(_) => return !self.alive(),
            }
        }
    }

    /// Readable once it has ended.
    fn watch(&self) -> io::Result<OwnedFd> {
        Ok(pidfd_open(self.pid, PidfdFlags::empty())?)
    }

    /// Looks whether it has ended, or waits for that, without collecting it.
    fn look(&self, options: WaitIdOptions) -> io::Result<Option<WaitIdStatus>> {
        let options = options | WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        Ok(retry_on_intr(|| waitid(WaitId::Pid(self.pid), options))?)
    }

    fn watch_until(
        &self,
        deadline: Option<Instant>,
        interrupt: &Interrupt,
    ) -> io::Result<Option<Stopped>> {
        let watch = self.watch()?;
        loop {
            let left = deadline
                .map(|deadline| timespec(deadline.saturating_duration_since(Instant::now())));
            let mut ready = [
                PollFd::new(&watch, PollFlags::IN),
                PollFd::from_borrowed_fd(interrupt.descriptor(), PollFlags::IN),
            ];
            match poll(&mut ready, left.as_ref()) {
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
                Ok(0) => return Ok(Some(Stopped::TimeLimit)),
                Ok(_) if ready[0].revents().contains(PollFlags::IN) => return Ok(None),
                Ok(_) => return Ok(Some(Stopped::Interrupted)),
            }
        }
    }

    fn collect(&mut self, stopped: Option<Stopped>) -> io::Result<Ended> {
        // Before the leader is collected, as the group's number can be given away after that.
        let _ = kill_process_group(self.pid, Signal::KILL);
        self.reaper.ended(self.pid);
        self.collected = true;
        let collected = sys::wait4(self.pid);
        let wall = self.started.elapsed();
        if let Some(brand) = self.brand {
            brand.sweep(self.pid, wall);
        }
        let (exit, usage) = collected?;
        Ok(Ended {
            exit,
            wall,
            usage,
            stopped,
        })
    }
}

impl Drop for Process<'_> {
    fn drop(&mut self) {
        if !self.collected {
            let _ = self.collect(None);
        }
    }
}

/// Which file keeps a program from being started: the kernel says the same of a program, of what
/// runs it and of the working directory.
fn obstacle(program: &OsStr, launch: &Launch<'_>) -> Option<String> {
    let directory = match launch.directory {
        Some(directory) => directory.to_owned(),
        None => std::env::current_dir().ok()?,
    };
    locate(program, &directory, &launch.environment.path()).err()
}

/// This thread's CPUs, changed for a moment.
struct Pinned {
    before: CpuSet,
}

impl Pinned {
    fn to(cpus: &CpuSet) -> io::Result<Self> {
        let before = sched_getaffinity(None)?;
        sched_setaffinity(None, cpus)?;
        Ok(Self { before })
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        let _ = sched_setaffinity(None, &self.before);
    }
}

fn stdio(redirect: Redirect<'_>) -> Result<Stdio, LaunchError> {
    Ok(match redirect {
        Redirect::Null => Stdio::null(),
        Redirect::Inherit => Stdio::inherit(),
        Redirect::File(path) => create(path)?.into(),
    })
}

fn create(path: &Path) -> Result<File, LaunchError> {
    File::create(path).map_err(|source| open_error(path, source))
}

fn open_error(path: &Path, source: io::Error) -> LaunchError {
    LaunchError::Open {
        path: path.to_path_buf(),
        source,
    }
}

/// A moment so much later. Experiments may name times that no clock can show; they mean forever.
pub(crate) fn later(moment: Instant, time: Duration) -> Instant {
    const CENTURY: Duration = Duration::from_secs(100 * 365 * 86_400);
    moment + time.min(CENTURY)
}

pub(crate) fn timespec(duration: Duration) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(duration.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: i64::from(duration.subsec_nanos()),
    }
}
