//! Texts of events, as they are shown.

use crate::terminal::escape;

/// A text between quotes, with quotes, backslashes and control characters escaped. If it has as many bytes as are kept
/// at most, others may have been cut off.
pub fn quoted(bytes: &[u8], longest: usize) -> String {
    match std::str::from_utf8(whole(bytes, longest)) {
        // A backslash of the text's own first: what is escaped has some too.
        Ok(text) => {
            let text = escape(&text.replace('\\', "\\\\")).replace('"', "\\\"");
            format!("\"{text}\"")
        }
        Err(_) => format!("\"{}\"", bytes.escape_ascii()),
    }
}

/// A text without the first bytes of a character whose others were cut off.
fn whole(bytes: &[u8], longest: usize) -> &[u8] {
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() && bytes.len() == longest => {
            bytes.get(..error.valid_up_to()).unwrap_or(bytes)
        }
        _ => bytes,
    }
}
