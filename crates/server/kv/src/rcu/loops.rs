//! The loops that are measured: those of liburcu's own benchmark, `test_urcu`. The same in C are in `bench/rcu/loop.c`.
//!
//! A reader enters a section, loads the pointer, compares what it finds, leaves, counts in a word of memory, and looks
//! whether it is time to end. A writer allocates, exchanges the pointer, waits for a grace period, overwrites and
//! frees.

use std::fmt;
use std::hint::black_box;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use perflab_rcu::{Flavour, Guarded, Reader, Refused};

use super::layout::{LAYOUTS, pad};

/// The value of an object in use. A freed object has 0.
const VALUE: u32 = 8;

/// Time between two looks whether all readers are there.
const LOOK: Duration = Duration::from_millis(1);

/// The object to which the pointer leads.
#[derive(Debug)]
struct Object(u32);

/// The value of an object that was freed while a reader could see it.
#[derive(Debug)]
pub struct Freed(pub u32);

impl Freed {
    /// Ends the thread's work. It is no panic, so only the one who waits for the thread reports it.
    #[cold]
    #[inline(never)]
    pub fn unwind(self) -> ! {
        resume_unwind(Box::new(self))
    }
}

impl fmt::Display for Freed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(value) = self;
        write!(
            formatter,
            "a reader found {value} where {VALUE} belongs: the object was freed"
        )
    }
}

/// A value that has its lines to itself. Processors fetch lines in pairs.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Apart<T>(T);

/// State that the threads of a measurement share.
pub struct Shared<F: Flavour> {
    pointer: Apart<Guarded<Object, F>>,
    ends: Apart<AtomicBool>,
    /// Whether the loops are to end, for threads that sleep.
    ended: (Mutex<bool>, Condvar),
    /// Threads that are about to begin their loop.
    begun: Apart<AtomicUsize>,
    /// Whether writers may begin.
    goes: AtomicBool,
    reads: Vec<Apart<AtomicU64>>,
    writes: Vec<Apart<AtomicU64>>,
}

/// The loop of a reader, at one of the places in memory. It ends at the flag, and counts in a word that nobody else
/// writes; after `mask` + 1 reads it announces a quiescent state.
type Read<F> = fn(&mut Reader<F>, &Guarded<Object, F>, &AtomicBool, &AtomicU64, u64);

/// The loop of a reader at each place.
fn read_loops<F: Flavour>() -> [Read<F>; LAYOUTS] {
    [
        read::<F, 0>,
        read::<F, 16>,
        read::<F, 32>,
        read::<F, 48>,
        read::<F, 64>,
        read::<F, 80>,
        read::<F, 96>,
        read::<F, 112>,
    ]
}

#[inline(never)]
fn read<F: Flavour, const PAD: usize>(
    reader: &mut Reader<F>,
    pointer: &Guarded<Object, F>,
    ends: &AtomicBool,
    count: &AtomicU64,
    mask: u64,
) {
    pad::<PAD>();
    loop {
        let section = reader.enter();
        let found = pointer.load(&section).map_or(VALUE, |object| object.0);
        drop(section);
        // Not in the section: what may unwind there makes the compiler keep the section in memory.
        if found != VALUE {
            Freed(found).unwind();
        }
        // One addition to memory: nobody else writes there.
        let reads = count.load(Ordering::Relaxed) + 1;
        count.store(reads, Ordering::Relaxed);
        // Nothing at all for a flavour without quiescent states.
        if reads & mask == 0 {
            reader.quiescent();
        }
        if ends.load(Ordering::Relaxed) {
            break;
        }
    }
}

/// The loop of a writer. A write counts if it has ended before the flag. `pause` comes after each write.
#[inline(never)]
fn write<F: Flavour, const IS_WATCHED: bool>(
    pointer: &Guarded<Object, F>,
    ends: &AtomicBool,
    count: &AtomicU64,
    pause: &impl Fn(),
) -> Result<(), Refused> {
    loop {
        let Some(old) = pointer.swap(Some(Box::new(Object(VALUE)))) else {
            continue;
        };
        let old = if IS_WATCHED {
            old.after_grace_period()
        } else {
            old.after_unwatched_grace_period()
        };
        let mut old = old.map_err(|(refused, _)| refused)?;
        *old = Object(0);
        // The compiler would leave out a store to memory that is freed.
        drop(black_box(old));
        if ends.load(Ordering::Relaxed) {
            return Ok(());
        }
        count.fetch_add(1, Ordering::Relaxed);
        pause();
    }
}

impl<F: Flavour> Shared<F> {
    /// For these numbers of threads.
    pub fn new(readers: usize, writers: usize) -> Self {
        let words = |threads: usize| -> Vec<Apart<AtomicU64>> {
            (0..threads).map(|_| Apart::default()).collect()
        };
        Self {
            pointer: Apart(Guarded::new(Box::new(Object(VALUE)))),
            ends: Apart::default(),
            ended: (Mutex::new(false), Condvar::new()),
            begun: Apart::default(),
            goes: AtomicBool::new(false),
            reads: words(readers),
            writes: words(writers),
        }
    }

    /// Reads until the end, as the reader of this number.
    pub fn read(&self, reader: &mut Reader<F>, number: usize, layout: usize, quiescent_every: u64) {
        self.gather();
        let read = read_loops::<F>()[layout];
        let count = &self.reads[number].0;
        read(
            reader,
            &self.pointer.0,
            &self.ends.0,
            count,
            quiescent_every - 1,
        );
    }

    /// Sleeps until all readers are there, or until the end. Those that read would keep the others from the CPUs.
    fn gather(&self) {
        self.begun.0.fetch_add(1, Ordering::Relaxed);
        // No condition variable: threads that have it leave one after the other.
        while !self.has_begun(self.reads.len()) && !self.has_ended() {
            std::thread::sleep(LOOK);
        }
    }

    /// Waits until writers may begin, and writes until the end, as the writer of this number. It sleeps for the pause
    /// after each write.
    ///
    /// # Errors
    /// If the flavour refuses this thread a grace period.
    pub fn write(
        &self,
        number: usize,
        is_watched: bool,
        pause: Option<Duration>,
    ) -> Result<(), Refused> {
        self.begun.0.fetch_add(1, Ordering::Relaxed);
        while !self.goes.load(Ordering::Acquire) && !self.has_ended() {
            std::thread::yield_now();
        }
        let count = &self.writes[number].0;
        let pause = || {
            if let Some(time) = pause {
                self.pause(time);
            }
        };
        if is_watched {
            write::<F, true>(&self.pointer.0, &self.ends.0, count, &pause)
        } else {
            write::<F, false>(&self.pointer.0, &self.ends.0, count, &pause)
        }
    }

    /// Whether this number of threads are in their loops, or about to be.
    pub fn has_begun(&self, threads: usize) -> bool {
        self.begun.0.load(Ordering::Relaxed) >= threads
    }

    /// Lets writers begin.
    pub fn go(&self) {
        self.goes.store(true, Ordering::Release);
    }

    /// Ends all loops.
    pub fn end(&self) {
        self.ends.0.store(true, Ordering::Relaxed);
        let (ended, wakes) = &self.ended;
        *ended.lock().unwrap_or_else(PoisonError::into_inner) = true;
        wakes.notify_all();
    }

    /// Sleeps for a time, or until the end.
    fn pause(&self, time: Duration) {
        let (ended, wakes) = &self.ended;
        let ended = ended.lock().unwrap_or_else(PoisonError::into_inner);
        drop(wakes.wait_timeout_while(ended, time, |ended| !*ended));
    }

    /// Whether the loops are to end.
    pub fn has_ended(&self) -> bool {
        self.ends.0.load(Ordering::Relaxed)
    }

    /// Reads until now, of all readers.
    pub fn reads(&self) -> u64 {
        total(&self.reads)
    }

    /// Writes until now, of all writers.
    pub fn writes(&self) -> u64 {
        total(&self.writes)
    }
}

fn total(counts: &[Apart<AtomicU64>]) -> u64 {
    counts
        .iter()
        .map(|count| count.0.load(Ordering::Relaxed))
        .sum()
}
