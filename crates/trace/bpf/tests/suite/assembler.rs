//! Programs as lists of instructions.

use std::sync::Arc;

use perflab_bpf::opcode::*;
use perflab_bpf::oracle::{Addresses, Datum, Passed, run};
use perflab_bpf::{
    Class, Import, Instruction, Lowered, Outside, Program, Refused, Rule, Target, Verdict, lower,
    verify,
};

/// An integer, a floating-point number and a text.
pub const IMPORTS: [Import<'static>; 3] = [
    import(Class::Integer, "number"),
    import(Class::Double, "double"),
    import(Class::Text, "text"),
];

/// Offsets of their slots.
pub const NUMBER: i32 = 0;
pub const DOUBLE: i32 = 8;
pub const TEXT: i32 = 16;

pub const LITERALS: &[u8] = b"GET\0SET123456789abcdef";

pub const fn import(class: Class, name: &str) -> Import<'_> {
    Import { class, name }
}

pub fn i(opcode: u8, dst: u8, src: u8, offset: i16, imm: i32) -> Instruction {
    Instruction {
        opcode,
        dst,
        src,
        offset,
        imm,
    }
}

/// A number into a register.
pub fn set(to: u8, imm: i32) -> Instruction {
    i(ALU64 | MOV, to, 0, 0, imm)
}

pub fn copy(to: u8, from: u8) -> Instruction {
    i(ALU64 | MOV | X, to, from, 0, 0)
}

pub fn add(to: u8, imm: i32) -> Instruction {
    i(ALU64 | ADD, to, 0, 0, imm)
}

/// Loads eight bytes.
pub fn load(to: u8, base: u8, offset: i16) -> Instruction {
    i(LDX | MEM | DW, to, base, offset, 0)
}

/// Stores eight bytes.
pub fn store(base: u8, offset: i16, from: u8) -> Instruction {
    i(STX | MEM | DW, base, from, offset, 0)
}

pub fn wide(to: u8, source: u8, low: i32, high: i32) -> [Instruction; 2] {
    [i(WIDE, to, source, 0, low), i(0, 0, 0, 0, high)]
}

pub fn call(helper: i32) -> Instruction {
    i(JMP | CALL, 0, 0, 0, helper)
}

pub fn exit() -> Instruction {
    i(JMP | EXIT, 0, 0, 0, 0)
}

/// Jumps if a register has a relation to a number.
pub fn jump(relation: u8, register: u8, imm: i32, by: i16) -> Instruction {
    i(JMP | relation, register, 0, by, imm)
}

/// Tests a text with so many literals from a place on; the context is in r6.
pub fn test_text(helper: i32, slot: i32, at: i32, bytes: i32) -> Vec<Instruction> {
    let [low, high] = wide(3, 6, 0, at);
    vec![
        copy(1, 6),
        set(2, slot),
        low,
        high,
        set(4, bytes),
        call(helper),
    ]
}

/// `text == "GET" && number > 512`, as `filter` generates it.
pub fn conjunction() -> Vec<Instruction> {
    let mut code = vec![copy(6, 1)];
    code.extend(test_text(1, TEXT, 0, 3));
    code.extend([
        jump(JSLE, 0, 0, 4),
        load(2, 6, NUMBER as i16),
        jump(JSLE, 2, 512, 2),
        set(0, 1),
        exit(),
        set(0, 0),
        exit(),
    ]);
    code
}

pub fn bytes(code: &[Instruction]) -> Vec<u8> {
    code.iter().flat_map(|each| each.encode()).collect()
}

/// The rule that a program breaks, and the instruction.
pub fn refused(code: &[Instruction]) -> Option<(usize, Rule)> {
    let code = bytes(code);
    let program = Program {
        imports: &IMPORTS,
        code: &code,
        literals: LITERALS,
    };
    verify(&program)
        .err()
        .map(|Refused { at, rule }| (at, rule))
}

/// What becomes of a program that is accepted.
pub fn lowered(imports: &[Import<'_>], code: &[Instruction], literals: &[u8]) -> Lowered {
    let code = bytes(code);
    let program = Program {
        imports,
        code: &code,
        literals,
    };
    lower(&verify(&program).unwrap())
}

/// What native code leads to.
pub fn target(by_record: bool) -> Target {
    Target {
        reject: 0x1111,
        accept: 0x2222,
        trigger: 0x3333,
        next: 0x4444,
        by_record,
        outside: Outside {
            read: |_, _| 0,
            fill: |_, _| {},
        },
    }
}

/// The verdict on an event, on which interpreter, native code and oracle agree.
pub fn verdict(
    imports: &[Import<'_>],
    code: &[Instruction],
    literals: &[u8],
    data: &[Datum],
) -> Verdict {
    let lowered = Arc::new(lowered(imports, code, literals));
    let passed = Passed::new(data, 0, false);
    let judged = passed.judged(&lowered);
    match passed.native(&lowered) {
        Some(native) => assert_eq!(passed.judged_by(&native), judged, "{data:?} {lowered:#?}"),
        // Others have room for all their values.
        None => assert!(lowered.registers() > 14, "{lowered:#?}"),
    }
    let code = bytes(code);
    let program = Program {
        imports,
        code: &code,
        literals,
    };
    let expected = run(&program, data, Addresses::FIRST);
    assert_eq!(expected, Ok(judged), "{data:?}");
    judged
}

/// As [`verdict`], of a program with [`IMPORTS`].
pub fn usual(code: &[Instruction], number: u64, double: f64, text: &[u8]) -> Verdict {
    let data = [
        Datum::Integer(number),
        Datum::Double(double.to_bits()),
        Datum::Terminated(Some(text.to_vec())),
    ];
    verdict(&IMPORTS, code, LITERALS, &data)
}
