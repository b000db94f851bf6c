//! The rings of a process, in slots from which its threads take them.
//!
//! The agent prepares rings and puts them into slots; a thread takes one with its first event, and another one where an
//! event interrupts another. It keeps them until it ends.
//!
//! All slots are empty in the child of a fork (`MADV_WIPEONFORK`), however the fork was made, and no producer is ready
//! there: a child never writes to its parent's rings.
#![expect(unsafe_code, reason = "memory that handlers of any thread come to")]

use std::io;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicPtr, AtomicU32, AtomicU64, Ordering};

use perflab_abi::recording::{RING_BLOCK_WORDS, RING_HEAD_BYTES, ring};
use perflab_ring::{HEAD_WORDS, PRODUCER_WORDS, Producer};

use super::clock::{self, Clock};
use super::ready;
use super::words::AnyWords;
use crate::numbers;
use crate::pages::{PAGE, map};

/// Rings of a process at one time.
pub const SLOTS: usize = 4096;

/// Binary logarithm of the most blocks of a ring.
pub const MOST_LOG: u64 = 16;

/// Who has the ring of a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Owner {
    /// The slot has no ring.
    Nobody,
    /// It waits for a thread.
    Free,
    /// The agent takes it back.
    Agent,
    /// The thread with this number.
    Thread(u32),
}

/// The words of owners that are no thread.
const NOBODY: u32 = 0;
const FREE: u32 = u32::MAX;
const AGENT: u32 = u32::MAX - 1;

impl Owner {
    #[inline]
    fn from_word(word: u32) -> Self {
        match word {
            NOBODY => Self::Nobody,
            FREE => Self::Free,
            AGENT => Self::Agent,
            thread => Self::Thread(thread),
        }
    }

    #[inline]
    fn to_word(self) -> u32 {
        match self {
            Self::Nobody => NOBODY,
            Self::Free => FREE,
            Self::Agent => AGENT,
            Self::Thread(thread) => thread,
        }
    }
}

/// One ring.
#[repr(C, align(64))]
#[derive(Debug)]
pub struct Slot {
    /// Its producer, if it is not the first ring of its thread.
    words: [AtomicU64; PRODUCER_WORDS],
    /// Address of the slot with the thread's next ring; 0 if there is none.
    pub next: AtomicU64,
    /// Address of the ring's memory, which is whole pages, plus the binary logarithm of the number of its blocks.
    ring: AtomicU64,
    /// An [`Owner`].
    owner: AtomicU32,
}

#[repr(C)]
struct Table {
    /// How many slots are [`Owner::Free`], about.
    free: AtomicI64,
    /// Number of the process.
    process: AtomicU32,
    slots: [Slot; SLOTS],
}

static TABLE: AtomicPtr<Table> = AtomicPtr::new(std::ptr::null_mut());

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
        let memory = map(size, libc::PROT_READ | libc::PROT_WRITE)?;
        // SAFETY: that memory.
        let wiped = unsafe { libc::madvise(memory, size, libc::MADV_WIPEONFORK) == 0 }
            && ready::forget_in_children();
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

/// Whether threads wait for what comes before their events once several record.
static WAITS: AtomicBool = AtomicBool::new(false);

/// Whether they do, from now on.
pub fn wait(whether: bool) {
    WAITS.store(whether, Ordering::Relaxed);
}

/// Lets threads take rings from now on. In the child of a fork too: what was ready in the parent is not so there.
///
/// Threads that have rings from before take others with their next event, which finds no producer ready. An event that is
/// being written goes to the old ring, so that stays mapped until its thread has ended.
pub fn begin() {
    if let Some(table) = table() {
        table.process.store(std::process::id(), Ordering::Relaxed);
    }
    ready::begin(clock::read(libc::CLOCK_BOOTTIME) | 1);
}

/// The process whose threads take rings.
pub fn process() -> Option<u32> {
    table().map(|table| table.process.load(Ordering::Relaxed))
}

/// Finds the calling thread a ring that nobody has.
pub fn claim() -> Option<&'static Slot> {
    let table = table()?;
    if table.free.load(Ordering::Relaxed) <= 0 {
        return None;
    }
    // A filter of system calls may refuse to tell the numbers, which are errors then: one of them is that of
    // `Owner::Free`.
    let thread = numbers::thread()?;
    let process = numbers::process()?;
    // The child of a vfork has the memory of the thread that waits for it, and ends before that.
    if process != table.process.load(Ordering::Relaxed) {
        return None;
    }
    let mut slots = table.slots.iter();
    let claimed = slots.find(|slot| slot.pass_on(Owner::Free, Owner::Thread(thread)))?;
    table.free.fetch_sub(1, Ordering::Relaxed);
    let head = claimed.memory();
    if WAITS.load(Ordering::Relaxed)
        && let Some(since) = ready::note(thread, clock::OrderedCounter::now)
    {
        // SAFETY: as below.
        unsafe { (*head.add(ring::ORDERED_SINCE)).store(since, Ordering::Relaxed) };
    }
    // SAFETY: the slot is this thread's now, and has a ring.
    unsafe { (*head.add(ring::THREAD)).store(u64::from(thread), Ordering::Release) };
    Some(claimed)
}

impl Slot {
    /// The words of its producer.
    pub fn words(&'static self) -> AnyWords {
        AnyWords::Other(&self.words)
    }

    fn owner(&self, order: Ordering) -> Owner {
        Owner::from_word(self.owner.load(order))
    }

    /// Gives the ring from one owner to another; returns whether it had that.
    fn pass_on(&self, from: Owner, to: Owner) -> bool {
        let (from, to) = (from.to_word(), to.to_word());
        // A look first, as most have another one.
        self.owner.load(Ordering::Relaxed) == from
            && self
                .owner
                .compare_exchange(from, to, Ordering::Acquire, Ordering::Relaxed)
                .is_ok()
    }

    /// Address of the ring's memory.
    fn memory(&self) -> *const AtomicU64 {
        (self.ring.load(Ordering::Relaxed) & !OFFSET) as *const AtomicU64
    }

    /// Opens a producer with the ring.
    ///
    /// # Safety
    /// The ring is the calling thread's, and no other producer has it.
    pub unsafe fn open(&self, producer: Producer<AnyWords>) {
        let log = self.ring.load(Ordering::Relaxed) & OFFSET;
        // SAFETY: what `offer` was promised.
        unsafe { open(producer, self.memory(), log as u32) };
    }
}

/// Bits of an address within a page.
const OFFSET: u64 = PAGE as u64 - 1;

/// Opens a producer with a ring.
///
/// # Safety
/// A ring with `1 << log` blocks is there, for as long as the producer is open, and no other producer has it.
pub unsafe fn open(producer: Producer<AnyWords>, memory: *const AtomicU64, log: u32) {
    // SAFETY: so much is there; atomics may change at any time.
    unsafe {
        let head = std::slice::from_raw_parts(memory, HEAD_WORDS);
        let blocks = memory.byte_add(RING_HEAD_BYTES);
        let blocks = std::slice::from_raw_parts(blocks, RING_BLOCK_WORDS << log);
        producer.open(head, blocks, RING_BLOCK_WORDS);
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
    let index = slots.position(|slot| slot.owner(Ordering::Relaxed) == Owner::Nobody)?;
    let slot = &table.slots[index];
    slot.ring
        .store(memory as u64 | u64::from(log), Ordering::Relaxed);
    slot.owner.store(Owner::Free.to_word(), Ordering::Release);
    table.free.fetch_add(1, Ordering::Relaxed);
    Some(index)
}

/// Takes a ring back that no thread has taken; returns whether that is so.
pub fn withdraw(index: usize) -> bool {
    let Some(table) = table() else { return false };
    let withdrawn = table.slots[index].pass_on(Owner::Free, Owner::Agent);
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
        slot.owner.store(Owner::Nobody.to_word(), Ordering::Release);
    }
}

/// Number of the thread that has a slot's ring, if one has.
pub fn owner(index: usize) -> Option<u32> {
    match table()?.slots[index].owner(Ordering::Acquire) {
        Owner::Thread(thread) => Some(thread),
        Owner::Nobody | Owner::Free | Owner::Agent => None,
    }
}

/// How many rings wait for a thread.
pub fn free() -> usize {
    let free = table().map_or(0, |table| table.free.load(Ordering::Relaxed));
    usize::try_from(free).unwrap_or(0)
}
