//! Any bytes as what a lock file says of its holder; any text as the journal of changed settings, the
//! timers of systemd, and the offloads of a network interface.

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use perflab_machine::doctor::timers;
use perflab_machine::tune::{Journal, Target, offload_is_on};
use perflab_machine::{LockFile, LockFileError};

use crate::shared::{directory, has_control};

/// A lock file, and the lock.
static HELD: LazyLock<(PathBuf, LockFile)> = LazyLock::new(|| {
    let path = directory().join("lock");
    let lock = LockFile::try_lock(&path).expect("nobody else has it");
    (path, lock)
});

/// Whether the input is worth keeping in a corpus.
pub fn run(input: &[u8]) -> bool {
    holder(input);
    let Ok(text) = std::str::from_utf8(input) else {
        return false;
    };
    if let Ok(journal) = Journal::parse(text) {
        for entry in &journal.entries {
            if let Target::File(path) = &entry.target {
                assert!(!path.starts_with('/') && !path.split('/').any(|part| part == ".."));
            }
        }
        let stored = serde_json::to_string(&journal).expect("a journal can be written");
        assert_eq!(Journal::parse(&stored).expect("it is read"), journal);
    }
    if let Ok(findings) = timers(text, 1_763_725_200_000_000) {
        assert!(findings.iter().all(|finding| !has_control(&finding.found)));
    }
    let _ = offload_is_on(text, "tx-checksumming");
    true
}

/// Whatever the file says, its lock is held, and what is said of the holder can be printed.
fn holder(input: &[u8]) {
    let (path, _lock) = &*HELD;
    fs::write(path, input).expect("a file can be written");
    match LockFile::try_lock(path) {
        Err(error @ LockFileError::Held { .. }) => {
            let said = error.to_string();
            assert!(!has_control(&said) && !said.contains('\n'), "{said:?}");
        }
        other => panic!("{other:?}"),
    }
}
