//! Names and paths as they are shown: the system takes any bytes, a trace takes UTF-8.

use std::fmt::Write;

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
