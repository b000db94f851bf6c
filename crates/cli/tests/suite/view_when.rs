//! `perflab trace view --when`: a filter on events that were recorded before.

use perflab_abi::recording::NULL_TEXT;
use perflab_abi::{Clock, Description, ProbeContent, ProcessContent, ThreadContent};
use perflab_trace_file::event::Layout;
use perflab_trace_file::{EventBatch, TraceWriter};

use crate::support::{Laboratory, Said};

const COMMAND: &str = "kv\ncommand\nkv.c\n1\n\
    cstr name\ni64 bytes\nf32 ratio\nbytes data\nu8 kind\nbool is_new\nptr at";
const STOCK: &str = "kv\nstock\nkv.c\n2\nu64 bytes";

/// A text as a ring has it.
fn text(text: Option<&str>) -> Vec<u64> {
    let Some(text) = text else {
        return vec![NULL_TEXT];
    };
    let eights = text.as_bytes().chunks(8).map(|bytes| {
        let mut eight = [0; 8];
        eight[..bytes.len()].copy_from_slice(bytes);
        u64::from_le_bytes(eight)
    });
    [text.len() as u64].into_iter().chain(eights).collect()
}

fn command(name: Option<&str>, bytes: i64, ratio: f32, data: &str, numbers: [u64; 3]) -> Vec<u64> {
    let ratio = u64::from(ratio.to_bits());
    [
        text(name),
        vec![bytes.cast_unsigned(), ratio],
        text(Some(data)),
        numbers.to_vec(),
    ]
    .concat()
}

/// A trace of two probes and two threads, in a file `kv.trace`.
fn recorded() -> Laboratory {
    let mut to = TraceWriter::new(Vec::new());
    to.process(&ProcessContent {
        process: 1,
        pid: 7,
        start: 7,
        clock: Clock::Monotonic,
        skew: 0,
        executable: "/usr/bin/kv",
        command: "kv",
        ahead: None,
    })
    .unwrap();
    for (probe, description) in [(1, COMMAND), (2, STOCK)] {
        to.probe(&ProbeContent {
            process: 1,
            probe,
            object: "",
            description,
            ahead: None,
        })
        .unwrap();
    }
    let events = [
        (1, 1, command(Some("SET"), 600, 0.5, "\x01\x02", [7, 1, 0])),
        (1, 1, command(Some("GET"), -600, -1.25, "", [255, 0, 1])),
        (1, 1, command(None, 9000, f32::NAN, "ab", [0, 0, 0])),
        (2, 2, vec![1 << 63]),
        (2, 1, command(Some("SETEX"), 512, 0.1, "\x01", [7, 1, 5])),
    ];
    for (thread, name) in [(1, "worker"), (2, "io")] {
        to.thread(&ThreadContent {
            process: 1,
            thread,
            tid: 10 + thread,
            name,
        })
        .unwrap();
        let mut batch = EventBatch::new(1, thread);
        batch.begin(0, 0);
        for (at, (own, probe, words)) in (1_u64..).zip(&events) {
            if *own == thread {
                let description = if *probe == 1 { COMMAND } else { STOCK };
                let layout = Layout::of_probe(&Description::parse(description).unwrap());
                let time = 1_000_000 * at;
                batch.push(*probe, false, time, &layout, words).unwrap();
            }
        }
        to.events(&mut batch).unwrap();
    }
    let laboratory = Laboratory::new();
    laboratory.write("kv.trace", to.finish().unwrap());
    laboratory
}

fn view(laboratory: &Laboratory, words: &[&str]) -> Said {
    laboratory.call(&[&["trace", "view", "kv.trace"], words].concat())
}

/// The numbers of the events that are shown, from 0: they are a millisecond apart.
fn numbers(said: &Said) -> Vec<u32> {
    let lines = said.out.lines().skip(1);
    let times = lines.map(|line| line.split_whitespace().next().unwrap());
    times
        .map(|time| (time.parse::<f64>().unwrap() * 1e3).round() as u32)
        .collect()
}

#[test]
fn what_is_accepted() {
    let laboratory = recorded();
    for (expression, expected) in [
        ("bytes > 512", &[0, 2][..]),
        ("bytes == 9223372036854775808 || bytes == 512", &[3, 4]),
        ("bytes < 0", &[1, 3]),
        ("name == \"SET*\"", &[0, 4]),
        // A text that is not there rejects.
        ("name != \"SET\"", &[1, 4]),
        ("name == \"*E*\" && kind == 7 || is_new == 0", &[0, 1, 4]),
        ("ratio >= 0.5", &[0]),
        // As it was recorded, with 32 bits.
        ("ratio == 0.1", &[]),
        ("ratio > 0.1 && ratio < 0.2", &[4]),
        ("ratio != ratio", &[2]),
        ("data[1] == 2", &[0]),
        ("data == \"ab\" && !at", &[2]),
        ("at == 5 || at == 1", &[1, 4]),
        ("$ctx.vtid == 12", &[3, 4]),
        ("$ctx.procname == \"work*\" && $ctx.vpid == 7", &[0, 1, 2]),
    ] {
        let said = view(&laboratory, &["--when", expression]);
        assert_eq!(numbers(&said), expected, "{expression}: {}", said.err);
        let is_any = !expected.is_empty();
        assert_eq!(said.code, if is_any { 0 } else { 4 }, "{expression}");
    }
}

#[test]
fn with_other_choices() {
    let laboratory = recorded();
    let shown = |words: &[&str]| numbers(&view(&laboratory, words).code(0));
    let when = ["--when", "bytes == 600 || bytes == 512 || bytes < 0"];
    assert_eq!(shown(&when), [0, 1, 3, 4]);
    let with = |words: &[&str]| shown(&[&when, words].concat());
    assert_eq!(with(&["kv:command"]), [0, 1, 4]);
    assert_eq!(with(&["--thread", "io"]), [3, 4]);
    assert_eq!(with(&["--from", "0.001"]), [1, 3, 4]);
    // So many of those that are accepted.
    assert_eq!(with(&["--limit", "3"]), [0, 1, 3]);
}

#[test]
fn probes_that_lack_a_name() {
    let laboratory = recorded();
    let said = view(&laboratory, &["--when", "name == \"GET\""]).code(0);
    assert_eq!(numbers(&said), [1]);
    assert_eq!(
        said.err,
        "no event of kv:stock is shown: an argument that the filter names is missing there, or has another type\n"
    );
    let said = view(&laboratory, &["kv:command", "--when", "name == \"GET\""]).code(0);
    assert_eq!(said.err, "");
}

#[test]
fn what_is_refused() {
    let laboratory = recorded();
    for (words, code, expected) in [
        (
            &["--when", "bytes >"][..],
            2,
            "error: expected a value, found the end\n  bytes >\n         ^\n",
        ),
        (
            &["--when", "nmae == \"a\""],
            2,
            "error: no argument is called `nmae`: did you mean `name`?\n  nmae == \"a\"\n  ^^^^\n",
        ),
        (
            &["--when", "name > 3"],
            2,
            "error: `name`, a text, cannot be compared with an integer\n  name > 3\n  ^^^^^^^^\n",
        ),
        (
            &["--when", "$ctx.cpu_id == 3"],
            2,
            "error: `$ctx.cpu_id` is not in a trace, expected `$ctx.vtid`, `$ctx.vpid` or `$ctx.procname`\n",
        ),
        (
            &["--when", "bytes == 3"],
            4,
            "error: no event matches the filter bytes == 3: it rejects 5 events\n",
        ),
        (
            &["kv:stock", "--when", "bytes > 3"],
            4,
            "error: no event matches the filter bytes > 3: it rejects 1 event\n",
        ),
        (
            &["--when", "bytes < 0", "--to", "0"],
            4,
            "error: no event matches all of the time up to 0 s, the filter bytes < 0; each alone matches some\n",
        ),
    ] {
        let said = view(&laboratory, words).code(code);
        assert_eq!(said.err, expected, "{words:?}");
    }
    view(&laboratory, &["--pid", "99", "--when", "bytes > 3"])
        .code(4)
        .says(&[
            "no event matches process 99",
            "no event matches the filter bytes > 3: it judges no event of what else was asked for",
        ]);
    view(&laboratory, &["--summary", "--when", "bytes"])
        .code(2)
        .says(&["--summary is of the whole trace", "--when"]);
}
