//! Expressions and events for the installed LTTng: random ones, the vectors, and those that are documented to differ.
//!
//! `PERFLAB_LTTNG_CASES` names a directory to which the test writes them. `scripts/prove-lttng` has LTTng judge them.
//! `PERFLAB_LTTNG_EXPRESSIONS` sets how many expressions are random (50).

mod common;
mod differences;

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use super::pairs::{differs, number};
use super::random::Random;
use super::{Answer, Argument, Event, Value, answer, expressions, hits, judged, print};
use crate::executed::Executed;
use crate::vectors;
use differences::{DIFFERENCES, Difference};

/// Events of each random expression.
const EVENTS: usize = 200;

/// Probes of the random expressions. LTTng needs a class of tracepoints for each.
const PROBES: u64 = 50;

/// Types that LTTng has, too.
const KINDS: [&str; 18] = [
    "i8",
    "i16",
    "i32",
    "i64",
    "u8",
    "u16",
    "u32",
    "u64",
    "bool",
    "ptr",
    "enum(GET=0,SET=1)",
    "f32",
    "f64",
    "cstr",
    "cstr",
    "str",
    "str",
    "bytes",
];

/// What a process knows of itself. LTTng's program fills in its own for `own_` and the name.
const CONTEXT: &[(&str, &str)] = &[
    (
        "$ctx.vpid == own_vpid && $ctx.vtid == own_vtid",
        "i32 own_vpid=1000; i32 own_vtid=1001",
    ),
    (
        "$ctx.pthread_id == own_pthread_id && $ctx.cpu_id == own_cpu_id",
        "u64 own_pthread_id=139716164220672; i32 own_cpu_id=2",
    ),
    (
        "$ctx.vpid != own_vpid || $ctx.vtid != own_vtid",
        "i32 own_vpid=1000; i32 own_vtid=1001",
    ),
    ("0 != $ctx.vtid", ""),
];

/// An expression, and events with whether LTTng records them.
struct Case {
    /// Where it comes from.
    what: String,
    text: String,
    events: Vec<(Event, bool)>,
}

impl Case {
    fn of_one(what: String, text: &str, fields: &str, is_recorded: bool) -> Self {
        let events = vec![(vectors::event(fields), is_recorded)];
        let text = text.into();
        Self { what, text, events }
    }
}

/// A random expression, on which all ways of ours to judge agree.
fn random_case(seed: u64) -> Case {
    let mut random = Random::new(u64::MAX - seed % PROBES);
    let probe = expressions::probe_of(&mut random, &KINDS);
    let mut random = Random::new(seed);
    let tree = expressions::tree(&mut random, &probe);
    let sample = hits::event(&mut random, &probe, &tree);
    let tree = common::tree(&tree, &sample);
    let text = print::printed(&mut random, &tree);
    let executed = Executed::of(&text, &sample);
    let mut events = Vec::new();
    for _ in 0..EVENTS {
        let mut event = hits::event(&mut random, &probe, &tree);
        common::mend(&mut event, &tree);
        let expected = judged(&tree, &event);
        let difference = differs(expected, &executed, &event, &mut random);
        assert_eq!(
            difference, None,
            "seed {seed}: not {expected:?}: {text}\n{event:?}"
        );
        events.push((event, expected == Answer::Yes));
    }
    let what = format!("seed {seed}");
    Case { what, text, events }
}

/// The vectors that LTTng answers as they are documented.
fn vector_cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for rule in vectors::all() {
        for &(text, fields, documented) in rule.vectors {
            let is_filter = matches!(documented, Answer::Yes | Answer::No);
            if is_filter && names_process(text) || differences::lttng(text, fields).is_some() {
                continue;
            }
            let what = format!("vector: {}", rule.says);
            let is_recorded = documented == Answer::Yes;
            cases.push(Case::of_one(what, text, fields, is_recorded));
        }
    }
    cases
}

/// Whether the answer depends on the process and the thread that hit the probe.
fn names_process(text: &str) -> bool {
    let numbers = ["vtid", "vpid", "cpu_id", "pthread_id", "ip"];
    text.contains("$ctx") && numbers.iter().any(|number| text.contains(number))
}

fn context_cases() -> impl Iterator<Item = Case> {
    CONTEXT.iter().map(|&(text, fields)| {
        let is_recorded = answer(text, &vectors::event(fields)) == Answer::Yes;
        Case::of_one("vector: the context".into(), text, fields, is_recorded)
    })
}

fn difference_cases() -> impl Iterator<Item = Case> {
    DIFFERENCES.iter().flat_map(|Difference { row, cases }| {
        cases.iter().map(move |&(text, fields, lttng)| {
            Case::of_one(format!("difference: {row}"), text, fields, lttng)
        })
    })
}

#[test]
fn cases_are_judged_alike() {
    let expressions = number("PERFLAB_LTTNG_EXPRESSIONS", 50);
    let mut cases: Vec<Case> = (0..expressions).map(random_case).collect();
    let events = cases.iter().flat_map(|case| &case.events);
    let (recorded, rejected): (Vec<_>, Vec<_>) = events.partition(|(_, is_recorded)| *is_recorded);
    let (recorded, rejected) = (recorded.len(), rejected.len());
    assert!(
        recorded > rejected / 9 && rejected > recorded / 9,
        "{recorded} recorded, {rejected} rejected: too few of a kind"
    );
    cases.extend(vector_cases());
    cases.extend(context_cases());
    cases.extend(difference_cases());
    if let Some(directory) = env::var_os("PERFLAB_LTTNG_CASES") {
        write(&cases, Path::new(&directory)).unwrap();
    }
}

#[test]
fn differences_are_documented() {
    let page = include_str!(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../docs/filters.md"
    ));
    let vectors: Vec<_> = vectors::all().flat_map(|rule| rule.vectors).collect();
    for Difference { row, cases } in DIFFERENCES {
        assert!(page.contains(row), "docs/filters.md has no row on {row}");
        for &(text, fields, lttng) in *cases {
            let mut vectors = vectors.iter();
            let vector = vectors.find(|(own, event, _)| (*own, *event) == (text, fields));
            let Some((_, _, documented)) = vector else {
                panic!("no vector: {text}, {fields}");
            };
            let is_recorded = *documented == Answer::Yes;
            assert_ne!(is_recorded, lttng, "no difference: {text}, {fields}");
        }
    }
}

/// Writes a line for each case, with tabs between where it is from, the fields, the expression in hexadecimal digits
/// and the numbers of the events that LTTng records. The events go to a file for `tests/lttng/replay.c`.
fn write(cases: &[Case], directory: &Path) -> std::io::Result<()> {
    let (mut lines, mut hits) = (String::new(), String::new());
    for (number, case) in cases.iter().enumerate() {
        let (first, _) = &case.events[0];
        let fields = first.fields().map(|(kind, name)| format!("{kind} {name}"));
        let numbered = case.events.iter().enumerate();
        let recorded = numbered.filter(|(_, (_, is_recorded))| *is_recorded);
        lines += &[
            case.what.clone(),
            fields.collect::<Vec<_>>().join("; "),
            hexadecimal(case.text.as_bytes()),
            recorded
                .map(|(event, _)| event.to_string())
                .collect::<Vec<_>>()
                .join(","),
        ]
        .join("\t");
        lines.push('\n');
        for (event_number, (event, _)) in case.events.iter().enumerate() {
            write!(hits, "{number} {event_number} {}", thread(event)).unwrap();
            for argument in &event.arguments {
                hits.push(' ');
                hits += &word(argument);
            }
            hits.push('\n');
        }
    }
    fs::write(directory.join("cases"), lines)?;
    fs::write(directory.join("events"), hits)
}

/// The name of the thread, unless it is that of the program.
fn thread(event: &Event) -> String {
    let mut context = event.context.iter();
    match context.find(|(name, _)| *name == "procname") {
        Some((_, Value::Text(Some(name)))) if name != b"gen-ust-events" => hexadecimal(name),
        _ => "-".into(),
    }
}

fn word(argument: &Argument) -> String {
    match &argument.value {
        Value::Integer(value) => format!("i{value:x}"),
        Value::Double(value) => format!("d{:x}", value.to_bits()),
        Value::Text(Some(text)) => format!("t{}", hexadecimal(text)),
        // LTTng would read elements of bytes there.
        Value::Text(None) if argument.kind == "bytes" => "n0".into(),
        Value::Text(None) => "n5".into(),
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    let mut digits = String::new();
    for byte in bytes {
        write!(digits, "{byte:02x}").unwrap();
    }
    digits
}
