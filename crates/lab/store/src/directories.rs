//! Which directories hold results.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::error::StoreError;
use crate::meta;
use crate::runs_file;

/// Whether a directory is a result, though perhaps a damaged one.
pub fn is_result(directory: &Path) -> bool {
    [meta::FILE, runs_file::FILE]
        .iter()
        .any(|file| directory.join(file).exists())
}

/// The results directories one or two levels below a root, as paths relative to it, in order.
///
/// Directories that this user may not look into are among them. Links are not followed: a link to the latest results would list them twice.
///
/// # Errors
/// If the root cannot be read.
pub fn find(root: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let mut found = Vec::new();
    for directory in directories(root)? {
        if holds_files(&directory) || is_closed(&directory) {
            found.push(directory);
        } else {
            let below = directories(&directory).unwrap_or_default();
            found.extend(
                below
                    .into_iter()
                    .filter(|directory| holds_files(directory) || is_closed(directory)),
            );
        }
    }
    let mut found: Vec<PathBuf> = found
        .iter()
        .filter_map(|path| path.strip_prefix(root).ok().map(Path::to_owned))
        .collect();
    found.sort_unstable();
    Ok(found)
}

fn directories(path: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let failed = |source| StoreError::io("read", path, source);
    let mut found = Vec::new();
    for entry in fs::read_dir(path).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        // An import that is under way, or was killed, has a hidden name.
        let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        if !is_hidden && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            found.push(entry.path());
        }
    }
    Ok(found)
}

/// Whether this user may not look into a directory. It may hold results, so it is listed with the reason.
fn is_closed(directory: &Path) -> bool {
    let found = directory.join(meta::FILE).symlink_metadata();
    found.is_err_and(|error| error.kind() == ErrorKind::PermissionDenied)
}

/// Whether a directory holds, or once held, results.
fn holds_files(directory: &Path) -> bool {
    [runs_file::FILE, meta::FILE].iter().any(|file| {
        let metadata = directory.join(file).symlink_metadata();
        metadata.is_ok_and(|metadata| metadata.is_file())
    })
}
