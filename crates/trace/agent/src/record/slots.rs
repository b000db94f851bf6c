//! Which thread writes to which ring.
//!
//! The agent prepares rings and puts them into slots; a thread takes one with its first event, and has its producer in
//! memory of its own. A signal handler that interrupts an event takes another one for its own events, and the thread
//! keeps that too: rings of a thread are a chain, tried from the first on.
//!
//! What says that a thread's producer is ready lies in one mapping with all slots, which is empty in the child of a fork
//! (`MADV_WIPEONFORK`), however the fork was made: a child never writes to its parent's rings.
#![expect(unsafe_code, reason = "memory that handlers of any thread come to")]

use std::io;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicPtr, AtomicU32, AtomicU64, Ordering};

use perflab_abi::recording::{RING_BLOCK_WORDS, RING_HEAD_BYTES, losses, ring};
use perflab_ring::{HEAD_WORDS, Mode, Outcome, PRODUCER_WORDS, Producer, Words};

use super::words::{AnyWords, THREAD_NEXT, ThreadWords};

/// Rings of a process at one time.
pub const SLOTS: usize = 4096;

/// Binary logarithm of the most blocks of a ring.
pub const MOST_LOG: u64 = 16;

/// Owner of a slot with a ring that nobody has taken.
const FREE: u32 = u32::MAX;

/// Owner of a slot that the agent takes back.
const TAKEN: u32 = u32::MAX - 1;

/// Rings of a thread. It needs so many if it writes an event in a handler that interrupts an event in a handler ...
const MOST_LEVELS: u32 = 8;

/// One ring.
#[repr(C, align(64))]
#[derive(Debug)]
struct Slot {
    /// Its producer, if it is not the first ring of its thread.
    words: [AtomicU64; PRODUCER_WORDS],
    /// Address of the slot with the thread's next ring; 0 if there is none.
    next: AtomicU64,
    /// Address of the ring's memory, which is whole pages, plus the binary logarithm of the number of its blocks.
    ring: AtomicU64,
    /// Number of the thread that has it, [`FREE`], [`TAKEN`], or 0 if there is none.
    owner: AtomicU32,
}

#[repr(C)]
struct Table {
    /// How many slots are [`FREE`], about.
    free: AtomicI64,
    /// Number of the process.
    process: AtomicU32,
    slots: [Slot; SLOTS],
}

static TABLE: AtomicPtr<Table> = AtomicPtr::new(std::ptr::null_mut());

/// The page that counts events without a ring, see [`losses`]; null if there is none. A child of a fork counts in its
/// parent's until it has one of its own.
static LOSSES: AtomicPtr<AtomicU64> = AtomicPtr::new(std::ptr::null_mut());

/// Words of it that mean something.
const LOSSES_WORDS: usize = losses::BEFORE_OVERWRITTEN[2] + 1;

/// Whether no more rings can be made, for want of memory.
static IS_FULL: AtomicBool = AtomicBool::new(false);

/// Says whether no more rings can be made.
pub fn set_full(is_full: bool) {
    IS_FULL.store(is_full, Ordering::Relaxed);
}

/// What producers of this process say when they are ready; 0 if there are none. On a page of its own, which is empty in
/// the child of a fork as the table is: each event loads it, so no address of it should have to be loaded before.
#[repr(C, align(4096))]
struct Ready(AtomicU64);

static READY: Ready = Ready(AtomicU64::new(0));

/// As [`Ready`].
#[inline(always)]
fn ready() -> u64 {
    READY.0.load(Ordering::Relaxed)
}

/// The producer of the calling thread's first ring; it is closed if the thread has none.
#[inline(always)]
pub fn first() -> Producer<ThreadWords> {
    Producer::new(ThreadWords::new(), ready())
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
    // The first one's producer is in no slot.
    let mut slot: Option<&'static Slot> = None;
    for level in 0..MOST_LEVELS {
        if level > 0 {
            slot = next_slot(slot);
            if slot.is_none() {
                break;
            }
        }
        let words = slot.map_or_else(|| AnyWords::First(ThreadWords::new()), Slot::words);
        let producer = Producer::new(words, ready());
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

/// The slot with the thread's ring behind that of a slot, or behind the first one; if there is none, a new one.
fn next_slot(slot: Option<&'static Slot>) -> Option<&'static Slot> {
    let thread = ThreadWords::new();
    let next = match slot {
        Some(slot) => slot.next.load(Ordering::Relaxed),
        None => thread.load::<THREAD_NEXT>(),
    };
    // SAFETY: it is the address of one of the thread's slots, or 0.
    if let Some(next) = unsafe { (next as *const Slot).as_ref() } {
        return Some(next);
    }
    let claimed = claim()?;
    // SAFETY: the ring is this thread's now.
    unsafe { claimed.open(Producer::new(claimed.words(), ready())) };
    let address = std::ptr::from_ref(claimed) as u64;
    match slot {
        Some(slot) => slot.next.store(address, Ordering::Relaxed),
        None => thread.store::<THREAD_NEXT>(address),
    }
    Some(claimed)
}

/// A signal's frame has more bytes, and so many more are not used below the frame that it interrupts: a handler's event
/// begins so much deeper at least. An event that is begun in the same place again begins less deep than that.
const SLACK: u64 = 512;

/// Whether an event that began in one frame was left when another one begins here: it is not below that in the same
/// stack. What is on a stack for signals may have begun in another one.
fn is_left(frame: u64, here: u64) -> bool {
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

/// A number that the kernel has told.
fn told(number: i32) -> Option<u32> {
    u32::try_from(number).ok().filter(|number| *number > 0)
}

/// Finds the calling thread a ring that nobody has.
fn claim() -> Option<&'static Slot> {
    let table = table()?;
    if table.free.load(Ordering::Relaxed) <= 0 {
        return None;
    }
    // A filter of system calls may refuse to tell the numbers, which are errors then: one of them is that of `FREE`.
    let thread = told(crate::socket::thread())?;
    // SAFETY: it takes nothing.
    let process = told(unsafe { libc::getpid() })?;
    // The child of a vfork has the memory of the thread that waits for it, and ends before that.
    if process != table.process.load(Ordering::Relaxed) {
        return None;
    }
    let claimed = table.slots.iter().find(|slot| {
        slot.owner.load(Ordering::Relaxed) == FREE
            && slot
                .owner
                .compare_exchange(FREE, thread, Ordering::Acquire, Ordering::Relaxed)
                .is_ok()
    })?;
    table.free.fetch_sub(1, Ordering::Relaxed);
    let head = claimed.memory();
    // SAFETY: the slot is this thread's now, and has a ring.
    unsafe { (*head.add(ring::THREAD)).store(u64::from(thread), Ordering::Release) };
    Some(claimed)
}

impl Slot {
    fn words(&'static self) -> AnyWords {
        AnyWords::Other(&self.words)
    }

    /// Address of the ring's memory.
    fn memory(&self) -> *const AtomicU64 {
        (self.ring.load(Ordering::Relaxed) & !0xfff) as *const AtomicU64
    }

    /// Opens a producer with the ring.
    ///
    /// # Safety
    /// The ring is the calling thread's, and no other producer has it.
    unsafe fn open(&self, producer: Producer<AnyWords>) {
        let log = self.ring.load(Ordering::Relaxed) & 0xfff;
        // SAFETY: what `offer` was promised.
        unsafe { open(producer, self.memory(), log as u32) };
    }
}

/// Opens a producer with a ring.
///
/// # Safety
/// A ring with `1 << log` blocks is there, for as long as the producer is open, and no other producer has it.
unsafe fn open(producer: Producer<AnyWords>, memory: *const AtomicU64, log: u32) {
    // SAFETY: so much is there; atomics may change at any time.
    unsafe {
        let head = std::slice::from_raw_parts(memory, HEAD_WORDS);
        let blocks = memory.byte_add(RING_HEAD_BYTES);
        let blocks = std::slice::from_raw_parts(blocks, RING_BLOCK_WORDS << log);
        producer.open(head, blocks, RING_BLOCK_WORDS);
    }
}

/// Counts events of a thread that has ended, whose ring makes room for that of another one.
pub fn lose_with_ring(events: u64) {
    let page = LOSSES.load(Ordering::Acquire);
    if !page.is_null() {
        // SAFETY: as in `lose`.
        let words = unsafe { std::slice::from_raw_parts(page, LOSSES_WORDS) };
        words[losses::NO_RING].fetch_add(events, Ordering::Relaxed);
    }
}

/// Counts an event that has no ring.
#[cold]
pub fn lose() {
    let page = LOSSES.load(Ordering::Acquire);
    if page.is_null() {
        return;
    }
    // SAFETY: `set_losses` was given a page, which stays, in children too.
    let words = unsafe { std::slice::from_raw_parts(page, LOSSES_WORDS) };
    if ready() != 0 {
        // The child of a vfork never has one. Where memory is full, no event takes a system call to say so.
        let may_have_one = || {
            let process = table().map(|table| table.process.load(Ordering::Relaxed));
            process == Some(std::process::id()) && crate::socket::thread() > 0
        };
        let why = if !IS_FULL.load(Ordering::Relaxed) && may_have_one() {
            losses::LATE
        } else {
            losses::NO_RING
        };
        words[why].fetch_add(1, Ordering::Relaxed);
        return;
    }
    // A child that has nothing yet, or never will.
    words[losses::UNREACHED].fetch_add(1, Ordering::Relaxed);
    // SAFETY: it takes nothing.
    let Some(process) = told(unsafe { libc::getpid() }).map(u64::from) else {
        return;
    };
    for word in &words[losses::CHILDREN] {
        match word.compare_exchange(0, process, Ordering::Relaxed, Ordering::Relaxed) {
            Err(other) if other != process => {}
            _ => return,
        }
    }
}

/// Gives the calling thread a ring of its own until [`forget`], to see what an event costs.
///
/// # Safety
/// A ring with `1 << log` blocks is there until then, and nobody else has it.
pub unsafe fn use_private(memory: *const AtomicU64, log: u32) {
    let producer = Producer::new(AnyWords::First(ThreadWords::new()), ready());
    // SAFETY: what the caller promises.
    unsafe { open(producer, memory, log) };
}

/// The calling thread has no ring any more.
pub fn forget() {
    first().close();
    ThreadWords::new().store::<THREAD_NEXT>(0);
}

/// The same in the child of a fork. If a handler has forked in the middle of an event, that is written to the end here
/// too: to memory of the child's own, instead of its parent's ring.
pub fn forget_parent() {
    if let Some((head, blocks)) = first().memory_of_event() {
        let bytes = RING_HEAD_BYTES + blocks * RING_BLOCK_WORDS * size_of::<u64>();
        // SAFETY: a ring is mapped there, which only its thread uses, and this is that thread. Atomics that change.
        unsafe {
            libc::mmap(
                (head as *mut libc::c_void).cast(),
                bytes,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED,
                -1,
                0,
            );
        }
    }
    forget();
}

/// Events without a ring are not counted any more: nobody wants those of this child of a fork.
pub fn count_nowhere() {
    LOSSES.store(std::ptr::null_mut(), Ordering::Release);
}

fn table() -> Option<&'static Table> {
    // SAFETY: null, or what `prepare` mapped, which stays; atomics only.
    unsafe { TABLE.load(Ordering::Acquire).as_ref() }
}

/// Maps the slots, once.
///
/// # Errors
/// When the kernel gives no memory that a child finds empty.
pub fn prepare() -> io::Result<()> {
    if table().is_none() {
        let size = size_of::<Table>();
        // SAFETY: new memory, which only this module uses.
        let memory = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                size,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        if memory == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let page = (&raw const READY).cast_mut().cast();
        // SAFETY: that memory, and a page that only `READY` lies on.
        let wiped = unsafe {
            libc::madvise(memory, size, libc::MADV_WIPEONFORK) == 0
                && libc::madvise(page, size_of::<Ready>(), libc::MADV_WIPEONFORK) == 0
        };
        if !wiped {
            let error = io::Error::last_os_error();
            // SAFETY: mapped above, and nobody knows of it.
            unsafe { libc::munmap(memory, size) };
            return Err(error);
        }
        TABLE.store(memory.cast(), Ordering::Release);
    }
    Ok(())
}

/// Lets threads take rings from now on. In the child of a fork too: what was ready in the parent is not so there.
pub fn begin() {
    if ready() == 0 {
        if let Some(table) = table() {
            table.process.store(std::process::id(), Ordering::Relaxed);
        }
        let word = super::clock::read(libc::CLOCK_BOOTTIME);
        READY.0.store(word | 1, Ordering::Release);
    }
}

/// Where events without a ring are counted.
///
/// # Safety
/// A page of words is there, and stays for as long as the process.
pub unsafe fn set_losses(page: *const AtomicU64) {
    LOSSES.store(page.cast_mut(), Ordering::Release);
}

/// A recording of this kind begins: what was counted before is none of its losses.
///
/// Events without a ring are counted in this process's page.
pub fn begin_losses(mode: Mode) {
    let page = LOSSES.load(Ordering::Acquire);
    if page.is_null() {
        return;
    }
    // SAFETY: as in `lose`.
    let words = unsafe { std::slice::from_raw_parts(page, LOSSES_WORDS) };
    let before = match mode {
        Mode::Keep => losses::BEFORE_KEPT,
        Mode::Overwrite => losses::BEFORE_OVERWRITTEN,
    };
    for (count, before) in losses::COUNTS.into_iter().zip(before) {
        let count = words[count].load(Ordering::Relaxed);
        words[before].store(count, Ordering::Relaxed);
    }
    for child in &words[losses::CHILDREN] {
        child.store(0, Ordering::Relaxed);
    }
}

/// Puts a ring into a slot, for a thread to take; nothing if no slot is empty.
///
/// # Safety
/// A ring file with `1 << log` blocks, which was begun, is mapped at this address, which is a page's, and stays until
/// the slot is empty again.
pub unsafe fn offer(memory: *const AtomicU64, log: u32) -> Option<usize> {
    let table = table()?;
    let mut slots = table.slots.iter();
    let index = slots.position(|slot| slot.owner.load(Ordering::Relaxed) == 0)?;
    let slot = &table.slots[index];
    slot.ring
        .store(memory as u64 | u64::from(log), Ordering::Relaxed);
    slot.owner.store(FREE, Ordering::Release);
    table.free.fetch_add(1, Ordering::Relaxed);
    Some(index)
}

/// Takes a ring back that no thread has taken; returns whether that is so.
pub fn withdraw(index: usize) -> bool {
    let Some(table) = table() else { return false };
    let slot = &table.slots[index];
    let withdrawn = slot
        .owner
        .compare_exchange(FREE, TAKEN, Ordering::Acquire, Ordering::Relaxed)
        .is_ok();
    if withdrawn {
        table.free.fetch_sub(1, Ordering::Relaxed);
        vacate(index);
    }
    withdrawn
}

/// Empties the slot of a thread that has ended.
pub fn vacate(index: usize) {
    if let Some(table) = table() {
        let slot = &table.slots[index];
        Producer::new(&slot.words, 0).close();
        slot.next.store(0, Ordering::Relaxed);
        slot.owner.store(0, Ordering::Release);
    }
}

/// Number of the thread that has a slot's ring, if one has.
pub fn owner(index: usize) -> Option<u32> {
    let owner = table()?.slots[index].owner.load(Ordering::Acquire);
    (owner != 0 && owner != FREE && owner != TAKEN).then_some(owner)
}

/// How many rings wait for a thread.
pub fn free() -> usize {
    let free = table().map_or(0, |table| table.free.load(Ordering::Relaxed));
    usize::try_from(free).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use perflab_ring::{Event, Fill, Header, Position, begin, frame, word};

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
        let lost = || PAGE[losses::LATE].load(Ordering::Relaxed);
        prepare().unwrap();
        super::begin();
        // SAFETY: it stays.
        unsafe { set_losses(PAGE.as_ptr()) };
        nested(1);
        assert_eq!(lost(), 1, "there are no rings");
        set_full(true);
        nested(1);
        let no_memory = PAGE[losses::NO_RING].load(Ordering::Relaxed);
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
            let is_ready = ready() != 0;
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
