//! What a process that is recorded keeps in files, so that they outlive it.
//!
//! Its directory is `PID-START.rings`, beside the sockets or on another file system in memory; the start is
//! as in the name of the socket. In it are
//!
//! | file | content |
//! |---|---|
//! | `process` | chunks, see [`crate::ChunkKind`], appended: the process, then each probe before its first event, snapshots, costs |
//! | `losses` | one page: see [`losses`] |
//! | `for` | if events are kept for a recorder that is expected: the text that it gave |
//! | `NUMBER.ring` | events of one thread: all, as long as no handler interrupts one |
//!
//! Beside the directories lies `total`, one page, see [`total`]: what all recordings of the user take together.
//!
//! A ring file has a head of [`RING_HEAD_BYTES`], of which the first words are those of the crate `ring` and
//! of [`ring`] here, then [`RING_BLOCK_WORDS`] words for each block. All words are little-endian. Whoever reads
//! them believes nothing: the process may have written anything there.

/// Bytes of a ring file before its first block.
pub const RING_HEAD_BYTES: usize = 4096;

/// Words of a block of a ring file.
pub const RING_BLOCK_WORDS: usize = 512;

/// The first word of a ring file that is ready: `PFLRING6`. Its digit changes with that of [`LOSSES_MAGIC`].
pub const RING_MAGIC: u64 = u64::from_le_bytes(*b"PFLRING6");

/// The first word of `losses`: `PFLLOSS5`. Its digit changes when an older reader would miscount.
pub const LOSSES_MAGIC: u64 = u64::from_le_bytes(*b"PFLLOSS5");

/// How the directory's name ends.
pub const RINGS_SUFFIX: &str = ".rings";

/// How the name of a ring file ends.
pub const RING_SUFFIX: &str = ".ring";

/// The file of chunks.
pub const PROCESS_FILE: &str = "process";

/// The file that says for whom events are kept from the start.
pub const FOR_FILE: &str = "for";

/// The file of losses.
pub const LOSSES_FILE: &str = "losses";

/// The first word of `total`: `PFLTOTL1`.
pub const TOTAL_MAGIC: u64 = u64::from_le_bytes(*b"PFLTOTL1");

/// The file of what all recordings of a user take.
pub const TOTAL_FILE: &str = "total";

/// Most bytes of a text in an event; of longer ones, and of some where a record has no room for all, the first bytes are
/// kept, and the event is marked as cut.
pub const LONGEST_TEXT: usize = 128;

/// Word that stands for a null pointer instead of a text's length.
pub const NULL_TEXT: u64 = u64::MAX;

/// Words of a ring file's head, beside those that the crate `ring` names.
pub mod ring {
    /// [`super::RING_MAGIC`], once the rest is there.
    pub const MAGIC: usize = 0;
    /// Number of blocks.
    pub const BLOCKS: usize = 1;
    /// Number of the thread whose events these are, as the kernel has it; 0 as long as none has.
    pub const THREAD: usize = 2;
    /// 1 when the thread has ended: no more events come.
    pub const ENDED: usize = 3;
    /// The thread's name, 16 bytes with zeros at the end, written some time after the first event.
    pub const NAME: usize = 4;
    /// When the thread started, in clock ticks since boot; 0 as long as nobody looked.
    pub const START: usize = 6;
    /// 1 when a recorder has read all of a thread that has ended, besides what the process had recorded on its own before:
    /// the agent may remove the file, at once if there is nothing of the latter.
    pub const DRAINED: usize = 18;
    /// Events that had found a place when the recorder came that keeps events now, or did last.
    pub const BEFORE_KEPT: usize = 24;
    /// Events that were dropped before it came.
    pub const DROPPED_BEFORE_KEPT: usize = 25;
    /// Events that had found a place when the newest events began to take the place of the oldest, for the last time.
    /// An agent that lets a recorder go writes this before it changes the mode.
    pub const BEFORE_OVERWRITTEN: usize = 26;
    /// Those of the events up to [`BEFORE_KEPT`] that the process did not record on its own: they came before it began
    /// to, or while earlier recorders were there.
    pub const OTHERS_BEFORE_KEPT: usize = 27;
    /// The same as [`BEFORE_OVERWRITTEN`] of events that were dropped. A thread may be about to count one when a
    /// recorder goes.
    pub const DROPPED_BEFORE_OVERWRITTEN: usize = 28;
    /// The same as [`OTHERS_BEFORE_KEPT`] of events that were dropped.
    pub const DROPPED_OTHERS_BEFORE_KEPT: usize = 29;
    /// The time from which on all threads of the process read the clock when all is done that comes before an event, by
    /// that clock; 0 if there were no others when this ring's thread took it.
    pub const ORDERED_SINCE: usize = 30;
    /// Recorders before the last one that had events of this thread, since the process began to record on its own.
    pub const EARLIER: usize = 31;
    /// Of each of the newest of them, in turn: the number of the first event that it had, and that of the first one after
    /// it had gone.
    pub const EARLIER_EVENTS: core::ops::Range<usize> = 32..64;
}

/// Words of `losses`.
pub mod losses {
    /// [`super::LOSSES_MAGIC`].
    pub const MAGIC: usize = 0;
    /// Events for which there was no ring, and no memory for one; and those of threads that had ended, whose rings made
    /// room for others before anybody read them.
    pub const NO_RING: usize = 1;
    /// Events of children that have no rings at all, as no agent could be started there.
    pub const UNREACHED: usize = 2;
    /// Events of threads that came before a ring was made for them, though there was memory.
    pub const LATE: usize = 3;
    /// Recorders that the process has let go, once all is written that tells their events from others.
    pub const LET_GO: usize = 7;
    /// [`COUNTS`] when the recorder came that keeps events now, or did last.
    pub const BEFORE_KEPT: [usize; 3] = [4, 5, 6];
    /// [`COUNTS`] when the newest events began to take the place of the oldest, for the last time.
    pub const BEFORE_OVERWRITTEN: [usize; 3] = [24, 25, 26];
    /// Those of the counts up to [`BEFORE_KEPT`] that are none of the losses of the process's own recording.
    pub const OTHERS_BEFORE_KEPT: [usize; 3] = [27, 28, 29];
    /// Events that the process had recorded on its own, of threads that had ended, whose rings made room for others while
    /// a recorder was there. The recorder does not count them as lost; `recover` does.
    pub const OWN_REUSED: usize = 30;
    /// 1 once the process has recorded on its own.
    pub const HAS_OWN: usize = 31;
    /// The [`number`](crate::Trigger::number) of the last event that came to stop a recording.
    pub const TRIGGER: usize = 32;
    /// Nanoseconds, since the recorder came that keeps events now or did last, in which a filter left out events that
    /// were more than it may take in a second. Counted in steps of some milliseconds.
    pub const LIMITED: usize = 33;
    /// 1 if the agent knows filters, before [`MAGIC`] is there. One that does not know them ignores the filter of its
    /// environment.
    pub const KNOWS_FILTERS: usize = 34;
    /// All counts. They only grow.
    pub const COUNTS: [usize; 3] = [NO_RING, UNREACHED, LATE];
    /// Numbers of such children, the first ones of a recording; 0 behind the last.
    pub const CHILDREN: core::ops::Range<usize> = 8..24;
}

/// Words of `total`.
pub mod total {
    /// [`super::TOTAL_MAGIC`].
    pub const MAGIC: usize = 0;
    /// Bytes of the files that were there when they were counted last, and of what was made since then.
    pub const BYTES: usize = 1;
    /// Recordings of dead processes that were removed, as the memory was needed.
    pub const PROCESSES: usize = 2;
    /// Events that were in these.
    pub const EVENTS: usize = 3;
    /// When the bytes were counted last, in nanoseconds since boot.
    pub const COUNTED: usize = 4;
    /// Goes up with each recording that is looked at or removed by whoever counts.
    pub const STEPS: usize = 5;
}
