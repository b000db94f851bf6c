//! Requests, read in pieces.
//!
//! A request is an array of bulk strings, or a line of words. [`Requests::next`] is given the bytes that have arrived,
//! and says where the arguments are, or how many bytes are missing. What it has looked at, it does not look at again
//! when more bytes come.
//!
//! It takes what Redis takes, also where the protocol says otherwise: the byte behind a carriage return may be any, and
//! so may the two bytes behind an argument. A line ends neither before nor behind a NUL, since Redis searches the end
//! with a function of C.

mod arguments;
mod inline;
mod line;
mod write;

use std::ops::Range;

pub use arguments::Arguments;
use line::Line;
pub use write::write_request;

use crate::error::ProtocolError;
use crate::integer;
use crate::limits::Limits;

/// What is at the start of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// A request that is not whole yet, or nothing.
    Partial {
        /// The bytes that are missing at least; 1 or more. It is large where a large argument has been announced, and
        /// then as large as the peer says: a caller that makes room for them should set a limit.
        wanted: usize,
    },
    /// A request. Without arguments it asks for nothing and gets no reply.
    Request {
        /// The bytes of the input that it takes. The next request begins behind them.
        length: usize,
    },
}

/// Reads the requests of one connection.
///
/// ```
/// use perflab_resp::{Limits, Next, Requests};
///
/// let mut requests = Requests::default();
/// let limits = Limits::default();
/// let input = b"*2\r\n$4\r\nECHO\r\n$2\r\nhi\r\n";
///
/// assert_eq!(requests.next(&input[..18], &limits), Ok(Next::Partial { wanted: 4 }));
/// assert_eq!(requests.next(input, &limits), Ok(Next::Request { length: 22 }));
/// let arguments = requests.arguments(input);
/// assert_eq!(arguments.iter().collect::<Vec<_>>(), [b"ECHO".as_slice(), b"hi"]);
/// ```
#[derive(Debug, Default)]
pub struct Requests {
    stage: Stage,
    /// Where the line or the argument begins that is read next.
    position: usize,
    /// The line at `position` does not end before this.
    searched: usize,
    /// The arguments that have not been read.
    missing: usize,
    /// The bytes of the argument at `position`.
    bulk: usize,
    /// Where the arguments are that have been read.
    places: Vec<Range<usize>>,
    /// The arguments of a line with quotes, one behind the other. If there are any, `places` are places in here.
    unquoted: Vec<u8>,
    is_unquoted: bool,
}

/// What comes next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    /// A request.
    #[default]
    Start,
    /// The line of an inline request.
    Inline,
    /// The number of arguments.
    Count,
    /// The length of an argument.
    Length,
    /// An argument.
    Bulk,
}

/// A line with a number: its first byte, and what is wrong with a line of it.
struct Header {
    mark: u8,
    endless: ProtocolError,
    no_number: ProtocolError,
}

const COUNT: Header = Header {
    mark: b'*',
    endless: ProtocolError::EndlessMultibulkCount,
    no_number: ProtocolError::MultibulkLength,
};

const LENGTH: Header = Header {
    mark: b'$',
    endless: ProtocolError::EndlessBulkCount,
    no_number: ProtocolError::BulkLength,
};

/// The places that are kept for the next request; 64 KiB. More are given back.
const KEPT_PLACES: usize = 4096;
/// The bytes of unquoted arguments that are kept for the next request.
const KEPT_BYTES: usize = 4096;

impl Requests {
    /// Looks for a request at the start of the input.
    ///
    /// After [`Next::Partial`], the caller calls again with the same bytes and more behind them. After
    /// [`Next::Request`], the input begins with the next request.
    ///
    /// # Errors
    ///
    /// If there can be no request. The connection is then of no use any more, nor is this reader.
    #[inline]
    pub fn next(&mut self, input: &[u8], limits: &Limits) -> Result<Next, ProtocolError> {
        if self.stage == Stage::Start {
            self.forget();
            self.stage = match input.first() {
                None => return Ok(Next::Partial { wanted: 1 }),
                Some(b'*') => Stage::Count,
                Some(_) => Stage::Inline,
            };
        }
        if self.stage == Stage::Inline {
            self.inline(input)
        } else {
            self.multibulk(input, limits)
        }
    }

    /// The arguments of the request that [`next`](Self::next) found last. `input` is what it was given then.
    #[inline]
    pub fn arguments<'a>(&'a self, input: &'a [u8]) -> Arguments<'a> {
        let bytes = if self.is_unquoted {
            self.unquoted.as_slice()
        } else {
            input
        };
        Arguments::new(&self.places, bytes)
    }

    /// The bytes of memory that this reader holds apart from itself.
    pub fn memory(&self) -> usize {
        self.places.capacity() * size_of::<Range<usize>>() + self.unquoted.capacity()
    }

    fn forget(&mut self) {
        self.position = 0;
        self.searched = 0;
        self.is_unquoted = false;
        self.places.clear();
        self.places.shrink_to(KEPT_PLACES);
        self.unquoted.clear();
        self.unquoted.shrink_to(KEPT_BYTES);
    }

    fn inline(&mut self, input: &[u8]) -> Result<Next, ProtocolError> {
        match line::find(input, 0, &mut self.searched, b'\n') {
            Line::Partial => Ok(Next::Partial { wanted: 1 }),
            Line::Endless => Err(ProtocolError::EndlessInline),
            Line::Ends(end) => {
                let line = &input[..end];
                let line = line.strip_suffix(b"\r").unwrap_or(line);
                self.is_unquoted = inline::split(line, &mut self.places, &mut self.unquoted)?;
                self.position = end + 1;
                Ok(self.whole())
            }
        }
    }

    fn multibulk(&mut self, input: &[u8], limits: &Limits) -> Result<Next, ProtocolError> {
        if self.stage == Stage::Count {
            let Some((count, next)) = self.number(input, &COUNT)? else {
                return Ok(Next::Partial { wanted: 1 });
            };
            self.missing = limits.elements(count)?;
            self.position = next;
            self.stage = Stage::Length;
        }
        while self.missing > 0 {
            if self.stage == Stage::Length {
                let Some((length, next)) = self.number(input, &LENGTH)? else {
                    return Ok(Next::Partial { wanted: 1 });
                };
                self.bulk = limits.bulk(length)?;
                self.position = next;
                self.stage = Stage::Bulk;
            }
            let end = self.position.saturating_add(self.bulk);
            let next = end.saturating_add(2);
            if input.len() < next {
                let wanted = next - input.len();
                return Ok(Next::Partial { wanted });
            }
            self.places.push(self.position..end);
            self.position = next;
            self.missing -= 1;
            self.stage = Stage::Length;
        }
        Ok(self.whole())
    }

    fn whole(&mut self) -> Next {
        self.stage = Stage::Start;
        Next::Request {
            length: self.position,
        }
    }

    /// The number in the line at `position`, and where the line ends; `None` if that is not there yet.
    #[inline]
    fn number(
        &mut self,
        input: &[u8],
        header: &Header,
    ) -> Result<Option<(i64, usize)>, ProtocolError> {
        let line = input.get(self.position..).unwrap_or_default();
        match line::short_number(line, header.mark) {
            Some((number, length)) => Ok(Some((number, self.position + length))),
            None => self.number_of_any_line(input, header),
        }
    }

    /// The same for lines that are not whole, or not as usual.
    #[cold]
    fn number_of_any_line(
        &mut self,
        input: &[u8],
        header: &Header,
    ) -> Result<Option<(i64, usize)>, ProtocolError> {
        let end = match line::find(input, self.position, &mut self.searched, b'\r') {
            Line::Endless => return Err(header.endless),
            // The byte behind the carriage return may be any, but it must be there.
            Line::Ends(end) if end + 1 < input.len() => end,
            Line::Ends(_) | Line::Partial => return Ok(None),
        };
        let mark = input[self.position];
        if mark != header.mark {
            return Err(ProtocolError::ExpectedBulk(mark));
        }
        let number = integer::parse(&input[self.position + 1..end]).ok_or(header.no_number)?;
        Ok(Some((number, end + 2)))
    }
}
