//! Arithmetic, comparisons, and helpers for floating-point numbers, at their edges.

#![expect(
    unsafe_code,
    reason = "a thread gets other settings for floating-point numbers"
)]

use std::arch::asm;
use std::sync::Arc;

use perflab_bpf::opcode::*;
use perflab_bpf::oracle::{Datum, Passed};
use perflab_bpf::{Class, Instruction, Verdict};

use crate::assembler::*;

const NUMBERS: [Import; 2] = [import(Class::Integer, "a"), import(Class::Integer, "b")];
type Import = perflab_bpf::Import<'static>;

/// Whether an instruction makes `result` of r0 and r2, with both numbers from the event, and with constants.
fn makes(instruction: Instruction, (one, other): (u64, u64), result: u64) {
    let number = |to, value: u64| wide(to, 0, value as i32, (value >> 32) as i32);
    let loads = vec![load(0, 1, 0), load(2, 1, 8)];
    let constants = [number(0, one), number(2, other)].concat();
    let mixed = [&[load(0, 1, 0)][..], &number(2, other)].concat();
    for mut code in [loads, constants, mixed] {
        code.push(instruction);
        code.extend(number(3, result));
        code.extend([
            i(JMP | JEQ | X, 0, 3, 2, 0),
            set(0, 0),
            exit(),
            set(0, 1),
            exit(),
        ]);
        let data = [Datum::Integer(one), Datum::Integer(other)];
        let verdict = verdict(&NUMBERS, &code, &[], &data);
        assert_eq!(verdict, Verdict::Record, "{code:#?} {one:#x} {other:#x}");
    }
}

#[test]
fn arithmetic() {
    const MIN: u64 = i64::MIN as u64;
    const MINUS: u64 = -1_i64 as u64;
    let with = |operation, offset| i(operation | X, 0, 2, offset, 0);
    // By zero, and the one quotient that does not fit.
    makes(with(ALU64 | DIV, 0), (7, 0), 0);
    makes(with(ALU64 | DIV, 1), (7, 0), 0);
    makes(with(ALU64 | MOD, 0), (MINUS, 0), MINUS);
    makes(with(ALU64 | MOD, 1), (MINUS, 0), MINUS);
    makes(with(ALU | DIV, 0), (MINUS, 1 << 32), 0);
    makes(with(ALU | MOD, 0), (MINUS, 1 << 32), 0xffff_ffff);
    makes(with(ALU | MOD, 1), (MINUS, 1 << 32), 0xffff_ffff);
    makes(with(ALU64 | DIV, 1), (MIN, MINUS), MIN);
    makes(with(ALU64 | MOD, 1), (MIN, MINUS), 0);
    makes(with(ALU | DIV, 1), (0x8000_0000, MINUS), 0x8000_0000);
    makes(with(ALU | MOD, 1), (0x8000_0000, MINUS), 0);
    // Signed and unsigned; the remainder has the sign of the first number.
    makes(
        with(ALU64 | DIV, 0),
        (-13_i64 as u64, 3),
        0x5555_5555_5555_5551,
    );
    makes(with(ALU64 | DIV, 1), (-13_i64 as u64, 3), -4_i64 as u64);
    makes(with(ALU64 | MOD, 1), (-13_i64 as u64, 3), -1_i64 as u64);
    makes(with(ALU | DIV, 0), (-13_i64 as u64, 3), 0x5555_5551);
    makes(with(ALU | DIV, 1), (-13_i64 as u64, 3), 0xffff_fffc);
    makes(i(ALU64 | DIV, 0, 0, 0, -1), (MINUS, 0), 1);
    makes(i(ALU | DIV, 0, 0, 0, -1), (MINUS, 0), 1);
    makes(i(ALU64 | DIV, 0, 0, 1, -1), (5, 0), -5_i64 as u64);
    // Shifts by more than there are bits.
    makes(with(ALU64 | LSH, 0), (1, 65), 2);
    makes(with(ALU64 | RSH, 0), (MIN, 127), 1);
    makes(with(ALU64 | ARSH, 0), (MIN, 127), MINUS);
    makes(with(ALU | LSH, 0), (1, 33), 2);
    makes(with(ALU | RSH, 0), (MINUS, 63), 1);
    makes(with(ALU | ARSH, 0), (0x8000_0000, 63), 0xffff_ffff);
    // What is above the lower 32 bits becomes zero.
    makes(with(ALU | ADD, 0), (MINUS, 1), 0);
    makes(with(ALU | SUB, 0), (0, 1), 0xffff_ffff);
    makes(with(ALU | MUL, 0), (0x1_0000_ffff, 0x1_0001), 0xffff_ffff);
    makes(with(ALU | OR, 0), (1 << 40, 1), 1);
    makes(with(ALU | XOR, 0), (1 << 40, 1), 1);
    makes(with(ALU | AND, 0), (MINUS, MINUS), 0xffff_ffff);
    makes(with(ALU | MOV, 0), (0, MINUS), 0xffff_ffff);
    makes(i(ALU | MOV, 0, 0, 0, -1), (0, 0), 0xffff_ffff);
    makes(i(ALU | NEG, 0, 0, 0, 0), (1, 0), 0xffff_ffff);
    makes(i(ALU64 | NEG, 0, 0, 0, 0), (1, 0), MINUS);
    // Numbers with a sign.
    makes(with(ALU64 | MOV, 8), (0, 0x1280), 0xffff_ffff_ffff_ff80);
    makes(with(ALU64 | MOV, 16), (0, 0x1_8000), 0xffff_ffff_ffff_8000);
    makes(
        with(ALU64 | MOV, 32),
        (0, 0x1_8000_0000),
        0xffff_ffff_8000_0000,
    );
    makes(with(ALU | MOV, 8), (0, 0x1280), 0xffff_ff80);
    makes(with(ALU | MOV, 16), (0, 0x1_8000), 0xffff_8000);
    makes(i(ALU64 | ADD, 0, 0, 0, -1), (0, 0), MINUS);
    // Order of bytes.
    let number = 0x8182_8384_8586_8788;
    makes(i(ALU | END, 0, 0, 0, 16), (number, 0), 0x8788);
    makes(i(ALU | END, 0, 0, 0, 32), (number, 0), 0x8586_8788);
    makes(i(ALU | END, 0, 0, 0, 64), (number, 0), number);
    for opcode in [ALU | END | X, ALU64 | END] {
        makes(i(opcode, 0, 0, 0, 16), (number, 0), 0x8887);
        makes(i(opcode, 0, 0, 0, 32), (number, 0), 0x8887_8685);
        makes(i(opcode, 0, 0, 0, 64), (number, 0), 0x8887_8685_8483_8281);
    }
}

#[test]
fn comparisons() {
    let edges = [
        0,
        1,
        0x7fff_ffff,
        0x8000_0000,
        0xffff_ffff,
        1 << 32,
        1 << 63,
        u64::MAX,
    ];
    for jump in [JEQ, JGT, JGE, JSET, JNE, JSGT, JSGE, JLT, JLE, JSLT, JSLE] {
        for class in [JMP, JMP32] {
            for (one, other) in edges
                .iter()
                .flat_map(|one| edges.map(|other| (*one, other)))
            {
                let wide_other = wide(3, 0, other as i32, (other >> 32) as i32);
                let end = [set(0, 0), exit(), set(0, 1), exit()];
                let jump = i(class | jump | X, 2, 3, 2, 0);
                let loaded = [&[load(2, 1, 0), load(3, 1, 8), jump][..], &end].concat();
                let known = [&[load(2, 1, 0)][..], &wide_other, &[jump], &end].concat();
                // Not the import itself.
                let sum = [&[load(2, 1, 0), add(2, 0)][..], &wide_other, &[jump], &end].concat();
                let data = [Datum::Integer(one), Datum::Integer(other)];
                let verdicts =
                    [loaded, known, sum].map(|code| verdict(&NUMBERS, &code, &[], &data));
                assert_eq!(verdicts, [verdicts[0]; 3], "{jump:?} {one:#x} {other:#x}");
            }
        }
    }
}

/// Comparisons of 32 bits with parts of an import.
#[test]
fn comparisons_of_parts() {
    let numbers = [
        0,
        0x80,
        0xff,
        0x8000,
        0xffff,
        0x8000_0000,
        u64::MAX,
        1 << 63,
        0x1_0000_0080,
    ];
    let others = [0, 1, -1, 0x80, -0x80, 0x8000, -0x8000, i32::MIN, i32::MAX];
    for (size, modes) in [(B, 2), (H, 2), (W, 2), (DW, 1)] {
        for mode in [MEM, MEMSX].into_iter().take(modes) {
            for jump in [JEQ, JGT, JGE, JSET, JNE, JSGT, JSGE, JLT, JLE, JSLT, JSLE] {
                for (number, other) in numbers
                    .iter()
                    .flat_map(|number| others.map(|other| (*number, other)))
                {
                    for class in [JMP, JMP32] {
                        let code = [
                            i(LDX | mode | size, 2, 1, 0, 0),
                            i(class | jump, 2, 0, 2, other),
                            set(0, 0),
                            exit(),
                            set(0, 1),
                            exit(),
                        ];
                        // The oracle knows which one it is.
                        usual(&code, number, 0.0, b"");
                    }
                }
            }
        }
    }
}

/// What a helper makes of numbers in r2 and r3.
fn helper(number: i32, (one, other): (u64, u64), result: u64) {
    let [low, high] = wide(4, 0, result as i32, (result >> 32) as i32);
    let code = [
        load(2, 1, 0),
        load(3, 1, 8),
        call(number),
        low,
        high,
        i(JMP | JEQ | X, 0, 4, 2, 0),
        set(0, 0),
        exit(),
        set(0, 1),
        exit(),
    ];
    let data = [Datum::Integer(one), Datum::Integer(other)];
    let verdict = verdict(&NUMBERS, &code, &[], &data);
    assert_eq!(
        verdict,
        Verdict::Record,
        "helper {number} of {one:#x} {other:#x}"
    );
}

#[test]
fn integers_of_floating_point_numbers() {
    let least = i64::MIN as u64;
    let cases = [
        (0.0, 0),
        (-0.0, 0),
        (0.5, 0),
        (0.999_999, 0),
        (1.0, 1),
        (-1.5, -1),
        (2_f64.powi(52) + 1.0, (1 << 52) + 1),
        (2_f64.powi(53) - 1.0, (1 << 53) - 1),
        (-(2_f64.powi(53)), -(1 << 53)),
        (9_223_372_036_854_774_784.0, 9_223_372_036_854_774_784),
        (-(2_f64.powi(63)), i64::MIN),
        (f64::MIN_POSITIVE, 0),
        (5e-324, 0),
    ];
    for (number, integer) in cases {
        helper(8, (f64::to_bits(number), 0), integer as u64);
    }
    let beyond = [
        2_f64.powi(63),
        -(2_f64.powi(64)),
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
    ];
    for number in beyond {
        helper(8, (number.to_bits(), 0), least);
    }
    for integer in [0, 1, -1, i64::MAX, i64::MIN, (1 << 53) + 1] {
        helper(7, (integer as u64, 0), (integer as f64).to_bits());
    }
}

#[test]
fn comparisons_of_floating_point_numbers() {
    let numbers = [
        f64::NEG_INFINITY,
        -1.0,
        -5e-324,
        0.0,
        5e-324,
        1.0,
        f64::INFINITY,
    ];
    for (index, one) in numbers.iter().enumerate() {
        for (other_index, other) in numbers.iter().enumerate() {
            let expected = index.cmp(&other_index) as i64 as u64;
            helper(9, (one.to_bits(), other.to_bits()), expected);
        }
        for nan in [f64::NAN, -f64::NAN, f64::from_bits(0x7ff0_0000_0000_0001)] {
            helper(9, (one.to_bits(), nan.to_bits()), 2);
            helper(9, (nan.to_bits(), one.to_bits()), 2);
        }
    }
    helper(9, ((-0.0_f64).to_bits(), 0), 0);
    helper(9, (f64::NAN.to_bits(), f64::NAN.to_bits()), 2);
}

#[test]
fn floating_point_arguments() {
    let code = |bits: u64| {
        let [low, high] = wide(3, 0, bits as i32, (bits >> 32) as i32);
        [
            set(2, 0),
            call(6),
            low,
            high,
            i(JMP | JEQ | X, 0, 3, 2, 0),
            set(0, 0),
            exit(),
            set(0, 1),
            exit(),
        ]
    };
    let imports = [import(Class::Double, "d")];
    for number in [0.0, -0.0, 1.5, -1e-45, 3.4e38, f32::INFINITY, 1e-40] {
        let wide = f64::from(number).to_bits();
        for datum in [Datum::Single(number.to_bits()), Datum::Double(wide)] {
            let verdict = verdict(&imports, &code(wide), &[], &[datum]);
            assert_eq!(verdict, Verdict::Record, "{number}");
        }
    }
}

/// How this thread calculates with floating-point numbers from now on; returns how it did before.
fn calculate(settings: u32) -> u32 {
    let mut before = 0_u32;
    // SAFETY: it reads and writes these words. Until the usual settings are back, nothing is calculated.
    unsafe {
        asm!(
            "stmxcsr dword ptr [{before}]",
            "ldmxcsr dword ptr [{settings}]",
            before = in(reg) &raw mut before,
            settings = in(reg) &raw const settings,
            options(nostack),
        );
    }
    before
}

/// A program that was built with `-ffast-math`, rounds up, and is signalled for each exception: none of that changes
/// what a filter judges, no filter raises an exception, and none is left in the flags.
#[test]
fn settings_of_the_traced_program() {
    // The smallest numbers are zero as operands and as results; up; no exception is masked.
    const SETTINGS: u32 = 1 << 6 | 1 << 15 | 0b10 << 13;
    let is = |before: &[Instruction], result: u64| {
        let mut code = before.to_vec();
        code.extend(wide(4, 0, result as i32, (result >> 32) as i32));
        let end = [set(0, 0), exit(), set(0, 1), exit()];
        code.push(i(JMP | JEQ | X, 0, 4, 2, 0));
        code.extend(end);
        code
    };
    let of_numbers = |number, result| is(&[load(2, 1, 0), load(3, 1, 8), call(number)], result);
    let mut cases = Vec::new();
    for (helper, one, other, result) in [
        (9, 1, 0, 1),
        (9, 0, 1 << 63 | 1, 1),
        (9, f64::NAN.to_bits(), 0, 2),
        (9, 0x7ff0_0000_0000_0001, 0, 2),
        (7, (1 << 53) + 1, 0, 0x4340_0000_0000_0000),
        (7, -((1 << 53) + 1_i64) as u64, 0, 0xc340_0000_0000_0000),
        (8, 0.5_f64.to_bits(), 0, 0),
        (8, f64::NAN.to_bits(), 0, 1 << 63),
        (8, 1e300_f64.to_bits(), 0, 1 << 63),
    ] {
        let data = vec![Datum::Integer(one), Datum::Integer(other)];
        cases.push((NUMBERS.to_vec(), of_numbers(helper, result), data));
    }
    let double = [set(2, 0), call(6)];
    for (single, result) in [
        (1, 0x36a0_0000_0000_0000),
        (0x8000_0001, 0xb6a0_0000_0000_0000),
        (0x7f80_0001, 0x7ff8_0000_2000_0000),
        (0x3fc0_0000, 0x3ff8_0000_0000_0000),
    ] {
        let imports = vec![import(Class::Double, "d")];
        cases.push((imports, is(&double, result), vec![Datum::Single(single)]));
    }
    for (imports, code, data) in cases {
        let lowered = Arc::new(lowered(&imports, &code, &[]));
        let passed = Passed::new(&data, 0, false);
        let native = passed.native(&lowered).unwrap();
        let before = calculate(SETTINGS);
        let found = [passed.judged(&lowered), passed.judged_by(&native)];
        let after = calculate(before);
        assert_eq!(found, [Verdict::Record; 2], "{data:?}");
        assert_eq!(after, SETTINGS, "{data:?}");
    }
}
