//! Programs whose blocks are in any order, as compilers leave them: what is read judges as the original does.

use perflab_bpf::opcode::*;
use perflab_bpf::oracle::{Addresses, Datum, run};
use perflab_bpf::{Class, Instruction, Value, Verdict, judge_values};
use perflab_filter::{FilterProgram, Import, read_object, write_object};
use proptest::prelude::*;

fn i(opcode: u8, dst: u8, src: u8, offset: i16, imm: i32) -> Instruction {
    Instruction {
        opcode,
        dst,
        src,
        offset,
        imm,
    }
}

/// A block: the bit of the event that decides, and how many blocks it skips if that is set.
type Choice = (i32, usize);

/// A program of these blocks, each of which leads to later ones only: the next one, or one that is further on. They are
/// placed in another order, but for the first.
fn program(choices: &[Choice], order: &[usize]) -> FilterProgram {
    let last = choices.len();
    // A block as it is: what its jumps lead to comes afterwards.
    let block = |number: usize| {
        let mut code = Vec::new();
        if number == 0 {
            code.push(i(LDX | MEM | DW, 2, 1, 0, 0));
            code.push(i(ALU64 | MOV, 0, 0, 0, 1));
        }
        code.push(i(ALU64 | MUL, 0, 0, 0, 3));
        code.push(i(ALU64 | ADD, 0, 0, 0, number as i32));
        let Some((bit, skipped)) = choices.get(number) else {
            code.push(i(ALU64 | AND, 0, 0, 0, 3));
            code.push(i(JMP | EXIT, 0, 0, 0, 0));
            return (code, Vec::new());
        };
        let far = (number + 1 + skipped).min(last);
        code.push(i(JMP | JSET, 2, 0, 0, 1 << bit));
        code.push(i(JMP | JA, 0, 0, 0, 0));
        let end = code.len();
        (code, vec![(end - 2, far), (end - 1, number + 1)])
    };
    let mut code: Vec<Instruction> = Vec::new();
    let mut starts = vec![0; last + 1];
    let mut jumps = Vec::new();
    for number in order {
        let (own, leads) = block(*number);
        starts[*number] = code.len();
        jumps.extend(leads.into_iter().map(|(at, to)| (code.len() + at, to)));
        code.extend(own);
    }
    for (at, to) in jumps {
        code[at].offset = (starts[to] as i64 - at as i64 - 1) as i16;
    }
    FilterProgram {
        imports: vec![Import {
            class: Class::Integer,
            name: "n".to_owned(),
        }],
        code: code.into_iter().flat_map(Instruction::encode).collect(),
        literals: Vec::new(),
    }
}

fn original(program: &FilterProgram, value: u64) -> Verdict {
    let imports = program.borrowed();
    let data = [Datum::Integer(value)];
    run(&program.program(&imports), &data, Addresses::FIRST).unwrap()
}

fn choices_and_order() -> impl Strategy<Value = (Vec<Choice>, Vec<usize>)> {
    let choices = prop::collection::vec((0..8_i32, 0..5_usize), 1..12);
    choices.prop_flat_map(|choices| {
        let later: Vec<usize> = (1..=choices.len()).collect();
        let order = Just(later).prop_shuffle();
        let order = order.prop_map(|later| [vec![0], later].concat());
        (Just(choices), order)
    })
}

proptest! {
    #[test]
    fn any_order((choices, order) in choices_and_order(), values in prop::collection::vec(0..256_u64, 1..20)) {
        let program = program(&choices, &order);
        let read = read_object(&write_object(&program)).unwrap().program;
        let lowered = read.lowered().unwrap();
        for value in values {
            let expected = original(&program, value);
            prop_assert_eq!(judge_values(&lowered, &[Value::Number(value)]), expected);
            prop_assert_eq!(original(&read, value), expected);
        }
    }
}
