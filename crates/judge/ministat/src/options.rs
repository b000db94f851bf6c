//! The command line, as the original reads it with glibc's `getopt`.

use crate::input::ParseOptions;
use crate::number::{integer_prefix, parse_integer, parse_number};
use crate::plot::MOST_DATASETS;
use crate::statistics::{CONFIDENCE_LEVELS, Confidence};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

/// What the command line asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Options {
    pub(crate) plot: bool,
    pub(crate) compare: bool,
    pub(crate) separate_bars: bool,
    /// The plot's width as given with `-w`, in columns.
    pub(crate) width: Option<usize>,
    /// `None` if not chosen.
    pub(crate) confidence: Option<Confidence>,
    pub(crate) parse: ParseOptions,
    pub(crate) files: Vec<OsString>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            plot: true,
            compare: true,
            separate_bars: false,
            width: None,
            confidence: None,
            parse: ParseOptions::default(),
            files: Vec::new(),
        }
    }
}

/// A command line that the original refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UsageError {
    /// What `getopt` itself says, and of which option, which may be a byte that is no character.
    complaint: Option<(&'static str, u8)>,
    reason: &'static str,
}

impl UsageError {
    fn because(reason: &'static str) -> Self {
        Self {
            complaint: None,
            reason,
        }
    }

    fn unknown_option(complaint: &'static str, letter: u8) -> Self {
        Self {
            complaint: Some((complaint, letter)),
            reason: "Unknown option",
        }
    }

    /// The reason in the original's words, then how it is used.
    pub(crate) fn message(&self) -> Vec<u8> {
        let mut message = Vec::new();
        if let Some((complaint, letter)) = self.complaint {
            message.extend_from_slice(format!("ministat: {complaint} -- '").as_bytes());
            message.push(letter);
            message.extend_from_slice(b"'\n");
        }
        message.extend_from_slice(self.reason.as_bytes());
        message.push(b'\n');
        message.extend_from_slice(usage().as_bytes());
        message
    }
}

fn usage() -> String {
    let levels = CONFIDENCE_LEVELS
        .map(|level| format!("{level}%"))
        .join(", ");
    format!(
        "Usage: ministat [-C column] [-c confidence] [-d delimiter(s)] [-Ans] [-w width] [file [file ...]]\n\
         \tconfidence = {{{levels}}}\n\
         \t-A : print statistics only. suppress the graph.\n\
         \t-C : column number to extract (starts and defaults to 1)\n\
         \t-d : delimiter(s) string, default to \" \\t\"\n\
         \t-n : print summary statistics only, no graph/test\n\
         \t-s : print avg/median/stddev bars on separate lines\n\
         \t-w : width of graph/test output (default 74 or terminal width)\n"
    )
}

/// Reads the arguments, the program's name not among them.
///
/// Options may be clustered, may have their argument in the same word or in the next one, and may stand
/// behind file names; `--` ends them. The first fault counts.
pub(crate) fn parse_arguments(arguments: &[OsString]) -> Result<Options, UsageError> {
    let mut options = Options::default();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.as_bytes() {
            b"--" => {
                options.files.extend(words.by_ref().cloned());
            }
            [b'-', cluster @ ..] if !cluster.is_empty() => {
                read_cluster(cluster, &mut words, &mut options)?;
            }
            _ => options.files.push(word.clone()),
        }
    }
    if options.files.len() > MOST_DATASETS {
        return Err(UsageError::because("Too many datasets."));
    }
    Ok(options)
}

fn read_cluster<'a>(
    mut cluster: &'a [u8],
    words: &mut impl Iterator<Item = &'a OsString>,
    options: &mut Options,
) -> Result<(), UsageError> {
    while let [letter, rest @ ..] = cluster {
        cluster = rest;
        match letter {
            b'A' => options.plot = false,
            b'n' => (options.plot, options.compare) = (false, false),
            b's' => options.separate_bars = true,
            b'C' | b'c' | b'd' | b'w' => {
                let argument = if rest.is_empty() {
                    words.next().map(|word| word.as_bytes())
                } else {
                    Some(rest)
                };
                let argument = argument.ok_or(UsageError::unknown_option(
                    "option requires an argument",
                    *letter,
                ))?;
                return set(*letter, argument, options);
            }
            _ => return Err(UsageError::unknown_option("invalid option", *letter)),
        }
    }
    Ok(())
}

fn set(letter: u8, argument: &[u8], options: &mut Options) -> Result<(), UsageError> {
    match letter {
        b'C' => {
            let column = c_int(argument).ok_or(UsageError::because("Invalid column number."))?;
            let column = usize::try_from(column).unwrap_or(0);
            if column == 0 {
                return Err(UsageError::because("Column number should be positive."));
            }
            options.parse.column = column;
        }
        b'c' => {
            let percent = if argument.is_empty() {
                Some(0.0)
            } else {
                parse_number(argument)
            };
            let percent = percent.ok_or(UsageError::because("Not a floating point number"))?;
            // A level that is not offered goes unnoticed behind one that is.
            options.confidence = Confidence::from_percent(percent)
                .or(options.confidence)
                .map(Some)
                .ok_or(UsageError::because("No support for confidence level"))?;
        }
        b'd' => {
            if argument.is_empty() {
                return Err(UsageError::because("Can't use empty delimiter string"));
            }
            options.parse.delimiters = argument.to_vec();
        }
        _ => {
            let width =
                c_int(argument).ok_or(UsageError::because("Invalid width, not a number."))?;
            let width = usize::try_from(width).ok();
            options.width =
                Some(width.ok_or(UsageError::because("Unable to move beyond left margin."))?);
        }
    }
    Ok(())
}

/// `strtol` cut to 32 bits. An empty text is zero, as nothing is left over.
fn c_int(argument: &[u8]) -> Option<i32> {
    if argument.is_empty() {
        Some(0)
    } else {
        parse_integer(argument).map(|number| number as i32)
    }
}

/// The plot's width, in columns, that the original takes if its output goes to a terminal:
/// `$COLUMNS` as it is, else the window's width less the two columns of the frame; `None` if neither is known.
///
/// A negative width becomes one that no plot can have.
pub fn terminal_width(
    columns_variable: Option<&OsStr>,
    window_columns: Option<u16>,
) -> Option<usize> {
    let width = match columns_variable {
        Some(text) if !text.is_empty() => {
            integer_prefix(text.as_bytes()).map_or(0, |(number, _)| number as i32)
        }
        _ => i32::from(window_columns.filter(|&columns| columns > 0)?) - 2,
    };
    Some(usize::try_from(width).unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(arguments: &[&str]) -> Result<Options, UsageError> {
        parse_arguments(&arguments.iter().map(OsString::from).collect::<Vec<_>>())
    }

    fn reason(arguments: &[&str]) -> String {
        let message = String::from_utf8(read(arguments).unwrap_err().message()).unwrap();
        message.split("Usage:").next().unwrap().to_owned()
    }

    #[test]
    fn options_cluster_and_stand_anywhere() {
        let options = read(&["a", "-sAw40", "-", "-C", "2", "-d,;", "--", "-n"]).unwrap();
        assert_eq!(options.files, ["a", "-", "-n"]);
        assert!(options.separate_bars && !options.plot && options.compare);
        assert_eq!(options.width, Some(40));
        assert_eq!(
            options.parse,
            ParseOptions {
                column: 2,
                delimiters: b",;".to_vec()
            }
        );
        assert_eq!(options.confidence, None);
    }

    #[test]
    fn confidence_is_one_of_six() {
        for text in ["99.5", " 9.95e1", "0x63.8"] {
            assert_eq!(
                read(&["-c", text]).unwrap().confidence,
                Confidence::from_percent(99.5),
                "{text}"
            );
        }
        assert_eq!(reason(&["-c97"]), "No support for confidence level\n");
        assert_eq!(reason(&["-c", ""]), "No support for confidence level\n");
        assert_eq!(reason(&["-c95x"]), "Not a floating point number\n");
        assert_eq!(
            read(&["-c90", "-c97"]).unwrap().confidence,
            Confidence::from_percent(90.0)
        );
    }

    #[test]
    fn integers_are_cut_to_32_bits() {
        assert_eq!(read(&["-w", "4294967336"]).unwrap().width, Some(40));
        assert_eq!(read(&["-w", ""]).unwrap().width, Some(0));
        assert_eq!(
            reason(&["-w99999999999999999999"]),
            "Unable to move beyond left margin.\n"
        );
        assert_eq!(
            reason(&["-C4294967296"]),
            "Column number should be positive.\n"
        );
    }

    #[test]
    fn faults_are_named_in_the_order_of_the_words() {
        assert_eq!(
            reason(&["-x", "-C0"]),
            "ministat: invalid option -- 'x'\nUnknown option\n"
        );
        assert_eq!(
            reason(&["--help"]),
            "ministat: invalid option -- '-'\nUnknown option\n"
        );
        assert_eq!(
            reason(&["-nC"]),
            "ministat: option requires an argument -- 'C'\nUnknown option\n"
        );
        assert_eq!(reason(&["-Cx", "-wx"]), "Invalid column number.\n");
        assert_eq!(reason(&["-wx", "-Cx"]), "Invalid width, not a number.\n");
        assert_eq!(reason(&["-d", ""]), "Can't use empty delimiter string\n");
        assert_eq!(reason(&["f"; 8]), "Too many datasets.\n");
    }

    #[test]
    fn a_terminal_gives_the_width() {
        let variable = |text: &'static str| Some(OsStr::new(text));
        assert_eq!(terminal_width(variable("120"), Some(80)), Some(120));
        assert_eq!(terminal_width(variable("60x"), Some(80)), Some(60));
        assert_eq!(terminal_width(variable("x"), Some(80)), Some(0));
        assert_eq!(terminal_width(variable(""), Some(80)), Some(78));
        assert_eq!(terminal_width(None, Some(0)), None);
        assert_eq!(terminal_width(None, Some(1)), Some(usize::MAX));
        assert_eq!(terminal_width(variable("-5"), None), Some(usize::MAX));
    }
}
