//! What all threads of a log share, and how they wait for each other.
//!
//! Positions count the bytes of all blocks since the log was opened, as the blocks are in a file. Blocks pass three of
//! them, in this order: `appended`, `written`, `synced`. A rewrite changes where a position is in the file, and no
//! position.
//!
//! The mutex is held for a copy or a few additions, never during input or output. Whoever writes to the file takes
//! [`State::taken`] out of the state meanwhile, so that there is one writer at a time: see [`turn`](crate::turn).

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::ages::Ages;
use crate::batch::Batch;
use crate::failure::Failure;
use crate::medium::Medium;
use crate::place::Place;
use crate::policy::Policy;

/// How many bytes may wait to be written before appending waits, too.
pub(crate) const MAX_PENDING_BYTES: u64 = 64 << 20;

/// How long the sync of each second may take before appending waits for it. Redis has the same limit.
pub(crate) const MAX_SYNC: Duration = Duration::from_secs(2);

/// What all threads of a log share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub place: Place,
    pub policy: Policy,
    state: Mutex<State>,
    /// A turn has ended.
    turned: Condvar,
    /// There is room again, or a failure.
    room: Condvar,
    /// There is something to write, or the log is being closed. One thread waits for it.
    pub work: Condvar,
    /// The log is being closed. One thread waits for it.
    pub closing: Condvar,
    /// One sync at a time.
    pub sync: Mutex<()>,
}

/// What the mutex guards.
#[derive(Debug)]
pub(crate) struct State {
    /// Blocks that nobody has taken to write them.
    pub batch: Batch,
    /// Position behind the last block that was appended.
    pub appended: u64,
    /// Position behind the last block that is written.
    pub written: u64,
    /// Position behind the last block that outlasts a power failure.
    pub synced: u64,
    /// The file that blocks go to.
    pub file: OpenFile,
    /// Blocks that somebody took and that are not written yet. `None` while it is somebody's turn.
    pub taken: Option<Batch>,
    /// Why no blocks are taken.
    pub failure: Option<Failure>,
    /// The last failure, also if it is over.
    pub last_failure: Option<Failure>,
    /// How old the blocks are that are not on the disk.
    pub ages: Ages,
    /// When the sync began that is in progress.
    pub sync_began: Option<Instant>,
    /// How long the last sync took.
    pub last_sync: Option<Duration>,
    /// How many syncs there were.
    pub syncs: u64,
    /// How many blocks had to wait for room.
    pub delayed: u64,
    /// Whether the thread that writes waits for work.
    pub is_writer_idle: bool,
    /// Whether a new file is being written.
    pub is_rewriting: bool,
    /// Whether the threads of the log are to end.
    pub is_closing: bool,
    waiting_for_turn: u32,
    waiting_for_room: u32,
}

/// A file, and which of its offsets is which position.
#[derive(Clone, Debug)]
pub(crate) struct OpenFile {
    pub medium: Arc<dyn Medium>,
    /// How many files the log had before.
    pub number: u32,
    /// Its length as blocks began to be appended, in bytes.
    pub base: u64,
    /// The position that is at this offset.
    pub position: u64,
    /// What tells its blocks from those of other files.
    pub salt: u64,
}

impl OpenFile {
    /// Where a position is, from that of the base on.
    pub fn offset(&self, position: u64) -> u64 {
        self.base + (position - self.position)
    }
}

impl Shared {
    pub fn new(
        place: Place,
        policy: Policy,
        medium: Arc<dyn Medium>,
        salt: u64,
        base: u64,
    ) -> Self {
        let file = OpenFile {
            medium,
            number: 0,
            base,
            position: 0,
            salt,
        };
        Self {
            place,
            policy,
            state: Mutex::new(State::new(file)),
            turned: Condvar::new(),
            room: Condvar::new(),
            work: Condvar::new(),
            closing: Condvar::new(),
            sync: Mutex::new(()),
        }
    }

    /// Locks the state. Nothing panics in the middle of a change of it.
    pub fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until a turn has ended.
    pub fn wait_for_turn<'s>(&'s self, mut state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        state.waiting_for_turn += 1;
        let state = self.turned.wait(state);
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        state.waiting_for_turn -= 1;
        state
    }

    /// Waits until somebody has written or synced.
    pub fn wait_for_room<'s>(&'s self, mut state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        state.waiting_for_room += 1;
        let state = self.room.wait(state);
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        state.waiting_for_room -= 1;
        state
    }

    /// Wakes those who wait for a turn. A call that wakes nobody would be a system call, too.
    pub fn tell_turned(&self, state: &State) {
        if state.waiting_for_turn > 0 {
            self.turned.notify_all();
        }
    }

    /// Wakes those who wait for room.
    pub fn tell_room(&self, state: &State) {
        if state.waiting_for_room > 0 {
            self.room.notify_all();
        }
    }
}

impl State {
    fn new(file: OpenFile) -> Self {
        Self {
            batch: Batch::default(),
            appended: 0,
            written: 0,
            synced: 0,
            file,
            taken: Some(Batch::default()),
            failure: None,
            last_failure: None,
            ages: Ages::default(),
            sync_began: None,
            last_sync: None,
            syncs: 0,
            delayed: 0,
            is_writer_idle: false,
            is_rewriting: false,
            is_closing: false,
            waiting_for_turn: 0,
            waiting_for_room: 0,
        }
    }

    /// How many bytes are not written.
    pub fn pending(&self) -> u64 {
        self.appended - self.written
    }

    /// Whether appending has to wait, as the disk does not keep up.
    pub fn is_held_up(&self, policy: Policy) -> bool {
        let is_late = |began: Instant| began.elapsed() > MAX_SYNC;
        self.pending() > MAX_PENDING_BYTES
            || policy == Policy::EverySecond && self.sync_began.is_some_and(is_late)
    }

    /// Notes a failure. One that is final stays.
    pub fn fail(&mut self, failure: &Failure) {
        self.last_failure = Some(failure.clone());
        if self.check_final().is_ok() {
            self.failure = Some(failure.clone());
        }
    }

    /// Blocks can be written again. A failure that is final stays.
    pub fn recover(&mut self) {
        self.failure = self.failure.take().filter(Failure::is_final);
    }

    /// The failure, if it is final.
    pub fn check_final(&self) -> Result<(), Failure> {
        let failure = self.failure.clone().filter(Failure::is_final);
        failure.map_or(Ok(()), Err)
    }
}
