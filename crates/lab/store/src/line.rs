//! Lines of JSON with a checksum: each ends with `,"crc":"89abcdef"}`, and where lines are chained with
//! `,"previous":"0123456789abcdef","crc":"89abcdef"}`.
//!
//! The checksum is the CRC-32 of all bytes before it, so that a line can be checked before anything
//! is made of it, and any one altered byte is found.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::LineProblem;
use crate::link::Link;

const KEY: &[u8] = br#","crc":""#;
const END: &[u8] = br#""}"#;
const DIGITS: usize = 8;
const PREVIOUS: &[u8] = br#","previous":""#;

/// Writes a value that is an object with at least one field as a line, with its line feed.
///
/// # Errors
/// If it cannot be written as JSON.
pub fn seal(value: &impl Serialize) -> Result<Vec<u8>, serde_json::Error> {
    seal_after(value, None)
}

/// The same for a line that names the one before it.
pub(crate) fn seal_after(
    value: &impl Serialize,
    previous: Option<Link>,
) -> Result<Vec<u8>, serde_json::Error> {
    let mut line = serde_json::to_vec(value)?;
    // The brace that closes the object.
    line.pop();
    if let Some(previous) = previous {
        line.extend_from_slice(PREVIOUS);
        line.extend_from_slice(previous.to_string().as_bytes());
        line.push(b'"');
    }
    let crc = crc32fast::hash(&line);
    line.extend_from_slice(KEY);
    line.extend_from_slice(format!("{crc:08x}").as_bytes());
    line.extend_from_slice(END);
    line.push(b'\n');
    Ok(line)
}

/// Checks and reads a line, given without its line feed.
///
/// # Errors
/// If it was altered, or is no such value.
pub fn unseal<T: DeserializeOwned>(line: &[u8]) -> Result<T, LineProblem> {
    if !is_intact(line) {
        return Err(LineProblem::Altered);
    }
    serde_json::from_slice(line).map_err(|error| LineProblem::Malformed(error.to_string()))
}

/// The same for the line that is all of a file, if it is of the expected schema.
pub(crate) fn unseal_only<T: DeserializeOwned>(
    content: &[u8],
    expected: u32,
    schema: impl FnOnce(&T) -> u32,
) -> Result<T, LineProblem> {
    let line = content.strip_suffix(b"\n").ok_or(LineProblem::Altered)?;
    let value = unseal(line)?;
    match schema(&value) {
        found if found == expected => Ok(value),
        found => Err(LineProblem::Schema { expected, found }),
    }
}

/// The name of the line before, as a line has it that is given without its line feed.
pub(crate) fn previous(line: &[u8]) -> Option<&[u8]> {
    let (body, _) = split(line)?;
    let start = body.len().checked_sub(PREVIOUS.len() + Link::DIGITS + 1)?;
    body.get(start..)?
        .strip_prefix(PREVIOUS)?
        .strip_suffix(b"\"")
}

fn is_intact(line: &[u8]) -> bool {
    split(line)
        .is_some_and(|(body, digits)| digits == format!("{:08x}", crc32fast::hash(body)).as_bytes())
}

/// The bytes before the checksum, and its digits.
fn split(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let length = line.len().checked_sub(KEY.len() + DIGITS + END.len())?;
    let (body, seal) = line.split_at(length);
    Some((body, seal.strip_prefix(KEY)?.strip_suffix(END)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn a_line_is_json_with_the_checksum_last() {
        let line = seal(&json!({"a": "123456789\n"})).unwrap();
        // The checksum is that of Python's zlib.crc32.
        assert_eq!(
            line,
            b"{\"a\":\"123456789\\n\",\"crc\":\"f32a379c\"}\n".as_slice()
        );
        let read: Value = unseal(&line[..line.len() - 1]).unwrap();
        assert_eq!(read["a"], "123456789\n");
    }

    #[test]
    fn any_one_altered_byte_is_found() {
        let line = seal(&json!({"name": "value", "list": [1, 2.5, null]})).unwrap();
        let line = &line[..line.len() - 1];
        for position in 0..line.len() {
            for bit in 0..8 {
                let mut altered = line.to_vec();
                altered[position] ^= 1 << bit;
                assert_eq!(
                    unseal::<Value>(&altered),
                    Err(LineProblem::Altered),
                    "{position}"
                );
            }
        }
        for length in 0..line.len() {
            assert_eq!(unseal::<Value>(&line[..length]), Err(LineProblem::Altered));
        }
    }

    #[test]
    fn a_line_that_was_sealed_but_is_no_record() {
        let line = seal(&json!({"a": 1})).unwrap();
        let read = unseal::<Vec<u32>>(&line[..line.len() - 1]);
        assert!(matches!(read, Err(LineProblem::Malformed(_))));
    }
}
