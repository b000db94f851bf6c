//! The rings of a thread: a chain, tried from the first on.
//!
//! An event in the handler of a signal may interrupt another one of its thread. It goes to the first ring that no event
//! is being written to, so such a thread takes a second ring, and keeps that too.
#![expect(
    unsafe_code,
    reason = "memory that signal handlers of the thread come to"
)]

use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering};

use perflab_abi::recording::{RING_BLOCK_WORDS, RING_HEAD_BYTES};
use perflab_ring::{Outcome, Producer, Words};

use super::losses::lose;
use super::ready;
use super::slots::{self, Slot, claim};
use super::words::{AnyWords, THREAD_NEXT, ThreadWords};
use crate::pages::replace;

/// Rings of a thread. It needs so many if it writes an event in a handler that interrupts an event in a handler ...
const MOST_LEVELS: u32 = 8;

/// The producer of the calling thread's first ring, which is ready if it says what is returned; it is closed if the thread has none.
#[inline(always)]
pub fn first(ready: impl FnOnce() -> u64) -> Producer<ThreadWords> {
    // The thread's words before: all that an event does waits for where they are.
    Producer::new(ThreadWords::new(), ready())
}

/// A ring of the calling thread.
#[derive(Debug, Clone, Copy)]
enum Link {
    /// The first, whose producer is in no slot.
    First,
    /// Another one.
    Other(&'static Slot),
}

impl Link {
    fn producer(self) -> Producer<AnyWords> {
        let words = match self {
            Self::First => AnyWords::First(ThreadWords::new()),
            Self::Other(slot) => slot.words(),
        };
        Producer::new(words, ready::any())
    }

    /// The one behind it; if there is none, a new one.
    fn next(self) -> Option<Self> {
        let thread = ThreadWords::new();
        let next = match self {
            Self::First => thread.load::<THREAD_NEXT>(),
            Self::Other(slot) => slot.next.load(Ordering::Relaxed),
        };
        // SAFETY: it is the address of one of the thread's slots, or 0.
        if let Some(next) = unsafe { (next as *const Slot).as_ref() } {
            return Some(Self::Other(next));
        }
        let claimed = claim()?;
        // SAFETY: the ring is this thread's now.
        unsafe { claimed.open(Self::Other(claimed).producer()) };
        let address = std::ptr::from_ref(claimed) as u64;
        match self {
            Self::First => thread.store::<THREAD_NEXT>(address),
            Self::Other(slot) => slot.next.store(address, Ordering::Relaxed),
        }
        Some(Self::Other(claimed))
    }
}

/// Writes an event to the first ring of the thread that no other event is being written to, which may be a new one.
/// If there is none, the event is lost, which is counted.
///
/// `here` is the address of the frame in which the event began, about.
pub fn write(
    here: u64,
    mut event: impl FnMut(Producer<AnyWords>, &dyn Fn(u64) -> bool) -> Outcome,
) {
    let is_left = |frame| is_left(frame, here);
    let mut link = Link::First;
    for level in 0..MOST_LEVELS {
        if level > 0 {
            let Some(next) = link.next() else { break };
            link = next;
        }
        let producer = link.producer();
        let mut outcome = event(producer, &is_left);
        if outcome == Outcome::Closed {
            let Some(claimed) = claim() else { break };
            // SAFETY: the ring is this thread's now.
            unsafe { claimed.open(producer) };
            outcome = event(producer, &is_left);
        }
        if matches!(outcome, Outcome::Written | Outcome::Dropped) {
            return;
        }
    }
    lose();
}

/// A signal's frame has more bytes, and so many more are not used below the frame that it interrupts: a handler's event
/// begins so much deeper at least. An event that is begun in the same place again begins less deep than that.
const SLACK: u64 = 512;

/// Whether an event that began in one frame was left when another one begins here: it is not below that in the same
/// stack. What is on a stack for signals may have begun in another one.
pub fn is_left(frame: u64, here: u64) -> bool {
    if here + SLACK < frame {
        return false;
    }
    let mut stack = libc::stack_t {
        ss_sp: std::ptr::null_mut(),
        ss_flags: 0,
        ss_size: 0,
    };
    // SAFETY: it only writes what is there.
    let asked = unsafe { libc::sigaltstack(std::ptr::null(), &raw mut stack) };
    asked == 0 && stack.ss_flags & libc::SS_ONSTACK == 0
}

/// Gives the calling thread a ring of its own until [`forget`], to see what an event costs.
///
/// # Safety
/// A ring with `1 << log` blocks is there until then, and nobody else has it.
pub unsafe fn use_private(memory: *const AtomicU64, log: u32) {
    // SAFETY: what the caller promises.
    unsafe { slots::open(Link::First.producer(), memory, log) };
}

/// The calling thread has no ring any more.
pub fn forget() {
    first(ready::any).close();
    ThreadWords::new().store::<THREAD_NEXT>(0);
}

/// The same in the child of a fork. If a handler has forked in the middle of an event, that is written to the end here
/// too: to memory of the child's own, instead of its parent's ring.
pub fn forget_parent() {
    if let Some((head, blocks)) = first(ready::any).memory_of_event() {
        let bytes = RING_HEAD_BYTES + blocks * RING_BLOCK_WORDS * size_of::<u64>();
        // SAFETY: a ring is mapped there, which only its thread uses, and this is that thread.
        unsafe { replace(head as *mut c_void, bytes) };
    }
    forget();
}

#[cfg(test)]
mod tests {
    use perflab_abi::recording::losses as counts;
    use perflab_ring::{Event, Fill, HEAD_WORDS, Header, Position, begin, frame, word};

    use super::super::losses::{count_in, set_full};
    use super::super::slots::{free, offer, prepare};
    use super::*;

    const LOG: u32 = 1;

    /// A ring that nobody has. It stays for as long as the test.
    fn offered() -> &'static [AtomicU64] {
        let bytes = RING_HEAD_BYTES + ((RING_BLOCK_WORDS * 8) << LOG);
        // SAFETY: new memory, as that of a file.
        let memory = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                bytes,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        assert_ne!(memory, libc::MAP_FAILED);
        let memory: *const AtomicU64 = memory.cast();
        // SAFETY: this much was mapped, and is never given back.
        let (head, blocks) = unsafe {
            let words = std::slice::from_raw_parts(memory, bytes / 8);
            words.split_at(RING_HEAD_BYTES / 8)
        };
        assert!(begin(head, blocks, RING_BLOCK_WORDS));
        // SAFETY: it is a ring, and stays.
        assert!(unsafe { offer(memory, LOG) }.is_some());
        head
    }

    fn count(head: &[AtomicU64]) -> u64 {
        Position::from_word(head[word::POSITION].load(Ordering::Relaxed)).count
    }

    /// An event in which something happens before it is complete.
    struct Meanwhile<F>(F);

    impl<F: FnMut()> Fill for Meanwhile<F> {
        fn stamp(&mut self, _: &[AtomicU64; 2]) {
            (self.0)();
        }
    }

    fn event_in(here: u64, mut meanwhile: impl FnMut()) {
        let header = Header {
            probe: 1,
            words: 2,
            is_cut: false,
        };
        let event = Event {
            header: header.base(),
            words: 2,
        };
        write(here, |ring, is_left| {
            ring.record(event, Meanwhile(&mut meanwhile), &(), is_left)
        });
    }

    /// An event in a handler that interrupts one in a handler ..., so many.
    fn nested(events: u32) {
        if events > 0 {
            event_in(0, || nested(events - 1));
        }
    }

    #[test]
    fn each_event_that_interrupts_another_has_a_ring() {
        static PAGE: [AtomicU64; 64] = [const { AtomicU64::new(0) }; 64];
        let lost = || PAGE[counts::LATE].load(Ordering::Relaxed);
        prepare().unwrap();
        slots::begin();
        // SAFETY: it stays.
        unsafe { count_in(PAGE.as_ptr()) };
        nested(1);
        assert_eq!(lost(), 1, "there are no rings");
        set_full(true);
        nested(1);
        let no_memory = PAGE[counts::NO_RING].load(Ordering::Relaxed);
        assert_eq!((lost(), no_memory), (1, 1), "and no memory");
        set_full(false);
        let rings: Vec<_> = (0..MOST_LEVELS + 2).map(|_| offered()).collect();
        for round in 1..4 {
            nested(MOST_LEVELS + 1);
            let counts: Vec<_> = rings.iter().map(|ring| count(ring)).collect();
            let expected = (0..MOST_LEVELS + 2).map(|level| u64::from(level < MOST_LEVELS) * round);
            assert!(counts.iter().copied().eq(expected), "{counts:?}");
            // The last one has nobody to be interrupted by.
            assert_eq!(lost(), 1 + round);
            assert_eq!(free(), 2);
        }
        // A thread that jumps out of an event goes on in the next block of the same ring.
        let jump = || event_in(0, || std::panic::resume_unwind(Box::new(())));
        assert!(std::panic::catch_unwind(jump).is_err());
        assert_eq!(count(rings[0]), 4);
        event_in(0, || ());
        assert_eq!((count(rings[0]), count(rings[1])), (4, 4), "another one");
        event_in(u64::MAX - SLACK, || ());
        assert_eq!((count(rings[0]), count(rings[1])), (1, 4), "the same one");
        nested(2);
        assert_eq!((count(rings[0]), count(rings[1])), (2, 5));
        forget();
        nested(1);
        assert_eq!(free(), 1);
        forks_within_an_event();
    }

    /// The child goes on in memory of its own; its parent's ring has the parent's event.
    fn forks_within_an_event() {
        forget();
        let ring = offered();
        // Rings are taken in the order of their slots, and one is left.
        nested(1);
        forget();
        let mut child = -1;
        event_in(0, || {
            // SAFETY: the child calls nothing that may wait for another thread.
            child = unsafe { libc::fork() };
            if child == 0 {
                forget_parent();
            } else {
                let mut status = -1;
                // SAFETY: it writes the status.
                unsafe { libc::waitpid(child, &raw mut status, 0) };
                assert_eq!(status, 0, "the child ends well");
            }
        });
        if child == 0 {
            event_in(0, || ());
            ring[HEAD_WORDS - 1].store(1, Ordering::Relaxed);
            let is_ready = ready::any() != 0;
            // SAFETY: it ends the process.
            unsafe { libc::_exit(i32::from(is_ready)) };
        }
        let of_child = ring[HEAD_WORDS - 1].load(Ordering::Relaxed);
        assert_eq!(
            (count(ring), of_child),
            (1, 0),
            "the child has memory of its own"
        );
        // SAFETY: the first record, behind the head of its block.
        let header = unsafe {
            let block = ring.as_ptr().byte_add(RING_HEAD_BYTES);
            (*block.add(perflab_ring::BLOCK_HEAD)).load(Ordering::Relaxed)
        };
        let found = Header::from_word(header, 0);
        assert!(found.is_some_and(|header| header.probe == 1));
        event_in(0, || ());
        assert_eq!(count(ring), 2, "and goes on");
    }

    #[test]
    fn what_is_left_and_what_is_not() {
        let here = frame();
        assert!(is_left(here, here) && is_left(here - 4096, here));
        assert!(is_left(here, here - SLACK) && !is_left(here, here - SLACK - 1));
    }
}
