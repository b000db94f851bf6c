//! Names, paths and command lines as they are shown: the system takes any bytes, a trace takes UTF-8.

use std::fmt::Write;

/// Most bytes of a command line that are kept. A chunk has room for it and for the longest path.
const LONGEST_COMMAND: usize = 32 * 1024;

/// What a command line ends with that was cut.
const CUT: &str = " ... (cut)";

/// Bytes as text, in which those that are no UTF-8 are escapes as `\xff`.
pub fn shown(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            // A text takes whatever is written to it.
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    text
}

/// A command line with spaces between its arguments. A long one is cut, with a mark.
pub fn shown_command(arguments: &[u8]) -> String {
    let command = shown(arguments).replace('\0', " ");
    let command = command.trim_end();
    let end = command.floor_char_boundary(LONGEST_COMMAND);
    let kept = command.get(..end).unwrap_or_default();
    let mark = if end < command.len() { CUT } else { "" };
    format!("{kept}{mark}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_command_line_is_cut() {
        assert_eq!(shown_command(b"a\0b\xff \0\0"), "a b\\xff");
        let whole = "x".repeat(LONGEST_COMMAND);
        assert_eq!(shown_command(whole.as_bytes()), whole);
        let cut = shown_command(format!("{whole}x").as_bytes());
        assert_eq!(cut, format!("{whole}{CUT}"));
    }
}
