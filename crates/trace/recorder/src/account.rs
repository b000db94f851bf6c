//! What became of each event of a thread: in the trace, and counted.
//!
//! Events that found a place in the ring have numbers. The account goes through them one by one, or over several that
//! are gone, and tells the trace where numbers are left out. What came before the recording is unwanted, and not lost.

use std::io::{self, Write};

use perflab_abi::recording::RING_BLOCK_WORDS;
use perflab_ring::{BLOCK_HEAD, Block, MOST_EVENTS, Record};

use crate::before::Before;
use crate::output::Output;
use crate::progress::Progress;
use crate::round::Round;

/// Records of a block at most: each has two words.
const MOST_RECORDS: u64 = (RING_BLOCK_WORDS - BLOCK_HEAD) as u64 / 2;

/// Whether an event was young enough for the recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Young {
    /// None so far.
    Awaited,
    /// None so far. Events are gone that were before the next one, and none is known to be too old: some of those that
    /// are gone may have been young enough.
    Missed,
    /// One was, and all after it are.
    Found,
}

/// What the trace says of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Said {
    /// Nothing so far.
    Nothing,
    /// Where it begins for this thread.
    Begin,
    /// And the output is at the place before the next event.
    Next,
}

/// The events of a thread up to the next one.
#[derive(Debug)]
pub struct Account {
    /// Number of the thread's ring.
    ring: u32,
    /// What was there before the recording.
    before: Before,
    /// Number of the next event.
    index: u64,
    /// Number of the first event that is no more the recording's, if that is known.
    end: u64,
    /// Number of the event from which on the trace says what became of each.
    origin: u64,
    /// Events of the recording that were dropped before the next one, as the trace says so far.
    dropped: u64,
    /// How many were dropped before the block before the first event that is young enough.
    dropped_earlier: Option<u64>,
    young: Young,
    said: Said,
    /// Whether blocks before the next event were skipped.
    is_gap: bool,
    /// Whether the trace is still to say that events before the next one are gone, or were dropped.
    is_behind: bool,
    totals: Progress,
}

impl Account {
    /// No event yet.
    pub fn new(ring: u32, before: Before) -> Self {
        Self {
            ring,
            before,
            index: 0,
            end: u64::MAX,
            origin: 0,
            dropped: 0,
            dropped_earlier: None,
            young: Young::Awaited,
            said: Said::Nothing,
            is_gap: false,
            is_behind: false,
            totals: Progress::default(),
        }
    }

    /// What was counted so far.
    pub fn totals(&self) -> Progress {
        self.totals
    }

    /// Number of the next event.
    pub fn place(&self) -> u64 {
        self.index
    }

    /// Counts those that were dropped, of so many in all.
    pub fn count_dropped(&mut self, dropped: u64) {
        let dropped = self.before.own(dropped);
        let dropped = dropped.saturating_sub(self.dropped_earlier.unwrap_or(0));
        self.totals.dropped = dropped.max(self.totals.dropped);
    }

    /// Events from this number on are no more the recording's, nor those that are dropped after so many. Nothing is
    /// known of that yet where more were read.
    pub fn end_at(&mut self, end: u64, dropped: u64) {
        if end >= self.index {
            self.end = end;
            self.before.end_at(dropped);
        }
    }

    /// Blocks were skipped.
    pub fn skip(&mut self) {
        self.is_gap = true;
    }

    /// Whether blocks were skipped, and none was entered since.
    pub fn is_in_gap(&self) -> bool {
        self.is_gap
    }

    /// All blocks were skipped that events of the recording can be in: those up to its end are gone, if that is known.
    pub fn end_gap<W: Write>(&mut self, round: &Round<'_, W>) {
        if self.is_gap && self.end < u64::MAX && self.end > self.index {
            self.pass_over(self.end, round);
        }
    }

    /// Counts what lies between the last event and the first of a block.
    ///
    /// # Errors
    /// When the trace cannot be written.
    pub fn enter<W: Write>(
        &mut self,
        block: &Block<'_>,
        round: &mut Round<'_, W>,
    ) -> io::Result<()> {
        let (Some(before), Some(dropped)) = (block.before, block.dropped) else {
            return Ok(());
        };
        if before > block.number.saturating_mul(MOST_RECORDS).min(MOST_EVENTS) {
            self.totals.invalid = self.totals.invalid.saturating_add(1);
            return Ok(());
        }
        if !self.is_gap && before == self.index.saturating_add(1) {
            // The last one of the block before: its thread has jumped out of it.
            self.add_incomplete(round)?;
        }
        let before = before.min(self.end);
        if before > self.index {
            self.pass_over(before, round);
        }
        self.is_gap = false;
        self.before.enter(dropped);
        let dropped = self.before.own(dropped);
        if round.since > 0 && self.young != Young::Found && !self.before.is_exact() {
            let is_first = self.dropped_earlier.is_none();
            self.dropped_earlier = Some(if is_first { dropped } else { self.dropped });
        }
        if dropped > self.dropped {
            self.dropped = dropped;
            self.is_behind = true;
            self.leave();
        }
        Ok(())
    }

    /// Counts the events up to one with a later number, which are gone.
    fn pass_over<W: Write>(&mut self, next: u64, round: &Round<'_, W>) {
        let first = if self.said != Said::Nothing {
            self.index
        } else if self.is_before_recording(round) && !self.before.is_exact() {
            self.young = if next > self.before.events() {
                Young::Missed
            } else {
                Young::Awaited
            };
            next
        } else {
            self.before.unwanted(next).max(self.index)
        };
        self.add_earlier(first - self.index);
        let count = if self.is_gap {
            &mut self.totals.overwritten
        } else {
            &mut self.totals.invalid
        };
        *count = count.saturating_add(next - first);
        self.index = next;
        self.is_behind |= next > first;
        self.leave();
    }

    /// The output is not at the place before the next event any more.
    fn leave(&mut self) {
        if self.said == Said::Next {
            self.said = Said::Begin;
        }
    }

    /// Takes the next event.
    ///
    /// # Errors
    /// When the trace cannot be written.
    #[inline]
    pub fn take<W: Write>(
        &mut self,
        record: &Record<'_>,
        may_look_again: &mut bool,
        round: &mut Round<'_, W>,
    ) -> io::Result<()> {
        if self.index >= self.end {
            return Ok(());
        }
        let is_young = || record.time >= round.since && !self.before.leaves_out(self.index);
        if self.young != Young::Found && !is_young() {
            self.young = Young::Awaited;
            self.add_earlier(1);
            return Ok(());
        }
        self.totals.short += u64::from(self.young == Young::Missed);
        self.young = Young::Found;
        self.begin(round)?;
        self.add(record, may_look_again, round)?;
        self.index = self.index.saturating_add(1);
        Ok(())
    }

    /// Whether the next event is of before the recording, for what is known before it is read.
    fn is_before_recording<W: Write>(&self, round: &Round<'_, W>) -> bool {
        if self.before.is_exact() {
            return self.before.leaves_out(self.index);
        }
        round.since > 0 && self.young != Young::Found
    }

    /// Puts the output to the place before the next event.
    #[inline]
    fn begin<W: Write>(&mut self, round: &mut Round<'_, W>) -> io::Result<()> {
        if self.said != Said::Next {
            round.output.write()?;
            let thread = (round.process, self.ring);
            self.say_begin(thread, round.output)?;
            round.output.begin(thread, self.index, self.dropped);
            self.said = Said::Next;
            self.is_behind = false;
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
    ///
    /// # Errors
    /// When the trace cannot be written.
    pub fn add_incomplete<W: Write>(&mut self, round: &mut Round<'_, W>) -> io::Result<()> {
        if self.index >= self.end {
            return Ok(());
        }
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

    /// Ends the round of this thread: other threads' events follow.
    ///
    /// # Errors
    /// When the trace cannot be written.
    pub fn end_round<W: Write>(&mut self, output: &mut Output<W>) -> io::Result<()> {
        output.write()?;
        self.leave();
        Ok(())
    }

    /// Says what became of events behind the last one in the trace: that they are gone, or were dropped, of so many in
    /// all.
    ///
    /// # Errors
    /// When the trace cannot be written.
    pub fn say_end<W: Write>(
        &mut self,
        dropped: u64,
        process: u32,
        output: &mut Output<W>,
    ) -> io::Result<()> {
        let dropped = self.before.own(dropped);
        if dropped <= self.dropped && !self.is_behind {
            return Ok(());
        }
        self.dropped = dropped.max(self.dropped);
        self.is_behind = false;
        let thread = (process, self.ring);
        self.say_begin(thread, output)?;
        output.end(thread, self.index, self.dropped)
    }

    /// Says where the trace begins for this thread, unless at its next event: what is missing from there on is
    /// lost, what came before is unwanted.
    fn say_begin<W: Write>(
        &mut self,
        thread: (u32, u32),
        output: &mut Output<W>,
    ) -> io::Result<()> {
        if self.said != Said::Nothing {
            return Ok(());
        }
        self.said = Said::Begin;
        if self.index == 0 {
            return Ok(());
        }
        let dropped = self.dropped_earlier.filter(|_| self.origin > 0);
        output.end(thread, self.origin, dropped.unwrap_or(0))
    }
}
