//! Which thread writes to which ring.
//!
//! The agent prepares rings and puts them into slots; a thread takes one with its first event and keeps its
//! address in its own memory. All slots lie in one mapping that is empty in the child of a fork
//! (`MADV_WIPEONFORK`), however the fork was made: a child never writes to its parent's rings.
#![expect(
    unsafe_code,
    reason = "memory that handlers of any thread come to, and a word of each thread's own"
)]

use std::io;
use std::sync::atomic::{AtomicI64, AtomicPtr, AtomicU32, AtomicU64, Ordering};

use perflab_probe_abi::recording::{RING_BLOCK_WORDS, RING_HEAD_BYTES, ring};
use perflab_ring::{HEAD_WORDS, Producer};

/// Rings of a process at one time.
pub const SLOTS: usize = 4096;

/// Binary logarithm of the most blocks of a ring.
pub const MOST_LOG: u64 = 16;

/// Owner of a slot with a ring that nobody has taken.
const FREE: u32 = u32::MAX;

/// Owner of a slot that the agent takes back.
const TAKEN: u32 = u32::MAX - 1;

/// One ring.
#[repr(C)]
#[derive(Debug)]
struct Slot {
    /// Address of its memory, which is whole pages, plus the binary logarithm of the number of its blocks; 0
    /// if there is none.
    ring: AtomicU64,
    /// Number of the thread that has it, [`FREE`], [`TAKEN`], or 0 if there is none.
    owner: AtomicU32,
}

#[repr(C)]
struct Table {
    /// Address of the word that counts events without a ring; 0 if there is none.
    losses: AtomicU64,
    /// How many slots are [`FREE`], about.
    free: AtomicI64,
    slots: [Slot; SLOTS],
}

static TABLE: AtomicPtr<Table> = AtomicPtr::new(std::ptr::null_mut());

// One word for each thread: the address of its slot, or 0. Rust's own thread-locals of a shared object call a
// function that may allocate, in the first event of a thread, which may be in a signal handler.
std::arch::global_asm!(
    ".pushsection .tbss.perflab_thread_slot,\"awT\",@nobits",
    ".globl perflab_thread_slot",
    ".hidden perflab_thread_slot",
    ".type perflab_thread_slot,@tls_object",
    ".size perflab_thread_slot, 8",
    ".balign 8",
    "perflab_thread_slot: .zero 8",
    ".popsection",
);

#[inline(always)]
fn thread_slot() -> *const Slot {
    let slot: u64;
    // SAFETY: the word is defined above; its place from the thread pointer is known when the program starts.
    unsafe {
        std::arch::asm!(
            "mov {slot}, qword ptr [rip + perflab_thread_slot@GOTTPOFF]",
            "mov {slot}, qword ptr fs:[{slot}]",
            slot = out(reg) slot,
            options(nostack, preserves_flags, readonly),
        );
    }
    slot as *const Slot
}

fn set_thread_slot(slot: *const Slot) {
    // SAFETY: as above.
    unsafe {
        std::arch::asm!(
            "mov {place}, qword ptr [rip + perflab_thread_slot@GOTTPOFF]",
            "mov qword ptr fs:[{place}], {slot}",
            place = out(reg) _,
            slot = in(reg) slot as u64,
            options(nostack, preserves_flags),
        );
    }
}

/// Memory of a ring as words of its head, and of its blocks; nothing if the number, as [`Slot::ring`] has it, is
/// no ring's.
///
/// # Safety
/// If the number is that of a ring, the memory of a file with so many blocks is mapped there, and stays.
#[inline(always)]
unsafe fn producer(ring: u64) -> Option<Producer<'static>> {
    let base = (ring & !0xfff) as *const AtomicU64;
    let log = ring & 0xfff;
    if !(1..=MOST_LOG).contains(&log) {
        return None;
    }
    let words = RING_BLOCK_WORDS << log;
    // SAFETY: what the caller promises; atomics may change at any time.
    unsafe {
        let head = std::slice::from_raw_parts(base, HEAD_WORDS);
        let blocks = std::slice::from_raw_parts(base.byte_add(RING_HEAD_BYTES), words);
        Producer::new(head, blocks, RING_BLOCK_WORDS)
    }
}

/// The ring of the calling thread, if it has one.
#[inline(always)]
pub fn current() -> Option<Producer<'static>> {
    let slot = thread_slot();
    if slot.is_null() {
        return None;
    }
    // SAFETY: slots stay for as long as the process, and a ring in one for as long as its thread.
    unsafe { producer((*slot).ring.load(Ordering::Relaxed)) }
}

/// Gives the calling thread a ring that nobody has; returns whether there was one. Else an event is lost, which is
/// counted.
pub fn claim() -> bool {
    let Some(table) = table() else { return false };
    if table.free.load(Ordering::Relaxed) > 0 {
        // SAFETY: it cannot fail.
        let thread = unsafe { libc::gettid() } as u32;
        for slot in &table.slots {
            let claimed = slot.owner.load(Ordering::Relaxed) == FREE
                && slot
                    .owner
                    .compare_exchange(FREE, thread, Ordering::Acquire, Ordering::Relaxed)
                    .is_ok();
            if claimed {
                table.free.fetch_sub(1, Ordering::Relaxed);
                let memory = slot.ring.load(Ordering::Relaxed);
                let base = (memory & !0xfff) as *const AtomicU64;
                // SAFETY: the slot is this thread's now, and has a ring.
                unsafe {
                    (*base.add(ring::THREAD)).store(u64::from(thread), Ordering::Release);
                }
                set_thread_slot(slot);
                return true;
            }
        }
    }
    lose();
    false
}

/// Counts an event that has no ring.
#[cold]
pub fn lose() {
    let losses = table().map_or(0, |table| table.losses.load(Ordering::Acquire));
    if losses != 0 {
        // SAFETY: `set_losses` put a word there that stays.
        unsafe { (*(losses as *const AtomicU64)).fetch_add(1, Ordering::Relaxed) };
    }
}

/// Gives the calling thread a ring of its own until [`forget`], to see what an event costs.
///
/// # Safety
/// As for [`offer`]; it stays until then, and no other thread has one.
pub unsafe fn use_private(address: u64, log: u32) {
    static PRIVATE: Slot = Slot {
        ring: AtomicU64::new(0),
        owner: AtomicU32::new(TAKEN),
    };
    PRIVATE
        .ring
        .store(address | u64::from(log), Ordering::Relaxed);
    set_thread_slot(&raw const PRIVATE);
}

/// The calling thread has no ring any more: it is another one, the child of a fork.
pub fn forget() {
    set_thread_slot(std::ptr::null());
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
    if table().is_some() {
        return Ok(());
    }
    let size = size_of::<Table>();
    // SAFETY: new memory, which only this module uses.
    unsafe {
        let memory = libc::mmap(
            std::ptr::null_mut(),
            size,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        );
        if memory == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        if libc::madvise(memory, size, libc::MADV_WIPEONFORK) != 0 {
            let error = io::Error::last_os_error();
            libc::munmap(memory, size);
            return Err(error);
        }
        TABLE.store(memory.cast(), Ordering::Release);
    }
    Ok(())
}

/// Where events without a ring are counted.
///
/// # Safety
/// The word stays for as long as the process.
pub unsafe fn set_losses(word: *const AtomicU64) {
    if let Some(table) = table() {
        table.losses.store(word as u64, Ordering::Release);
    }
}

/// Puts a ring into a slot, for a thread to take; nothing if no slot is empty.
///
/// # Safety
/// A ring file with `1 << log` blocks is mapped at this address, which is a page's, and stays until the slot
/// is empty again.
pub unsafe fn offer(address: u64, log: u32) -> Option<usize> {
    let table = table()?;
    let mut slots = table.slots.iter();
    let index = slots.position(|slot| slot.owner.load(Ordering::Relaxed) == 0)?;
    let slot = &table.slots[index];
    slot.ring.store(address | u64::from(log), Ordering::Relaxed);
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
        table.slots[index].ring.store(0, Ordering::Relaxed);
        table.slots[index].owner.store(0, Ordering::Release);
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
