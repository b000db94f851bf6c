//! Everything that can come between two steps of the writer: signal handlers that write events of their
//! own, at any depth, and the end of the process. Exhaustive for small rings.
#![expect(unsafe_code, reason = "a producer is promised that its memory stays")]

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicU64, Ordering};

use perflab_ring::{
    BLOCK_HEAD, Event, Fill, HEAD_WORDS, Header, Mode, Outcome, PRODUCER_WORDS, Producer, Reader,
    TestPoint, TestPoints, Words, begin, own, word,
};

/// Words of a block: room for three records of four words.
const BLOCK: usize = BLOCK_HEAD + 3 * 4;

/// Rings of a thread: one more than handlers that interrupt each other here.
const LEVELS: usize = 4;

/// What producers say that are ready.
const READY: u64 = 77;

struct Ring {
    head: Vec<AtomicU64>,
    blocks: Vec<AtomicU64>,
    words: [AtomicU64; PRODUCER_WORDS],
}

impl Ring {
    fn new(blocks: usize, mode: Mode) -> Self {
        let zeros = |words| (0..words).map(|_| AtomicU64::new(0)).collect();
        let ring = Self {
            head: zeros(HEAD_WORDS),
            blocks: zeros(blocks * BLOCK),
            words: Default::default(),
        };
        ring.head[word::MODE].store(mode.to_word(), Ordering::Relaxed);
        assert!(begin(&ring.head, &ring.blocks, BLOCK));
        // SAFETY: the memory does not move, and nobody else writes to it.
        assert!(unsafe { ring.producer(0).open(&ring.head, &ring.blocks, BLOCK) });
        ring
    }

    /// As it is used by an event that begins in a frame.
    fn producer(&self, frame: u64) -> Producer<FrameWords<'_>> {
        Producer::new(FrameWords(&self.words, frame), READY)
    }

    fn reader(&self) -> Reader<'_> {
        Reader::new(&self.head, &self.blocks, BLOCK).unwrap()
    }
}

/// The words of a producer, and the address of the frame that uses them.
#[derive(Clone, Copy)]
struct FrameWords<'r>(&'r [AtomicU64; PRODUCER_WORDS], u64);

impl Words for FrameWords<'_> {
    fn load<const WORD: usize>(self) -> u64 {
        self.0.load::<WORD>()
    }

    fn store<const WORD: usize>(self, value: u64) {
        self.0.store::<WORD>(value);
    }

    fn store_frame<const WORD: usize>(self) {
        self.store::<WORD>(self.1);
    }
}

/// The frame of an event that interrupts none, and how much deeper one is that interrupts it.
const OUTERMOST: u64 = 1 << 20;
const DEEPER: u64 = 1 << 10;

/// The rings of a thread: in each a handler finds its place that interrupts an event in the one before.
type Memory = Vec<Ring>;

/// What a reader finds: the numbers of complete events, how many are not, and how many are lost.
#[derive(Debug, Default, PartialEq, Eq)]
struct Found {
    complete: Vec<u64>,
    incomplete: u64,
    lost: u64,
    dropped: u64,
}

fn read(memory: &Memory) -> Found {
    let mut found = Found::default();
    for ring in memory {
        read_ring(ring, &mut found);
    }
    found
}

fn read_ring(ring: &Ring, found: &mut Found) {
    let reader = ring.reader();
    let mut copy = vec![0; BLOCK];
    let mut expected: Option<u64> = None;
    let mut unwritten = 0;
    for number in reader.oldest()..=reader.position().block {
        let block = reader.copy(number, &mut copy).unwrap();
        let before = block.before.or(expected).unwrap_or_else(|| {
            panic!(
                "block {number} of {:?}: {:?}",
                reader.position(),
                ring.blocks
            )
        });
        if let Some(expected) = expected {
            // One that was left had a place there.
            let incomplete = before - expected;
            assert!(incomplete <= 1, "events before block {number}");
            found.incomplete += incomplete;
        } else {
            found.lost += before;
        }
        let mut count = 0;
        for record in block.records(0) {
            count += 1;
            let [event, check] = *record.words else {
                panic!("{record:?}");
            };
            assert_eq!(
                (record.time, check),
                (event + 1000, !event),
                "invented: {record:?}"
            );
            assert_eq!(u64::from(record.header.probe), event % 7);
            found.complete.push(event);
        }
        if number == reader.position().block {
            unwritten = reader.position().count - count;
            assert!(unwritten <= 1, "nothing follows one that is not complete");
            found.incomplete += unwritten;
        }
        expected = Some(before + count);
    }
    // An agent counts them at any step.
    let events = expected.map(|expected| expected + unwritten);
    assert_eq!(reader.events(), events, "{:?}", reader.position());
    found.dropped += reader.dropped();
}

/// Handlers that come at chosen steps, and an end at another.
struct Script<'m> {
    memory: &'m Memory,
    /// Test points so far, of all depths.
    step: Cell<u64>,
    /// At which steps a handler comes, and how many events it writes.
    handlers: Vec<(u64, u64)>,
    /// Events in the order in which they were complete.
    complete: RefCell<Vec<u64>>,
    /// Events that were begun.
    begun: Cell<u64>,
    /// How many events are interrupted by the one that begins next.
    depth: Cell<u64>,
    /// Events that no ring took.
    stuck: Cell<u64>,
    /// At which step the process ends.
    end: Option<u64>,
    /// At which step the thread jumps out of the outermost event, and goes on with the next.
    jump: Option<u64>,
}

/// The process has ended, or the thread has jumped.
struct Ended;

/// An event whose number says all its words: one before the time is taken, one behind it.
struct Numbers<'r, 's, 'm>(u64, &'r Running<'s, 'm>);

impl Fill for Numbers<'_, '_, '_> {
    fn before(&mut self, words: &[AtomicU64]) {
        words[0].store(self.0, Ordering::Relaxed);
        self.1.at(TestPoint::Written);
    }

    fn stamp(&mut self, words: &[AtomicU64; 2]) {
        words[1].store(self.0 + 1000, Ordering::Relaxed);
    }

    fn after(&mut self, words: &[AtomicU64]) {
        words[1].store(!self.0, Ordering::Relaxed);
        self.1.at(TestPoint::Written);
    }
}

impl Script<'_> {
    /// As the handler of a site does it.
    fn event(&self) {
        let number = self.begun.get();
        self.begun.set(number + 1);
        let header = Header {
            probe: (number % 7) as u32,
            words: 4,
            is_cut: false,
        };
        let event = Event {
            header: header.base(),
            words: 4,
        };
        let steps = Running(self, number);
        let words = || Numbers(number, &steps);
        let frame = OUTERMOST - DEEPER * self.depth.get();
        self.depth.set(self.depth.get() + 1);
        if !self.is_written(frame, event, words, &steps) {
            self.stuck.set(self.stuck.get() + 1);
        }
        self.depth.set(self.depth.get() - 1);
    }

    fn is_written<F: Fill>(
        &self,
        frame: u64,
        event: Event,
        words: impl Fn() -> F,
        steps: &impl TestPoints,
    ) -> bool {
        let first = self.memory[0].producer(frame);
        if first.record_quickly(event, words(), steps) {
            return true;
        }
        self.memory.iter().any(|ring| {
            let is_left = |busy| frame >= busy;
            match ring.producer(frame).record(event, words(), steps, is_left) {
                Outcome::Written | Outcome::Dropped => true,
                Outcome::Busy => false,
                Outcome::Closed => panic!("it was opened"),
            }
        })
    }
}

/// The steps of one event.
struct Running<'s, 'm>(&'s Script<'m>, u64);

impl TestPoints for Running<'_, '_> {
    fn at(&self, point: TestPoint) {
        let Self(script, event) = self;
        if point == TestPoint::Committed {
            script.complete.borrow_mut().push(*event);
        }
        let number = script.step.get();
        script.step.set(number + 1);
        if script.end == Some(number) || script.jump == Some(number) {
            std::panic::resume_unwind(Box::new(Ended));
        }
        for (at, events) in &script.handlers {
            if *at == number {
                for _ in 0..*events {
                    script.event();
                }
            }
        }
    }
}

/// What happens on a new ring.
#[derive(Debug, Clone)]
struct Case {
    blocks: usize,
    mode: Mode,
    events: u64,
    handlers: Vec<(u64, u64)>,
    end: Option<u64>,
    jump: Option<u64>,
}

impl Case {
    fn new(blocks: usize, mode: Mode, events: u64) -> Self {
        Self {
            blocks,
            mode,
            events,
            handlers: Vec::new(),
            end: None,
            jump: None,
        }
    }

    fn with_handler(&self, step: u64, events: u64) -> Self {
        let mut case = self.clone();
        case.handlers.push((step, events));
        case
    }

    fn ending(&self, step: u64) -> Self {
        Self {
            end: Some(step),
            ..self.clone()
        }
    }

    fn jumping(&self, step: u64) -> Self {
        Self {
            jump: Some(step),
            ..self.clone()
        }
    }

    /// Plays it, and reads what is left. Returns how many steps there were.
    fn play(&self) -> u64 {
        let memory: Memory = (0..LEVELS)
            .map(|_| Ring::new(self.blocks, self.mode))
            .collect();
        let script = Script {
            memory: &memory,
            step: Cell::new(0),
            handlers: self.handlers.clone(),
            complete: RefCell::default(),
            begun: Cell::new(0),
            depth: Cell::new(0),
            stuck: Cell::new(0),
            end: self.end,
            jump: self.jump,
        };
        let mut stopped = false;
        for _ in 0..self.events {
            let event = std::panic::AssertUnwindSafe(|| script.event());
            if std::panic::catch_unwind(event).is_err() {
                stopped = true;
                script.depth.set(0);
                if self.end.is_some() {
                    break;
                }
            }
        }
        assert_eq!(
            stopped,
            self.end.is_some() || self.jump.is_some(),
            "{self:?}"
        );
        self.check(&memory, &script, stopped);
        script.step.get()
    }

    fn check(&self, memory: &Memory, script: &Script<'_>, stopped: bool) {
        let found = read(memory);
        let complete = script.complete.borrow();
        // Nothing is invented or found twice.
        let mut unique = found.complete.clone();
        unique.sort_unstable();
        unique.dedup();
        assert_eq!(unique.len(), found.complete.len(), "{self:?}");
        assert!(
            unique.iter().all(|event| complete.contains(event)),
            "{self:?}: {found:?} {complete:?}"
        );
        let written = found.lost + found.incomplete + found.complete.len() as u64;
        let total = written + found.dropped + script.stuck.get();
        if stopped {
            // Of each depth one may not have come to its reservation.
            let begun = script.begun.get();
            assert!(
                total <= begun && total + 3 >= begun,
                "{self:?}: {total} of {begun}"
            );
            // What is complete is found, or was written over and is counted.
            let there = found.lost + found.complete.len() as u64;
            assert!(
                complete.len() as u64 <= there,
                "{self:?}: {found:?} {complete:?}"
            );
            if found.lost == 0 {
                let mut all = complete.clone();
                all.sort_unstable();
                assert_eq!(unique, all, "{self:?}");
            }
        } else {
            assert_eq!(found.incomplete, 0, "{self:?}");
            assert_eq!(total, script.begun.get(), "{self:?}: {found:?}");
        }
    }
}

/// A thread jumped out of a handler that came while the first event was about to open its producer.
#[test]
fn a_producer_that_was_never_opened() {
    let words: [AtomicU64; PRODUCER_WORDS] = Default::default();
    words[own::STATE].store(OUTERMOST, Ordering::Relaxed);
    let producer = Producer::new(&words, READY);
    let event = Event {
        header: 0,
        words: 2,
    };
    let record = |is_left| producer.record(event, Nothing, &(), |_| is_left);
    assert_eq!(
        (record(false), record(true)),
        (Outcome::Busy, Outcome::Closed)
    );
    assert_eq!(record(false), Outcome::Closed, "it can be opened");
}

struct Nothing;

impl Fill for Nothing {
    fn stamp(&mut self, _: &[AtomicU64; 2]) {}
}

const MODES: [Mode; 2] = [Mode::Overwrite, Mode::Keep];

#[test]
fn nothing_comes_between() {
    for mode in MODES {
        for events in 0..40 {
            Case::new(4, mode, events).play();
        }
    }
}

#[test]
fn the_process_ends_at_each_step() {
    for mode in MODES {
        let case = Case::new(2, mode, 12);
        for end in 0..case.play() {
            case.ending(end).play();
        }
    }
}

/// Fourteen events are more than a round of four blocks.
#[test]
fn a_handler_comes_at_each_step() {
    for mode in MODES {
        let case = Case::new(4, mode, 16);
        for at in 0..case.play() {
            for events in [1, 2, 3, 4, 7, 14, 30] {
                case.with_handler(at, events).play();
            }
        }
    }
}

#[test]
fn handlers_come_at_each_two_steps() {
    for mode in MODES {
        let case = Case::new(4, mode, 4);
        for first in 0..case.play() {
            for events in [1, 3, 5, 14] {
                let case = case.with_handler(first, events);
                for second in first + 1..case.play() {
                    for others in [1, 4, 14] {
                        case.with_handler(second, others).play();
                    }
                }
            }
        }
    }
}

#[test]
fn the_process_ends_at_each_step_of_a_handler_at_each_step() {
    for mode in MODES {
        let case = Case::new(4, mode, 5);
        for at in 0..case.play() {
            for events in [1, 4, 14] {
                let case = case.with_handler(at, events);
                for end in at + 1..case.play() {
                    case.ending(end).play();
                }
            }
        }
    }
}

#[test]
fn a_thread_jumps_out_of_an_event_at_each_step() {
    for mode in MODES {
        let case = Case::new(4, mode, 30);
        for at in 0..case.play() {
            case.jumping(at).play();
            for handler in at.saturating_sub(4)..=at {
                case.with_handler(handler, 2).jumping(at + 2).play();
            }
        }
    }
}
