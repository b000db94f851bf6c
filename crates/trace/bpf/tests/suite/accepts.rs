//! Programs that are accepted, what they are lowered to, and how they judge.

use perflab_bpf::opcode::*;
use perflab_bpf::oracle::Datum;
use perflab_bpf::{Class, Op, Relation, TextTest, Verdict};

use crate::assembler::*;

#[test]
fn a_conjunction() {
    let code = conjunction();
    assert_eq!(usual(&code, 513, 0.0, b"GET"), Verdict::Record);
    assert_eq!(usual(&code, 512, 0.0, b"GET"), Verdict::Reject);
    assert_eq!(usual(&code, -1_i64 as u64, 0.0, b"GET"), Verdict::Reject);
    for text in [&b"GE"[..], b"GETS", b"", b"SET", b"GEt"] {
        assert_eq!(usual(&code, 513, 0.0, text), Verdict::Reject, "{text:?}");
    }
    let absent = [
        Datum::Integer(513),
        Datum::Double(0),
        Datum::Terminated(None),
    ];
    assert_eq!(verdict(&IMPORTS, &code, LITERALS, &absent), Verdict::Reject);
}

#[test]
fn a_predicate_is_one_operation() {
    let lowered = lowered(&IMPORTS, &conjunction(), LITERALS);
    let ops = lowered.ops();
    assert_eq!(ops.len(), 4, "{ops:#?}");
    let Op::IfText {
        how: TextTest::Is,
        import: 2,
        literal,
        yes: 1,
        no: 3,
        absent: 3,
    } = ops[0]
    else {
        panic!("{ops:#?}");
    };
    assert_eq!(lowered.literal(literal), b"GET");
    let Op::IfImport {
        is: Relation::SignedLessOrEqual,
        import: 0,
        value: 512,
        then: 3,
        or: 2,
        ..
    } = ops[1]
    else {
        panic!("{ops:#?}");
    };
    assert_eq!(
        ops[2..],
        [Op::End(Verdict::Record), Op::End(Verdict::Reject)]
    );
    assert_eq!(lowered.registers(), 0);
    assert!(lowered.imports().eq(IMPORTS));
}

/// Where one text is absent, the other does not matter: three ways out of a test.
#[test]
fn a_disjunction() {
    let imports = [import(Class::Text, "a"), import(Class::Text, "b")];
    let mut code = vec![copy(6, 1)];
    code.extend(test_text(1, 0, 0, 3));
    code.extend([jump(JEQ, 0, 1, 8), jump(JEQ, 0, -1, 9)]);
    code.extend(test_text(2, 8, 4, 3));
    code.push(jump(JSLE, 0, 0, 2));
    code.extend([set(0, 1), exit(), set(0, 0), exit()]);
    let text = |text: Option<&[u8]>| Datum::Counted(text.map(<[u8]>::to_vec));
    let judge = |a, b| verdict(&imports, &code, LITERALS, &[text(a), text(b)]);
    assert_eq!(judge(Some(b"GET"), None), Verdict::Record);
    assert_eq!(judge(Some(b"GOT"), Some(b"SETEX")), Verdict::Record);
    assert_eq!(judge(Some(b"GOT"), Some(b"SE")), Verdict::Reject);
    assert_eq!(judge(None, Some(b"SETEX")), Verdict::Reject);
    assert_eq!(judge(Some(b"GOT"), None), Verdict::Reject);
    let lowered = lowered(&imports, &code, LITERALS);
    assert_eq!(lowered.ops().len(), 4, "{:#?}", lowered.ops());
    assert_eq!(lowered.registers(), 0);
}

/// As compilers do: the context is stored and comes back, a result is kept in a register, a truth value is made and
/// tested again, an integer is narrowed.
#[test]
fn what_compilers_make() {
    let mut code = vec![store(10, -16, 1), copy(6, 1)];
    code.extend(test_text(3, TEXT, 0, 0));
    code.extend([
        copy(7, 0),
        load(1, 10, -16),
        i(LDX | MEM | W, 2, 1, 4, 0),
        set(8, 1),
        i(JMP32 | JGT, 2, 0, 1, 7),
        set(8, 0),
        jump(JEQ, 8, 0, 3),
        copy(0, 7),
        i(ALU64 | RSH, 0, 0, 0, 63),
        i(JMP | JA, 0, 0, 1, 0),
        set(0, 2),
        exit(),
    ]);
    assert_eq!(usual(&code, 8 << 32, 0.0, b""), Verdict::Reject);
    assert_eq!(
        usual(&code, 7 << 32 | 99, 0.0, b""),
        Verdict::RecordAndTrigger
    );
    let absent = [
        Datum::Integer(8 << 32),
        Datum::Double(0),
        Datum::Terminated(None),
    ];
    assert_eq!(verdict(&IMPORTS, &code, LITERALS, &absent), Verdict::Record);
}

#[test]
fn parts_of_integers_and_of_the_stack() {
    let number = 0x8182_8384_8586_8788_u64;
    let bytes = number.to_le_bytes();
    for (size, count) in [(B, 1), (H, 2), (W, 4), (DW, 8)] {
        for at in (0..8).step_by(count) {
            let mut word = [0; 8];
            word[..count].copy_from_slice(&bytes[at..at + count]);
            let unsigned = u64::from_le_bytes(word);
            let shift = 64 - 8 * count as u32;
            let signed = (unsigned << shift) as i64 >> shift;
            for (mode, value) in [(MEM, unsigned), (MEMSX, signed as u64)] {
                if (mode, count) == (MEMSX, 8) {
                    continue;
                }
                let [low, high] = wide(3, 0, value as i32, (value >> 32) as i32);
                let end = [
                    low,
                    high,
                    set(0, 1),
                    i(JMP | JEQ | X, 2, 3, 1, 0),
                    set(0, 0),
                    exit(),
                ];
                let load_part = |base, offset| i(LDX | mode | size, 2, base, offset, 0);
                let mut code = vec![load_part(1, at as i16)];
                code.extend(end);
                assert_eq!(
                    usual(&code, number, 0.0, b""),
                    Verdict::Record,
                    "{count} {at}"
                );
                // Stored as a whole, and in parts.
                let mut code = vec![
                    load(4, 1, 0),
                    store(10, -8, 4),
                    load_part(10, at as i16 - 8),
                ];
                code.extend(end);
                assert_eq!(
                    usual(&code, number, 0.0, b""),
                    Verdict::Record,
                    "{count} {at}"
                );
                let mut code = Vec::new();
                for part in (0..8).step_by(count) {
                    code.push(i(LDX | MEM | size, 4, 1, part as i16, 0));
                    code.push(i(STX | MEM | size, 10, 4, part as i16 - 512, 0));
                }
                code.push(load_part(10, at as i16 - 512));
                code.extend(end);
                assert_eq!(
                    usual(&code, number, 0.0, b""),
                    Verdict::Record,
                    "{count} {at}"
                );
            }
        }
    }
}

#[test]
fn literals_are_data_too() {
    let [low, high] = wide(2, 6, 0, 4);
    let code = [low, high, add(2, 4), i(LDX | MEM | H, 0, 2, -1, 0), exit()];
    // "12".
    let lowered = lowered(&IMPORTS, &code, LITERALS);
    assert_eq!(lowered.ops(), [Op::End(Verdict::Record)]);
    assert_eq!(usual(&code, 0, 0.0, b""), Verdict::Record);
}

#[test]
fn results() {
    let results = [
        (0, Verdict::Reject),
        (1, Verdict::Record),
        (2, Verdict::RecordAndTrigger),
        (3, Verdict::Record),
        (-1, Verdict::Record),
    ];
    for (result, expected) in results {
        assert_eq!(usual(&[set(0, result), exit()], 0, 0.0, b""), expected);
        let number = i64::from(result) as u64;
        assert_eq!(usual(&[load(0, 1, 0), exit()], number, 0.0, b""), expected);
    }
    // All 64 bits count.
    assert_eq!(
        usual(&[load(0, 1, 0), exit()], 1 << 32, 0.0, b""),
        Verdict::Record
    );
}

/// More registers than nearly all programs need.
#[test]
fn the_whole_stack() {
    let mut code = vec![load(2, 1, 0)];
    for word in 1..=64 {
        code.extend([add(2, 1), store(10, -8 * word, 2)]);
    }
    code.push(set(0, 0));
    for word in 1..=64 {
        code.extend([load(3, 10, -8 * word), i(ALU64 | ADD | X, 0, 3, 0, 0)]);
    }
    // The sum of 1 to 64.
    code.extend([add(0, -2080), exit()]);
    assert_eq!(usual(&code, 0, 0.0, b""), Verdict::Reject);
    assert_eq!(usual(&code, 1, 0.0, b""), Verdict::Record);
    assert!(lowered(&IMPORTS, &code, LITERALS).registers() > 64);
}

/// A jump over as many instructions as there can be, by the offset of 32 bits.
#[test]
fn long_jumps() {
    let mut code = vec![
        load(2, 1, 0),
        jump(JEQ, 2, 0, 1),
        i(JMP32 | JA, 0, 0, 0, 4000),
    ];
    code.extend(vec![add(2, 1); 4000]);
    code.extend([copy(0, 2), exit()]);
    assert_eq!(usual(&code, 0, 0.0, b""), Verdict::Record);
    assert_eq!(usual(&code, 2, 0.0, b""), Verdict::RecordAndTrigger);
}
