//! The old values, on disk before anything is changed.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::target::Target;

/// Version of the journal's format.
pub(super) const SCHEMA: u32 = 1;

/// The journal's name in the state directory.
const NAME: &str = "settings.json";

/// More than a journal of a machine with thousands of CPUs has.
const MAX_BYTES: u64 = 16 << 20;

/// The settings that were changed, in order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Journal {
    /// Version of this format: 1.
    pub schema: u32,
    /// The boot in which they were changed; empty if the kernel does not name it.
    pub boot: String,
    /// Who changed them.
    pub command: String,
    /// Whether they shall stay after that process has ended, until they are restored on request.
    pub kept: bool,
    /// What was changed.
    pub entries: Vec<Entry>,
}

/// A setting that was changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// What was written to.
    pub target: Target,
    /// The value before.
    pub before: String,
    /// The value that was written.
    pub after: String,
}

fn path(directory: &Path) -> PathBuf {
    directory.join(NAME)
}

/// Makes the directory, for its owner only, unless it is there.
///
/// One that somebody else owns or can write to is refused: what is restored is written as root.
pub(super) fn make_directory(directory: &Path) -> io::Result<()> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(directory)?;
    let metadata = fs::metadata(directory)?;
    let own = metadata.uid() == rustix::process::geteuid().as_raw();
    if !own || metadata.mode() & 0o022 != 0 {
        return Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            "expected a directory that only this user can write to; set PERFLAB_STATE to one",
        ));
    }
    Ok(())
}

impl Journal {
    /// The journal in a directory; `None` if there is none.
    ///
    /// # Errors
    /// When it cannot be read, is not this user's, or is no journal.
    pub fn load(directory: &Path) -> io::Result<Option<Self>> {
        let path = path(directory);
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        if file.metadata()?.uid() != rustix::process::geteuid().as_raw() {
            return Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                "it belongs to another user",
            ));
        }
        let mut text = String::new();
        file.take(MAX_BYTES).read_to_string(&mut text)?;
        Self::parse(&text).map(Some)
    }

    /// Reads a journal's text.
    ///
    /// # Errors
    /// When it is no journal of a version that is known.
    pub fn parse(text: &str) -> io::Result<Self> {
        let wrong = |what: String| io::Error::new(io::ErrorKind::InvalidData, what);
        let journal: Self = serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
        if journal.schema != SCHEMA {
            return Err(wrong(format!(
                "it has schema {}, this version reads schema {SCHEMA}",
                journal.schema
            )));
        }
        let climbs = |path: &str| path.starts_with('/') || path.split('/').any(|part| part == "..");
        for entry in &journal.entries {
            if let Target::File(path) = &entry.target
                && climbs(path)
            {
                return Err(wrong(format!("{path} is not below proc or sys")));
            }
        }
        Ok(journal)
    }

    /// Writes it under a name of its own, syncs, and puts it in its place: whenever the machine
    /// stops, the old or the new journal is there as a whole.
    pub(super) fn store(&self, directory: &Path) -> io::Result<()> {
        let temporary = directory.join(format!("{NAME}.new"));
        let mut file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(&temporary)?;
        let text = serde_json::to_string_pretty(self).map_err(io::Error::other)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&temporary, path(directory))?;
        File::open(directory)?.sync_all()
    }

    /// Removes the journal of a directory.
    pub(super) fn remove(directory: &Path) -> io::Result<()> {
        match fs::remove_file(path(directory)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => File::open(directory)?.sync_all(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn journal() -> Journal {
        Journal {
            schema: SCHEMA,
            boot: "b".to_owned(),
            command: "c".to_owned(),
            kept: false,
            entries: vec![Entry {
                target: Target::File("proc/sys/x".to_owned()),
                before: "1".to_owned(),
                after: "2".to_owned(),
            }],
        }
    }

    #[test]
    fn what_is_stored_is_loaded_and_only_its_owner_can_read_it() {
        let directory = tempfile::tempdir().unwrap();
        assert!(Journal::load(directory.path()).unwrap().is_none());
        journal().store(directory.path()).unwrap();
        assert_eq!(Journal::load(directory.path()).unwrap(), Some(journal()));
        let mode = fs::metadata(path(directory.path())).unwrap().mode();
        assert_eq!(mode & 0o777, 0o600);
        Journal::remove(directory.path()).unwrap();
        Journal::remove(directory.path()).unwrap();
        assert!(Journal::load(directory.path()).unwrap().is_none());
    }

    #[test]
    fn a_broken_journal_is_refused() {
        let text = serde_json::to_string(&journal()).unwrap();
        for cut in 0..text.len() {
            assert!(Journal::parse(&text[..cut]).is_err());
        }
        assert!(Journal::parse(&text.replace("\"schema\":1", "\"schema\":2")).is_err());
        assert!(Journal::parse(&text.replace("proc/sys", "proc/../etc")).is_err());
        assert!(Journal::parse(&text.replace("proc/sys", "/etc")).is_err());
    }

    #[test]
    fn a_directory_that_others_write_to_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        make_directory(directory.path()).unwrap();
        fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o777)).unwrap();
        assert!(make_directory(directory.path()).is_err());
    }
}
