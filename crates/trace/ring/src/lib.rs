//! The events of one thread, in memory that another process reads.
//!
//! One writer at a time; it takes no lock, waits for nobody, and executes no instruction that locks the bus.
//! Readers, in any process, look at any time, and stop nothing. What was written stays readable when the process is
//! killed, at any instruction.
//!
//! # Memory
//!
//! All is 64-bit words: a head of [`HEAD_WORDS`], then blocks of one size. Blocks are used in turn, and
//! numbered without end; block `n` lies in place `n` modulo their number. A block begins with
//! [`BLOCK_HEAD`] words: its number plus one, the number of events before it, the number of events that
//! were dropped before it, and one that is not used. Records follow; none crosses the end of its block. A record is
//! a header, the time, and the event's words. See [`Header`] and [`Position`].
//!
//! # Writing a record
//!
//! A [`Producer`] is the writer's side: words in memory of its own process, which say where the next record goes.
//!
//! 1. See that the producer is ready, and say that it is busy. A signal handler that comes from here on finds it
//!    busy, and writes to another ring; one that comes between looking and saying is over when it is said. So
//!    nothing comes between the steps of a record, and none of them needs to be an exchange.
//! 2. If the block has no room, move the position to the next block, then write the head of that.
//! 3. Write the words that are there already; move the position behind the record.
//! 4. Write the time, and the other words.
//! 5. Write the header. It names the block, so that what lies there from former use of the same place is never
//!    taken for it.
//! 6. Say that the producer is ready.
//!
//! A thread may jump out of the handler of a signal that came in between (`siglongjmp`), so that this event never ends.
//! The producer stays busy then, and says in which frame of the stack. An event that begins in no deeper frame of the
//! same stack knows that the other one was left: what is below a frame is not used any more. It takes the producer over,
//! and goes on in the next block. The block that it leaves has one record less than it counts.
//!
//! Processors that make stores visible in order need no more; the orderings that are named make the compiler
//! and others do so.
//!
//! In the mode [`Mode::Overwrite`] the oldest block is written over. In [`Mode::Keep`] a block is entered
//! only when the reader has given it back; else the event is dropped and counted.
//!
//! # Reading
//!
//! A reader copies a block and then loads the position. Step 2 moves the position before any write to the new
//! block, so if the position has not come to the block that uses the same place, the copy is whole. In the
//! copy, records follow each other from the head of the block up to a header that is not of this block.
#![no_std]

mod atomic;
mod layout;
mod next_block;
mod producer;
mod reader;
mod test_points;
mod words;

pub use layout::{
    BLOCK_HEAD, HEAD_WORDS, Header, LONGEST_RECORD, MOST_EVENTS, Mode, Position, word,
};
pub use producer::{Event, Fill, Outcome, Producer, begin};
pub use reader::{Block, Reader, Record, Records};
pub use test_points::{TestPoint, TestPoints};
pub use words::{PRODUCER_WORDS, Words, frame, own};
