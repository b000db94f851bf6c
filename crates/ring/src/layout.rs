//! What the words of a ring mean.

/// Words before the first block.
pub const HEAD_WORDS: usize = 64;

/// Words at the beginning of a block.
pub const BLOCK_HEAD: usize = 4;

/// The word of a block's head that holds its number plus one if a record in it was helped.
pub const HELPED: usize = 3;

/// Which word of the head is what. Those that the writer, and those that the reader writes have cache lines
/// of their own.
pub mod word {
    /// [`super::Position`], written by the thread.
    pub const POSITION: usize = 8;
    /// The last block that was left, and the number of its records; written by the thread.
    pub const CLOSED: usize = 9;
    /// Events that were dropped; written by the thread.
    pub const DROPPED: usize = 10;
    /// The number plus one of the first block that is not to be entered anew now; 0 if there is none; written
    /// by the thread.
    pub const PINNED: usize = 11;
    /// [`super::Mode`], written by who asks for it.
    pub const MODE: usize = 16;
    /// The first block that the reader still needs, in [`super::Mode::Keep`]; written by the reader.
    pub const NEEDED: usize = 17;
}

/// Number of the blocks of so many words minus one, which is a mask as the number is a power of two; nothing if
/// memory and size do not fit each other.
#[inline(always)]
pub fn mask(head: usize, blocks: usize, block: usize) -> Option<u64> {
    let number = blocks.checked_div(block)?;
    let fits = number.is_power_of_two()
        && number >= 2
        && number * block == blocks
        && head > word::NEEDED
        && block > BLOCK_HEAD + 1
        && block < 1 << 10;
    fits.then_some(number as u64 - 1)
}

/// What becomes of new events when no block is free.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// They take the place of the oldest.
    Overwrite,
    /// They are dropped and counted.
    Keep,
}

impl Mode {
    /// From its word. What is unknown counts as [`Mode::Overwrite`], which waits for nobody.
    pub fn from_word(word: u64) -> Self {
        if word == 1 {
            Self::Keep
        } else {
            Self::Overwrite
        }
    }

    /// As a word.
    pub fn to_word(self) -> u64 {
        match self {
            Self::Overwrite => 0,
            Self::Keep => 1,
        }
    }
}

/// Bits of the fields of a [`Position`].
const LAST_BITS: u32 = 8;
const OFFSET_BITS: u32 = 10;
const COUNT_BITS: u32 = 10;

/// Where the next record begins. One word, so that it changes at once.
///
/// | bits | |
/// |---|---|
/// | 0..8 | words of the last record in the block; 0 if there is none |
/// | 8..18 | words of the block that are used |
/// | 18..28 | records in the block |
/// | 28..64 | number of the block |
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Number of the block.
    pub block: u64,
    /// Records in it.
    pub count: u64,
    /// Words of it that are used.
    pub offset: usize,
    /// Words of the last record.
    pub last: usize,
}

impl Position {
    /// From its word.
    #[inline(always)]
    pub fn from_word(word: u64) -> Self {
        let field = |shift: u32, bits: u32| (word >> shift) & ((1 << bits) - 1);
        Self {
            block: word >> (LAST_BITS + OFFSET_BITS + COUNT_BITS),
            count: field(LAST_BITS + OFFSET_BITS, COUNT_BITS),
            offset: field(LAST_BITS, OFFSET_BITS) as usize,
            last: field(0, LAST_BITS) as usize,
        }
    }

    /// As a word.
    #[inline(always)]
    pub fn to_word(self) -> u64 {
        self.block << (LAST_BITS + OFFSET_BITS + COUNT_BITS)
            | self.count << (LAST_BITS + OFFSET_BITS)
            | (self.offset as u64) << LAST_BITS
            | self.last as u64
    }

    /// Behind a record of so many words in the same block.
    #[inline(always)]
    #[must_use]
    pub fn behind(self, words: usize) -> Self {
        Self {
            count: self.count + 1,
            offset: self.offset + words,
            last: words,
            ..self
        }
    }

    /// The word of the position behind a record of so many words, from the word of the position: the same as
    /// [`Position::behind`], in fewer instructions.
    #[inline(always)]
    pub fn word_behind(word: u64, words: usize) -> u64 {
        let words = words as u64;
        let more = 1 << (LAST_BITS + OFFSET_BITS) | words << LAST_BITS | words;
        (word & !((1 << LAST_BITS) - 1)) + more
    }

    /// Behind a record of so many words that is the first in the next block.
    #[must_use]
    pub fn in_next_block(self, words: usize) -> Self {
        Self {
            block: self.block + 1,
            count: 1,
            offset: BLOCK_HEAD + words,
            last: words,
        }
    }
}

/// Whether a record is complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Its place and length are fixed.
    Reserved,
    /// All of it is written.
    Committed,
}

/// The first word of a record.
///
/// | bits | |
/// |---|---|
/// | 0..24 | number of the probe |
/// | 24..32 | words of the record, with this one |
/// | 32..34 | 1 reserved, 2 committed |
/// | 34 | a text was cut |
/// | 40..64 | the low bits of the block's number plus one |
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// Number of the probe.
    pub probe: u32,
    /// Words of the record, with its header.
    pub words: usize,
    /// Whether it is complete.
    pub state: State,
    /// Whether a text was longer than what was kept.
    pub is_cut: bool,
}

/// The most words of a record.
pub const LONGEST_RECORD: usize = 255;

impl Header {
    /// From the word at the place of a record in a block; nothing if it was not written for that block.
    #[inline(always)]
    pub fn from_word(word: u64, block: u64) -> Option<Self> {
        if word >> 40 != tag(block) {
            return None;
        }
        let state = match (word >> 32) & 3 {
            1 => State::Reserved,
            2 => State::Committed,
            _ => return None,
        };
        Some(Self {
            probe: (word & 0xff_ffff) as u32,
            words: ((word >> 24) & 0xff) as usize,
            state,
            is_cut: word & 1 << 34 != 0,
        })
    }

    /// Whether the word at the place of a record was written for that block and says that it is complete: the
    /// same as [`Header::from_word`] says, in fewer instructions.
    #[inline(always)]
    pub fn is_committed(word: u64, block: u64) -> bool {
        let cut = 1 << 2;
        ((word >> 32) as u32) & !cut == ((block as u32) << 8).wrapping_add(1 << 8 | 2)
    }

    /// As a word of a record in a block.
    #[inline(always)]
    pub fn to_word(self, block: u64) -> u64 {
        let state = match self.state {
            State::Reserved => 1,
            State::Committed => 2,
        };
        u64::from(self.probe & 0xff_ffff)
            | (self.words as u64 & 0xff) << 24
            | state << 32
            | u64::from(self.is_cut) << 34
            | tag(block) << 40
    }
}

/// What tells a block's records from those that lay in its place before.
#[inline(always)]
fn tag(block: u64) -> u64 {
    (block + 1) & 0xff_ffff
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_short_ways_agree() {
        for block in [0, 1, 0xff_fffe, 0xff_ffff, 0x100_0000, 1 << 35] {
            for (count, offset, last) in [(0, 4, 0), (1, 8, 4), (254, 508, 2), (3, 300, 255)] {
                let position = Position {
                    block,
                    count,
                    offset,
                    last,
                };
                for words in [2, 4, 100, 255] {
                    assert_eq!(
                        Position::word_behind(position.to_word(), words),
                        position.behind(words).to_word()
                    );
                }
            }
            for state in [State::Reserved, State::Committed] {
                for is_cut in [false, true] {
                    let header = Header {
                        probe: 0xff_ffff,
                        words: 255,
                        state,
                        is_cut,
                    };
                    let word = header.to_word(block);
                    assert_eq!(Header::from_word(word, block), Some(header));
                    assert_eq!(Header::is_committed(word, block), state == State::Committed);
                    assert!(!Header::is_committed(word, block + 1));
                }
            }
            assert!(!Header::is_committed(0, block));
            assert!(!Header::is_committed((block + 1) << 40 | 3 << 32, block));
        }
    }
}
