//! The lock of a results directory: one laboratory at a time writes to it.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use perflab_machine::{LockFile, LockFileError};

/// The file's name.
pub(crate) const LOCK: &str = "lock";

/// How long a lock is waited for whose holder cannot be named, as it has died or is on another machine.
const PATIENCE: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(2);

/// Locks a directory. A laboratory that was killed a moment ago may not have let go yet.
pub(crate) fn lock(directory: &Path) -> Result<LockFile, LockFileError> {
    let end = Instant::now() + PATIENCE;
    loop {
        match LockFile::try_lock(&directory.join(LOCK)) {
            Err(LockFileError::Held { holder: None, .. }) if Instant::now() < end => {
                thread::sleep(PAUSE);
            }
            locked => return locked,
        }
    }
}
