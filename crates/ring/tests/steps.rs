//! Everything that can come between two steps of the writer: signal handlers that write events of their
//! own, at any depth, and the end of the process. Exhaustive for small rings.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicU64, Ordering};

use perflab_ring::{
    BLOCK_HEAD, HEAD_WORDS, Mode, Outcome, Producer, Reader, State, Step, Steps, word,
};

/// Words of a block: room for three records of four words.
const BLOCK: usize = BLOCK_HEAD + 3 * 4;

struct Memory {
    head: Vec<AtomicU64>,
    blocks: Vec<AtomicU64>,
}

impl Memory {
    fn new(blocks: usize, mode: Mode) -> Self {
        let zeros = |words| (0..words).map(|_| AtomicU64::new(0)).collect();
        let memory = Self {
            head: zeros(HEAD_WORDS),
            blocks: zeros(blocks * BLOCK),
        };
        memory.head[word::MODE].store(mode.to_word(), Ordering::Relaxed);
        memory.producer().begin();
        memory
    }

    fn producer(&self) -> Producer<'_> {
        Producer::new(&self.head, &self.blocks, BLOCK).unwrap()
    }

    fn reader(&self) -> Reader<'_> {
        Reader::new(&self.head, &self.blocks, BLOCK).unwrap()
    }
}

/// What a reader finds: the numbers of complete events, how many are not, and how many are lost.
#[derive(Debug, Default, PartialEq, Eq)]
struct Found {
    complete: Vec<u64>,
    incomplete: u64,
    lost: u64,
}

fn read(memory: &Memory) -> Found {
    let reader = memory.reader();
    let mut copy = vec![0; BLOCK];
    let mut found = Found::default();
    let mut expected: Option<u64> = None;
    for number in reader.oldest()..=reader.position().block {
        let block = reader.copy(number, &mut copy).unwrap();
        let before = block.before.or(expected).unwrap_or_else(|| {
            panic!(
                "block {number} of {:?}: {:?}",
                reader.position(),
                memory.blocks
            )
        });
        if let Some(expected) = expected {
            assert_eq!(expected, before, "events before block {number}");
        } else {
            found.lost = before;
        }
        let mut count = 0;
        for record in block.records(0) {
            count += 1;
            match record.header.state {
                State::Committed => {
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
                State::Reserved => found.incomplete += 1,
            }
        }
        expected = Some(before + count);
    }
    found
}

/// Handlers that come at chosen steps, and an end at another.
struct Script<'m> {
    memory: &'m Memory,
    /// Steps so far, of all depths.
    step: Cell<u64>,
    /// At which steps a handler comes, and how many events it writes.
    handlers: Vec<(u64, u64)>,
    /// Events in the order in which they were complete.
    complete: RefCell<Vec<u64>>,
    /// Events that were begun.
    begun: Cell<u64>,
    /// Events that the ring did not take.
    stuck: Cell<u64>,
    /// At which step the process ends.
    end: Option<u64>,
    /// At which step the thread jumps out of the outermost event, and goes on with the next.
    jump: Option<u64>,
}

/// The process has ended, or the thread has jumped.
struct Ended;

impl Script<'_> {
    fn event(&self) {
        let event = self.begun.get();
        self.begun.set(event + 1);
        let outcome = self.memory.producer().record(
            (event % 7) as u32,
            || event + 1000,
            [event, !event],
            &Running(self, event),
        );
        if outcome == Outcome::Stuck {
            self.stuck.set(self.stuck.get() + 1);
        }
    }
}

/// The steps of one event.
struct Running<'s, 'm>(&'s Script<'m>, u64);

impl Steps for Running<'_, '_> {
    fn at(&self, step: Step) {
        let Self(script, event) = self;
        if step == Step::Committed {
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
        let memory = Memory::new(self.blocks, self.mode);
        let script = Script {
            memory: &memory,
            step: Cell::new(0),
            handlers: self.handlers.clone(),
            complete: RefCell::default(),
            begun: Cell::new(0),
            stuck: Cell::new(0),
            end: self.end,
            jump: self.jump,
        };
        let mut stopped = false;
        for _ in 0..self.events {
            let event = std::panic::AssertUnwindSafe(|| script.event());
            if std::panic::catch_unwind(event).is_err() {
                stopped = true;
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
        let total = written + memory.reader().dropped() + script.stuck.get();
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
