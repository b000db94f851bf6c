//! Where a log is, and the files beside it.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Only the user of the server may read what the log holds.
const MODE: u32 = 0o600;

/// The place of a log. It stays the same if the process changes its directory.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    path: PathBuf,
    directory: PathBuf,
    name: OsString,
}

impl Place {
    /// Follows symbolic links: a file that is replaced by a new one must not leave its directory.
    pub fn find(path: &Path) -> io::Result<Self> {
        let path = match fs::canonicalize(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let name = path.file_name().ok_or(io::ErrorKind::IsADirectory)?;
                let parent = path.parent().filter(|parent| *parent != Path::new(""));
                fs::canonicalize(parent.unwrap_or(Path::new(".")))?.join(name)
            }
            found => found?,
        };
        let (directory, name) = (path.parent(), path.file_name());
        let (directory, name) = directory.zip(name).ok_or(io::ErrorKind::IsADirectory)?;
        let (directory, name) = (directory.to_owned(), name.to_owned());
        Ok(Self {
            path,
            directory,
            name,
        })
    }

    /// The log itself.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A file beside it, which is named after it.
    pub fn beside(&self, ending: &str) -> PathBuf {
        let mut name = self.name.clone();
        name.push(ending);
        self.directory.join(name)
    }

    /// Where a rewrite puts the new file until it is whole. Only the process that has the lock uses it.
    pub fn temporary(&self) -> PathBuf {
        self.beside(".rewriting")
    }

    /// Opens the log, and creates an empty one if there is none.
    pub fn open(&self) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        options.mode(MODE).open(&self.path)
    }

    /// Whether the log's name is still that of this file.
    pub fn is(&self, file: &File) -> io::Result<bool> {
        let opened = file.metadata()?;
        Ok(fs::metadata(&self.path)
            .is_ok_and(|named| (named.dev(), named.ino()) == (opened.dev(), opened.ino())))
    }

    /// Makes the names of this directory outlast a power failure.
    pub fn sync_directory(&self) -> io::Result<()> {
        File::open(&self.directory)?.sync_all()
    }
}

/// Creates a file that is not there yet.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    options.mode(MODE).open(path)
}
