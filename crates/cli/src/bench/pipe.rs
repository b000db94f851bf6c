//! A pipe for the output of commands, for those that do less where it goes to `/dev/null`.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::thread;

use crate::failure::Failure;

/// A pipe that a thread empties into `/dev/null` for as long as this program runs.
///
/// The thread takes processor time beside the command that writes, as in hyperfine.
#[derive(Debug)]
pub struct Pipe {
    /// Stays open between commands, so that the thread never comes to an end of the data.
    _writer: io::PipeWriter,
    path: PathBuf,
}

impl Pipe {
    /// Makes the pipe, and starts what empties it.
    ///
    /// # Errors
    /// When the system has no file descriptors or threads left.
    pub fn new() -> Result<Self, Failure> {
        let failed = |error: io::Error| {
            Failure::environment(format!("cannot make a pipe for --output=pipe: {error}"))
        };
        let (mut reader, writer) = io::pipe().map_err(failed)?;
        let mut nowhere = File::options()
            .write(true)
            .open("/dev/null")
            .map_err(failed)?;
        thread::Builder::new()
            .name("pipe".to_owned())
            .spawn(move || io::copy(&mut reader, &mut nowhere))
            .map_err(failed)?;
        // Opening a descriptor by its name gives another one for the same pipe, so a command takes
        // it as it takes a file.
        let path = PathBuf::from(format!("/proc/self/fd/{}", writer.as_raw_fd()));
        Ok(Self {
            _writer: writer,
            path,
        })
    }

    /// What to open for writing into it.
    pub fn path(&self) -> &Path {
        &self.path
    }
}
