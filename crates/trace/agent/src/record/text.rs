//! Texts of events: they are short, so a call of the C library's functions would cost more than their work.
#![expect(
    unsafe_code,
    reason = "texts are read at addresses that the program passes"
)]

use std::arch::x86_64::{
    __m128i, _mm_and_si128, _mm_cmpeq_epi8, _mm_cvtsi128_si64, _mm_load_si128, _mm_loadu_si128,
    _mm_movemask_epi8, _mm_setzero_si128, _mm_unpackhi_epi64,
};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::pages::PAGE;

/// Bytes that are looked at or copied at once.
const WIDE: usize = 16;

/// Ones, then zeros: from sixteen less a number on, so many ones. No sixteen of them lie on two cache lines.
#[repr(align(32))]
struct Keep([u8; 2 * WIDE]);

static KEEP: Keep = {
    let mut bytes = [0; 2 * WIDE];
    let mut index = 0;
    while index < WIDE {
        bytes[index] = 0xff;
        index += 1;
    }
    Keep(bytes)
};

/// Whether sixteen bytes lie on one page, so that if the first can be read all can.
#[inline(always)]
fn is_on_one_page(text: *const u8) -> bool {
    text.addr() % PAGE <= PAGE - WIDE
}

/// Bytes before the first zero, but not more than `most`.
///
/// # Safety
/// A zero byte follows, or so many bytes can be read there.
#[inline(always)]
pub unsafe fn length(text: *const u8, most: usize) -> usize {
    let within = text.addr() % WIDE;
    // Sixteen aligned bytes, some of them before the text: they lie on one page, so that if one can be read
    // all can.
    let mut block = text.wrapping_sub(within);
    // SAFETY: the block has a byte of the text.
    let mut zeros = unsafe { zeros(_mm_load_si128(block.cast())) } >> within;
    let mut before = 0;
    let mut next = 16 - within;
    while zeros == 0 && next < most {
        block = block.wrapping_add(16);
        before = next;
        next += 16;
        // SAFETY: no zero came, and not so many bytes as can be read: this block has one of the text.
        zeros = unsafe { self::zeros(_mm_load_si128(block.cast())) };
    }
    if zeros == 0 {
        return most;
    }
    most.min(before + zeros.trailing_zeros() as usize)
}

/// Which of sixteen bytes are zero.
#[inline(always)]
fn zeros(bytes: __m128i) -> u32 {
    // SAFETY: every x86-64 processor has these instructions.
    unsafe { _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_setzero_si128())) as u32 }
}

/// Length of a text of fifteen bytes or fewer that can be looked at at once; nothing if it is another one, or null.
///
/// # Safety
/// A zero byte follows, or the address is null.
#[inline(always)]
pub unsafe fn short(text: *const u8) -> Option<usize> {
    if text.is_null() || !is_on_one_page(text) {
        return None;
    }
    // SAFETY: the first byte can be read, so all sixteen can.
    let zeros = unsafe { zeros(_mm_loadu_si128(text.cast())) };
    (zeros != 0).then(|| zeros.trailing_zeros() as usize)
}

/// Stores a text for which [`short`] found this length, the length first, in the places from one on.
///
/// # Safety
/// It is such a text.
#[inline(always)]
pub unsafe fn put_short(text: *const u8, length: usize, place: &[AtomicU64], at: usize) {
    if let Some([count, first, second]) = place.get(at..at + 3) {
        // SAFETY: the first byte can be read, so all sixteen can. What is behind the text becomes zero.
        let bytes = unsafe {
            let keep = KEEP.0.as_ptr().add(WIDE - length);
            _mm_and_si128(_mm_loadu_si128(text.cast()), _mm_loadu_si128(keep.cast()))
        };
        // SAFETY: every x86-64 processor has these instructions.
        let (low, high) = unsafe {
            (
                _mm_cvtsi128_si64(bytes),
                _mm_cvtsi128_si64(_mm_unpackhi_epi64(bytes, bytes)),
            )
        };
        count.store(length as u64, Ordering::Relaxed);
        first.store(low as u64, Ordering::Relaxed);
        // If the text has no second word, the next argument takes its place.
        second.store(high as u64, Ordering::Relaxed);
    } else if let Some([count, rest @ ..]) = place.get(at..) {
        count.store(length as u64, Ordering::Relaxed);
        // SAFETY: the text has these bytes.
        unsafe { copy(text, length, &mut rest.iter()) };
    }
}

/// Stores a word in the next place.
#[inline(always)]
pub fn put<'a>(place: &mut impl Iterator<Item = &'a AtomicU64>, word: u64) {
    if let Some(to) = place.next() {
        to.store(word, Ordering::Relaxed);
    }
}

/// Stores a text in the next places, as many as it needs.
///
/// # Safety
/// So many bytes can be read there.
#[inline(always)]
pub unsafe fn copy<'a>(
    text: *const u8,
    length: usize,
    place: &mut impl Iterator<Item = &'a AtomicU64>,
) {
    let mut done = 0;
    while length - done >= 8 {
        // SAFETY: within the bytes.
        put(place, unsafe {
            text.add(done).cast::<u64>().read_unaligned()
        });
        done += 8;
    }
    let left = length - done;
    if left == 0 {
        return;
    }
    let last = if length >= 8 {
        // SAFETY: the last eight of the bytes.
        let word = unsafe { text.add(length - 8).cast::<u64>().read_unaligned() };
        word >> (64 - 8 * left)
    } else {
        // SAFETY: within the bytes.
        unsafe { few(text, left) }
    };
    put(place, last);
}

/// From one to seven bytes as a word.
///
/// # Safety
/// So many bytes can be read there.
#[inline(always)]
unsafe fn few(text: *const u8, count: usize) -> u64 {
    // SAFETY: what the caller promises.
    unsafe {
        if count >= 4 {
            let low = u64::from(text.cast::<u32>().read_unaligned());
            let high = u64::from(text.add(count - 4).cast::<u32>().read_unaligned());
            return low | high << (8 * (count - 4));
        }
        let first = u64::from(*text);
        let middle = u64::from(*text.add(count / 2)) << (8 * (count / 2));
        let last = u64::from(*text.add(count - 1)) << (8 * (count - 1));
        first | middle | last
    }
}

#[cfg(test)]
mod tests {
    use perflab_abi::recording::LONGEST_TEXT;

    use super::*;
    use crate::pages::map;

    #[test]
    fn texts_of_all_lengths() {
        let text: Vec<u8> = (1..=LONGEST_TEXT as u8).collect();
        for start in 0..8 {
            for length in 0..LONGEST_TEXT - start {
                let place: Vec<AtomicU64> = (0..20).map(|_| AtomicU64::new(0)).collect();
                let from = &text[start..start + length];
                // SAFETY: the bytes are there.
                unsafe { copy(from.as_ptr(), length, &mut place.iter()) };
                let words = place.iter().map(|word| word.load(Ordering::Relaxed));
                let copied: Vec<u8> = words.flat_map(u64::to_le_bytes).collect();
                assert_eq!(&copied[..length], from);
                assert!(copied[length..].iter().all(|byte| *byte == 0), "{length}");
            }
        }
    }

    #[test]
    fn lengths() {
        let mut text = vec![b'x'; 300];
        text.push(0);
        for end in 0..300 {
            let mut text = text.clone();
            text[end] = 0;
            for start in 0..=end {
                // SAFETY: a zero is there.
                let found = unsafe { length(text[start..].as_ptr(), LONGEST_TEXT + 1) };
                assert_eq!(found, (end - start).min(LONGEST_TEXT + 1), "{start} {end}");
            }
        }
    }

    #[test]
    fn short_texts() {
        #[repr(align(64))]
        struct Aligned([u8; 64]);
        let mut text = Aligned([b'x'; 64]);
        for length in 0..40 {
            for start in 0..16 {
                text.0.fill(b'x');
                text.0[start + length] = 0;
                let from = text.0[start..].as_ptr();
                // SAFETY: a zero is there.
                let found = unsafe { short(from) };
                assert_eq!(found, (length < 16).then_some(length));
                let Some(length) = found else { continue };
                let words = 1 + length.div_ceil(8);
                for room in [words, words + 1, 5] {
                    let place: Vec<AtomicU64> = (0..8).map(|_| AtomicU64::new(7)).collect();
                    // SAFETY: it is short.
                    unsafe { put_short(from, length, &place[..1 + room], 1) };
                    let stored = place.iter().map(|word| word.load(Ordering::Relaxed));
                    let stored: Vec<u64> = stored.collect();
                    assert_eq!((stored[0], stored[1]), (7, length as u64));
                    assert!(stored[1 + room..].iter().all(|word| *word == 7));
                    let copied = stored[2..1 + words].iter();
                    let copied: Vec<u8> = copied.flat_map(|word| word.to_le_bytes()).collect();
                    assert_eq!(&copied[..length], &text.0[start..start + length]);
                    assert!(copied[length..].iter().all(|byte| *byte == 0));
                }
            }
        }
        // SAFETY: null is allowed.
        assert_eq!(unsafe { short(std::ptr::null()) }, None);
    }

    #[test]
    fn a_text_at_the_end_of_a_page() {
        // SAFETY: two new pages, the second of which cannot be read; given back at the end.
        unsafe {
            let pages = map(2 * PAGE, libc::PROT_READ | libc::PROT_WRITE).unwrap();
            libc::mprotect(pages.byte_add(PAGE), PAGE, libc::PROT_NONE);
            for bytes in 1..200 {
                let text = pages.cast::<u8>().add(PAGE - bytes);
                text.write_bytes(b'x', bytes - 1);
                assert_eq!(length(text, 1000), bytes - 1);
                assert_eq!(short(text), (bytes == 16).then_some(15));
                // So many bytes without a zero.
                text.write_bytes(b'x', bytes);
                assert_eq!(length(text, bytes), bytes);
                pages.cast::<u8>().add(PAGE - 1).write(0);
                let place: Vec<AtomicU64> = (0..30).map(|_| AtomicU64::new(0)).collect();
                copy(text, bytes, &mut place.iter());
            }
            libc::munmap(pages, 2 * PAGE);
        }
    }
}
