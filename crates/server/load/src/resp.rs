//! Replies of Redis' protocol.

use perflab_resp::{Answer, Answers};

use crate::reply::{Kind, Reply};

/// An array without elements: the reply to a range of a list that does not exist.
const EMPTY: &[u8] = b"*0\r\n";

/// Finds where replies end.
#[derive(Debug, Default)]
pub struct Resp(Answers);

impl Resp {
    /// The reply at the beginning of the input, if all of it is there. The caller comes back with the same bytes and
    /// more.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn next(&mut self, input: &[u8]) -> Result<Option<Reply>, String> {
        let answer = self.0.skip(input).map_err(|error| error.to_string())?;
        let Some(Answer { length, kind }) = answer else {
            return Ok(None);
        };
        let kind = match kind {
            perflab_resp::Kind::Push => return Err("a message that nobody asked for".to_owned()),
            kind if kind.is_error() => Kind::Error,
            kind if kind.is_null() || input.starts_with(EMPTY) => Kind::Nothing,
            _ => Kind::Value,
        };
        Ok(Some(Reply { length, kind }))
    }
}

#[cfg(test)]
mod tests {
    use super::Resp;
    use crate::reply::{Kind, Reply};

    #[test]
    fn replies_are_values_nothing_or_errors() {
        for (input, kind) in [
            (&b"+OK\r\n"[..], Kind::Value),
            (b":0\r\n", Kind::Value),
            (b"$0\r\n\r\n", Kind::Value),
            (b"$-1\r\n", Kind::Nothing),
            (b"*-1\r\n", Kind::Nothing),
            (b"*0\r\n", Kind::Nothing),
            (b"*1\r\n$-1\r\n", Kind::Value),
            (b"-ERR no\r\n", Kind::Error),
        ] {
            let mut reader = Resp::default();
            for length in 0..input.len() {
                assert_eq!(reader.next(&input[..length]), Ok(None));
            }
            let reply = Reply {
                length: input.len(),
                kind,
            };
            assert_eq!(reader.next(input), Ok(Some(reply)));
        }
    }

    #[test]
    fn what_is_no_reply_is_refused() {
        for input in [&b"STORED\r\n"[..], b"$3\r\nabcd\r\n", b">1\r\n+x\r\n"] {
            assert!(Resp::default().next(input).is_err());
        }
    }
}
