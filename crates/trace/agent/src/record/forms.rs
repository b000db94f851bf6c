//! How the arguments of a probe are passed, packed into the word that its points have for the agent.

use perflab_abi::{Argument, ArgumentType, Description, FEW_ARGUMENTS};
use perflab_ring::Header;

/// Words that the arguments of a probe may have whose site passes each by itself.
pub const MOST_WORDS: usize = 2 * FEW_ARGUMENTS;

/// Highest number of a probe.
pub const MOST_PROBES: u32 = 0xff_ffff;

/// What a point's word for the agent says of a recorded probe: its number in the lowest 24 bits. If all arguments are
/// numbers, it is what the headers of its records have in common; else [`FORM_BITS`] follow for each argument, see
/// [`Form`], and the highest bit is [`HAS_NOFAULT`].
///
/// The probe is one whose site passes each word by itself; of others see [`long_forms`](super::long_forms).
pub fn pack(number: u32, description: &Description<'_>) -> u64 {
    let forms = || {
        let arguments = description.arguments();
        arguments.map(|argument| Form::of(argument) as u64)
    };
    if forms().all(|form| form == NUMBER) {
        return header(number, forms().count(), false);
    }
    forms()
        .enumerate()
        .fold(u64::from(number), |word, (index, form)| {
            let flag = if form >= TERMINATED_NOFAULT {
                HAS_NOFAULT
            } else {
                0
            };
            word | form << (24 + FORM_BITS * index) | flag
        })
}

/// What the header of a record with so many words of an event has in all blocks.
#[inline(always)]
pub fn header(probe: u32, words: usize, is_cut: bool) -> u64 {
    let header = Header {
        probe,
        words: words + 2,
        is_cut,
    };
    header.base()
}

/// Words of an event of a probe all of whose arguments are numbers, by the word of its points.
pub fn event_words(header: u64) -> usize {
    (header >> 24 & 0xff).saturating_sub(2) as usize
}

/// Number of the probe in such a word.
pub fn number(word: u64) -> u32 {
    (word & 0xff_ffff) as u32
}

/// How an argument is passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// One word, recorded as it is.
    Number = 0,
    /// The address of text that ends with a zero byte.
    Terminated = 1,
    /// Address and length.
    Counted = 2,
    /// As [`Form::Terminated`], but the text may not be there.
    TerminatedNofault = 3,
    /// As [`Form::Counted`], but the text may not be there.
    CountedNofault = 4,
}

/// Bits of a [`Form`].
pub const FORM_BITS: usize = 3;

impl Form {
    /// Of an argument.
    pub fn of(argument: Argument<'_>) -> Self {
        match (argument.kind, argument.is_nofault()) {
            (ArgumentType::CString, false) => Self::Terminated,
            (ArgumentType::CString, true) => Self::TerminatedNofault,
            (ArgumentType::Str | ArgumentType::Bytes, false) => Self::Counted,
            (ArgumentType::Str | ArgumentType::Bytes, true) => Self::CountedNofault,
            _ => Self::Number,
        }
    }

    /// Words that it is passed in.
    pub fn words(self) -> usize {
        match self {
            Self::Counted | Self::CountedNofault => 2,
            _ => 1,
        }
    }
}

/// [`Form::Number`] in a point's word, and the others.
pub const NUMBER: u64 = Form::Number as u64;
pub const TERMINATED: u64 = Form::Terminated as u64;
pub const COUNTED: u64 = Form::Counted as u64;
pub const TERMINATED_NOFAULT: u64 = Form::TerminatedNofault as u64;
pub const COUNTED_NOFAULT: u64 = Form::CountedNofault as u64;
/// Whether a probe has a text that may not be there.
pub const HAS_NOFAULT: u64 = 1 << 63;
const _: () = assert!(24 + FORM_BITS * FEW_ARGUMENTS < 63);
/// All bits of a form.
pub const FORM: u64 = (1 << FORM_BITS) - 1;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_for_each_probe() {
        let text = "p\nn\nf\n1\ni32 a\ncstr b\nbytes c\nf64 d";
        let description = Description::parse(text).unwrap();
        let word = pack(7, &description);
        assert_eq!((number(word), word >> 24), (7, 0o0_2_1_0));
        let nofault = Description::parse("p\nn\nf\n1\nstr_nofault a\ncstr_nofault b").unwrap();
        assert_eq!(pack(7, &nofault), HAS_NOFAULT | 0o3_4 << 24 | 7);
        let numbers = Description::parse("p\nn\nf\n1\ni32 a\nf64 b").unwrap();
        let word = pack(0xff_ffff, &numbers);
        assert_eq!((number(word), word >> 24), (0xff_ffff, 4));
    }
}
