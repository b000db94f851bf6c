//! Probes with more arguments than are passed one by one: the same in all languages, counted and recorded.

use std::path::Path;
use std::process::Command;

use perflab_testing::needs;
use perflab_trace_file::event::Value;
use perflab_trace_file::{EventSelection, Trace};

use crate::header::{STANDARDS, STRICT};
use crate::support::Program;
use crate::support::agreement::{counts_agree, ordered};
use crate::support::cargo::{Build, RELEASE, built};
use crate::support::compile::{FOR_C, FOR_CPP, compile};
use crate::support::recorded::record_to_its_end;

/// Executions of each probe.
const ROUNDS: u64 = 20;

/// Of each its number of arguments. Only in C and C++ there may be texts that lack.
const PROBES: [(&str, usize); 7] = [
    ("integers", 50),
    ("lacking", 13),
    ("most", 64),
    ("pairs", 13),
    ("room", 64),
    ("texts", 50),
    ("thirteen", 13),
];

/// The program in Rust.
const WIDE: Build = Build {
    package: "wide",
    ..RELEASE
};

const IN_RUST: [Build; 3] = [
    WIDE,
    Build {
        profile: "dev",
        ..WIDE
    },
    Build {
        features: "branch",
        ..WIDE
    },
];

fn source(compiler: &str) -> &'static str {
    if FOR_C.contains(&compiler) {
        "wide.c"
    } else {
        "wide.cc"
    }
}

/// Of each note of a probe for tracers how many places it names.
fn places(path: &Path, probe: &str) -> Vec<usize> {
    needs("readelf", "binutils");
    let output = Command::new("readelf")
        .args(["-n", "-W"])
        .arg(path)
        .output();
    let notes = String::from_utf8(output.unwrap().stdout).unwrap();
    let name = format!("Name: {probe}");
    let of_probe = notes.split("Provider: ").filter(|note| {
        let mut lines = note.lines();
        lines.any(|line| line.trim() == name)
    });
    of_probe.map(|note| note.matches("8@").count()).collect()
}

/// Each probe with its arguments, as the agent and the notes have them.
fn seen(path: &Path, what: &str) -> Vec<String> {
    let found = counts_agree(path, what);
    assert_eq!(ordered(&found), ["thirteen"], "{what}");
    for (name, arguments) in PROBES {
        let of_probe = found
            .iter()
            .find(|probe| probe.starts_with(&format!("{name} ")));
        let Some(of_probe) = of_probe else {
            assert_eq!(name, "lacking", "{what}");
            continue;
        };
        assert_eq!(of_probe.matches("(\"").count(), arguments, "{of_probe}");
        let places = places(path, name);
        let is_right = !places.is_empty() && places.iter().all(|places| *places == 12);
        assert!(is_right, "{what}: {name} {places:?}");
    }
    let in_all = found
        .into_iter()
        .filter(|probe| !probe.starts_with("lacking "));
    in_all.collect()
}

#[test]
fn all_languages_and_standards_have_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("program");
    let expected = seen(&built(WIDE), "rust");
    for build in IN_RUST {
        assert_eq!(seen(&built(build), &format!("{build:?}")), expected);
    }
    let more: [&[&str]; 4] = [
        &["-O0"],
        &["-O2", "-flto"],
        &["-O2", "-fno-pie", "-no-pie"],
        &["-O2", "-DPERFLAB_PROBE_BRANCH"],
    ];
    for (compilers, standards) in STANDARDS {
        for compiler in compilers {
            let standards = standards.iter().map(|standard| format!("-std={standard}"));
            let standards: Vec<String> = standards.collect();
            let strict = standards
                .iter()
                .map(|standard| [&STRICT[..], &[standard.as_str()]].concat());
            for flags in strict.chain(more.map(<[&str]>::to_vec)) {
                compile(compiler, &flags, &[source(compiler)], &path);
                let what = format!("{compiler} {flags:?}");
                assert_eq!(seen(&path, &what), expected, "{what}");
            }
            let flags = [&STRICT[..], &["-DPERFLAB_PROBE_NONE"]].concat();
            compile(compiler, &flags, &[source(compiler)], &path);
        }
    }
}

/// A part of the last 200 letters of the programs.
fn letters(before_end: u64, length: u64) -> Vec<u8> {
    let places = 200 - before_end..200 - before_end + length;
    places.map(|at| b'a' + (at % 26) as u8).collect()
}

/// Values of an argument of each type, as the programs have them.
fn of_all_types(round: u64, n: u64) -> [String; 16] {
    let odd = round & 1;
    let [whole, part, bytes] = [letters(n, n), letters(20, n), letters(20, n + 1)];
    [
        Value::Signed(-1),
        Value::Unsigned(2),
        Value::Signed(-3),
        Value::Unsigned(4),
        Value::Signed(round as i64),
        Value::Unsigned(6),
        Value::Signed(-7),
        Value::Unsigned(round + n),
        Value::Single(1.5),
        Value::Double(2.5),
        Value::Bool(odd == 1),
        Value::Address(8),
        Value::Text(Some(&whole)),
        Value::Text(Some(&part)),
        Value::Text(Some(&bytes)),
        Value::Signed(odd as i64),
    ]
    .map(|value| format!("{value:?}"))
}

/// What an event of a probe has in a round: its values, and whether texts were cut.
fn expected(probe: &str, round: u64) -> (Vec<String>, bool) {
    let text = |text: Vec<u8>| format!("{:?}", Value::Text(Some(&text)));
    match probe {
        "thirteen" | "integers" => {
            let arguments = if probe == "thirteen" { 10..23 } else { 10..60 };
            let values = arguments.map(|n| format!("{:?}", Value::Unsigned(round + n)));
            (values.collect(), false)
        }
        "texts" => {
            let values = (10..60).map(|n| text(letters(n % 20, n % 20)));
            (values.collect(), false)
        }
        "most" => {
            let values = (1..5).flat_map(|n| of_all_types(round, n));
            (values.collect(), false)
        }
        // A record has 253 words, 64 of them for lengths: 61 texts get three of the others, and the rest two.
        "room" => {
            let kept = |n| if n < 10 + 61 { 24 } else { 16 };
            let values = (10..74).map(|n| text(letters(100 + n, kept(n))));
            (values.collect(), true)
        }
        "pairs" => {
            let values = (10..23).map(|n| text(letters(20, n % 20)));
            (values.collect(), false)
        }
        "lacking" => {
            let values = (10..23).map(|n| text(letters(n, n % 2 * n)));
            (values.collect(), true)
        }
        _ => panic!("{probe}"),
    }
}

/// Records a program and sees that all its events are there as it made them.
fn is_recorded(program: &Path, trace: &Path, what: &str, probes: usize) {
    let program = Program::start(Command::new(program).arg("recorded"));
    let progress = record_to_its_end(program, "sites:*", 1024, trace);
    assert_eq!(
        (progress.events, progress.dropped, progress.invalid),
        (ROUNDS * probes as u64, 0, 0),
        "{what}"
    );
    let trace = Trace::open(trace).unwrap();
    assert_eq!(trace.problems(), [], "{what}");
    let process = &trace.processes()[&1];
    assert_eq!(
        (process.costs.len(), process.probes.len()),
        (probes, probes)
    );
    for (count, event) in trace.events(&EventSelection::default()).enumerate() {
        let name = &event.probe.name;
        let round = count as u64 / probes as u64;
        let values = event.values().map(|value| format!("{value:?}"));
        let values: Vec<String> = values.collect();
        let found = (values, event.is_cut);
        assert_eq!(found, expected(name, round), "{what}: {name} {round}");
    }
}

#[test]
fn events_are_as_they_were_made() {
    let directory = tempfile::tempdir_in("/dev/shm").unwrap();
    let [binary, trace] = ["program", "trace"].map(|name| directory.path().join(name));
    for compiler in [FOR_C, FOR_CPP].concat() {
        for flags in [&["-O2"][..], &["-O0"], &["-O2", "-DPERFLAB_PROBE_BRANCH"]] {
            compile(compiler, flags, &[source(compiler)], &binary);
            let what = format!("{compiler} {flags:?}");
            is_recorded(&binary, &trace, &what, PROBES.len());
        }
    }
    for build in IN_RUST {
        is_recorded(
            &built(build),
            &trace,
            &format!("{build:?}"),
            PROBES.len() - 1,
        );
    }
}

/// By each clock the handler is another one.
#[test]
fn by_all_clocks() {
    let directory = tempfile::tempdir_in("/dev/shm").unwrap();
    let [binary, trace] = ["program", "trace"].map(|name| directory.path().join(name));
    compile("gcc", &["-O2"], &["wide.c"], &binary);
    for clock in ["ordered", "unordered", "monotonic"] {
        let mut command = Command::new(&binary);
        let command = command.arg("recorded").env("PERFLAB_AGENT_CLOCK", clock);
        let progress = record_to_its_end(Program::start(command), "sites:*", 1024, &trace);
        assert_eq!(progress.events, ROUNDS * PROBES.len() as u64, "{clock}");
    }
}
