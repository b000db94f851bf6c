//! Writes events some of whose words are texts.
#![expect(
    unsafe_code,
    reason = "texts are read at addresses that the program passes"
)]

use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};

use perflab_abi::Point;
use perflab_abi::recording::{LONGEST_TEXT, NULL_TEXT};
use perflab_ring::{Event, Fill, frame};

use super::clock::{Clock, OrderedCounter, ready};
use super::forms::{COUNTED, FORM, FORM_BITS, HAS_NOFAULT, MOST_WORDS, TERMINATED, header, number};
use super::ready::SEVERAL;
use super::{chain, nofault, text};

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

/// Writes an event, whatever its texts.
///
/// # Safety
/// The point is a site's that is recorded, and the words are those of a probe with the arguments that the point's word
/// for the agent was made from.
pub unsafe fn record_texts<C: Clock>(point: *const Point, words: &[u64]) {
    if C::IS_FOR_ONE && ready::<C>() == SEVERAL {
        // SAFETY: what the caller promises.
        return unsafe { record_texts::<OrderedCounter>(point, words) };
    }
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
    chain::write(frame(), |ring, is_left| {
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
        ring.record(event, Texts::<C::First, _>::new(texts), &(), is_left)
    });
}
