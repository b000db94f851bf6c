//! The restorer of the machine's settings: a small process beside the laboratory that puts them back,
//! should the laboratory die without doing so itself.
//!
//! It sleeps in reading a pipe that ends when the laboratory is gone, like the [`Reaper`], and then
//! does what any later command would do as well: [`recover`].
//!
//! [`Reaper`]: crate::Reaper

use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use perflab_machine::tune::{Recovered, TuneError, pending, recover};

use super::job_control::start;

/// The first argument that turns the `perflab` binary into a restorer; the root and the state
/// directory follow.
pub const RESTORER_ARGUMENT: &str = "restorer";

/// How long settings are looked after that another session, or somebody who takes very long, has at
/// the moment, and how often.
const PATIENCE: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(2);

/// The laboratory's end of the arrangement. Dropping it waits for the restorer to end, so what the
/// session did must be over by then.
#[derive(Debug)]
pub struct Restorer {
    child: Child,
    pipe: Option<io::PipeWriter>,
}

impl Restorer {
    /// Starts a restorer: `program` is a binary that calls [`restore_settings`] when its first argument is
    /// [`RESTORER_ARGUMENT`].
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(program: &Path, root: &Path, directory: &Path) -> io::Result<Self> {
        let (read, write) = io::pipe()?;
        let mut command = Command::new(program);
        command
            .arg(RESTORER_ARGUMENT)
            .args([root, directory])
            .stdin(read)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .env_clear()
            // Out of reach of the terminal's Ctrl-C.
            .process_group(0);
        // Some settings are changed by other programs.
        if let Some(path) = std::env::var_os("PATH") {
            command.env("PATH", path);
        }
        Ok(Self {
            child: start(None, || command.spawn(), |_| {})?,
            pipe: Some(write),
        })
    }
}

impl Drop for Restorer {
    fn drop(&mut self) {
        self.pipe = None;
        let _ = self.child.wait();
    }
}

/// What the restorer does: waits until `pipe` ends, then puts back what was left changed.
pub fn restore_settings(root: &Path, directory: &Path, mut pipe: impl Read) {
    // Nothing is ever written into the pipe; an error means the same as its end.
    let _ = io::copy(&mut pipe, &mut io::sink());
    let deadline = Instant::now() + PATIENCE;
    // Kept settings are pending too, but recovering says so at once.
    while matches!(
        recover(root, directory, false),
        Ok(Recovered::Nothing) | Err(TuneError::Busy(_))
    ) && pending(directory)
        && Instant::now() < deadline
    {
        thread::sleep(PAUSE);
    }
}
