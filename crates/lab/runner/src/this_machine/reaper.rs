//! The reaper: a small process beside the laboratory that ends what the laboratory started,
//! should the laboratory die without doing so itself (`kill -9`, a crash, the memory killer).
//!
//! 1. The laboratory starts the reaper with a pipe as its standard input and a file in memory as
//!    its standard output: the table of the process groups that were started and not yet
//!    collected. So the reaper sleeps while anything is measured.
//! 2. The pipe ends when the laboratory is gone, however it went; the kernel closes it.
//! 3. The reaper then kills the groups in the file, and every process that bears this laboratory's
//!    mark in its environment, or its brand ([`super::brand`]): those that left their group, or that
//!    were started in the instant before the laboratory could say so.
//!
//! The mark is a random word that only this laboratory's processes have inherited, and the brand has 31 of its bits, so
//! that a foreign process is hit by accident only. A program escapes that leaves its group, writes over its environment
//! and has no brand: it sets `RLIMIT_RTTIME` itself, or the hard limit forbids the brand. So does one that the
//! laboratory may not signal, as it has become another user.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use super::brand::{Brand, Brands, is_zombie};
use super::table::Table;
use crate::environment::MARK;

/// The first argument that turns the `perflab` binary into a reaper.
pub const REAPER_ARGUMENT: &str = "reaper";

/// How long processes that were killed are waited for, and the pauses in which they are looked for.
const PATIENCE: Duration = Duration::from_secs(10);
const FIRST_PAUSE: Duration = Duration::from_millis(2);
const LONGEST_PAUSE: Duration = Duration::from_millis(100);

/// The laboratory's end of the arrangement.
#[derive(Debug)]
pub struct Reaper {
    mark: String,
    inner: Option<Inner>,
}

#[derive(Debug)]
struct Inner {
    child: Child,
    pipe: Option<io::PipeWriter>,
    table: Arc<Table>,
    brands: Brands,
}

impl Reaper {
    /// Starts a reaper: `program` is a binary that calls [`reap`] when its first argument is
    /// [`REAPER_ARGUMENT`].
    ///
    /// # Errors
    /// When it cannot be started, or the system gives no random numbers.
    pub fn start(program: &Path) -> io::Result<Self> {
        let mark = random_word()?;
        let (read, write) = io::pipe()?;
        let table = Arc::new(Table::new()?);
        let child = Command::new(program)
            .args([REAPER_ARGUMENT, &mark])
            .stdin(read)
            .stdout(table.file().try_clone_to_owned()?)
            .stderr(Stdio::null())
            .env_clear()
            // Out of reach of the terminal's Ctrl-C, which the laboratory deals with itself.
            .process_group(0)
            .spawn()?;
        let inner = Inner {
            child,
            pipe: Some(write),
            table,
            brands: Brands::of(&mark),
        };
        Ok(Self {
            mark,
            inner: Some(inner),
        })
    }

    /// None: what is started is left alone should this process die. For tests of single processes.
    pub fn none() -> Self {
        Self {
            mark: "none".to_owned(),
            inner: None,
        }
    }

    /// The word that marks this laboratory's processes.
    pub fn mark(&self) -> &str {
        &self.mark
    }

    /// The groups that were started and not yet collected; `None` where nobody keeps them.
    pub(crate) fn table(&self) -> Option<Arc<Table>> {
        self.inner.as_ref().map(|inner| Arc::clone(&inner.table))
    }

    /// What to brand the next process with; nothing where nobody keeps it.
    pub(crate) fn next_brand(&self) -> Option<Brand> {
        self.inner.as_ref().map(|inner| inner.brands.next())
    }

    pub(crate) fn started(&self, group: Pid) {
        self.replace(None, Some(group));
    }

    pub(crate) fn ended(&self, group: Pid) {
        self.replace(Some(group), None);
    }

    fn replace(&self, before: Option<Pid>, after: Option<Pid>) {
        let number = |pid: Option<Pid>| pid.map_or(0, |pid| pid.as_raw_nonzero().get());
        // Without a place for it the mark is still there to find it by.
        if let Some(inner) = &self.inner {
            inner.table.replace(number(before), number(after));
        }
    }
}

impl Drop for Reaper {
    fn drop(&mut self) {
        if let Some(inner) = &mut self.inner {
            inner.pipe = None;
            let _ = inner.child.wait();
        }
    }
}

/// What the reaper does: waits until `pipe` ends, then kills what `table` and the mark name.
///
/// Both are as [`Reaper::start`] hands them over, as standard input and output.
pub fn reap(mark: &str, mut pipe: impl Read, table: impl AsFd) {
    // Nothing is ever written into the pipe; an error means the same as its end.
    let _ = io::copy(&mut pipe, &mut io::sink());
    for group in Table::numbers(table).unwrap_or_default() {
        if let Some(group) = Pid::from_raw(group) {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
    // Again until none is found: one may start another while the list is read, or wait for a disk before it ends.
    let end = Instant::now() + PATIENCE;
    let mut pause = FIRST_PAUSE;
    while kill_marked(mark) > 0 && Instant::now() < end {
        thread::sleep(pause);
        // The next laboratory may be measuring.
        pause = LONGEST_PAUSE.min(pause * 2);
    }
}

/// Kills every process that bears the mark or its brand; how many there were.
fn kill_marked(mark: &str) -> usize {
    let wanted = format!("{MARK}={mark}");
    let brands = Brands::of(mark);
    let own = rustix::process::getpid();
    let Ok(processes) = std::fs::read_dir("/proc") else {
        return 0;
    };
    let mut found = 0;
    for process in processes.flatten() {
        let pid = process
            .file_name()
            .to_str()
            .and_then(|name| name.parse().ok())
            .and_then(Pid::from_raw);
        let Some(pid) = pid.filter(|pid| *pid != own) else {
            continue;
        };
        let environment = std::fs::read(process.path().join("environ")).unwrap_or_default();
        let mut variables = environment.split(|byte| *byte == 0);
        let is_marked = variables.any(|variable| variable == wanted.as_bytes());
        if (is_marked || brands.is_borne_by(pid))
            && kill_process(pid, Signal::KILL).is_ok()
            && !is_zombie(pid)
        {
            found += 1;
        }
    }
    found
}

fn random_word() -> io::Result<String> {
    let mut bytes = [0_u8; 16];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
