//! The state of a flavour's domain that is ours: its counters, its times, and the list of its readers.
//!
//! The list is there so that a thread that holds grace periods up can be named. Joining and leaving take its lock, so
//! whoever has it may look at the words of a reader that is listed while its thread lives.
#![expect(
    unsafe_code,
    reason = "readers of every flavour are in lists of one type"
)]

use std::cell::Cell;
use std::mem::MaybeUninit;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use perflab_histogram::{Durations, Histogram};

use crate::counts::Counters;
use crate::evidence::Sign;
use crate::flavour::Flavour;
use crate::grace::Grace;
use crate::own::atomic::Mutex;
use crate::synchronize::Running;
use crate::threads::Thread;

/// Bytes of [`Flavour::Place`] at most.
pub const PLACE_BYTES: usize = size_of::<Words>();

type Words = [u64; 4];

/// The state of a flavour's domain that is ours.
#[derive(Debug)]
pub struct DomainState {
    name: &'static str,
    counters: Counters,
    readers: Mutex<Vec<Listed>>,
    /// A bit of `READS`, chosen when it is needed.
    bit: OnceLock<u64>,
    pub(crate) durations: Histogram,
    pub(crate) running: Running,
    pub(crate) grace: Grace,
}

thread_local! {
    /// The flavours of which the thread is a reader, a bit for each.
    static READS: Cell<u64> = const { Cell::new(0) };
}

/// The next domain's bit of `READS`.
static NEXT_BIT: AtomicU32 = AtomicU32::new(0);

/// A reader, as others know it.
#[derive(Debug)]
struct Listed {
    thread: Thread,
    place: AnyPlace,
    /// How it holds a grace period up, if it does.
    holder: Holder,
    holds_up: unsafe fn(AnyPlace) -> bool,
    bury: unsafe fn(AnyPlace) -> bool,
}

/// A copy of a [`Flavour::Place`], whose type is known by the functions that are listed with it.
#[derive(Debug, Clone, Copy)]
struct AnyPlace(MaybeUninit<Words>);

/// The result of a look at a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// No grace period waits for it.
    Goes,
    /// A grace period waits for it.
    HoldsUp(Holder),
    /// Its thread ended without leaving. It is no reader any more.
    Buried,
    /// Its thread ended without leaving, and the library waits for it for ever.
    Lost,
}

/// A reader for which a grace period waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holder {
    /// It is in a section since before the grace period began.
    InSection,
    /// It is online, and has announced no quiescent state since before the grace period began.
    Online,
}

impl DomainState {
    /// A domain of this name without readers.
    pub const fn new(name: &'static str) -> Self {
        Self {
            name,
            counters: Counters::new(),
            readers: Mutex::new(Vec::new()),
            bit: OnceLock::new(),
            durations: Histogram::new(),
            running: Running::new(),
            grace: Grace::new(),
        }
    }

    /// Its name. Views of one library have the library's.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Its counters.
    pub(crate) fn counters(&self) -> &Counters {
        &self.counters
    }

    /// How long grace periods took, but for those of
    /// [`synchronize_unwatched`](crate::synchronize_unwatched).
    pub fn durations(&self) -> Durations {
        self.durations.durations()
    }

    /// How many readers there are.
    pub fn readers(&self) -> usize {
        self.readers.lock().len()
    }

    /// Since when the oldest grace period runs that has not ended, in ns as of `now_ns`.
    pub(crate) fn waits_since(&self) -> Option<u64> {
        self.running.oldest()
    }

    /// Whether the calling thread is a reader.
    pub(crate) fn is_read_here(&self) -> bool {
        READS.get() & self.bit() != 0
    }

    fn bit(&self) -> u64 {
        *self.bit.get_or_init(|| {
            let number = NEXT_BIT.fetch_add(1, Ordering::Relaxed);
            1u64.checked_shl(number)
                .expect("a process has no more than 64 flavours")
        })
    }

    /// Looks at each reader.
    pub(crate) fn look(&self) -> Vec<(Thread, Found)> {
        let readers = self.readers.lock();
        readers
            .iter()
            .map(|reader| (reader.thread, reader.look()))
            .collect()
    }

    /// The same, but a reader whose thread has ended is buried, if its flavour can do that, and unlisted. Only the watch
    /// does so, as it reports the reader.
    pub(crate) fn look_and_bury(&self) -> Vec<(Thread, Found)> {
        let mut found = Vec::new();
        self.readers.lock().retain(|reader| {
            let state = match reader.look() {
                Found::Lost if reader.bury() => Found::Buried,
                state => state,
            };
            found.push((reader.thread, state));
            state != Found::Buried
        });
        found
    }

    /// Lists the calling thread as a reader, with the place that it got when it joined.
    pub(crate) fn list<F: Flavour>(&self, thread: Thread, place: F::Place) {
        self.readers.lock().push(Listed {
            thread,
            place: AnyPlace::new::<F>(place),
            holder: match F::SIGN {
                Sign::States => Holder::Online,
                _ => Holder::InSection,
            },
            holds_up: holds_up::<F>,
            bury: bury::<F>,
        });
        READS.set(READS.get() | self.bit());
    }

    /// The calling thread is listed no more.
    pub(crate) fn unlist(&self, thread: Thread) {
        self.readers.lock().retain(|reader| reader.thread != thread);
        self.forget_here();
    }

    /// The calling thread counts as no reader. Takes no lock: another thread may have held it at a fork.
    pub(crate) fn forget_here(&self) {
        READS.set(READS.get() & !self.bit());
    }
}

impl Listed {
    /// The list is locked while it is called.
    fn look(&self) -> Found {
        if self.thread.is_alive() {
            // SAFETY: the place was listed together with this function. The lock keeps the thread from leaving, and it
            // lives until it has left, as `Flavour::join` was promised. Only unsafe code can end a thread before, by a
            // system call of its own. Its variables then stay as long as nobody joins it.
            let holds_up = unsafe { (self.holds_up)(self.place) };
            return if holds_up {
                Found::HoldsUp(self.holder)
            } else {
                Found::Goes
            };
        }
        Found::Lost
    }

    /// Gives back what the reader had, whose thread was lost. False if its flavour cannot do that.
    fn bury(&self) -> bool {
        // SAFETY: the place was listed together with this function, and the thread runs no more.
        unsafe { (self.bury)(self.place) }
    }
}

impl AnyPlace {
    fn new<F: Flavour>(place: F::Place) -> Self {
        const {
            assert!(size_of::<F::Place>() <= PLACE_BYTES);
            assert!(align_of::<F::Place>() <= align_of::<Words>());
        }
        let mut words = MaybeUninit::<Words>::uninit();
        // SAFETY: the place fits in, as was just asserted.
        unsafe { words.as_mut_ptr().cast::<F::Place>().write(place) };
        Self(words)
    }

    /// # Safety
    /// It was made for this flavour.
    unsafe fn get<F: Flavour>(&self) -> F::Place {
        // SAFETY: `new` wrote one, which may be copied.
        unsafe { self.0.as_ptr().cast::<F::Place>().read() }
    }
}

/// # Safety
/// As of [`Flavour::holds_up`], of which this is the place.
unsafe fn holds_up<F: Flavour>(place: AnyPlace) -> bool {
    // SAFETY: as the caller promises.
    unsafe { F::holds_up(&place.get::<F>()) }
}

/// # Safety
/// As of [`Flavour::bury`], of which this is the place.
unsafe fn bury<F: Flavour>(place: AnyPlace) -> bool {
    // SAFETY: as the caller promises.
    unsafe { F::bury(&place.get::<F>()) }
}
