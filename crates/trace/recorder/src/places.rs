//! Where processes keep what is recorded, and what is left of those that ended.

use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use perflab_abi::recording::{FOR_FILE, LOSSES_FILE, PROCESS_FILE, TOTAL_FILE, TOTAL_MAGIC, total};
use perflab_control::Process;

use crate::directory::Directory;
use crate::error::RecordError;
use crate::mapping::Access;
use crate::names::{lives, process_of, ring_number};

/// A process with rings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    /// The process.
    pub process: Process,
    /// Its directory.
    pub directory: PathBuf,
    /// Whether it lives.
    pub is_alive: bool,
}

/// The directories where this user's processes may keep rings; those of all users, for the superuser.
pub fn directories() -> Vec<PathBuf> {
    let user = rustix::process::geteuid().as_raw();
    let mut directories = perflab_control::directories(user);
    let memory = Path::new("/dev/shm");
    directories.push(memory.join(format!("perflab-{user}")));
    if user == 0 {
        let entries = std::fs::read_dir(memory).into_iter().flatten().flatten();
        let of_users = entries
            .filter(|entry| entry.file_name().to_string_lossy().starts_with("perflab-"))
            .map(|entry| entry.path());
        directories.extend(of_users);
    }
    directories.sort();
    directories.dedup();
    directories
}

/// The processes that have rings in some directories, by number, then start. Directories that are not there,
/// are open to others or belong to another user are passed over.
pub fn recorded(directories: &[PathBuf]) -> Vec<Recorded> {
    found(directories, |_| true)
}

/// Those whose directories are wanted.
fn found(directories: &[PathBuf], is_wanted: impl Fn(&Path) -> bool) -> Vec<Recorded> {
    let mut found = Vec::new();
    for directory in directories {
        let names = Directory::open(directory).and_then(|open| {
            open.names()
                .map_err(|error| RecordError::file(directory, error))
        });
        for name in names.unwrap_or_default() {
            let path = directory.join(name);
            if let Some(process) = process_of(&path).filter(|_| is_wanted(&path)) {
                found.push(Recorded {
                    process,
                    is_alive: lives(&path),
                    directory: path,
                });
            }
        }
    }
    found.sort_by_key(|recorded| (recorded.process.pid, recorded.process.start));
    found
}

/// The processes that keep their events for whoever gave them this text, alive or dead.
pub fn kept_for(directories: &[PathBuf], whom: &str) -> Vec<Recorded> {
    // Asked first, as there may be many others.
    found(directories, |directory| {
        let text = Directory::open(directory)
            .ok()
            .and_then(|directory| directory.file(FOR_FILE, Access::Read).ok())
            .and_then(|file| {
                let mut text = vec![0; whom.len() + 1];
                let read = file.read_at(&mut text, 0).ok()?;
                text.truncate(read);
                Some(text)
            });
        text.is_some_and(|text| text == whom.as_bytes())
    })
}

/// Recordings of dead processes that agents have removed, as all those of a user together may take so much memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Removed {
    /// How many processes.
    pub processes: u64,
    /// Events that were in them.
    pub events: u64,
}

/// What agents have removed from some directories, since they are there. Only what this user's agents say, for the
/// superuser all.
pub fn removed(directories: &[PathBuf]) -> Removed {
    let mut sum = Removed::default();
    for directory in directories {
        let file = Directory::open(directory)
            .ok()
            .and_then(|directory| directory.file(TOTAL_FILE, Access::Read).ok());
        let word = |index: usize| {
            let mut word = [0; 8];
            file.as_ref()?
                .read_exact_at(&mut word, index as u64 * 8)
                .ok()?;
            Some(u64::from_le_bytes(word))
        };
        if word(total::MAGIC) == Some(TOTAL_MAGIC) {
            let [processes, events] = [total::PROCESSES, total::EVENTS].map(word);
            sum.processes = sum.processes.saturating_add(processes.unwrap_or(0));
            sum.events = sum.events.saturating_add(events.unwrap_or(0));
        }
    }
    sum
}

/// Removes what processes left that are dead, if nothing in it was written for so long. Only this user's, and
/// only files that are called as theirs are; a directory with others stays. Returns what was removed.
pub fn sweep(directories: &[PathBuf], age: Duration) -> Vec<PathBuf> {
    let user = rustix::process::geteuid().as_raw();
    let mut removed = Vec::new();
    for recorded in recorded(directories) {
        let path = recorded.directory;
        let Ok(directory) = Directory::open(&path) else {
            continue;
        };
        let is_left = !recorded.is_alive && directory.owner() == user;
        if is_left && is_older(&directory, age) && remove(&directory).is_ok() {
            removed.push(path);
        }
    }
    removed
}

fn is_older(directory: &Directory, age: Duration) -> bool {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map_or(0, |time| time.as_secs());
    let changed = directory
        .changed()
        .ok()
        .and_then(|at| u64::try_from(at).ok());
    changed.is_some_and(|at| now.saturating_sub(at) >= age.as_secs())
}

/// Removes what one process left that has ended: only files that are called as its are.
///
/// # Errors
/// When it lives, the directory is not believed, or something cannot be removed.
pub fn remove_orphaned(path: &Path) -> Result<(), RecordError> {
    if lives(path) || process_of(path).is_none() {
        return Err(RecordError::Lives(path.to_owned()));
    }
    remove(&Directory::open(path)?).map_err(|error| RecordError::file(path, error))
}

fn remove(directory: &Directory) -> io::Result<()> {
    let mut names = directory.names()?;
    // As long as it says for whom the rings are, no agent that needs memory counts their events as lost.
    names.sort_by_key(|name| name == FOR_FILE);
    for name in names {
        let is_known = [PROCESS_FILE, LOSSES_FILE, FOR_FILE].contains(&name.as_str());
        if is_known || ring_number(&name).is_some() {
            directory.remove(&name)?;
        }
    }
    // Refused where something else is in it, or it is a link by now.
    std::fs::remove_dir(directory.path())
}
