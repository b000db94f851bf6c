//! No text panics, and whatever is accepted can be lowered, and has a program that an agent accepts.

use perflab_filter::{Verdict, check, ebpf, lower, parse};
use proptest::prelude::*;

use crate::fields;
use crate::lowered::{event, verdict};

/// What expressions are made of, right or wrong.
const PIECES: [&str; 40] = [
    "fd",
    "size",
    "kind",
    "ratio",
    "mean",
    "name",
    "key",
    "data",
    "data[0]",
    "data[9]",
    "at",
    "nmae",
    "$ctx.vtid",
    "$ctx.procname",
    "$app.a:b",
    "1",
    "0",
    "64",
    "0.5",
    "0x1p3",
    "\"a*\"",
    "'user:1'",
    "\"*\\**\"",
    "(",
    ")",
    "!",
    "-",
    "~",
    "+",
    "&&",
    "||",
    "==",
    "!=",
    "<",
    ">=",
    "&",
    "|",
    "^",
    "<<",
    ">>",
];

fn is_read(text: &str) -> bool {
    let checked = parse(text).and_then(|tree| check(&tree, &fields()));
    match checked {
        Ok(checked) => {
            let ir = lower(&checked);
            assert!(!ir.to_string().is_empty());
            let verdict = verdict(&ir, event);
            assert!(matches!(verdict, Verdict::Record | Verdict::Reject));
            let program = ebpf(&ir).unwrap();
            assert!(program.lowered().is_ok(), "{text}");
            true
        }
        Err(problem) => {
            assert!(problem.at.end <= text.len());
            let shown = problem.shown(text);
            assert!(
                !shown
                    .chars()
                    .any(|letter| letter.is_control() && letter != '\n')
            );
            false
        }
    }
}

proptest! {
    #[test]
    fn letters(letters in prop::collection::vec(any::<char>(), 0..40)) {
        is_read(&letters.into_iter().collect::<String>());
    }

    #[test]
    fn ascii(letters in prop::collection::vec(0u8..128, 0..40)) {
        is_read(&letters.into_iter().map(char::from).collect::<String>());
    }

    #[test]
    fn pieces(pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..12)) {
        is_read(&pieces.join(" "));
    }

    /// Operands with operators between them: most are expressions.
    #[test]
    fn operands(
        parts in prop::collection::vec((0..23usize, 29..40usize, prop::bool::ANY), 1..12),
    ) {
        let mut text = String::new();
        for (at, (operand, operator, is_negated)) in parts.into_iter().enumerate() {
            if at > 0 {
                text += PIECES[operator];
            }
            text += if is_negated { "!(" } else { "(" };
            text += PIECES[operand];
            text += ")";
        }
        is_read(&text);
    }
}
