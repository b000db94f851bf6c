//! What the words of a ring mean.

/// Words before the first block.
pub const HEAD_WORDS: usize = 64;

/// Words at the beginning of a block.
pub const BLOCK_HEAD: usize = 4;

/// Which word of the head is what. Those that the writer, and those that the reader writes have cache lines
/// of their own.
pub mod word {
    /// [`super::Position`], written by the thread.
    pub const POSITION: usize = 8;
    /// Events that were dropped; written by the thread.
    pub const DROPPED: usize = 9;
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
        && block < 1 << 10
        && number < 1 << 32;
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
const OFFSET_BITS: u32 = 10;
const COUNT_BITS: u32 = 10;

/// Where the next record begins.
///
/// | bits | |
/// |---|---|
/// | 0..10 | words of the block that are used |
/// | 10..20 | records in the block |
/// | 20..64 | number of the block |
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Number of the block.
    pub block: u64,
    /// Records in it.
    pub count: u64,
    /// Words of it that are used.
    pub offset: usize,
}

impl Position {
    /// From its word.
    #[inline(always)]
    pub fn from_word(word: u64) -> Self {
        let field = |shift: u32, bits: u32| (word >> shift) & ((1 << bits) - 1);
        Self {
            block: word >> (OFFSET_BITS + COUNT_BITS),
            count: field(OFFSET_BITS, COUNT_BITS),
            offset: field(0, OFFSET_BITS) as usize,
        }
    }

    /// As a word.
    #[inline(always)]
    pub fn to_word(self) -> u64 {
        self.block << (OFFSET_BITS + COUNT_BITS) | self.count << OFFSET_BITS | self.offset as u64
    }

    /// The word of the position behind a record of so many words in the same block, from the word before it.
    #[inline(always)]
    pub fn word_behind(word: u64, words: usize) -> u64 {
        word.wrapping_add(1 << OFFSET_BITS | words as u64)
    }

    /// Before the first record of a block.
    #[must_use]
    pub fn of_block(block: u64) -> Self {
        Self {
            block,
            count: 0,
            offset: BLOCK_HEAD,
        }
    }
}

/// Events that a ring can have, in nine years of one each microsecond: a word that says more was spoiled.
pub const MOST_EVENTS: u64 = 1 << 48;

/// The most words of a record.
pub const LONGEST_RECORD: usize = 255;

/// The first word of a record, which is written last.
///
/// | bits | |
/// |---|---|
/// | 0..24 | number of the probe |
/// | 24..32 | words of the record, with this one |
/// | 33 | always 1 |
/// | 34 | a text was cut |
/// | 40..64 | the low bits of the block's number plus one |
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// Number of the probe.
    pub probe: u32,
    /// Words of the record, with its header.
    pub words: usize,
    /// Whether a text was longer than what was kept.
    pub is_cut: bool,
}

impl Header {
    /// From the word at the place of a record in a block; nothing if it was not written for that block.
    #[inline(always)]
    pub fn from_word(word: u64, block: u64) -> Option<Self> {
        let is_cut = word & IS_CUT != 0;
        let of_block = (word & !IS_CUT) >> 32 == mark(block) >> 32;
        of_block.then_some(Self {
            probe: (word & 0xff_ffff) as u32,
            words: ((word >> 24) & 0xff) as usize,
            is_cut,
        })
    }

    /// What is the same in all blocks. With what all headers of a block have in common it is the word.
    #[inline(always)]
    pub fn base(self) -> u64 {
        let cut = if self.is_cut { IS_CUT } else { 0 };
        u64::from(self.probe & 0xff_ffff) | (self.words as u64 & 0xff) << 24 | cut
    }

    /// As a word of a record in a block.
    #[inline(always)]
    pub fn to_word(self, block: u64) -> u64 {
        self.base() | mark(block)
    }
}

const IS_CUT: u64 = 1 << 34;

/// What tells a block's records from those that lay in its place before, and from no record.
#[inline(always)]
pub fn mark(block: u64) -> u64 {
    ((block + 1) & 0xff_ffff) << 40 | 1 << 33
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_what_they_mean() {
        for block in [0, 1, 0xff_fffe, 0xff_ffff, 0x100_0000, 1 << 35] {
            for (count, offset) in [(0, 4), (1, 8), (254, 508), (3, 300)] {
                let position = Position {
                    block,
                    count,
                    offset,
                };
                assert_eq!(Position::from_word(position.to_word()), position);
                let behind = Position {
                    count: count + 1,
                    offset: offset + 255,
                    ..position
                };
                assert_eq!(
                    Position::word_behind(position.to_word(), 255),
                    behind.to_word()
                );
            }
            for is_cut in [false, true] {
                let header = Header {
                    probe: 0xff_ffff,
                    words: 255,
                    is_cut,
                };
                let word = header.to_word(block);
                assert_eq!(Header::from_word(word, block), Some(header));
                assert_eq!(Header::from_word(word, block + 1), None);
                assert_eq!(Header::from_word(word & !(1 << 33), block), None);
            }
            assert_eq!(Header::from_word(0, block), None);
        }
    }
}
