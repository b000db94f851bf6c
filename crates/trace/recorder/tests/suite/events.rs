//! From a ring to a trace: what events say, what is missing, what is not complete.

use std::cell::RefCell;
use std::slice;
use std::time::{Duration, Instant};

use crate::support::{KEEP, Kept, LOOK, Value, check, dead, load, own, producer, read, trace};
use perflab_abi::recording::{NULL_TEXT, losses, ring};
use perflab_abi::{ChunkKind, CostContent};
use perflab_recorder::{Manner, Mapping, Progress, Recording, Since, recover, snapshot};
use perflab_ring::{Mode, Outcome, TestPoint, TestPoints, word};
use perflab_trace_file::{Trace, TraceWriter};

fn text(bytes: &[u8; 8]) -> u64 {
    u64::from_le_bytes(*bytes)
}

#[test]
fn all_that_a_process_says() {
    let kept = Kept::new(own());
    let types =
        "i32 a\nu64 b\nf32 c\nf64 d\nbool e\nptr f\ncstr g\nstr h\nbytes i\nenum(A=-1,B=2) j";
    kept.probe(3, types);
    kept.probe(4, "");
    kept.snapshot(5, 5);
    kept.append(ChunkKind::COST, |writer| {
        let cost = CostContent {
            process: 0,
            probe: 3,
            picoseconds: 9000,
        };
        cost.encode(writer).unwrap();
    });
    kept.no_ring(17);
    let ring = kept.ring(7, 2, Mode::Overwrite);
    let words = [
        -5i64 as u64,
        u64::MAX,
        u64::from(1.5f32.to_bits()),
        (-2.5f64).to_bits(),
        1,
        0x7fff_0000_1234,
        11,
        text(b"hello wo"),
        text(b"rld\xff\xff\xff\xff\xff"),
        NULL_TEXT,
        0,
        -1i64 as u64,
    ];
    let outcome = producer(&ring).record(3, || 1000, words, &());
    assert_eq!(outcome, Outcome::Written);
    let outcome = producer(&ring).record(4, || 990, [], &());
    assert_eq!(outcome, Outcome::Written);
    let mut recording = Recording::new(trace(), LOOK);
    assert_eq!(recording.add(&kept.path).unwrap(), 1);
    assert_eq!(recording.add(&kept.path).unwrap(), 1);
    assert_eq!(recording.round().unwrap().events, 2);
    let probes: Vec<_> = recording.probes().map(|of| (of.name, of.events)).collect();
    assert_eq!(probes, [("sold3".to_owned(), 1), ("sold4".to_owned(), 1)]);
    let (progress, bytes) = recording.finish().unwrap();
    let expected = Progress {
        events: 2,
        no_ring: 17,
        bytes: progress.bytes,
        ..Progress::default()
    };
    assert_eq!(progress, expected);
    let told = read(&bytes);
    assert!(told.is_ended);
    let program = "/bin/program".to_owned();
    assert_eq!(told.processes, [(1, kept.process.pid, program)]);
    assert_eq!(told.threads[&(1, 7)], (107, "worker".to_owned()));
    assert_eq!(told.losses, [(1, 17)]);
    // The agent's, and one at the end.
    assert_eq!(told.snapshots.len(), 2);
    assert!(told.snapshots.iter().all(|snapshot| snapshot.process == 1));
    let [first, second] = told.events[&(1, 7)].as_slice() else {
        panic!("{told:?}");
    };
    assert_eq!((first.time, second.time, second.probe), (1000, 990, 4));
    let values = [
        Value::Signed(-5),
        Value::Unsigned(u64::MAX),
        Value::Bits32(1.5f32.to_bits()),
        Value::Bits64((-2.5f64).to_bits()),
        Value::Unsigned(1),
        Value::Unsigned(0x7fff_0000_1234),
        Value::Text(Some(b"hello world".to_vec())),
        Value::Text(None),
        Value::Text(Some(Vec::new())),
        Value::Signed(-1),
    ];
    assert_eq!(first.values, values);
}

/// Their events are counted beside those of the process that made them, and the trace has the sum.
#[test]
fn children_that_could_not_be_recorded() {
    let kept = Kept::new(own());
    kept.probe(3, "");
    kept.snapshot(5, 5);
    kept.no_ring(1);
    let mut recording = kept.recording(LOOK);
    recording.round().unwrap();
    kept.unreached(20, &[11, 12]);
    recording.round().unwrap();
    assert_eq!(recording.processes()[0].unreached(), [11, 12]);
    let (progress, bytes) = recording.finish().unwrap();
    assert_eq!((progress.no_ring, progress.unreached), (1, 20));
    assert_eq!(read(&bytes).losses, [(1, 1), (1, 21)]);
}

/// A child is counted a moment before it is named, and the names go when a recording ends, also those that nobody read.
#[test]
fn children_are_named_for_as_long_as_the_trace_is_written() {
    let kept = Kept::new(own());
    kept.probe(3, "");
    kept.snapshot(5, 5);
    kept.no_ring(0);
    let mut recording = kept.recording(LOOK);
    let mut names_after = |number: u64, children: &[u64]| {
        kept.unreached(number, children);
        recording.round().unwrap();
        recording.processes()[0].unreached().to_vec()
    };
    assert_eq!(names_after(1, &[]), []);
    assert_eq!(names_after(1, &[11]), [11]);
    assert_eq!(names_after(5, &[0, 0]), [11]);
    assert_eq!(names_after(6, &[12, 11]), [11, 12]);
    // Nobody believes a process that names others all the time.
    for first in (100..1000).step_by(16) {
        let others: Vec<u64> = (first..first + 16).collect();
        assert!(names_after(first, &others).len() <= 16);
    }
}

#[test]
fn what_was_written_over_or_found_no_place() {
    let kept = Kept::new(dead());
    kept.probe(1, "u64 event\nu64 check");
    let rings = [
        (1, 4, Mode::Overwrite, 1000),
        (2, 4, Mode::Keep, 1000),
        (3, 16, Mode::Overwrite, 3000),
    ];
    for (number, blocks, mode, events) in rings {
        let ring = kept.ring(number, blocks, mode);
        for event in 0..events {
            let _ = producer(&ring).record(1, || event, [event, check(number, event)], &());
        }
    }
    let pass = recover(slice::from_ref(&kept.path), trace()).unwrap();
    let told = read(&pass.writer);
    let of = |thread| told.events[&(1, thread)].iter().map(|event| event.index);
    // 127 events fit into a block: the last of them has 111, three whole ones are before it.
    assert!(of(1).eq(508..1000), "{:?}", of(1).next());
    assert!(of(2).eq(0..508), "{:?}", of(2).next_back());
    // The block of the last has the number 23.
    assert!(of(3).eq(8 * 127..3000), "{:?}", of(3).next());
    // Also said of those behind the last event.
    assert_eq!(told.ends[&(1, 2)], (508, 492));
    let progress = pass.progress;
    assert_eq!((progress.dropped, progress.overwritten), (492, 508 + 1016));
    assert_eq!(progress.events, 1000 + 1984);
    // So does the file.
    let totals = Trace::from_bytes(pass.writer).unwrap().totals();
    let lost = (totals.dropped, totals.overwritten, totals.earlier);
    assert_eq!((totals.events, lost), (2984, (492, 1524, 0)));
}

/// Does something, once, when a thread is written.
struct AtThread<F>(Option<F>);

impl<F: FnOnce()> std::io::Write for AtThread<F> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if bytes.get(4..6) == Some(&ChunkKind::THREAD.0.to_le_bytes())
            && let Some(action) = self.0.take()
        {
            action();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_probe_that_comes_within_a_round() {
    let kept = Kept::of_events();
    let ring = kept.ring(1, 2, Mode::Overwrite);
    let _ = producer(&ring).record(1, || 1, [1], &());
    let to = AtThread(Some(|| {
        kept.probe(2, "u64 event");
        let _ = producer(&ring).record(2, || 2, [2], &());
    }));
    let mut recording = Recording::new(TraceWriter::new(to), LOOK);
    recording.add(&kept.path).unwrap();
    let progress = recording.round().unwrap();
    assert_eq!((progress.events, progress.invalid), (2, 0));
}

#[test]
fn probes_that_come_late_and_events_of_none() {
    let kept = Kept::of_events();
    let ring = kept.ring(1, 2, Mode::Overwrite);
    let mut recording = kept.recording(LOOK);
    recording.round().unwrap();
    kept.probe(2, "str text");
    let _ = producer(&ring).record(2, || 1, [2, text(b"ab\0\0\0\0\0\0")], &());
    let _ = producer(&ring).record(5, || 2, [1], &());
    let _ = producer(&ring).record(1, || 3, [1, 2], &());
    let _ = producer(&ring).record(1, || 4, [7], &());
    let _ = producer(&ring).record(2, || 5, [1 << 40], &());
    let progress = recording.round().unwrap();
    assert_eq!((progress.events, progress.invalid), (2, 3));
    let (_, bytes) = recording.finish().unwrap();
    let told = read(&bytes);
    let probes: Vec<_> = told.events[&(1, 1)].iter().map(|of| of.probe).collect();
    assert_eq!(probes, [2, 0, 0, 1, 0]);
}

/// Does something, once, when an event has its place and is not complete.
struct Meanwhile<F>(RefCell<Option<F>>);

impl<F: FnOnce()> TestPoints for Meanwhile<F> {
    fn at(&self, point: TestPoint) {
        if point == TestPoint::Placed {
            let action = self.0.borrow_mut().take();
            if let Some(action) = action {
                action();
            }
        }
    }
}

fn meanwhile<F: FnOnce()>(action: F) -> Meanwhile<F> {
    Meanwhile(RefCell::new(Some(action)))
}

#[test]
fn an_event_that_becomes_complete_later() {
    let kept = Kept::of_events();
    let rings = [1, 2].map(|number| kept.ring(number, 2, Mode::Keep));
    let mut recording = kept.recording(KEEP);
    let interrupted = producer(&rings[0]);
    let _ = interrupted.record(1, || 10, [0], &());
    let mut seen = Vec::new();
    let steps = meanwhile(|| {
        seen.push(recording.round().unwrap().events);
        // A signal handler has another ring.
        let _ = producer(&rings[1]).record(1, || 30, [2], &());
        seen.push(recording.round().unwrap().events);
    });
    let _ = interrupted.record(1, || 20, [1], &steps);
    seen.push(recording.round().unwrap().events);
    assert_eq!(seen, [1, 2, 3]);
    let (progress, bytes) = recording.finish().unwrap();
    assert_eq!(progress.incomplete, 0);
    let told = read(&bytes);
    let times = |ring| {
        let events = told.events[&(1, ring)].iter();
        events.map(|of| of.time).collect::<Vec<_>>()
    };
    assert_eq!((times(1), times(2)), (vec![10, 20], vec![30]));
    // Before it is complete, no round promises more than the last event before it.
    assert_eq!(told.rounds[0], (1, 10));
    assert!(told.rounds[1].1 > 1_000_000, "{:?}", told.rounds);
}

#[test]
fn an_event_that_is_given_up() {
    let kept = Kept::of_events();
    let ring = kept.ring(1, 4, Mode::Keep);
    let mut recording = kept.recording(KEEP);
    let producer = producer(&ring);
    let begin = Instant::now();
    let steps = meanwhile(|| {
        assert_eq!(recording.round().unwrap().incomplete, 0);
        while recording.round().unwrap().incomplete == 0 {
            assert!(begin.elapsed() < Duration::from_secs(60));
        }
    });
    let _ = producer.record(1, || 20, [1], &steps);
    assert!(begin.elapsed() >= Duration::from_secs(1));
    // It was stopped, and goes on.
    for event in 0..200 {
        let _ = producer.record(1, || 30, [event], &());
    }
    let (progress, bytes) = recording.finish().unwrap();
    assert_eq!((progress.events, progress.incomplete), (200, 1));
    assert_eq!(progress.invalid, 0);
    let told = read(&bytes);
    let all = told.events[&(1, 1)].iter().map(|of| (of.index, of.probe));
    assert!(all.eq((0..201).map(|index| (index, u32::from(index > 0)))));
    assert!(told.rounds.iter().any(|(_, time)| *time > 1_000_000));
}

#[test]
fn an_event_that_is_not_complete_at_the_end_is_counted() {
    let kept = Kept::of_events();
    let ring = kept.ring(1, 4, Mode::Keep);
    let mut recording = kept.recording(KEEP);
    let steps = meanwhile(|| recording.last_round().unwrap());
    let _ = producer(&ring).record(1, || 20, [5], &steps);
    let (progress, _) = recording.finish().unwrap();
    assert_eq!((progress.events, progress.incomplete), (0, 1));
}

/// Writes a number of events.
fn write(ring: &Mapping, events: u64) {
    for event in 0..events {
        let _ = producer(ring).record(1, || 10, [event], &());
    }
}

#[test]
fn what_the_next_recorder_reads_is_not_read_twice() {
    let kept = Kept::of_events();
    let ring = kept.ring(1, 4, Mode::Keep);
    let write = |events| write(&ring, events);
    let mut recording = kept.recording(KEEP);
    write(10);
    kept.no_ring(0);
    recording.round().unwrap();
    // The process lets the recorder go after 5 more, and the next one comes at once.
    write(5);
    ring.store(ring::BEFORE_OVERWRITTEN, 15);
    ring.store(ring::BEFORE_KEPT, 15);
    write(7);
    kept.no_ring(9);
    kept.loss(losses::BEFORE_OVERWRITTEN[0], 4);
    kept.loss(losses::BEFORE_KEPT[0], 4);
    kept.loss(losses::LET_GO, 1);
    let (progress, _) = recording.finish().unwrap();
    assert_eq!((progress.events, progress.no_ring), (15, 4));
}

/// It has written a part of what it writes when it lets a recorder go: that one has all events.
#[test]
fn a_process_that_dies_while_it_lets_its_recorder_go() {
    for step in 0..4 {
        let kept = Kept::of_events();
        let ring = kept.ring(1, 4, Mode::Keep);
        let write = |events| write(&ring, events);
        let mut recording = kept.recording(KEEP);
        write(10);
        kept.no_ring(0);
        kept.loss(losses::HAS_OWN, 1);
        recording.round().unwrap();
        write(5);
        if step > 0 {
            ring.store(word::MODE, Mode::Overwrite.to_word());
        }
        if step > 1 {
            ring.store(ring::BEFORE_OVERWRITTEN, 15);
        }
        kept.loss(losses::NO_RING, 9);
        if step > 2 {
            kept.loss(losses::BEFORE_OVERWRITTEN[0], 4);
        }
        write(7);
        let (progress, _) = recording.finish().unwrap();
        assert_eq!((progress.events, progress.no_ring), (22, 9), "{step}");
        assert_eq!(progress.lost(), 9, "{step}");
    }
}

#[test]
fn what_a_process_without_rings_lost_is_counted_where_it_does_not_answer() {
    let kept = Kept::of_events();
    let mut recording = kept.recording(KEEP);
    recording.round().unwrap();
    kept.no_ring(3);
    let (progress, _) = recording.finish().unwrap();
    assert_eq!(progress.no_ring, 3);
}

#[test]
fn a_snapshot_does_not_wait_for_an_event() {
    let kept = Kept::of_events();
    let ring = kept.ring(1, 4, Mode::Overwrite);
    let producer = producer(&ring);
    for event in 0..5 {
        let _ = producer.record(1, || 10, [event], &());
    }
    let steps = meanwhile(|| {
        let pass = snapshot(slice::from_ref(&kept.path), trace(), None).unwrap();
        let progress = pass.progress;
        assert_eq!((progress.events, progress.incomplete), (5, 0));
    });
    let _ = producer.record(1, || 20, [5], &steps);
    let pass = snapshot(slice::from_ref(&kept.path), trace(), None).unwrap();
    assert_eq!(pass.progress.events, 6);
}

#[test]
fn what_was_dropped_before_the_first_round_is_counted() {
    let kept = Kept::of_events();
    kept.snapshot(1, 1);
    let ring = kept.ring(1, 2, Mode::Keep);
    let young = 1 << 62;
    // 169 events fit into a block.
    for event in 0..400 {
        let _ = producer(&ring).record(1, || young, [event], &());
    }
    let manner = Manner {
        keep: true,
        since: Since::Last(Duration::ZERO),
    };
    let mut recording = kept.recording(manner);
    let progress = recording.round().unwrap();
    assert_eq!((progress.events, progress.dropped), (338, 62));
}

#[test]
fn a_ring_that_is_removed_has_ended() {
    let kept = Kept::of_events();
    let ring = kept.ring(1, 2, Mode::Keep);
    let mut recording = kept.recording(KEEP);
    let _ = producer(&ring).record(1, || 1, [1], &());
    recording.round().unwrap();
    let _ = producer(&ring).record(1, || 1, [2], &());
    std::fs::remove_file(kept.ring_path(1)).unwrap();
    assert_eq!(recording.round().unwrap().events, 2);
    assert_eq!(load(&ring, ring::DRAINED), 1);
}

#[test]
fn what_was_given_back_is_not_taken_again() {
    let kept = Kept::of_events();
    let ring = kept.ring(1, 4, Mode::Overwrite);
    for event in 0..1000 {
        let _ = producer(&ring).record(1, || 1, [event], &());
    }
    // An agent gives back all that was there when it begins to keep.
    ring.store(word::MODE, Mode::Keep.to_word());
    ring.store(word::NEEDED, 50);
    let mut recording = kept.recording(KEEP);
    assert!(recording.round().unwrap().events > 300);
    assert_eq!(load(&ring, word::NEEDED), 50);
}

/// The process ends at a step.
struct End(TestPoint);

impl TestPoints for End {
    fn at(&self, point: TestPoint) {
        if point == self.0 {
            std::panic::resume_unwind(Box::new(()));
        }
    }
}

#[test]
fn a_process_that_ended_within_a_record() {
    for end in [TestPoint::Placed, TestPoint::Written] {
        let kept = Kept::new(dead());
        kept.probe(1, "u64 event");
        let ring = kept.ring(1, 2, Mode::Overwrite);
        let _ = producer(&ring).record(1, || 1, [1], &());
        let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            producer(&ring).record(1, || 2, [2], &End(end))
        }));
        assert!(ended.is_err());
        let pass = recover(slice::from_ref(&kept.path), trace()).unwrap();
        let progress = pass.progress;
        assert_eq!((progress.events, progress.incomplete), (1, 1), "{end:?}");
        let told = read(&pass.writer);
        let probes: Vec<_> = told.events[&(1, 1)].iter().map(|of| of.probe).collect();
        assert_eq!(probes, [1, 0]);
    }
}

#[test]
fn the_last_seconds() {
    let kept = Kept::of_events();
    let clock = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    let second = 1_000_000_000;
    // As of a machine that is up for a while, whenever this one was started.
    let now = clock.tv_sec as u64 * second;
    kept.snapshot(now / 2, now / 2);
    let ring = kept.ring(1, 2, Mode::Overwrite);
    for age in [40, 30, 20, 10, 35] {
        let _ = producer(&ring).record(1, || now - age * second, [age], &());
    }
    let last = Some(Duration::from_secs(25));
    let pass = snapshot(slice::from_ref(&kept.path), trace(), last).unwrap();
    assert_eq!((pass.progress.events, pass.progress.earlier), (3, 2));
    let totals = Trace::from_bytes(pass.writer.clone()).unwrap().totals();
    let lost = (totals.dropped, totals.overwritten, totals.earlier);
    assert_eq!((totals.events, lost), (3, (0, 0, 2)));
    let told = read(&pass.writer);
    let first = &told.events[&(1, 1)][0];
    assert_eq!(first.index, 2);
    assert_eq!(first.values, [Value::Unsigned(20)]);
    let manner = Manner {
        keep: false,
        since: Since::Last(Duration::ZERO),
    };
    let mut recording = kept.recording(manner);
    assert_eq!(recording.round().unwrap().events, 0);
    let _ = producer(&ring).record(1, || now + 1000 * second, [0], &());
    assert_eq!(recording.round().unwrap().events, 1);
    assert_eq!(load(&ring, word::NEEDED) + load(&ring, ring::DRAINED), 0);
}

/// What was written over is missing only if nothing that is older than it was asked for is still there.
#[test]
fn memory_that_may_not_reach_back() {
    let kept = Kept::new(own());
    kept.probe(1, "u64 event\nu64 check");
    let clock = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    let second = 1_000_000_000;
    let now = clock.tv_sec as u64 * second;
    kept.snapshot(now / 2, now / 2);
    // Two blocks of 127 events each, of which the newest 146 are there.
    for (number, age) in [(1, 20), (2, 40)] {
        let ring = kept.ring(number, 2, Mode::Overwrite);
        for event in 0..400 {
            let age = if event < 300 { age } else { 20 };
            let values = [event, check(number, event)];
            let _ = producer(&ring).record(1, || now - age * second, values, &());
        }
    }
    let short = |seconds| {
        let last = Some(Duration::from_secs(seconds));
        let pass = snapshot(slice::from_ref(&kept.path), trace(), last).unwrap();
        assert_eq!(pass.progress.overwritten, 0);
        pass.progress.short
    };
    assert_eq!((short(1), short(30), short(50)), (0, 1, 2));
}

#[test]
fn a_late_first_round_makes_no_event_older() {
    let monotonic = || {
        let clock = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
        clock.tv_sec as u64 * 1_000_000_000 + clock.tv_nsec as u64
    };
    let kept = Kept::of_events();
    let now = monotonic();
    kept.snapshot(now / 2, now / 2);
    let ring = kept.ring(1, 2, Mode::Keep);
    let _ = producer(&ring).record(1, monotonic, [0], &());
    std::thread::sleep(Duration::from_millis(20));
    let manner = Manner {
        keep: true,
        since: Since::Moment(Instant::now()),
    };
    let mut recording = kept.recording(manner);
    let _ = producer(&ring).record(1, monotonic, [1], &());
    std::thread::sleep(Duration::from_millis(20));
    let progress = recording.round().unwrap();
    assert_eq!((progress.events, progress.earlier), (1, 1));
}

#[test]
fn losses_of_former_recordings_are_theirs() {
    let kept = Kept::new(own());
    kept.probe(1, "u64 event\nu64 check");
    kept.snapshot(1, 1);
    let young = 1 << 62;
    let ring = kept.ring(1, 4, Mode::Keep);
    let write = |events: u64| {
        for event in 0..events {
            let _ = producer(&ring).record(1, || young, [event, check(1, event)], &());
        }
    };
    let totals = |bytes: Vec<u8>| {
        let totals = Trace::from_bytes(bytes).unwrap().totals();
        let lost = (totals.dropped, totals.overwritten, totals.earlier);
        (totals.events, lost)
    };
    // Four blocks of 127 events, and 492 that found no room.
    write(1000);
    kept.no_ring(7);
    // All of another recorder.
    ring.store(ring::BEFORE_KEPT, 508);
    ring.store(ring::OTHERS_BEFORE_KEPT, 508);
    ring.store(ring::DROPPED_BEFORE_KEPT, 492);
    ring.store(ring::DROPPED_OTHERS_BEFORE_KEPT, 492);
    ring.store(word::NEEDED, 3);
    kept.loss(losses::BEFORE_KEPT[0], 5);
    kept.loss(losses::OTHERS_BEFORE_KEPT[0], 5);
    // Three blocks, and nineteen events.
    write(400);
    let manner = Manner {
        keep: true,
        since: Since::Moment(Instant::now()),
    };
    let mut recording = kept.recording(manner);
    recording.round().unwrap();
    let (progress, bytes) = recording.finish().unwrap();
    assert_eq!((progress.events, progress.dropped), (381, 19));
    assert_eq!((progress.overwritten, progress.earlier), (0, 508));
    assert_eq!(progress.no_ring, 2);
    assert_eq!(read(&bytes).losses, [(1, 2)]);
    assert_eq!(totals(bytes), (381, (19, 0, 508)));
    // Who looks on knows what is there, and of nothing that was read before.
    let pass = snapshot(slice::from_ref(&kept.path), trace(), None).unwrap();
    let progress = pass.progress;
    assert_eq!((progress.overwritten, progress.earlier), (0, 381));
    assert_eq!((progress.events, progress.no_ring), (508, 2));
    assert_eq!(progress.dropped, 19);
    // The newest over the oldest.
    ring.store(word::MODE, Mode::Overwrite.to_word());
    ring.store(ring::BEFORE_OVERWRITTEN, 889);
    ring.store(ring::DROPPED_BEFORE_OVERWRITTEN, 511);
    kept.loss(losses::BEFORE_OVERWRITTEN[0], 7);
    write(1000);
    let pass = snapshot(slice::from_ref(&kept.path), trace(), None).unwrap();
    let progress = pass.progress;
    assert_eq!((progress.events, progress.dropped), (492, 0));
    assert_eq!((progress.overwritten, progress.earlier), (508, 889));
    assert_eq!(progress.no_ring, 0);
    assert_eq!(totals(pass.writer), (492, (0, 508, 889)));
}

#[test]
fn own_losses_before_a_recorder_are_counted() {
    let kept = Kept::new(own());
    kept.probe(1, "u64 event\nu64 check");
    kept.snapshot(1, 1);
    let ring = kept.ring(1, 4, Mode::Overwrite);
    let write = |events: u64| {
        for event in 0..events {
            let _ = producer(&ring).record(1, || 1 << 62, [event, check(1, event)], &());
        }
    };
    write(1000);
    kept.no_ring(9);
    // Of the first 100 events and 2 losses nobody knows; a recorder that came now had 300 events and a loss.
    ring.store(ring::OTHERS_BEFORE_KEPT, 100);
    kept.loss(losses::OTHERS_BEFORE_KEPT[0], 2);
    ring.store(ring::BEFORE_KEPT, 1000);
    kept.loss(losses::BEFORE_KEPT[0], 5);
    write(300);
    ring.store(ring::BEFORE_OVERWRITTEN, 1300);
    kept.loss(losses::BEFORE_OVERWRITTEN[0], 6);
    let progress = || {
        let pass = snapshot(slice::from_ref(&kept.path), trace(), None).unwrap();
        let totals = Trace::from_bytes(pass.writer).unwrap().totals();
        let progress = pass.progress;
        assert_eq!(totals.overwritten, progress.overwritten);
        progress
    };
    // The oldest that is there is the recorder's or not.
    let first = progress();
    assert_eq!(first.overwritten, 1300 - first.events - 100);
    assert_eq!((first.earlier, first.no_ring), (100, 6));
    write(1000);
    let second = progress();
    assert_eq!(second.overwritten, 2300 - second.events - 400);
    assert_eq!((second.earlier, second.no_ring), (400, 6));
}
