//! Texts in native code: each length of a literal, up to memory that cannot be read and over the ends of pages.

use std::sync::Arc;

use perflab_bpf::opcode::*;
use perflab_bpf::oracle::{Datum, Native, Passed};
use perflab_bpf::{Class, Lowered, Op, Verdict};

use crate::assembler::*;
use crate::texts::passes;

/// Each size of a compare, one less and one more; the last ones are compared in the code only in part.
const LENGTHS: [usize; 20] = [
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 40, 63, 100,
];

/// A test of the only text with all literals, on whose result nothing but the verdict depends.
fn test(helper: i32, literal: &[u8]) -> Arc<Lowered> {
    let [low, high] = wide(3, 6, 0, 0);
    let code = [
        set(2, 0),
        low,
        high,
        set(4, literal.len() as i32),
        call(helper),
        jump(JSGT, 0, 0, 3),
        jump(JEQ, 0, 0, 4),
        // It is absent.
        set(0, 2),
        exit(),
        set(0, 1),
        exit(),
        set(0, 0),
        exit(),
    ];
    let lowered = lowered(&[import(Class::Text, "text")], &code, literal);
    assert!(matches!(lowered.ops(), [Op::IfText { .. }, ..]));
    Arc::new(lowered)
}

fn verdict(helper: i32, literal: &[u8], text: &[u8]) -> Verdict {
    if passes(helper, literal, text) {
        Verdict::Record
    } else {
        Verdict::Reject
    }
}

/// Both kinds of a text, as one that is there and as one that may not be; the code depends on that.
struct Kinds([(bool, bool, Native); 4]);

impl Kinds {
    fn of(lowered: &Arc<Lowered>) -> Self {
        let kinds = [(false, false), (false, true), (true, false), (true, true)];
        Self(kinds.map(|(is_counted, nofault)| {
            let passed = Passed::new(&[datum(is_counted, None)], 0, nofault);
            (is_counted, nofault, passed.native(lowered).unwrap())
        }))
    }

    fn check(&self, text: Option<&[u8]>, before_end: usize, expected: Verdict, what: &str) {
        for (is_counted, nofault, native) in &self.0 {
            let datum = datum(*is_counted, text);
            let found = Passed::new(&[datum], before_end, *nofault).judged_by(native);
            let place = format!("{before_end} before the end, {is_counted} {nofault}");
            assert_eq!(found, expected, "{what} {text:?} {place}");
        }
    }
}

fn datum(is_counted: bool, text: Option<&[u8]>) -> Datum {
    let text = text.map(<[u8]>::to_vec);
    if is_counted {
        Datum::Counted(text)
    } else {
        Datum::Terminated(text)
    }
}

#[test]
fn ends_of_pages() {
    for length in LENGTHS {
        let literal: Vec<u8> = (1..=length as u8).collect();
        let mut texts = vec![literal.clone(), [&literal[..], b"a"].concat()];
        for at in 0..length {
            texts.push(literal[..at].to_vec());
            let mut text = literal.clone();
            text[at] ^= 0x80;
            texts.push(text);
        }
        for helper in [1, 2, 3] {
            let kinds = Kinds::of(&test(helper, &literal));
            for text in &texts {
                let expected = verdict(helper, &literal, text);
                let few = [0, 1, 2, 3, 4, 7, 8, 15, 16, 31, 32, 33];
                let over = (4095 - text.len()..=4096).step_by(7);
                // At the first byte of a page, without a terminator and with it.
                let first = [4096 - text.len(), 4095 - text.len()];
                for before_end in few.into_iter().chain(over).chain(first) {
                    let what = format!("{helper} {literal:?}");
                    kinds.check(Some(text), before_end, expected, &what);
                }
            }
        }
    }
}

#[test]
fn texts_that_are_not_there() {
    for length in LENGTHS {
        let literal: Vec<u8> = (1..=length as u8).collect();
        for helper in [1, 2, 3] {
            let kinds = Kinds::of(&test(helper, &literal));
            kinds.check(None, 0, Verdict::RecordAndTrigger, "absent");
        }
    }
}

/// The zeros of a text with a length end it.
#[test]
fn texts_with_zeros() {
    for length in LENGTHS {
        let literal: Vec<u8> = (1..=length as u8).collect();
        for helper in [1, 2] {
            let lowered = test(helper, &literal);
            let place = Passed::new(&[datum(true, None)], 0, false);
            let native = place.native(&lowered).unwrap();
            for end in 0..=length {
                let mut text = literal.clone();
                text.insert(end, 0);
                let expected = verdict(helper, &literal, &text);
                for before_end in [0, 40] {
                    let passed = Passed::new(&[datum(true, Some(&text))], before_end, false);
                    let found = passed.judged_by(&native);
                    assert_eq!(found, expected, "{helper} {length} {end} {before_end}");
                }
            }
        }
    }
}

/// An empty text at null, which a length makes one that is there.
#[test]
fn no_bytes_at_null() {
    for helper in [1, 2, 3] {
        for literal in [&b""[..], b"a"] {
            let lowered = test(helper, literal);
            let mut passed = Passed::new(&[datum(true, None)], 0, false);
            passed.words = vec![0, 0];
            let native = passed.native(&lowered).unwrap();
            let expected = verdict(helper, literal, b"");
            assert_eq!(passed.judged_by(&native), expected, "{helper} {literal:?}");
            assert_eq!(passed.judged(&lowered), expected, "{helper} {literal:?}");
        }
    }
}
