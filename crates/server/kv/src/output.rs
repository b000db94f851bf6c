//! Standard output and error, also where the reader of a pipe has gone away.

use std::fs::File;
use std::io::{self, Write};
use std::sync::OnceLock;

use rustix::io::fcntl_dupfd_cloexec;
use rustix::stdio::{dup2_stdout, stderr, stdout};
use serde::Serialize;

use crate::closed;
use crate::failure::{Code, Failure};

/// The standard output, which libraries do not have.
static OUTPUT: OnceLock<File> = OnceLock::new();

/// The first descriptor that is none of the standard ones.
const FIRST: i32 = 3;

/// Keeps standard output for this program: what a library prints there goes to standard error from here on.
///
/// # Errors
/// If there is no standard output.
pub fn keep() -> Result<(), Failure> {
    closed::was_open().map_err(unwritten)?;
    let own = fcntl_dupfd_cloexec(stdout(), FIRST).map_err(unwritten)?;
    OUTPUT.get_or_init(|| own.into());
    dup2_stdout(stderr()).map_err(unwritten)
}

/// Output could not be written.
pub fn unwritten(error: impl Into<io::Error>) -> Failure {
    let error: io::Error = error.into();
    Failure::new(Code::Output, format!("cannot write the output: {error}"))
}

/// Prints to standard output. A reader that went away (`| head`) is no failure.
///
/// # Errors
/// When it cannot be written.
pub fn print(text: &str) -> Result<(), Failure> {
    let written = match OUTPUT.get() {
        Some(mut output) => output.write_all(text.as_bytes()),
        None => Err(io::ErrorKind::NotConnected.into()),
    };
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(unwritten(error)),
        _ => Ok(()),
    }
}

/// Prints a value as JSON on one line.
///
/// # Errors
/// When it cannot be written.
pub fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string(value)
        .map_err(|error| Failure::no_number(format!("cannot print the answer: {error}")))?;
    print(&(text + "\n"))
}

/// Tells the person something that is not the output.
pub fn say(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}
