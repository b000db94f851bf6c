//! One process: started in its own group, pinned, waited for with a deadline, accounted for.

use std::cell::OnceCell;
use std::ffi::OsStr;
use std::io::{self, ErrorKind};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use perflab_machine::resolve_in_path;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::{Errno, retry_on_intr};
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, WaitIdStatus, kill_process_group, pidfd_open,
    test_kill_process, waitid,
};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use super::brand::{Brand, START};
use super::cpu_time::cpu_time;
use super::interrupt::{Interrupt, timespec};
use super::job_control::start;
use super::listener::listener;
use super::locate::locate;
use super::moved::move_to;
use super::reaper::Reaper;
use super::redirect::Streams;
use super::relatives::relatives;
use super::spawn::Start;
use super::sys;
use super::turn::{go_on_if_stopped, take_turn};
use crate::host::{
    Ended, Exit, Launch, LaunchError, Listener, Process, Relative, Stopped, Turn, later,
};
use crate::visible::visible;
use crate::words::Words;

/// A running process that leads its own process group.
///
/// Dropping it kills the whole group and collects the process. One that may not be killed, as it runs as another user, is
/// left alone: nobody knows when it ends.
#[derive(Debug)]
pub(super) struct LocalProcess<'m> {
    pub(super) pid: Pid,
    pub(super) started: Instant,
    collected: bool,
    /// Readable once it has ended; opened when it is first needed, as that costs more than a wait for a short command.
    watch: OnceCell<OwnedFd>,
    brand: Option<Brand>,
    reaper: &'m Reaper,
    interrupt: &'m Interrupt,
}

impl<'m> LocalProcess<'m> {
    /// Starts it.
    ///
    /// The child inherits the CPUs from this thread, which takes them for the moment of the start:
    /// so no code runs between fork and exec, and the cheap way of starting (vfork) stays open.
    ///
    /// # Errors
    /// When it cannot be started: see [`LaunchError`].
    pub(super) fn start(
        launch: &Launch<'_>,
        reaper: &'m Reaper,
        interrupt: &'m Interrupt,
    ) -> Result<Self, LaunchError> {
        let program = launch.argv.first().ok_or(LaunchError::Empty)?;
        let failed = |source| LaunchError::Start {
            program: program.to_string_lossy().into_owned(),
            why: obstacle(program, launch),
            source,
        };
        let file = file_of(program, launch);
        let streams = Streams::open(launch)?;
        let null = streams.null().map_err(failed)?;
        let brand = reaper.next_brand();
        let number = brand.map(|brand| brand.to_string());
        let number = number.as_deref().map(|number| (START, number));
        let variables = launch.environment.words(number).map_err(failed)?;
        let arguments = Words::of(launch.argv).map_err(failed)?;
        let home = launch
            .cpus
            .map(Pinned::to)
            .transpose()
            .map_err(LaunchError::Pin)?;
        let started = Instant::now();
        let spawn = || {
            let own = Start {
                file: file.as_deref().ok_or(ErrorKind::NotFound)?,
                arguments: &arguments,
                variables: &variables,
                directory: launch.directory,
                streams: streams.descriptors(null.as_ref()),
            };
            own.spawn()
        };
        let pid = start(brand, spawn, |pid| reaper.started(*pid));
        drop(home);
        let pid = pid.map_err(failed)?;
        Ok(Self {
            pid,
            started,
            collected: false,
            watch: OnceCell::new(),
            brand,
            reaper,
            interrupt,
        })
    }

    /// Readable once it has ended.
    pub(super) fn watch(&self) -> io::Result<&OwnedFd> {
        if self.watch.get().is_none() {
            let _ = self.watch.set(pidfd_open(self.pid, PidfdFlags::empty())?);
        }
        self.watch.get().ok_or_else(|| ErrorKind::NotFound.into())
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
                PollFd::new(watch, PollFlags::IN),
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

    /// Whether it runs as another user, so that it may not be killed.
    fn is_foreign(&self) -> bool {
        test_kill_process(self.pid) == Err(Errno::PERM)
    }

    pub(super) fn collect(&mut self, stopped: Option<Stopped>) -> io::Result<Ended> {
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

impl Process for LocalProcess<'_> {
    fn number(&self) -> i32 {
        self.pid.as_raw_nonzero().get()
    }

    fn name(&self) -> Option<String> {
        let name = std::fs::read(format!("/proc/{}/comm", self.number())).ok()?;
        Some(visible(String::from_utf8_lossy(&name).trim_end()))
    }

    fn is_alive(&self) -> bool {
        matches!(self.look(WaitIdOptions::NOHANG), Ok(None))
    }

    fn exit(&self) -> Option<Exit> {
        let status = self.look(WaitIdOptions::NOHANG).ok()??;
        let code = status.exit_status().map(Exit::Code);
        code.or(status.terminating_signal().map(Exit::Signal))
    }

    fn cpu_time(&self) -> Option<Duration> {
        cpu_time(Path::new("/proc"), self.number())
    }

    fn signal(&self, signal: Signal) {
        let _ = rustix::process::kill_process(self.pid, signal);
    }

    fn ends_within(&self, patience: Duration) -> bool {
        let deadline = later(Instant::now(), patience);
        let Ok(watch) = self.watch() else {
            return !self.is_alive();
        };
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let mut ready = [PollFd::new(watch, PollFlags::IN)];
            match poll(&mut ready, Some(&timespec(left))) {
                Ok(0) => return false,
                Ok(_) => return true,
                Err(Errno::INTR) => {}
                Err(_) => return !self.is_alive(),
            }
        }
    }

    fn listener(&self, port: u16) -> Listener {
        listener(Path::new("/proc"), port, self.pid)
    }

    fn take_turn(&self, length: Duration, limit: Option<Duration>) -> io::Result<Turn> {
        take_turn(self.pid, self.watch()?, self.interrupt, length, limit)
    }

    fn move_to(&self, cpus: &CpuSet) -> io::Result<()> {
        move_to(self.pid, self.brand, cpus)
    }

    fn relatives(&self) -> Vec<Relative> {
        relatives(self.pid, self.brand)
    }

    fn go_on(&self, relative: i32) {
        go_on_if_stopped(relative, self.brand);
    }

    /// Watching against a time limit takes `pidfd_open`, which Linux has since 5.3.
    fn wait(mut self: Box<Self>, limit: Option<Duration>) -> io::Result<Ended> {
        let interrupt = self.interrupt;
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
        if stopped.is_some() && self.is_foreign() && self.is_alive() {
            let number = self.number();
            return Err(io::Error::new(
                ErrorKind::PermissionDenied,
                format!("process {number} runs as another user and cannot be ended: it goes on"),
            ));
        }
        let mut ended = self.collect(stopped)?;
        // It may have ended before the laboratory, which came late, could end it.
        if limit.is_some_and(|limit| ended.wall > limit) {
            ended.stopped = ended.stopped.or(Some(Stopped::TimeLimit));
        }
        Ok(ended)
    }
}

impl Drop for LocalProcess<'_> {
    fn drop(&mut self) {
        if self.collected {
            return;
        }
        let _ = kill_process_group(self.pid, Signal::KILL);
        // Of its group, others may have been killed.
        if !self.is_foreign() {
            let _ = self.collect(None);
        }
    }
}

/// The file to execute for a program's name, seen from its working directory. Found before the clock runs.
fn file_of(program: &OsStr, launch: &Launch<'_>) -> Option<PathBuf> {
    if program.as_bytes().contains(&b'/') {
        return Some(program.into());
    }
    let directory = launch.directory.unwrap_or(Path::new(""));
    let found = resolve_in_path(program, directory, &launch.environment.path())?;
    if found.is_absolute() {
        return Some(found);
    }
    let own = found.strip_prefix(directory).map(Path::to_owned);
    Some(own.unwrap_or(found))
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

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::environment::Environment;
    use crate::host::Redirect;

    /// What `tool` prints that is looked for in `path`, from `directory`: its arguments.
    fn printed(path: &OsStr, directory: &Path) -> String {
        let (reaper, interrupt) = (Reaper::none(), Interrupt::never().unwrap());
        let mut environment = Environment::clean(&[], "none");
        environment.set("PATH", path);
        let log = directory.join("log");
        let launch = Launch {
            argv: &["tool", "/proc/self/cmdline"].map(OsString::from),
            environment: &environment,
            directory: Some(directory),
            stdin: None,
            stdout: Redirect::File(&log),
            stderr: Redirect::Inherit,
            cpus: None,
        };
        let process = LocalProcess::start(&launch, &reaper, &interrupt).unwrap();
        let ended = Box::new(process).wait(None).unwrap();
        assert_eq!(ended.exit, Exit::Code(0));
        fs::read_to_string(&log).unwrap()
    }

    #[test]
    fn a_program_found_in_path_goes_by_its_name() {
        let directory = tempfile::tempdir().unwrap();
        let place = directory.path().join("place");
        fs::create_dir(&place).unwrap();
        symlink("/bin/cat", place.join("tool")).unwrap();
        let path = std::env::join_paths([Path::new("/none"), &place]).unwrap();
        for path in [path.as_os_str(), OsStr::new("place")] {
            let arguments = printed(path, directory.path());
            assert_eq!(arguments, "tool\0/proc/self/cmdline\0");
        }
    }

    #[test]
    fn no_program_is_looked_for_in_another_path() {
        let (reaper, interrupt) = (Reaper::none(), Interrupt::never().unwrap());
        let mut environment = Environment::clean(&[], "none");
        environment.set("PATH", "/none");
        let launch = Launch {
            argv: &["cat"].map(OsString::from),
            environment: &environment,
            directory: None,
            stdin: None,
            stdout: Redirect::Null,
            stderr: Redirect::Null,
            cpus: None,
        };
        let error = LocalProcess::start(&launch, &reaper, &interrupt).unwrap_err();
        let text = error.to_string();
        assert!(
            text.starts_with("cannot start `cat`: it is in no directory of PATH (/none)"),
            "{text}"
        );
    }

    #[test]
    fn a_relative_path_begins_in_the_working_directory() {
        let directory = tempfile::tempdir_in(".").unwrap();
        let relative = Path::new(directory.path().file_name().unwrap());
        symlink("/bin/cat", directory.path().join("tool")).unwrap();
        let arguments = printed(OsStr::new("."), relative);
        assert_eq!(arguments, "tool\0/proc/self/cmdline\0");
    }
}
