//! Files of a results directory, read without waiting for what is none.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::Errno;

use crate::error::StoreError;

/// Opens a regular file. A pipe in its place would be waited for without end, and a device may have none; a link
/// would show any file of the user's to whom results are shown.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    let opened = openat(CWD, path, flags | OFlags::NOFOLLOW, Mode::empty());
    let file = File::from(opened.map_err(|error| match error {
        Errno::LOOP => io::Error::new(io::ErrorKind::InvalidInput, "it is a symbolic link"),
        other => other.into(),
    })?);
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is no regular file",
        ))
    }
}

/// All of a file that every results directory has.
pub(crate) fn read_of(directory: &Path, file: &'static str) -> Result<Vec<u8>, StoreError> {
    read(&directory.join(file))
        .map_err(|source| StoreError::missing_or("read", directory, file, source))
}

/// All of it.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    open(path)?.read_to_end(&mut content)?;
    Ok(content)
}
