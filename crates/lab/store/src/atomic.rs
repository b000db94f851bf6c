//! Files that are there completely or not at all, also after a power failure.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::error::StoreError;

/// Writes a file of a directory: under another name first, then renamed. Takes the place of a file of
/// that name.
///
/// # Errors
/// If it cannot be written; nothing has changed then.
pub fn write(directory: &Path, name: &str, content: &[u8]) -> Result<PathBuf, StoreError> {
    let path = directory.join(name);
    let temporary = directory.join(format!(".{name}.{}.tmp", std::process::id()));
    let written = write_synced(&temporary, content).and_then(|()| fs::rename(&temporary, &path));
    if let Err(source) = written {
        let _left_behind = fs::remove_file(&temporary);
        return Err(StoreError::io("write", &path, source));
    }
    sync(directory)?;
    Ok(path)
}

/// Whether a file is called so while [`write()`] writes one of a name. Who is killed meanwhile leaves it.
pub fn is_unfinished(file: &str, name: &str) -> bool {
    let process = file
        .strip_prefix('.')
        .and_then(|rest| rest.strip_prefix(name));
    let process = process.and_then(|rest| rest.strip_prefix('.')?.strip_suffix(".tmp"));
    process.is_some_and(|process| process.parse::<u32>().is_ok())
}

fn write_synced(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .open(path)?;
    file.write_all(content)?;
    file.sync_all()
}

/// Makes a file's content, or the names in a directory, outlast a power failure.
pub(crate) fn sync(path: &Path) -> Result<(), StoreError> {
    File::open(path)
        .and_then(|file| file.sync_all())
        .map_err(|source| StoreError::io("sync", path, source))
}
