//! A parser of requests that was written apart: it has all bytes at once, copies what it finds, and reads strings as C
//! does, up to a NUL, which is also what is behind the end.

use perflab_resp::{Limits, ProtocolError};

/// What a server finds in the bytes that a connection sends.
#[derive(Debug, PartialEq)]
pub struct Found {
    /// The requests, without those that ask for nothing.
    pub requests: Vec<Vec<Vec<u8>>>,
    /// Why the connection is closed, if it is.
    pub error: Option<ProtocolError>,
}

/// Everything in the input.
pub fn find(input: &[u8], limits: &Limits) -> Found {
    let mut requests = Vec::new();
    let mut rest = input;
    loop {
        let found = if rest.first() == Some(&b'*') {
            array(rest, limits)
        } else {
            words(rest)
        };
        match found {
            Ok(Some((request, length))) => {
                rest = &rest[length..];
                if !request.is_empty() {
                    requests.push(request);
                }
            }
            Ok(None) => {
                let error = None;
                return Found { requests, error };
            }
            Err(error) => {
                let error = Some(error);
                return Found { requests, error };
            }
        }
    }
}

type Request = Option<(Vec<Vec<u8>>, usize)>;

fn array(input: &[u8], limits: &Limits) -> Result<Request, ProtocolError> {
    let Some((count, mut at)) = number(input, ProtocolError::EndlessMultibulkCount)? else {
        return Ok(None);
    };
    let count = count.ok_or(ProtocolError::MultibulkLength)?;
    if count > limits.elements as i128 {
        return Err(ProtocolError::MultibulkLength);
    }
    if count > 10 && !limits.authenticated {
        return Err(ProtocolError::StrangersMultibulkLength);
    }
    let mut arguments = Vec::new();
    for _ in 0..count {
        let Some((length, next)) = number(&input[at..], ProtocolError::EndlessBulkCount)? else {
            return Ok(None);
        };
        if input[at] != b'$' {
            return Err(ProtocolError::ExpectedBulk(input[at]));
        }
        let length = length.ok_or(ProtocolError::BulkLength)?;
        if length < 0 || length > limits.bulk as i128 {
            return Err(ProtocolError::BulkLength);
        }
        if length > 16384 && !limits.authenticated {
            return Err(ProtocolError::StrangersBulkLength);
        }
        at += next;
        let length = length as usize;
        if input.len() < at + length + 2 {
            return Ok(None);
        }
        arguments.push(input[at..at + length].to_vec());
        at += length + 2;
    }
    Ok(Some((arguments, at)))
}

/// What is behind the first byte of a line, if it is a number, and the bytes of the line.
fn number(
    input: &[u8],
    endless: ProtocolError,
) -> Result<Option<(Option<i128>, usize)>, ProtocolError> {
    match c_find(input, b'\r') {
        Some(end) if end > 65536 => Err(endless),
        None if input.len() > 65536 => Err(endless),
        Some(end) if end + 1 < input.len() => {
            let text = String::from_utf8_lossy(&input[1.min(end)..end]);
            let number: Option<i64> = text.parse().ok();
            // Only one text is that of a number.
            let number = number.filter(|number| number.to_string() == text);
            Ok(Some((number.map(i128::from), end + 2)))
        }
        _ => Ok(None),
    }
}

/// `strchr` of C, as the length of what is before.
fn c_find(input: &[u8], byte: u8) -> Option<usize> {
    let string = input.split(|byte| *byte == 0).next().unwrap();
    let before = string.split(|other| *other == byte).next().unwrap();
    (before.len() < string.len()).then_some(before.len())
}

fn words(input: &[u8]) -> Result<Request, ProtocolError> {
    let end = match c_find(input, b'\n') {
        Some(end) if end <= 65536 => end,
        _ if input.len() > 65536 => return Err(ProtocolError::EndlessInline),
        _ => return Ok(None),
    };
    let mut line = input[..end].to_vec();
    if line.last() == Some(&b'\r') {
        line.pop();
    }
    let words = split(&line).ok_or(ProtocolError::UnbalancedQuotes)?;
    Ok(Some((words, end + 1)))
}

/// The words of a line, by states.
fn split(line: &[u8]) -> Option<Vec<Vec<u8>>> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        Between,
        Word,
        Double,
        Single,
        Closed,
    }
    let at = |place: usize| line.get(place).copied().unwrap_or(0);
    let hexadecimal = |byte: u8| char::from(byte).to_digit(16);
    let mut words: Vec<Vec<u8>> = Vec::new();
    let mut state = State::Between;
    let mut place = 0;
    while place < line.len() {
        let byte = at(place);
        let is_space = b" \t\n\x0b\x0c\r".contains(&byte);
        if state == State::Between && !is_space {
            words.push(Vec::new());
            state = State::Word;
        }
        let mut used = 1;
        match (state, byte) {
            (State::Between, _) => {}
            (State::Closed, _) if !is_space => return None,
            (State::Closed, _) | (State::Word, b' ' | b'\t' | b'\n' | b'\r') => {
                state = State::Between;
            }
            (State::Word, b'"') => state = State::Double,
            (State::Word, b'\'') => state = State::Single,
            (State::Double, b'"') | (State::Single, b'\'') => state = State::Closed,
            (State::Double, b'\\') if at(place + 1) != 0 => {
                let digits = (hexadecimal(at(place + 2)), hexadecimal(at(place + 3)));
                let byte = match (at(place + 1), digits) {
                    (b'x', (Some(high), Some(low))) => {
                        used = 4;
                        (16 * high + low) as u8
                    }
                    (escaped, _) => {
                        used = 2;
                        let escapes = [(b'n', 10), (b'r', 13), (b't', 9), (b'b', 8), (b'a', 7)];
                        let known = escapes.iter().find(|(name, _)| *name == escaped);
                        known.map_or(escaped, |(_, byte)| *byte)
                    }
                };
                words.last_mut().unwrap().push(byte);
            }
            (State::Single, b'\\') if at(place + 1) == b'\'' => {
                used = 2;
                words.last_mut().unwrap().push(b'\'');
            }
            (State::Word | State::Double | State::Single, byte) => {
                words.last_mut().unwrap().push(byte);
            }
        }
        place += used;
    }
    let is_open = matches!(state, State::Double | State::Single);
    (!is_open).then_some(words)
}
