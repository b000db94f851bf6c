//! Every interleaving of a thread that writes more than a round with a reader that copies a block.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]
#![expect(dead_code, reason = "a part of the crate is included for it")]

/// What the protocol uses, so that each operation is a point where the other thread may come in.
mod atomic {
    pub use loom::sync::atomic::{AtomicU64, Ordering, fence};

    pub fn exchange(word: &AtomicU64, old: u64, new: u64) -> bool {
        // On x86-64 the processor makes the stores of one thread visible in their order.
        word.compare_exchange(old, new, Ordering::AcqRel, Ordering::Relaxed)
            .is_ok()
    }

    pub fn fence_for_handlers() {}
}

#[path = "../src/layout.rs"]
mod layout;
#[path = "../src/producer.rs"]
mod producer;
#[path = "../src/reader.rs"]
mod reader;
#[path = "../src/reserve.rs"]
mod reserve;

use layout::{BLOCK_HEAD, Mode, State, word};
use loom::sync::Arc;
use loom::sync::atomic::{AtomicU64, Ordering};
use producer::{Outcome, Producer};
use reader::Reader;

/// Room for one record of three words.
const BLOCK: usize = BLOCK_HEAD + 3;

struct Memory {
    head: Vec<AtomicU64>,
    blocks: Vec<AtomicU64>,
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
        Producer::new(&memory.head, &memory.blocks, BLOCK)
            .unwrap()
            .begin();
        let writing = Arc::clone(&memory);
        let writer = loom::thread::spawn(move || {
            let producer = Producer::new(&writing.head, &writing.blocks, BLOCK).unwrap();
            let mut written = 0;
            for event in 0..events {
                let outcome = producer.record(5, || event + 1000, [!event], &());
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
                if record.header.state == State::Committed {
                    assert_eq!(record.words, [!(record.time - 1000)], "torn");
                    seen.push(record.time - 1000);
                }
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
