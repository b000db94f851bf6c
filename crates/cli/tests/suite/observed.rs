//! Runs that are observed, and those beside them.

use std::fs;

use perflab_testing::needs;

use crate::support::Laboratory;

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
    let is_counted = |record: &serde_json::Value| {
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
    let said = laboratory
        .call(&["compare", "result", "--format", "json"])
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
        .call(&["compare", "result"])
        .code(0)
        .prints(&["observed runs (counters) are not part of the verdicts; in them time of a is "]);
    // What only observed runs have is compared among them.
    laboratory
        .call(&["compare", "result", "--metric", "counter_page-faults"])
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
