//! Directories for what belongs to this process's user alone.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::numbers::user;

/// Where the sockets of a user's processes are: `$XDG_RUNTIME_DIR/perflab`, else `/tmp/perflab-UID`. A child
/// does not read its environment again, whose lock a thread of its parent may hold.
fn asked() -> &'static Path {
    static DIRECTORY: OnceLock<PathBuf> = OnceLock::new();
    DIRECTORY.get_or_init(find_directory)
}

fn find_directory() -> PathBuf {
    match std::env::var_os("XDG_RUNTIME_DIR").filter(|dir| Path::new(dir).is_absolute()) {
        Some(dir) => PathBuf::from(dir).join("perflab"),
        None => PathBuf::from(format!("/tmp/perflab-{}", user())),
    }
}

/// The directory for the sockets of this process's user: [`asked`] if that is the user's alone, else
/// `/tmp/perflab-UID`. A process may have got the environment of another user, or have become another user itself.
///
/// # Errors
/// When neither is the user's alone.
pub fn for_sockets() -> Result<PathBuf, String> {
    let asked = asked();
    let Err(reason) = own(asked) else {
        return Ok(asked.to_owned());
    };
    let usual = PathBuf::from(format!("/tmp/perflab-{}", user()));
    if asked == usual {
        return Err(reason);
    }
    own(&usual).map_err(|error| format!("{reason}; {error}"))?;
    Ok(usual)
}

/// Makes a directory, or sees that it is this user's alone.
///
/// # Errors
/// When it is not.
pub fn own(path: &Path) -> Result<(), String> {
    let made = fs::DirBuilder::new().mode(0o700).create(path);
    if let Err(error) = made
        && error.kind() != io::ErrorKind::AlreadyExists
    {
        return Err(format!("{} cannot be made: {error}", path.display()));
    }
    let found = fs::symlink_metadata(path)
        .map_err(|error| format!("{} cannot be looked at: {error}", path.display()))?;
    if !found.is_dir() || found.uid() != user() || found.mode() & 0o077 != 0 {
        return Err(format!(
            "{} must be a directory of user {} that nobody else may enter, and is {} of user {} with mode {:o}; have it \
             removed, or set XDG_RUNTIME_DIR to another place",
            path.display(),
            user(),
            if found.is_dir() {
                "one"
            } else {
                "something else"
            },
            found.uid(),
            found.mode() & 0o7777
        ));
    }
    Ok(())
}
