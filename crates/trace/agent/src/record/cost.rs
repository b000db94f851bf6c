//! What recording an event costs here.
#![expect(
    unsafe_code,
    reason = "handlers are called as sites call them, with a ring in memory of its own"
)]

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64};
use std::time::Instant;

use perflab_abi::recording::RING_BLOCK_WORDS;
use perflab_abi::{Point, VERSION};
use perflab_ring::HEAD_WORDS;

use super::forms::Form;
use super::long_forms::MOST_WORDS;
use super::ring_file::RingFile;
use super::{chain, handlers, long};
use crate::objects::KnownSite;
use crate::pages::PAGE;

/// Blocks of events; the median of their times counts.
const BLOCKS: usize = 11;

/// Events of a block.
const EVENTS: u32 = 200;

/// A ring of 16 blocks: as with a real one, most of it is in a cache near the processor.
const LOG: u32 = 4;

/// Time from the call of a probe's handler to its return, in picoseconds; nothing if it has none.
///
/// The calling thread must be one that takes no signals.
pub fn of(handler: *mut (), site: &KnownSite, packed: u64) -> Option<u64> {
    const TEXT: &[u8; 16] = b"fifteen letters\0";
    let mut all = [0; MOST_WORDS];
    let mut words = 0;
    for argument in site.description.arguments() {
        let form = Form::of(argument);
        if form != Form::Number {
            *all.get_mut(words)? = TEXT.as_ptr() as u64;
        }
        if form.words() == 2 {
            words += 1;
            *all.get_mut(words)? = TEXT.len() as u64 - 1;
        }
        words += 1;
    }
    let few = *all.first_chunk()?;
    let point = Point {
        version: VERSION,
        size: size_of::<Point>() as u16,
        enabled: AtomicU32::new(1),
        handler: AtomicPtr::new(handler),
        hits: AtomicU64::new(0),
        agent: AtomicU64::new(packed),
    };
    let layout = Layout::from_size_align(RingFile::bytes(LOG), PAGE).ok()?;
    // SAFETY: the size is not zero.
    let memory = unsafe { alloc_zeroed(layout) };
    if memory.is_null() {
        return None;
    }
    // SAFETY: this much was allocated, zeroed, for atomics only.
    unsafe {
        let base = memory.cast::<AtomicU64>();
        let head = std::slice::from_raw_parts(base, HEAD_WORDS);
        let blocks = std::slice::from_raw_parts(
            memory
                .byte_add(perflab_abi::recording::RING_HEAD_BYTES)
                .cast::<AtomicU64>(),
            RING_BLOCK_WORDS << LOG,
        );
        if !perflab_ring::begin(head, blocks, RING_BLOCK_WORDS) {
            return None;
        }
        chain::use_private(base, LOG);
    }
    let mut times = [0; BLOCKS];
    for time in &mut times {
        let start = Instant::now();
        for _ in 0..EVENTS {
            // SAFETY: the words are as many as the handler was chosen for, and its texts are there.
            unsafe {
                if site.by_record {
                    long::call(handler, &point, &all);
                } else {
                    handlers::call(handler, &point, words, few);
                }
            }
        }
        *time = start.elapsed().as_nanos() as u64 * 1000 / u64::from(EVENTS);
    }
    chain::forget();
    // SAFETY: allocated above, and no thread has it any more.
    unsafe { dealloc(memory, layout) };
    times.sort_unstable();
    Some(times[BLOCKS / 2])
}
