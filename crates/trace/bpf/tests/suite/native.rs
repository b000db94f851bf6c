//! Native code: what a site passes, where its own values are, and what it cannot be made for.

#![expect(unsafe_code, reason = "events are judged")]

use std::sync::Arc;

use perflab_bpf::opcode::*;
use perflab_bpf::oracle::{Datum, Native};
use perflab_bpf::{
    CannotEmit, Class, Context, ContextField, Emitted, Import, Instruction, Lowered, Outside,
    Place, Target, Verdict, emit, judge, publish,
};

use crate::assembler::*;

/// Records if r2 is r3.
fn if_equal() -> [Instruction; 5] {
    [
        i(JMP | JEQ | X, 2, 3, 2, 0),
        set(0, 0),
        exit(),
        set(0, 1),
        exit(),
    ]
}

/// Whether the first import is a number.
fn is(import: Import<'_>, value: u64) -> Arc<Lowered> {
    let mut code = vec![load(2, 1, 0)];
    code.extend(wide(3, 0, value as i32, (value >> 32) as i32));
    code.extend(if_equal());
    Arc::new(lowered(&[import], &code, &[]))
}

#[test]
fn each_word_that_a_site_passes() {
    for count in [1, 5, 6, 24, 25, 128] {
        let words: Vec<u64> = (1..=count).map(|word| word << 33 | word).collect();
        for (at, word) in words.iter().enumerate() {
            let judged = |value| {
                let lowered = is(import(Class::Integer, "a"), value);
                let place = [Place::Number(at as u8)];
                let native = Native::new(&lowered, &place, words.len()).unwrap();
                // SAFETY: no texts.
                unsafe { native.judge(&words) }
            };
            assert_eq!(judged(*word), Verdict::Record, "{at} of {count}");
            assert_eq!(judged(*word + 1), Verdict::Reject, "{at} of {count}");
        }
    }
}

#[test]
fn texts_in_each_word() {
    let mut code = vec![copy(6, 1)];
    code.extend(test_text(1, 0, 0, 3));
    code.extend([jump(JSLE, 0, 0, 2), set(0, 1), exit(), set(0, 0), exit()]);
    let is_get = Arc::new(lowered(&[import(Class::Text, "a")], &code, LITERALS));
    // Its first byte.
    let code = [
        set(2, 0),
        set(3, 0),
        call(5),
        jump(JEQ, 0, i32::from(b'G'), 2),
        set(0, 0),
        exit(),
        set(0, 1),
        exit(),
    ];
    let has_g = Arc::new(lowered(&[import(Class::Text, "a")], &code, &[]));
    for (text, expected) in [(c"GET", Verdict::Record), (c"SET", Verdict::Reject)] {
        for at in 0..23 {
            let mut words = vec![u64::MAX; 24];
            words[at] = text.as_ptr() as u64;
            words[at + 1] = 3;
            let at = at as u8;
            let places = [
                Place::Terminated(at),
                Place::Counted(at),
                Place::TerminatedNofault(at),
                Place::CountedNofault(at),
            ];
            let outside = Outside {
                read: read_four,
                fill: |_, _| {},
            };
            for place in places {
                for lowered in [&is_get, &has_g] {
                    let native = Native::with_outside(lowered, &[place], words.len(), outside);
                    // SAFETY: the text is there.
                    let found = unsafe { native.unwrap().judge(&words) };
                    assert_eq!(found, expected, "{place:?} {lowered:#?}");
                }
            }
        }
    }
}

/// Reads a text of three bytes with its zero.
fn read_four(address: u64, to: &mut [u8]) -> usize {
    let count = to.len().min(4);
    // SAFETY: the tests have no other texts.
    let text = unsafe { std::slice::from_raw_parts(address as *const u8, count) };
    to[..count].copy_from_slice(text);
    count
}

#[test]
fn fields_of_the_context() {
    let outside = Outside {
        read: |_, _| 0,
        fill: |field, context| match field {
            ContextField::Vtid => context.vtid = 11,
            ContextField::Vpid => context.vpid = 12,
            ContextField::CpuId => context.cpu_id = 13,
            ContextField::Procname => context.procname = *b"sixteen-letters!",
            ContextField::PthreadId | ContextField::Ip => unreachable!("the code has these"),
        },
    };
    // SAFETY: it asks for the thread's own number.
    let thread = unsafe { libc::pthread_self() as u64 };
    let numbers = [
        (ContextField::Vtid, 11),
        (ContextField::Vpid, 12),
        (ContextField::CpuId, 13),
        (ContextField::PthreadId, thread),
    ];
    let judged = |lowered: &Arc<Lowered>, field| {
        let place = [Place::Context(field)];
        let native = Native::with_outside(lowered, &place, 0, outside).unwrap();
        // SAFETY: no texts.
        unsafe { native.judge(&[]) }
    };
    for (field, value) in numbers {
        let import = import(Class::Integer, field.name());
        assert_eq!(
            judged(&is(import, value), field),
            Verdict::Record,
            "{field:?}"
        );
        assert_eq!(
            judged(&is(import, value + 1), field),
            Verdict::Reject,
            "{field:?}"
        );
        // A part, and as a value.
        let code = [
            i(LDX | MEM | B, 0, 1, 0, 0),
            add(0, -i32::from(value as u8)),
            exit(),
        ];
        let lowered = Arc::new(lowered(&[import], &code, &[]));
        assert_eq!(judged(&lowered, field), Verdict::Reject, "{field:?}");
    }
    // An address in this test's own code: not the lowest, and not of a stack.
    let code = [
        load(2, 1, 0),
        i(JMP | JGT, 2, 0, 1, 4096),
        i(JMP | JA, 0, 0, 2, 0),
        set(0, 1),
        exit(),
        set(0, 0),
        exit(),
    ];
    let ip = Arc::new(lowered(&[import(Class::Integer, "$ctx.ip")], &code, &[]));
    assert_eq!(judged(&ip, ContextField::Ip), Verdict::Record);
    for (helper, length, expected) in [
        (1, 16, Verdict::Record),
        (1, 15, Verdict::Reject),
        (2, 15, Verdict::Record),
    ] {
        let mut code = vec![copy(6, 1)];
        code.extend(test_text(helper, 0, 0, length));
        code.push(exit());
        let import = [import(Class::Text, "$ctx.procname")];
        let lowered = Arc::new(lowered(&import, &code, b"sixteen-letters!"));
        assert_eq!(
            judged(&lowered, ContextField::Procname),
            expected,
            "{helper} {length}"
        );
    }
}

/// Values that wait for others, in each order, so that rax has one or the other of them.
#[test]
fn values_that_wait() {
    const NUMBERS: [Import<'static>; 2] =
        [import(Class::Integer, "a"), import(Class::Integer, "b")];
    let load_both = [load(2, 1, 0), add(2, 1), load(3, 1, 8), add(3, 2)];
    let operations = [ADD, SUB, MUL, OR, AND, XOR, DIV, MOD, LSH, RSH, ARSH];
    for operation in operations {
        for class in [ALU, ALU64] {
            for (one, other) in [(2, 3), (3, 2), (2, 2), (3, 3)] {
                let mut code = load_both.to_vec();
                code.push(i(class | operation | X, one, other, 0, 0));
                // Both are read later.
                code.extend([copy(0, 2), i(ALU64 | ADD | X, 0, 3, 0, 0), exit()]);
                for data in [(7, 3), (u64::MAX, 1), (1 << 40, 65), (0, 0)] {
                    let data = [Datum::Integer(data.0), Datum::Integer(data.1)];
                    // Interpreter, oracle and native code agree on what it is.
                    verdict(&NUMBERS, &code, &[], &data);
                }
            }
        }
    }
    for relation in [JEQ, JNE, JGT, JSLE, JSET] {
        for (one, other) in [(2, 3), (3, 2), (3, 3)] {
            let mut code = load_both.to_vec();
            code.extend([
                i(JMP | relation | X, one, other, 2, 0),
                copy(0, 3),
                exit(),
                copy(0, 2),
                exit(),
            ]);
            for data in [(7, 3), (1, 0), (u64::MAX, 1)] {
                let data = [Datum::Integer(data.0), Datum::Integer(data.1)];
                verdict(&NUMBERS, &code, &[], &data);
            }
        }
    }
}

/// A value that is written on two ways, and read where they meet.
#[test]
fn values_of_two_ways() {
    let code = [
        load(2, 1, 0),
        jump(JEQ, 2, 1, 3),
        load(3, 1, 0),
        add(3, 1),
        i(JMP | JA, 0, 0, 1, 0),
        set(3, 5),
        copy(0, 3),
        exit(),
    ];
    assert_eq!(usual(&code, 1, 0.0, b""), Verdict::Record);
    assert_eq!(usual(&code, u64::MAX, 0.0, b""), Verdict::Reject);
    // By the jump it is 5, else 2.
    let mut code = code.to_vec();
    code.pop();
    code.extend([add(0, -3), exit()]);
    assert_eq!(usual(&code, 1, 0.0, b""), Verdict::RecordAndTrigger);
    assert_eq!(usual(&code, 2, 0.0, b""), Verdict::Reject);
}

fn emitted(lowered: &Arc<Lowered>, places: &[Place]) -> Result<Emitted, CannotEmit> {
    emit(lowered, places, &target(false))
}

#[test]
fn more_values_than_there_is_room_for() {
    let keeps = |count: i16| {
        let mut code = vec![load(2, 1, 0)];
        for word in 1..=count {
            code.extend([add(2, 1), store(10, -8 * word, 2)]);
        }
        code.push(set(0, 0));
        for word in 1..=count {
            code.extend([load(3, 10, -8 * word), i(ALU64 | ADD | X, 0, 3, 0, 0)]);
        }
        code.push(exit());
        Arc::new(lowered(&[import(Class::Integer, "a")], &code, &[]))
    };
    assert!(emitted(&keeps(10), &[Place::Number(0)]).is_ok());
    let found = emitted(&keeps(20), &[Place::Number(0)]).unwrap_err();
    assert_eq!(found, CannotEmit::Values);
    assert_eq!(found.to_string(), "it keeps more than 14 values");
}

#[test]
fn more_code_than_there_may_be() {
    let mut code = vec![load(2, 1, 0), load(3, 1, 0)];
    code.extend([i(ALU64 | DIV | X, 2, 3, 0, 0); 4000]);
    code.extend([copy(0, 2), exit()]);
    let lowered = Arc::new(lowered(&[import(Class::Integer, "a")], &code, &[]));
    let found = emitted(&lowered, &[Place::Number(0)]).unwrap_err();
    assert_eq!(found, CannotEmit::Size);
}

/// Code of more than 32 KiB: what is rarely reached is far away from the operation, and from the beginning.
#[test]
fn jumps_over_much_code() {
    let imports = [import(Class::Integer, "a"), import(Class::Text, "t")];
    let mut code = vec![copy(6, 1), load(7, 6, 0)];
    // Each calls a function, and leaves the number as it is.
    code.extend([i(ALU64 | MOD, 7, 0, 0, i32::MAX); 3000]);
    code.push(jump(JNE, 7, 5, 12));
    // "SET1", which is compared with eight bytes at once.
    code.extend(test_text(1, 8, 4, 4));
    code.extend([jump(JSGT, 0, 0, 3), jump(JEQ, 0, 0, 4), set(0, 2), exit()]);
    code.extend([set(0, 1), exit(), set(0, 0), exit()]);
    let program = Arc::new(lowered(&imports, &code, LITERALS));
    let places = [Place::Number(0), Place::Terminated(1)];
    let starts = emitted(&program, &places).unwrap().starts().to_vec();
    assert!(starts.last() > Some(&(i16::MAX as u16)), "{starts:?}");
    let judged = |number, text| verdict(&imports, &code, LITERALS, &[Datum::Integer(number), text]);
    let (yes, no, absent) = (Verdict::Record, Verdict::Reject, Verdict::RecordAndTrigger);
    for (text, expected) in [
        (&b"SET1"[..], yes),
        (b"SET2", no),
        (b"SET", no),
        (b"SET1xyzxyz", no),
        (b"", no),
    ] {
        let text = Some(text.to_vec());
        for text in [Datum::Terminated(text.clone()), Datum::Counted(text)] {
            assert_eq!(judged(5, text.clone()), expected, "{text:?}");
            assert_eq!(judged(6, text.clone()), no, "{text:?}");
        }
    }
    for text in [Datum::Terminated(None), Datum::Counted(None)] {
        assert_eq!(judged(5, text), absent);
    }
}

/// A text whose length is as large as it can be does not become one that ends with a zero.
#[test]
fn the_largest_length() {
    let code = [
        set(2, 0),
        set(3, 4),
        call(5),
        jump(JEQ, 0, i32::from(b'd'), 2),
        set(0, 0),
        exit(),
        set(0, 1),
        exit(),
    ];
    let program = Arc::new(lowered(&[import(Class::Text, "t")], &code, &[]));
    let words = [b"ab\0cd".as_ptr() as u64, u64::MAX];
    let places = [Place::Counted(0)];
    let native = Native::new(&program, &places, words.len()).unwrap();
    // SAFETY: the byte that is read is there.
    let found = unsafe {
        let interpreted = judge(&program, &places, &words, &Context::default());
        [interpreted, native.judge(&words)]
    };
    assert_eq!(found, [Verdict::Record; 2]);
}

#[test]
fn places_that_do_not_fit() {
    let lowered = Arc::new(lowered(&IMPORTS, &[set(0, 0), exit()], &[]));
    let fit = [Place::Number(0), Place::Single(1), Place::Counted(22)];
    assert!(emitted(&lowered, &fit).is_ok());
    let others = [
        (0, Place::Single(0)),
        (0, Place::Terminated(0)),
        (0, Place::Context(ContextField::Procname)),
        (0, Place::Number(24)),
        (1, Place::Counted(0)),
        (1, Place::Context(ContextField::Vtid)),
        (2, Place::Number(0)),
        (2, Place::Context(ContextField::Ip)),
        (2, Place::CountedNofault(23)),
    ];
    for (import, place) in others {
        let mut places = fit;
        places[import] = place;
        let found = emitted(&lowered, &places).unwrap_err();
        assert_eq!(found, CannotEmit::Place(import), "{place:?}");
    }
    assert_eq!(
        emitted(&lowered, &fit[..2]).unwrap_err(),
        CannotEmit::Place(2)
    );
    let by_record = |at| {
        let places = [Place::Number(at), Place::Single(1), Place::Counted(22)];
        emit(&lowered, &places, &target(true)).err()
    };
    assert_eq!(by_record(127), None);
    assert_eq!(by_record(128), Some(CannotEmit::Place(0)));
}

#[test]
fn two_verdicts_that_lead_to_the_same() {
    let lowered = Arc::new(lowered(&IMPORTS, &[load(0, 1, 0), exit()], &[]));
    let places = [Place::Number(0), Place::Number(1), Place::Terminated(2)];
    let bytes = |trigger| {
        let target = Target {
            trigger,
            ..target(true)
        };
        emit(&lowered, &places, &target).unwrap().bytes().len()
    };
    assert!(bytes(0x2222) < bytes(0x3333));
}

extern "C" fn accepted() -> u64 {
    1
}

extern "C" fn rejected() -> u64 {
    0
}

#[test]
fn an_entry_elsewhere() {
    // With constants that must be aligned, and others. The code asks for the pattern, so it comes back from there.
    let literal = b"fifteen letters23 letter\0";
    let imports = [import(Class::Text, "a"), import(Class::Text, "b")];
    let mut code = vec![copy(6, 1)];
    code.extend(test_text(1, 0, 0, 15));
    code.push(jump(JSLE, 0, 0, 9));
    code.extend(test_text(3, 8, 15, 10));
    code.extend([jump(JSLE, 0, 0, 2), set(0, 1), exit(), set(0, 0), exit()]);
    let lowered = Arc::new(lowered(&imports, &code, literal));
    let target = Target {
        reject: rejected as *const () as usize,
        accept: accepted as *const () as usize,
        ..target(true)
    };
    let places = [Place::Terminated(0), Place::Terminated(1)];
    let plain = emit(&lowered, &places, &target).unwrap();
    assert_eq!(plain.starts().len(), lowered.ops().len());
    for entry in 0..64 {
        let emitted = emit(&lowered, &places, &target).unwrap().with_entry(entry);
        assert_eq!(emitted.entry(), usize::from(entry));
        let starts = plain.starts().iter().map(|start| start + u16::from(entry));
        assert!(emitted.starts().iter().copied().eq(starts));
        let length = emitted.instructions().len() - usize::from(entry);
        assert_eq!(length, plain.instructions().len());
        let code = publish(emitted, &mut |_, _| Ok(())).unwrap();
        for (one, other, expected) in [
            (c"fifteen letters", c"23 letters of some", 1),
            (c"fifteen letters", c"23 lettes", 0),
            (c"fifteen lettersX", c"23 letters", 0),
        ] {
            let words = [one, other].map(|text| text.as_ptr() as u64);
            // SAFETY: it is called as a site calls it, and the texts are there.
            let found = unsafe {
                let code = std::mem::transmute::<*const (), ByRecord>(code.entry());
                code(std::ptr::null(), words.as_ptr())
            };
            assert_eq!(found, expected, "{entry} {one:?} {other:?}");
        }
    }
}

type ByRecord = unsafe extern "C" fn(*const (), *const u64) -> u64;

#[test]
fn fields_are_asked_for_only_where_they_are_read() {
    let outside = Outside {
        read: |_, _| unreachable!("no text needs it"),
        fill: |_, _: &mut Context| unreachable!("no import is of the context"),
    };
    let lowered = is(import(Class::Integer, "a"), 7);
    let native = Native::with_outside(&lowered, &[Place::Number(0)], 1, outside).unwrap();
    // SAFETY: no texts.
    assert_eq!(unsafe { native.judge(&[7]) }, Verdict::Record);
}
