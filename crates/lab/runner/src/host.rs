//! A host: a machine that systems and workloads run on, and all that is done to it.
//!
//! [`Lab`](crate::Lab) and `perflab bench` reach a machine through [`Host`] alone. [`ThisMachine`](crate::ThisMachine)
//! is the one that perflab runs on. The tests of the laboratory have another one, whose time and processes are
//! simulated.

mod turn;

use std::ffi::{OsStr, OsString};
use std::fmt::{self, Debug};
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use perflab_machine::{Executable, Load};
use rustix::process::Signal;
use rustix::thread::CpuSet;

use crate::cpus::CpuError;
use crate::environment::Environment;
use crate::libraries::Libraries;
use crate::standstill::Moment;

pub use turn::{Relative, Thread, Turn, TurnEnd};

/// A machine that systems and workloads run on.
///
/// Paths are those of the host. Files in the directory of a result are the laboratory's, and processes of the host
/// write to them.
pub trait Host: Debug {
    /// What it is called in records; nothing for the machine that the laboratory runs on.
    fn name(&self) -> Option<&str>;

    /// Starts a process that leads a group of its own.
    ///
    /// # Errors
    /// When it cannot be started: see [`LaunchError`].
    fn start(&self, launch: &Launch<'_>) -> Result<Box<dyn Process + '_>, LaunchError>;

    /// Starts processes one after the other, and waits until all of them have ended, each as with [`Process::wait`]
    /// and a limit. Each is timed by itself: until it ends, not until the last one does, and `ended` is called with its
    /// index then. One that cannot be started leaves the others alone.
    fn execute_all(
        &self,
        launches: &[(Launch<'_>, Duration)],
        ended: &mut dyn FnMut(usize),
    ) -> Vec<Result<io::Result<Ended>, LaunchError>>;

    /// The variables that every process of an experiment gets: few, and those named in `inherit`.
    fn environment(&self, inherit: &[String]) -> Environment;

    /// The file that a command starts from this directory, with this `PATH`.
    ///
    /// # Errors
    /// What is in the way, in words, and what to do about it.
    fn locate(&self, program: &OsStr, directory: &Path, path: &OsStr) -> Result<PathBuf, String>;

    /// The file of a program, with its hash; nothing where it cannot be found or read.
    fn identity(&self, program: &OsStr, directory: &Path, path: &OsStr) -> Option<Executable>;

    /// The shared libraries of a program; nothing where it has none, or cannot be found.
    fn libraries(&self, program: &OsStr, directory: &Path, path: &OsStr) -> Option<Libraries>;

    /// CPUs by their numbers; nothing for an empty list, which means all of them.
    ///
    /// # Errors
    /// When processes may not run on one of them.
    fn cpus(&self, numbers: &[u32]) -> Result<Option<CpuSet>, CpuError>;

    /// The CPUs that processes may run on, those of a core together.
    ///
    /// # Errors
    /// When it cannot be told.
    fn cores(&self) -> Result<Vec<Vec<u32>>, CpuError>;

    /// Its load at this moment.
    fn load(&self) -> Load;

    /// A clock that never goes back.
    fn now(&self) -> Instant;

    /// The time of day.
    fn timestamp(&self) -> Timestamp;

    /// This moment, to find out later whether the laboratory or the machine stood still since.
    fn moment(&self) -> Moment;

    /// Sleeps so long, or until the user asks to stop.
    fn sleep(&self, time: Duration);

    /// Whether the user has asked to stop.
    fn is_interrupted(&self) -> bool;

    /// Makes a directory with all those above it, unless it is there.
    ///
    /// # Errors
    /// When it cannot be made.
    fn create_directory(&self, path: &Path) -> io::Result<()>;

    /// Removes a file, or a directory with all that is in it, as far as it can be removed.
    fn remove(&self, path: &Path);

    /// The length of a regular file in bytes.
    ///
    /// # Errors
    /// `NotFound` where there is none, or something else in its place: a pipe would be waited for, and a link leads
    /// elsewhere.
    fn length(&self, file: &Path) -> io::Result<u64>;

    /// At most `most` bytes of a regular file, from this place on.
    ///
    /// # Errors
    /// As [`Self::length`], or when it cannot be read.
    fn read(&self, file: &Path, from: u64, most: u64) -> io::Result<Vec<u8>>;

    /// Writes a file, instead of whatever is there.
    ///
    /// # Errors
    /// When it cannot be written.
    fn write(&self, file: &Path, content: &[u8]) -> io::Result<()>;

    /// Adds what a regular file holds to the end of another, which is made if there is none.
    ///
    /// # Errors
    /// As [`Self::length`] of both, or when one of them cannot be read or written.
    fn append(&self, file: &Path, to: &Path) -> io::Result<()>;

    /// The files that match a pattern with `*`, in order.
    ///
    /// # Errors
    /// Why they cannot be listed, in words.
    fn matching(&self, pattern: &Path) -> Result<Vec<PathBuf>, String>;

    /// Bytes that are free on the disk of a directory, where that can be told.
    fn room(&self, directory: &Path) -> Option<u64>;

    /// Whether nobody has a TCP port of the loopback address.
    fn is_free(&self, port: u16) -> bool;

    /// Connects, and disconnects at once.
    ///
    /// # Errors
    /// When nobody accepts the connection within this time.
    fn connect(&self, to: Endpoint<'_>, patience: Duration) -> io::Result<()>;
}

/// What a server can be reached by.
#[derive(Debug, Clone, Copy)]
pub enum Endpoint<'a> {
    /// A TCP address.
    Tcp(SocketAddr),
    /// A Unix socket.
    Unix(&'a Path),
}

/// A process that was started on a host, and the group that it leads.
///
/// Dropping it kills the whole group, and whatever else came of it.
pub trait Process: Debug {
    /// Its number, which is its group's too.
    fn number(&self) -> i32;

    /// What the kernel calls it: the name of its program, cut to 15 bytes.
    fn name(&self) -> Option<String>;

    /// Whether it is still running.
    fn is_alive(&self) -> bool;

    /// How it ended, if it has.
    fn exit(&self) -> Option<Exit>;

    /// CPU time that it and its children have used so far; nothing where that cannot be told.
    fn cpu_time(&self) -> Option<Duration>;

    /// Sends a signal to the process alone, which may want to end its children itself.
    fn signal(&self, signal: Signal);

    /// Waits at most so long, without ending anything; whether it has ended by then.
    fn ends_within(&self, patience: Duration) -> bool;

    /// Who listens on a TCP port of its host.
    fn listener(&self, port: u16) -> Listener;

    /// Lets it go on with its whole group, and stops them (SIGSTOP) after so long. It returns once nothing of the process
    /// runs, and all others of the group are told to stop; early, with the group as it is, if the process ends or the
    /// user asks to stop. A stop that does not hold is waited for until the turn has taken `limit`, or no thread has run for
    /// some seconds: see [`TurnEnd::Unstopped`].
    ///
    /// # Errors
    /// `PermissionDenied` where it may not be signalled, as it runs as another user. When it cannot be watched, or
    /// somebody else collected it.
    fn take_turn(&self, length: Duration, limit: Option<Duration>) -> io::Result<Turn>;

    /// Moves all of its threads, and those of all that came of it, onto these CPUs. What they start later begins there.
    ///
    /// # Errors
    /// When one of them may not be moved, or they go back by themselves.
    fn move_to(&self, cpus: &CpuSet) -> io::Result<()>;

    /// The processes that came of it and still live, itself included, also those that have left its group.
    fn relatives(&self) -> Vec<Relative>;

    /// Lets one of its relatives go on, by its number, if that is stopped.
    fn go_on(&self, relative: i32);

    /// Waits until it has ended. At the limit, or when the user asks to stop, the whole group is killed. What it left
    /// running is killed in any case, also where that has left the group.
    ///
    /// # Errors
    /// `PermissionDenied` where it is to end, but runs as another user; it goes on. When it can be waited for no longer, as
    /// somebody else collected it, or cannot be watched against a time limit.
    fn wait(self: Box<Self>, limit: Option<Duration>) -> io::Result<Ended>;
}

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

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// It returned this code.
    Code(i32),
    /// This signal ended it.
    Signal(i32),
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "ended with exit code {code}"),
            Self::Signal(signal) => write!(f, "was ended by signal {signal}"),
        }
    }
}

/// What a process and the children it waited for have used, from the kernel's accounting.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ResourceUsage {
    /// Time in user mode.
    pub user: Duration,
    /// Time in the kernel.
    pub system: Duration,
    /// Largest resident set of any one process among them, in bytes; `None` where that cannot be
    /// told.
    ///
    /// Linux counts the memory that a process had *before* it called exec, which is the
    /// laboratory's own. So a peak that is not above the laboratory's says nothing.
    pub max_rss_bytes: Option<u64>,
    /// Context switches because the process had to wait.
    pub voluntary_switches: u64,
    /// Context switches because the processor was taken away.
    pub involuntary_switches: u64,
    /// Page faults served without input or output.
    pub minor_faults: u64,
    /// Page faults that had to read.
    pub major_faults: u64,
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

impl Ended {
    /// The same of two processes, one after the other.
    pub(crate) fn then(self, next: &Self) -> Self {
        let (first, second) = (self.usage, next.usage);
        Self {
            exit: next.exit,
            wall: self.wall + next.wall,
            usage: ResourceUsage {
                user: first.user + second.user,
                system: first.system + second.system,
                max_rss_bytes: first.max_rss_bytes.max(second.max_rss_bytes),
                voluntary_switches: first.voluntary_switches + second.voluntary_switches,
                involuntary_switches: first.involuntary_switches + second.involuntary_switches,
                minor_faults: first.minor_faults + second.minor_faults,
                major_faults: first.major_faults + second.major_faults,
            },
            stopped: next.stopped,
        }
    }
}

/// Why the laboratory ended a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// Its time limit ran out.
    TimeLimit,
    /// The user asked to stop.
    Interrupted,
}

/// Who listens on a port, as far as a process's host can tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listener {
    /// Nobody listens.
    Nobody,
    /// A process of the group does.
    Ours,
    /// Somebody does, and it is none of the group.
    Other,
    /// Somebody does; who cannot be seen, as the group's descriptors may not be read.
    Unknown,
}

/// A moment so much later. Experiments may name times that no clock can show; they mean forever.
pub(crate) fn later(moment: Instant, time: Duration) -> Instant {
    const CENTURY: Duration = Duration::from_secs(100 * 365 * 86_400);
    moment + time.min(CENTURY)
}
