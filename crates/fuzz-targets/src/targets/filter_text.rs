//! Any text as the expression of a filter, for a probe with an argument of each type.
//!
//! What is accepted becomes a program that an agent accepts. It does no harm when it is executed with every access
//! checked, and the agent judges as this executor does, with its interpreter and with native code. A refusal can be
//! printed.

use std::sync::Arc;

use perflab_bpf::oracle::{self, Addresses, Datum, Passed};
use perflab_filter::{Class, Fields, FilterProgram, check, ebpf, lower, parse};

use crate::shared::has_control;

const ARGUMENTS: [(&str, &str); 10] = [
    ("i32", "fd"),
    ("u64", "size"),
    ("bool", "is_new"),
    ("ptr", "at"),
    ("enum(GET=0,SET=1)", "kind"),
    ("f64", "ratio"),
    ("f64", "mean"),
    ("cstr", "name"),
    ("str", "key"),
    ("bytes", "data"),
];

/// Whether the input is worth keeping in a corpus.
pub fn run(input: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(input) else {
        return false;
    };
    let fields = Fields::new(ARGUMENTS).expect("all types are known");
    let checked = match parse(text).and_then(|tree| check(&tree, &fields)) {
        Ok(checked) => checked,
        Err(problem) => {
            assert!(problem.at.start <= problem.at.end && problem.at.end <= text.len());
            assert!(!has_control(&problem.shown(text)));
            return true;
        }
    };
    match ebpf(&lower(&checked)) {
        Ok(program) => execute(&program),
        Err(too_large) => assert!(text.len() > 200, "{too_large}"),
    }
    true
}

/// Executes a program that is accepted in all ways.
pub fn execute(program: &FilterProgram) {
    let lowered = program
        .lowered()
        .unwrap_or_else(|refused| panic!("{refused}"));
    let imports = program.imports.iter().enumerate();
    let data = imports.map(|(number, import)| datum(number, import.class, &program.literals));
    let data: Vec<Datum> = data.collect();
    let imports = program.borrowed();
    let verdict = oracle::run(&program.program(&imports), &data, Addresses::FIRST);
    let verdict = verdict.unwrap_or_else(|harm| panic!("{harm:?} is done"));
    let passed = Passed::new(&data, 0, false);
    assert_eq!(passed.judged(&lowered), verdict, "by the interpreter");
    if let Some(native) = passed.native(&Arc::new(lowered)) {
        assert_eq!(passed.judged_by(&native), verdict, "by native code");
    }
}

/// A value of an import: of a text, all literals, so that some are equal, or none.
fn datum(number: usize, class: Class, literals: &[u8]) -> Datum {
    match (class, number % 3) {
        (Class::Integer, _) => Datum::Integer(2_u64.wrapping_sub(number as u64)),
        (Class::Double, _) => Datum::Double((number as f64 / 2.0).to_bits()),
        (Class::Text, 0) => Datum::Counted(Some(literals.to_vec())),
        (Class::Text, 1) => {
            let no_zero = literals.iter().copied().filter(|byte| *byte != 0);
            Datum::Terminated(Some(no_zero.collect()))
        }
        (Class::Text, _) => Datum::Terminated(None),
    }
}
