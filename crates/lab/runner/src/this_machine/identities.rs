//! What programs are, kept while their files stay as they are: each run starts the same ones.

use std::collections::HashMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use perflab_machine::Executable;

/// Device, number, length and time of the last change of a file, in seconds and nanoseconds: the kernel sets the latter
/// whenever the content is written.
type Stamp = (u64, u64, u64, i64, i64);

/// The programs that were identified so far.
#[derive(Debug, Default)]
pub(super) struct Identities(Mutex<HashMap<PathBuf, (Stamp, Executable)>>);

impl Identities {
    /// What a file is; nothing where it cannot be read.
    pub(super) fn of(&self, file: &Path) -> Option<Executable> {
        let metadata = file.metadata().ok()?;
        let stamp = (
            metadata.dev(),
            metadata.ino(),
            metadata.len(),
            metadata.ctime(),
            metadata.ctime_nsec(),
        );
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, executable)) = known.get(file).filter(|(former, _)| *former == stamp) {
            return Some(executable.clone());
        }
        let executable = Executable::of(file).ok()?;
        known.insert(file.to_owned(), (stamp, executable.clone()));
        Some(executable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_file_that_changes_is_read_again() {
        let scratch = tempfile::tempdir().unwrap();
        let file = scratch.path().join("program");
        let identities = Identities::default();
        assert_eq!(identities.of(&file), None);
        fs::write(&file, "one").unwrap();
        let first = identities.of(&file).unwrap();
        assert_eq!(identities.of(&file).unwrap(), first);
        // The clock of a file system may stand for some milliseconds.
        std::thread::sleep(std::time::Duration::from_millis(20));
        fs::write(&file, "two").unwrap();
        assert_ne!(identities.of(&file).unwrap().sha256, first.sha256);
    }
}
