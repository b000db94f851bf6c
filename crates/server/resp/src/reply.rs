//! Replies, written for the protocol that the peer speaks.

mod line;

use crate::{decimal, double};

/// The version of the protocol that a connection speaks. It begins with RESP2; `HELLO 3` changes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Protocol {
    /// RESP2, which has strings, errors, integers, arrays and nulls.
    #[default]
    Two,
    /// RESP3, which has more kinds of values.
    Three,
}

/// Appends replies to a buffer. What RESP2 does not have it gets as Redis gives it.
///
/// An aggregate is announced with its length, and its elements follow as replies of their own.
///
/// ```
/// use perflab_resp::{Protocol, Replies};
///
/// let mut out = Vec::new();
/// let mut replies = Replies::new(&mut out, Protocol::Two);
/// replies.map(1);
/// replies.bulk(b"proto");
/// replies.integer(2);
/// assert_eq!(out, b"*2\r\n$5\r\nproto\r\n:2\r\n");
/// ```
#[derive(Debug)]
pub struct Replies<'o> {
    out: &'o mut Vec<u8>,
    protocol: Protocol,
}

impl<'o> Replies<'o> {
    /// Appends to this buffer.
    #[inline]
    pub fn new(out: &'o mut Vec<u8>, protocol: Protocol) -> Self {
        Self { out, protocol }
    }

    /// The protocol that is written.
    #[inline]
    pub fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// The status `OK`.
    #[inline]
    pub fn ok(&mut self) {
        self.out.extend_from_slice(b"+OK\r\n");
    }

    /// A status. It is one line, so what would end it becomes a space, as in an [`error`](Self::error).
    #[inline]
    pub fn simple(&mut self, text: impl AsRef<[u8]>) {
        self.text_line(b'+', text.as_ref());
    }

    /// An error, with its code in front: `ERR syntax error`. As in Redis, ends of lines become spaces, or are dropped
    /// where the text begins or ends with them.
    #[inline]
    pub fn error(&mut self, text: impl AsRef<[u8]>) {
        self.text_line(b'-', text.as_ref());
    }

    /// An integer.
    #[inline]
    pub fn integer(&mut self, number: i64) {
        line::push(self.out, b':', number);
    }

    /// A string of any bytes.
    #[inline]
    pub fn bulk(&mut self, bytes: impl AsRef<[u8]>) {
        let bytes = bytes.as_ref();
        self.out.reserve(line::LONGEST + bytes.len() + 2);
        self.announce(b'$', bytes.len());
        self.out.extend_from_slice(bytes);
        self.out.extend_from_slice(b"\r\n");
    }

    /// An integer as a string.
    pub fn bulk_integer(&mut self, number: i64) {
        let mut buffer = [0; decimal::LONGEST];
        let begin = decimal::write_before(&mut buffer, decimal::LONGEST, number);
        self.bulk(&buffer[begin..]);
    }

    /// No value where there would be a string.
    #[inline]
    pub fn null(&mut self) {
        self.out.extend_from_slice(match self.protocol {
            Protocol::Two => b"$-1\r\n",
            Protocol::Three => b"_\r\n",
        });
    }

    /// No value where there would be an array.
    #[inline]
    pub fn null_array(&mut self) {
        self.out.extend_from_slice(match self.protocol {
            Protocol::Two => b"*-1\r\n",
            Protocol::Three => b"_\r\n",
        });
    }

    /// An array: so many elements follow.
    #[inline]
    pub fn array(&mut self, length: usize) {
        self.announce(b'*', length);
    }

    /// A map: so many pairs of a key and a value follow. In RESP2 it is an array of twice as many elements.
    pub fn map(&mut self, length: usize) {
        match self.protocol {
            Protocol::Two => self.announce(b'*', 2 * length),
            Protocol::Three => self.announce(b'%', length),
        }
    }

    /// A set: so many elements follow. In RESP2 it is an array.
    pub fn set(&mut self, length: usize) {
        let mark = self.mark(b'*', b'~');
        self.announce(mark, length);
    }

    /// A message that the peer has not asked for, of so many elements. In RESP2 it is an array.
    pub fn push(&mut self, length: usize) {
        let mark = self.mark(b'*', b'>');
        self.announce(mark, length);
    }

    /// A floating-point number, as [`double::text`] gives it. In RESP2 it is a string.
    pub fn double(&mut self, number: f64) {
        let text = double::text(number);
        match self.protocol {
            Protocol::Two => self.bulk(text.as_bytes()),
            Protocol::Three => self.text_line(b',', text.as_bytes()),
        }
    }

    /// Yes or no. In RESP2 it is the integer 1 or 0.
    pub fn boolean(&mut self, value: bool) {
        self.out.extend_from_slice(match (self.protocol, value) {
            (Protocol::Two, false) => b":0\r\n",
            (Protocol::Two, true) => b":1\r\n",
            (Protocol::Three, false) => b"#f\r\n",
            (Protocol::Three, true) => b"#t\r\n",
        });
    }

    /// A text for people, and what it is: `txt` or `mkd`. In RESP2 it is a string.
    pub fn verbatim(&mut self, format: [u8; 3], text: impl AsRef<[u8]>) {
        let text = text.as_ref();
        match self.protocol {
            Protocol::Two => self.bulk(text),
            Protocol::Three => {
                self.announce(b'=', format.len() + 1 + text.len());
                self.out.extend_from_slice(&format);
                self.out.push(b':');
                self.out.extend_from_slice(text);
                self.out.extend_from_slice(b"\r\n");
            }
        }
    }

    /// An integer of any size: its digits, with a sign or without. In RESP2 it is a string.
    pub fn big_number(&mut self, digits: impl AsRef<[u8]>) {
        let digits = digits.as_ref();
        match self.protocol {
            Protocol::Two => self.bulk(digits),
            Protocol::Three => self.text_line(b'(', digits),
        }
    }

    fn mark(&self, two: u8, three: u8) -> u8 {
        match self.protocol {
            Protocol::Two => two,
            Protocol::Three => three,
        }
    }

    /// The line with the length of what follows.
    #[inline]
    fn announce(&mut self, mark: u8, length: usize) {
        // A length is at most isize::MAX, as that of everything in memory.
        line::push(self.out, mark, length as i64);
    }

    fn text_line(&mut self, mark: u8, text: &[u8]) {
        self.out.push(mark);
        if text.iter().any(|byte| ends_line(*byte)) {
            self.one_line(text);
        } else {
            self.out.extend_from_slice(text);
        }
        self.out.extend_from_slice(b"\r\n");
    }

    #[cold]
    fn one_line(&mut self, text: &[u8]) {
        let begin = text.iter().position(|byte| !ends_line(*byte));
        let last = text.iter().rposition(|byte| !ends_line(*byte));
        if let (Some(begin), Some(last)) = (begin, last) {
            let text = text[begin..=last].iter();
            let text = text.map(|byte| if ends_line(*byte) { b' ' } else { *byte });
            self.out.extend(text);
        }
    }
}

fn ends_line(byte: u8) -> bool {
    matches!(byte, b'\r' | b'\n')
}
