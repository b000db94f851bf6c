//! Replies, skipped as they arrive: how long one is and what it is, without a copy.
//!
//! Both protocols are read at once, since no mark means different things in them. More is checked than a client needs,
//! as this reads the replies of servers under test: ends of lines, numbers, and that strings end where they should. The
//! parts of RESP3 that no version of Redis sends are refused: strings and aggregates without a length.

mod head;
mod kind;
mod malformed;

pub(crate) use head::{Body, Head, any_double, signed_integer};
pub use kind::Kind;
pub use malformed::Malformed;

/// A reply that is whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The bytes of the input that it takes, with the attributes in front of it.
    pub length: usize,
    /// What it is.
    pub kind: Kind,
}

/// Skips the replies that arrive on one connection.
///
/// ```
/// use perflab_resp::{Answer, Answers, Kind};
///
/// let mut answers = Answers::default();
/// let input = b"*2\r\n:1\r\n$2\r\nhi\r\n+OK\r\n";
///
/// assert_eq!(answers.skip(&input[..10]), Ok(None));
/// assert_eq!(answers.skip(input), Ok(Some(Answer { length: 16, kind: Kind::Array })));
/// assert_eq!(answers.skip(&input[16..]), Ok(Some(Answer { length: 5, kind: Kind::Simple })));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Answers {
    /// Where the element begins that is read next.
    position: usize,
    /// The line at `position` does not end before this.
    searched: usize,
    /// What the outermost aggregate is.
    kind: Option<Kind>,
    /// How many aggregates have begun and not ended.
    depth: usize,
    /// The elements that each of them still misses.
    missing: [u64; Answers::DEPTH],
    /// Which of them are attributes: bit by bit, the outermost is the lowest.
    attributes: u32,
}

impl Answers {
    /// The aggregates that may be in one another, at most. Redis sends fewer than ten.
    pub const DEPTH: usize = 32;

    /// Looks for a reply at the start of the input; `None` if it is not whole yet.
    ///
    /// After `None`, the caller calls again with the same bytes and more behind them. After an answer, the input begins
    /// with the next one.
    ///
    /// # Errors
    ///
    /// If there can be no reply. This reader is then of no use any more.
    pub fn skip(&mut self, input: &[u8]) -> Result<Option<Answer>, Malformed> {
        loop {
            let Some(head) = Head::read(input, self.position, &mut self.searched)? else {
                return Ok(None);
            };
            self.position = head.end;
            if let Some(kind) = self.enter(&head)? {
                let length = self.position;
                // Where no aggregate is open, the rest is not looked at.
                self.position = 0;
                self.searched = 0;
                return Ok(Some(Answer { length, kind }));
            }
        }
    }

    /// Counts an element, or what begins one. Returns what the reply is if it ends here.
    fn enter(&mut self, head: &Head) -> Result<Option<Kind>, Malformed> {
        if self.depth == 0 && !head.is_attribute {
            self.kind = Some(head.kind);
        }
        match head.body {
            Body::Elements(length) if length > 0 => {
                let missing = self.missing.get_mut(self.depth);
                *missing.ok_or(Malformed::TooDeep)? = length;
                let bit = 1 << self.depth;
                self.attributes &= !bit;
                if head.is_attribute {
                    self.attributes |= bit;
                }
                self.depth += 1;
                Ok(None)
            }
            _ if head.is_attribute => Ok(None),
            _ => Ok(self.leave()),
        }
    }

    /// Counts an element that is whole, and the aggregates that end with it.
    fn leave(&mut self) -> Option<Kind> {
        while let Some(innermost) = self.depth.checked_sub(1) {
            self.missing[innermost] -= 1;
            if self.missing[innermost] > 0 {
                return None;
            }
            self.depth = innermost;
            // Attributes are no element: the one that they are about follows.
            if self.attributes & (1 << innermost) != 0 {
                return None;
            }
        }
        self.kind
    }
}
