//! Events of one thread that become one chunk.

use perflab_abi::{CHUNK_HEAD, ChunkHead, ChunkKind, EventsContent, Writer};

use crate::event::{self, Layout, Misfit};

/// Bytes before the first event.
const BEFORE: usize = CHUNK_HEAD + EventsContent::SIZE;

/// A batch of more bytes than this should be written. One more event still fits into 64 KiB.
pub const FULL_BATCH: usize = 60 * 1024;

/// Most words of an event, as a ring has them.
const MOST_WORDS: usize = 256;

/// Events of one thread, one after the other without a gap, encoded while they come.
///
/// The memory is reused for each batch: no event allocates.
#[derive(Debug)]
pub struct EventBatch {
    process: u32,
    thread: u32,
    first: u64,
    dropped: u64,
    count: u32,
    /// Times of the first and the last event that has one.
    times: Option<(u64, u64)>,
    /// Room for the heads, then events, then any bytes.
    buffer: Vec<u8>,
    /// Where the next event begins.
    end: usize,
}

impl EventBatch {
    /// Of a thread, by its number in the trace of its process, from its first event on.
    pub fn new(process: u32, thread: u32) -> Self {
        Self {
            process,
            thread,
            first: 0,
            dropped: 0,
            count: 0,
            times: None,
            buffer: vec![0; 64 * 1024],
            end: BEFORE,
        }
    }

    /// Goes over to another thread, at its first event. The batch should have been written.
    pub fn switch(&mut self, process: u32, thread: u32) {
        self.process = process;
        self.thread = thread;
        self.begin(0, 0);
    }

    /// Says what number the next event has among those of the thread that found a place, from 0, and how
    /// many were dropped before it since the thread's beginning. Needed whenever events are missing.
    ///
    /// The batch should have been written: events in it are thrown away.
    pub fn begin(&mut self, first: u64, dropped: u64) {
        self.first = first;
        self.dropped = dropped;
        self.clear();
    }

    /// Adds an event. `time` is by the clock of the process; `words` are what the ring has, `layout` is that
    /// of the probe.
    ///
    /// # Errors
    /// When the words do not fit, or the probe is 0; nothing was added then.
    #[inline]
    pub fn push(
        &mut self,
        probe: u32,
        is_cut: bool,
        time: u64,
        layout: &[Layout],
        words: &[u64],
    ) -> Result<(), Misfit> {
        let room = self.end + event::room(words.len());
        if self.buffer.len() < room {
            self.grow(room);
        }
        if probe == 0 || words.len() > MOST_WORDS {
            return Err(Misfit);
        }
        let (first, last) = self.times.unwrap_or((time, time));
        let since = time.wrapping_sub(last) as i64;
        let head = (probe, is_cut);
        let end = event::put(&mut self.buffer, self.end, head, since, layout, words);
        self.end = end.ok_or(Misfit)?;
        self.times = Some((first, time));
        self.count += 1;
        Ok(())
    }

    /// Adds an event that was begun and never completed.
    pub fn push_incomplete(&mut self) {
        let room = self.end + event::room(0);
        if self.buffer.len() < room {
            self.grow(room);
        }
        if let Some(byte) = self.buffer.get_mut(self.end) {
            *byte = event::INCOMPLETE;
            self.end += 1;
            self.count += 1;
        }
    }

    /// Events in it.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Bytes that the chunk would have.
    pub fn bytes(&self) -> usize {
        self.end
    }

    /// Whether it should be written now: see [`FULL_BATCH`].
    pub fn is_full(&self) -> bool {
        self.end > FULL_BATCH
    }

    /// The chunk; nothing if it is longer than a chunk may be.
    pub(crate) fn seal(&mut self) -> Option<&[u8]> {
        let fields = EventsContent {
            process: self.process,
            thread: self.thread,
            first: self.first,
            dropped: self.dropped,
            count: self.count,
            base: self.times.map_or(0, |(first, _)| first),
        };
        let chunk = self.buffer.get_mut(..self.end)?;
        let (head, content) = chunk.split_first_chunk_mut::<CHUNK_HEAD>()?;
        fields.encode(&mut Writer::new(content)).ok()?;
        *head = ChunkHead::of(ChunkKind::EVENTS, 1, content).ok()?.encode();
        Some(chunk)
    }

    /// Goes on behind the events that were written.
    pub(crate) fn advance(&mut self) {
        self.first += u64::from(self.count);
        self.clear();
    }

    fn clear(&mut self) {
        self.count = 0;
        self.times = None;
        self.end = BEFORE;
    }

    #[cold]
    fn grow(&mut self, room: usize) {
        self.buffer.resize(room.max(2 * self.buffer.len()), 0);
    }
}
