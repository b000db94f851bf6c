//! What the readers make of files that the real tools wrote, whole, cut and broken.

use std::fs;
use std::path::{Path, PathBuf};

use perflab_experiment::Better;
use perflab_formats::{Contents, File, Format, Run, detect};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

fn one(name: &str) -> Vec<File> {
    vec![File {
        path: name.to_owned(),
        bytes: fs::read(fixtures().join(name)).unwrap(),
    }]
}

fn text(content: &str) -> Vec<File> {
    vec![File {
        path: "file".to_owned(),
        bytes: content.as_bytes().to_vec(),
    }]
}

fn tree(name: &str) -> Vec<File> {
    fn walk(root: &Path, directory: &Path, files: &mut Vec<File>) {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(root, &path, files);
            } else {
                files.push(File {
                    path: path
                        .strip_prefix(root)
                        .unwrap()
                        .to_str()
                        .unwrap()
                        .to_owned(),
                    bytes: fs::read(&path).unwrap(),
                });
            }
        }
    }
    let root = fixtures().join(name);
    let mut files = Vec::new();
    walk(&root, &root, &mut files);
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

/// All fixtures with their formats.
fn all() -> Vec<(Format, Vec<File>, bool)> {
    let files = [
        (Format::GoBench, "go-bench/old.txt"),
        (Format::GoBench, "go-bench/one-process.txt"),
        (Format::GoBench, "go-bench/verbose.txt"),
        (Format::Pyperf, "pyperf/one.json"),
        (Format::Pyperf, "pyperf/memory.json"),
        (Format::Pyperf, "pyperf/old.json.gz"),
        (Format::GoogleBenchmark, "google-benchmark/run1.json"),
        (Format::GoogleBenchmark, "google-benchmark/once.json"),
        (Format::CargoCriterion, "cargo-criterion/messages.jsonl"),
        (Format::Jmh, "jmh/forks.json"),
        (Format::Jmh, "jmh/one-fork.json"),
        (Format::Hyperfine, "hyperfine/1.20.0/two.json"),
        (
            Format::Asv,
            "asv/laboratory/acc2435a-existing-py_usr_bin_python3.json",
        ),
        (
            Format::RegressAll,
            "regress-all/2026-11-20T08:00:00Z/2026-11-01T00:00:00Z/000/test.result",
        ),
    ];
    let trees = [
        (Format::Criterion, "criterion"),
        (Format::Asv, "asv"),
        (Format::RegressAll, "regress-all"),
    ];
    let files = files.map(|(format, name)| (format, one(name), false));
    let trees = trees.map(|(format, name)| (format, tree(name), true));
    files.into_iter().chain(trees).collect()
}

fn values(run: &Run, benchmark: &str, metric: &str) -> Vec<f64> {
    run.samples
        .iter()
        .filter(|sample| {
            sample.benchmark.as_deref() == Some(benchmark) && sample.metric.name == metric
        })
        .map(|sample| sample.value)
        .collect()
}

fn read(format: Format, files: &[File]) -> Contents {
    format.read(files).unwrap_or_else(|fault| panic!("{fault}"))
}

#[test]
fn every_fixture_is_known_by_its_content_and_read() {
    for (format, files, is_tree) in all() {
        let path = &files[0].path;
        assert_eq!(detect(&files, is_tree), Some(format), "{path}");
        assert!(!read(format, &files).runs.is_empty(), "{path}");
        assert_eq!(Format::by_name(format.name()), Some(format));
    }
    assert_eq!(
        detect(&text("# a\n1.5\n2 x\n"), false),
        Some(Format::Columns)
    );
    for other in ["", "hello", "{}", "[]", "{\"results\": []}", "Benchmark\n"] {
        assert_eq!(detect(&text(other), false), None, "{other}");
    }
}

#[test]
fn go_repetitions_within_a_process_are_samples_of_one_run() {
    let one_process = read(Format::GoBench, &one("go-bench/one-process.txt")).runs;
    assert_eq!(one_process.len(), 1);
    assert_eq!(
        values(&one_process[0], "Fib", "time"),
        [353.3, 226.2, 225.0]
    );
    assert_eq!(values(&one_process[0], "Keys", "keys/op"), [8.0; 3]);
    assert_eq!(values(&one_process[0], "Hash/size=64", "speed").len(), 3);

    let six = read(Format::GoBench, &one("go-bench/old.txt")).runs;
    assert_eq!(six.len(), 6);
    assert_eq!(values(&six[0], "Fib", "time"), [248.0]);
    let speed = six[0].samples.iter().find(|s| s.metric.name == "speed");
    let speed = &speed.unwrap().metric;
    assert_eq!(
        (speed.unit.as_str(), speed.better),
        ("MB/s", Better::Higher)
    );
}

#[test]
fn go_processes_end_where_the_next_begins_and_a_failed_one_counts_for_nothing() {
    let cut = "goos: linux\nBenchmarkA 1 5 ns/op\ngoos: linux\nBenchmarkA 1 6 ns/op\n";
    assert_eq!(read(Format::GoBench, &text(cut)).runs.len(), 2);
    let failed = "BenchmarkA 1 5 ns/op\nPASS\nBenchmarkA 1 9 ns/op\nFAIL\n";
    let contents = read(Format::GoBench, &text(failed));
    assert_eq!(contents.runs.len(), 1);
    assert!(contents.notes[0].contains("FAIL"), "{:?}", contents.notes);
}

#[test]
fn go_unit_lines_packages_and_variants_are_understood() {
    let content = "Unit hits better=higher\nUnit p99-ms better=lower\nvariant: a\npkg: x/y\n\
                   BenchmarkA-8 1 5 hits 2.5 p99-ms\nPASS\nvariant: b\npkg: x/z\n\
                   BenchmarkA-8 1 6 hits 3.5 p99-ms\nPASS\n";
    let runs = read(Format::GoBench, &text(content)).runs;
    assert_eq!(runs[1].variant.as_deref(), Some("b"));
    assert_eq!(runs[1].parameters["pkg"], "x/z");
    let metrics: Vec<_> = runs[0].samples.iter().map(|s| &s.metric).collect();
    assert_eq!(metrics[0].better, Better::Higher);
    assert_eq!(
        (metrics[1].name.as_str(), metrics[1].unit.as_str()),
        ("p99", "ms")
    );
}

#[test]
fn pyperf_keeps_processes_and_their_values_apart() {
    let runs = read(Format::Pyperf, &one("pyperf/one.json")).runs;
    assert_eq!(runs.len(), 3);
    assert_eq!(values(&runs[0], "sort", "time")[0], 9.402500018040883e-07);
    assert!(runs.iter().all(|run| run.samples.len() == 4));
    let suite = read(Format::Pyperf, &one("pyperf/old.json.gz")).runs;
    assert_eq!(suite.len(), 6);
    assert_eq!(values(&suite[5], "join", "time").len(), 3);
    let memory = read(Format::Pyperf, &one("pyperf/memory.json")).runs;
    assert_eq!(values(&memory[1], "sort", "memory"), [12525568.0]);
}

#[test]
fn google_benchmark_is_one_process_without_aggregates_and_errors() {
    let contents = read(Format::GoogleBenchmark, &one("google-benchmark/run1.json"));
    assert_eq!(contents.runs.len(), 1);
    let run = &contents.runs[0];
    assert_eq!(values(run, "Sort/64", "real_time").len(), 3);
    assert_eq!(values(run, "Concat", "appends"), [50.0; 3]);
    assert_eq!(values(run, "Sort/64", "items_per_second").len(), 3);
    assert!(
        run.samples
            .iter()
            .all(|s| s.benchmark.as_deref() != Some("Broken"))
    );
    assert_eq!(contents.notes, ["Broken was left out: no such device"]);
    let aggregates = r#"{"context": {}, "benchmarks": [{"name": "A_mean", "run_type": "aggregate",
        "real_time": 1, "cpu_time": NaN, "time_unit": "ns"}]}"#;
    let fault = Format::GoogleBenchmark.read(&text(aggregates)).unwrap_err();
    assert!(fault.to_string().contains("aggregates_only"), "{fault}");
}

#[test]
fn criterion_divides_times_by_iterations_and_leaves_out_the_copy() {
    let contents = read(Format::Criterion, &tree("criterion"));
    let variants: Vec<_> = contents
        .runs
        .iter()
        .map(|run| run.variant.as_deref().unwrap())
        .collect();
    assert_eq!(variants, ["before", "new"]);
    let run = &contents.runs[1];
    let found = values(run, "sort/stable/64", "time");
    assert_eq!(found.len(), 10);
    assert!(contents.notes[0].contains("copy"), "{:?}", contents.notes);

    let messages = read(
        Format::CargoCriterion,
        &one("cargo-criterion/messages.jsonl"),
    )
    .runs;
    assert_eq!(messages.len(), 1);
    assert_eq!(values(&messages[0], "fib 10", "time")[0], 472234.0 / 3039.0);
}

#[test]
fn jmh_keeps_forks_and_iterations_apart() {
    let runs = read(Format::Jmh, &one("jmh/forks.json")).runs;
    assert_eq!(runs.len(), 12);
    let last = &runs[0];
    assert_eq!(last.parameters["size"], "16");
    assert_eq!(
        values(last, "org.example.Sums.last", "throughput"),
        [38.99959013169607, 436.06356129116466, 503.30443373683363]
    );
    assert_eq!(last.samples[0].metric.better, Better::Higher);
    let one_fork = read(Format::Jmh, &one("jmh/one-fork.json")).runs;
    assert_eq!(one_fork.len(), 2);
    // Sample time comes as a histogram: the mean of each iteration.
    let sampled = values(&one_fork[1], "org.example.Sums.sampled", "time");
    assert_eq!(sampled.len(), 3);
    assert!((sampled[0] - 44.0).abs() < 2.0, "{sampled:?}");
    assert_eq!(
        values(&one_fork[0], "org.example.Sums.sum", "gc.count"),
        [0.0; 3]
    );
}

#[test]
fn asv_takes_all_samples_of_a_commit_as_one_run() {
    let contents = read(Format::Asv, &tree("asv"));
    let runs: Vec<&Run> = contents
        .runs
        .iter()
        .filter(|run| run.variant.as_deref() == Some("acc2435a"))
        .collect();
    assert_eq!(runs.len(), 6);
    let up = runs[2];
    assert_eq!(
        (
            up.parameters["size"].as_str(),
            up.parameters["order"].as_str()
        ),
        ("1000", "up")
    );
    assert_eq!(
        values(up, "sums.Sorting.time_sort", "time")[0],
        4.807000095752301e-06
    );
    assert_eq!(up.samples.len(), 6);
    assert_eq!(contents.notes.len(), 2);
    let memory = runs
        .iter()
        .find(|run| run.samples[0].metric.name == "peak_memory");
    assert_eq!(memory.unwrap().samples[0].value, 36372480.0);
}

#[test]
fn regress_all_takes_what_passed_of_each_repeat() {
    let contents = read(Format::RegressAll, &tree("regress-all"));
    assert_eq!(contents.runs.len(), 16);
    let run = &contents.runs[0];
    assert_eq!(run.variant.as_deref(), Some("2026-11-01T00:00:00Z"));
    let iperf = "iperf3_-c10.3.45.35_-w1m_-t10";
    assert_eq!(values(run, iperf, "receiver"), [2731250000.0]);
    assert_eq!(run.samples[0].metric.better, Better::Higher);
    assert_eq!(contents.runs[1].samples[0].metric.better, Better::Lower);
    assert!(contents.notes.iter().any(|note| note.contains("NOEXIT")));
    assert!(contents.notes.iter().any(|note| note.contains("profiled")));
}

#[test]
fn hyperfine_times_are_runs_of_their_own() {
    let runs = read(Format::Hyperfine, &one("hyperfine/1.20.0/two.json")).runs;
    assert_eq!(runs.len(), 10);
    assert_eq!(runs[9].variant.as_deref(), Some("sleep 0.02"));
    let summary = r#"{"results": [{"command": "a", "mean": 1, "stddev": null, "median": 1,
        "user": 0, "system": 0, "min": 1, "max": 1}]}"#;
    let fault = Format::Hyperfine.read(&text(summary)).unwrap_err();
    assert!(fault.to_string().contains("summaries only"), "{fault}");
}

#[track_caller]
fn refused(format: Format, content: &str, expected: &str) {
    let fault = format.read(&text(content)).unwrap_err().to_string();
    assert!(fault.contains(expected), "{}: {fault}", format.name());
}

/// A result of JMH, of one fork more than has values.
fn jmh(members: &str, raw: &str) -> String {
    format!(
        r#"{{"benchmark": "a", "mode": "avgt", {members} "primaryMetric": {{"scoreUnit": "s", "rawData": [[1.5], {raw}]}},
            "secondaryMetrics": {{"gc": {{"scoreUnit": "B", "rawData": [["2"], [3]]}}}}}}"#
    )
}

#[test]
fn a_value_that_is_no_number_is_refused_with_its_place() {
    for (raw, found) in [
        (r#"[2, "NaN"]"#, "/0/primaryMetric/rawData/1/1, found `NaN`"),
        (r#"[2, "Infinity"]"#, "/rawData/1/1, found `Infinity`"),
        ("[null]", "/rawData/1/0, found null"),
        (
            "[-Infinity]",
            "/rawData/1/0, found null, NaN or an infinity",
        ),
        (r#"["abc"]"#, "/rawData/1/0, found `abc`"),
        ("[]", "expected `rawData` of each fork in /0/primaryMetric"),
    ] {
        refused(Format::Jmh, &format!("[{}]", jmh("", raw)), found);
    }
    let whole = format!("[{}]", jmh("", r#"["2.5"]"#));
    let runs = read(Format::Jmh, &text(&whole)).runs;
    assert_eq!(values(&runs[1], "a", "time"), [2.5]);
    assert_eq!(values(&runs[0], "a", "gc"), [2.0]);
    let secondary = whole.replace("[3]", r#"["NaN"]"#);
    refused(
        Format::Jmh,
        &secondary,
        "file: expected a finite number at /0/secondaryMetrics/gc/rawData/1/0",
    );
    let sampled = r#"[{"benchmark": "a", "mode": "sample", "primaryMetric": {"scoreUnit": "s",
        "rawDataHistogram": [[[[1, 2]], []]]}}]"#;
    refused(
        Format::Jmh,
        sampled,
        "/0/primaryMetric/rawDataHistogram/0/1",
    );

    let google = |members: &str| {
        format!(
            r#"{{"context": {{}}, "benchmarks": [{{"name": "a", "real_time": 1, {members}}}]}}"#
        )
    };
    for (members, place) in [
        (r#""real_time": NaN"#, "/benchmarks/0/real_time, found null"),
        (
            r#""real_time": "abc""#,
            "/benchmarks/0/real_time, found `abc`",
        ),
        (r#""cpu_time": null"#, "/benchmarks/0/cpu_time"),
        (r#""hits": NaN"#, "/benchmarks/0/hits"),
    ] {
        let content =
            google(members).replacen(r#""real_time": 1, "real_time""#, r#""real_time""#, 1);
        refused(Format::GoogleBenchmark, &content, place);
    }
    let remark = google(r#""label": null, "remark": "of a newer version""#);
    assert_eq!(
        read(Format::GoogleBenchmark, &text(&remark)).runs[0]
            .samples
            .len(),
        1
    );

    let asv = |row: &str| {
        format!(
            r#"{{"commit_hash": "abc", "result_columns": ["result", "params", "samples"],
                "results": {{"time_a": {row}}}}}"#
        )
    };
    let place = "/results/time_a, combination 2, found";
    refused(
        Format::Asv,
        &asv(r#"[[1, 2], [["x", "y"]], [[1], [2, NaN]]]"#),
        place,
    );
    refused(Format::Asv, &asv(r#"[[1, "abc"], [["x", "y"]]]"#), place);
    let half = read(Format::Asv, &text(&asv(r#"[[1, null], [["x", "y"]]]"#)));
    assert_eq!(half.runs.len(), 1);
    assert_eq!(
        half.notes,
        ["1 combination of time_a left out of file: no value there"]
    );
}

#[test]
fn what_differs_in_threads_alone_is_kept_apart() {
    let entry = |threads: &str| jmh(&format!("\"threads\": {threads},"), "[2.5]");
    let content = format!("[{}, {}]", entry("1"), entry("4"));
    let runs = read(Format::Jmh, &text(&content)).runs;
    let threads: Vec<_> = runs
        .iter()
        .map(|run| run.parameters["threads"].as_str())
        .collect();
    assert_eq!(threads, ["1", "1", "4", "4"]);
    let one = format!("[{}]", entry("4"));
    assert!(read(Format::Jmh, &text(&one)).runs[0].parameters.is_empty());
    let mode = content.replace("4,", "1,").replacen("avgt", "ss", 1);
    let runs = read(Format::Jmh, &text(&mode)).runs;
    assert_eq!(values(&runs[0], "a:ss", "time"), [1.5]);
    assert_eq!(values(&runs[2], "a:avgt", "time"), [1.5]);
}

#[test]
fn what_nothing_tells_apart_is_refused() {
    let entry = jmh("\"threads\": 1,", "[2.5]");
    refused(
        Format::Jmh,
        &format!("[{entry}, {entry}]"),
        "/0 and /1 are both `a`",
    );
    let benchmark = r#"{"metadata": {"name": "sort"}, "runs": [{"values": [1.5]}]}"#;
    let suite = format!(r#"{{"version": "1.0", "benchmarks": [{benchmark}, {benchmark}]}}"#);
    refused(
        Format::Pyperf,
        &suite,
        "/benchmarks/0 and /benchmarks/1 are both `sort`",
    );
    let result = |times: &str| {
        format!(
            r#"{{"command": "true", "mean": 1, "stddev": 0, "median": 1, "user": 0, "system": 0, "min": 1, "max": 1,
                "times": {times}}}"#
        )
    };
    let content = format!(
        r#"{{"results": [{}, {}]}}"#,
        result("[1, 1, 1]"),
        result("[2, 2, 2]")
    );
    refused(
        Format::Hyperfine,
        &content,
        "/results/0 and /results/1 are both of the command `true`",
    );
    let row = |family: u32| {
        format!(
            r#"{{"name": "a", "run_type": "iteration", "family_index": {family}, "real_time": 1}}"#
        )
    };
    let rows = |second| {
        format!(
            r#"{{"context": {{}}, "benchmarks": [{}, {}]}}"#,
            row(0),
            row(second)
        )
    };
    refused(
        Format::GoogleBenchmark,
        &rows(1),
        "/benchmarks/0 and /benchmarks/1 are both `a`",
    );
    let repeated = read(Format::GoogleBenchmark, &text(&rows(0))).runs;
    assert_eq!(values(&repeated[0], "a", "real_time"), [1.0, 1.0]);
    let message = r#"{"reason": "benchmark-complete", "id": "a", "unit": "ns", "iteration_count": [1], "measured_values": [5]}"#;
    refused(
        Format::CargoCriterion,
        &format!("{message}\n{message}"),
        "file:2: `a` was measured in line 1 before",
    );
}

#[test]
fn a_commit_of_two_machines_is_kept_apart() {
    let file = |machine: &str| {
        File {
        path: format!("{machine}/abc-env.json"),
        bytes: format!(
            r#"{{"commit_hash": "abc", "params": {{"machine": "{machine}"}}, "result_columns": ["result"],
                "results": {{"time_a": [[1]]}}}}"#
        )
        .into_bytes(),
    }
    };
    let runs = read(Format::Asv, &[file("fast"), file("slow")]).runs;
    assert_eq!(runs[1].parameters["machine"], "slow");
    assert!(
        read(Format::Asv, &[file("fast")]).runs[0]
            .parameters
            .is_empty()
    );
}

#[test]
fn lists_that_belong_together_have_one_length() {
    let criterion = |counts: &str, values: &str| {
        format!(
            r#"{{"reason": "benchmark-complete", "id": "a", "unit": "ns", "iteration_count": {counts},
                "measured_values": {values}}}"#
        )
        .replace('\n', "")
    };
    for (counts, values, expected) in [
        (
            "[1, 0]",
            "[5, 6]",
            "file:1: expected iterations in value 2 of `iteration_count`, found 0",
        ),
        (
            "[1, 2]",
            "[5, 6, 7]",
            "file:1: expected as many `measured_values` as `iteration_count`",
        ),
        ("[]", "[]", "at least one, found 0 and 0"),
    ] {
        refused(Format::CargoCriterion, &criterion(counts, values), expected);
    }
    let none = vec![File {
        path: "a/new/sample.json".to_owned(),
        bytes: br#"{"iters": [1, 0], "times": [1, 1]}"#.to_vec(),
    }];
    let fault = Format::Criterion.read(&none).unwrap_err().to_string();
    assert!(
        fault.starts_with("a/new/sample.json: expected iterations in value 2 of `iters`"),
        "{fault}"
    );
    for (list, field) in [
        (r#""memory_usage_byte": [9]"#, "memory_usage_byte"),
        (r#""exit_codes": [0, 0, 0]"#, "exit_codes"),
    ] {
        let content = format!(
            r#"{{"results": [{{"command": "a", "mean": 1, "stddev": 0, "median": 1, "user": 0, "system": 0, "min": 1,
                "max": 1, "times": [1, 1], {list}}}]}}"#
        );
        refused(
            Format::Hyperfine,
            &content,
            &format!("expected as many `{field}` as `times` in /results/0"),
        );
    }
}

#[test]
fn faults_name_file_and_line_and_what_was_expected() {
    let cases = [
        (
            Format::GoBench,
            "\nBenchmarkA 1\n",
            "file:2: expected a value",
        ),
        (
            Format::GoBench,
            "BenchmarkA 1 x ns/op",
            "file:1: expected a finite number",
        ),
        (Format::GoBench, "BenchmarkA 1 5", "file:1: expected a unit"),
        (
            Format::GoBench,
            "BenchmarkA 1 inf ns/op",
            "file:1: expected a finite",
        ),
        (Format::GoBench, "goos: linux", "file: expected lines"),
        (
            Format::Pyperf,
            "{\n\"version\": 1}",
            "file:2: expected the JSON",
        ),
        (
            Format::Pyperf,
            r#"{"version": "0.8", "benchmarks": []}"#,
            "expected version 1.0",
        ),
        (
            Format::Pyperf,
            r#"{"version": "1.0", "benchmarks": [{}]}"#,
            "expected a `name`",
        ),
        (Format::Pyperf, "\u{1f}", "file:1: expected"),
        (Format::Jmh, "[]", "at least one result"),
        (
            Format::Jmh,
            r#"[{"benchmark": "a", "mode": "avgt", "primaryMetric": {"scoreUnit": "s"}}]"#,
            "expected `rawData`",
        ),
        (
            Format::CargoCriterion,
            "{\"reason\":\"benchmark-complete\"}",
            "file:1: expected",
        ),
        (
            Format::RegressAll,
            "PASS a\nVALUE 1 x\nPASS b",
            "file:2: expected `VALUE number",
        ),
        (
            Format::RegressAll,
            "VALUE nan s x\nPASS b",
            "file:1: expected `VALUE number",
        ),
        (Format::Columns, "1\nx\n", "file: line 2"),
        (
            Format::Asv,
            "{\"result_columns\": []}",
            "file:1: expected a result file of asv",
        ),
    ];
    for (format, content, expected) in cases {
        refused(format, content, expected);
    }
    let uneven = vec![File {
        path: "a/new/sample.json".to_owned(),
        bytes: br#"{"iters": [1], "times": []}"#.to_vec(),
    }];
    let fault = Format::Criterion.read(&uneven).unwrap_err();
    assert!(
        fault
            .to_string()
            .starts_with("a/new/sample.json: expected as many"),
        "{fault}"
    );
}

/// Files that were cut off anywhere, or hold a wrong byte, are read in part or refused.
#[test]
fn cut_and_broken_files_do_no_harm() {
    for (format, files, is_tree) in all() {
        let last = files.len() - 1;
        let length = files[last].bytes.len();
        for place in (0..length).step_by(1 + length / 97) {
            let mut cut = files.clone();
            cut[last].bytes.truncate(place);
            let mut broken = files.clone();
            broken[last].bytes[place] = b'}';
            for files in [cut, broken] {
                let _ = detect(&files, is_tree);
                for other in Format::ALL {
                    let read = other.read(&files);
                    if other == format
                        && let Err(fault) = read
                    {
                        assert!(!fault.message.is_empty());
                    }
                }
            }
        }
    }
}

#[test]
fn half_a_json_file_is_refused() {
    for (format, files, is_tree) in all() {
        let is_json = files[0].bytes.starts_with(b"{") || files[0].bytes.starts_with(b"[");
        if is_tree || !is_json || format == Format::CargoCriterion {
            continue;
        }
        let mut half = files.clone();
        let length = half[0].bytes.len();
        half[0].bytes.truncate(length / 2);
        assert!(format.read(&half).is_err(), "{}", files[0].path);
    }
}
