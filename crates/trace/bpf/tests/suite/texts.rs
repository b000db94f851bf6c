//! Texts: all kinds, all tests, up to memory that cannot be read.

use perflab_bpf::opcode::*;
use perflab_bpf::oracle::{Datum, Passed};
use perflab_bpf::{Class, Instruction, Lowered, Verdict};

use crate::assembler::*;

/// The result of a helper that has its arguments: 0, 1, and 2 for -1.
fn result(arguments: &[Instruction], helper: i32) -> Vec<Instruction> {
    let mut code = arguments.to_vec();
    code.extend([call(helper), jump(JNE, 0, -1, 1), set(0, 2), exit()]);
    code
}

/// A test of the only text with all literals.
fn test(helper: i32, literal: &[u8]) -> Lowered {
    let [low, high] = wide(3, 6, 0, 0);
    let arguments = [set(2, 0), low, high, set(4, literal.len() as i32)];
    let code = result(&arguments, helper);
    lowered(&[import(Class::Text, "text")], &code, literal)
}

/// Whether a text passes: -1 if it is absent.
fn outcome(lowered: &Lowered, data: &[Datum], before_end: usize, nofault: bool) -> i32 {
    match Passed::new(data, before_end, nofault).judged(lowered) {
        Verdict::Reject => 0,
        Verdict::Record => 1,
        Verdict::RecordAndTrigger => -1,
    }
}

fn matches(pattern: &[u8], text: &[u8]) -> bool {
    match (pattern.split_first(), text.split_first()) {
        (None, None) => true,
        (Some((0, rest)), None) => matches(rest, text),
        (Some((0, rest)), Some((_, shorter))) => matches(rest, text) || matches(pattern, shorter),
        (Some((wanted, rest)), Some((byte, shorter))) => wanted == byte && matches(rest, shorter),
        _ => false,
    }
}

/// What all three tests of a text are.
pub fn passes(helper: i32, literal: &[u8], text: &[u8]) -> bool {
    let end = text
        .iter()
        .position(|byte| *byte == 0)
        .unwrap_or(text.len());
    let text = &text[..end];
    match helper {
        1 => text == literal,
        2 => text.starts_with(literal),
        _ => matches(literal, text),
    }
}

/// All words of these letters, up to so many.
fn words(letters: &[u8], longest: usize) -> Vec<Vec<u8>> {
    let mut words = vec![Vec::new()];
    let mut from = 0;
    for _ in 0..longest {
        let to = words.len();
        for index in from..to {
            for letter in letters {
                let mut word = words[index].clone();
                word.push(*letter);
                words.push(word);
            }
        }
        from = to;
    }
    words
}

#[test]
fn all_short_texts() {
    for helper in [1, 2, 3] {
        let letters: &[u8] = if helper == 3 { b"ab\0" } else { b"ab" };
        for literal in words(letters, 3) {
            let lowered = test(helper, &literal);
            for text in words(b"ab\0", 3) {
                let expected = i32::from(passes(helper, &literal, &text));
                let counted = Datum::Counted(Some(text.clone()));
                let what = format!("{helper} {literal:?} {text:?}");
                assert_eq!(outcome(&lowered, &[counted], 0, false), expected, "{what}");
                if !text.contains(&0) {
                    let terminated = Datum::Terminated(Some(text));
                    assert_eq!(
                        outcome(&lowered, &[terminated], 0, false),
                        expected,
                        "{what}"
                    );
                }
            }
        }
    }
}

/// Texts that differ from the literal in each byte, that are longer and shorter, at each place before the end of a
/// page behind which nothing can be read, and over the end of one behind which something can.
#[test]
fn ends_of_pages() {
    for length in [0, 1, 2, 6, 7, 8, 9, 14, 15, 16, 17, 23, 24, 25, 40] {
        let literal: Vec<u8> = (1..=length as u8).collect();
        let mut texts = vec![literal.clone(), [&literal[..], b"a"].concat()];
        for at in 0..length {
            texts.push(literal[..at].to_vec());
            let mut text = literal.clone();
            text[at] ^= 0x80;
            texts.push(text);
        }
        for helper in [1, 2, 3] {
            let lowered = test(helper, &literal);
            for text in &texts {
                let expected = i32::from(passes(helper, &literal, text));
                let few = [0, 1, 3, 7, 8, 9, 15];
                let others = (4096 - text.len()..=4096).step_by(5);
                for before_end in few.into_iter().chain(others) {
                    for nofault in [false, true] {
                        let what = format!("{helper} {literal:?} {text:?} {before_end} {nofault}");
                        for datum in [
                            Datum::Terminated(Some(text.clone())),
                            Datum::Counted(Some(text.clone())),
                        ] {
                            let found = outcome(&lowered, &[datum], before_end, nofault);
                            assert_eq!(found, expected, "{what}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn texts_that_are_not_there() {
    for helper in [1, 2, 3] {
        for literal in [&b""[..], b"abc"] {
            let lowered = test(helper, literal);
            for datum in [Datum::Terminated(None), Datum::Counted(None)] {
                for nofault in [false, true] {
                    assert_eq!(
                        outcome(&lowered, std::slice::from_ref(&datum), 0, nofault),
                        -1
                    );
                }
            }
        }
    }
}

#[test]
fn two_texts() {
    let imports = [import(Class::Text, "a"), import(Class::Text, "b")];
    let code = result(&[set(2, 0), set(3, 8)], 4);
    let lowered = lowered(&imports, &code, &[]);
    let texts = words(b"a\0", 3);
    let until_zero = |text: &[u8]| text.split(|byte| *byte == 0).next().unwrap().to_vec();
    for (one, other) in texts
        .iter()
        .flat_map(|one| texts.iter().map(move |other| (one, other)))
    {
        let expected = i32::from(until_zero(one) == until_zero(other));
        for nofault in [false, true] {
            let counted = [one, other].map(|text| Datum::Counted(Some(text.clone())));
            assert_eq!(outcome(&lowered, &counted, 0, nofault), expected);
            let mixed = [Datum::Terminated(Some(until_zero(one))), counted[1].clone()];
            assert_eq!(outcome(&lowered, &mixed, 0, nofault), expected);
        }
    }
    let there = Datum::Counted(Some(Vec::new()));
    for absent in [Datum::Terminated(None), Datum::Counted(None)] {
        assert_eq!(
            outcome(&lowered, &[absent.clone(), there.clone()], 0, false),
            -1
        );
        assert_eq!(
            outcome(&lowered, &[there.clone(), absent.clone()], 0, false),
            -1
        );
        assert_eq!(outcome(&lowered, &[absent.clone(), absent], 0, false), -1);
    }
}

#[test]
fn bytes_of_texts() {
    let imports = [import(Class::Text, "text"), import(Class::Integer, "index")];
    let text = b"\x01\0\xff";
    let byte = |datum: Datum, index: u64, expected: i32, nofault: bool| {
        let code = [
            load(3, 1, 8),
            set(2, 0),
            call(5),
            jump(JEQ, 0, expected, 2),
            set(0, 0),
            exit(),
            set(0, 1),
            exit(),
        ];
        let lowered = lowered(&imports, &code, &[]);
        let data = [datum, Datum::Integer(index)];
        let verdict = Passed::new(&data, 0, nofault).judged(&lowered);
        assert_eq!(verdict, Verdict::Record, "{data:?} {nofault}");
    };
    for nofault in [false, true] {
        for (index, expected) in [
            (0, 1),
            (1, 0),
            (2, 255),
            (3, -1),
            (1 << 32, -1),
            (u64::MAX, -1),
        ] {
            byte(
                Datum::Counted(Some(text.to_vec())),
                index,
                expected,
                nofault,
            );
        }
        for (index, expected) in [(0, 97), (1, 98), (2, -1), (3, -1), (u64::MAX, -1)] {
            byte(
                Datum::Terminated(Some(b"ab".to_vec())),
                index,
                expected,
                nofault,
            );
        }
        byte(Datum::Counted(Some(Vec::new())), 0, -1, nofault);
        byte(Datum::Counted(None), 0, -1, nofault);
        byte(Datum::Terminated(None), 0, -1, nofault);
    }
}

/// Many stars, and a text in which nearly all that begins goes on: this takes as long as both multiplied, no longer.
#[test]
fn patterns_that_are_tried_for_long() {
    let pattern = b"a\0a\0a\0a\0a\0a\0a\0a\0a\0a\0b";
    let lowered = test(3, pattern);
    let mut text = vec![b'a'; 5000];
    let datum = |text: &[u8]| [Datum::Terminated(Some(text.to_vec()))];
    assert_eq!(outcome(&lowered, &datum(&text), 0, false), 0);
    text.push(b'b');
    assert_eq!(outcome(&lowered, &datum(&text), 0, false), 1);
}

/// Texts that may not be there are judged by what is recorded of them.
#[test]
fn texts_of_which_a_part_is_recorded() {
    let mut text = vec![b'a'; 128];
    let lowered = test(1, &text);
    text.push(b'b');
    for datum in [
        Datum::Terminated(Some(text.clone())),
        Datum::Counted(Some(text.clone())),
    ] {
        assert_eq!(outcome(&lowered, std::slice::from_ref(&datum), 0, false), 0);
        assert_eq!(outcome(&lowered, &[datum], 0, true), 1);
    }
}
