//! Replies of either protocol.

use crate::memcached::Memcached;
use crate::resp::Resp;
use crate::target::Protocol;

/// The meaning of a reply to a load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The server did what it was asked for.
    Value,
    /// It found nothing: the reply is empty, or says so.
    Nothing,
    /// It refused.
    Error,
}

/// A reply that has arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reply {
    /// Bytes of it.
    pub length: usize,
    pub kind: Kind,
}

/// Finds where the replies on a connection end.
#[derive(Debug)]
pub enum Reader {
    Resp(Box<Resp>),
    Memcached(Memcached),
}

impl Reader {
    pub fn new(protocol: Protocol) -> Self {
        match protocol {
            Protocol::Resp => Self::Resp(Box::default()),
            Protocol::Memcached => Self::Memcached(Memcached::default()),
        }
    }

    /// The reply at the beginning of the input, if all of it is there. The caller comes back with the same bytes and
    /// more.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn next(&mut self, input: &[u8]) -> Result<Option<Reply>, String> {
        match self {
            Self::Resp(reader) => reader.next(input),
            Self::Memcached(reader) => reader.next(input),
        }
    }
}

/// Characters of a text of a server that are shown.
const SHOWN: usize = 80;

/// A text of a server as a message may have it: one line, not too long, without control characters.
pub fn shown(bytes: &[u8]) -> String {
    let bytes = bytes.trim_ascii();
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(4 * SHOWN)]);
    let mut shown: String = text
        .chars()
        .take(SHOWN)
        .flat_map(|character| match character.is_control() {
            true => character.escape_default().collect::<Vec<char>>(),
            false => vec![character],
        })
        .collect();
    if text.chars().nth(SHOWN).is_some() {
        shown.push_str("...");
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn texts_of_servers_are_harmless() {
        assert_eq!(shown(b"ERR no\r\n"), "ERR no");
        assert_eq!(shown(b"\x1b[31ma\nb"), "\\u{1b}[31ma\\nb");
        assert_eq!(shown(b"\xff"), "\u{fffd}");
        let long = shown(&[b'x'; 1000]);
        assert_eq!((long.len(), long.ends_with("x...")), (83, true));
    }
}
