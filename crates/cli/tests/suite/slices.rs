//! Runs in slices, with real programs and real servers.

use std::fs;

use perflab_testing::needs;
use serde_json::Value;

use crate::support::Laboratory;
use crate::systems::servers_end_with_their_laboratory;

const COMMANDS: &str = r#"
[design]
slices = 5
runs = 3
[variants.a]
vars = { each = "1" }
[variants.b]
vars = { each = "3" }
[workloads.w]
driver = "generic"
command = ["{experiment}/work", "{variant}", "{slice:12}", "{each}", "{slice}", "{slices}"]
[[workloads.w.metrics]]
name = "work"
unit = "items"
better = "lower"
values = true
combine = "sum"
[[workloads.w.metrics]]
name = "rate"
unit = "items/s"
better = "higher"
values = true
combine = "rate"
"#;

/// Writes down who was executed with which share, and measures it. It opens its output again, as memtier_benchmark does,
/// which empties a file.
const WORK: &str = "#!/bin/sh
echo \"$1 $2 $4/$5\" >> ../../../../log
exec > /dev/stdout
echo \"VALUE $(($2 * $3)) items work\"
echo \"VALUE $2 items/s rate\"
";

const SERVERS: &str = r#"
[design]
slices = 4
runs = 2
metrics = ["rps", "system_cpu"]
[variants.plain]
start = ["redis-server", "--bind", "127.0.0.1", "--port", "{port}", "--dir", "{dir}", "--save", ""]
ready = { tcp = "127.0.0.1:{port}" }
[variants.append]
start = ["redis-server", "--bind", "127.0.0.1", "--port", "{port}", "--dir", "{dir}", "--save", "", "--appendonly", "yes"]
ready = { tcp = "127.0.0.1:{port}" }
[workloads.w]
driver = "redis-benchmark"
args = ["-h", "127.0.0.1", "-p", "{port}", "-t", "get,set", "-n", "REQUESTS"]
"#;

/// Two ways to run Redis, with some requests of each of two types.
pub fn servers(requests: u32) -> String {
    needs("redis-server", "redis-server");
    needs("redis-benchmark", "redis-tools");
    SERVERS.replace("REQUESTS", &requests.to_string())
}

#[test]
fn commands_do_their_shares_by_turns() {
    let laboratory = Laboratory::new();
    laboratory.program("work", WORK);
    laboratory.run(COMMANDS).code(0);
    laboratory.assert_complete(6);
    // A working directory is below the result's, and the log beside the result.
    let log = laboratory.read("log");
    let lines: Vec<&str> = log.lines().collect();
    assert_eq!(lines.len(), 3 * 2 * 5);
    let shares = [2, 2, 3, 2, 3];
    for (place, round) in lines.chunks(2).enumerate() {
        let slice = place % 5;
        let share = format!("{} {}/5", shares[slice], slice + 1);
        let mut round = round.to_vec();
        round.sort_unstable();
        assert_eq!(round, [format!("a {share}"), format!("b {share}")]);
    }
    for record in laboratory.records() {
        let each = if record["variant"] == "a" { 1.0 } else { 3.0 };
        let value = |place: usize| record["samples"][place]["value"].as_f64().unwrap();
        assert_eq!(value(0), 12.0 * each);
        // Equal work in each slice is what a rate is combined by.
        let rate = 5.0
            / shares
                .map(|share| 1.0 / f64::from(share))
                .iter()
                .sum::<f64>();
        assert!((value(1) - rate).abs() < 1e-12);
        assert_eq!(record["evidence"]["slices"], 5.0);
    }
    laboratory
        .call(&["show", "result", "--run", "1"])
        .code(0)
        .prints(&["evidence: slices 5"]);
    laboratory
        .call(&["report", "result", "-o", "pages"])
        .code(0);
    let page = fs::read_to_string(laboratory.path("pages/runs/1.html"))
        .or_else(|_| fs::read_to_string(laboratory.path("pages/run-1.html")));
    assert!(page.unwrap().contains("Its slices"));
}

/// Values that change from run to run, from slice to slice, or with both, as if at random; and those that each run has,
/// in another order.
const SCATTER: &str = r#"
h() { h=$1; for i in 1 2 3; do h=$(((h * 1103515245 + 12345) % 2147483648)); done; h=$((h / 65536 % 1000)); }
run=${1##*/}; run=${run%.partial}; run=$((1$run - 1000000))
h $run; own=$h; h $((1000 + run * 64 + $2))
echo "VALUE $((10000 + own)) items kept"
echo "VALUE $((10000 + h)) items changing"
echo "VALUE $((10000 + own + 2 * h)) items both"
echo "VALUE $((10000 + 10 * (($2 + 5 * run) % 16))) items shared"
"#;

#[test]
fn what_limits_a_difference_is_told_from_the_slices() {
    let laboratory = Laboratory::new();
    laboratory.program("scatter", SCATTER);
    let metrics: String = ["kept", "changing", "both", "shared"]
        .map(|name| {
            format!(
                "[[workloads.w.metrics]]\nname = \"{name}\"\nunit = \"items\"\nbetter = \"lower\"\nvalues = true\n\
                 combine = \"mean\"\n"
            )
        })
        .concat();
    let experiment = format!(
        "[design]\nslices = 16\nruns = 20\nseed = 3\n\
         metrics = [\"kept\", \"changing\", \"both\", \"shared\"]\n\
         [variants.a]\n[variants.b]\n[workloads.w]\ndriver = \"generic\"\n\
         command = [\"{{experiment}}/scatter\", \"{{run}}\", \"{{slice}}\"]\n{metrics}"
    );
    laboratory.run(&experiment).code(0);
    let json = laboratory.call(&["compare", "result", "--format", "json"]);
    let limits = |name: &str| {
        let report = json.json();
        let rows = report["rows"].as_array().unwrap().clone();
        let row = rows.into_iter().find(|row| row["metric"]["name"] == name);
        let limits = row.unwrap()["limits"].clone();
        assert_eq!(limits["blocks"], 20);
        assert_eq!(limits["unit"], "start");
        ["low", "within", "high"].map(|part| limits[part].as_f64().unwrap())
    };
    // The slices of a run are all the same, have nothing in common, or make a fifth of the variance: 2^2 / 16 to 1.
    assert!(limits("kept")[2] < 1e-12);
    let [low, _, high] = limits("changing");
    assert!(low > 0.3 && high == 1.0, "{low} {high}");
    let [low, _, high] = limits("both");
    assert!(low < 0.2 && 0.2 < high && high < 1.0, "{low} {high}");
    // Runs that are all the same have no variance to divide, whatever their slices do.
    let report = json.json();
    let mut rows = report["rows"].as_array().unwrap().iter();
    let shared = rows.find(|row| row["metric"]["name"] == "shared").unwrap();
    assert!(shared["limits"].is_null(), "{shared}");
    let detail = ["compare", "result", "--detail", "--gate", "none"];
    let detail = || laboratory.call(&detail).code(0);
    let said = detail().prints(&[
        "limits          0% [0%, 0%] of the variance of the difference is from within runs",
    ]);
    assert_eq!(said.out.matches("\nlimits ").count(), 3);
    let damaged = "result/runs/000005/perflab-slices.jsonl";
    let whole = laboratory.read(damaged);
    let lines: Vec<&str> = whole.lines().collect();
    laboratory.write(damaged, &(lines[1..].join("\n") + "\n"));
    let said = detail().says(&["`limits` leaves out 1 run", "do not come to its value"]);
    assert_eq!(said.out.matches("\nlimits ").count(), 3);
    laboratory.write(damaged, &whole);
    laboratory.write("result/runs/000007/perflab-slices.jsonl", "{}\n");
    let said = detail().says(&["`limits` leaves out 1 run", "the first is run 7"]);
    assert_eq!(said.out.matches("\nlimits ").count(), 3);
    fs::remove_dir_all(laboratory.path("result/runs/000003")).unwrap();
    detail().says(&["`limits` leaves out 2 runs", "the first is run 3"]);
    // Output may be removed as a whole.
    fs::remove_dir_all(laboratory.path("result/runs")).unwrap();
    let said = detail();
    assert!(!said.out.contains("\nlimits ") && !said.err.contains("`limits`"));
}

#[test]
fn servers_are_up_together_and_their_requests_close_together() {
    let laboratory = Laboratory::new();
    laboratory.run(&servers(4000)).code(0);
    laboratory.assert_nothing_runs();
    let records = laboratory.records();
    assert_eq!(records.len(), 4);
    for record in &records {
        assert_eq!(record["status"], "PASS", "{record}");
        assert_eq!(record["evidence"]["runs_in_turns"], 2.0);
        let named = |name: &str| {
            let samples = record["samples"].as_array().unwrap().iter();
            let own = samples.filter(|sample| sample["name"] == name);
            own.map(|sample| sample["benchmark"].as_str().unwrap().to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(named("rps"), ["GET", "SET"]);
        assert_eq!(named("system_cpu"), ["GET", "SET"]);
        let run = record["run"].as_u64().unwrap();
        let slices = laboratory.read(&format!("result/runs/{run:06}/perflab-slices.jsonl"));
        let slices: Vec<Value> = slices
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(slices.len(), 4 * 2);
        // The output of the run is that of all executions.
        let output = laboratory.read(&format!("result/runs/{run:06}/stdout"));
        assert_eq!(
            output
                .lines()
                .filter(|line| line.starts_with("\"test\""))
                .count(),
            8
        );
    }
    laboratory
        .call(&["compare", "result", "--gate", "none"])
        .code(0)
        .prints(&[
            "the runs of each in turns, in 4 slices",
            "append against plain: rps",
            "append against plain: system_cpu",
            // They stand beside the throughput.
            "percentiles of runs in slices are means",
        ]);
    let json = ["compare", "result", "--gate", "none", "--format", "json"];
    let report = laboratory.call(&json).code(0).json();
    let rows = ["rows", "pooled"].map(|rows| report[rows].as_array().unwrap().clone());
    let limited = rows.concat().into_iter().filter_map(|row| {
        let within = row["limits"]["within"].as_f64()?;
        assert!(
            row["metric"]["name"] == "rps" && 0.0 < within && within <= 1.0,
            "{row}"
        );
        row["benchmark"].as_str().map(str::to_owned)
    });
    // Slices do not tell the CPU time.
    let limited: Vec<String> = limited.collect();
    assert_eq!(limited, ["GET", "SET", "all 2 benchmarks"]);
}

#[test]
fn tests_that_fill_the_same_list_are_measured_each() {
    let laboratory = Laboratory::new();
    let text = servers(2000).replace("get,set", "lrange_100,lrange_300");
    laboratory.run(&text).code(0);
    for record in laboratory.records() {
        assert_eq!(record["status"], "PASS", "{record}");
        let samples = record["samples"].as_array().unwrap();
        let of = |metric: &str| -> Vec<&str> {
            let own = samples.iter().filter(|sample| sample["name"] == metric);
            own.map(|sample| sample["benchmark"].as_str().unwrap())
                .collect()
        };
        assert_eq!(of("rps"), ["LPUSH_REFILL", "LRANGE_100", "LRANGE_300"]);
        let both = ["LPUSH_REFILL+LRANGE_100", "LPUSH_REFILL+LRANGE_300"];
        assert_eq!(of("system_cpu"), both);
    }
}

#[test]
fn no_server_outlives_a_laboratory_that_is_killed_between_turns() {
    servers_end_with_their_laboratory(&servers(400_000), 2);
}

#[test]
fn what_cannot_be_cut_is_refused_before_the_first_run() {
    let laboratory = Laboratory::new();
    laboratory.run(&servers(1000)).code(2).says(&[
        "-n 1000",
        "a slice needs at least 500",
        "at most 2 slices",
    ]);
    // Whoever cuts the work, with threads a slice takes 250 ms.
    let threaded = servers(4000).replace("args = [", "args = [\"--threads\", \"2\", ");
    for text in [threaded.replace("\"4000\"", "\"{slice:4000}\""), threaded] {
        laboratory
            .run(&text)
            .code(2)
            .says(&["`--threads 2`", "every 250 ms"]);
    }
    let text = servers(4000).replace("\"rps\", \"system_cpu\"", "\"latency_stddev\"");
    laboratory
        .run(&text)
        .code(2)
        .says(&["no workload measures"]);
    let text = servers(4000)
        .replace("\"redis-benchmark\"", "\"iperf3\"")
        .replace("metrics = [\"rps\", \"system_cpu\"]\n", "");
    laboratory
        .run(&text)
        .code(2)
        .says(&["what iperf3 measures of slices cannot be combined"]);
}
