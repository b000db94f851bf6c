//! Experiment files, and the files of a result.

use super::collection::{Collection, name};

const OWN: &str = "crates/fuzz-targets/seeds";
const SMALL: &str = "crates/fuzz-targets/seeds/small.toml";
const PLAN: &str = "crates/lab/experiment/tests/golden/plan.json";

pub fn collect(all: &mut Collection<'_>) {
    experiments(all);
    frozen_files(all);
    index(all);
    all.add_file("plan", "golden", "", PLAN);
    all.add_file("report", "compared", "", &format!("{OWN}/report.json"));
    for file in all.files(OWN, ".jsonl") {
        all.add_file("result_dir", name(&file), "", &file);
        all.add_file("pages", name(&file), "r", &file);
    }
    removed(all);
    sample_files(all);
    pages(all);
}

/// Records of which one in the middle, or those at the end, were removed.
fn removed(all: &mut Collection<'_>) {
    let records = all.read(&format!("{OWN}/records.jsonl"));
    let with = |is_removed: fn(usize) -> bool| {
        let lines = records.split_inclusive(|&byte| byte == b'\n').enumerate();
        let marked = lines.map(|(place, line)| match is_removed(place) {
            true => [b"-", line].concat(),
            false => line.to_vec(),
        });
        marked.collect::<Vec<_>>().concat()
    };
    let (middle, end) = (with(|place| place == 2), with(|place| place > 3));
    all.add("result_dir", "removed-in-the-middle", middle);
    all.add("result_dir", "removed-at-the-end", end);
}

/// Records of which the first has samples in a file, in one piece and with others between them.
fn sample_files(all: &mut Collection<'_>) {
    let file = r#"{"file":"perflab-samples-1.txt","sha256":"SHA256","name":"wait","unit":"ms","better":"lower","count":3,"min":1,"max":3,"mean":2,"median":2}"#;
    let records = String::from_utf8_lossy(&all.read(&format!("{OWN}/records.jsonl"))).replacen(
        r#","samples":["#,
        &format!(r#","sample_files":[{file}],"samples":["#),
        1,
    );
    for (name, samples) in [
        ("sample-file", "1.0\n2.5\n3e0\n"),
        ("sample-file-in-turn", "1.0\n2.5 1\n3e0\n"),
        ("sample-file-without-place", "1.0\n2.5 2\n3e0\n"),
    ] {
        all.add("result_dir", name, format!("{records}\0{samples}"));
    }
}

fn experiments(all: &mut Collection<'_>) {
    for directory in [
        "experiments",
        OWN,
        "crates/lab/experiment/tests/files",
        "crates/lab/experiment/tests/broken",
    ] {
        for file in all.files(directory, ".toml") {
            all.add_file("experiment", name(&file), "", &file);
        }
    }
}

fn frozen_files(all: &mut Collection<'_>) {
    let target = "frozen_files";
    all.add_file(target, "experiment", "e", SMALL);
    all.add_file(target, "plan", "p", PLAN);
    all.add(target, "fingerprint", r#"f{"schema":1}"#);
    all.add(
        target,
        "meta",
        r#"m{"schema":1,"perflab":"0","created":"","name":"","argv":[],"sha256":{"experiment":"","plan":"","fingerprint":""}}"#,
    );
    all.add(
        target,
        "imported",
        r#"m{"schema":1,"perflab":"0","created":"","name":"","argv":[],"imported":{"format":"jmh","independent":false,"files":[{"path":"1/a","sha256":""}],"notes":[]},"sha256":{"experiment":"","plan":"","fingerprint":""}}"#,
    );
    for reason in ["decided", "runs", "budget"] {
        let note = format!(r#"s{{"schema":1,"reason":"{reason}","blocks":12}}"#);
        all.add(target, format!("stopped-{reason}"), note);
    }
    let altered = r#"S{"schema":1,"reason":"runs","blocks":12,"crc":"00000000"}"#;
    all.add(target, "altered", format!("{altered}\n"));
}

/// The whole index, its first page, and another number at the head of a page.
fn index(all: &mut Collection<'_>) {
    all.add("index", "whole", b"\xff\xff");
    all.add("index", "cut", b"\x10\x00");
    all.add("index", "altered", b"\xff\xff\x00\x3f\x02\x10\x00\x05");
}

fn pages(all: &mut Collection<'_>) {
    let target = "pages";
    all.add_file(target, "experiment", "e", SMALL);
    all.add_file(target, "plan", "p", PLAN);
    all.add(
        target,
        "fingerprint",
        r#"f{"machine":{"cpu":{"model":"<b>"}},"programs":[{"a":1}]}"#,
    );
    all.add(
        target,
        "meta",
        r#"m{"schema":1,"perflab":"0","created":"","name":"<script>","argv":["&"],"imported":{"format":"jmh","independent":true,"files":[{"path":"1/a","sha256":""}],"notes":["</title>"]},"sha256":{"experiment":"","plan":"","fingerprint":""}}"#,
    );
    all.add(
        target,
        "stopped",
        r#"s{"schema":1,"reason":"decided","blocks":1}"#,
    );
    all.add(
        target,
        "log",
        b"l\x1b[31m</pre><script>alert(1)</script>\xff",
    );
}
