//! What a site calls that is recorded, if it passes the address of its words: that of a probe with many arguments.
#![expect(
    unsafe_code,
    reason = "sites call these with the addresses of their point and words, some of which are addresses"
)]

use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};

use perflab_abi::recording::{LONGEST_TEXT, NULL_TEXT};
use perflab_abi::{MOST_ARGUMENTS, Point};
use perflab_ring::{Event, LONGEST_RECORD, frame};

use super::clock::{Clock, OrderedCounter, ready};
use super::forms::{
    COUNTED, COUNTED_NOFAULT, Form, HAS_NOFAULT, NUMBER, TERMINATED, TERMINATED_NOFAULT,
    event_words, header, number,
};
use super::handlers::{Numbers, record_slowly};
use super::long_forms::{self, MOST_WORDS};
use super::nofault::{LOOKED_AT, of_length, terminated};
use super::ready::SEVERAL;
use super::texts::Texts;
use super::{chain, text};

/// The handler for a probe whose highest form is this.
pub fn handler<C: Clock>(highest: Form) -> *mut () {
    if highest == Form::Number {
        numbers::<C> as *mut ()
    } else {
        texts::<C> as *mut ()
    }
}

/// Calls such a handler as a site does.
///
/// # Safety
/// The handler takes so many words or fewer, and what it reads at those that are addresses is there.
pub unsafe fn call(handler: *mut (), point: &Point, words: &[u64; MOST_WORDS]) {
    // SAFETY: what the caller promises.
    unsafe {
        let handler = std::mem::transmute::<
            *mut (),
            unsafe extern "C-unwind" fn(*const Point, *const u64),
        >(handler);
        handler(point, words.as_ptr());
    }
}

/// Writes an event of numbers.
unsafe extern "C-unwind" fn numbers<C: Clock>(point: *const Point, words: *const u64) {
    // SAFETY: a site calls its point's handler with that point and the words of its probe.
    let (header, given) = unsafe {
        let header = (*point).agent.load(Ordering::Relaxed);
        let given = std::slice::from_raw_parts(words, event_words(header));
        (header, given)
    };
    let event = Event {
        header,
        words: given.len() + 2,
    };
    let fill = Numbers::<C>(given, PhantomData);
    if chain::first(ready::<C>).record_quickly(event, fill, &()) {
        return;
    }
    // SAFETY: as it was called.
    unsafe {
        if C::IS_FOR_ONE && ready::<C>() == SEVERAL {
            numbers::<OrderedCounter>(point, words);
        } else {
            record_slowly::<C>(point, given);
        }
    }
}

/// Writes an event some of whose words are texts.
unsafe extern "C-unwind" fn texts<C: Clock>(point: *const Point, words: *const u64) {
    // SAFETY: a site calls its point's handler with that point and the words of its probe.
    unsafe {
        if C::IS_FOR_ONE && ready::<C>() == SEVERAL {
            return texts::<OrderedCounter>(point, words);
        }
        let packed = (*point).agent.load(Ordering::Relaxed);
        let words = std::slice::from_raw_parts(words, long_forms::words(packed));
        if packed & HAS_NOFAULT == 0 {
            record::<C>(packed, words, None);
        } else {
            record_copies::<C>(packed, words);
        }
    }
}

/// Of each argument of an event how it is passed, its first word, and its second one if it has two.
#[inline(always)]
fn passed(packed: u64, words: &[u64]) -> impl Iterator<Item = (u64, u64, u64)> {
    let mut words = words.iter().copied();
    long_forms::of(packed).map_while(move |form| {
        let word = words.next()?;
        let said = if is_counted(form) { words.next()? } else { 0 };
        Some((form, word, said))
    })
}

#[inline(always)]
fn is_counted(form: u64) -> bool {
    matches!(form, COUNTED | COUNTED_NOFAULT)
}

/// Words that an event may have: a text has one for its length, and [`words_of`] its bytes.
const ROOM: usize = LONGEST_RECORD - 2;

/// What a null pointer has in the place of a length.
const NULL: u8 = u8::MAX;
const _: () = assert!(LONGEST_TEXT < NULL as usize);

/// Words of the bytes of a text.
#[inline(always)]
fn words_of(length: u8) -> usize {
    if length == NULL {
        0
    } else {
        usize::from(length).div_ceil(8)
    }
}

/// # Safety
/// The words are those of a probe with the arguments that `packed` says. Texts that may not be there were copied, all
/// others are.
#[inline(always)]
unsafe fn record<C: Clock>(packed: u64, words: &[u64], copies: Option<&Copies>) {
    let copy = |index| copies.map_or(&[][..], |copies| copies.of(index));
    let mut is_cut = copies.is_some_and(|copies| copies.is_cut);
    // Of each argument that is a text, how many bytes are recorded.
    let mut lengths = [0; MOST_ARGUMENTS];
    let mut size = 0;
    for (index, (form, word, said)) in passed(packed, words).enumerate() {
        let length = match form {
            NUMBER => Some(0),
            // Without a length it is an empty text, as a `std::string_view` begins.
            _ if word == 0 => (is_counted(form) && said == 0).then_some(0),
            // SAFETY: the probe's argument is text that ends with a zero byte.
            TERMINATED => Some(unsafe { text::length(word as *const u8, LONGEST_TEXT + 1) }),
            COUNTED => Some(said as usize),
            _ => Some(copy(index).len()),
        };
        is_cut |= length.is_some_and(|length| length > LONGEST_TEXT);
        let kept = length.map_or(NULL, |length| length.min(LONGEST_TEXT) as u8);
        lengths[index] = kept;
        size += 1 + words_of(kept);
    }
    if size > ROOM {
        let of_texts: usize = lengths.iter().copied().map(words_of).sum();
        shorten(&mut lengths, ROOM - (size - of_texts));
        (size, is_cut) = (ROOM, true);
    }
    let event = Event {
        header: header(number(packed), size, is_cut),
        words: size + 2,
    };
    let fill = |place: &[AtomicU64]| {
        let mut place = place.iter();
        for ((index, (form, word, _)), length) in passed(packed, words).enumerate().zip(lengths) {
            if form == NUMBER {
                text::put(&mut place, word);
                continue;
            }
            if length == NULL {
                text::put(&mut place, NULL_TEXT);
                continue;
            }
            let from = match form {
                TERMINATED | COUNTED => word as *const u8,
                _ => copy(index).as_ptr(),
            };
            text::put(&mut place, length.into());
            // SAFETY: the text was found to be so long, or the probe's argument has these bytes.
            unsafe { text::copy(from, length.into(), &mut place) };
        }
    };
    if !chain::first(ready::<C>).record_quickly(event, Texts::<C, _>::new(&fill), &()) {
        chain::write(frame(), |ring, is_left| {
            ring.record(event, Texts::<C::First, _>::new(&fill), &(), is_left)
        });
    }
}

/// Shortens texts so that they take all of the room in words, and no more: the longest ones, to the same number of words
/// or, the first of them, to one more.
///
/// They take more than the room.
#[cold]
fn shorten(lengths: &mut [u8; MOST_ARGUMENTS], room: usize) {
    fn taken(lengths: &[u8], most: usize) -> usize {
        let words = lengths.iter().map(|length| words_of(*length).min(most));
        words.sum()
    }
    let mut most = LONGEST_TEXT.div_ceil(8);
    while taken(lengths.as_slice(), most) > room {
        most -= 1;
    }
    let mut left = room - taken(lengths.as_slice(), most);
    for length in lengths {
        if words_of(*length) > most {
            let words = most + left.min(1);
            left = left.saturating_sub(1);
            *length = (*length).min((8 * words) as u8);
        }
    }
}

/// Bytes that are kept for each text that may not be there, one more than are recorded of it at least.
const LEAST_COPY: usize = 33;

/// Copies of texts that may not be there, one behind the other.
struct Copies {
    bytes: [u8; LEAST_COPY * MOST_ARGUMENTS],
    /// Where that of each argument ends, and that of the next begins; those of other arguments have no bytes.
    ends: [u16; MOST_ARGUMENTS],
    is_cut: bool,
}

impl Copies {
    const NONE: Self = Self {
        bytes: [0; LEAST_COPY * MOST_ARGUMENTS],
        ends: [0; MOST_ARGUMENTS],
        is_cut: false,
    };

    /// Makes those of an event, in place: they take more than half of the stack that an event may.
    fn make(&mut self, packed: u64, words: &[u64]) {
        let may_lack = |form: &u64| *form >= TERMINATED_NOFAULT;
        let mut following = long_forms::of(packed).filter(may_lack).count();
        let mut end = 0;
        for (index, (form, word, said)) in passed(packed, words).enumerate() {
            if may_lack(&form) {
                following -= 1;
                let free = self.bytes.len() - end - LEAST_COPY * following;
                let most = free.min(LOOKED_AT);
                let place = &mut self.bytes[end..end + most];
                let (kept, is_short) = match (word, form) {
                    (0, _) => (0, false),
                    (_, TERMINATED_NOFAULT) => terminated(word, place),
                    _ => of_length(word, said, &mut place[..most - 1]),
                };
                self.is_cut |= is_short;
                end += kept;
            }
            self.ends[index] = end as u16;
        }
    }

    /// That of an argument.
    #[inline(always)]
    fn of(&self, index: usize) -> &[u8] {
        let begin = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        let range = usize::from(begin)..usize::from(self.ends[index]);
        self.bytes.get(range).unwrap_or_default()
    }
}

/// Writes an event some of whose texts may not be there.
///
/// # Safety
/// The words are those of a probe with the arguments that `packed` says.
#[cold]
#[inline(never)]
unsafe fn record_copies<C: Clock>(packed: u64, words: &[u64]) {
    let mut copies = Copies::NONE;
    copies.make(packed, words);
    // SAFETY: what the caller promises.
    unsafe { record::<C>(packed, words, Some(&copies)) };
}

#[cfg(test)]
mod tests;
