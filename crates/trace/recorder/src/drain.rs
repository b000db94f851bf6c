//! The events of one thread, from its ring to a trace, while the thread goes on.
//!
//! A round goes up to where the thread was when it began, and the number of the block only grows in it, so it ends
//! whatever is written to the ring meanwhile.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use perflab_ring::{BLOCK_HEAD, Block, Position};

use crate::account::Account;
use crate::before::Before;
use crate::manner::Manner;
use crate::output::Output;
use crate::progress::Progress;
use crate::ring_file::{BlockCopy, RingFile};
use crate::round::Round;

/// An event that is being written for so long is given up: its thread has jumped out of it, or is stopped.
const PATIENCE: Duration = Duration::from_secs(1);

/// Looks at a ring whose thread writes over all blocks before they are copied.
const LOOKS: u32 = 100;

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
    account: Account,
    /// Events that had found a place when the recorder came that keeps them.
    begin: u64,
    /// Where the thread was when an event was first seen that is being written, and when that was.
    waiting: Option<(Position, Instant)>,
    /// Time of the last event.
    last: u64,
    is_read: bool,
    /// Whether a number of events in its head was spoiled.
    is_spoiled: bool,
}

impl Drain {
    /// Nothing of it was read.
    pub fn new(ring: RingFile, manner: Manner) -> Self {
        Self {
            account: Account::new(ring.number(), Before::of(&ring, manner)),
            begin: ring.before_kept().0,
            ring,
            block: 0,
            offset: BLOCK_HEAD,
            in_block: 0,
            waiting: None,
            last: 0,
            is_read: false,
            is_spoiled: false,
        }
    }

    /// Number of the ring.
    pub fn number(&self) -> u32 {
        self.ring.number()
    }

    /// What was read so far.
    pub fn totals(&self) -> Progress {
        let broken = u64::from(self.ring.is_broken() || self.is_spoiled);
        Progress {
            broken,
            ..self.account.totals()
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

    /// The time from which on the process's events are in order, as far as the thread knew when it began.
    pub fn ordered_since(&self) -> Option<u64> {
        self.ring.ordered_since()
    }

    /// The process was let go. What its threads hit since then is of another recording.
    pub fn let_go(&mut self) {
        let (events, dropped) = self.ring.let_go_at(self.begin);
        self.account.end_at(events, dropped);
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
        let mut end = self.ring.position();
        self.ring
            .say_thread(round.process, &mut round.output.trace)?;
        self.is_spoiled |= self.ring.is_spoiled();
        let dropped = self.ring.dropped();
        self.read_up_to(end, round, copy)?;
        // Of a recording that has ended all is known that lies before the position.
        self.account.end_gap(round);
        for _ in 1..LOOKS {
            if !self.account.is_in_gap() {
                break;
            }
            end = self.ring.position();
            self.read_up_to(end, round, copy)?;
        }
        self.account.count_dropped(dropped);
        self.is_read = is_over || self.ring.is_broken();
        if self.is_read || round.is_last || self.is_given_up(end) {
            self.add_unwritten(end, round)?;
            self.waiting = None;
        }
        self.account.end_round(round.output)?;
        if self.is_read {
            self.say_end(round.process, round.output)?;
        }
        if round.keep {
            self.ring.give_back(self.block);
            if self.is_read && is_over {
                self.ring.finish(self.account.place());
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

    /// Says what became of events behind the last one in the trace, if there were any.
    ///
    /// # Errors
    /// When the trace cannot be written.
    pub fn say_end<W: Write>(&mut self, process: u32, output: &mut Output<W>) -> io::Result<()> {
        self.account.say_end(self.ring.dropped(), process, output)
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
            if self.in_block == 0 {
                self.account.enter(&block, round)?;
            }
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
        self.account.skip();
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
            self.account.take(&record, &mut may_look_again, round)?;
            self.last = record.time;
            self.offset = records.offset();
            self.in_block += 1;
        }
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
            self.account.add_incomplete(round)?;
            self.in_block += 1;
        }
        self.offset = self.offset.max(end.offset);
        Ok(())
    }
}
