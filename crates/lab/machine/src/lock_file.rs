//! A file that one process at a time can hold.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FlockOperation, Mode, OFlags, fchmod, flock, openat};
use rustix::io::Errno;

use crate::source::plain;

/// How often a lock file may vanish under one's hands before something is wrong.
const ATTEMPTS: usize = 16;

/// How much of a holder's command line is written down.
const MAX_COMMAND_CHARS: usize = 200;

/// Room for the longest description of a holder.
const MAX_HOLDER_BYTES: u64 = 1024;

/// An exclusive lock, flock(2), on a file, held until this value is dropped, or the process and
/// whoever has inherited the descriptor have ended.
///
/// The file stays: if the holder removed it, a third process could lock a new file of that name
/// while a second still waits for the old one.
#[derive(Debug)]
pub struct LockFile {
    file: File,
    writable: bool,
}

/// The process that holds a lock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// Its process id.
    pub pid: u32,
    /// Its command line.
    pub command: String,
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "pid {}, {}", self.pid, self.command)
    }
}

/// Why a file could not be locked.
#[derive(Debug, thiserror::Error)]
pub enum LockFileError {
    /// Another process holds the lock.
    #[error("{} is locked by another laboratory{}; wait for it to end", path.display(), in_parentheses(holder.as_ref()))]
    Held {
        /// The lock file.
        path: PathBuf,
        /// Who holds it, if the file says so.
        holder: Option<Holder>,
    },
    /// Something else than a file is in its place.
    #[error("expected a lock file, found something else than a regular file at {}; remove it", .0.display())]
    NotAFile(PathBuf),
    /// The file cannot be opened, created or locked.
    #[error("cannot lock {}: {source}; check the path and its permissions", path.display())]
    Open {
        /// The lock file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// ` (pid 123, perflab run x.toml)`, or nothing.
pub(crate) fn in_parentheses(holder: Option<&Holder>) -> String {
    holder
        .map(|holder| format!(" ({holder})"))
        .unwrap_or_default()
}

impl LockFile {
    /// Locks a file, which is created if there is none, and signs it. Does not wait.
    ///
    /// The file may belong to another user: then it is locked but not written to.
    ///
    /// # Errors
    /// If another process (or another value in this one) holds it, or it cannot be opened.
    pub fn try_lock(path: &Path) -> Result<Self, LockFileError> {
        let lock = Self::try_unsigned(path)?;
        lock.sign();
        Ok(lock)
    }

    /// As [`Self::try_lock`], but names no holder: for who has it for a moment only.
    ///
    /// # Errors
    /// As [`Self::try_lock`].
    pub fn try_unsigned(path: &Path) -> Result<Self, LockFileError> {
        let failed = |errno: Errno| LockFileError::Open {
            path: path.to_owned(),
            source: errno.into(),
        };
        for _ in 0..ATTEMPTS {
            let Some((file, writable)) = open(path).map_err(|errno| match errno {
                Errno::LOOP => LockFileError::NotAFile(path.to_owned()),
                errno => failed(errno),
            })?
            else {
                continue;
            };
            let metadata = file.metadata().map_err(|source| LockFileError::Open {
                path: path.to_owned(),
                source,
            })?;
            if !metadata.is_file() {
                return Err(LockFileError::NotAFile(path.to_owned()));
            }
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => {}
                Err(Errno::WOULDBLOCK) => {
                    return Err(LockFileError::Held {
                        path: path.to_owned(),
                        holder: holder(&file),
                    });
                }
                Err(Errno::INTR) => continue,
                Err(errno) => return Err(failed(errno)),
            }
            // Somebody may have cleaned up between opening and locking; a lock on a file that has
            // no name any more keeps nobody out.
            let same = std::fs::symlink_metadata(path)
                .is_ok_and(|now| (now.dev(), now.ino()) == (metadata.dev(), metadata.ino()));
            if same {
                let lock = Self { file, writable };
                lock.erase();
                return Ok(lock);
            }
        }
        Err(failed(Errno::STALE))
    }

    /// Who holds the lock on a file, by what it says itself: nobody is kept from locking it.
    pub fn holder(path: &Path) -> Option<Holder> {
        let flags = OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
        let file = openat(CWD, path, flags | OFlags::RDONLY, Mode::empty()).ok()?;
        holder(&file.into())
    }

    /// Writes down who holds the lock. A holder that cannot be named is still the holder.
    pub fn sign(&self) {
        if !self.writable {
            return;
        }
        let arguments: Vec<String> = std::env::args_os()
            .map(|argument| argument.to_string_lossy().into_owned())
            .collect();
        let command: String = plain(&arguments.join(" "))
            .chars()
            .take(MAX_COMMAND_CHARS)
            .collect();
        let text = format!("pid {}\n{command}\n", std::process::id());
        self.erase();
        let _unsigned = self.file.write_all_at(text.as_bytes(), 0);
    }

    /// Removes the signature: who was killed has left his.
    fn erase(&self) {
        if self.writable && self.file.metadata().is_ok_and(|file| file.len() > 0) {
            let _still_signed = self.file.set_len(0);
        }
    }
}

impl AsFd for LockFile {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

impl Drop for LockFile {
    fn drop(&mut self) {
        // The next holder may not be allowed to write: it must not pass for this one.
        self.erase();
        // Closing is not enough: a child that this process is just starting has a copy of the
        // descriptor until it executes its program.
        let _until_closed = flock(&self.file, FlockOperation::Unlock);
    }
}

/// Opens or creates the lock file; says whether it can be written to. `None` if it came or went
/// meanwhile.
fn open(path: &Path) -> Result<Option<(File, bool)>, Errno> {
    // In a sticky directory that everybody can write to, the kernel refuses O_CREAT on a file of
    // another user (fs.protected_regular), so a file that exists is opened without.
    let common = OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    match openat(CWD, path, common | OFlags::RDWR, Mode::empty()) {
        Ok(file) => return Ok(Some((file.into(), true))),
        Err(Errno::ACCESS | Errno::PERM | Errno::ROFS | Errno::ISDIR) => {
            return openat(CWD, path, common | OFlags::RDONLY, Mode::empty())
                .map(|file| Some((file.into(), false)));
        }
        Err(Errno::NOENT) => {}
        Err(errno) => return Err(errno),
    }
    let mode = Mode::RUSR | Mode::WUSR | Mode::RGRP | Mode::ROTH;
    match openat(
        CWD,
        path,
        common | OFlags::RDWR | OFlags::CREATE | OFlags::EXCL,
        mode,
    ) {
        Ok(file) => {
            // Whatever the umask: others must be able to open the file to see that it is locked.
            fchmod(&file, mode)?;
            Ok(Some((file.into(), true)))
        }
        Err(Errno::EXIST) => Ok(None),
        Err(errno) => Err(errno),
    }
}

/// Who signed a lock file, unless that process is gone or about to be.
fn holder(file: &File) -> Option<Holder> {
    let mut text = Vec::new();
    file.take(MAX_HOLDER_BYTES).read_to_end(&mut text).ok()?;
    let text = String::from_utf8_lossy(&text);
    let (pid, command) = text.strip_prefix("pid ")?.split_once('\n')?;
    let pid = pid.parse().ok()?;
    let alive = rustix::process::Pid::from_raw(i32::try_from(pid).ok()?)
        .is_some_and(|pid| rustix::process::test_kill_process(pid) != Err(Errno::SRCH));
    let dying = || {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"));
        stat.is_ok_and(|stat| is_dying(&stat))
    };
    (alive && !dying()).then(|| Holder {
        pid,
        command: plain(command),
    })
}

/// Whether a process has ended or will without executing another instruction of its own, by its
/// /proc/PID/stat, proc(5). A process that was killed keeps its locks while it waits for a disk.
fn is_dying(stat: &str) -> bool {
    /// The kernel has begun to take it apart (include/linux/sched.h).
    const PF_EXITING: u64 = 0x4;
    const SIGKILL: u64 = 1 << (9 - 1);
    // The name, in parentheses, may hold anything.
    let Some((_, fields)) = stat.rsplit_once(')') else {
        return false;
    };
    let fields: Vec<&str> = fields.split_whitespace().collect();
    // Counted as in the manual, where the state is the third.
    let field = |number: usize| fields.get(number - 3).copied().unwrap_or_default();
    let bit = |number, bit| field(number).parse().is_ok_and(|bits: u64| bits & bit != 0);
    matches!(field(3), "Z" | "X") || bit(9, PF_EXITING) || bit(31, SIGKILL)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What Linux 6.18 says of a process that sleeps and one that was killed in a write to a disk.
    #[test]
    fn who_was_killed_is_dying() {
        let stat = |state, flags, pending| {
            format!(
                "77 (a ) Z 4) {state} 1 77 77 0 -1 {flags} 104 0 0 0 0 0 0 0 20 0 1 0 4711 \
                 2703360 224 18446744073709551615 1 1 0 0 0 {pending} 0 0 0 1 0 0 17 1 0 0"
            )
        };
        for (state, flags, pending, dying) in [
            ("S", 4_194_304, 0, false),
            ("D", 4_194_304, 0, false),
            ("T", 4_194_304, 2, false),
            ("D", 4_194_304, 256, true),
            ("R", 4_194_308, 0, true),
            ("Z", 4_194_316, 0, true),
        ] {
            let text = stat(state, flags, pending);
            assert_eq!(is_dying(&text), dying, "{text}");
        }
        for wrong in ["", "77", "77 (a", "77 (a)", "77 (a) S 1", ")"] {
            assert!(!is_dying(wrong), "{wrong}");
        }
    }

    #[test]
    fn a_process_that_is_not_waited_for_holds_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("lock");
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let stat = format!("/proc/{}/stat", child.id());
        while !std::fs::read_to_string(&stat).unwrap().contains(") Z ") {
            std::thread::yield_now();
        }
        std::fs::write(&path, format!("pid {}\nx\n", child.id())).unwrap();
        assert_eq!(LockFile::holder(&path), None);
        std::fs::write(&path, format!("pid {}\nx\n", std::process::id())).unwrap();
        assert!(LockFile::holder(&path).is_some());
        child.wait().unwrap();
    }

    #[test]
    fn a_copy_of_the_descriptor_does_not_keep_the_lock() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("lock");
        let lock = LockFile::try_lock(&path).unwrap();
        let _copy = lock.file.try_clone().unwrap();
        assert!(LockFile::try_lock(&path).is_err());
        drop(lock);
        LockFile::try_lock(&path).unwrap();
    }
}
