//! The keeper: a small process beside the laboratory that ends what the laboratory started,
//! should the laboratory die without doing so itself (`kill -9`, a crash, the memory killer).
//!
//! 1. The laboratory starts the keeper with a pipe as its standard input and a file in memory as
//!    its standard output. Into that file it writes the process groups that it has started and
//!    not yet collected, a slot each. So the keeper sleeps while anything is measured.
//! 2. The pipe ends when the laboratory is gone, however it went; the kernel closes it.
//! 3. The keeper then kills the groups in the file, and every process whose environment bears
//!    this laboratory's mark: those that left their group, or that were started in the instant
//!    before the laboratory could say so.
//!
//! The mark is a random word that only this laboratory's processes have inherited, so nothing else
//! is ever hit. A program that both leaves its group and overwrites its environment escapes.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;

use rustix::fs::{MemfdFlags, memfd_create};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use crate::environment::MARK;

/// The first argument that turns the `perflab` binary into a keeper.
pub const KEEPER_ARGUMENT: &str = "keeper";

/// The laboratory's end of the arrangement.
#[derive(Debug)]
pub struct Keeper {
    mark: String,
    inner: Option<Mutex<Inner>>,
}

#[derive(Debug)]
struct Inner {
    child: Child,
    pipe: Option<io::PipeWriter>,
    table: File,
    slots: Vec<Option<Pid>>,
}

/// Bytes of a slot: a process number, or zero.
const SLOT_BYTES: usize = size_of::<i32>();

impl Keeper {
    /// Starts a keeper: `program` is a binary that calls [`keep`] when its first argument is
    /// [`KEEPER_ARGUMENT`].
    ///
    /// # Errors
    /// When it cannot be started, or the system gives no random numbers.
    pub fn start(program: &Path) -> io::Result<Self> {
        let mark = random_word()?;
        let (read, write) = io::pipe()?;
        let table = File::from(memfd_create("perflab-groups", MemfdFlags::CLOEXEC)?);
        let child = Command::new(program)
            .args([KEEPER_ARGUMENT, &mark])
            .stdin(read)
            .stdout(table.try_clone()?)
            .stderr(Stdio::null())
            .env_clear()
            // Out of reach of the terminal's Ctrl-C, which the laboratory deals with itself.
            .process_group(0)
            .spawn()?;
        let inner = Inner {
            child,
            pipe: Some(write),
            table,
            slots: Vec::new(),
        };
        Ok(Self {
            mark,
            inner: Some(Mutex::new(inner)),
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

    pub(crate) fn started(&self, group: Pid) {
        self.replace(None, Some(group));
    }

    pub(crate) fn ended(&self, group: Pid) {
        self.replace(Some(group), None);
    }

    fn replace(&self, before: Option<Pid>, after: Option<Pid>) {
        let Some(inner) = &self.inner else { return };
        let Ok(mut inner) = inner.lock() else { return };
        let slot = match inner.slots.iter().position(|slot| *slot == before) {
            Some(slot) => slot,
            None if before.is_none() => {
                inner.slots.push(None);
                inner.slots.len() - 1
            }
            None => return,
        };
        inner.slots[slot] = after;
        let number = after.map_or(0, |pid| pid.as_raw_nonzero().get());
        // Without room in memory for one more page the mark is still there to find it by.
        let _ = inner
            .table
            .write_all_at(&number.to_ne_bytes(), (slot * SLOT_BYTES) as u64);
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        if let Some(inner) = &mut self.inner
            && let Ok(inner) = inner.get_mut()
        {
            inner.pipe = None;
            let _ = inner.child.wait();
        }
    }
}

/// What the keeper does: waits until `pipe` ends, then kills what `table` and the mark name.
///
/// Both are as [`Keeper::start`] hands them over, as standard input and output.
pub fn keep(mark: &str, mut pipe: impl Read, table: impl AsFd) {
    // Nothing is ever written into the pipe; an error means the same as its end.
    let _ = io::copy(&mut pipe, &mut io::sink());
    if let Ok(table) = table.as_fd().try_clone_to_owned() {
        let table = File::from(table);
        let mut slot = [0_u8; SLOT_BYTES];
        let mut offset = 0;
        while table.read_exact_at(&mut slot, offset).is_ok() {
            if let Some(group) = Pid::from_raw(i32::from_ne_bytes(slot)) {
                let _ = kill_process_group(group, Signal::KILL);
            }
            offset += SLOT_BYTES as u64;
        }
    }
    // Again until none is found: one may start another while the list is read.
    for _ in 0..100 {
        if kill_marked(mark) == 0 {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
}

/// Kills every process whose environment bears the mark; how many there were.
fn kill_marked(mark: &str) -> usize {
    let wanted = format!("{MARK}={mark}");
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
        let Ok(environment) = std::fs::read(process.path().join("environ")) else {
            continue;
        };
        if environment
            .split(|byte| *byte == 0)
            .any(|variable| variable == wanted.as_bytes())
            && kill_process(pid, Signal::KILL).is_ok()
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
