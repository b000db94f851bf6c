//! What a site calls that is recorded, if it has texts that end with zero bytes and are mostly short.
#![expect(
    unsafe_code,
    reason = "sites call these with the address of their point and words, some of which are addresses"
)]

use std::sync::atomic::{AtomicU64, Ordering};

use perflab_abi::Point;
use perflab_ring::Event;

use super::clock::{Clock, OrderedCounter, ready};
use super::forms::{FORM, FORM_BITS, TERMINATED, header, number};
use super::ready::SEVERAL;
use super::texts::{Texts, record_texts};
use super::{chain, text};

macro_rules! short_text_handlers {
    ($($count:literal: $name:ident ($($word:ident)*),)*) => {
        $(
            /// Writes an event if its texts are short and all else is as usual. Its words are handled in a line,
            /// not in a loop, which takes twice as long.
            unsafe extern "C-unwind" fn $name<C: Clock>(point: *const Point $(, $word: u64)*) {
                let ready = ready::<C>();
                if C::IS_FOR_ONE && ready == SEVERAL {
                    // SAFETY: as it was called.
                    return unsafe { $name::<OrderedCounter>(point $(, $word)*) };
                }
                // SAFETY: a site calls its point's handler with that point.
                let packed = unsafe { (*point).agent.load(Ordering::Relaxed) };
                let is_done = 'done: {
                    let mut forms = packed >> 24;
                    let mut size = 0;
                    $(
                        let $word = {
                            let is_text = forms & FORM == TERMINATED;
                            forms >>= FORM_BITS;
                            let mut length = 0;
                            if is_text {
                                // SAFETY: the probe's argument is text that ends with a zero byte.
                                match unsafe { text::short($word as *const u8) } {
                                    Some(found) => length = found,
                                    None => break 'done false,
                                }
                            }
                            size += 1 + length.div_ceil(8);
                            ($word, is_text, length)
                        };
                    )*
                    let _ = forms;
                    let event = Event {
                        header: header(number(packed), size, false),
                        words: size + 2,
                    };
                    let copy = |place: &[AtomicU64]| {
                            let mut at = 0;
                            $(
                                let (word, is_text, length) = $word;
                                if is_text {
                                    // SAFETY: `short` found it to be so.
                                    unsafe { text::put_short(word as *const u8, length, place, at) };
                                } else if let Some(to) = place.get(at) {
                                    to.store(word, Ordering::Relaxed);
                                }
                                at += 1 + length.div_ceil(8);
                            )*
                            let _ = at;
                        };
                    chain::first(|| ready).record_quickly(event, Texts::<C, _>::new(copy), &())
                };
                if !is_done {
                    // SAFETY: the words are as they came; `handler` chose this by the same arguments.
                    unsafe { record_texts::<C>(point, &[$($word),*]) };
                }
            }
        )*

        /// Of a probe whose texts end with zero bytes.
        pub fn texts<C: Clock>(words: usize) -> Option<*mut ()> {
            match words {
                $($count => Some($name::<C> as *mut ()),)*
                _ => None,
            }
        }
    };
}

short_text_handlers!(
    1: texts_1 (a),
    2: texts_2 (a b),
    3: texts_3 (a b c),
    4: texts_4 (a b c d),
    5: texts_5 (a b c d e),
    6: texts_6 (a b c d e f),
    7: texts_7 (a b c d e f g),
    8: texts_8 (a b c d e f g h),
    9: texts_9 (a b c d e f g h i),
    10: texts_10 (a b c d e f g h i j),
    11: texts_11 (a b c d e f g h i j k),
    12: texts_12 (a b c d e f g h i j k l),
);
