//! Standard output and error: width, colour, and what happens when nobody reads on.

use std::io::{self, IsTerminal, Write};

use clap::ValueEnum;
/// Makes text that came from a file harmless.
pub use perflab_plot::clean as escape;
use perflab_report::TextOptions;
use serde::Serialize;

use crate::failure::{Code, Failure};

/// Columns of a report where there is no terminal.
const WIDTH: usize = 120;

/// Forms of output of a command that has no tables for other tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// For people.
    Text,
    /// For programs: see `perflab schema`.
    Json,
}

/// What [`Form::Json`] prints, with a line end.
pub fn json(answer: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string_pretty(answer)
        .map(|text| text + "\n")
        .map_err(|error| Failure::environment(format!("cannot print the answer: {error}")))
}

/// Whether colour may be used on standard output: on a terminal that wants it.
pub fn colour() -> bool {
    io::stdout().is_terminal()
        && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// How reports are written on standard output: as wide as it is, and in colour where that may be used. `ascii`: with
/// plain letters only, and so without colour.
pub fn text_options(ascii: bool) -> TextOptions {
    TextOptions {
        width: columns().unwrap_or(WIDTH),
        colour: colour() && !ascii,
        ascii,
    }
}

/// The command line, for the record. What is no UTF-8 in it is replaced.
pub fn arguments() -> Vec<String> {
    let words = std::env::args_os();
    words
        .map(|word| word.to_string_lossy().into_owned())
        .collect()
}

/// Columns of the terminal on standard output, if it is one that says so.
pub fn window_columns() -> Option<u16> {
    let output = io::stdout();
    if !output.is_terminal() {
        return None;
    }
    rustix::termios::tcgetwinsize(&output)
        .ok()
        .map(|size| size.ws_col)
        .filter(|columns| *columns > 0)
}

/// Columns to write in: those of the variable `COLUMNS`, else those of the terminal.
pub fn columns() -> Option<usize> {
    let variable = std::env::var("COLUMNS")
        .ok()
        .and_then(|text| text.parse().ok());
    variable
        .filter(|columns| *columns > 0)
        .or_else(|| window_columns().map(usize::from))
}

/// Prints to standard output. A reader that went away (`| head`) is no failure.
pub fn print(text: &str) -> Result<(), Failure> {
    print_bytes(text.as_bytes())
}

/// As [`print()`], of any bytes.
pub fn print_bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut output = io::stdout().lock();
    match output.write_all(bytes).and_then(|()| output.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::new(
            Code::NoData,
            format!("cannot write the output: {error}"),
        )),
        _ => Ok(()),
    }
}

/// Says something to the person, beside the output.
pub fn say(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// Says what went wrong. It may repeat what a file holds, and has line ends of its own.
pub fn say_error(failure: &Failure) {
    let red = io::stderr().is_terminal()
        && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let label = if red {
        "\x1b[1;31merror:\x1b[0m"
    } else {
        "error:"
    };
    let shown = |character: char| match character {
        // Tabs align what is shown of a file.
        '\n' | '\t' => character.to_string(),
        _ => escape(character.encode_utf8(&mut [0; 4])),
    };
    let failure: String = failure.to_string().chars().map(shown).collect();
    say(&format!("{label} {failure}"));
}
