//! Requests, written.

use crate::reply::{Protocol, Replies};

/// Appends a request: an array of strings, which both protocols have.
///
/// ```
/// use perflab_resp::write_request;
///
/// let mut out = Vec::new();
/// write_request([b"GET".as_slice(), b"key"], &mut out);
/// assert_eq!(out, b"*2\r\n$3\r\nGET\r\n$3\r\nkey\r\n");
/// ```
pub fn write_request<'a>(
    arguments: impl IntoIterator<Item = &'a [u8], IntoIter: ExactSizeIterator>,
    out: &mut Vec<u8>,
) {
    let arguments = arguments.into_iter();
    let mut parts = Replies::new(out, Protocol::Two);
    parts.array(arguments.len());
    for argument in arguments {
        parts.bulk(argument);
    }
}
