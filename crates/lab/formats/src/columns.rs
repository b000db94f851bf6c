//! Plain files of numbers, one observation per line, as `ministat` reads them.

use perflab_experiment::{Better, Sample};
use thiserror::Error;

use crate::fault::Fault;
use crate::run::{Contents, File, Run, sample, without_mark};

/// Characters between columns unless others are given: space and tab.
pub const WHITE_SPACE: &str = " \t";

/// Why a file of numbers could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ColumnsError {
    /// Columns are counted from 1.
    #[error("expected a column from 1 on, found 0")]
    NoSuchColumn,
    /// Without a delimiter a line cannot be split.
    #[error("expected at least one character as delimiter, found none")]
    NoDelimiter,
    /// A field that is not a number.
    #[error(
        "line {line}: expected a number in column {column}, found `{found}`; put `#` before lines \
         that are not data, or choose another column or delimiter"
    )]
    NotANumber {
        /// Line, counted from 1.
        line: usize,
        /// Column, counted from 1.
        column: usize,
        /// The field, shortened if long.
        found: String,
    },
    /// A field that is an infinity or not-a-number.
    #[error(
        "line {line}: expected a finite number in column {column}, found `{found}`; one such value \
         makes mean and deviation of all others meaningless, so correct it or remove the line"
    )]
    NotFinite {
        /// Line, counted from 1.
        line: usize,
        /// Column, counted from 1.
        column: usize,
        /// The field.
        found: String,
    },
    /// A line that has other columns, and not this one.
    #[error(
        "line {line}: expected a number in column {column}, found none; put one there, or `#` before the line"
    )]
    Missing {
        /// Line, counted from 1.
        line: usize,
        /// Column, counted from 1.
        column: usize,
    },
    /// Text of two bytes for each character.
    #[error("expected text in UTF-8, found UTF-16; convert it: iconv -f UTF-16 -t UTF-8 FILE")]
    Wide,
    /// A number that cannot be compared.
    #[error(
        "line {line}: expected 0 or a size from 1e-75 to 1e75, found {found}; choose another unit"
    )]
    Size {
        /// Line, counted from 1.
        line: usize,
        /// The field.
        found: String,
    },
    /// No line holds a value.
    #[error(
        "expected a number in column {column} of at least one line, found none in {lines} lines; \
         check column and delimiter"
    )]
    Empty {
        /// Column, counted from 1.
        column: usize,
        /// Number of lines read.
        lines: usize,
    },
}

/// The values in one column, counted from 1, in the order of the lines.
///
/// A column ends at any of the characters in `delimiter`. What begins with `#` at the start of a column is a comment up
/// to the end of its line, and white space at the end of a line belongs to no column.
///
/// Where a blank delimits, several delimiters in a row count as one, and lines that end before the column are left out. These are the rules of FreeBSD's `ministat`, which differs in taking whatever C's `strtod` does: infinities, and
/// hexadecimal numbers. It has these rules for all characters; here, without a blank, each one ends a column, which may be
/// empty, as in a table whose cells are separated by commas or tabs: another column's number would else take the place of one that is
/// missing.
///
/// # Errors
/// A field that is not a decimal number whose size can be compared, a file without values, or arguments that cannot
/// select any.
pub fn read(text: &[u8], column: usize, delimiter: &str) -> Result<Vec<f64>, ColumnsError> {
    if column == 0 {
        return Err(ColumnsError::NoSuchColumn);
    }
    if delimiter.is_empty() {
        return Err(ColumnsError::NoDelimiter);
    }
    if text.starts_with(&[0xff, 0xfe]) || text.starts_with(&[0xfe, 0xff]) {
        return Err(ColumnsError::Wide);
    }
    // Bytes that are not text cannot be part of a number; they may stand in a comment.
    let text = String::from_utf8_lossy(without_mark(text));
    let mut values = Vec::new();
    let mut lines = 0;
    for line in text.lines() {
        lines += 1;
        match field(line, column, delimiter) {
            Field::Of(field) => values.push(value(field, lines, column)?),
            Field::Missing => {
                return Err(ColumnsError::Missing {
                    line: lines,
                    column,
                });
            }
            Field::Nothing => {}
        }
    }
    if values.is_empty() {
        return Err(ColumnsError::Empty { column, lines });
    }
    Ok(values)
}

/// The first column of a file as runs, a run for each number: a metric `value` without a unit, the
/// lower the better.
///
/// # Errors
/// As [`read`].
pub fn read_runs(file: &File) -> Result<Contents, Fault> {
    let values = read(&file.bytes, 1, WHITE_SPACE)
        .map_err(|error| Fault::new(&file.path, error.to_string()))?;
    let runs = (1..).zip(values).map(|(number, value)| Run {
        at: format!("number {number}"),
        samples: vec![sample(None, "value", "", Better::Lower, value)],
        ..Run::default()
    });
    Ok(Contents {
        runs: runs.collect(),
        notes: Vec::new(),
    })
}

/// What a line has in a column.
enum Field<'a> {
    /// Text.
    Of(&'a str),
    /// Nothing, though it has other columns.
    Missing,
    /// Nothing, and that is no fault.
    Nothing,
}

fn field<'a>(line: &'a str, column: usize, delimiter: &str) -> Field<'a> {
    let is_table = !delimiter.contains(' ');
    let mut fields = line
        .trim_end()
        .split(|c| delimiter.contains(c))
        .filter(|field| is_table || !field.is_empty())
        .take_while(|field| !field.starts_with('#'))
        .map(|field| if is_table { field.trim() } else { field })
        .peekable();
    let is_row = is_table
        && fields.peek().is_some_and(|first| {
            !first.is_empty() || line.trim_end().contains(|c| delimiter.contains(c))
        });
    match fields.nth(column - 1) {
        Some(field) if !field.is_empty() => Field::Of(field),
        _ if is_row => Field::Missing,
        _ => Field::Nothing,
    }
}

fn value(field: &str, line: usize, column: usize) -> Result<f64, ColumnsError> {
    const SHOWN: usize = 60;
    let found = || {
        field
            .chars()
            .take(SHOWN)
            .flat_map(char::escape_debug)
            .collect()
    };
    // With a delimiter other than white space, a field may be padded with it.
    match field.trim().parse::<f64>() {
        // Less than any number that can be written here.
        Ok(0.0) if is_small(field) => Err(ColumnsError::Size {
            line,
            found: found(),
        }),
        Ok(value) if Sample::is_comparable(value) => Ok(value),
        Ok(value) if value.is_finite() => Err(ColumnsError::Size {
            line,
            found: format!("{value:e}"),
        }),
        Ok(_) => Err(ColumnsError::NotFinite {
            line,
            column,
            found: found(),
        }),
        Err(_) => Err(ColumnsError::NotANumber {
            line,
            column,
            found: found(),
        }),
    }
}

/// Whether digits that are not 0 came to nothing.
fn is_small(field: &str) -> bool {
    let digits = field.split(['e', 'E']).next().unwrap_or_default();
    digits.contains(|digit: char| digit.is_ascii_digit() && digit != '0')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_str(text: &str, column: usize, delimiter: &str) -> Result<Vec<f64>, ColumnsError> {
        read(text.as_bytes(), column, delimiter)
    }

    #[test]
    fn comments_and_short_lines_are_left_out() {
        let text = "# before\n1\n\n 2 # behind\n#3\n4#\r\n  \t \n5e1\r\n";
        let error = read_str(text, 1, WHITE_SPACE).unwrap_err();
        assert!(
            matches!(error, ColumnsError::NotANumber { line: 6, .. }),
            "{error}"
        );
        let text = text.replace("4#", "-4 #");
        assert_eq!(
            read_str(&text, 1, WHITE_SPACE).unwrap(),
            [1.0, 2.0, -4.0, 50.0]
        );
    }

    #[test]
    fn columns_are_counted_from_one_with_runs_of_delimiters_as_one() {
        let text = "a  \t1 10\nb 2\nc 3 # 30\nd 4 40\n";
        assert_eq!(
            read_str(text, 2, WHITE_SPACE).unwrap(),
            [1.0, 2.0, 3.0, 4.0]
        );
        assert_eq!(read_str(text, 3, WHITE_SPACE).unwrap(), [10.0, 40.0]);
    }

    #[test]
    fn cells_of_a_table_keep_their_places() {
        let text = "# a,b,c\n1,5,1000\n\n2, 6 ,1000 # fast\n, 7,\n";
        assert_eq!(read_str(text, 2, ",").unwrap(), [5.0, 6.0, 7.0]);
        assert_eq!(read_str("x;; 1,5\n", 4, ";,").unwrap(), [5.0]);
        let missing = ColumnsError::Missing { line: 1, column: 2 };
        assert_eq!(read_str("1\t\t9\n", 2, "\t"), Err(missing));
        for (text, line) in [
            ("1,5,9\n2,,9\n", 2),
            ("1,5\n2\n", 2),
            ("1,5\n,", 2),
            ("3,#\n", 1),
        ] {
            let missing = ColumnsError::Missing { line, column: 2 };
            assert_eq!(read_str(text, 2, ","), Err(missing), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_read_says_why() {
        assert_eq!(
            read(b"\xff\xfe1\0\n\0", 1, WHITE_SPACE),
            Err(ColumnsError::Wide)
        );
        for small in ["1e-999", "-0.5E-400", "1e-300"] {
            let error = read_str(small, 1, WHITE_SPACE).unwrap_err();
            assert!(
                matches!(error, ColumnsError::Size { line: 1, .. }),
                "{error}"
            );
        }
        assert_eq!(
            read_str("0e-999\n-0.0", 1, WHITE_SPACE).unwrap(),
            [0.0, 0.0]
        );
    }

    #[test]
    fn white_space_at_the_end_of_a_line_is_no_column() {
        assert_eq!(
            read_str("1,2 \n3, \t\n  \n4,5\r", 1, ",").unwrap(),
            [1.0, 3.0, 4.0]
        );
        assert!(read_str("1, ,3\n", 2, ",").is_err());
    }

    #[test]
    fn what_is_no_number_is_refused_with_its_line() {
        let error = read_str("1\n2\n3s\n", 1, WHITE_SPACE).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("line 3: expected a number in column 1, found `3s`")
        );
    }

    #[test]
    fn what_is_not_finite_is_refused_with_the_reason() {
        for text in ["nan", "-nan", "inf", "-Infinity", "1e999"] {
            let error = read_str(&format!("1\n{text}\n"), 1, WHITE_SPACE).unwrap_err();
            assert!(
                matches!(error, ColumnsError::NotFinite { line: 2, .. }),
                "{text}"
            );
            assert!(error.to_string().contains("meaningless"));
        }
    }

    #[test]
    fn a_file_without_values_is_refused() {
        for (text, lines) in [("", 0), ("# 1\n\n", 2), ("1\n2\n", 2)] {
            let error = read_str(text, 2, WHITE_SPACE).unwrap_err();
            assert_eq!(error, ColumnsError::Empty { column: 2, lines });
        }
    }

    #[test]
    fn arguments_that_select_nothing_are_refused() {
        assert_eq!(
            read_str("1", 0, WHITE_SPACE),
            Err(ColumnsError::NoSuchColumn)
        );
        assert_eq!(read_str("1", 1, ""), Err(ColumnsError::NoDelimiter));
    }

    #[test]
    fn bytes_that_are_not_text_may_stand_in_comments_only() {
        assert_eq!(read(b"1 # \xff\n2\n", 1, WHITE_SPACE).unwrap(), [1.0, 2.0]);
        assert!(read(b"1\xff\n", 1, WHITE_SPACE).is_err());
    }
}
