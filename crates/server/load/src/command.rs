//! Commands with places for keys and values, as a protocol writes them.

use std::str::FromStr;

use crate::keys::Keys;
use crate::target::Protocol;

/// How often a command may be made for each other one at most: a deck has a card for each.
pub const MOST_WEIGHT: u32 = 10_000;

/// The mark of a key in the text of a command.
const KEY: &str = "{key}";

/// The mark of a value.
const VALUE: &str = "{value}";

/// A command, written as `LRANGE mylist 0 599`, with `{key}` and `{value}` where keys and values go.
///
/// Each `{key}` is drawn anew, and so is each `{value}`. memcached gets the words as a line; a `{value}` there is the last
/// word, and its length takes its place: `set {key} 0 0 {value}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// The name under which the output has it.
    pub name: String,
    /// How often it is made, in relation to the others.
    pub weight: u32,
    words: Vec<Vec<Part>>,
}

/// A part of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    Key,
    Value,
}

/// A piece of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// These bytes.
    Bytes(Vec<u8>),
    /// A key.
    Key,
    /// The length of the value that comes next and so much more, in digits.
    Length { more: usize },
    /// A value of the length that was announced.
    Value,
}

impl FromStr for Command {
    type Err = String;

    /// A command, or `WEIGHT:COMMAND`. Words are split as a shell does; quotes keep blanks.
    fn from_str(text: &str) -> Result<Self, String> {
        let weighted = text.split_once(':').and_then(|(weight, command)| {
            let weight: u32 = weight.parse().ok()?;
            Some((weight, command))
        });
        let (weight, command) = weighted.unwrap_or((1, text));
        if !(1..=MOST_WEIGHT).contains(&weight) {
            return Err(format!("expected a weight from 1 to {MOST_WEIGHT}"));
        }
        let words = shell_words::split(command).map_err(|error| error.to_string())?;
        if words.is_empty() {
            return Err("expected a command, as 'GET {key}' or '3:LRANGE mylist 0 599'".to_owned());
        }
        let words: Vec<Vec<Part>> = words.iter().map(|word| parts(word)).collect();
        let is_value = |part: &&Part| **part == Part::Value;
        if words
            .iter()
            .any(|word| word.iter().filter(is_value).count() > 1)
        {
            return Err("expected at most one {value} in each word".to_owned());
        }
        Ok(Self {
            name: command.trim().to_owned(),
            weight,
            words,
        })
    }
}

/// The parts of a word.
fn parts(word: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut rest = word;
    while !rest.is_empty() {
        let marks = [(KEY, Part::Key), (VALUE, Part::Value)];
        let places = marks.into_iter().filter_map(|(mark, part)| {
            let place = rest.find(mark)?;
            Some((place, mark.len(), part))
        });
        let Some((place, length, part)) = places.min_by_key(|(place, ..)| *place) else {
            break;
        };
        if place > 0 {
            parts.push(Part::Text(rest[..place].to_owned()));
        }
        parts.push(part);
        rest = &rest[place + length..];
    }
    if !rest.is_empty() {
        parts.push(Part::Text(rest.to_owned()));
    }
    parts
}

impl Command {
    /// Sets a key to a value.
    pub fn set(protocol: Protocol, weight: u32) -> Self {
        let value = match protocol {
            Protocol::Resp => vec![vec![Part::Key], vec![Part::Value]],
            Protocol::Memcached => {
                let zero = || vec![Part::Text("0".to_owned())];
                vec![vec![Part::Key], zero(), zero(), vec![Part::Value]]
            }
        };
        Self::named("SET", "set", weight, protocol, value)
    }

    /// Gets the value of a key.
    pub fn get(protocol: Protocol, weight: u32) -> Self {
        Self::named("GET", "get", weight, protocol, vec![vec![Part::Key]])
    }

    fn named(
        resp: &str,
        memcached: &str,
        weight: u32,
        protocol: Protocol,
        mut words: Vec<Vec<Part>>,
    ) -> Self {
        let verb = match protocol {
            Protocol::Resp => resp,
            Protocol::Memcached => memcached,
        };
        words.insert(0, vec![Part::Text(verb.to_owned())]);
        Self {
            name: resp.to_owned(),
            weight,
            words,
        }
    }

    /// Whether the command asks for the value of a key, so that finding none is a miss.
    pub fn gets(&self) -> bool {
        match self.words.first().map(Vec::as_slice) {
            Some([Part::Text(verb)]) => verb.eq_ignore_ascii_case("get"),
            _ => false,
        }
    }

    /// The pieces of a request.
    ///
    /// # Errors
    /// If the protocol has no such command.
    pub(crate) fn pieces(&self, protocol: Protocol, keys: &Keys) -> Result<Vec<Piece>, String> {
        let mut pieces = Pieces::default();
        match protocol {
            Protocol::Resp => self.resp(keys, &mut pieces),
            Protocol::Memcached => self.memcached(&mut pieces)?,
        }
        Ok(pieces.0)
    }

    fn resp(&self, keys: &Keys, pieces: &mut Pieces) {
        pieces.text(&format!("*{}\r\n", self.words.len()));
        for word in &self.words {
            let known = word.iter().map(|part| match part {
                Part::Text(text) => text.len(),
                Part::Key => keys.bytes,
                Part::Value => 0,
            });
            let known: usize = known.sum();
            if word.contains(&Part::Value) {
                pieces.text("$");
                pieces.push(Piece::Length { more: known });
                pieces.text("\r\n");
            } else {
                pieces.text(&format!("${known}\r\n"));
            }
            pieces.word(word);
            pieces.text("\r\n");
        }
    }

    fn memcached(&self, pieces: &mut Pieces) -> Result<(), String> {
        let (last, line) = match self.words.split_last() {
            Some((last, line)) if last.as_slice() == [Part::Value] => (true, line),
            _ => (false, self.words.as_slice()),
        };
        for (number, word) in line.iter().enumerate() {
            if word.contains(&Part::Value) {
                return Err(format!(
                    "memcached takes {VALUE} as the last word only, not as in `{}`",
                    self.name
                ));
            }
            if number > 0 {
                pieces.text(" ");
            }
            pieces.word(word);
        }
        if last {
            pieces.text(" ");
            pieces.push(Piece::Length { more: 0 });
            pieces.text("\r\n");
            pieces.push(Piece::Value);
        }
        pieces.text("\r\n");
        Ok(())
    }
}

/// Pieces of which no two neighbours are bytes.
#[derive(Debug, Default)]
struct Pieces(Vec<Piece>);

impl Pieces {
    fn text(&mut self, text: &str) {
        match self.0.last_mut() {
            Some(Piece::Bytes(bytes)) => bytes.extend_from_slice(text.as_bytes()),
            _ => self.0.push(Piece::Bytes(text.as_bytes().to_vec())),
        }
    }

    fn push(&mut self, piece: Piece) {
        self.0.push(piece);
    }

    fn word(&mut self, word: &[Part]) {
        for part in word {
            match part {
                Part::Text(text) => self.text(text),
                Part::Key => self.push(Piece::Key),
                Part::Value => self.push(Piece::Value),
            }
        }
    }
}

#[cfg(test)]
mod tests;
