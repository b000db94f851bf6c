//! The files of builds, as long as there is room.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use perflab_store::remove_all;

use super::error::BuildError;
use super::key::BuildKey;

/// Directory of all trees.
const NAME: &str = "trees";

/// Says that a build is complete, by its number; touched when it is used.
const COMPLETE: &str = "complete";

/// Ends the name of a build's directory that was set aside.
const ASIDE: &str = ".aside";

/// The directory with the files of builds.
#[derive(Debug)]
pub(super) struct Trees {
    directory: PathBuf,
}

impl Trees {
    /// That of a history. Builds that were not finished are removed.
    pub(super) fn open(home: &Path) -> Result<Self, BuildError> {
        let directory = home.join(NAME);
        fs::create_dir_all(&directory).map_err(BuildError::io("make", &directory))?;
        let trees = Self { directory };
        for path in trees.all()? {
            if !path.join(COMPLETE).exists() {
                remove_all(&path)?;
            }
        }
        // What was set aside for a build that did not come to its end is back.
        for path in trees.all()? {
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            if let Some(key) = name.strip_suffix(ASIDE) {
                trees.put_back(&BuildKey::known(key))?;
            }
        }
        Ok(trees)
    }

    /// The directory of a build, with its files in `tree`.
    pub(super) fn of(&self, key: &BuildKey) -> PathBuf {
        self.directory.join(key.as_str())
    }

    /// Whether a build is there; it counts as used now. One of another number is another build: a laboratory may have been
    /// killed after it had noted a new one, and the former one was put back then.
    pub(super) fn has(&self, key: &BuildKey, build: u32) -> bool {
        let mark = self.of(key).join(COMPLETE);
        if fs::read_to_string(&mark).ok() != Some(build.to_string()) {
            return false;
        }
        let touched = fs::File::options()
            .write(true)
            .open(mark)
            .and_then(|file| file.set_modified(SystemTime::now()));
        touched.is_ok()
    }

    /// Keeps the complete build that is there, if one is, until another one is made.
    pub(super) fn set_aside(&self, key: &BuildKey) -> Result<(), BuildError> {
        let path = self.of(key);
        match path.join(COMPLETE).exists() {
            true => fs::rename(&path, self.aside(key)).map_err(BuildError::io("rename", &path)),
            false => Ok(()),
        }
    }

    /// Puts the build back that was set aside, unless there is another one.
    pub(super) fn put_back(&self, key: &BuildKey) -> Result<(), BuildError> {
        let (path, aside) = (self.of(key), self.aside(key));
        if path.join(COMPLETE).exists() || !aside.exists() {
            return self.drop_aside(key);
        }
        fs::rename(&aside, &path).map_err(BuildError::io("rename", &aside))
    }

    /// Removes the build that was set aside.
    pub(super) fn drop_aside(&self, key: &BuildKey) -> Result<(), BuildError> {
        Ok(remove_all(&self.aside(key))?)
    }

    fn aside(&self, key: &BuildKey) -> PathBuf {
        self.directory.join(format!("{key}{ASIDE}"))
    }

    /// An empty directory for a build.
    pub(super) fn begin(&self, key: &BuildKey) -> Result<PathBuf, BuildError> {
        let path = self.of(key);
        remove_all(&path)?;
        fs::create_dir(&path).map_err(BuildError::io("make", &path))?;
        Ok(path)
    }

    /// Says that a build is complete.
    pub(super) fn complete(&self, key: &BuildKey, build: u32) -> Result<(), BuildError> {
        let mark = self.of(key).join(COMPLETE);
        fs::write(&mark, build.to_string()).map_err(BuildError::io("write", &mark))
    }

    /// Removes the builds that were not used for the longest time until the others take at most so many bytes. Those
    /// that are needed stay in any case.
    pub(super) fn make_room(&self, most: u64, needed: &[BuildKey]) -> Result<(), BuildError> {
        let mut found = Vec::new();
        for path in self.all()? {
            let used = fs::metadata(path.join(COMPLETE)).and_then(|file| file.modified());
            found.push((used.unwrap_or(SystemTime::UNIX_EPOCH), bytes(&path), path));
        }
        found.sort();
        let mut total: u64 = found.iter().map(|(_, bytes, _)| bytes).sum();
        for (_, bytes, path) in found {
            let is_needed = needed.iter().any(|key| self.of(key) == path);
            if total > most && !is_needed {
                remove_all(&path)?;
                total -= bytes;
            }
        }
        Ok(())
    }

    fn all(&self) -> Result<Vec<PathBuf>, BuildError> {
        let failed = || BuildError::io("read", &self.directory);
        let entries = fs::read_dir(&self.directory).map_err(failed())?;
        entries
            .map(|entry| Ok(entry.map_err(failed())?.path()))
            .collect()
    }
}

/// Bytes on the disk of all files below a directory. Links are not followed.
fn bytes(path: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt;
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    let size = |entry: fs::DirEntry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => bytes(&entry.path()),
        Ok(metadata) => metadata.blocks() * 512,
        Err(_) => 0,
    };
    entries.map(size).sum()
}
