//! Settings in force, from the first write until they are restored.

use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::journal::{Entry, Journal, SCHEMA, make_directory};
use super::target::Target;
use super::wish::{Change, Wish};
use crate::lock_file::{LockFile, LockFileError};
use crate::source::{Root, plain};

/// The lock's name in the state directory.
///
/// Who is in a session signs it. Who puts settings back after another does not: that takes a moment.
const LOCK: &str = "settings.lock";

/// How long a lock is waited for that nobody alive has signed, and how often it is tried.
const PATIENCE: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(2);

/// Why settings cannot be changed or restored.
#[derive(Debug, thiserror::Error)]
pub enum TuneError {
    /// Another process has settings in force.
    #[error("another laboratory has changed settings of this machine and is not done: {0}")]
    Busy(LockFileError),
    /// Settings were changed on purpose until somebody restores them.
    #[error(
        "settings of this machine are in force that `{0}` made; put them back first: perflab doctor --restore"
    )]
    Kept(String),
    /// The journal cannot be used.
    #[error("cannot use the journal of settings in {}: {source}", directory.display())]
    Journal {
        /// The state directory.
        directory: PathBuf,
        /// What is wrong.
        source: io::Error,
    },
    /// The lock cannot be used.
    #[error(transparent)]
    Lock(LockFileError),
    /// Some settings could not be put back; they stay in the journal.
    #[error(
        "could not put back: {}; the old values are kept in {}, try again with perflab doctor --restore",
        left.join("; "), directory.display()
    )]
    Left {
        /// What was not put back, and why.
        left: Vec<String>,
        /// The state directory.
        directory: PathBuf,
    },
}

/// The result of an operation on settings.
pub type Result<T> = std::result::Result<T, TuneError>;

/// What became of a wish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It was so already.
    Already,
    /// It was set, and read again.
    Set {
        /// The values before, if all were alike, else the first one.
        before: String,
    },
    /// It cannot be had, or did not take.
    Failed(String),
}

/// What [`recover`] found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recovered {
    /// Nothing to do: no journal, or the process that wrote it is at work.
    Nothing,
    /// The journal was of an earlier boot and was removed.
    Rebooted,
    /// The settings are to stay until somebody asks.
    Kept(String),
    /// So many settings of this command were put back.
    Restored(String, usize),
}

/// Settings in force. Dropping it restores them as well as it can.
#[derive(Debug)]
pub struct Session {
    root: PathBuf,
    directory: PathBuf,
    journal: Journal,
    over: bool,
    _lock: LockFile,
}

impl Session {
    /// Begins: nothing is changed yet. `directory` is the state directory, made if need be.
    ///
    /// # Errors
    /// When another session is under way, or settings are kept in force. What a dead session left
    /// is put back first.
    pub fn begin(root: &Path, directory: &Path) -> Result<Self> {
        let journal_error = |source| TuneError::Journal {
            directory: directory.to_path_buf(),
            source,
        };
        make_directory(directory).map_err(journal_error)?;
        let lock = lock(directory)?;
        match settle(root, directory, false)? {
            Recovered::Kept(command) => return Err(TuneError::Kept(command)),
            Recovered::Nothing | Recovered::Rebooted | Recovered::Restored(..) => {}
        }
        lock.sign();
        let command: Vec<String> = std::env::args_os()
            .map(|word| word.to_string_lossy().into_owned())
            .collect();
        Ok(Self {
            root: root.to_path_buf(),
            directory: directory.to_path_buf(),
            journal: Journal {
                schema: SCHEMA,
                boot: boot(root),
                command: plain(&command.join(" ")).chars().take(200).collect(),
                kept: false,
                entries: Vec::new(),
            },
            over: false,
            _lock: lock,
        })
    }

    /// Makes these wishes true and every other setting that this session changed what it was.
    ///
    /// # Errors
    /// When the journal cannot be written (then the setting in question is left alone), or a
    /// setting that is no longer wished for cannot be put back.
    pub fn set(&mut self, wishes: &[Wish]) -> Result<Vec<Outcome>> {
        let mut wanted = Vec::new();
        for wish in wishes {
            wanted.extend(wish.changes(&self.root).into_iter().flatten());
        }
        let mut left = Vec::new();
        for entry in self.journal.entries.iter().rev() {
            if !wanted.iter().any(|change| change.target == entry.target)
                && let Err(why) = put(&self.root, &entry.target, &entry.before)
            {
                left.push(why);
            }
        }
        if !left.is_empty() {
            return Err(self.left(left));
        }
        wishes.iter().map(|wish| self.fulfil(wish)).collect()
    }

    fn fulfil(&mut self, wish: &Wish) -> Result<Outcome> {
        let changes = match wish.changes(&self.root) {
            Ok(changes) => changes,
            Err(why) => return Ok(Outcome::Failed(why.to_string())),
        };
        let mut needed: Vec<(Change, String)> = Vec::new();
        for change in changes {
            match change.target.read(&self.root) {
                Ok(now) if same(&now, &change.value) => {}
                Ok(now) => needed.push((change, now)),
                Err(error) => {
                    return Ok(Outcome::Failed(format!(
                        "cannot read {}: {error}",
                        change.target
                    )));
                }
            }
        }
        let Some((_, before)) = needed.first() else {
            return Ok(Outcome::Already);
        };
        let before = before.clone();
        for (change, now) in &needed {
            self.note(change, now);
        }
        self.store()?;
        let mut failed = Vec::new();
        for (change, _) in &needed {
            if let Err(why) = put(&self.root, &change.target, &change.value) {
                failed.push(why);
            }
        }
        // Of many interrupts some are bound to their CPU; the others have moved.
        let some = failed.len() < needed.len();
        match failed.first() {
            Some(_) if some && matches!(wish, Wish::InterruptsAwayFrom(_)) => {
                Ok(Outcome::Set { before })
            }
            Some(why) => Ok(Outcome::Failed(why.clone())),
            None => Ok(Outcome::Set { before }),
        }
    }

    /// Puts a change into the journal. The value before the first change is the one that counts.
    fn note(&mut self, change: &Change, now: &str) {
        let known = self
            .journal
            .entries
            .iter_mut()
            .find(|entry| entry.target == change.target);
        match known {
            Some(entry) => entry.after.clone_from(&change.value),
            None => self.journal.entries.push(Entry {
                target: change.target.clone(),
                before: now.to_owned(),
                after: change.value.clone(),
            }),
        }
    }

    fn store(&self) -> Result<()> {
        self.journal
            .store(&self.directory)
            .map_err(|source| TuneError::Journal {
                directory: self.directory.clone(),
                source,
            })
    }

    fn left(&self, left: Vec<String>) -> TuneError {
        TuneError::Left {
            left,
            directory: self.directory.clone(),
        }
    }

    /// Puts everything back; how many settings that were.
    ///
    /// # Errors
    /// When some could not be put back: the journal stays.
    pub fn restore(mut self) -> Result<usize> {
        self.over = true;
        restore(&self.root, &self.directory, &self.journal)
    }

    /// Ends and leaves the settings in force, until [`recover`] is asked to restore them; how many
    /// they are. Without any there is nothing to keep.
    ///
    /// # Errors
    /// When the journal cannot be written: then they are put back.
    pub fn keep(mut self) -> Result<usize> {
        if !self.journal.entries.is_empty() {
            self.journal.kept = true;
            self.store()?;
        }
        self.over = true;
        Ok(self.journal.entries.len())
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if !self.over {
            let _ = restore(&self.root, &self.directory, &self.journal);
        }
    }
}

/// Whether there is a journal of settings, cheaply: for commands that have nothing else to do with
/// settings.
pub fn pending(directory: &Path) -> bool {
    matches!(Journal::load(directory), Ok(Some(_)) | Err(_)) && directory.join(LOCK).exists()
}

/// Puts back what a session that died has left; with `asked` also what is kept in force. While
/// another process does so, or one that was killed has not let go yet, waits for up to a minute.
///
/// # Errors
/// When the journal cannot be read, or a setting cannot be put back, or who puts them back takes
/// longer; with `asked` also when the session is still under way.
pub fn recover(root: &Path, directory: &Path, asked: bool) -> Result<Recovered> {
    if !directory.join(LOCK).exists() {
        return Ok(Recovered::Nothing);
    }
    let _lock = match lock(directory) {
        Err(TuneError::Busy(LockFileError::Held {
            holder: Some(_), ..
        })) if !asked => return Ok(Recovered::Nothing),
        lock => lock?,
    };
    settle(root, directory, asked)
}

/// Waits for who has the lock for a moment: it would be wrong to go on as if a session were under
/// way, and its settings in force on purpose.
fn lock(directory: &Path) -> Result<LockFile> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        match LockFile::try_unsigned(&directory.join(LOCK)) {
            Ok(lock) => return Ok(lock),
            Err(LockFileError::Held { holder: None, .. }) if Instant::now() < deadline => {
                thread::sleep(PAUSE);
            }
            Err(error @ LockFileError::Held { .. }) => return Err(TuneError::Busy(error)),
            Err(error) => return Err(TuneError::Lock(error)),
        }
    }
}

/// Deals with the journal that lies there; the lock is held.
fn settle(root: &Path, directory: &Path, asked: bool) -> Result<Recovered> {
    let journal_error = |source| TuneError::Journal {
        directory: directory.to_path_buf(),
        source,
    };
    let Some(journal) = Journal::load(directory).map_err(journal_error)? else {
        return Ok(Recovered::Nothing);
    };
    if journal.boot != boot(root) {
        Journal::remove(directory).map_err(journal_error)?;
        return Ok(Recovered::Rebooted);
    }
    if journal.kept && !asked {
        return Ok(Recovered::Kept(journal.command));
    }
    let count = restore(root, directory, &journal)?;
    Ok(Recovered::Restored(journal.command, count))
}

fn restore(root: &Path, directory: &Path, journal: &Journal) -> Result<usize> {
    let mut left = Vec::new();
    let mut count = 0;
    for entry in journal.entries.iter().rev() {
        match put(root, &entry.target, &entry.before) {
            Ok(changed) => count += usize::from(changed),
            Err(why) => left.push(why),
        }
    }
    if !left.is_empty() {
        return Err(TuneError::Left {
            left,
            directory: directory.to_path_buf(),
        });
    }
    Journal::remove(directory).map_err(|source| TuneError::Journal {
        directory: directory.to_path_buf(),
        source,
    })?;
    Ok(count)
}

/// Writes a value unless it is there, and reads it again; whether it had to be written.
fn put(root: &Path, target: &Target, value: &str) -> std::result::Result<bool, String> {
    if target.read(root).is_ok_and(|now| same(&now, value)) {
        return Ok(false);
    }
    target
        .write(root, value)
        .map_err(|error| format!("cannot write {value} to {target}: {error}"))?;
    match target.read(root) {
        Ok(now) if same(&now, value) => Ok(true),
        Ok(now) => Err(format!("{target} is still {now} after {value} was written")),
        Err(error) => Err(format!("cannot read {target} again: {error}")),
    }
}

/// The kernel separates numbers by tabs where people write blanks.
fn same(left: &str, right: &str) -> bool {
    left.split_whitespace().eq(right.split_whitespace())
}

fn boot(root: &Path) -> String {
    Root(root)
        .word("proc/sys/kernel/random/boot_id")
        .unwrap_or_default()
}
