//! Where the output streams of a process go.

use std::fs::File;
use std::io;
use std::path::Path;
use std::process::Stdio;

use crate::host::{LaunchError, Redirect};

pub(super) fn stdio(redirect: Redirect<'_>) -> Result<Stdio, LaunchError> {
    Ok(match redirect {
        Redirect::Null => Stdio::null(),
        Redirect::Inherit => Stdio::inherit(),
        Redirect::File(path) => create(path)?.into(),
    })
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
