//! Where the output streams of a process go.

use std::fs::File;
use std::io;
use std::path::Path;
use std::process::Stdio;
use std::sync::OnceLock;

use crate::host::{LaunchError, Redirect};

pub(super) fn stdio(redirect: Redirect<'_>) -> Result<Stdio, LaunchError> {
    Ok(match redirect {
        Redirect::Null => null(),
        Redirect::Inherit => Stdio::inherit(),
        Redirect::File(path) => create(path)?.into(),
    })
}

/// Nothing to read, and nowhere to write. Opened once, as each start of a process would open and close it three times,
/// which costs more than a copy of the descriptor.
pub(super) fn null() -> Stdio {
    static NULL: OnceLock<Option<File>> = OnceLock::new();
    let opened = NULL.get_or_init(|| {
        File::options()
            .read(true)
            .write(true)
            .open("/dev/null")
            .ok()
    });
    let copy = opened.as_ref().and_then(|null| null.try_clone().ok());
    copy.map_or_else(Stdio::null, Stdio::from)
}

pub(super) fn create(path: &Path) -> Result<File, LaunchError> {
    File::create(path).map_err(|source| open_error(path, source))
}

pub(super) fn open_error(path: &Path, source: io::Error) -> LaunchError {
    LaunchError::Open {
        path: path.to_path_buf(),
        source,
    }
}
