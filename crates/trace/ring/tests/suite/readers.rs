//! Every interleaving of a thread that writes more than a round with a reader that copies a block.
#![expect(unsafe_code, reason = "a producer is promised that its memory stays")]
#![expect(dead_code, reason = "a part of the crate is included for it")]

/// What the protocol uses, so that each operation is a point where the other thread may come in.
mod atomic {
    pub use loom::sync::atomic::{AtomicU64, Ordering, fence};

    pub fn fence_for_handlers() {}
}

#[path = "../../src/layout.rs"]
mod layout;
#[path = "../../src/next_block.rs"]
mod next_block;
#[path = "../../src/producer.rs"]
mod producer;
#[path = "../../src/reader.rs"]
mod reader;
#[path = "../../src/test_points.rs"]
mod test_points;
#[path = "../../src/words.rs"]
mod words;

use std::cell::Cell;

use layout::{BLOCK_HEAD, Header, Mode, word};
use loom::sync::Arc;
use loom::sync::atomic::{AtomicU64, Ordering};
use producer::{Event, Fill, Outcome, Producer};
use reader::Reader;
use words::{PRODUCER_WORDS, Words};

/// Room for one record of three words.
const BLOCK: usize = BLOCK_HEAD + 3;

struct Memory {
    head: Vec<AtomicU64>,
    blocks: Vec<AtomicU64>,
}

/// The thread's own words: no other thread comes to them.
impl Words for &[Cell<u64>; PRODUCER_WORDS] {
    fn load<const WORD: usize>(self) -> u64 {
        self[WORD].get()
    }

    fn store<const WORD: usize>(self, value: u64) {
        self[WORD].set(value);
    }

    fn store_frame<const WORD: usize>(self) {
        self[WORD].set(2);
    }
}

/// An event of one word.
struct Number(u64);

impl Fill for Number {
    fn stamp(&mut self, words: &[AtomicU64; 2]) {
        words[1].store(self.0 + 1000, Ordering::Relaxed);
    }

    fn after(&mut self, words: &[AtomicU64]) {
        words[0].store(!self.0, Ordering::Relaxed);
    }
}

fn play(mode: Mode, events: u64, needed: Option<u64>) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(move || {
        let zeros = |words| (0..words).map(|_| AtomicU64::new(0)).collect();
        let memory = Arc::new(Memory {
            head: zeros(word::NEEDED + 1),
            blocks: zeros(2 * BLOCK),
        });
        memory.head[word::MODE].store(mode.to_word(), Ordering::Relaxed);
        assert!(producer::begin(&memory.head, &memory.blocks, BLOCK));
        let writing = Arc::clone(&memory);
        let writer = loom::thread::spawn(move || {
            let words: [Cell<u64>; PRODUCER_WORDS] = Default::default();
            let producer = Producer::new(&words, 7);
            // SAFETY: the memory stays for as long as the thread, and no other one writes records.
            assert!(unsafe { producer.open(&writing.head, &writing.blocks, BLOCK) });
            let header = Header {
                probe: 5,
                words: 3,
                is_cut: false,
            };
            let each = Event {
                header: header.base(),
                words: 3,
            };
            let mut written = 0;
            for event in 0..events {
                let outcome = producer.record(each, Number(event), &(), |_| false);
                written += u64::from(outcome == Outcome::Written);
            }
            written
        });
        let reader = Reader::new(&memory.head, &memory.blocks, BLOCK).unwrap();
        let mut copy = [0; BLOCK];
        let oldest = reader.oldest();
        let mut seen = Vec::new();
        if let Some(block) = reader.copy(oldest, &mut copy) {
            for record in block.records(0) {
                assert_eq!(record.words, [!(record.time - 1000)], "torn");
                seen.push(record.time - 1000);
            }
            if let (Some(before), Some(event)) = (block.before, seen.first()) {
                assert_eq!(before, *event, "events before it, as each block has one");
            }
        }
        if let Some(needed) = needed {
            memory.head[word::NEEDED].store(needed, Ordering::Release);
        }
        let written = writer.join().unwrap();
        assert_eq!(written + reader.dropped(), events);
        if mode == Mode::Overwrite {
            assert_eq!(written, events);
        }
    });
}

#[test]
fn a_reader_of_a_ring_that_is_written_over() {
    play(Mode::Overwrite, 3, None);
}

#[test]
fn a_reader_that_gives_blocks_back() {
    play(Mode::Keep, 3, Some(1));
}
