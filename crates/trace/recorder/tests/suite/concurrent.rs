//! Threads that write while they are recorded.

use std::slice;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use perflab_abi::recording::{RING_BLOCK_WORDS, losses, ring};
use perflab_recorder::snapshot;
use perflab_ring::{Mode, Outcome, Reader, word};

use crate::support::{HEAD, KEEP, Kept, LOOK, Read, Told, check, load, own, producer, read, trace};

/// Events of a thread.
const EVENTS: u64 = 40_000;

/// Longest time that a test takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// Writes events on a ring, and returns those that found a place.
fn write(ring: &perflab_recorder::Mapping, thread: u32, pause: u64) -> Vec<u64> {
    let producer = producer(ring);
    let mut written = Vec::new();
    for event in 0..EVENTS {
        let words = [event, check(thread, event)];
        if producer.record(1, || 1000 + event, words, &()) == Outcome::Written {
            written.push(event);
        }
        if event % pause == 0 {
            thread::sleep(Duration::from_micros(100));
        }
    }
    ring.store(ring::ENDED, 1);
    written
}

fn of(told: &Told, thread: u32) -> &[Read] {
    &told.events[&(1, thread)]
}

#[test]
fn every_event_once_and_in_order_while_blocks_are_given_back() {
    let kept = Kept::new(own());
    kept.probe(1, "u64 event\nu64 check");
    // One whose ring is too small for what it writes, and two that wait now and then.
    let threads = [(1, 2, 100_000), (2, 8, 300), (3, 16, 700)];
    let rings = threads.map(|(thread, blocks, _)| kept.ring(thread, blocks, Mode::Keep));
    let mut recording = kept.recording(KEEP);
    let begin = Instant::now();
    let written = thread::scope(|scope| {
        let writers: Vec<_> = threads
            .iter()
            .zip(&rings)
            .map(|((thread, _, pause), ring)| scope.spawn(|| write(ring, *thread, *pause)))
            .collect();
        while rings.iter().any(|ring| load(ring, ring::DRAINED) == 0) {
            recording.round().unwrap();
            assert!(begin.elapsed() < PATIENCE);
        }
        writers
            .into_iter()
            .map(|writer| writer.join().unwrap())
            .collect::<Vec<_>>()
    });
    let (progress, bytes) = recording.finish().unwrap();
    let told = read(&bytes);
    let mut all = 0;
    for ((thread, ..), (written, ring)) in threads.iter().zip(written.iter().zip(&rings)) {
        let read = of(&told, *thread);
        assert!(
            read.iter()
                .map(|of| of.event(*thread).unwrap())
                .eq(written.iter().copied())
        );
        assert!(read.iter().map(|of| of.index).eq(0..written.len() as u64));
        let dropped = load(ring, word::DROPPED);
        assert_eq!(written.len() as u64 + dropped, EVENTS);
        assert_eq!(told.ends[&(1, *thread)], (written.len() as u64, dropped));
        // What a chunk says was dropped before its events really was.
        for of in read {
            assert!(of.index + of.dropped <= of.event(*thread).unwrap());
        }
        all += written.len() as u64;
    }
    assert_eq!(progress.events, all);
    assert_eq!(progress.events + progress.dropped, 3 * EVENTS);
    let others = progress.overwritten + progress.incomplete + progress.invalid + progress.broken;
    assert_eq!(others, 0, "{progress:?}");
}

#[test]
fn what_a_slow_reader_misses_is_counted() {
    let kept = Kept::new(own());
    kept.probe(1, "u64 event\nu64 check");
    let rings = [1, 2].map(|thread| kept.ring(thread, 4, Mode::Overwrite));
    let mut recording = kept.recording(LOOK);
    thread::scope(|scope| {
        let writers: Vec<_> = (1..)
            .zip(&rings)
            .map(|(thread, ring)| scope.spawn(move || write(ring, thread, 50)))
            .collect();
        while writers.iter().any(|writer| !writer.is_finished()) {
            recording.round().unwrap();
            thread::sleep(Duration::from_millis(20));
        }
    });
    let (progress, bytes) = recording.finish().unwrap();
    let told = read(&bytes);
    for thread in [1, 2] {
        // All found a place, so an event is the one of its number.
        let read = of(&told, thread);
        assert!(read.iter().all(|of| of.event(thread) == Some(of.index)));
        assert_eq!(read.last().unwrap().index, EVENTS - 1);
    }
    let counted = told.events.values().map(Vec::len).sum::<usize>() as u64;
    assert_eq!(progress.events, counted);
    assert!(progress.overwritten > 0);
    assert_eq!(progress.events + progress.overwritten, 2 * EVENTS);
    let others = progress.dropped + progress.incomplete + progress.invalid;
    assert_eq!(others, 0, "{progress:?}");
}

/// What a recorder had when it was let go is counted, though the thread writes over it before it is read.
#[test]
fn what_is_written_over_when_a_recorder_is_let_go_is_counted() {
    for blocks in [2, 4, 16].repeat(40) {
        let kept = Kept::new(own());
        kept.probe(1, "u64 event\nu64 check");
        kept.no_ring(0);
        let ring = kept.ring(1, blocks, Mode::Overwrite);
        let mut recording = kept.recording(KEEP);
        recording.round().unwrap();
        let is_done = AtomicBool::new(false);
        let (progress, end) = thread::scope(|scope| {
            scope.spawn(|| {
                let producer = producer(&ring);
                for event in 0.. {
                    // A block is full after two, so that the thread is quick.
                    let _ = producer.record(1, || 1000 + event, [0; 253], &());
                    if is_done.load(Ordering::Relaxed) {
                        break;
                    }
                }
            });
            let end = loop {
                let (head, blocks) = ring.words().split_at(HEAD);
                let events = Reader::new(head, blocks, RING_BLOCK_WORDS)
                    .unwrap()
                    .events();
                if let Some(events) = events.filter(|events| *events > 1000) {
                    break events;
                }
            };
            ring.store(ring::BEFORE_OVERWRITTEN, end);
            kept.loss(losses::LET_GO, 1);
            let (progress, _) = recording.finish().unwrap();
            is_done.store(true, Ordering::Relaxed);
            (progress, end)
        });
        // None has the words of its probe.
        assert_eq!(progress.overwritten + progress.invalid, end, "{progress:?}");
    }
}

#[test]
fn snapshots_beside_a_recording_change_nothing() {
    let kept = Kept::new(own());
    kept.probe(1, "u64 event\nu64 check");
    let ring = kept.ring(1, 8, Mode::Keep);
    let mut recording = kept.recording(KEEP);
    let is_done = AtomicBool::new(false);
    let (written, snapshots) = thread::scope(|scope| {
        let writer = scope.spawn(|| write(&ring, 1, 500));
        let looker = scope.spawn(|| {
            let mut snapshots = Vec::new();
            while !is_done.load(Ordering::Relaxed) || snapshots.len() < 3 {
                let before = load(&ring, word::NEEDED);
                let pass = snapshot(slice::from_ref(&kept.path), trace(), None).unwrap();
                assert!(load(&ring, word::NEEDED) >= before);
                snapshots.push(pass.writer);
            }
            snapshots
        });
        while load(&ring, ring::DRAINED) == 0 {
            recording.round().unwrap();
        }
        is_done.store(true, Ordering::Relaxed);
        (writer.join().unwrap(), looker.join().unwrap())
    });
    let (progress, bytes) = recording.finish().unwrap();
    assert_eq!(progress.events, written.len() as u64);
    assert_eq!(progress.events + progress.dropped, EVENTS);
    let told = read(&bytes);
    let all = of(&told, 1);
    assert!(snapshots.len() > 2);
    let mut seen = 0;
    for bytes in snapshots {
        let told = read(&bytes);
        for event in told.events.get(&(1, 1)).into_iter().flatten() {
            let same = &all[event.index as usize];
            assert_eq!((&same.values, same.time), (&event.values, event.time));
            seen += 1;
        }
    }
    assert!(seen > 0);
}

#[test]
fn a_ring_that_is_cut_short_while_it_is_read() {
    let kept = Kept::new(own());
    kept.probe(1, "u64 event\nu64 check");
    let rings = [1, 2, 3].map(|thread| kept.ring(thread, 16, Mode::Overwrite));
    for (thread, ring) in (1..).zip(&rings) {
        write(ring, thread, u64::MAX - 1);
        ring.store(ring::ENDED, 0);
    }
    let mut recording = kept.recording(LOOK);
    recording.round().unwrap();
    for (thread, ring) in (1..).zip(&rings) {
        for event in EVENTS..EVENTS + 300 {
            let _ = producer(ring).record(1, || event, [event, check(thread, event)], &());
        }
    }
    // The first loses all, the second its blocks, the third most of them; one more has been cut before.
    for (thread, bytes) in [(1, 0), (2, 4096), (3, 3 * 4096)] {
        let file = std::fs::OpenOptions::new()
            .write(true)
            .open(kept.ring_path(thread));
        file.unwrap().set_len(bytes).unwrap();
    }
    kept.ring(4, 2, Mode::Overwrite);
    let file = std::fs::OpenOptions::new()
        .write(true)
        .open(kept.ring_path(4));
    file.unwrap().set_len(4096 + 5).unwrap();
    for _ in 0..3 {
        recording.round().unwrap();
    }
    let (progress, bytes) = recording.finish().unwrap();
    assert_eq!(progress.broken, 4, "{progress:?}");
    let told = read(&bytes);
    for thread in [1, 2, 3] {
        for event in of(&told, thread) {
            assert!(
                event
                    .event(thread)
                    .is_none_or(|number| number == event.index)
            );
        }
    }
}
