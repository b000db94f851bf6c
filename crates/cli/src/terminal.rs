//! Standard output and error: width, colour, and what happens when nobody reads on.

use std::io::{self, IsTerminal, Write};

use clap::ValueEnum;
use serde::Serialize;

use crate::failure::{Code, Failure};

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

/// Keeps what could steer a terminal, or show text otherwise than it is, out of text that came from a file.
pub fn escape(text: &str) -> String {
    text.chars()
        .flat_map(|c| {
            if c.is_control() || is_invisible(c) {
                c.escape_default().collect::<Vec<_>>()
            } else {
                vec![c]
            }
        })
        .collect()
}

/// Whether a character is not seen itself, but may change how others are shown or divide lines: those of the Unicode
/// categories Cf, Zl and Zp, and fillers.
fn is_invisible(c: char) -> bool {
    matches!(u32::from(c),
        0xad | 0x34f | 0x600..=0x605 | 0x61c | 0x6dd | 0x70f | 0x890..=0x891 | 0x8e2 | 0x115f..=0x1160
        | 0x17b4..=0x17b5 | 0x180b..=0x180f | 0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x206f | 0x3164
        | 0xfe00..=0xfe0f | 0xfeff | 0xffa0 | 0xfff0..=0xfffb | 0x1_10bd | 0x1_10cd | 0x1_3430..=0x1_343f
        | 0x1_bca0..=0x1_bca3 | 0x1_d173..=0x1_d17a | 0xe_0000..=0xe_0fff)
}

/// Prints to standard output. A reader that went away (`| head`) is no failure.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut output = io::stdout().lock();
    match output
        .write_all(text.as_bytes())
        .and_then(|()| output.flush())
    {
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

/// Says what went wrong.
pub fn say_error(failure: &Failure) {
    let red = io::stderr().is_terminal()
        && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let label = if red {
        "\x1b[1;31merror:\x1b[0m"
    } else {
        "error:"
    };
    say(&format!("{label} {failure}"));
}

#[cfg(test)]
mod tests {
    use super::escape;

    #[test]
    fn what_is_not_seen_is_escaped() {
        let hidden = "\u{61c}\u{200e}\u{200f}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2066}\u{2067}\u{2068}\u{2069}\
                      \u{ad}\u{200b}\u{2028}\u{2060}\u{feff}\u{e0041}\u{1b}\u{85}\n";
        for c in hidden.chars() {
            let shown = escape(&format!("a{c}b"));
            assert_eq!(shown, format!("a{}b", c.escape_default()));
            assert!(shown.is_ascii(), "{shown:?}");
        }
        let shown = "name_1 \u{e4}\u{65e5}\u{5e9}\u{1f600}\"\\";
        assert_eq!(escape(shown), shown);
    }
}
