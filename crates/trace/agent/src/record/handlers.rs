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

use perflab_abi::{Clock as ClockKind, Description, Point};
use perflab_ring::{Event, Fill, frame};

use super::clock::{Choice, Clock, Monotonic, OrderedCounter, TimeStampCounter, ready};
use super::forms::{Form, MOST_WORDS};
use super::ready::SEVERAL;
use super::texts::record_texts;
use super::{chain, long, short};

/// The handler for a probe with these arguments, which are passed each by itself or by the address of all; nothing if
/// there are too many.
pub fn handler(description: &Description<'_>, by_record: bool, clock: Choice) -> Option<*mut ()> {
    let handler = match (clock.kind, clock.ahead) {
        (ClockKind::TimeStampCounter, 0) => handler_with::<OrderedCounter>,
        (ClockKind::TimeStampCounter, _) => handler_with::<TimeStampCounter>,
        (ClockKind::Monotonic, _) => handler_with::<Monotonic>,
    };
    handler(description, by_record)
}

fn handler_with<C: Clock>(description: &Description<'_>, by_record: bool) -> Option<*mut ()> {
    let mut words = 0;
    let mut longest = Form::Number;
    for argument in description.arguments() {
        let form = Form::of(argument);
        words += form.words();
        longest = longest.max(form);
    }
    match longest {
        _ if by_record => Some(long::handler::<C>(longest)),
        Form::Number => numbers::<C>(words),
        Form::Terminated => short::texts::<C>(words),
        _ => texts::<C>(words),
    }
}

/// Numbers, which are there before the time is taken.
pub struct Numbers<'w, C>(pub &'w [u64], pub PhantomData<C>);

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
    chain::first(ready::<C>).record_quickly(event, Numbers::<C>(&words, PhantomData), &())
}

/// As [`record_numbers`], in any case.
///
/// # Safety
/// As there.
pub unsafe fn record_slowly<C: Clock>(point: *const Point, words: &[u64]) {
    // SAFETY: what the caller promises.
    let header = unsafe { (*point).agent.load(Ordering::Relaxed) };
    let event = Event {
        header,
        words: words.len() + 2,
    };
    chain::write(frame(), |ring, is_left| {
        ring.record(event, Numbers::<C::First>(words, PhantomData), &(), is_left)
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
                    unsafe {
                        if C::IS_FOR_ONE && ready::<C>() == SEVERAL {
                            $numbers::<OrderedCounter>(point $(, $word)*);
                        } else {
                            record_slowly::<C>(point, &[$($word),*]);
                        }
                    }
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
    fn a_probe_has_a_handler() {
        let description = Description::parse("p\nn\nf\n1\ni32 a\ncstr b\nbytes c\nf64 d").unwrap();
        let clock = |kind, ahead| Choice {
            kind,
            skew: 0,
            ahead,
            waits: true,
        };
        assert!(handler(&description, false, clock(ClockKind::Monotonic, 0)).is_some());
        let by_counter = |ahead| clock(ClockKind::TimeStampCounter, ahead);
        let [plain, ordered] =
            [1000, 0].map(|ahead| handler(&description, false, by_counter(ahead)));
        assert!(plain.is_some() && ordered.is_some() && plain != ordered);
        let by_record = handler(&description, true, by_counter(1000));
        assert!(by_record.is_some() && by_record != plain);
    }
}
