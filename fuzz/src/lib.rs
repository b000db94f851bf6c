//! What the fuzz targets share.

use std::path::PathBuf;

/// The first line of an input, without its line end, and everything behind it. Targets whose
/// subject has settings take them from there.
pub fn first_line(input: &[u8]) -> (&[u8], &[u8]) {
    match input.iter().position(|&byte| byte == b'\n') {
        Some(end) => (&input[..end], &input[end + 1..]),
        None => (input, &[]),
    }
}

/// A new empty directory for what a target has to have on the disk. It outlives the process, since
/// libFuzzer ends it without a word; whoever wants it gone sets `TMPDIR`.
pub fn directory() -> PathBuf {
    tempfile::Builder::new()
        .prefix("perflab-fuzz-")
        .tempdir()
        .expect("a temporary directory can be made")
        .keep()
}

/// A line of JSON as the store seals it: the object's closing brace gives way to a checksum. Without
/// this no mutated line would ever pass the checksum and be looked at.
pub fn seal(object: &[u8]) -> Vec<u8> {
    let mut line = object.strip_suffix(b"}").unwrap_or(object).to_vec();
    let checksum = crc32fast::hash(&line);
    line.extend_from_slice(format!(",\"crc\":\"{checksum:08x}\"}}").as_bytes());
    line
}

/// Whether a text has characters that would steer a terminal. Line ends are none.
pub fn has_control(text: &str) -> bool {
    text.chars()
        .any(|character| character.is_control() && character != '\n')
}
