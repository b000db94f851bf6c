//! The reaper: a small process beside the laboratory that ends what the laboratory started,
//! should the laboratory die without doing so itself (`kill -9`, a crash, the memory killer).
//!
//! 1. The laboratory starts the reaper with a pipe as its standard input and a file in memory as
//!    its standard output: the table of the process groups that were started and not yet
//!    collected. So the reaper sleeps while anything is measured. It inherits the lock of the
//!    machine as well.
//! 2. The pipe ends when the laboratory is gone, however it went; the kernel closes it.
//! 3. The reaper then kills the groups in the file, and every process that bears this laboratory's
//!    mark in its environment, or its brand ([`super::brand`]): those that left their group, or that
//!    were started in the instant before the laboratory could say so.
//! 4. It ends when all of them have, and no sooner is the lock of the machine free: else the next
//!    laboratory would find ports taken, or measure beside them. After [`Reaper::PATIENCE`] it gives up.
//!
//! The mark is a random word that only this laboratory's processes have inherited, and the brand has 31 of its bits, so
//! that a foreign process is hit by accident only. A program escapes that leaves its group, writes over its environment
//! and has no brand: it sets `RLIMIT_RTTIME` itself, or the hard limit forbids the brand. So does one that the
//! laboratory may not signal, as it has become another user.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use perflab_machine::MachineLock;
use rustix::io::dup;
use rustix::process::{Pid, Signal, getpid, kill_process, kill_process_group};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use super::brand::{Brand, Brands, MARK_DIGITS, REAPER_ARGUMENT, all, ends, group_of, has_ended};
use super::table::Table;
use crate::environment::MARK;

/// The pauses in which processes that were killed are looked for.
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
    /// How long a reaper waits for processes that it has killed.
    pub const PATIENCE: Duration = Duration::from_secs(10);

    /// Starts a reaper: `program` is a binary that calls [`reap`] when its first argument is
    /// [`REAPER_ARGUMENT`]. Should this process die, the reaper holds `lock` until it has ended. Drop
    /// the reaper before the lock.
    ///
    /// # Errors
    /// When it cannot be started, or the system gives no random numbers.
    pub fn start(program: &Path, lock: Option<&MachineLock>) -> io::Result<Self> {
        let mark = random_word()?;
        let (read, write) = io::pipe()?;
        let table = Arc::new(Table::new()?);
        // Unlike what they are copies of, these are inherited. So they are closed before any other process is started.
        let locks = lock.into_iter().flat_map(MachineLock::descriptors);
        let inherited = locks.map(dup).collect::<Result<Vec<OwnedFd>, _>>()?;
        let child = Command::new(program)
            .args([REAPER_ARGUMENT, &mark])
            .stdin(read)
            .stdout(table.file().try_clone_to_owned()?)
            .stderr(Stdio::null())
            .env_clear()
            // Out of reach of the terminal's Ctrl-C, which the laboratory deals with itself.
            .process_group(0)
            .spawn()?;
        drop(inherited);
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
    // Whoever ends a session signals all that is in it: the laboratory, and this process as well.
    for signal in [SIGHUP, SIGINT, SIGTERM] {
        let _ = signal_hook::flag::register(signal, Arc::default());
    }
    // Nothing is ever written into the pipe; an error means the same as its end.
    let _ = io::copy(&mut pipe, &mut io::sink());
    end(mark, &Table::numbers(table).unwrap_or_default());
}

/// Kills the groups, and every process that bears the mark or its brand; waits until they have ended.
fn end(mark: &str, groups: &[i32]) {
    let deadline = Instant::now() + Reaper::PATIENCE;
    for group in groups.iter().copied().filter_map(Pid::from_raw) {
        let _ = kill_process_group(group, Signal::KILL);
    }
    let is_member = |pid: &Pid| group_of(*pid).is_some_and(|group| groups.contains(&group));
    // Kept in mind, as what is dying has no environment any more, but its files may still be open.
    let mut left = all();
    left.retain(|pid| is_member(pid) && kill_process(*pid, Signal::KILL).is_ok());
    let brands = Brands::of(mark);
    let mut pause = FIRST_PAUSE;
    // Again until none is found: one may start another while the list is read, or wait for a disk before it ends.
    loop {
        left.retain(|pid| !has_ended(*pid));
        for pid in all() {
            if !left.contains(&pid)
                && (is_marked(pid, mark) || brands.is_borne_by(pid))
                && !has_ended(pid)
                && ends(pid)
            {
                left.push(pid);
            }
        }
        if left.is_empty() || Instant::now() >= deadline {
            return;
        }
        thread::sleep(pause);
        pause = LONGEST_PAUSE.min(pause * 2);
    }
}

/// Whether a process other than this one has the mark in its environment.
fn is_marked(pid: Pid, mark: &str) -> bool {
    let path = format!("/proc/{}/environ", pid.as_raw_nonzero());
    let environment = std::fs::read(path).unwrap_or_default();
    let wanted = format!("{MARK}={mark}");
    let mut variables = environment.split(|byte| *byte == 0);
    pid != getpid() && variables.any(|variable| variable == wanted.as_bytes())
}

fn random_word() -> io::Result<String> {
    let mut bytes = [0_u8; MARK_DIGITS / 2];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};

    use perflab_testing::needs;

    use super::*;

    /// A process that takes some hundredths of a second to die.
    fn large() -> Child {
        needs("python3", "python3");
        let script = "import mmap, time\n\
                      memory = mmap.mmap(-1, 256 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)\n\
                      memory.madvise(mmap.MADV_NOHUGEPAGE)\n\
                      for page in range(0, len(memory), mmap.PAGESIZE): memory[page] = 1\n\
                      print('up', flush=True)\n\
                      time.sleep(300)";
        let mut command = Command::new("python3");
        command.args(["-c", script]).process_group(0);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        output.read_line(&mut String::new()).unwrap();
        child
    }

    #[test]
    fn a_group_without_a_mark_has_ended_as_well() {
        let mut child = large();
        let pid = Pid::from_child(&child);
        end("0123456789abcdef", &[pid.as_raw_nonzero().get()]);
        assert!(has_ended(pid));
        child.wait().unwrap();
    }
}
