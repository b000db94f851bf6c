use std::cell::RefCell;
use std::sync::Arc;

use perflab_abi::{
    Actions, Alternative, Description, Effect, FilterImport, FilterWish, Point, Reader, Trigger,
    Writer,
};
use perflab_bpf::{Class, Instruction, opcode};
use perflab_ring::Words;

use super::super::acting::tests::in_turn;
use super::super::bind::{fit, words};
use super::super::codes::Codes;
use super::super::{Filter, marks};
use super::*;
use crate::record::{THREAD_MARK, ThreadWords};

/// The assembler has made as many bytes for each as this module counts.
#[test]
fn the_last_gate_is_where_it_is_counted_to_be() {
    for number in [0, 1, GATES - 1] {
        let gate = Gate(number);
        let code = gate.handler().cast::<[u8; GATE]>();
        // SAFETY: code, which can be read.
        let code = unsafe { code.read_unaligned() };
        // It begins with `lea`, and ends with a jump.
        let [0x4c, 0x8d, 0x1d, a, b, c, d, .., 0x41, 0xff, 0x23] = code else {
            panic!("gate {number}: {code:02x?}");
        };
        let distance = i32::from_le_bytes([a, b, c, d]);
        let next = gate.handler().addr() + 7;
        let cell = next.wrapping_add_signed(distance as isize);
        assert_eq!(cell, std::ptr::from_ref(gate.cell()).addr(), "{number}");
    }
}

thread_local! {
    /// Events that came to the handler, each with the mark of the thread.
    static EVENTS: RefCell<Vec<(u64, Vec<u64>)>> = const { RefCell::new(Vec::new()) };
}

fn event(words: &[u64]) {
    let mark = ThreadWords::new().load::<THREAD_MARK>();
    EVENTS.with_borrow_mut(|events| events.push((mark, words.to_vec())));
}

extern "C-unwind" fn each_word(
    _: *const Point,
    a: u64,
    b: u64,
    c: u64,
    d: u64,
    e: u64,
    f: u64,
    g: u64,
    h: u64,
) {
    event(&[a, b, c, d, e, f, g, h]);
}

unsafe extern "C-unwind" fn by_record(_: *const Point, words: *const u64) {
    // SAFETY: called below.
    event(unsafe { std::slice::from_raw_parts(words, WORDS) });
}

const WORDS: usize = 8;

/// What the words are called.
const NAMES: [&str; WORDS] = ["a", "b", "c", "d", "e", "f", "g", "h"];

/// The text of a probe with these arguments.
fn text() -> String {
    let arguments = NAMES.map(|name| format!("\nu64 {name}")).concat();
    format!("p\nn\nf\n1{arguments}")
}

/// The bytes of a filter that accepts events in which an argument is 7.
fn wish(name: &str, actions: Actions) -> Vec<u8> {
    let instruction = |opcode, src, offset, imm| Instruction {
        opcode,
        dst: 0,
        src,
        offset,
        imm,
    };
    let load = opcode::LDX | opcode::MEM | opcode::DW;
    let is_not = opcode::JMP | opcode::JNE;
    let set = opcode::ALU64 | opcode::MOV;
    let exit = opcode::JMP | opcode::EXIT;
    let code = [
        instruction(load, 1, 0, 0),
        instruction(is_not, 0, 2, 7),
        instruction(set, 0, 0, 1),
        instruction(exit, 0, 0, 0),
        instruction(set, 0, 0, 0),
        instruction(exit, 0, 0, 0),
    ];
    let code = code.map(Instruction::encode).concat();
    let imports = [FilterImport {
        class: Class::Integer as u8,
        name,
    }];
    let program = Alternative {
        imports: imports.into_iter(),
        code: &code,
        literals: &[],
    };
    let mut buffer = [0; 200];
    let mut writer = Writer::new(&mut buffer);
    let programs = [program].into_iter();
    FilterWish::write(&mut writer, "", actions, "it is 7", programs).unwrap();
    let written = writer.written();
    buffer[..written].to_vec()
}

fn filter(bytes: &[u8]) -> Filter {
    let mut fields = Reader::new(bytes);
    let wish = FilterWish::decode(&mut fields).unwrap();
    let filter = Filter::read(&wish).unwrap();
    filter.with_triggers(&mut fields).unwrap()
}

/// Has a gate called as a site calls it, with these words.
fn hit(gate: &Gate, is_by_record: bool, words: &[u64; WORDS]) {
    let point = std::ptr::null();
    let handler = gate.handler();
    let [a, b, c, d, e, f, g, h] = *words;
    // SAFETY: a gate takes what its handler takes, and neither comes to the point.
    unsafe {
        if is_by_record {
            let handler = std::mem::transmute::<
                *mut (),
                unsafe extern "C-unwind" fn(*const Point, *const u64),
            >(handler);
            handler(point, words.as_ptr());
        } else {
            let handler = std::mem::transmute::<
                *mut (),
                extern "C-unwind" fn(*const Point, u64, u64, u64, u64, u64, u64, u64, u64),
            >(handler);
            handler(point, a, b, c, d, e, f, g, h);
        }
    }
}

/// Each argument, in a register, on the stack and in a record, decides in both ways; and the handler gets all words, in
/// a thread that has come out of the gate.
#[test]
fn events_are_judged_and_handed_on() {
    marks::begin();
    let text = text();
    let description = Description::parse(&text).unwrap();
    let gate = Gate(GATES - 2);
    let mut codes = Codes::new();
    for is_by_record in [false, true] {
        let next = if is_by_record {
            by_record as *mut ()
        } else {
            each_word as *mut ()
        };
        for (at, name) in NAMES.into_iter().enumerate() {
            let judges = [Arc::new(filter(&wish(name, Actions::default())))];
            let made = codes.made(Bound {
                stages: fit(&judges, &description).unwrap(),
                judges: judges.into(),
                words: words(&description),
                by_record: is_by_record,
                next: next.addr(),
            });
            assert_eq!(made.code().map(|_| ()), Ok(()), "there is machine code");
            let mut accepted = [10, 11, 12, 13, 14, 15, 16, 17];
            let rejected = accepted;
            accepted[at] = 7;
            for lead in [made.lead(), Lead::Interpreted(&made.bound)] {
                // SAFETY: it is led elsewhere before that goes.
                unsafe { gate.lead(lead) };
                hit(&gate, is_by_record, &rejected);
                hit(&gate, is_by_record, &accepted);
                let events = EVENTS.take();
                assert_eq!(events, [(1, accepted.to_vec())], "{lead:?}");
            }
            // SAFETY: handlers stay.
            unsafe { gate.lead(Lead::Plain(next)) };
            hit(&gate, is_by_record, &rejected);
            assert_eq!(EVENTS.take(), [(1, rejected.to_vec())]);
            // SAFETY: that stays.
            unsafe { gate.lead(Lead::Nowhere) };
            hit(&gate, is_by_record, &accepted);
            assert_eq!(EVENTS.take(), []);
        }
    }
    assert_eq!(ThreadWords::new().load::<THREAD_MARK>(), 1);
}

/// Has a gate called for events, in each of which one argument is 7, as machine code and as the interpreter judge.
/// Returns which of them came to the handler.
fn taken(bytes: &[u8], events: &str) -> [String; 2] {
    let text = text();
    let description = Description::parse(&text).unwrap();
    let gate = Gate(GATES - 3);
    let mut codes = Codes::new();
    [false, true].map(|is_interpreted| {
        let filter = Arc::new(filter(bytes));
        let triggers = filter.triggers(&description).cloned();
        let judges: Vec<Arc<Filter>> = triggers.chain([Arc::clone(&filter)]).collect();
        let made = codes.made(Bound {
            stages: fit(&judges, &description).unwrap(),
            judges: judges.into(),
            words: words(&description),
            by_record: false,
            next: (each_word as *mut ()).addr(),
        });
        assert!(made.code().is_ok(), "there is machine code");
        let lead = match is_interpreted {
            false => made.lead(),
            true => Lead::Interpreted(&made.bound),
        };
        // SAFETY: it is led elsewhere before that goes.
        unsafe { gate.lead(lead) };
        for name in events.chars() {
            let mut event = [0, 1, 2, 3, 4, 5, 6, 8];
            let at = NAMES.iter().position(|other| other.starts_with(name));
            event[at.unwrap()] = 7;
            hit(&gate, false, &event);
        }
        // SAFETY: that stays.
        unsafe { gate.lead(Lead::Nowhere) };
        let came = EVENTS.take();
        assert!(came.iter().all(|(mark, _)| *mark == 1), "{came:?}");
        let which = |(_, words): &(u64, Vec<u64>)| words.iter().position(|word| *word == 7);
        came.iter()
            .map(|event| NAMES[which(event).unwrap()])
            .collect()
    })
}

/// What is done about accepted events, in both ways of judging.
#[test]
fn some_accepted_events_are_taken() {
    in_turn(|| {
        marks::begin();
        let every = |every| Actions {
            every,
            ..Actions::default()
        };
        assert_eq!(taken(&wish("g", every(1)), "gagg"), ["ggg"; 2]);
        assert_eq!(taken(&wish("g", every(3)), "ggaggggg"), ["ggg"; 2]);
        let at_most = Actions {
            at_most: 2,
            ..Actions::default()
        };
        assert_eq!(taken(&wish("g", at_most), "gagbggg"), ["gg"; 2]);
        let both = Actions {
            every: 2,
            at_most: 2,
            ..Actions::default()
        };
        assert_eq!(taken(&wish("g", both), "ggggggg"), ["gg"; 2]);
    });
}

/// Recordings that begin with `b`, end with `f`, or both.
#[test]
fn events_that_a_recording_waits_for_are_taken() {
    in_turn(|| {
        marks::begin();
        let with = |triggers: &[(Effect, &str)]| {
            let actions = Actions {
                every: 2,
                ..Actions::default()
            };
            let mut bytes = wish("g", actions);
            for (effect, name) in triggers {
                let mut head = [0; 20];
                let mut writer = Writer::new(&mut head);
                Trigger::begin(&mut writer, *effect, "p:*", 0).unwrap();
                let written = writer.written();
                bytes.extend_from_slice(&head[..written]);
                bytes.extend(wish(name, Actions::default()));
            }
            bytes
        };
        let (start, stop) = ((Effect::Start, "b"), (Effect::Stop, "f"));
        assert_eq!(taken(&with(&[start]), "agfgbagggbfg"), ["bggb"; 2]);
        assert_eq!(taken(&with(&[stop]), "gfaggfg"), ["gfgf"; 2]);
        for both in [[start, stop], [stop, start]] {
            assert_eq!(taken(&with(&both), "agfgbagggbfgf"), ["bggbff"; 2]);
        }
        // The first one begins the recording, and the next one ends it.
        let same = [start, (Effect::Stop, "b")];
        assert_eq!(taken(&with(&same), "gbgbg"), ["bgb"; 2]);
        assert!(!filter(&with(&same)).has_come());
    });
}

#[test]
fn gates_are_given_and_given_back() {
    let mut gates = Gates::new();
    let all: Vec<Gate> = (0..3).map(|_| gates.take().unwrap()).collect();
    gates.give_back(all);
    assert_eq!((gates.given, gates.free.len()), (3, 3));
    for _ in 0..3 {
        gates.take().unwrap();
    }
    gates.given = GATES;
    let reason = gates.take().unwrap_err();
    assert!(reason.contains("2048 places"), "{reason}");
}
