//! The requests of a thread to one server, in the order that the seed fixes.

use std::io::Write as _;
use std::iter::repeat_n;
use std::ops::Range;

use crate::command::{Command, Piece};
use crate::keys::{Chooser, Keys};
use crate::random::Random;
use crate::target::Protocol;
use crate::values::Values;

/// Writes requests.
#[derive(Debug)]
pub struct Requests<'p> {
    writer: Writer<'p>,
    commands: Vec<Vec<Piece>>,
    set: Vec<Piece>,
    /// A card for each time that a command is made while all are made as often as their weights say. So the ratio is
    /// exact, and the order is random.
    deck: Vec<usize>,
    /// The next card.
    next: usize,
}

impl<'p> Requests<'p> {
    /// Those of a thread. Every server gets the same ones.
    ///
    /// # Errors
    /// If the protocol has no such command.
    pub fn new(
        protocol: Protocol,
        commands: &[Command],
        keys: &'p Keys,
        values: &'p Values,
        random: Random,
    ) -> Result<Self, String> {
        let pieces = commands
            .iter()
            .map(|command| command.pieces(protocol, keys));
        let cards = commands.iter().enumerate();
        let deck: Vec<usize> = cards
            .flat_map(|(number, command)| repeat_n(number, command.weight as usize))
            .collect();
        Ok(Self {
            writer: Writer {
                keys,
                values,
                chooser: keys.chooser(),
                random,
            },
            commands: pieces.collect::<Result<_, _>>()?,
            set: Command::set(protocol, 1).pieces(protocol, keys)?,
            // It is shuffled before the first card is taken.
            next: deck.len(),
            deck,
        })
    }

    /// Appends the next request of the mix. Returns the number of its command.
    pub fn mixed(&mut self, out: &mut Vec<u8>) -> usize {
        if self.next == self.deck.len() {
            self.writer.random.shuffle(&mut self.deck);
            self.next = 0;
        }
        let command = self.deck[self.next];
        self.next += 1;
        self.writer.write(&self.commands[command], None, out);
        command
    }

    /// Appends a request that sets the first of these keys, and takes it out of the range.
    pub fn preload(&mut self, keys: &mut Range<u64>, out: &mut Vec<u8>) {
        if let Some(key) = keys.next() {
            self.writer.write(&self.set, Some(key), out);
        }
    }

    /// For times between requests.
    pub fn random(&mut self) -> &mut Random {
        &mut self.writer.random
    }
}

/// Fills in what a command leaves open.
#[derive(Debug)]
struct Writer<'p> {
    keys: &'p Keys,
    values: &'p Values,
    chooser: Chooser,
    random: Random,
}

impl Writer<'_> {
    /// Appends a request: with a given key, or else with one that is drawn for each place.
    fn write(&mut self, pieces: &[Piece], key: Option<u64>, out: &mut Vec<u8>) {
        let mut length = 0;
        for piece in pieces {
            match piece {
                Piece::Bytes(bytes) => out.extend_from_slice(bytes),
                Piece::Key => {
                    let number = key.unwrap_or_else(|| self.chooser.next(&mut self.random));
                    self.keys.write(number, out);
                }
                Piece::Length { more } => {
                    length = self.values.length(&mut self.random);
                    // A vector takes everything.
                    let _ = write!(out, "{}", length + more);
                }
                Piece::Value => {
                    out.extend_from_slice(self.values.value(length, &mut self.random));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Requests;
    use crate::keys::{Distribution, Keys};
    use crate::mix::Mix;
    use crate::random::Random;
    use crate::target::Protocol;
    use crate::values::Values;

    const KEYS: Keys = Keys {
        count: 100,
        bytes: 10,
        distribution: Distribution::Uniform,
    };

    fn requests<'p>(mix: &str, values: &'p Values, seed: u64) -> Requests<'p> {
        let mix = Mix::Ratio(mix.parse().expect("a ratio"));
        let commands = mix.commands(Protocol::Resp);
        let random = Random::new(seed, 0);
        Requests::new(Protocol::Resp, &commands, &KEYS, values, random).expect("known commands")
    }

    #[test]
    fn a_ratio_is_exact_and_its_order_random() {
        let values = Values::new(3..=3, 0);
        let mut requests = requests("1:10", &values, 1);
        let mut out = Vec::new();
        let commands: Vec<usize> = (0..1100).map(|_| requests.mixed(&mut out)).collect();
        for deck in commands.chunks(11) {
            assert_eq!(deck.iter().filter(|command| **command == 0).count(), 1);
        }
        let places = commands
            .chunks(11)
            .map(|deck| deck.iter().position(|command| *command == 0));
        let places: std::collections::BTreeSet<_> = places.collect();
        assert!(places.len() > 5, "{places:?}");
    }

    #[test]
    fn a_seed_fixes_every_byte() {
        let values = Values::new(1..=9, 0);
        let bytes = |seed| {
            let mut requests = requests("1:1", &values, seed);
            let mut out = Vec::new();
            (0..100).for_each(|_| {
                requests.mixed(&mut out);
            });
            out
        };
        assert_eq!(bytes(5), bytes(5));
        assert_ne!(bytes(5), bytes(6));
    }

    #[test]
    fn each_key_is_preloaded_once() {
        let values = Values::new(2..=2, 0);
        let mut requests = requests("0:1", &values, 1);
        let (mut keys, mut out) = (3..5, Vec::new());
        for _ in 0..3 {
            requests.preload(&mut keys, &mut out);
        }
        assert!(keys.is_empty());
        let begin = b"*3\r\n$3\r\nSET\r\n$10\r\nkey:000003\r\n$2\r\n";
        assert_eq!(&out[..begin.len()], begin);
        assert_eq!(out.len(), 2 * (begin.len() + 4));
    }
}
