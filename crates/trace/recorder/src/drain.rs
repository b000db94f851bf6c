//! The events of one thread, from its ring to a trace, while the thread goes on.
//!
//! A round goes up to where the thread was when it began, and the number of the block only grows in it, so it ends
//! whatever is written to the ring meanwhile.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use perflab_abi::recording::RING_BLOCK_WORDS;
use perflab_ring::{BLOCK_HEAD, Block, Position, Record};

use crate::output::Output;
use crate::process_dir::{Manner, Since};
use crate::process_file::ProcessFile;
use crate::progress::Progress;
use crate::ring_file::{BlockCopy, RingFile};

/// Records of a block at most: each has two words.
const MOST_RECORDS: u64 = (RING_BLOCK_WORDS - BLOCK_HEAD) as u64 / 2;

/// An event that is being written for so long is given up: its thread has jumped out of it, or is stopped.
const PATIENCE: Duration = Duration::from_secs(1);

/// What is the same for all rings of a process in a round.
#[derive(Debug)]
pub struct Round<'r, W> {
    /// Where events go.
    pub output: &'r mut Output<W>,
    /// What is known of the process.
    pub process_file: &'r mut ProcessFile,
    /// Number of the process in the trace.
    pub process: u32,
    /// Whether blocks are given back that were read.
    pub keep: bool,
    /// Whether the process has ended, or is treated so.
    pub is_over: bool,
    /// Whether an event that is being written is not waited for any more.
    pub is_last: bool,
    /// Events of each thread before the first that is not older than this are left out.
    pub since: u64,
}

/// What became of a thread's events before the recording that is read, of which nothing is lost in that.
#[derive(Debug, Clone, Copy)]
struct Before {
    /// Events that had found a place.
    events: u64,
    /// Events that had found none.
    dropped: u64,
    /// Whether those too count as dropped before that were so before the first block that is still there.
    is_from_there: bool,
    /// Whether events before it are not wanted even if they are still there.
    is_exact: bool,
}

impl Before {
    fn of(ring: &RingFile, manner: Manner) -> Self {
        let (events, dropped) = ring.before_kept();
        let kept = Self {
            events,
            dropped,
            is_from_there: false,
            is_exact: true,
        };
        match (manner.keep, manner.since) {
            // All that there was since the process began.
            (true, Since::Oldest) => Self {
                events: 0,
                dropped: 0,
                is_exact: false,
                ..kept
            },
            (true, _) => kept,
            // Somebody else has read, or counts, all that is not there any more.
            (false, _) if ring.is_kept() => Self {
                events: u64::MAX,
                is_from_there: true,
                is_exact: false,
                ..kept
            },
            // The newest take the place of the oldest, so that all find one; unless a recorder was expected that never
            // came, and no recording has begun since.
            (false, _) => Self {
                events: ring.before_last(),
                dropped: match ring.before_last() {
                    0 => 0,
                    _ => ring.dropped(),
                },
                is_exact: false,
                ..kept
            },
        }
    }

    /// So many of the recording, of all that were dropped.
    fn own(&self, dropped: u64) -> u64 {
        dropped.saturating_sub(self.dropped)
    }
}

/// A ring, and how far it was read.
#[derive(Debug)]
pub struct Drain {
    ring: RingFile,
    /// The next block to read.
    block: u64,
    /// Where in it.
    offset: usize,
    /// Records before that place in the block.
    in_block: u64,
    /// Number of the next event.
    index: u64,
    /// What was there before the recording.
    before: Before,
    /// Number of the event from which on the trace says what became of each.
    origin: u64,
    /// Events of the recording that were dropped before the next one, as the trace says so far.
    dropped: u64,
    /// How many were dropped before the block before the first event that is young enough.
    dropped_earlier: Option<u64>,
    /// Whether the output is at the place before the next event.
    is_open: bool,
    /// Whether an event was young enough.
    is_begun: bool,
    /// Whether events are gone that were before the next one, and no event is known to be too old.
    is_short: bool,
    /// Whether the trace says where it begins for this thread.
    is_said: bool,
    /// Where the thread was when an event was first seen that is being written, and when that was.
    waiting: Option<(Position, Instant)>,
    /// Whether blocks before this one were skipped.
    is_gap: bool,
    /// Time of the last event.
    last: u64,
    is_read: bool,
    totals: Progress,
}

impl Drain {
    /// Nothing of it was read.
    pub fn new(ring: RingFile, manner: Manner) -> Self {
        Self {
            before: Before::of(&ring, manner),
            origin: 0,
            ring,
            block: 0,
            offset: BLOCK_HEAD,
            in_block: 0,
            index: 0,
            dropped: 0,
            dropped_earlier: None,
            is_open: false,
            is_begun: false,
            is_short: false,
            is_said: false,
            waiting: None,
            is_gap: false,
            last: 0,
            is_read: false,
            totals: Progress::default(),
        }
    }

    /// Number of the ring.
    pub fn number(&self) -> u32 {
        self.ring.number()
    }

    /// What was read so far.
    pub fn totals(&self) -> Progress {
        let broken = u64::from(self.ring.is_broken());
        Progress {
            broken,
            ..self.totals
        }
    }

    /// Whether an event was being written in the last round.
    pub fn is_waiting(&self) -> bool {
        self.waiting.is_some()
    }

    /// Whether no more is read, as the thread has ended or the file was cut short.
    pub fn is_read(&self) -> bool {
        self.is_read
    }

    /// Writes all that is new to a trace. Returns the time of the last event before one that is not complete
    /// and may still become so; nothing if there is no such event.
    ///
    /// # Errors
    /// When the trace cannot be written.
    pub fn round<W: Write>(
        &mut self,
        round: &mut Round<'_, W>,
        copy: &mut BlockCopy,
    ) -> io::Result<Option<u64>> {
        if self.is_read {
            return Ok(None);
        }
        // Before the position is loaded: nothing comes behind that then.
        let is_over = round.is_over || self.ring.is_ended();
        let end = self.ring.position();
        self.ring
            .say_thread(round.process, &mut round.output.trace)?;
        let dropped = self.ring.dropped();
        self.read_up_to(end, round, copy)?;
        let dropped = self.before.own(dropped);
        let dropped = dropped.saturating_sub(self.dropped_earlier.unwrap_or(0));
        self.totals.dropped = dropped.max(self.totals.dropped);
        self.is_read = is_over || self.ring.is_broken();
        if self.is_read || round.is_last || self.is_given_up(end) {
            self.add_unwritten(end, round)?;
            self.waiting = None;
        }
        round.output.write()?;
        self.is_open = false;
        if self.is_read {
            self.say_dropped(round.process, round.output)?;
        }
        if round.keep {
            self.ring.give_back(self.block);
            if self.is_read && is_over {
                self.ring.finish();
            }
        }
        Ok((self.is_before(end) && !self.is_read).then_some(self.last))
    }

    /// Whether an event before a position of the thread was not read.
    fn is_before(&self, end: Position) -> bool {
        (self.block, self.offset) < (end.block, end.offset)
    }

    /// Whether an event before a position of the thread is being written for too long.
    fn is_given_up(&mut self, end: Position) -> bool {
        if !self.is_before(end) {
            self.waiting = None;
            return false;
        }
        let known = self.waiting.filter(|(position, _)| *position == end);
        let (_, since) = *self
            .waiting
            .insert(known.unwrap_or_else(|| (end, Instant::now())));
        since.elapsed() >= PATIENCE
    }

    /// Says how many events were dropped behind the last one, if any were.
    ///
    /// # Errors
    /// When the trace cannot be written.
    pub fn say_dropped<W: Write>(
        &mut self,
        process: u32,
        output: &mut Output<W>,
    ) -> io::Result<()> {
        let dropped = self.before.own(self.ring.dropped());
        if dropped <= self.dropped {
            return Ok(());
        }
        self.dropped = dropped;
        let thread = (process, self.number());
        self.say_begin(thread, output)?;
        output.end(thread, self.index, dropped)
    }

    /// Says where the trace begins for this thread, unless at its next event: what is missing from there on is
    /// lost, what came before is unwanted.
    fn say_begin<W: Write>(
        &mut self,
        thread: (u32, u32),
        output: &mut Output<W>,
    ) -> io::Result<()> {
        if std::mem::replace(&mut self.is_said, true) || self.index == 0 {
            return Ok(());
        }
        let dropped = self.dropped_earlier.filter(|_| self.origin > 0);
        output.end(thread, self.origin, dropped.unwrap_or(0))
    }

    /// Whether the next event is of before the recording, for what is known before it is read.
    fn is_before_recording(&self, round: &Round<'_, impl Write>) -> bool {
        if self.before.is_exact {
            return self.index < self.before.events;
        }
        round.since > 0 && !self.is_begun
    }

    /// Reads up to a position.
    fn read_up_to<W: Write>(
        &mut self,
        end: Position,
        round: &mut Round<'_, W>,
        copy: &mut BlockCopy,
    ) -> io::Result<()> {
        let blocks = self.ring.blocks();
        let oldest = end.block.saturating_sub(blocks - 1);
        if self.block < oldest {
            self.skip_to(oldest);
        }
        while self.is_before(end) {
            let Some(block) = self.ring.copy(self.block, copy) else {
                let oldest = self.ring.oldest();
                if oldest <= self.block {
                    // The position went back, as no thread's does.
                    return Ok(());
                }
                // It was written over meanwhile. With a lead, so that the next one is not so at once.
                self.skip_to(oldest + blocks / 8);
                continue;
            };
            self.enter(&block, round)?;
            self.read_block(&block, round)?;
            if self.block == end.block {
                break;
            }
            self.go_to(self.block + 1);
            if round.keep {
                self.ring.give_back(self.block);
            }
            round.output.write_if_full()?;
        }
        Ok(())
    }

    fn go_to(&mut self, block: u64) {
        self.block = block;
        self.offset = BLOCK_HEAD;
        self.in_block = 0;
    }

    fn skip_to(&mut self, block: u64) {
        self.go_to(block);
        self.is_gap = true;
    }

    /// Counts what lies between the last event and a block.
    fn enter<W: Write>(&mut self, block: &Block<'_>, round: &mut Round<'_, W>) -> io::Result<()> {
        let (Some(before), Some(dropped)) = (block.before, block.dropped) else {
            return Ok(());
        };
        if self.in_block > 0 {
            return Ok(());
        }
        if before > block.number.saturating_mul(MOST_RECORDS) {
            self.totals.invalid = self.totals.invalid.saturating_add(1);
            return Ok(());
        }
        if !self.is_gap && before == self.index.saturating_add(1) {
            // The last one of the block before: its thread has jumped out of it.
            self.add_incomplete(round)?;
        }
        if before > self.index {
            let first = if self.is_said {
                self.index
            } else if self.is_before_recording(round) && !self.before.is_exact {
                self.is_short = before > self.before.events;
                before
            } else {
                before.min(self.before.events).max(self.index)
            };
            self.add_earlier(first - self.index);
            let count = if self.is_gap {
                &mut self.totals.overwritten
            } else {
                &mut self.totals.invalid
            };
            *count = count.saturating_add(before - first);
            self.index = before;
            self.is_open = false;
        }
        self.is_gap = false;
        if std::mem::take(&mut self.before.is_from_there) {
            self.before.dropped = self.before.dropped.max(dropped);
        }
        let dropped = self.before.own(dropped);
        if round.since > 0 && !self.is_begun && !self.before.is_exact {
            let is_first = self.dropped_earlier.is_none();
            self.dropped_earlier = Some(if is_first { dropped } else { self.dropped });
        }
        if dropped > self.dropped {
            self.dropped = dropped;
            self.is_open = false;
        }
        Ok(())
    }

    /// Reads the rest of a block.
    fn read_block<W: Write>(
        &mut self,
        block: &Block<'_>,
        round: &mut Round<'_, W>,
    ) -> io::Result<()> {
        let mut may_look_again = true;
        let mut records = block.records(self.offset);
        while let Some(record) = records.next() {
            let time = record.time;
            let is_earlier = self.before.is_exact && self.index < self.before.events;
            if self.is_begun || (time >= round.since && !is_earlier) {
                self.is_begun = true;
                self.totals.short += u64::from(std::mem::take(&mut self.is_short));
                self.begin(round)?;
                self.add(&record, &mut may_look_again, round)?;
                self.index = self.index.saturating_add(1);
            } else {
                self.is_short = false;
                self.add_earlier(1);
            }
            self.last = time;
            self.offset = records.offset();
            self.in_block += 1;
        }
        Ok(())
    }

    /// Puts the output to the place before the next event.
    #[inline]
    fn begin<W: Write>(&mut self, round: &mut Round<'_, W>) -> io::Result<()> {
        if !self.is_open {
            round.output.write()?;
            let thread = (round.process, self.number());
            self.say_begin(thread, round.output)?;
            round.output.begin(thread, self.index, self.dropped);
            self.is_open = true;
        }
        Ok(())
    }

    #[inline]
    fn add<W: Write>(
        &mut self,
        record: &Record<'_>,
        may_look_again: &mut bool,
        round: &mut Round<'_, W>,
    ) -> io::Result<()> {
        let number = record.header.probe;
        if *may_look_again && round.process_file.probe(number).is_none() {
            // It may have been added since.
            *may_look_again = false;
            round.process_file.read(&mut round.output.trace)?;
        }
        if let Some(probe) = round.process_file.probe(number) {
            let head = (number, record.header.is_cut);
            let written = round
                .output
                .event(head, record.time, &probe.layout, record.words);
            if written.is_ok() {
                probe.events += 1;
                self.totals.events += 1;
                return Ok(());
            }
        }
        self.totals.invalid = self.totals.invalid.saturating_add(1);
        round.output.incomplete();
        Ok(())
    }

    /// Counts events from before the recording. What comes behind them is its.
    fn add_earlier(&mut self, events: u64) {
        if events > 0 {
            self.totals.earlier = self.totals.earlier.saturating_add(events);
            self.index = self.index.saturating_add(events);
            self.origin = self.index;
        }
    }

    /// The next event was not completed.
    fn add_incomplete<W: Write>(&mut self, round: &mut Round<'_, W>) -> io::Result<()> {
        if self.is_before_recording(round) {
            self.add_earlier(1);
            return Ok(());
        }
        self.totals.incomplete += 1;
        self.begin(round)?;
        round.output.incomplete();
        self.index = self.index.saturating_add(1);
        Ok(())
    }

    /// Adds the event that had a place at the end and was not complete.
    fn add_unwritten<W: Write>(
        &mut self,
        end: Position,
        round: &mut Round<'_, W>,
    ) -> io::Result<()> {
        if self.block != end.block {
            return Ok(());
        }
        while self.in_block < end.count {
            self.add_incomplete(round)?;
            self.in_block += 1;
        }
        self.offset = self.offset.max(end.offset);
        Ok(())
    }
}
