//! Lines of text to a dataset, as the original reads them with `fgets`, `strtok` and `strtod`.

use crate::number::{is_space, parse_number};
use crate::statistics::Dataset;
use std::io::{self, Read};

/// The original reads lines into a buffer of 8192 bytes, one of which ends the string.
const LONGEST_LINE: usize = 8191;

/// A dataset has at least this many values.
const FEWEST_VALUES: usize = 3;

const CHUNK: usize = 1 << 18;

/// Which part of a line holds the number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseOptions {
    /// The column, counted from 1; lines with fewer are ignored.
    pub column: usize,
    /// Any number of these bytes, in any mixture, separates two columns.
    pub delimiters: Vec<u8>,
}

impl Default for ParseOptions {
    /// The first column, with columns separated by blanks and tabs.
    fn default() -> Self {
        Self {
            column: 1,
            delimiters: b" \t".to_vec(),
        }
    }
}

/// Why a text is no dataset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// The column holds something else than a number.
    #[error(
        "line {line}: the chosen column holds something other than a number; choose another column, or start the line with # to skip it"
    )]
    InvalidData {
        /// Counted from 1; a line longer than 8191 bytes counts once for every 8191 bytes.
        line: usize,
    },
    /// The sample is too small.
    #[error("expected at least 3 numbers, found {found}; measure more often")]
    TooFewPoints {
        /// How many there are.
        found: usize,
    },
}

/// Reads a dataset from a text held in memory.
///
/// Per line: trailing white space goes, columns are cut at the delimiters, `#` at the start of the wanted
/// column or of one before it makes the rest a comment, and the wanted column must be a number as a whole.
/// A byte 0 ends its line.
///
/// # Errors
/// The first line whose column is no number; or fewer than three numbers.
pub fn parse(bytes: &[u8], options: &ParseOptions) -> Result<Dataset, ParseError> {
    let mut parser = Parser::new(options);
    parser.feed(bytes)?;
    parser.finish()
}

/// Reads a dataset from a stream in bounded memory, and stops at the first error.
///
/// A failed read ends the data, as in the original: a directory is an empty file.
/// Once cancelled, it gives up with a result of no use.
pub(crate) fn read(
    source: &mut (impl Read + ?Sized),
    options: &ParseOptions,
    cancelled: impl Fn() -> bool,
) -> Result<Dataset, ParseError> {
    let mut parser = Parser::new(options);
    let mut chunk = vec![0; CHUNK];
    loop {
        if cancelled() {
            return Err(ParseError::TooFewPoints {
                found: parser.values.len(),
            });
        }
        match source.read(&mut chunk) {
            Ok(0) => break,
            Ok(length) => parser.feed(&chunk[..length])?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => {
                parser.partial_line.clear();
                break;
            }
        }
    }
    parser.finish()
}

struct Parser {
    column: usize,
    is_delimiter: [bool; 256],
    line: usize,
    partial_line: Vec<u8>,
    values: Vec<f64>,
}

impl Parser {
    fn new(options: &ParseOptions) -> Self {
        let mut is_delimiter = [false; 256];
        for &byte in &options.delimiters {
            is_delimiter[usize::from(byte)] = true;
        }
        Self {
            column: options.column,
            is_delimiter,
            line: 0,
            partial_line: Vec::new(),
            values: Vec::new(),
        }
    }

    fn feed(&mut self, mut bytes: &[u8]) -> Result<(), ParseError> {
        while !bytes.is_empty() {
            let room = LONGEST_LINE - self.partial_line.len();
            let window = &bytes[..bytes.len().min(room)];
            let newline = window.iter().position(|&byte| byte == b'\n');
            let length = newline.map_or(window.len(), |at| at + 1);
            let (piece, rest) = bytes.split_at(length);
            bytes = rest;
            if newline.is_none() && length < room {
                self.partial_line.extend_from_slice(piece);
            } else if self.partial_line.is_empty() {
                self.take_line(piece)?;
            } else {
                let mut line = std::mem::take(&mut self.partial_line);
                line.extend_from_slice(piece);
                self.take_line(&line)?;
                line.clear();
                self.partial_line = line;
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Dataset, ParseError> {
        if !self.partial_line.is_empty() {
            let line = std::mem::take(&mut self.partial_line);
            self.take_line(&line)?;
        }
        let found = self.values.len();
        let enough = if found < FEWEST_VALUES {
            None
        } else {
            Dataset::new(self.values)
        };
        enough.ok_or(ParseError::TooFewPoints { found })
    }

    fn take_line(&mut self, line: &[u8]) -> Result<(), ParseError> {
        self.line += 1;
        let Some(cell) = self.cell(line) else {
            return Ok(());
        };
        let value = parse_number(cell).ok_or(ParseError::InvalidData { line: self.line })?;
        self.values.push(value);
        Ok(())
    }

    /// The wanted column of a line, unless it is missing or behind a comment.
    fn cell<'line>(&self, line: &'line [u8]) -> Option<&'line [u8]> {
        let end = line
            .iter()
            .position(|&byte| byte == 0)
            .unwrap_or(line.len());
        let end = line[..end].iter().rposition(|&byte| !is_space(byte))? + 1;
        let mut rest = &line[..end];
        let mut column = 1;
        loop {
            let start = rest
                .iter()
                .position(|&byte| !self.is_delimiter[usize::from(byte)])?;
            rest = &rest[start..];
            if rest.first() == Some(&b'#') {
                return None;
            }
            let end = rest
                .iter()
                .position(|&byte| self.is_delimiter[usize::from(byte)])
                .unwrap_or(rest.len());
            if column == self.column {
                return Some(&rest[..end]);
            }
            rest = &rest[end..];
            column += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str, column: usize, delimiters: &str) -> Result<Vec<f64>, ParseError> {
        let options = ParseOptions {
            column,
            delimiters: delimiters.into(),
        };
        parse(text.as_bytes(), &options).map(|dataset| dataset.sorted().to_vec())
    }

    #[test]
    fn comments_empty_lines_and_line_ends_are_ignored() {
        let text = "# comment\n1\r\n\n  2 three\n\t3 \u{b}\n4#5\n";
        assert_eq!(
            values(text, 1, " \t"),
            Err(ParseError::InvalidData { line: 6 })
        );
        assert_eq!(
            values(&text.replace("#5", " #5"), 1, " \t"),
            Ok(vec![1.0, 2.0, 3.0, 4.0])
        );
    }

    #[test]
    fn columns_are_counted_over_runs_of_delimiters() {
        assert_eq!(
            values("a,,;1,x\nb;2\nc\n,d,3", 2, ",;"),
            Ok(vec![1.0, 2.0, 3.0])
        );
        // A comment before the wanted column hides it, one after it does not matter.
        assert_eq!(
            values("#a 9\na #9\na 1 #\na 2\na 3", 2, " "),
            Ok(vec![1.0, 2.0, 3.0])
        );
        // Blanks that are no delimiters belong to the cell: in front they do no harm, behind they do.
        assert_eq!(
            values("a, 1\na,\t2\na,3 \n", 2, ","),
            Ok(vec![1.0, 2.0, 3.0])
        );
        assert_eq!(
            values("a,1 ,b\n", 2, ","),
            Err(ParseError::InvalidData { line: 1 })
        );
    }

    #[test]
    fn a_zero_byte_ends_its_line() {
        assert_eq!(
            values("1\x002\n\x003\n4\n5 \0x", 1, " "),
            Ok(vec![1.0, 4.0, 5.0])
        );
    }

    #[test]
    fn too_few_numbers_are_refused() {
        assert_eq!(
            values("", 1, " "),
            Err(ParseError::TooFewPoints { found: 0 })
        );
        assert_eq!(
            values("1\n2\n", 1, " "),
            Err(ParseError::TooFewPoints { found: 2 })
        );
    }

    #[test]
    fn long_lines_are_cut() {
        let text = format!("{}12\n5\n6\nx\n", " ".repeat(LONGEST_LINE - 1));
        // The first line becomes "... 1" and "2", so that x stands in the fifth.
        assert_eq!(
            values(&text, 1, " "),
            Err(ParseError::InvalidData { line: 5 })
        );
        assert_eq!(
            values(&text[..text.len() - 2], 1, " "),
            Ok(vec![1.0, 2.0, 5.0, 6.0])
        );
    }

    #[test]
    fn pieces_of_any_size_give_the_same() {
        struct Drip<'a>(&'a [u8], usize);
        impl Read for Drip<'_> {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                let length = self.1.min(buffer.len());
                self.0.read(&mut buffer[..length])
            }
        }
        let text = format!("1.5 2\n{}7\r\n-3e1\n# no\n4", " ".repeat(LONGEST_LINE - 1));
        for size in [1, 2, 3, 8190, 8191, 8192] {
            let dataset = read(
                &mut Drip(text.as_bytes(), size),
                &ParseOptions::default(),
                || false,
            )
            .unwrap();
            assert_eq!(
                dataset.sorted(),
                [-30.0, 1.5, 4.0, 7.0],
                "pieces of {size} bytes"
            );
        }
    }

    #[test]
    fn a_failed_read_ends_the_data_before_the_unfinished_line() {
        struct Fails;
        impl Read for Fails {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("broken"))
            }
        }
        let mut source = b"1\n2\n3\n4".as_slice().chain(Fails);
        let dataset = read(&mut source, &ParseOptions::default(), || false).unwrap();
        assert_eq!(dataset.sorted(), [1.0, 2.0, 3.0]);
    }
}
