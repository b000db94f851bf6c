//! Runs that are observed, and those beside them.

use std::fs;

use perflab_testing::needs;
use serde_json::Value;

use crate::life::Place;
use crate::support::{Laboratory, Said};

const COUNTED: &str = r#"
[design]
runs = 4
block = 2
[observe]
counters = ["page-faults"]
[variants.a]
[variants.b]
[workloads.w]
driver = "generic"
shell = true
command = "sleep 0.01; echo took 10.$$ ms"
[[workloads.w.metrics]]
name = "time"
unit = "ms"
better = "lower"
regex = 'took (?<value>[0-9.]+) ms'
"#;

#[test]
fn counters_are_counted_in_half_of_the_runs() {
    needs("perf", "linux-perf");
    let laboratory = Laboratory::new();
    let file = laboratory.write("exp.toml", COUNTED);
    laboratory
        .call(&["run", file.to_str().unwrap(), "--dry-run"])
        .code(0)
        .prints(&[
            "2 cells x (4 runs + 4 observed) = 16 runs, in 2 blocks of 2 + 2 of each cell",
            "  observed\n",
        ]);
    laboratory.run(COUNTED).code(0);
    let records = laboratory.records();
    assert_eq!(records.len(), 16);
    let is_counted = |record: &Value| {
        let samples = record["samples"].as_array().unwrap();
        samples
            .iter()
            .any(|sample| sample["name"] == "counter_page-faults")
    };
    for record in &records {
        assert_eq!(record["status"], "PASS", "{record}");
        let is_observed = record.get("observers").is_some();
        assert_eq!(is_counted(record), is_observed, "{record}");
        let program = record["argv"][0].as_str().unwrap();
        assert_eq!(program == "perf", is_observed, "{record}");
    }
    assert_eq!(
        records.iter().filter(|record| is_counted(record)).count(),
        8
    );
    // The verdict rests on the others, and the report says what looking on costs.
    // Values are numbers of processes, so a verdict may come by chance.
    let said = laboratory
        .call(&["compare", "result", "--format", "json", "--gate", "none"])
        .code(0);
    let report = said.json();
    assert_eq!(report["rows"][0]["base"]["n"], 4, "{report}");
    let costs = report["observation"].as_array().unwrap();
    let variants: Vec<_> = costs
        .iter()
        .map(|row| row["variant"].as_str().unwrap())
        .collect();
    assert_eq!(variants, ["a", "b"]);
    for row in costs {
        assert_eq!([&row["base"]["n"], &row["candidate"]["n"]], [4, 4], "{row}");
    }
    laboratory
        .call(&["compare", "result", "--gate", "none"])
        .code(0)
        .prints(&["observed runs (counters) are not part of the verdicts; in them time of a is "]);
    // What only observed runs have is compared among them.
    laboratory
        .call(&[
            "compare",
            "result",
            "--gate",
            "none",
            "--metric",
            "counter_page-faults",
        ])
        .code(0)
        .prints(&["measured in observed runs only"]);
    laboratory
        .call(&["show", "result", "--run", "1"])
        .code(0)
        .prints(&["program: /"]);
    let observed = records.iter().find(|record| is_counted(record)).unwrap();
    laboratory
        .call(&["show", "result", "--run", &observed["run"].to_string()])
        .code(0)
        .prints(&["observed by: counters"]);
    // The pages say the same.
    laboratory
        .call(&["report", "result", "-o", "pages"])
        .code(0);
    let page = fs::read_to_string(laboratory.path("pages/index.html")).unwrap();
    assert!(page.contains("observed runs (counters)"));
}

const PROBED: &str = r#"
[design]
runs = 3
block = 3
warmup = 1
[observe]
probes = ["life:*"]
[variants.a]
vars = { rounds = "1000" }
[variants.b]
vars = { rounds = "1500" }
[workloads.w]
driver = "generic"
shell = true
command = "echo work {rounds} | {experiment}/life; echo took {rounds} ms"
[[workloads.w.metrics]]
name = "time"
unit = "ms"
better = "lower"
regex = 'took (?<value>[0-9.]+) ms'
"#;

/// Calls perflab in the directory of a place.
fn perflab(place: &Place, words: &[&str]) -> Said {
    let directory = place.directory.path();
    let mut command = place.perflab();
    command.env("PERFLAB_LOCK", directory.join("lock"));
    command
        .current_dir(directory)
        .args(words)
        .output()
        .unwrap()
        .into()
}

#[test]
fn recorded_probes_give_a_trace_and_their_hits() {
    let place = Place::new();
    let directory = place.directory.path();
    fs::write(directory.join("exp.toml"), PROBED).unwrap();
    let perflab = |words: &[&str]| perflab(&place, words);
    perflab(&["run", "exp.toml", "--quiet", "--out", "result"]).code(0);
    let text = fs::read_to_string(directory.join("result/runs.jsonl")).unwrap();
    let records: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(records.len(), 12);
    for record in &records {
        assert_eq!(record["status"], "PASS", "{record}");
        let samples = record["samples"].as_array().unwrap();
        let hits = samples
            .iter()
            .find(|sample| sample["benchmark"] == "life:work");
        let directory = directory.join(format!(
            "result/runs/{:06}",
            record["run"].as_u64().unwrap()
        ));
        let trace = directory.join("probes.trace");
        if record.get("observers").is_none() {
            assert!(hits.is_none() && !trace.exists(), "{record}");
            continue;
        }
        let expected = if record["variant"] == "a" {
            1000.0
        } else {
            1500.0
        };
        // The warm-up is in the trace, and not in the hits.
        assert_eq!(hits.unwrap()["value"], expected, "{record}");
        assert_eq!(hits.unwrap()["better"], "neither");
        assert!(
            record["evidence"]["probe_events"].as_f64().unwrap() >= 2.0 * expected,
            "{record}"
        );
        assert_eq!(record["evidence"]["probe_events_lost"], 0.0, "{record}");
        perflab(&["trace", "view", trace.to_str().unwrap(), "--summary"])
            .code(0)
            .prints(&["life:work"]);
    }
    perflab(&["compare", "result"])
        .code(0)
        .prints(&["observed runs (probes) are not part of the verdicts"]);
    perflab(&["compare", "result", "--metric", "hits"])
        .code(0)
        .prints(&["hits, neither way is better", "life:work", "+50.0%"]);
}

#[test]
fn runs_that_lost_events_have_no_hits() {
    let place = Place::new();
    let directory = place.directory.path();
    let text = PROBED
        .replace("probes =", "ring = 8\nprobes =")
        .replace("warmup = 1\n", "")
        .replace("\"1000\"", "\"10\"")
        .replace("\"1500\"", "\"2000000\"");
    fs::write(directory.join("exp.toml"), text).unwrap();
    perflab(&place, &["run", "exp.toml", "--quiet", "--out", "result"]).code(0);
    perflab(&place, &["compare", "result"])
        .code(0)
        .prints(&["3 of 6 observed runs lost events of probes and have no hits"]);
    let hits = perflab(&place, &["compare", "result", "--metric", "hits"]);
    let said = format!("{}{}", hits.out, hits.err);
    assert!(said.contains("3 observed runs lost events"), "{said}");
}

#[test]
fn a_run_without_the_probes_is_no_evidence() {
    let place = Place::new();
    let directory = place.directory.path();
    let text = PROBED
        .replace("life:*", "nobody:*")
        .replace("warmup = 1\n", "");
    fs::write(directory.join("exp.toml"), text).unwrap();
    // The runs that are not observed pass, and in the third block the observed ones are given up.
    perflab(&place, &["run", "exp.toml", "--quiet", "--out", "result"])
        .code(4)
        .says(&["/w, observed by probes, failed 3 times in a row and never passed"]);
    let text = fs::read_to_string(directory.join("result/runs.jsonl")).unwrap();
    for record in text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
    {
        let is_observed = record.get("observers").is_some();
        assert_eq!(record["status"] == "PASS", !is_observed, "{record}");
        if is_observed {
            let detail = record["detail"].as_str().unwrap();
            assert!(detail.contains("has a probe `nobody:*`"), "{detail}");
        }
    }
}

#[test]
fn what_names_no_probes_is_refused_before_a_run() {
    let place = Place::new();
    let directory = place.directory.path();
    fs::write(
        directory.join("exp.toml"),
        PROBED.replace("life:*", "life:*:x"),
    )
    .unwrap();
    perflab(&place, &["run", "exp.toml", "--quiet", "--out", "result"])
        .code(2)
        .says(&["`probes` in [observe]", "life:*:x"]);
    assert!(!directory.join("result").exists());
}
