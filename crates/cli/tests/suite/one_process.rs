//! Runs in slices whose turns one process takes, with real programs and real servers.

use std::path::Path;

use perflab_testing::needs;
use serde_json::Value;

use crate::support::Laboratory;

/// The client of the examples, which has Redis servers take turns.
fn client() -> String {
    let examples = Path::new(env!("CARGO_BIN_EXE_perflab")).with_file_name("examples");
    let client = examples.join("take_turns");
    assert!(client.exists(), "{} is not built", client.display());
    client.to_str().unwrap().to_owned()
}

/// Three servers of the same kind, whose requests loop in Lua, on one of them thirty times as long. Slices of
/// milliseconds.
const SERVERS: &str = r#"
[design]
slices = 50
runs = 8
seed = 3
warmup = 1
control = "again"
[variants.plain]
vars = { loops = "2000" }
start = ["redis-server", "--bind", "127.0.0.1", "--port", "{port}", "--dir", "{dir}", "--save", ""]
ready = { tcp = "127.0.0.1:{port}" }
[variants.again]
vars = { loops = "2000" }
start = ["redis-server", "--bind", "127.0.0.1", "--port", "{port}", "--dir", "{dir}", "--save", ""]
ready = { tcp = "127.0.0.1:{port}" }
[variants.slow]
vars = { loops = "60000" }
start = ["redis-server", "--bind", "127.0.0.1", "--port", "{port}", "--dir", "{dir}", "--save", ""]
ready = { tcp = "127.0.0.1:{port}" }
[workloads.loop]
driver = "generic"
takes_turns = true
command = ["CLIENT", "{port}", "20", "EVAL", "for i = 1, {loops} do end", "0"]
[[workloads.loop.metrics]]
name = "rps"
unit = "1/s"
better = "higher"
json = "/rps"
combine = "rate"
"#;

/// The order and the lines of a tool that is a shell script.
const SCRIPT: &str = r#"
[design]
slices = 2
runs = 1
[variants.a]
vars = { work = "3" }
[variants.b]
vars = { work = "5" }
[workloads.w]
driver = "generic"
takes_turns = true
command = ["{experiment}/tool", "{work}"]
[[workloads.w.metrics]]
name = "items"
unit = ""
better = "lower"
json = "/items"
combine = "sum"
"#;

#[test]
fn a_slowdown_is_found_in_slices_of_milliseconds() {
    needs("redis-server", "redis-server");
    let laboratory = Laboratory::new();
    laboratory
        .run(&SERVERS.replace("CLIENT", &client()))
        .code(0);
    laboratory.assert_complete(24);
    laboratory.assert_nothing_runs();
    for record in laboratory.records() {
        let evidence = &record["evidence"];
        assert_eq!(evidence["slices"], 50.0);
        assert_eq!(evidence["runs_in_turns"], 3.0);
        assert!(record["usage"].is_null());
        let run = record["run"].as_u64().unwrap();
        let slices = laboratory.read(&format!("result/runs/{run:06}/perflab-slices.jsonl"));
        let slices: Vec<Value> = slices
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(slices.len(), 50);
        let each = slices.iter().map(|slice| slice["wall_s"].as_f64().unwrap());
        let whole = each.sum::<f64>();
        assert!(whole < evidence["process_wall_s"].as_f64().unwrap());
        // The same work in each slice: all of it over all of their time.
        let rate = record["samples"][0]["value"].as_f64().unwrap();
        assert!((rate * whole / (50.0 * 20.0) - 1.0).abs() < 1e-6);
    }
    let said = laboratory.call(&["compare", "result", "--gate", "none", "--format", "json"]);
    let report: Value = serde_json::from_str(&said.code(0).out).unwrap();
    let rows = report["rows"].as_array().unwrap();
    let verdict = |variant: &str| {
        let mut rows = rows.iter();
        let row = rows.find(|row| row["variant"] == variant).unwrap();
        row["typical"]["verdict"].as_str().unwrap().to_owned()
    };
    assert_eq!(verdict("slow"), "worse");
    // That of two equal ones may be wrong in 5 % of reports.
    verdict("again");
}

#[test]
fn a_tool_of_one_s_own_gets_the_order_and_tells_of_each_slice() {
    let laboratory = Laboratory::new();
    laboratory.program(
        "tool",
        r#"cp "$1" ../../../../order
for slice in 1 2; do for target in 1 0; do
echo "{\"target\": $target, \"slice\": $slice, \"at_s\": 0, \"wall_s\": 0, \"items\": $((target + 6))}"
done; done
"#,
    );
    laboratory.run(SCRIPT).code(0);
    laboratory.assert_complete(2);
    let order: Value = serde_json::from_str(&laboratory.read("order")).unwrap();
    assert_eq!(order["slices"], 2);
    assert_eq!(order["warmup"], 0);
    for (target, value) in order["targets"]
        .as_array()
        .unwrap()
        .iter()
        .zip([12.0, 14.0])
    {
        let records = laboratory.records();
        let own = |record: &&Value| record["variant"] == target["variant"];
        let record = records.iter().find(own).unwrap();
        assert_eq!(record["samples"][0]["value"], value);
        let argument = if target["variant"] == "a" { "3" } else { "5" };
        assert_eq!(target["arguments"], serde_json::json!([argument]));
    }
    laboratory
        .call(&["show", "result", "--run", "1"])
        .code(0)
        .prints(&["evidence: slices 2", "process_wall_s"]);
}

#[test]
fn lines_that_do_not_fit_the_order_fail_all_runs() {
    let laboratory = Laboratory::new();
    laboratory.program(
        "tool",
        "echo '{\"target\": 2, \"slice\": 1, \"at_s\": 0, \"wall_s\": 0, \"items\": 1}'\n",
    );
    laboratory.run(SCRIPT);
    for record in laboratory.records() {
        assert_eq!(record["status"], "FAIL");
        let detail = record["detail"].as_str().unwrap();
        assert!(detail.starts_with("one process took the turns of "));
        assert!(
            detail.ends_with(
                "stdout, line 1: expected a whole number from 0 to 1 at `/target`, found the number 2"
            ),
            "{detail}"
        );
    }
}
