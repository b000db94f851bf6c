//! One test for each target.

use std::fs;
use std::panic::catch_unwind;
use std::path::Path;

use perflab_fuzz_targets::{Target, seeds::seeds, workspace};

use crate::changes::changes;

/// Declares the tests, and their names for the test that compares them with the table.
macro_rules! replays {
    ($($target:ident: $changes:literal,)*) => {
        /// The targets that have a test.
        pub const REPLAYED: &[&str] = &[$(stringify!($target)),*];

        $(
            #[test]
            fn $target() {
                replay(stringify!($target), $changes);
            }
        )*
    };
}

// The number is that of changes to each seed. It is small where an input takes long or seeds are many, so that all
// targets together take a few seconds in a debug build.
replays! {
    aof: 200,
    columns: 200,
    counters: 200,
    drivers: 20,
    executable: 40,
    experiment: 20,
    filter_object: 200,
    filter_program: 200,
    filter_text: 200,
    foreign: 20,
    frozen_files: 15,
    generic: 40,
    history: 100,
    hyperfine: 100,
    index: 30,
    machine: 5,
    ministat: 200,
    pages: 4,
    plan: 200,
    probe_abi: 200,
    redis_benchmark: 200,
    report: 200,
    resp: 200,
    result_dir: 40,
    ring_files: 40,
    settings: 40,
    test_reports: 40,
    trace_file: 200,
    turns: 200,
    values: 200,
}

/// Seeds that their target may refuse: the target, and the beginning of their names.
const REFUSED: &[(&str, &str)] = &[
    // No driver reads what perf stat prints; the target `counters` has the same files.
    ("drivers", "perf-stat-"),
    // The target knows the files of the other two machines, and some files are of this machine alone.
    ("machine", "arm-"),
];

fn replay(name: &str, count: usize) {
    let target = Target::by_name(name).expect("a test is named after its target");
    for seed in seeds(workspace()) {
        if seed.target != name {
            continue;
        }
        let what = format!("the seed {}", seed.name);
        let is_worth_keeping = check(target, &what, &seed.input);
        let may_be_refused = REFUSED
            .iter()
            .any(|(target, start)| *target == name && seed.name.starts_with(start));
        assert!(
            is_worth_keeping || may_be_refused,
            "the target {name} refuses {what}, so it tests nothing"
        );
        for changed in changes(&seed.input, count) {
            check(target, &format!("{what}, {}", changed.how), &changed.input);
        }
    }
    let stored = workspace().join("crates/fuzz-targets/corpora").join(name);
    if !stored.is_dir() {
        return;
    }
    for entry in fs::read_dir(&stored).expect("the stored inputs can be listed") {
        let path = entry.expect("the stored inputs can be listed").path();
        let input = fs::read(&path).expect("a stored input is a file that can be read");
        check(
            target,
            &format!("the stored input {}", path.display()),
            &input,
        );
    }
}

/// Gives an input to a target, and returns what that returns. If it panics, the input is written to a file, as a change
/// exists nowhere else.
fn check(target: &Target, what: &str, input: &[u8]) -> bool {
    let run = target.run;
    if let Ok(is_worth_keeping) = catch_unwind(|| run(input)) {
        return is_worth_keeping;
    }
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("failed-{}", target.name));
    fs::write(&file, input).expect("the input can be written");
    panic!(
        "the target {} fails for {what} ({} bytes, written to {}); the reason is printed above",
        target.name,
        input.len(),
        file.display()
    );
}
