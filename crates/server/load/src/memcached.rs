//! Replies of memcached, found as they arrive.

use crate::reply::{Kind, Reply};

/// Bytes of a line at most. Keys have 250, and so a line of a value has less than 300; errors and statistics are short.
const MOST_LINE: usize = 8192;

/// Finds where replies end. Bytes that were looked at are not looked at again.
#[derive(Debug, Default)]
pub struct Memcached {
    /// Where the next line of the reply begins: perhaps behind what has arrived.
    line: usize,
    /// Bytes of that line in which there is no end.
    looked: usize,
    /// Whether a block of data ends in front of the line.
    is_behind_block: bool,
    /// Whether there were values, or other lines with something in them.
    has_values: bool,
}

impl Memcached {
    /// The reply at the beginning of the input, if all of it is there. The caller comes back with the same bytes and
    /// more.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn next(&mut self, input: &[u8]) -> Result<Option<Reply>, String> {
        loop {
            let Some(rest) = input.get(self.line..) else {
                return Ok(None);
            };
            if self.is_behind_block {
                if input.get(self.line - 2..self.line) != Some(&b"\r\n"[..]) {
                    return Err("a value that is longer or shorter than it said".to_owned());
                }
                self.is_behind_block = false;
            }
            let unseen = rest.get(self.looked..).unwrap_or_default();
            let Some(end) = unseen.iter().position(|byte| *byte == b'\n') else {
                self.looked = rest.len();
                if self.looked > MOST_LINE {
                    return Err(format!("a line of more than {MOST_LINE} bytes"));
                }
                return Ok(None);
            };
            let end = self.looked + end + 1;
            let line = rest[..end].strip_suffix(b"\r\n");
            let line = line.ok_or_else(|| unknown(&rest[..end]))?;
            self.line += end;
            self.looked = 0;
            let kind = match Line::of(line)? {
                Line::Block(bytes) => {
                    self.line += bytes + 2;
                    self.is_behind_block = true;
                    self.has_values = true;
                    continue;
                }
                Line::More => {
                    self.has_values = true;
                    continue;
                }
                Line::End if self.has_values => Kind::Value,
                Line::End => Kind::Nothing,
                Line::Whole(kind) => kind,
            };
            let length = self.line;
            *self = Self::default();
            return Ok(Some(Reply { length, kind }));
        }
    }
}

/// Bytes of a value at most: the largest that memcached can be told to take.
const MOST_VALUE: usize = 1 << 30;

/// The meaning of a line.
enum Line {
    /// A block of so many bytes follows, and then a line.
    Block(usize),
    /// A line follows.
    More,
    /// The end of what came before.
    End,
    /// It is a reply by itself.
    Whole(Kind),
}

impl Line {
    fn of(line: &[u8]) -> Result<Self, String> {
        let mut words = line.split(|byte| *byte == b' ');
        let first = words.next().unwrap_or_default();
        let is_number = !first.is_empty() && first.iter().all(u8::is_ascii_digit);
        Ok(match first {
            b"VALUE" => {
                // The key and the flags come before the number of bytes.
                let bytes = words.nth(2).and_then(|word| str::from_utf8(word).ok());
                let bytes = bytes.and_then(|word| word.parse::<usize>().ok());
                match bytes {
                    Some(bytes) if bytes <= MOST_VALUE => Self::Block(bytes),
                    _ => return Err(unknown(line)),
                }
            }
            b"STAT" => Self::More,
            b"END" => Self::End,
            b"ERROR" | b"CLIENT_ERROR" | b"SERVER_ERROR" => Self::Whole(Kind::Error),
            b"NOT_FOUND" | b"NOT_STORED" | b"EXISTS" => Self::Whole(Kind::Nothing),
            b"STORED" | b"DELETED" | b"TOUCHED" | b"OK" | b"RESET" | b"VERSION" => {
                Self::Whole(Kind::Value)
            }
            _ if is_number => Self::Whole(Kind::Value),
            _ => return Err(unknown(line)),
        })
    }
}

/// What is wrong with a line of another protocol.
fn unknown(line: &[u8]) -> String {
    format!("`{}`", crate::reply::shown(line))
}

#[cfg(test)]
mod tests {
    use super::{MOST_LINE, Memcached};
    use crate::random::Random;
    use crate::reply::{Kind, Reply};

    /// The replies in the input, which arrives in pieces of this size: up to a mistake, if there is one.
    fn read(input: &[u8], piece: usize) -> (Vec<Reply>, Option<String>) {
        let (mut reader, mut begin, mut replies) = (Memcached::default(), 0, Vec::new());
        let mut arrived = 0;
        while arrived < input.len() {
            arrived = (arrived + piece).min(input.len());
            loop {
                match reader.next(&input[begin..arrived]) {
                    Ok(Some(reply)) => {
                        begin += reply.length;
                        replies.push(reply);
                    }
                    Ok(None) => break,
                    Err(mistake) => return (replies, Some(mistake)),
                }
            }
        }
        (replies, None)
    }

    #[test]
    fn replies_are_found_in_any_pieces() {
        let parts: [(&[u8], Kind); 13] = [
            (b"STORED\r\n", Kind::Value),
            (b"END\r\n", Kind::Nothing),
            (b"VALUE key:1 0 7\r\nEND\r\nxy\r\nEND\r\n", Kind::Value),
            (b"VALUE a 0 0\r\n\r\nEND\r\n", Kind::Value),
            (
                b"VALUE a 0 1 17\r\nx\r\nVALUE b 5 2 18\r\n\r\n\r\nEND\r\n",
                Kind::Value,
            ),
            (b"NOT_FOUND\r\n", Kind::Nothing),
            (b"ERROR\r\n", Kind::Error),
            (b"CLIENT_ERROR bad data chunk\r\n", Kind::Error),
            (b"SERVER_ERROR object too large for cache\r\n", Kind::Error),
            (b"STAT pid 1\r\nSTAT uptime 2\r\nEND\r\n", Kind::Value),
            (b"17\r\n", Kind::Value),
            (b"VERSION 1.6.18\r\n", Kind::Value),
            (b"END\r\n", Kind::Nothing),
        ];
        let input: Vec<u8> = parts.iter().flat_map(|(part, _)| part.to_vec()).collect();
        let expected = parts.map(|(part, kind)| Reply {
            length: part.len(),
            kind,
        });
        for piece in (1..40).chain([input.len()]) {
            assert_eq!(read(&input, piece), (expected.to_vec(), None), "{piece}");
        }
    }

    #[test]
    fn what_is_no_reply_is_refused() {
        for input in [
            &b"HTTP/1.1 400 Bad Request\r\n"[..],
            b"+OK\r\n",
            b"STORED\n",
            b"\r\n",
            b"VALUE a 0 x\r\n",
            b"VALUE a 0\r\n",
            b"VALUE a 0 1073741825\r\n",
            b"VALUE a 0 18446744073709551616\r\n",
            b"VALUE a 0 3\r\nabcdEND\r\n",
            b"-1\r\n",
        ] {
            for piece in [1, input.len()] {
                let (_, mistake) = read(input, piece);
                assert!(mistake.is_some(), "{}", String::from_utf8_lossy(input));
            }
        }
        let (_, endless) = read(&[b'x'; MOST_LINE + 2], 1000);
        assert_eq!(endless.as_deref(), Some("a line of more than 8192 bytes"));
    }

    #[test]
    fn pieces_make_no_difference_to_any_input() {
        const PARTS: [&[u8]; 12] = [
            b"VALUE a 0 3\r\n",
            b"VALUE a 0 0\r\n",
            b"xyz\r\n",
            b"\r\n",
            b"END\r\n",
            b"END",
            b"STORED\r\n",
            b"STAT a b\r\n",
            b"\n",
            b"SERVER_ERROR x\r\n",
            b"7",
            b"\0",
        ];
        let mut random = Random::new(3, 3);
        let mut whole = 0;
        for _ in 0..5000 {
            let count = 1 + random.below(8);
            let parts = (0..count).flat_map(|_| PARTS[random.below(12) as usize]);
            let input: Vec<u8> = parts.copied().collect();
            let expected = read(&input, input.len());
            whole += expected.0.len();
            for piece in [1, 2, 3, 7] {
                let shown = String::from_utf8_lossy(&input);
                assert_eq!(
                    read(&input, piece),
                    expected,
                    "{shown} in pieces of {piece}"
                );
            }
        }
        assert!(whole > 1000, "{whole} replies");
    }
}
