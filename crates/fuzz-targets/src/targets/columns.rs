//! Any bytes as a plain file of numbers. The first line is the column's digit and the delimiters.
//! Whatever ministat reads as finite decimal numbers must be read as the same numbers here, where a blank delimits and
//! all can be compared: cells of a table may be empty here.

use perflab_formats::columns;
use perflab_ministat::ParseOptions;

use crate::shared::first_line;

/// Whether the input is worth keeping in a corpus.
pub fn run(input: &[u8]) -> bool {
    let (options, text) = first_line(input);
    let Ok(options) = std::str::from_utf8(options) else {
        return false;
    };
    let mut options = options.chars();
    let column = options
        .next()
        .and_then(|digit| digit.to_digit(10))
        .unwrap_or(1) as usize;
    let delimiters = options.as_str();

    let found = columns::read(text, column, delimiters);
    if let Ok(values) = &found {
        assert!(!values.is_empty() && values.iter().all(|value| value.is_finite()));
    }
    let is_size = matches!(found, Err(columns::ColumnsError::Size { .. }));
    if column > 0 && !is_size && delimiters.contains(' ') && delimiters.is_ascii() && is_plain(text)
    {
        let options = ParseOptions {
            column,
            delimiters: delimiters.into(),
        };
        if let Ok(dataset) = perflab_ministat::parse(text, &options)
            && dataset.sorted().iter().all(|value| value.is_finite())
        {
            let mut values = found.expect("what ministat reads is read");
            values.sort_by(f64::total_cmp);
            assert!(
                values.iter().eq(dataset.sorted()),
                "{values:?} {:?}",
                dataset.sorted()
            );
        }
    }
    true
}

/// Whether both readers mean the same by it: text without hexadecimal numbers, without NUL, which
/// ends a line for ministat, and without lines that are longer than its buffer.
fn is_plain(text: &[u8]) -> bool {
    text.is_ascii()
        && !text.iter().any(|byte| matches!(byte, 0 | b'x' | b'X'))
        && text
            .split(|&byte| byte == b'\n')
            .all(|line| line.len() < 8_000)
}
