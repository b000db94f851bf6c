//! What makes a server close a connection.

use std::error::Error;
use std::fmt;

/// A request that is none. The server answers with its [`reply`](Self::reply) and closes the connection: where the next
/// request would begin is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProtocolError {
    /// The number of arguments is no number, or too large.
    MultibulkLength,
    /// The length of an argument is no number, negative, or too large.
    BulkLength,
    /// The line of an argument's length begins with this byte instead of `$`.
    ExpectedBulk(u8),
    /// The line with the number of arguments does not end.
    EndlessMultibulkCount,
    /// The line with the length of an argument does not end.
    EndlessBulkCount,
    /// The line of an inline request does not end.
    EndlessInline,
    /// A quote of an inline request is not closed, or is not followed by a space.
    UnbalancedQuotes,
    /// So many arguments need authentication first.
    StrangersMultibulkLength,
    /// So long an argument needs authentication first.
    StrangersBulkLength,
}

impl ProtocolError {
    /// Appends the reply that Redis gives: an error, with the end of its line.
    ///
    /// ```
    /// let mut reply = Vec::new();
    /// perflab_resp::ProtocolError::ExpectedBulk(b'x').reply(&mut reply);
    /// assert_eq!(reply, b"-ERR Protocol error: expected '$', got 'x'\r\n");
    /// ```
    pub fn reply(self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"-ERR Protocol error: ");
        if let Self::ExpectedBulk(byte) = self {
            // An error is one line, so Redis makes spaces of what would end it.
            let shown = if matches!(byte, b'\r' | b'\n') {
                b' '
            } else {
                byte
            };
            out.extend_from_slice(b"expected '$', got '");
            out.extend_from_slice(&[shown, b'\'']);
        } else {
            out.extend_from_slice(self.text().as_bytes());
        }
        out.extend_from_slice(b"\r\n");
    }

    fn text(self) -> &'static str {
        match self {
            Self::MultibulkLength => "invalid multibulk length",
            Self::BulkLength => "invalid bulk length",
            Self::ExpectedBulk(_) => "expected '$'",
            Self::EndlessMultibulkCount => "too big mbulk count string",
            Self::EndlessBulkCount => "too big bulk count string",
            Self::EndlessInline => "too big inline request",
            Self::UnbalancedQuotes => "unbalanced quotes in request",
            Self::StrangersMultibulkLength => "unauthenticated multibulk length",
            Self::StrangersBulkLength => "unauthenticated bulk length",
        }
    }
}

impl fmt::Display for ProtocolError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Protocol error: {}", self.text())?;
        match self {
            Self::ExpectedBulk(byte) => write!(out, ", got '{}'", byte.escape_ascii()),
            _ => Ok(()),
        }
    }
}

impl Error for ProtocolError {}
