//! Standard output and error, also where the reader of a pipe has gone away.

use std::io::{self, Write};

use serde::Serialize;

use crate::failure::{Code, Failure};

/// Prints to standard output. A reader that went away (`| head`) is no failure.
///
/// # Errors
/// When it cannot be written.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut output = io::stdout().lock();
    match output
        .write_all(text.as_bytes())
        .and_then(|()| output.flush())
    {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::new(
            Code::NoNumber,
            format!("cannot write the output: {error}"),
        )),
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
