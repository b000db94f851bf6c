//! Starts a program, as [`std::process::Command`] does, for less.
//!
//! `Command` takes all variables apart and puts them together again at each start, those that the laboratory has
//! inherited with them: two thirds of the instructions that the laboratory needed for a run of a short command, within
//! the time of that run. Here they are copied once, before the time begins, and one descriptor may serve several streams.
#![expect(
    unsafe_code,
    reason = "posix_spawn has no safe wrapper that takes variables as they are"
)]

use std::ffi::{CString, OsStr};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::process::Pid;

use crate::words::Words;

/// What to start.
#[derive(Debug)]
pub(super) struct Start<'a> {
    /// The file to execute, seen from the working directory.
    pub(super) file: &'a Path,
    pub(super) arguments: &'a Words,
    pub(super) variables: &'a Words,
    /// The working directory; the laboratory's own where absent.
    pub(super) directory: Option<&'a Path>,
    /// Standard input, output and error; the laboratory's own where absent.
    pub(super) streams: [Option<BorrowedFd<'a>>; 3],
}

impl Start<'_> {
    /// Starts it as the leader of its own process group, with the usual action of SIGPIPE, which Rust programs ignore.
    ///
    /// # Errors
    /// When it cannot be started.
    pub(super) fn spawn(&self) -> io::Result<Pid> {
        let file = c_string(self.file.as_os_str())?;
        let mut actions = Actions::new()?;
        if let Some(directory) = self.directory {
            actions.change_directory(&c_string(directory.as_os_str())?)?;
        }
        for (number, stream) in (0..).zip(self.streams) {
            if let Some(stream) = stream {
                actions.copy(stream, number)?;
            }
        }
        let attributes = Attributes::new()?;
        let (arguments, variables) = (self.arguments.pointers(), self.variables.pointers());
        let mut pid = 0;
        // SAFETY: `pid` can be written to. The file ends with a zero byte, actions and attributes were initialised, and
        // both lists end with a null pointer and lead to words that end with a zero byte. All of that outlives the
        // call, which writes to none of it.
        succeeded(unsafe {
            libc::posix_spawn(
                &raw mut pid,
                file.as_ptr(),
                &raw const actions.0,
                &raw const attributes.0,
                arguments.as_ptr(),
                variables.as_ptr(),
            )
        })?;
        Pid::from_raw(pid).ok_or_else(|| io::Error::other("the process has no number"))
    }
}

/// What the new process does before it executes the file.
struct Actions(libc::posix_spawn_file_actions_t);

impl Actions {
    fn new() -> io::Result<Self> {
        let mut own = MaybeUninit::uninit();
        // SAFETY: the pointer leads to room for the actions, which are filled where the call succeeds.
        succeeded(unsafe { libc::posix_spawn_file_actions_init(own.as_mut_ptr()) })?;
        // SAFETY: the call has succeeded.
        Ok(Self(unsafe { own.assume_init() }))
    }

    fn change_directory(&mut self, to: &CString) -> io::Result<()> {
        // SAFETY: the actions were initialised, and the path ends with a zero byte; the call copies it.
        succeeded(unsafe {
            libc::posix_spawn_file_actions_addchdir_np(&raw mut self.0, to.as_ptr())
        })
    }

    fn copy(&mut self, from: BorrowedFd<'_>, to: i32) -> io::Result<()> {
        // SAFETY: the actions were initialised; the call takes two numbers besides.
        succeeded(unsafe {
            libc::posix_spawn_file_actions_adddup2(&raw mut self.0, from.as_raw_fd(), to)
        })
    }
}

impl Drop for Actions {
    fn drop(&mut self) {
        // SAFETY: the actions were initialised, and nobody uses them after this.
        let _ = unsafe { libc::posix_spawn_file_actions_destroy(&raw mut self.0) };
    }
}

/// How the new process differs from this one: in its process group, and in the action of SIGPIPE.
struct Attributes(libc::posix_spawnattr_t);

impl Attributes {
    fn new() -> io::Result<Self> {
        let mut own = MaybeUninit::uninit();
        // SAFETY: the pointer leads to room for the attributes, which are filled where the call succeeds.
        succeeded(unsafe { libc::posix_spawnattr_init(own.as_mut_ptr()) })?;
        // SAFETY: the call has succeeded.
        let mut own = Self(unsafe { own.assume_init() });
        let attributes = &raw mut own.0;
        let mut signals = MaybeUninit::<libc::sigset_t>::uninit();
        let flags = libc::POSIX_SPAWN_SETPGROUP | libc::POSIX_SPAWN_SETSIGDEF;
        let flags = libc::c_short::try_from(flags).map_err(io::Error::other)?;
        // SAFETY: the attributes were initialised. The first call fills the set of signals for the two that follow. The
        // first two fail for a number that is no signal only.
        unsafe {
            libc::sigemptyset(signals.as_mut_ptr());
            libc::sigaddset(signals.as_mut_ptr(), libc::SIGPIPE);
            succeeded(libc::posix_spawnattr_setsigdefault(
                attributes,
                signals.as_ptr(),
            ))?;
            succeeded(libc::posix_spawnattr_setpgroup(attributes, 0))?;
            succeeded(libc::posix_spawnattr_setflags(attributes, flags))?;
        }
        Ok(own)
    }
}

impl Drop for Attributes {
    fn drop(&mut self) {
        // SAFETY: the attributes were initialised, and nobody uses them after this.
        let _ = unsafe { libc::posix_spawnattr_destroy(&raw mut self.0) };
    }
}

/// These calls return the number of an error, and leave `errno` alone.
fn succeeded(number: libc::c_int) -> io::Result<()> {
    match number {
        0 => Ok(()),
        number => Err(io::Error::from_raw_os_error(number)),
    }
}

fn c_string(text: &OsStr) -> io::Result<CString> {
    Ok(CString::new(text.as_bytes())?)
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::os::fd::AsFd;
    use std::os::unix::process::CommandExt;
    use std::process::Command;

    use super::super::sys::wait4;
    use super::*;

    /// Says what a process can find different: its signals, group, directory, variables, descriptors.
    const SCRIPT: &str = "\
grep -E '^(Sig[^Q]|Shd)' /proc/self/status
cut -d' ' -f5 /proc/$$/stat | grep -qx $$ && echo leads
pwd
tr '\\0' '\\n' </proc/$$/environ
tr '\\0' '\\n' </proc/$$/cmdline
ls -l /proc/self/fd | wc -l
cat
echo error >&2
";

    #[test]
    fn a_process_finds_what_it_finds_when_the_standard_library_starts_it() {
        let directory = tempfile::tempdir().unwrap();
        let [input, one, other] = ["in", "one", "other"].map(|name| directory.path().join(name));
        fs::write(&input, "read\n").unwrap();
        let arguments = ["tool", "-c", SCRIPT];

        let log = File::create(&one).unwrap();
        let mut command = Command::new("/bin/sh");
        command
            .arg0(arguments[0])
            .args(&arguments[1..])
            .process_group(0);
        command
            .env_clear()
            .envs([("PATH", "/usr/bin:/bin"), ("A", "")]);
        command
            .current_dir(directory.path())
            .stdin(File::open(&input).unwrap());
        command.stdout(log.try_clone().unwrap()).stderr(log);
        assert!(command.status().unwrap().success());

        let log = File::create(&other).unwrap();
        let read = File::open(&input).unwrap();
        let start = Start {
            file: Path::new("/bin/sh"),
            arguments: &Words::of(&arguments.map(Into::into)).unwrap(),
            variables: &Words::of(&["A=", "PATH=/usr/bin:/bin"].map(Into::into)).unwrap(),
            directory: Some(directory.path()),
            streams: [Some(read.as_fd()), Some(log.as_fd()), Some(log.as_fd())],
        };
        wait4(start.spawn().unwrap()).unwrap();

        let [one, other] = [one, other].map(|file| fs::read_to_string(file).unwrap());
        assert_eq!(one, other);
        assert!(
            one.contains("\nleads\n") && one.ends_with("read\nerror\n"),
            "{one}"
        );
    }

    #[test]
    fn what_cannot_be_started_says_why() {
        let words = Words::with_capacity(0, 0);
        let start = |file, directory| Start {
            file: Path::new(file),
            arguments: &words,
            variables: &words,
            directory: Some(Path::new(directory)),
            streams: [None; 3],
        };
        for (file, directory) in [("/none", "/"), ("/bin/true", "/none")] {
            let error = start(file, directory).spawn().unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::NotFound);
        }
        let error = start("/etc/passwd", "/").spawn().unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
    }
}
