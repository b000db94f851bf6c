//! The files named on the command line to datasets, with the original's messages.

use crate::input::{self, ParseError, ParseOptions};
use crate::statistics::Dataset;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::panic;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// A dataset and the name that the legend gives it. Names are bytes, as file names are.
#[derive(Clone, Debug)]
pub(crate) struct Named {
    pub(crate) name: Vec<u8>,
    pub(crate) dataset: Dataset,
}

/// Why a file is no dataset.
#[derive(Debug)]
pub(crate) enum ReadError {
    Open { name: Vec<u8>, error: io::Error },
    Content { name: Vec<u8>, error: ParseError },
}

impl ReadError {
    /// In the original's words.
    pub(crate) fn message(&self) -> Vec<u8> {
        match self {
            Self::Open { name, error } => [
                b"ministat: Cannot open ",
                name.as_slice(),
                b": ",
                plain_text(error).as_bytes(),
                b"\n",
            ]
            .concat(),
            Self::Content {
                name,
                error: ParseError::InvalidData { line },
            } => [
                format!("ministat: Invalid data on line {line} in ").as_bytes(),
                name,
                b"\n",
            ]
            .concat(),
            Self::Content {
                name,
                error: ParseError::TooFewPoints { .. },
            } => [
                b"Dataset ",
                name.as_slice(),
                b" must contain at least 3 data points\n",
            ]
            .concat(),
        }
    }

    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Open { .. } => 1,
            Self::Content { .. } => 2,
        }
    }
}

/// The C library's text of an error, to which the standard library adds the number.
fn plain_text(error: &io::Error) -> String {
    let mut text = error.to_string();
    if let Some(number) = error.raw_os_error() {
        let suffix = format!(" (os error {number})");
        text.truncate(text.strip_suffix(&suffix).map_or(text.len(), str::len));
    }
    text
}

/// Reads all datasets, or gives the error of the first file that has one.
///
/// No name, or the name `-`, is the standard input; a second `-` finds it empty.
pub(crate) fn read_all(
    names: &[OsString],
    stdin: &mut dyn Read,
    options: &ParseOptions,
) -> Result<Vec<Named>, ReadError> {
    let standard_input = [OsString::from("-")];
    let names = if names.is_empty() {
        &standard_input
    } else {
        names
    };
    // What reading changes, such as a pipe, must be read in turn and only as far as the original does.
    let independent =
        |name: &OsString| name != "-" && fs::metadata(name).is_ok_and(|file| file.is_file());
    if names.len() > 1 && names.iter().all(independent) {
        return read_files_at_once(names, options);
    }
    let mut stdin = Some(stdin);
    names
        .iter()
        .map(|name| match stdin.take_if(|_| name == "-") {
            Some(stdin) => named(b"<stdin>", input::read(stdin, options, || false)),
            None if name == "-" => {
                named(b"<stdin>", input::read(&mut io::empty(), options, || false))
            }
            None => read_file(name, options, || false),
        })
        .collect()
}

/// Reads each file in a thread of its own.
fn read_files_at_once(names: &[OsString], options: &ParseOptions) -> Result<Vec<Named>, ReadError> {
    let first_failure = AtomicUsize::new(usize::MAX);
    let read = |index: usize, name: &OsString| {
        // Behind an error, nobody asks for the other files any more.
        let result = read_file(name, options, || {
            first_failure.load(Ordering::Relaxed) < index
        });
        if result.is_err() {
            first_failure.fetch_min(index, Ordering::Relaxed);
        }
        result
    };
    let read = &read;
    thread::scope(|scope| {
        let readers: Vec<_> = names
            .iter()
            .enumerate()
            .map(|(index, name)| {
                let thread = thread::Builder::new().spawn_scoped(scope, move || read(index, name));
                (index, name, thread)
            })
            .collect();
        readers
            .into_iter()
            .map(|(index, name, thread)| match thread {
                Ok(thread) => thread
                    .join()
                    .unwrap_or_else(|panic| panic::resume_unwind(panic)),
                // Where the system gives no more threads, this one does the work.
                Err(_) => read(index, name),
            })
            .collect()
    })
}

fn read_file(
    name: &OsString,
    options: &ParseOptions,
    cancelled: impl Fn() -> bool,
) -> Result<Named, ReadError> {
    match File::open(name) {
        Ok(mut file) => named(name.as_bytes(), input::read(&mut file, options, cancelled)),
        Err(error) => Err(ReadError::Open {
            name: name.as_bytes().to_vec(),
            error,
        }),
    }
}

fn named(name: &[u8], dataset: Result<Dataset, ParseError>) -> Result<Named, ReadError> {
    let name = name.to_vec();
    match dataset {
        Ok(dataset) => Ok(Named { name, dataset }),
        Err(error) => Err(ReadError::Content { name, error }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_error_in_the_order_of_names_counts() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name).into_os_string();
        // The long file is read to its end before its last line turns out to be wrong.
        fs::write(path("long"), "1\n".repeat(300_000) + "x\n").unwrap();
        fs::write(path("short"), "1\n").unwrap();
        fs::write(path("good"), "1\n2\n3\n").unwrap();
        let message = |names: &[&str]| {
            let names: Vec<_> = names.iter().map(|name| path(name)).collect();
            let error = read_all(&names, &mut io::empty(), &ParseOptions::default()).unwrap_err();
            let text = String::from_utf8(error.message()).unwrap();
            text.replace(&format!("{}/", directory.path().display()), "")
        };
        assert_eq!(
            message(&["good", "long", "short"]),
            "ministat: Invalid data on line 300001 in long\n"
        );
        assert_eq!(
            message(&["good", "short", "long"]),
            "Dataset short must contain at least 3 data points\n"
        );
        assert_eq!(
            message(&["good", "none", "short"]),
            "ministat: Cannot open none: No such file or directory\n"
        );
    }

    #[test]
    fn the_standard_input_is_read_once() {
        /// Goes on after its end, as a terminal does.
        struct Terminal(bool);
        impl Read for Terminal {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                self.0 = !self.0;
                let mut text: &[u8] = if self.0 { b"1\n2\n3\n" } else { b"" };
                text.read(buffer)
            }
        }
        let names = ["-".into(), "-".into()];
        let error = read_all(&names, &mut Terminal(false), &ParseOptions::default()).unwrap_err();
        assert_eq!(
            error.message(),
            b"Dataset <stdin> must contain at least 3 data points\n"
        );
        assert_eq!(error.exit_code(), 2);
    }
}
