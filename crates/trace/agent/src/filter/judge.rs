//! The interpreter as a gate calls it.
#![expect(
    unsafe_code,
    reason = "a site passes words, some of which are addresses, in registers and on the stack"
)]

use std::sync::Arc;

use perflab_abi::Point;
use perflab_bpf::{Context, ContextField, Place, Verdict, judge};

use super::bind::Stage;
use super::gates::Cell;
use super::{Filter, context};
use crate::record::{MOST_WORDS, nofault};

/// Words that come in registers.
const IN_REGISTERS: usize = 5;

/// Programs, and what they need to know of a probe and of what comes behind.
#[derive(Debug)]
pub struct Bound {
    /// The filters.
    pub judges: Box<[Arc<Filter>]>,
    /// Those of them that fit the probe, with the programs.
    pub stages: Box<[Stage]>,
    /// Words of an event.
    pub words: usize,
    /// Whether a site passes the address of all words, and not each word.
    pub by_record: bool,
    /// The handler of an event that is accepted.
    pub next: usize,
}

impl Bound {
    /// What is known of an event besides its words, as far as the programs use it.
    fn context(&self, back: u64) -> Context {
        let mut context = Context {
            ip: back,
            read: nofault::read,
            ..Context::default()
        };
        for field in self.fields() {
            context::fill(field, &mut context);
        }
        context
    }

    fn fields(&self) -> impl Iterator<Item = ContextField> {
        let stages = self.stages.iter();
        let places = stages.flat_map(|stage| stage.places.iter().chain(&stage.value));
        places.filter_map(|place| match place {
            Place::Context(field) => Some(*field),
            _ => None,
        })
    }

    /// Whether accepted events are counted by a value.
    pub fn counts(&self) -> bool {
        self.stages.iter().any(|stage| stage.value.is_some())
    }

    /// Whether an event goes on to the handler.
    ///
    /// # Safety
    /// The words are those of an event of the probe that this was bound to.
    unsafe fn takes(&self, words: &[u64], context: &Context) -> bool {
        for stage in self.stages.iter() {
            // SAFETY: what the caller promises.
            let verdict = unsafe { judge(&stage.lowered, &stage.places, words, context) };
            if verdict == Verdict::Reject {
                continue;
            }
            let Some((counts, place)) = stage.filter.counts.as_ref().zip(stage.value) else {
                if stage.filter.takes(verdict) {
                    return true;
                }
                // One that would end a recording may begin it first.
                continue;
            };
            // SAFETY: as above.
            unsafe { counts.count(place, words, context) };
            return false;
        }
        false
    }
}

/// What `gates` has saved of an event: registers and stack as a site has called.
#[repr(C)]
#[derive(Debug)]
pub struct Call {
    cell: *const Cell,
    _point: *const Point,
    first: [u64; IN_REGISTERS],
    /// Where the site goes on. The words that are in no register follow.
    back: u64,
}

/// Judges an event. Returns the handler that is next; null if the event is rejected.
///
/// A thread may be cancelled in it (`PTHREAD_CANCEL_ASYNCHRONOUS`), so it has nothing to drop.
///
/// # Safety
/// A gate calls it, with what it has saved, for a site of a point that has this gate.
pub unsafe extern "C-unwind" fn interpret(call: *const Call) -> *mut () {
    // SAFETY: what the caller promises: the cell is the gate's, the words are as many as the probe has, and what the
    // program uses as addresses of texts are such.
    unsafe {
        let Call {
            cell, first, back, ..
        } = *call;
        let cell = &*cell;
        let Some(bound) = cell.bound() else {
            return std::ptr::null_mut();
        };
        let context = bound.context(back);
        let is_taken = if bound.by_record {
            let words = std::slice::from_raw_parts(first[0] as *const u64, bound.words);
            bound.takes(words, &context)
        } else {
            let mut words = [0; MOST_WORDS];
            let (in_registers, others) = words.split_at_mut(IN_REGISTERS);
            in_registers.copy_from_slice(&first);
            let stack = call.add(1).cast::<u64>();
            let count = bound.words.saturating_sub(IN_REGISTERS);
            for (at, word) in others.iter_mut().take(count).enumerate() {
                *word = stack.add(at).read();
            }
            bound.takes(words.get(..bound.words).unwrap_or_default(), &context)
        };
        if is_taken {
            bound.next as *mut ()
        } else {
            std::ptr::null_mut()
        }
    }
}
