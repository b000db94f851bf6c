//! Where the output streams of a process go.

use std::cell::OnceCell;
use std::fs::File;
use std::io;
use std::path::Path;
use std::process::Stdio;

use crate::host::{LaunchError, Redirect};

/// `/dev/null` for one process: nothing to read, and nowhere to write. Opened once for its three streams, as copies of a
/// descriptor cost less. Not once for all: processes that run at the same time would share the kernel's state of the file,
/// which each write changes.
#[derive(Debug, Default)]
pub(super) struct Null(OnceCell<File>);

impl Null {
    pub(super) fn stdio(&self) -> Stdio {
        let opened = match self.0.get() {
            Some(opened) => Ok(opened),
            None => {
                let opened = File::options().read(true).write(true).open("/dev/null");
                opened.map(|file| self.0.get_or_init(|| file))
            }
        };
        // Where it cannot be opened or copied, the start of the process says why.
        let copy = opened.and_then(File::try_clone);
        copy.map_or_else(|_| Stdio::null(), Stdio::from)
    }
}

pub(super) fn stdio(redirect: Redirect<'_>, null: &Null) -> Result<Stdio, LaunchError> {
    Ok(match redirect {
        Redirect::Null => null.stdio(),
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
