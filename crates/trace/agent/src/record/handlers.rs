//! What a site calls that is recorded: writes its event into the ring of its thread.
//!
//! No allocation, no lock, and no system call but in the first event of a thread, and where one interrupts another.
//! Each number of words has a function of its own, as they come by the C calling convention.
#![expect(
    unsafe_code,
    reason = "sites call these with the address of their point and words, some of which are addresses"
)]

use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};

use perflab_abi::recording::{LONGEST_TEXT, NULL_TEXT};
use perflab_abi::{Argument, ArgumentType, Clock as ClockKind, Description, MOST_ARGUMENTS, Point};
use perflab_ring::{Event, Fill, Header};

use super::clock::{Choice, Clock, Monotonic, OrderedCounter, TimeStampCounter};
use super::{nofault, short, slots, text};

/// Words that the arguments of a probe may have.
pub const MOST_WORDS: usize = 2 * MOST_ARGUMENTS;

/// Highest number of a probe.
pub const MOST_PROBES: u32 = 0xff_ffff;

/// What a point's word for the agent says of a recorded probe: its number in the lowest 24 bits. If all arguments are
/// numbers, it is what the headers of its records have in common; else [`FORM_BITS`] follow for each argument, see
/// [`Form`], and the highest bit is [`HAS_NOFAULT`].
pub fn pack(number: u32, description: &Description<'_>) -> u64 {
    let forms = || {
        let arguments = description.arguments();
        arguments.map(|argument| Form::of(argument) as u64)
    };
    if forms().all(|form| form == Form::Number as u64) {
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

/// The handler for a probe with these arguments; nothing if there are too many.
pub fn handler(description: &Description<'_>, clock: Choice) -> Option<*mut ()> {
    match (clock.kind, clock.ahead) {
        (ClockKind::TimeStampCounter, 0) => handler_with::<OrderedCounter>(description),
        (ClockKind::TimeStampCounter, _) => handler_with::<TimeStampCounter>(description),
        (ClockKind::Monotonic, _) => handler_with::<Monotonic>(description),
    }
}

fn handler_with<C: Clock>(description: &Description<'_>) -> Option<*mut ()> {
    let mut words = 0;
    let mut longest = Form::Number;
    for argument in description.arguments() {
        let form = Form::of(argument);
        words += form.words();
        longest = longest.max(form);
    }
    match longest {
        Form::Number => numbers::<C>(words),
        Form::Terminated => short::texts::<C>(words),
        _ => texts::<C>(words),
    }
}

/// [`Form::Terminated`] in a point's word, and the others.
pub const TERMINATED: u64 = Form::Terminated as u64;
pub const COUNTED: u64 = Form::Counted as u64;
pub const TERMINATED_NOFAULT: u64 = Form::TerminatedNofault as u64;
pub const COUNTED_NOFAULT: u64 = Form::CountedNofault as u64;
/// Whether a probe has a text that may not be there.
pub const HAS_NOFAULT: u64 = 1 << 63;
const _: () = assert!(24 + FORM_BITS * MOST_ARGUMENTS < 63);
/// All bits of a form.
pub const FORM: u64 = (1 << FORM_BITS) - 1;

/// Numbers, which are there before the time is taken.
struct Numbers<'w, C>(&'w [u64], PhantomData<C>);

impl<C: Clock> Fill for Numbers<'_, C> {
    #[inline(always)]
    fn before(&mut self, words: &[AtomicU64]) {
        for (to, word) in words.iter().zip(self.0) {
            to.store(*word, Ordering::Relaxed);
        }
    }

    #[inline(always)]
    fn stamp(&mut self, words: &[AtomicU64; 2]) {
        C::stamp(words);
    }
}

/// Texts, which are copied once the time is taken.
pub struct Texts<C, F>(F, PhantomData<C>);

impl<C: Clock, F: FnMut(&[AtomicU64])> Texts<C, F> {
    /// By a function that copies them.
    #[inline(always)]
    pub fn new(copy: F) -> Self {
        Self(copy, PhantomData)
    }
}

impl<C: Clock, F: FnMut(&[AtomicU64])> Fill for Texts<C, F> {
    #[inline(always)]
    fn stamp(&mut self, words: &[AtomicU64; 2]) {
        C::stamp(words);
    }

    #[inline(always)]
    fn after(&mut self, words: &[AtomicU64]) {
        (self.0)(words);
    }
}

/// Writes an event in the usual case; else it returns false, and nothing has happened.
///
/// # Safety
/// The point is a site's that is recorded, of a probe with so many numbers.
#[inline(always)]
unsafe fn record_numbers<C: Clock, const N: usize>(point: *const Point, words: [u64; N]) -> bool {
    // SAFETY: what the caller promises.
    let header = unsafe { (*point).agent.load(Ordering::Relaxed) };
    let event = Event {
        header,
        words: N + 2,
    };
    slots::first().record_quickly(event, Numbers::<C>(&words, PhantomData), &())
}

/// As [`record_numbers`], in any case.
///
/// # Safety
/// As there.
unsafe fn record_slowly<C: Clock>(point: *const Point, words: &[u64]) {
    // SAFETY: what the caller promises.
    let header = unsafe { (*point).agent.load(Ordering::Relaxed) };
    let event = Event {
        header,
        words: words.len() + 2,
    };
    slots::write(perflab_ring::frame(), |ring, is_left| {
        ring.record(event, Numbers::<C>(words, PhantomData), &(), is_left)
    });
}

/// # Safety
/// As for [`record_numbers`], and the words are those of a probe with the arguments that the point's word for
/// the agent was made from.
pub unsafe fn record_texts<C: Clock>(point: *const Point, words: &[u64]) {
    // SAFETY: what the caller promises.
    let packed = unsafe { (*point).agent.load(Ordering::Relaxed) };
    if packed & HAS_NOFAULT != 0 {
        nofault::copied(packed, words, |packed, words, is_cut| {
            // SAFETY: what may not be there was copied, and the words are those of the copies.
            unsafe { record_sound_texts::<C>(packed, words, is_cut) };
        });
    } else {
        // SAFETY: what the caller promises.
        unsafe { record_sound_texts::<C>(packed, words, false) };
    }
}

/// # Safety
/// The words are those of a probe with the arguments that `packed` says, of which all texts are there.
#[inline(always)]
unsafe fn record_sound_texts<C: Clock>(packed: u64, words: &[u64], mut is_cut: bool) {
    // Of the text that begins at each word.
    let mut lengths = [0u16; MOST_WORDS];
    let mut size = words.len();
    let mut forms = packed >> 24;
    let mut index = 0;
    while let Some(&word) = words.get(index) {
        let length = match forms & FORM {
            // SAFETY: the probe's argument is text that ends with a zero byte.
            TERMINATED if word != 0 => unsafe { text::length(word as *const u8, LONGEST_TEXT + 1) },
            COUNTED => {
                index += 1;
                size -= 1;
                let length = words.get(index).map_or(0, |&length| length as usize);
                if word == 0 { 0 } else { length }
            }
            _ => 0,
        };
        is_cut |= length > LONGEST_TEXT;
        let kept = length.min(LONGEST_TEXT);
        lengths[index] = kept as u16;
        size += kept.div_ceil(8);
        forms >>= FORM_BITS;
        index += 1;
    }
    let event = Event {
        header: header(number(packed), size, is_cut),
        words: size + 2,
    };
    slots::write(perflab_ring::frame(), |ring, is_left| {
        let texts = |place: &[AtomicU64]| {
            let mut place = place.iter();
            let mut forms = packed >> 24;
            let mut words = words.iter().zip(&lengths);
            while let Some((&word, &length)) = words.next() {
                match forms & FORM {
                    TERMINATED if word == 0 => text::put(&mut place, NULL_TEXT),
                    TERMINATED => {
                        text::put(&mut place, u64::from(length));
                        // SAFETY: the text was found to be so long.
                        unsafe { text::copy(word as *const u8, length.into(), &mut place) };
                    }
                    COUNTED => {
                        let (said, length) =
                            words.next().map_or((0, 0), |(&said, &kept)| (said, kept));
                        // Without a length it is an empty text, as a `std::string_view` begins.
                        let is_null = word == 0 && said > 0;
                        text::put(&mut place, if is_null { NULL_TEXT } else { length.into() });
                        // SAFETY: the probe's argument has these bytes.
                        unsafe { text::copy(word as *const u8, length.into(), &mut place) };
                    }
                    _ => text::put(&mut place, word),
                }
                forms >>= FORM_BITS;
            }
        };
        ring.record(event, Texts::<C, _>::new(texts), &(), is_left)
    });
}

macro_rules! handlers {
    // A thread may be cancelled in the middle of a handler (`PTHREAD_CANCEL_ASYNCHRONOUS`), which leaves all its frames.
    // So none of them may forbid that, and none has anything to drop.
    ($($count:literal: $numbers:ident $texts:ident ($($word:ident)*),)*) => {
        $(
            unsafe extern "C-unwind" fn $numbers<C: Clock>(point: *const Point $(, $word: u64)*) {
                #[cold]
                #[inline(never)]
                unsafe extern "C-unwind" fn slowly<C: Clock>(point: *const Point $(, $word: u64)*) {
                    // SAFETY: as below.
                    unsafe { record_slowly::<C>(point, &[$($word),*]) };
                }
                // SAFETY: a site calls its point's handler with that point.
                if !unsafe { record_numbers::<C, $count>(point, [$($word),*]) } {
                    // With the same words and nothing behind it: a jump, so the usual case puts no words on the stack.
                    // SAFETY: as above.
                    unsafe { slowly::<C>(point $(, $word)*) };
                }
            }

            unsafe extern "C-unwind" fn $texts<C: Clock>(point: *const Point $(, $word: u64)*) {
                // SAFETY: as above; `handler` chose it by the same arguments.
                unsafe { record_texts::<C>(point, &[$($word),*]) };
            }
        )*

        fn numbers<C: Clock>(words: usize) -> Option<*mut ()> {
            match words {
                $($count => Some($numbers::<C> as *mut ()),)*
                _ => None,
            }
        }

        fn texts<C: Clock>(words: usize) -> Option<*mut ()> {
            match words {
                $($count => Some($texts::<C> as *mut ()),)*
                _ => None,
            }
        }

        /// Calls a handler as a site with so many words does.
        ///
        /// # Safety
        /// The handler takes so many words or fewer, and what it reads at those that are addresses is there.
        pub unsafe fn call(handler: *mut (), point: &Point, words: usize, all: [u64; MOST_WORDS]) {
            match words {
                $($count => {
                    let [$($word,)* ..] = all;
                    // SAFETY: what the caller promises.
                    unsafe {
                        let handler = std::mem::transmute::<
                            *mut (),
                            unsafe extern "C-unwind" fn(*const Point $(, handlers!(@word $word))*),
                        >(handler);
                        handler(point $(, $word)*);
                    }
                })*
                _ => {}
            }
        }
    };
    (@word $word:ident) => { u64 };
}

handlers!(
    0: numbers_0 texts_0 (),
    1: numbers_1 texts_1 (a),
    2: numbers_2 texts_2 (a b),
    3: numbers_3 texts_3 (a b c),
    4: numbers_4 texts_4 (a b c d),
    5: numbers_5 texts_5 (a b c d e),
    6: numbers_6 texts_6 (a b c d e f),
    7: numbers_7 texts_7 (a b c d e f g),
    8: numbers_8 texts_8 (a b c d e f g h),
    9: numbers_9 texts_9 (a b c d e f g h i),
    10: numbers_10 texts_10 (a b c d e f g h i j),
    11: numbers_11 texts_11 (a b c d e f g h i j k),
    12: numbers_12 texts_12 (a b c d e f g h i j k l),
    13: numbers_13 texts_13 (a b c d e f g h i j k l m),
    14: numbers_14 texts_14 (a b c d e f g h i j k l m n),
    15: numbers_15 texts_15 (a b c d e f g h i j k l m n o),
    16: numbers_16 texts_16 (a b c d e f g h i j k l m n o p),
    17: numbers_17 texts_17 (a b c d e f g h i j k l m n o p q),
    18: numbers_18 texts_18 (a b c d e f g h i j k l m n o p q r),
    19: numbers_19 texts_19 (a b c d e f g h i j k l m n o p q r s),
    20: numbers_20 texts_20 (a b c d e f g h i j k l m n o p q r s t),
    21: numbers_21 texts_21 (a b c d e f g h i j k l m n o p q r s t u),
    22: numbers_22 texts_22 (a b c d e f g h i j k l m n o p q r s t u v),
    23: numbers_23 texts_23 (a b c d e f g h i j k l m n o p q r s t u v w),
    24: numbers_24 texts_24 (a b c d e f g h i j k l m n o p q r s t u v w x),
);

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
        let clock = Choice {
            kind: ClockKind::Monotonic,
            skew: 0,
            ahead: 0,
        };
        assert!(handler(&description, clock).is_some());
    }
}
