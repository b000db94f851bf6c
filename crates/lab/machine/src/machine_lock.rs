//! One laboratory at a time on a machine.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use crate::lock_file::{Holder, LockFile, LockFileError, in_parentheses};

/// Names the lock file of this machine, for containers that share one or tests that must not.
const VARIABLE: &str = "PERFLAB_LOCK";

/// Where the lock lies otherwise. Only root may write to the first on some systems, and the second
/// may be private to a service: whoever can use both holds both, so any two laboratories meet.
const PLACES: [&str; 2] = ["/run/lock/perflab.lock", "/tmp/perflab.lock"];

/// The pauses in which a waiting laboratory looks again: short at first, as the other one may be about
/// to end, then long enough not to disturb the measurement that it waits for.
const FIRST_PAUSE: Duration = Duration::from_millis(5);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

/// The right to measure on this machine, held until this value is dropped. If the process dies
/// instead, whoever has inherited the [descriptors](Self::descriptors) still holds it.
#[derive(Debug)]
pub struct MachineLock {
    files: Vec<LockFile>,
}

/// Why the right to measure was not obtained.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another laboratory measures.
    #[error(
        "another laboratory{} is measuring on this machine{}; wait for it, or set {VARIABLE} to another file \
         than {} if the two cannot disturb each other",
        in_parentheses(holder.as_ref()), unless_named(holder.as_ref()), path.display()
    )]
    Busy {
        /// The lock file that it holds.
        path: PathBuf,
        /// Who it is, if the lock file says so. A laboratory that was killed is not named, though its
        /// reaper may still hold the lock.
        holder: Option<Holder>,
    },
    /// The lock file cannot be used.
    #[error(transparent)]
    File(LockFileError),
    /// There is no place for a lock file.
    #[error("expected one of {} to be writable for a lock file, found none; set {VARIABLE} to a file that is", PLACES.join(", "))]
    NoPlace,
}

impl MachineLock {
    /// Obtains the right to measure, or says at once who has it.
    ///
    /// The lock file is `path`, else the one that the environment variable `PERFLAB_LOCK` names,
    /// else `/run/lock/perflab.lock` and `/tmp/perflab.lock`, as far as they can be created.
    ///
    /// # Errors
    /// If another laboratory measures, or no lock file can be used.
    pub fn acquire(path: Option<&Path>) -> Result<Self, LockError> {
        match chosen(path, std::env::var_os(VARIABLE)) {
            Some(path) => Ok(Self {
                files: vec![LockFile::try_lock(&path)?],
            }),
            None => Self::acquire_all(&PLACES.map(Path::new)),
        }
    }

    /// As [`Self::acquire`], but waits while another laboratory measures. Before each pause of half
    /// a second or less, `keep_waiting` is told who that is, and gives up by returning false.
    ///
    /// # Errors
    /// As [`Self::acquire`]; [`LockError::Busy`] if `keep_waiting` gave up.
    pub fn wait(
        path: Option<&Path>,
        mut keep_waiting: impl FnMut(Option<&Holder>) -> bool,
    ) -> Result<Self, LockError> {
        let mut pause = FIRST_PAUSE;
        loop {
            match Self::acquire(path) {
                Err(LockError::Busy { holder, .. }) if keep_waiting(holder.as_ref()) => {
                    thread::sleep(pause);
                    pause = LONGEST_PAUSE.min(pause * 2);
                }
                result => return result,
            }
        }
    }

    /// The open lock files. The lock is held as long as any process has a copy of one of them, unless
    /// this value is dropped: so a process that inherits them holds it on should this one die.
    pub fn descriptors(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        self.files.iter().map(LockFile::as_fd)
    }

    /// Locks all places that can be used, at least one.
    fn acquire_all(places: &[&Path]) -> Result<Self, LockError> {
        let mut files = Vec::new();
        for place in places {
            match LockFile::try_lock(place) {
                Ok(file) => files.push(file),
                Err(LockFileError::Open { source, .. }) if is_unusable(source.kind()) => {}
                Err(error) => return Err(error.into()),
            }
        }
        if files.is_empty() {
            Err(LockError::NoPlace)
        } else {
            Ok(Self { files })
        }
    }
}

impl From<LockFileError> for LockError {
    fn from(error: LockFileError) -> Self {
        match error {
            LockFileError::Held { path, holder } => Self::Busy { path, holder },
            error => Self::File(error),
        }
    }
}

/// Who else may hold a lock that names nobody who lives.
fn unless_named(holder: Option<&Holder>) -> &'static str {
    match holder {
        Some(_) => "",
        None => ", or the process reaper of one that was killed is still at work",
    }
}

/// The lock file that was asked for, if any.
fn chosen(path: Option<&Path>, variable: Option<OsString>) -> Option<PathBuf> {
    path.map(Path::to_owned)
        .or_else(|| variable.filter(|path| !path.is_empty()).map(PathBuf::from))
}

/// Whether a place is of no use to this user, as opposed to broken.
fn is_unusable(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::NotFound
            | ErrorKind::PermissionDenied
            | ErrorKind::ReadOnlyFilesystem
            | ErrorKind::NotADirectory
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_goes_before_the_environment() {
        let variable = || Some(OsString::from("/v"));
        assert_eq!(
            chosen(Some(Path::new("/p")), variable()),
            Some(PathBuf::from("/p"))
        );
        assert_eq!(chosen(None, variable()), Some(PathBuf::from("/v")));
        assert_eq!(chosen(None, Some(OsString::new())), None);
        assert_eq!(chosen(None, None), None);
    }

    #[test]
    fn laboratories_that_share_only_one_place_meet_there() {
        let directory = tempfile::tempdir().unwrap();
        let shared = directory.path().join("shared");
        let own = directory.path().join("own");
        let missing = directory.path().join("none/lock");
        let one = MachineLock::acquire_all(&[&missing, &shared]).unwrap();
        let two = MachineLock::acquire_all(&[&own, &shared]);
        assert!(matches!(two, Err(LockError::Busy { path, .. }) if path == shared));
        drop(one);
        MachineLock::acquire_all(&[&own, &shared]).unwrap();
        assert!(matches!(
            MachineLock::acquire_all(&[&missing]),
            Err(LockError::NoPlace)
        ));
    }
}
