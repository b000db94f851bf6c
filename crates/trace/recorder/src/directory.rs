//! A directory whose files are believed to be of one user: nobody else may enter it, and no link leads out of it.

use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};

use crate::error::RecordError;
use crate::mapping::Access;

/// Names that are read of a directory: a process has as many ring files as threads.
const MOST_NAMES: usize = 1 << 16;

/// A directory that is open.
#[derive(Debug)]
pub struct Directory {
    path: PathBuf,
    /// Nothing once it was closed.
    handle: Option<File>,
    /// Its device and inode.
    identity: (u64, u64),
    owner: u32,
}

impl Directory {
    /// Opens a directory.
    ///
    /// # Errors
    /// When it is a link, others may enter it, or it is another user's (of which root sees all).
    pub fn open(path: &Path) -> Result<Self, RecordError> {
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::RDONLY | OFlags::CLOEXEC;
        let handle = rustix::fs::open(path, flags, Mode::empty());
        let failed = |error: io::Error| RecordError::file(path, error);
        let handle = File::from(handle.map_err(|error| failed(error.into()))?);
        let about = handle.metadata().map_err(failed)?;
        let user = rustix::process::geteuid().as_raw();
        if about.mode() & 0o077 != 0 || (about.uid() != user && user != 0) {
            return Err(RecordError::NotOurs(path.to_owned()));
        }
        Ok(Self {
            path: path.to_owned(),
            owner: about.uid(),
            identity: (about.dev(), about.ino()),
            handle: Some(handle),
        })
    }

    /// Nothing of it is needed any more but where it is, and whether it is still there.
    pub fn close(&mut self) {
        self.handle = None;
    }

    fn handle(&self) -> io::Result<&File> {
        let closed = || io::Error::other("the directory was closed");
        self.handle.as_ref().ok_or_else(closed)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether there is no more of it at its path, or another one: a process that calls `exec` makes a new one of the
    /// same name.
    pub fn is_gone(&self) -> bool {
        match std::fs::symlink_metadata(&self.path) {
            Ok(there) => self.identity != (there.dev(), there.ino()),
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        }
    }

    /// Whose it is.
    pub fn owner(&self) -> u32 {
        self.owner
    }

    /// Opens a file in it, without waiting for anybody.
    ///
    /// # Errors
    /// When there is none, or it is no file of the directory's owner.
    pub fn file(&self, name: &str, access: Access) -> io::Result<File> {
        let mode = match access {
            Access::Read => OFlags::RDONLY,
            Access::Write => OFlags::RDWR,
        };
        let flags = mode | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = File::from(rustix::fs::openat(
            self.handle()?,
            name,
            flags,
            Mode::empty(),
        )?);
        let about = file.metadata()?;
        if !about.is_file() || about.uid() != self.owner {
            return Err(io::Error::other(
                "it is no file of the user whose directory it is in",
            ));
        }
        Ok(file)
    }

    /// The names in it that are text, in no order; of very many some.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(self.handle()?)?.take(MOST_NAMES) {
            if let Ok(name) = entry?.file_name().to_str()
                && name != "."
                && name != ".."
            {
                names.push(name.to_owned());
            }
        }
        Ok(names)
    }

    /// When something in it was last written, as far as the file system noted that, in seconds since 1970.
    pub fn changed(&self) -> io::Result<i64> {
        let mut last = self.handle()?.metadata()?.mtime();
        for name in self.names()? {
            let about = rustix::fs::statat(self.handle()?, &*name, AtFlags::SYMLINK_NOFOLLOW)?;
            last = last.max(about.st_mtime);
        }
        Ok(last)
    }

    /// Removes a file in it; a link or a directory stays.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        let about = rustix::fs::statat(self.handle()?, name, AtFlags::SYMLINK_NOFOLLOW)?;
        if FileType::from_raw_mode(about.st_mode) == FileType::RegularFile {
            rustix::fs::unlinkat(self.handle()?, name, AtFlags::empty())?;
        }
        Ok(())
    }
}
