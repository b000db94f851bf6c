//! Where the streams of a process go.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;

use crate::host::{Launch, LaunchError, Redirect};

/// A stream of a process.
#[derive(Debug)]
enum Stream {
    Null,
    Inherit,
    File(File),
    /// Of standard error: where standard output goes.
    Output,
}

/// The three streams of a process.
#[derive(Debug)]
pub(super) struct Streams([Stream; 3]);

impl Streams {
    /// Opens the files that a process reads and writes.
    ///
    /// # Errors
    /// When one of them cannot be opened.
    pub(super) fn open(launch: &Launch<'_>) -> Result<Self, LaunchError> {
        let stdin = match launch.stdin {
            None => Stream::Null,
            Some(path) => {
                Stream::File(File::open(path).map_err(|source| open_error(path, source))?)
            }
        };
        let stdout = Stream::to(launch.stdout)?;
        let stderr = match (launch.stdout, launch.stderr) {
            (Redirect::File(out), Redirect::File(err)) if out == err => Stream::Output,
            (_, stderr) => Stream::to(stderr)?,
        };
        Ok(Self([stdin, stdout, stderr]))
    }

    /// `/dev/null` for one process, if it needs it: nothing to read, and nowhere to write. Opened once for its three
    /// streams. Not once for all processes: those that run at the same time would share the kernel's state of the file,
    /// which each write changes.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub(super) fn null(&self) -> io::Result<Option<File>> {
        let is_needed = self.0.iter().any(|stream| matches!(stream, Stream::Null));
        let open = || File::options().read(true).write(true).open("/dev/null");
        is_needed.then(open).transpose()
    }

    /// The descriptors; none for a stream that is the laboratory's own.
    pub(super) fn descriptors<'a>(&'a self, null: Option<&'a File>) -> [Option<BorrowedFd<'a>>; 3] {
        let [_, stdout, _] = &self.0;
        self.0.each_ref().map(|stream| match (stream, stdout) {
            (Stream::Null, _) => null.map(AsFd::as_fd),
            (Stream::File(file), _) | (Stream::Output, Stream::File(file)) => Some(file.as_fd()),
            (Stream::Inherit | Stream::Output, _) => None,
        })
    }
}

impl Stream {
    fn to(redirect: Redirect<'_>) -> Result<Self, LaunchError> {
        Ok(match redirect {
            Redirect::Null => Self::Null,
            Redirect::Inherit => Self::Inherit,
            Redirect::File(path) => {
                Self::File(File::create(path).map_err(|source| open_error(path, source))?)
            }
        })
    }
}

fn open_error(path: &Path, source: io::Error) -> LaunchError {
    LaunchError::Open {
        path: path.to_path_buf(),
        source,
    }
}
