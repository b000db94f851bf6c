//! Programs that would do harm, each refused with the rule that it breaks, at the instruction that does.

use perflab_bpf::opcode::*;
use perflab_bpf::{
    Class, HelperCall, Import, Instruction, MOST_IMPORTS, MOST_INSTRUCTIONS, MOST_LITERALS,
    Program, Rule, Size, verify,
};

use crate::assembler::*;

/// That each of these is refused at this instruction.
fn refuse(rule: Rule, programs: &[(usize, &[Instruction])]) {
    for (at, code) in programs {
        assert_eq!(refused(code), Some((*at, rule)), "{code:#?}");
    }
}

/// A call with the context in r1, the slot of a text in r2, and a literal in r3 and r4, of which some is replaced.
fn call_with(helper: i32, replaced: &[Instruction]) -> Vec<Instruction> {
    let mut code = vec![set(2, TEXT)];
    code.extend(wide(3, 6, 0, 0));
    code.push(set(4, 3));
    code.extend(replaced);
    code.extend([call(helper), exit()]);
    code
}

#[test]
fn v1_size() {
    let rule_of = |imports: &[Import<'_>], code: &[u8], literals: &[u8]| {
        let program = Program {
            imports,
            code,
            literals,
        };
        verify(&program)
            .map(|_| ())
            .map_err(|refused| (refused.at, refused.rule))
    };
    let size = |size| Err((0, Rule::Size(size)));
    let code = bytes(&[set(0, 1), exit()]);
    assert_eq!(rule_of(&[], &code, &[]), Ok(()));
    assert_eq!(rule_of(&[], &[], &[]), size(Size::Empty));
    assert_eq!(rule_of(&[], &code[..15], &[]), size(Size::Part));
    let mut most = vec![set(0, 1); MOST_INSTRUCTIONS - 1];
    most.push(exit());
    assert_eq!(rule_of(&[], &bytes(&most), &[]), Ok(()));
    most.insert(0, set(0, 1));
    assert_eq!(rule_of(&[], &bytes(&most), &[]), size(Size::Instructions));
    assert_eq!(rule_of(&[], &code, &[0; MOST_LITERALS]), Ok(()));
    assert_eq!(
        rule_of(&[], &code, &[0; MOST_LITERALS + 1]),
        size(Size::Literals)
    );
    let names: Vec<String> = (0..=MOST_IMPORTS)
        .map(|index| format!("a{index}"))
        .collect();
    let imports: Vec<Import<'_>> = names.iter().map(|name| import(Class::Text, name)).collect();
    assert_eq!(rule_of(&imports[1..], &code, &[]), Ok(()));
    assert_eq!(rule_of(&imports, &code, &[]), size(Size::Imports));
    let (one, other) = (import(Class::Text, "a"), import(Class::Integer, "a"));
    assert_eq!(rule_of(&[one, other], &code, &[]), size(Size::SameName));
    for name in ["größe", "_1", "a$b", "$ctx.vtid", &"a".repeat(160)] {
        assert_eq!(
            rule_of(&[import(Class::Text, name)], &code, &[]),
            Ok(()),
            "{name}"
        );
    }
    for name in [
        "",
        "a b",
        "a\nb",
        "a\u{1b}[2J",
        "a\u{202e}b",
        "\"a\"",
        &"a".repeat(161),
    ] {
        assert_eq!(
            rule_of(&[import(Class::Text, name)], &code, &[]),
            size(Size::Name),
            "{name}"
        );
    }
}

#[test]
fn v2_opcode() {
    // Each of these is one bit away from an instruction that is accepted.
    let unknown = [
        // Registers that do not exist.
        i(ALU64 | MOV, 11, 0, 0, 1),
        i(ALU64 | MOV | X, 0, 11, 0, 0),
        // Fields that are not used.
        i(ALU64 | MOV, 0, 1, 0, 1),
        i(ALU64 | MOV | X, 0, 1, 0, 1),
        i(ALU64 | ADD, 0, 0, 1, 1),
        i(ALU64 | MOV, 0, 0, 8, 1),
        i(ALU64 | MOV | X, 0, 1, 7, 0),
        i(ALU | MOV | X, 0, 1, 32, 0),
        i(ALU64 | DIV, 0, 0, 2, 1),
        i(ALU64 | NEG, 0, 1, 0, 0),
        i(ALU64 | NEG, 0, 0, 0, 1),
        i(ALU64 | NEG | X, 0, 0, 0, 0),
        i(ALU64 | END | X, 0, 0, 0, 16),
        i(ALU | END, 0, 0, 0, 8),
        i(ALU | END, 0, 1, 0, 16),
        i(ALU | 0xe0, 0, 0, 0, 0),
        i(ALU64 | 0xf0, 0, 0, 0, 0),
        i(LDX | MEM | DW, 0, 1, 0, 1),
        i(ST | MEM | DW, 10, 1, -8, 1),
        i(STX | MEM | DW, 10, 1, -8, 1),
        i(JMP | JA, 0, 0, 0, 1),
        i(JMP | JA | X, 0, 0, 0, 0),
        i(JMP | JA, 1, 0, 0, 0),
        i(JMP32 | JA, 0, 0, 1, 0),
        i(JMP | JEQ, 1, 1, 0, 0),
        i(JMP | JEQ | X, 1, 1, 0, 1),
        i(JMP | 0xe0, 0, 0, 0, 0),
        i(JMP | EXIT, 1, 0, 0, 0),
        i(JMP | EXIT, 0, 0, 0, 1),
        i(JMP | EXIT | X, 0, 0, 0, 0),
        i(JMP32 | EXIT, 0, 0, 0, 0),
        i(JMP | CALL, 1, 0, 0, 1),
        i(JMP | CALL, 0, 3, 0, 1),
        i(JMP | CALL, 0, 0, 1, 1),
        i(JMP32 | CALL, 0, 0, 0, 1),
        // Kinds of accesses that do not exist.
        i(LDX | MEMSX | DW, 0, 1, 0, 0),
        i(LDX | W, 0, 1, 0, 0),
        i(ST | MEMSX | W, 10, 0, -8, 0),
        i(ST | 0xc0 | W, 10, 0, -8, 0),
        i(STX | 0xc0 | B, 10, 1, -8, 0),
        i(LD | MEM | W, 0, 0, 0, 0),
        i(LD | 0xa0, 0, 0, 0, 0),
    ];
    for unknown in unknown {
        refuse(Rule::Opcode, &[(1, &[set(0, 1), unknown, exit()])]);
    }
}

#[test]
fn v3_wide() {
    let [first, second] = wide(0, 0, 1, 2);
    let end = LITERALS.len() as i32;
    refuse(
        Rule::Wide,
        &[
            // Half of one, at the end, before another instruction, and alone.
            (1, &[set(0, 1), first]),
            (0, &[first, exit()]),
            (1, &[set(0, 1), second, exit()]),
            // Something else in the second half.
            (0, &[first, i(0, 1, 0, 0, 0), exit()]),
            (0, &[first, i(0, 0, 0, 1, 0), exit()]),
            (0, &[i(WIDE, 0, 0, 1, 1), second, exit()]),
            // Maps, variables, code, other areas.
            (0, &[i(WIDE, 0, 1, 0, 1), second, exit()]),
            (0, &[i(WIDE, 0, 2, 0, 0), second, exit()]),
            (0, &[i(WIDE, 0, 3, 0, 0), second, exit()]),
            (0, &[i(WIDE, 0, 4, 0, 0), second, exit()]),
            (0, &[i(WIDE, 0, 5, 0, 0), second, exit()]),
            (0, &[i(WIDE, 0, 6, 0, 1), second, exit()]),
            // Before and behind the literals.
            (0, &[i(WIDE, 0, 6, 0, 0), i(0, 0, 0, 0, -1), exit()]),
            (0, &[i(WIDE, 0, 6, 0, 0), i(0, 0, 0, 0, end + 1), exit()]),
        ],
    );
}

#[test]
fn v4_backward() {
    refuse(
        Rule::Backward,
        &[
            // Endless.
            (1, &[set(0, 1), i(JMP | JA, 0, 0, -2, 0)]),
            (1, &[set(0, 1), i(JMP | JA, 0, 0, -1, 0)]),
            (1, &[set(0, 1), i(JMP32 | JA, 0, 0, 0, -1)]),
            (1, &[set(0, 1), i(JMP32 | JA, 0, 0, 0, i32::MIN)]),
            (2, &[set(0, 1), add(0, 1), jump(JLT, 0, 9, -2), exit()]),
            // Before the beginning.
            (1, &[set(0, 1), jump(JEQ, 0, 1, -100), exit()]),
        ],
    );
}

#[test]
fn v5_target() {
    let [first, second] = wide(0, 0, 1, 2);
    refuse(
        Rule::Target,
        &[
            (1, &[set(0, 1), i(JMP | JA, 0, 0, 0, 0)]),
            (1, &[set(0, 1), i(JMP | JA, 0, 0, 1, 0), exit()]),
            (1, &[set(0, 1), i(JMP32 | JA, 0, 0, 0, i32::MAX), exit()]),
            (1, &[set(0, 1), jump(JEQ, 0, 1, i16::MAX), exit()]),
            // What is in a number would be executed.
            (1, &[set(0, 1), jump(JEQ, 0, 1, 1), first, second, exit()]),
        ],
    );
}

#[test]
fn v6_end() {
    let [first, second] = wide(0, 0, 1, 2);
    refuse(
        Rule::End,
        &[
            (0, &[set(0, 1)]),
            (0, &[first, second]),
            (2, &[set(0, 1), jump(JEQ, 0, 1, 0), set(0, 2)]),
        ],
    );
}

#[test]
fn v7_unreachable() {
    refuse(
        Rule::Unreachable,
        &[
            (2, &[set(0, 1), exit(), exit()]),
            (2, &[set(0, 1), i(JMP | JA, 0, 0, 1, 0), set(0, 2), exit()]),
        ],
    );
}

#[test]
fn v8_unset() {
    let literal = wide(3, 6, 0, 0);
    let around = |one: Instruction, other: Instruction| {
        // One way or the other, then what they made of r7 is read.
        let to_other = jump(JEQ, 2, 0, 2);
        let meet = i(JMP | JA, 0, 0, 1, 0);
        [
            load(2, 1, 0),
            to_other,
            one,
            meet,
            other,
            load(0, 7, 0),
            exit(),
        ]
    };
    let stack = copy(7, 10);
    refuse(
        Rule::Unset,
        &[
            (0, &[copy(0, 2), exit()]),
            (0, &[add(0, 1), exit()]),
            (0, &[i(ALU64 | XOR | X, 0, 0, 0, 0), exit()]),
            (0, &[jump(JEQ, 3, 0, 0), set(0, 1), exit()]),
            (0, &[store(10, -8, 5), set(0, 1), exit()]),
            // Stack, none of which has a value, or not all.
            (0, &[load(0, 10, -8), exit()]),
            (1, &[i(ST | MEM | W, 10, 0, -8, 1), load(0, 10, -8), exit()]),
            (
                1,
                &[
                    i(ST | MEM | B, 10, 0, -8, 1),
                    i(LDX | MEM | B, 0, 10, -7, 0),
                    exit(),
                ],
            ),
            // After a call.
            (
                7,
                &[
                    copy(6, 1),
                    set(2, TEXT),
                    literal[0],
                    literal[1],
                    set(4, 3),
                    call(1),
                    set(0, 1),
                    copy(0, 3),
                    exit(),
                ],
            ),
            // An address of which a part is something else now.
            (
                2,
                &[
                    store(10, -8, 1),
                    i(ST | MEM | B, 10, 0, -8, 1),
                    load(0, 10, -8),
                    exit(),
                ],
            ),
            // On one way only.
            (
                3,
                &[
                    load(2, 1, 0),
                    jump(JEQ, 2, 0, 1),
                    set(0, 1),
                    copy(0, 0),
                    exit(),
                ],
            ),
            // A number on one way, an address on the other; two addresses.
            (5, &around(set(7, 1), stack)),
            (5, &around(copy(7, 1), stack)),
        ],
    );
    // Different addresses of the same memory.
    let moved = [
        load(2, 1, 0),
        store(10, -8, 2),
        copy(7, 10),
        jump(JEQ, 2, 0, 1),
        add(7, -8),
        load(0, 7, 0),
        exit(),
    ];
    assert_eq!(refused(&moved), Some((5, Rule::Unset)));
    // A number that was stored, over which an address is stored on one way; and another address on each way.
    for one in [2, 10] {
        let stored = [
            load(2, 1, 0),
            store(10, -8, one),
            jump(JEQ, 2, 0, 1),
            store(10, -8, 1),
            load(0, 10, -8),
            exit(),
        ];
        assert_eq!(refused(&stored), Some((4, Rule::Unset)), "r{one}");
    }
    // One half of a word on each way.
    let halves = [
        load(2, 1, 0),
        jump(JEQ, 2, 0, 2),
        i(ST | MEM | W, 10, 0, -8, 1),
        i(JMP | JA, 0, 0, 1, 0),
        i(ST | MEM | W, 10, 0, -4, 1),
        load(0, 10, -8),
        exit(),
    ];
    assert_eq!(refused(&halves), Some((5, Rule::Unset)));
    // Two jumps to one place, with a number and with an address.
    let jumps = [
        load(2, 1, 0),
        set(7, 1),
        jump(JEQ, 2, 0, 4),
        copy(7, 10),
        jump(JEQ, 2, 1, 2),
        set(0, 0),
        exit(),
        copy(0, 7),
        exit(),
    ];
    assert_eq!(refused(&jumps), Some((7, Rule::Unset)));
    // What a call was given, and what it might have been given.
    for register in 1..=5 {
        let mut code = vec![copy(6, 1), set(5, 1)];
        code.extend(test_text(1, TEXT, 0, 3));
        code.extend([copy(0, register), exit()]);
        assert_eq!(refused(&code), Some((8, Rule::Unset)), "r{register}");
    }
}

#[test]
fn v9_frame() {
    let [first, second] = wide(10, 0, 1, 2);
    refuse(
        Rule::Frame,
        &[
            (0, &[set(10, 1), set(0, 1), exit()]),
            (0, &[add(10, -8), set(0, 1), exit()]),
            (0, &[load(10, 1, 0), set(0, 1), exit()]),
            (0, &[first, second, set(0, 1), exit()]),
            (0, &[i(ALU64 | NEG, 10, 0, 0, 0), set(0, 1), exit()]),
        ],
    );
}

#[test]
fn v10_context() {
    refuse(
        Rule::Context,
        &[
            // Before and behind it.
            (0, &[load(0, 1, -8), exit()]),
            (0, &[load(0, 1, 24), exit()]),
            (0, &[load(0, 1, i16::MAX - 7), exit()]),
            (1, &[add(1, i32::MAX), load(0, 1, 0), exit()]),
            (1, &[add(1, i32::MIN), load(0, 1, 0), exit()]),
            // Not aligned, over two slots.
            (0, &[load(0, 1, 4), exit()]),
            (0, &[i(LDX | MEM | W, 0, 1, 1, 0), exit()]),
            (0, &[i(LDX | MEMSX | H, 0, 1, 7, 0), exit()]),
            // Of a floating-point number and a text: that would be an address.
            (0, &[load(0, 1, DOUBLE as i16), exit()]),
            (0, &[load(0, 1, TEXT as i16), exit()]),
            (0, &[i(LDX | MEM | B, 0, 1, TEXT as i16 + 3, 0), exit()]),
        ],
    );
}

#[test]
fn v11_stack() {
    refuse(
        Rule::Stack,
        &[
            // Behind it, below it, not aligned.
            (1, &[set(0, 1), store(10, 0, 0), exit()]),
            (1, &[set(0, 1), store(10, 8, 0), exit()]),
            (1, &[set(0, 1), store(10, -520, 0), exit()]),
            (1, &[set(0, 1), store(10, -12, 0), exit()]),
            (1, &[set(0, 1), i(ST | MEM | W, 10, 0, -2, 1), exit()]),
            (0, &[load(0, 10, 0), exit()]),
            (2, &[copy(7, 10), add(7, i32::MIN), store(7, 0, 10), exit()]),
            // A part of an address that was stored.
            (
                1,
                &[store(10, -8, 1), i(LDX | MEM | W, 0, 10, -8, 0), exit()],
            ),
            (
                1,
                &[store(10, -8, 10), i(LDX | MEM | B, 0, 10, -1, 0), exit()],
            ),
        ],
    );
}

#[test]
fn v12_store() {
    let [first, second] = wide(2, 6, 0, 0);
    refuse(
        Rule::Store,
        &[
            // To the event, to literals, anywhere.
            (1, &[set(0, 1), store(1, 0, 0), exit()]),
            (1, &[set(0, 1), i(ST | MEM | B, 1, 0, 0, 1), exit()]),
            (3, &[set(0, 1), first, second, store(2, 0, 0), exit()]),
            (1, &[set(0, 1), store(0, 0, 0), exit()]),
            (1, &[load(0, 1, 0), store(0, 0, 0), exit()]),
            // A part of an address.
            (0, &[i(STX | MEM | W, 10, 1, -8, 0), set(0, 1), exit()]),
            (0, &[i(STX | MEM | B, 10, 10, -8, 0), set(0, 1), exit()]),
        ],
    );
}

#[test]
fn v13_literal() {
    let [first, second] = wide(2, 6, 0, 0);
    let end = LITERALS.len() as i16;
    refuse(
        Rule::Literal,
        &[
            (2, &[first, second, load(0, 2, -1), exit()]),
            (2, &[first, second, load(0, 2, end - 7), exit()]),
            (2, &[first, second, i(LDX | MEM | B, 0, 2, end, 0), exit()]),
            (3, &[first, second, add(2, i32::MAX), load(0, 2, 0), exit()]),
        ],
    );
}

#[test]
fn v14_address() {
    let [first, second] = wide(2, 6, 0, 0);
    refuse(
        Rule::Address,
        &[
            // An address further by a number that is not known, or by other arithmetic.
            (1, &[load(2, 1, 0), i(ALU64 | ADD | X, 1, 2, 0, 0), exit()]),
            (1, &[load(2, 1, 0), i(ALU64 | ADD | X, 2, 1, 0, 0), exit()]),
            (0, &[i(ALU64 | SUB, 1, 0, 0, 8), exit()]),
            (0, &[i(ALU64 | SUB | X, 1, 10, 0, 0), exit()]),
            (0, &[i(ALU | ADD, 1, 0, 0, 0), exit()]),
            (0, &[i(ALU64 | OR, 1, 0, 0, 0), exit()]),
            (0, &[i(ALU | MOV | X, 0, 1, 0, 0), exit()]),
            (0, &[i(ALU64 | MOV | X, 0, 1, 32, 0), exit()]),
            (0, &[i(ALU64 | NEG, 1, 0, 0, 0), exit()]),
            (0, &[i(ALU | END, 1, 0, 0, 64), exit()]),
            (2, &[first, second, i(ALU64 | XOR | X, 2, 2, 0, 0), exit()]),
            (1, &[add(1, i32::MAX), add(1, i32::MAX), exit()]),
            // Where it lies is found by comparing.
            (0, &[jump(JGT, 1, 0, 0), set(0, 1), exit()]),
            (1, &[set(0, 1), i(JMP | JGT | X, 0, 1, 0, 0), exit()]),
            (0, &[i(JMP32 | JSET, 10, 0, 0, 1), set(0, 1), exit()]),
            // A number is an address: any memory.
            (1, &[set(2, 0), load(0, 2, 0), exit()]),
            (1, &[load(2, 1, 0), load(0, 2, 0), exit()]),
            // A number is wanted.
            (1, &[copy(2, 10), call(7), exit()]),
            (2, &[set(2, TEXT), copy(3, 1), call(5), exit()]),
        ],
    );
}

#[test]
fn v15_helper() {
    let [zero, zero_high] = wide(3, 6, 0, 1);
    let [behind, behind_high] = wide(3, 6, 0, LITERALS.len() as i32 - 2);
    let number = load(2, 1, 0);
    let refuse = |call, programs: &[(usize, &[Instruction])]| refuse(Rule::Helper(call), programs);
    refuse(
        HelperCall::Unknown,
        &[
            (0, &[call(0), exit()]),
            (0, &[call(10), exit()]),
            (0, &[call(-1), exit()]),
        ],
    );
    refuse(
        HelperCall::Context,
        &[
            (5, &call_with(1, &[set(1, 0)])),
            (5, &call_with(1, &[copy(1, 10)])),
            (5, &call_with(1, &[add(1, 8)])),
            (1, &[set(1, 7), call(7), exit()]),
        ],
    );
    // No slot, or one of another class.
    refuse(
        HelperCall::Slot,
        &[
            (5, &call_with(1, &[number])),
            (5, &call_with(1, &[set(2, TEXT + 1)])),
            (5, &call_with(1, &[set(2, TEXT + 8)])),
            (5, &call_with(1, &[set(2, -8)])),
            (5, &call_with(1, &[copy(2, 10)])),
            (5, &call_with(1, &[set(2, NUMBER)])),
            (5, &call_with(1, &[set(2, DOUBLE)])),
            (5, &call_with(6, &[set(2, TEXT)])),
            (5, &call_with(5, &[set(2, NUMBER)])),
            (5, &call_with(4, &[set(3, DOUBLE)])),
        ],
    );
    refuse(
        HelperCall::Literal,
        &[
            // It lies elsewhere, or not all of it there.
            (5, &call_with(1, &[copy(3, 10)])),
            (5, &call_with(1, &[set(3, 0)])),
            (5, &call_with(1, &[add(3, -1)])),
            (6, &call_with(1, &[behind, behind_high])),
            (5, &call_with(1, &[set(4, LITERALS.len() as i32 + 1)])),
            (5, &call_with(1, &[set(4, -1)])),
            // Its length is not known.
            (5, &call_with(1, &[load(4, 1, 0)])),
        ],
    );
    refuse(
        HelperCall::Zero,
        &[
            (6, &call_with(1, &[zero, zero_high])),
            (6, &call_with(2, &[zero, zero_high])),
        ],
    );
    // Too long.
    let code = bytes(&call_with(3, &[set(4, 1025)]));
    let program = Program {
        imports: &IMPORTS,
        code: &code,
        literals: &[b'x'; 2000],
    };
    let refused = verify(&program).unwrap_err();
    assert_eq!(
        (refused.at, refused.rule),
        (5, Rule::Helper(HelperCall::Long))
    );
}

#[test]
fn v16_result() {
    refuse(
        Rule::Result,
        &[
            (0, &[exit()]),
            // Where something lies.
            (1, &[copy(0, 1), exit()]),
            (1, &[copy(0, 10), exit()]),
            // On one way only.
            (3, &[load(2, 1, 0), jump(JEQ, 2, 0, 1), set(0, 1), exit()]),
        ],
    );
}

#[test]
fn v17_call() {
    refuse(
        Rule::Call,
        &[
            // Functions of the program, by another kind of number, at an address.
            (1, &[set(0, 1), i(JMP | CALL, 0, 1, 0, -1), exit()]),
            (1, &[set(0, 1), i(JMP | CALL, 0, 2, 0, 1), exit()]),
            (1, &[set(0, 1), i(JMP | CALL | X, 0, 0, 0, 0), exit()]),
            // Atomic operations.
            (1, &[set(0, 1), i(STX | 0xc0 | DW, 10, 0, -8, 0), exit()]),
            (1, &[set(0, 1), i(STX | 0xc0 | W, 10, 0, -8, 0xe1), exit()]),
            // Loads of packets.
            (1, &[set(0, 1), i(LD | 0x20 | W, 0, 0, 0, 0), exit()]),
            (1, &[set(0, 1), i(LD | 0x40 | B, 0, 1, 0, 0), exit()]),
        ],
    );
}

#[test]
fn a_refusal_says_where_and_why() {
    let code = bytes(&[set(0, 1), i(JMP | JA, 0, 0, -1, 0)]);
    let program = Program {
        imports: &IMPORTS,
        code: &code,
        literals: &[],
    };
    assert_eq!(
        verify(&program).unwrap_err().to_string(),
        "instruction 1: the jump does not lead forward (rule V4, backward)"
    );
}
