//! Removes what runs and builds leave.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::error::StoreError;

/// Removes a file, or a directory with all that is in it; nothing where there is none. Links are not followed.
///
/// # Errors
/// [`StoreError::Io`] if it cannot be removed.
pub fn remove_all(path: &Path) -> Result<(), StoreError> {
    let removed = match path.symlink_metadata() {
        Ok(about) if about.is_dir() => fs::remove_dir_all(path).or_else(|error| {
            if error.kind() != ErrorKind::PermissionDenied {
                return Err(error);
            }
            // A run or a build may have forbidden its directory to everybody.
            open_up(path);
            fs::remove_dir_all(path)
        }),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(source) if source.kind() != ErrorKind::NotFound => {
            Err(StoreError::io("remove", path, source))
        }
        _ => Ok(()),
    }
}

/// Lets this user into a directory and those in it, as far as they are the user's.
fn open_up(path: &Path) {
    let _not_ours = fs::set_permissions(path, fs::Permissions::from_mode(0o700));
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            open_up(&entry.path());
        }
    }
}
