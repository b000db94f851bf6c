//! The file of one thread's events.

use std::io::{self, Write};
use std::sync::atomic::Ordering;

use perflab_abi::ThreadContent;
use perflab_abi::recording::{RING_BLOCK_WORDS, RING_HEAD_BYTES, RING_MAGIC, ring};
use perflab_ring::{BLOCK_HEAD, Block, MOST_EVENTS, Mode, Position, Reader, word};
use perflab_trace_file::TraceWriter;

use crate::directory::Directory;
use crate::mapping::{Access, Mapping};

/// Blocks of the largest ring that is read.
const MOST_BLOCKS: usize = 1 << 16;

/// Words of a ring file before its first block.
const HEAD: usize = RING_HEAD_BYTES / size_of::<u64>();

/// Bytes of a block.
const BLOCK_BYTES: usize = RING_BLOCK_WORDS * size_of::<u64>();

/// Words of its head that are numbers of events, besides those of earlier recorders.
const COUNTS: [usize; 7] = [
    word::DROPPED,
    ring::BEFORE_KEPT,
    ring::DROPPED_BEFORE_KEPT,
    ring::BEFORE_OVERWRITTEN,
    ring::OTHERS_BEFORE_KEPT,
    ring::DROPPED_BEFORE_OVERWRITTEN,
    ring::DROPPED_OTHERS_BEFORE_KEPT,
];

/// The copy of a block, for all rings.
pub type BlockCopy = [u64; RING_BLOCK_WORDS];

/// A ring file. Nothing in it is believed.
#[derive(Debug)]
pub struct RingFile {
    number: u32,
    mapping: Mapping,
    /// What was said of the thread.
    thread: Option<(u32, [u8; 16])>,
}

impl RingFile {
    /// Opens a ring file; nothing if it is not ready yet.
    ///
    /// # Errors
    /// When it is no ring file of the directory's owner.
    pub fn open(
        directory: &Directory,
        name: &str,
        number: u32,
        access: Access,
    ) -> io::Result<Option<Self>> {
        let file = directory.file(name, access)?;
        let bytes = usize::try_from(file.metadata()?.len()).unwrap_or(usize::MAX);
        if bytes == 0 {
            return Ok(None);
        }
        let blocks = bytes.saturating_sub(RING_HEAD_BYTES) / BLOCK_BYTES;
        let fits = (2..=MOST_BLOCKS).contains(&blocks) && blocks.is_power_of_two();
        if !fits || RING_HEAD_BYTES + blocks * BLOCK_BYTES != bytes {
            return Err(io::Error::other(format!(
                "a ring file has {RING_HEAD_BYTES} bytes and 2 to {MOST_BLOCKS} blocks (a power of two) of \
                 {BLOCK_BYTES} bytes, this one has {bytes} bytes"
            )));
        }
        let mapping = Mapping::of(&file, HEAD + blocks * RING_BLOCK_WORDS, access)?;
        let ring = Self {
            number,
            mapping,
            thread: None,
        };
        // No thread takes it before it is ready, so this comes first.
        let was_taken = ring.was_taken();
        match ring.word(ring::MAGIC) {
            RING_MAGIC => Ok(Some(ring)),
            0 if !was_taken => Ok(None),
            _ => Err(io::Error::other("the head of a ring file is damaged")),
        }
    }

    /// Whether a thread has taken it, as far as its head and its first record show.
    fn was_taken(&self) -> bool {
        self.word(ring::THREAD) != 0 || self.word(HEAD + BLOCK_HEAD) != 0
    }

    /// Its number: that of the thread in the trace of its process.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Its blocks.
    pub fn blocks(&self) -> u64 {
        ((self.mapping.words().len() - HEAD) / RING_BLOCK_WORDS) as u64
    }

    /// Whether it was cut short.
    pub fn is_broken(&self) -> bool {
        self.mapping.is_broken()
    }

    /// Whether the thread has ended.
    pub fn is_ended(&self) -> bool {
        self.word(ring::ENDED) == 1
    }

    /// Where the thread is.
    pub fn position(&self) -> Position {
        let position = Position::from_word(self.word(word::POSITION));
        let offset = position.offset.max(BLOCK_HEAD);
        Position { offset, ..position }
    }

    /// Events that were dropped.
    pub fn dropped(&self) -> u64 {
        self.count(word::DROPPED)
    }

    /// Whether a number of events in its head was spoiled.
    pub fn is_spoiled(&self) -> bool {
        let mut counts = COUNTS.into_iter().chain(ring::EARLIER_EVENTS);
        counts.any(|index| self.word(index) > MOST_EVENTS)
    }

    /// Whether it is kept for a recorder.
    pub fn is_kept(&self) -> bool {
        Mode::from_word(self.word(word::MODE)) == Mode::Keep
    }

    /// Events that had found a place, and those that had found none, when the last recorder came.
    pub fn before_kept(&self) -> (u64, u64) {
        let events = self.count(ring::BEFORE_KEPT);
        (events, self.count(ring::DROPPED_BEFORE_KEPT))
    }

    /// Events that had found a place, and those that had found none, when the process let a recorder go that had come
    /// after `begin` of them. Others may have come and gone since.
    pub fn let_go_at(&self, begin: u64) -> (u64, u64) {
        let events = self.count(ring::BEFORE_OVERWRITTEN);
        let own = (events, self.count(ring::DROPPED_BEFORE_OVERWRITTEN));
        let kept = self.before_kept();
        if kept.0 > begin { own.min(kept) } else { own }
    }

    /// Events that were dropped while the process did not record on its own.
    pub fn dropped_of_others(&self) -> u64 {
        let [kept, overwritten, others] = [
            ring::DROPPED_BEFORE_KEPT,
            ring::DROPPED_BEFORE_OVERWRITTEN,
            ring::DROPPED_OTHERS_BEFORE_KEPT,
        ]
        .map(|word| self.count(word));
        overwritten
            .max(kept)
            .saturating_sub(kept.saturating_sub(others))
    }

    /// Events that had found a place when the last recording began, whatever its kind.
    pub fn before_last(&self) -> u64 {
        let kept = self.count(ring::BEFORE_KEPT);
        kept.max(self.count(ring::BEFORE_OVERWRITTEN))
    }

    /// The time from which on the process's events are in order, as far as this ring's thread knew.
    pub fn ordered_since(&self) -> Option<u64> {
        Some(self.word(ring::ORDERED_SINCE)).filter(|since| *since > 0)
    }

    /// The first block that may still be there.
    pub fn oldest(&self) -> u64 {
        self.position().block.saturating_sub(self.blocks() - 1)
    }

    /// Copies a block; nothing if it is not there yet, or no longer.
    pub fn copy<'b>(&self, block: u64, copy: &'b mut BlockCopy) -> Option<Block<'b>> {
        let (head, blocks) = self.mapping.words().split_at_checked(HEAD)?;
        Reader::new(head, blocks, RING_BLOCK_WORDS)?.copy(block, copy)
    }

    /// Gives back the blocks before one. What was given back is not taken again: the thread may have written
    /// over it, and would drop events until it has its block.
    pub fn give_back(&self, block: u64) {
        if block > self.word(word::NEEDED) {
            self.mapping.store(word::NEEDED, block);
        }
    }

    /// Says that all was read of a thread that has ended after so many events, besides what its process had recorded on
    /// its own before. An agent writes the same when it lets a recorder go.
    pub fn finish(&self, events: u64) {
        if self.is_kept() {
            self.mapping.store(ring::BEFORE_OVERWRITTEN, events);
            let dropped = self.word(word::DROPPED);
            self.mapping
                .store(ring::DROPPED_BEFORE_OVERWRITTEN, dropped);
            self.mapping.store(word::MODE, Mode::Overwrite.to_word());
        }
        self.mapping.store(ring::DRAINED, 1);
    }

    /// Writes whose events these are, when that is known or has changed.
    ///
    /// # Errors
    /// When the trace cannot be written.
    pub fn say_thread(
        &mut self,
        process: u32,
        trace: &mut TraceWriter<impl Write>,
    ) -> io::Result<()> {
        let tid = self.word(ring::THREAD) as u32;
        let mut name = [0; 16];
        let (first, second) = name.split_at_mut(8);
        first.copy_from_slice(&self.word(ring::NAME).to_le_bytes());
        second.copy_from_slice(&self.word(ring::NAME + 1).to_le_bytes());
        let is_new = self.thread != Some((tid, name));
        if !is_new || (tid == 0 && self.position().count == 0) {
            return Ok(());
        }
        self.thread = Some((tid, name));
        let text = name.split(|byte| *byte == 0).next().unwrap_or_default();
        trace.thread(&ThreadContent {
            process,
            thread: self.number,
            tid,
            name: &String::from_utf8_lossy(text),
        })
    }

    /// A number of events in its head; 0 if it was spoiled.
    pub fn count(&self, index: usize) -> u64 {
        let count = self.word(index);
        if count > MOST_EVENTS { 0 } else { count }
    }

    /// A word of its head.
    pub fn word(&self, index: usize) -> u64 {
        let word = self.mapping.words().get(index);
        word.map_or(0, |word| word.load(Ordering::Acquire))
    }
}
