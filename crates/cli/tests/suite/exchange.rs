//! Results of other tools come in, are judged for what they are, and go out again.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;

use perflab_stats::location::{NullCache, Scale, Side, location_test};
use perflab_stats::{Stratum, summary};
use perflab_testing::{needs_found, not_checked, test_name};
use serde_json::Value;

use crate::support::{Laboratory, Said};

fn fixture(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../lab/formats/tests/fixtures");
    path.join(name).to_str().unwrap().to_owned()
}

/// A result that was measured, in three variants and two blocks.
fn measured() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/documents/results/sort");
    path.to_str().unwrap().to_owned()
}

fn json(laboratory: &Laboratory, result: &str) -> Value {
    let said = laboratory.call(&["compare", result, "--format", "json", "--gate", "none"]);
    serde_json::from_str(&said.code(0).out).unwrap()
}

/// Go's text of one process that repeats a benchmark: `count` values from `first` on, one apart.
fn repeated(first: usize, count: usize) -> String {
    let lines = (0..count).map(|i| format!("BenchmarkA-8 100 {} ns/op\n", first + i));
    format!("goos: linux\n{}PASS\n", lines.collect::<String>())
}

const TARGETS: [&str; 9] = [
    "github-bigger-is-better",
    "bmf",
    "csv",
    "go-bench",
    "hyperfine",
    "markdown",
    "openmetrics",
    "pyperf",
    "github-smaller-is-better",
];

#[test]
fn every_format_is_imported_shown_compared_and_exported() {
    let inputs: [(&str, &[&str]); 9] = [
        ("go-bench", &["go-bench/old.txt", "go-bench/new.txt"]),
        ("pyperf", &["pyperf/old.json.gz", "pyperf/new.json.gz"]),
        (
            "google-benchmark",
            &["google-benchmark/run1.json", "google-benchmark/run2.json"],
        ),
        ("criterion", &["criterion"]),
        ("cargo-criterion", &["cargo-criterion/messages.jsonl"]),
        ("jmh", &["jmh/forks.json", "jmh/one-fork.json"]),
        ("asv", &["asv"]),
        ("regress-all", &["regress-all"]),
        ("hyperfine", &["hyperfine/1.20.0/two.json"]),
    ];
    for (format, files) in inputs {
        let laboratory = Laboratory::new();
        let files: Vec<String> = files.iter().map(|name| fixture(name)).collect();
        let mut arguments = vec!["import", "--out", "result"];
        arguments.extend(files.iter().map(String::as_str));
        let said = laboratory.call(&arguments).code(0);
        assert!(said.err.contains(&format!(": {format}, ")), "{}", said.err);
        let shown = laboratory.call(&["show", "result"]).code(0).out;
        assert!(
            shown.contains(&format!("imported from {format};")),
            "{shown}"
        );
        assert!(shown.contains("imported/1/"), "{shown}");
        let run = laboratory
            .call(&["show", "result", "--run", "1"])
            .code(0)
            .out;
        assert!(run.contains("imported from file 1: "), "{run}");
        if format != "cargo-criterion" {
            let report = json(&laboratory, "result");
            assert_eq!(report["design"]["randomised"], false, "{format}");
            assert_eq!(report["design"]["seed"], Value::Null, "{format}");
            let warnings = report["warnings"].to_string();
            assert!(
                warnings.contains("nothing is known of their order"),
                "{warnings}"
            );
        }
        let exported = TARGETS.map(|target| {
            let said = laboratory.call(&["export", "result", "--to", target]);
            assert!(
                [0, 4].contains(&said.code),
                "{format} to {target}: {said:?}"
            );
            said.code == 0
        });
        assert!(
            exported.iter().filter(|done| **done).count() >= 7,
            "{format} {exported:?}"
        );
    }
}

#[test]
fn what_one_process_repeats_proves_nothing_unless_the_user_vouches_for_it() {
    let laboratory = Laboratory::new();
    laboratory.write("old.txt", repeated(1000, 30));
    laboratory.write("new.txt", repeated(2000, 30));
    laboratory
        .call(&["import", "old.txt", "new.txt", "--out", "one"])
        .code(0);
    let report = json(&laboratory, "one");
    assert_eq!(report["rows"][0]["base"]["n"], 1);
    assert_eq!(report["rows"][0]["typical"]["verdict"], "not-proven");
    assert_eq!(report["rows"][0]["mean"]["verdict"], "not-proven");
    let warnings = report["warnings"].to_string();
    assert!(
        warnings.contains("old: 30 values come from 1 process and count as 1"),
        "{warnings}"
    );

    let arguments = [
        "import",
        "old.txt",
        "new.txt",
        "--independent",
        "--out",
        "many",
    ];
    laboratory.call(&arguments).code(0);
    let report = json(&laboratory, "many");
    assert_eq!(report["rows"][0]["base"]["n"], 30);
    assert_eq!(report["rows"][0]["typical"]["verdict"], "worse");
    assert!(report["warnings"].to_string().contains("--independent"));
    let shown = laboratory.call(&["show", "many"]).code(0).out;
    assert!(shown.contains("--independent"), "{shown}");
}

#[test]
fn what_is_advised_next_works() {
    let laboratory = Laboratory::new();
    for (files, next) in [
        (&["go-bench/old.txt"][..], "show"),
        (&["go-bench/old.txt", "go-bench/new.txt"], "compare"),
    ] {
        let files: Vec<String> = files.iter().map(|name| fixture(name)).collect();
        let mut arguments = vec!["import", "--out", next];
        arguments.extend(files.iter().map(String::as_str));
        let advice = format!("now: perflab {next} {next}");
        laboratory.call(&arguments).code(0).says(&[&advice]);
        laboratory.call(&[next, next]).code(0);
    }
}

#[test]
fn files_with_one_label_are_runs_of_one_variant() {
    let laboratory = Laboratory::new();
    for (name, first) in [("a1", 100), ("a2", 101), ("b1", 102)] {
        laboratory.write(name, repeated(first, 2));
    }
    laboratory
        .call(&["import", "a=a1", "a=a2", "b=b1", "--out", "result"])
        .code(0);
    let records = laboratory.records();
    let variants: Vec<&str> = records
        .iter()
        .map(|r| r["variant"].as_str().unwrap())
        .collect();
    assert_eq!(variants, ["a", "a", "b"]);
    assert_eq!(records[1]["unit"], 2);
    assert_eq!(records[1]["source"], "2: line 2");
    assert!(records.iter().all(|record| record["block"] == 1));
}

#[test]
fn a_changed_copy_of_the_evidence_is_noticed() {
    let laboratory = Laboratory::new();
    laboratory.write("old.txt", repeated(1000, 2));
    laboratory
        .call(&["import", "old.txt", "--out", "result"])
        .code(0);
    assert_eq!(
        laboratory.read("result/imported/1/old.txt"),
        repeated(1000, 2)
    );
    laboratory.write("result/imported/1/old.txt", repeated(1001, 2));
    let shown = laboratory.call(&["show", "result"]).code(0).out;
    assert!(shown.contains("imported/1/old.txt, which runs were read from, is missing or altered"));
}

/// An export that cannot be written to its end leaves the one before as it was, and nothing beside it.
#[test]
fn an_export_is_whole_or_not_there() {
    let laboratory = Laboratory::new();
    laboratory.write("go.txt", repeated(1, 200));
    laboratory
        .call(&["import", "go.txt", "--out", "result"])
        .code(0);
    laboratory.write("old.csv", "what was there\n");
    fs::set_permissions(laboratory.path("old.csv"), Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink("old.csv", laboratory.path("link.csv")).unwrap();
    let files = || {
        let entries = fs::read_dir(laboratory.path("")).unwrap();
        entries.count()
    };
    let before = files();
    for output in ["old.csv", "link.csv", "new.csv"] {
        // Files may have 1024 bytes, and what is beyond fails instead of ending the process.
        let line = format!(
            "trap '' XFSZ; ulimit -f 1; exec {} export result --to csv -o {output}",
            env!("CARGO_BIN_EXE_perflab")
        );
        let done = Command::new("bash")
            .args(["-c", &line])
            .current_dir(laboratory.path(""))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(done.status.code(), Some(4), "{said}");
        assert!(said.contains(&format!("cannot write {output}")), "{said}");
        assert_eq!(laboratory.read("old.csv"), "what was there\n");
        assert_eq!(files(), before, "{output}");
    }
    laboratory
        .call(&["export", "result", "--to", "csv", "-o", "link.csv"])
        .code(0);
    assert!(laboratory.path("link.csv").is_symlink());
    assert!(laboratory.read("old.csv").starts_with("run,"));
    let mode = fs::metadata(laboratory.path("old.csv")).unwrap().mode();
    assert_eq!(mode & 0o777, 0o640);
    laboratory
        .call(&["export", "result", "--to", "csv", "-o", "/dev/null"])
        .code(0);
}

/// Wherever a program that opens the file could write, an export can be written.
#[test]
fn an_export_to_any_name() {
    let laboratory = Laboratory::new();
    laboratory.write("go.txt", repeated(1, 2));
    laboratory
        .call(&["import", "go.txt", "--out", "result"])
        .code(0);
    let export = |output: &str| laboratory.call(&["export", "result", "--to", "csv", "-o", output]);
    let is_written = |name: &str| laboratory.read(name).starts_with("run,");
    let long = "n".repeat(255);
    export(&long).code(0);
    assert!(is_written(&long));
    fs::create_dir(laboratory.path("deep")).unwrap();
    for (link, to) in [("first", "deep/second"), ("deep/second", "there")] {
        std::os::unix::fs::symlink(to, laboratory.path(link)).unwrap();
    }
    export("first").code(0);
    assert!(is_written("deep/there") && laboratory.path("deep/second").is_symlink());
    std::os::unix::fs::symlink("round", laboratory.path("round")).unwrap();
    for refused in ["round", "go.txt/x", "none/x", "deep", "deep/.."] {
        export(refused).code(2).says(&["cannot write"]);
    }

    // A file that is mounted by itself cannot be replaced.
    perflab_testing::needs("mount", "mount");
    laboratory.write("outside", "");
    laboratory.write("mounted", "");
    let mount = Command::new("mount")
        .args(["--bind", "outside", "mounted"])
        .current_dir(laboratory.path(""))
        .output()
        .unwrap();
    if !mount.status.success() {
        let why = String::from_utf8_lossy(&mount.stderr);
        not_checked(&test_name(), &why);
        return;
    }
    let said = export("mounted");
    let unmounted = Command::new("umount")
        .arg(laboratory.path("mounted"))
        .status();
    assert!(unmounted.unwrap().success());
    said.code(0);
    assert!(is_written("outside"));
    let names = fs::read_dir(laboratory.path("")).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert!(names.into_iter().all(|name| !name.contains("partial")));
}

/// The record of the command line has what can be read of it.
#[test]
fn a_path_that_is_no_utf_8() {
    use std::os::unix::ffi::OsStrExt;
    let laboratory = Laboratory::new();
    laboratory.write("go.txt", repeated(1, 2));
    let out = std::ffi::OsStr::from_bytes(b"out\xff");
    let done = laboratory
        .perflab(&["import", "go.txt", "--out"])
        .arg(out)
        .output()
        .unwrap();
    assert_eq!(done.status.code(), Some(0), "{done:?}");
    assert!(laboratory.path("").join(out).join("runs.jsonl").exists());
}

#[test]
fn what_cannot_be_imported_is_refused_and_leaves_nothing() {
    let laboratory = Laboratory::new();
    laboratory.write("go.txt", repeated(1, 2));
    laboratory.write("cut.txt", "goos: linux\nBenchmarkA 1 5\n");
    laboratory.write("words.txt", "what is this\n");
    laboratory.write("numbers.txt", "1\n2\n");
    fs::create_dir(laboratory.path("full")).unwrap();
    laboratory.write("full/file", "");
    let cases: [(&[&str], i32, &str); 8] = [
        (
            &["go.txt", "./go.txt"],
            2,
            "`go` in ./go.txt is another file's variant as well",
        ),
        (
            &["words.txt"],
            4,
            "words.txt: expected a format that is known",
        ),
        (
            &["cut.txt"],
            4,
            "cut.txt:2: expected a unit behind each value",
        ),
        (
            &["go.txt", "numbers.txt"],
            2,
            "found go-bench in go.txt and columns in numbers.txt",
        ),
        (&["missing.txt"], 2, "cannot read missing.txt"),
        (
            &["go.txt", "--format", "nonsense"],
            2,
            "expected one of asv",
        ),
        (
            &["go.txt", "--format", "jmh"],
            4,
            "go.txt:1: expected the JSON that JMH",
        ),
        (&["go.txt", "--out", "full"], 2, "found files in full"),
    ];
    for (arguments, code, message) in cases {
        let mut all = vec!["import"];
        all.extend(arguments);
        if !arguments.contains(&"--out") {
            all.extend(["--out", "result"]);
        }
        let said = laboratory.call(&all).code(code);
        assert!(said.err.contains(message), "{arguments:?}: {}", said.err);
        assert!(!laboratory.path("result").exists(), "{arguments:?}");
    }
    let left = fs::read_dir(laboratory.path("")).unwrap();
    let partial = left.filter(|e| {
        e.as_ref()
            .unwrap()
            .file_name()
            .to_string_lossy()
            .contains("partial")
    });
    assert_eq!(partial.count(), 0);
}

#[test]
fn numbers_that_hang_together_are_no_runs() {
    let laboratory = Laboratory::new();
    let drift: String = (0..40).map(|i| format!("{}\n", 100 + i)).collect();
    laboratory.write("drift.txt", drift);
    let said = laboratory
        .call(&["import", "drift.txt", "--out", "result"])
        .code(4);
    assert!(said.err.contains("are autocorrelated"), "{}", said.err);
    laboratory
        .call(&["import", "drift.txt", "--independent", "--out", "result"])
        .code(0);
}

#[test]
fn an_import_cannot_be_run() {
    let laboratory = Laboratory::new();
    laboratory.write("old.txt", repeated(1000, 2));
    laboratory
        .call(&["import", "old.txt", "--out", "result"])
        .code(0);
    let said = laboratory.call(&["run", "result/experiment.toml"]).code(2);
    assert!(
        said.err.contains("nothing in it can be run"),
        "{}",
        said.err
    );
}

#[test]
fn names_that_are_not_there_are_not_exported() {
    let laboratory = Laboratory::new();
    let result = measured();
    for (flag, what) in [("--variant", "variant"), ("--metric", "metric")] {
        let said = laboratory
            .call(&["export", &result, "--to", "csv", flag, "nope"])
            .code(2);
        assert!(
            said.err.contains(&format!("no {what} `nope`")),
            "{}",
            said.err
        );
    }
}

/// Out and in again, the text is the same: nothing is lost on the way but what the first export lost.
#[test]
fn an_export_that_is_cut_off_is_removed() {
    let laboratory = Laboratory::new();
    // A file may have 512 bytes.
    let script = "trap '' XFSZ; ulimit -f 1; exec \"$@\"";
    let perflab = laboratory.perflab(&["export", &measured(), "--to", "csv", "-o", "cut"]);
    let mut command = Command::new("sh");
    command
        .args(["-c", script, "sh"])
        .arg(perflab.get_program());
    command.args(perflab.get_args());
    command.current_dir(laboratory.path(""));
    let said = Said::from(command.output().unwrap());
    said.code(4).says(&["cannot write cut", "File too large"]);
    assert!(!laboratory.path("cut").exists());
}

#[test]
fn an_export_is_imported_as_what_it_was() {
    let laboratory = Laboratory::new();
    for target in ["go-bench", "hyperfine", "pyperf"] {
        let first = format!("{target}-1");
        laboratory
            .call(&[
                "export",
                &measured(),
                "--to",
                target,
                "--metric",
                "wall",
                "-o",
                &first,
            ])
            .code(0);
        let result = format!("{target}-result");
        laboratory
            .call(&["import", &first, "--out", &result])
            .code(0);
        let again = laboratory
            .call(&["export", &result, "--to", target])
            .code(0)
            .out;
        let first = laboratory.read(&first);
        if target != "hyperfine" {
            assert!(again == first, "{target}\n{again}");
            continue;
        }
        // A parameter is part of hyperfine's command, and nothing else here.
        let plain = |text: &str| -> Value {
            let mut document: Value = serde_json::from_str(text).unwrap();
            for entry in document["results"].as_array_mut().unwrap() {
                entry.as_object_mut().unwrap().remove("parameters");
            }
            document
        };
        assert_eq!(plain(&again), plain(&first));
    }
}

/// One row of `benchstat -format csv` with two columns: name, medians, p-value.
fn benchstat_rows(csv: &str) -> Vec<(String, f64, f64, f64)> {
    csv.lines()
        .filter_map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            let p = fields.get(6)?.strip_prefix("p=")?.split(' ').next()?;
            Some((
                fields[0].to_owned(),
                fields[1].parse().unwrap(),
                fields[3].parse().unwrap(),
                p.parse().unwrap(),
            ))
        })
        .collect()
}

/// Medians and the p-value of Mann and Whitney, as perflab has them for runs without blocks.
#[track_caller]
fn assert_agrees(laboratory: &Laboratory, result: &str, unit: f64, csv: &str) {
    let rows = benchstat_rows(csv);
    let report = json(laboratory, result);
    let own = report["rows"].as_array().unwrap();
    assert!(!rows.is_empty() && rows.len() == own.len(), "{csv}");
    for ((name, old, new, p), row) in rows.iter().zip(own) {
        let values = |side: &str| -> Vec<f64> {
            let values = row[side]["values"].as_array().unwrap();
            values.iter().map(|value| value.as_f64().unwrap()).collect()
        };
        let (base, candidate) = (values("base"), values("candidate"));
        for (side, median) in [(&base, old), (&candidate, new)] {
            let own = summary::median(side).unwrap() * unit;
            assert!((own / median - 1.0).abs() < 1e-9, "{name}: {own} {median}");
        }
        let strata = [Stratum::new(base, candidate)];
        let mut cache = NullCache::default();
        let own = location_test(&mut cache, &strata, Scale::Shift, 0.0, Side::TwoSided)
            .unwrap()
            .p;
        assert!((own - p).abs() <= 0.0005 + 1e-9, "{name}: {own} {p}");
    }
}

#[test]
fn benchstat_said_the_same_of_our_text() {
    let laboratory = Laboratory::new();
    let (old, new) = (fixture("go-bench/old.txt"), fixture("go-bench/new.txt"));
    laboratory
        .call(&["import", &old, &new, "--out", "result"])
        .code(0);
    let text = laboratory
        .call(&["export", "result", "--to", "go-bench", "--metric", "time"])
        .code(0)
        .out;
    assert_eq!(
        text,
        fs::read_to_string(fixture("benchstat/runs.txt")).unwrap()
    );
    let recorded = fs::read_to_string(fixture("benchstat/runs.csv")).unwrap();
    assert_agrees(&laboratory, "result", 1e-9, &recorded);
}

/// The program that `PERFLAB_BENCHSTAT` names, or else the one in the path if there is one.
fn benchstat() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("PERFLAB_BENCHSTAT") {
        return Some(PathBuf::from(named));
    }
    let found = Command::new("benchstat").arg("-h").output().is_ok();
    found.then(|| PathBuf::from("benchstat"))
}

#[test]
fn benchstat_says_the_same_of_our_text() {
    let Some(benchstat) = benchstat() else {
        not_checked(
            &test_name(),
            "there is no benchstat, and Debian has no package of it; name it with PERFLAB_BENCHSTAT",
        );
        return;
    };
    let laboratory = Laboratory::new();
    // Blocks would change our p-value, so it is the text's import that is compared.
    for (variant, metric) in [("bytes", "wall"), ("utf8-again", "wall"), ("bytes", "user")] {
        let arguments = [
            "export",
            &measured(),
            "--to",
            "go-bench",
            "--metric",
            metric,
            "-o",
            "out",
        ];
        let two = ["--variant", "utf8", "--variant", variant];
        laboratory.call(&[&arguments[..], &two].concat()).code(0);
        let said = Command::new(&benchstat)
            .args(["-format", "csv", "-col", "variant"])
            .arg(laboratory.path("out"))
            .output()
            .unwrap();
        let csv = String::from_utf8(said.stdout).unwrap();
        let result = format!("{variant}-{metric}");
        laboratory
            .call(&["import", "out", "--out", &result])
            .code(0);
        assert_agrees(&laboratory, &result, 1.0, &csv);
    }
}

/// The Python that `PERFLAB_PYTHON` names, or else the one in the path or Debian's: that has the module.
fn python_with(module: &str) -> Option<String> {
    let pythons = match std::env::var("PERFLAB_PYTHON") {
        Ok(named) => vec![named],
        // Packages of Debian are for its own Python, and another one may come first in the path.
        Err(_) => vec!["python3".to_owned(), "/usr/bin/python3".to_owned()],
    };
    pythons.into_iter().find(|python| {
        Command::new(python)
            .args(["-c", &format!("import {module}")])
            .output()
            .is_ok_and(|said| said.status.success())
    })
}

#[test]
fn a_parser_of_prometheus_takes_our_openmetrics() {
    let python = needs_found(
        "a Python with prometheus_client",
        python_with("prometheus_client"),
        "python3-prometheus-client",
    );
    let script = "import sys\n\
        from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse\n\
        print(sum(len(f.samples) for f in parse(sys.argv[1])))";
    let laboratory = Laboratory::new();
    let jmh = fixture("jmh/one-fork.json");
    laboratory.call(&["import", &jmh, "--out", "jmh"]).code(0);
    for (result, samples) in [(measured().as_str(), 90), ("jmh", 80)] {
        let text = laboratory
            .call(&["export", result, "--to", "openmetrics"])
            .code(0)
            .out;
        let said = Command::new(&python)
            .args(["-c", script, &text])
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&said.stderr).into_owned();
        assert!(said.status.success(), "{error}\n{text}");
        assert_eq!(
            String::from_utf8_lossy(&said.stdout).trim(),
            samples.to_string()
        );
    }
}
