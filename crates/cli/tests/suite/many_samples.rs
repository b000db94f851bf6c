//! Runs with more samples than a record should hold: no command tells them from others.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use perflab_store::OpenedResult;
use sha2::{Digest, Sha256};

use crate::crowds::{get, serve};
use crate::read_only::call;
use crate::support::{Laboratory, RUN, Said, wait_until};

const EXPERIMENT: &str = r#"
[design]
runs = 6

[variants.old]
vars = { base = "10" }

[variants.new]
vars = { base = "12" }

[workloads.load]
driver = "generic"
command = ["{experiment}/tool", "{base}"]

[[workloads.load.metrics]]
name = "*"
unit = ""
values = true
all = true
better = "lower"
"#;

/// 2400 latencies, with another metric between them, and a single value behind them.
const TOOL: &str = r#"exec awk -v base="$1" -v run="$$" 'BEGIN {
    for (i = 0; i < 2400; i++) {
        print "VALUE " base + run % 50 / 100 + (i * 7919 % 1009) / 7 " ms latency"
        if (i % 2 == 0) print "VALUE " 1 + i % 7 " us wait"
    }
    print "VALUE 3 s total"
}'
"#;

const FILE: &str = "result/runs/000001/perflab-samples-1.txt";

fn measured() -> Laboratory {
    let laboratory = Laboratory::new();
    laboratory.program("tool", TOOL);
    laboratory.run(EXPERIMENT).code(0);
    laboratory.assert_complete(12);
    laboratory
}

/// Two processes of each of two programs, which repeated two benchmarks in turn.
fn imported() -> Laboratory {
    let laboratory = Laboratory::new();
    let mut arguments = vec!["import".to_owned(), "--out".to_owned(), "result".to_owned()];
    for (file, first) in [("old1", 100), ("old2", 103), ("new1", 120), ("new2", 121)] {
        let lines = (0..1500).map(|i| {
            let value = f64::from(first + i % 13) / 3.0;
            format!("BenchmarkA-8 100 {value} ns/op 16 B/op\nBenchmarkB-8 100 {i} ns/op\n")
        });
        let text = format!("goos: linux\n{}PASS\n", lines.collect::<String>());
        laboratory.write(&format!("{file}.txt"), text);
        arguments.push(format!("{}={file}.txt", &file[..3]));
    }
    laboratory.call(&arguments).code(0);
    laboratory
}

/// CRC-32 as in zlib.
pub fn crc(bytes: &[u8]) -> u32 {
    let bit = |crc: u32, _| (crc >> 1) ^ (0xedb8_8320 * (crc & 1));
    !bytes
        .iter()
        .fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), bit))
}

/// Puts all samples into the records, as a perflab before that had files for them, and removes the files.
fn put_inside(laboratory: &Laboratory) {
    let path = laboratory.path("result");
    let records = OpenedResult::open(&path).unwrap().records;
    let mut before = laboratory.read("result/meta.json");
    let mut content = String::new();
    for record in &records {
        let mut line = serde_json::to_string(record).unwrap();
        line.pop();
        let hash = Sha256::digest(before);
        let hash = hash[..8].iter().map(|byte| format!("{byte:02x}"));
        line += &format!(",\"previous\":\"{}\"", hash.collect::<String>());
        before = format!("{line},\"crc\":\"{:08x}\"}}\n", crc(line.as_bytes()));
        content += &before;
        let output = path.join(format!("runs/{:06}", record.run));
        for number in 1..4 {
            let _fewer = fs::remove_file(output.join(format!("perflab-samples-{number}.txt")));
        }
    }
    assert!(content.len() > 10 * laboratory.read("result/runs.jsonl").len());
    assert!(!laboratory.path(FILE).exists());
    laboratory.write("result/runs.jsonl", content);
}

/// What every command that reads a result makes of it, with all files of its pages.
fn told(laboratory: &Laboratory) -> BTreeMap<String, Vec<u8>> {
    let mut told = BTreeMap::new();
    for arguments in [
        "compare result",
        "compare result --format csv",
        "compare result --format json",
        "compare result result",
        "show result",
        "show result --run 1",
        "show result --run 4",
        "export result --to csv",
        "export result --to go-bench",
        "export result --to openmetrics",
        "plan result --show 1%",
        "show .",
    ] {
        let words: Vec<&str> = arguments.split(' ').collect();
        let Said { code, out, err } = laboratory.call(&words);
        assert_ne!(code, 2, "{arguments}: {err}");
        told.insert(
            arguments.to_owned(),
            format!("{code}\n{out}\n{err}").into_bytes(),
        );
    }
    let _earlier = fs::remove_dir_all(laboratory.path("pages"));
    laboratory.call(&["report", "result", "-o", "pages"]);
    add_files(&laboratory.path("pages"), &mut told);
    assert!(told.len() > 20, "{:?}", told.keys());
    told
}

fn add_files(directory: &Path, told: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => add_files(&path, told),
            false => {
                told.insert(path.display().to_string(), fs::read(path).unwrap());
            }
        }
    }
}

#[track_caller]
fn told_alike(laboratory: &Laboratory) {
    let outside = told(laboratory);
    put_inside(laboratory);
    let inside = told(laboratory);
    assert!(outside.keys().eq(inside.keys()));
    for (what, text) in &outside {
        assert!(*text == inside[what], "{what}");
    }
}

#[test]
fn what_was_measured_is_told_alike() {
    let laboratory = measured();
    let file = laboratory.read(FILE);
    assert_eq!(file.lines().count(), 2400);
    let record = &laboratory.records()[0];
    let files = record["sample_files"].as_array().unwrap();
    assert_eq!([&files[0]["count"], &files[1]["count"]], [2400, 1200]);
    assert_eq!(record["samples"].as_array().unwrap().len(), 1);
    told_alike(&laboratory);
}

#[test]
fn what_was_imported_is_told_alike() {
    let laboratory = imported();
    for number in 1..4 {
        let file = format!("result/runs/000001/perflab-samples-{number}.txt");
        assert_eq!(laboratory.read(&file).lines().count(), 1500);
    }
    told_alike(&laboratory);
}

/// Checks that every command that needs the samples names the file.
#[track_caller]
fn refused(laboratory: &Laboratory, found: &str) {
    let place = format!("{FILE}, as they were written, found {found}");
    for arguments in [
        &["compare", "result"][..],
        &["show", "result"],
        &["show", "result", "--run", "1"],
        &["export", "result", "--to", "csv"],
        &["plan", "result", "--show", "1%"],
        &["steady", "result"],
        &[&RUN[..], &["--resume"]].concat(),
    ] {
        let said = laboratory.call(arguments).code(4).says(&[&place]);
        assert!(said.out.is_empty(), "{}", said.out);
    }
    let list = laboratory.call(&["show", "."]).code(0);
    list.prints(&["result  cannot be read:", &place]);
    let _earlier = fs::remove_dir_all(laboratory.path("pages"));
    let report = laboratory.call(&["report", "result", "-o", "pages"]);
    report.code(4).says(&[&place]);
    let page = laboratory.read("pages/index.html");
    for word in ["This result is damaged", &place] {
        assert!(page.contains(word), "{page}");
    }
}

#[test]
fn a_file_that_is_altered_cut_short_or_missing_is_damage() {
    let laboratory = measured();
    let whole = laboratory.read(FILE);
    let mut altered = whole.clone().into_bytes();
    altered[whole.len() / 2] ^= 1;
    laboratory.write(FILE, altered);
    refused(&laboratory, "it altered");
    laboratory.write(FILE, &whole[..whole.len() / 2]);
    refused(&laboratory, "it altered");
    fs::remove_file(laboratory.path(FILE)).unwrap();
    refused(&laboratory, "no file");
    laboratory.write(FILE, [whole.as_bytes(), &[b'\n'; 100_000]].concat());
    refused(&laboratory, "more bytes than its samples take");
    laboratory.write(FILE, &whole);
    let output = laboratory.path("result/runs/000001");
    let elsewhere = laboratory.path("elsewhere");
    fs::rename(&output, &elsewhere).unwrap();
    symlink(&elsewhere, &output).unwrap();
    refused(&laboratory, "a symbolic link on the way to it");
    fs::remove_file(&output).unwrap();
    fs::rename(&elsewhere, &output).unwrap();
    laboratory.call(&["show", "result"]).code(0);
}

#[test]
fn a_kill_between_a_file_and_its_record_costs_that_run_alone() {
    let laboratory = measured();
    let whole = laboratory.read("result/runs.jsonl");
    let last = whole.trim_end().rfind('\n').unwrap() + 1;
    // The last line is not there yet, or in part, and the run's output has its name after it.
    for end in [last, last + 100] {
        laboratory.write("result/runs.jsonl", &whole[..end]);
        let output = laboratory.path("result/runs/000012");
        let partial = output.with_extension("partial");
        fs::rename(&output, &partial).unwrap();
        fs::write(partial.join("perflab-samples-1.txt"), "1.0\n").unwrap();
        let shown = laboratory.call(&["show", "result"]).code(0);
        shown.prints(&["11 of 12 runs recorded"]);
        laboratory.resume().code(0);
        laboratory.assert_complete(12);
        let file = laboratory.read("result/runs/000012/perflab-samples-1.txt");
        assert_eq!(file.lines().count(), 2400);
        laboratory.call(&["show", "result"]).code(0);
    }
}

#[test]
fn a_file_that_may_not_be_opened_is_no_damage() {
    let laboratory = measured();
    fs::set_permissions(laboratory.path("."), Permissions::from_mode(0o755)).unwrap();
    let mode = if rustix::process::geteuid().is_root() {
        0o600
    } else {
        0
    };
    fs::set_permissions(laboratory.path(FILE), Permissions::from_mode(mode)).unwrap();
    for command in ["compare", "show", "steady"] {
        call(&laboratory, &[command, "result"]).code(2).says(&[
            FILE,
            "Permission denied",
            "check its permissions",
        ]);
    }
}

#[test]
fn pages_tell_when_a_file_is_back() {
    let laboratory = measured();
    let whole = laboratory.read(FILE);
    fs::remove_file(laboratory.path(FILE)).unwrap();
    let (_server, address) = serve(&laboratory);
    let page = || get(&address, "/results/result/index.html");
    let is_listed_so = || get(&address, "/").contains("verdict worse\">damaged");
    assert!(page().contains("This result is damaged") && is_listed_so());
    laboratory.write(FILE, whole);
    assert!(!is_listed_so());
    wait_until("the page to be right again", || {
        !page().contains("This result is damaged")
    });
}
