//! The file of a ring, as a recorded thread leaves it.
#![expect(unsafe_code, reason = "a producer is promised that its memory stays")]

use std::sync::atomic::{AtomicU64, Ordering};

use perflab_abi::recording::{RING_BLOCK_WORDS, RING_HEAD_BYTES, RING_MAGIC, ring};
use perflab_ring::{Event, Fill, Header, Outcome, PRODUCER_WORDS, Producer};

/// Blocks of the ring.
pub const BLOCKS: usize = 2;

const HEAD: usize = RING_HEAD_BYTES / 8;

/// Words of the whole file.
pub const WORDS: usize = HEAD + BLOCKS * RING_BLOCK_WORDS;

/// An event.
struct Words<'w> {
    time: u64,
    words: &'w [u64],
}

impl Fill for Words<'_> {
    fn before(&mut self, words: &[AtomicU64]) {
        for (to, word) in words.iter().zip(self.words) {
            to.store(*word, Ordering::Relaxed);
        }
    }

    fn stamp(&mut self, words: &[AtomicU64; 2]) {
        words[1].store(self.time, Ordering::Relaxed);
    }
}

/// A ring in which blocks were written over.
pub fn ring_file() -> Vec<u8> {
    let words: Vec<AtomicU64> = (0..WORDS).map(|_| AtomicU64::new(0)).collect();
    let (head, blocks) = words.split_at(HEAD);
    assert!(perflab_ring::begin(head, blocks, RING_BLOCK_WORDS));
    let own: [AtomicU64; PRODUCER_WORDS] = Default::default();
    let producer = Producer::new(&own, 3);
    // SAFETY: the memory stays until all is written, and nobody else writes.
    assert!(unsafe { producer.open(head, blocks, RING_BLOCK_WORDS) });
    let record = |probe, time, words: &[u64]| {
        let words = Words { time, words };
        let header = Header {
            probe,
            words: words.words.len() + 2,
            is_cut: false,
        };
        let event = Event {
            header: header.base(),
            words: header.words,
        };
        assert_eq!(
            producer.record(event, words, &(), |_| false),
            Outcome::Written
        );
    };
    for event in 0..150 {
        record(1, event, &[event, !event]);
        record(2, event, &[3, 0x63_62_61, 0, 0]);
    }
    head[ring::THREAD].store(7, Ordering::Relaxed);
    head[ring::MAGIC].store(RING_MAGIC, Ordering::Relaxed);
    words
        .iter()
        .flat_map(|word| word.load(Ordering::Relaxed).to_le_bytes())
        .collect()
}
