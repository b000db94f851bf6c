//! Programs: their instructions, as `llvm-objdump` writes them, and how large they may be.

use perflab_filter::{FilterProgram, TooLarge, check, ebpf_with_blocks, lower, parse};

use crate::executed::{Executed, READABLE, code};
use crate::fields;
use crate::naive::{Answer, Argument, Event, Value};

fn generated(text: &str) -> Result<(FilterProgram, Vec<usize>), TooLarge> {
    let tree = parse(text).unwrap_or_else(|problem| panic!("{text:?}: {problem}"));
    let checked = check(&tree, &fields()).unwrap_or_else(|problem| panic!("{text:?}: {problem}"));
    ebpf_with_blocks(&lower(&checked))
}

#[test]
fn instructions() {
    for (text, expected) in [
        (
            "1",
            "\
0: r6 = r1
1: r0 = 1
2: exit
",
        ),
        (
            "fd == 0 && 0",
            "\
0: r6 = r1
1: r0 = *(u64 *)(r6 + 0)
2: if r0 != 0 goto +0
3: r0 = 0
4: exit
",
        ),
        (
            "name == \"SET\" && 512 < size",
            "\
0: r6 = r1
1: r1 = r6
2: r2 = 0
3: r3 = 0 ll
5: r4 = 3
6: call 1
7: if r0 s<= 0 goto +4
8: r0 = *(u64 *)(r6 + 8)
9: if r0 s<= 512 goto +2
10: r0 = 1
11: exit
12: r0 = 0
13: exit
",
        ),
        // The place of a literal is in the upper half of what is loaded, here 3.
        (
            "name == \"GET\" || name == \"S*\"",
            "\
0: r6 = r1
1: r1 = r6
2: r2 = 0
3: r3 = 0 ll
5: r4 = 3
6: call 1
7: if r0 s< 0 goto +10
8: if r0 != 0 goto +7
9: r1 = r6
10: r2 = 0
11: r3 = 12884901888 ll
13: r4 = 1
14: call 2
15: if r0 s<= 0 goto +2
16: r0 = 1
17: exit
18: r0 = 0
19: exit
",
        ),
        (
            "key != \"*b\"",
            "\
0: r6 = r1
1: r1 = r6
2: r2 = 0
3: r3 = 0 ll
5: r4 = 2
6: call 3
7: if r0 != 0 goto +2
8: r0 = 1
9: exit
10: r0 = 0
11: exit
",
        ),
        (
            "name == key",
            "\
0: r6 = r1
1: r1 = r6
2: r2 = 0
3: r3 = 8
4: call 4
5: if r0 s<= 0 goto +2
6: r0 = 1
7: exit
8: r0 = 0
9: exit
",
        ),
        (
            "(fd && size) > 3",
            "\
0: r6 = r1
1: r0 = *(u64 *)(r6 + 0)
2: if r0 == 0 goto +2
3: r0 = *(u64 *)(r6 + 8)
4: goto +1
5: r0 = 0
6: if r0 s<= 3 goto +2
7: r0 = 1
8: exit
9: r0 = 0
10: exit
",
        ),
        // What a call would destroy is in r7.
        (
            "1 << fd == data[2]",
            "\
0: r6 = r1
1: r0 = *(u64 *)(r6 + 0)
2: if r0 >= 64 goto +10
3: r7 = 1
4: r7 <<= r0
5: r1 = r6
6: r2 = 8
7: r3 = 2
8: call 5
9: if r0 s< 0 goto +3
10: if r7 != r0 goto +2
11: r0 = 1
12: exit
13: r0 = 0
14: exit
",
        ),
        (
            "mean >= fd",
            "\
0: r6 = r1
1: r1 = r6
2: r2 = 0
3: call 6
4: r7 = r0
5: r0 = *(u64 *)(r6 + 8)
6: r1 = r6
7: r2 = r0
8: call 7
9: r1 = r6
10: r2 = r7
11: r3 = r0
12: call 9
13: if r0 >= 2 goto +2
14: r0 = 1
15: exit
16: r0 = 0
17: exit
",
        ),
        (
            "~size == 0x123456789abcdef0",
            "\
0: r6 = r1
1: r0 = *(u64 *)(r6 + 0)
2: r0 ^= -1
3: r4 = 1311768467463790320 ll
5: if r0 != r4 goto +2
6: r0 = 1
7: exit
8: r0 = 0
9: exit
",
        ),
    ] {
        let (program, _) = generated(text).unwrap();
        assert_eq!(code(&program), expected, "{text}");
    }
}

#[test]
fn where_blocks_begin() {
    let starts = |text| generated(text).unwrap().1;
    assert_eq!(starts("name == \"SET\" && 512 < size"), [0, 8, 10, 12]);
    // Nothing leads to the block that rejects.
    assert_eq!(starts("1"), [0, 1, 3]);
}

/// Shifted copies of a number, each of which is needed until all behind it are computed. True for that number.
fn nested(levels: u32, number: i64) -> String {
    let mut text = "fd".to_owned();
    let mut value = number;
    for places in (1..=levels).rev().map(|level| level % 60) {
        text = format!("fd << {places} ^ ({text})");
        value ^= number << places;
    }
    format!("{text} == {}", value as u64)
}

#[test]
fn values_without_a_register_are_on_the_stack() {
    let event = |number| {
        Event::new(vec![Argument {
            kind: "i32".to_owned(),
            name: "fd".to_owned(),
            value: Value::Integer(number),
        }])
    };
    for levels in [1, 4, 5, 20, 60] {
        let text = nested(levels, 12_345);
        let Ok(executed) = Executed::of(&text, &event(0)) else {
            panic!("{text}");
        };
        let answers = |number| {
            let event = event(number);
            let interpreted = executed.by_interpreter(&event, |length| READABLE - length);
            // More values than the native code can keep are interpreted.
            let native = executed.by_native(&event, |length| READABLE - length);
            [
                executed.by_oracle(&event),
                interpreted,
                native.unwrap_or(interpreted),
            ]
        };
        assert_eq!(answers(12_345), [Answer::Yes; 3], "{text}");
        assert_eq!(answers(12_344), [Answer::No; 3], "{text}");
    }
}

#[test]
fn what_is_too_large() {
    let text = nested(80, 12_345);
    let problem = generated(&text).unwrap_err();
    assert_eq!(problem, TooLarge::Values);
    assert_eq!(
        problem.to_string(),
        "the filter needs too many values at once; nest fewer operators in brackets within each other"
    );
    let chain = |doubles: usize| generated(&vec!["mean"; doubles].join("||"));
    let (program, _) = chain(500).unwrap();
    assert!(program.lowered().is_ok());
    let problem = chain(680).unwrap_err();
    assert_eq!(problem, TooLarge::Instructions(4765));
    assert_eq!(
        problem.to_string(),
        "the filter needs 4765 instructions, expected at most 4096; shorten the expression"
    );
}
