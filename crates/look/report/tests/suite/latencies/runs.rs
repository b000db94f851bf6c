//! Runs of load tools made by hand, and the reports on them.

use perflab_compare::{Comparison, SampleSelection, Selection, add_latencies, result_report};
use perflab_experiment::{Experiment, Plan, PlannedRun};
use perflab_report::TextOptions;
use perflab_store::RunRecord;
use serde_json::{Value, json};

pub const WIDE: TextOptions = TextOptions {
    width: 120,
    colour: false,
    ascii: false,
};

pub fn experiment(driver: &str) -> Experiment {
    let text = format!(
        "[design]\nruns = 12\nblock = 3\n[variants.old]\n[variants.new]\n[workloads.w]\n\
         driver = '{driver}'\nargs = ['http://a/']\n"
    );
    Experiment::parse(&text, "latencies.toml").unwrap()
}

pub fn sample(benchmark: Option<&str>, name: &str, unit: &str, value: f64) -> Value {
    let better = if unit == "1/s" { "higher" } else { "lower" };
    let mut sample = json!({"name": name, "unit": unit, "better": better, "value": value});
    if let Some(benchmark) = benchmark {
        sample["benchmark"] = json!(benchmark);
    }
    sample
}

pub fn record(plan: &Plan, run: &PlannedRun, wall_s: f64, samples: &[Value]) -> RunRecord {
    serde_json::from_value(json!({
        "schema": 2, "run": run.run, "block": run.block, "cell": plan.cells[run.cell].id,
        "variant": plan.cells[run.cell].variant, "workload": "w", "unit": run.unit,
        "status": "PASS", "argv": [], "started": "2026-01-01T00:00:00Z", "usage": {"wall_s": wall_s, "user_s": 0.0, "system_s": 0.0, "voluntary_switches": 0,
            "involuntary_switches": 0}, "environment_padding_bytes": 0, "samples": samples
    }))
    .unwrap()
}

/// Noise that does not repeat, up to 1 %.
pub fn noise(run: u32) -> f64 {
    1.0 + f64::from(run * 7919 % 101) / 10_100.0
}

/// Two request types of redis-benchmark, in its steps of 0.008 ms. The new variant does 5 % more of
/// each; `tail` is what becomes of its slow requests.
pub fn redis(tail: f64) -> impl Fn(u32, bool) -> Vec<Value> {
    move |run, is_new| {
        let factor = if is_new { 1.05 } else { 1.0 };
        let step = |ms: f64| ((ms / 0.008).round() * 8.0 - 1.0) / 1000.0;
        let slow = if is_new { tail } else { 1.0 };
        let mut samples = Vec::new();
        for benchmark in ["GET", "SET"] {
            let mut push =
                |name, unit, value| samples.push(sample(Some(benchmark), name, unit, value));
            push("rps", "1/s", 50_000.0 * factor * noise(run));
            push("latency_avg", "ms", 0.412_34 * noise(run));
            push("latency_min", "ms", 0.095);
            push("latency_p50", "ms", step(0.4 * (noise(run) * 4.0 - 3.0)));
            push("latency_p95", "ms", step(0.5 * noise(run)));
            push(
                "latency_p99",
                "ms",
                step(0.8 * slow * (noise(run) * 10.0 - 9.0)),
            );
            push("latency_max", "ms", 2.5);
        }
        samples
    }
}

pub fn report_of(
    driver: &str,
    wall_s: f64,
    sample_selection: &SampleSelection,
    samples: impl Fn(u32, bool) -> Vec<Value>,
) -> Comparison {
    let experiment = experiment(driver);
    let plan = Plan::new(&experiment, 1);
    let of = |run: &PlannedRun| {
        let is_new = plan.cells[run.cell].variant == "new";
        record(&plan, run, wall_s, &samples(run.run, is_new))
    };
    let records: Vec<RunRecord> = plan.runs.iter().map(of).collect();
    let selection = Selection::default();
    let mut report =
        result_report(&experiment, &plan, &records, sample_selection, &selection).unwrap();
    add_latencies(
        &mut report,
        &experiment,
        &plan,
        &records,
        sample_selection,
        &selection,
    );
    report
}

pub fn redis_report(tail: f64) -> Comparison {
    report_of(
        "redis-benchmark",
        2.0,
        &SampleSelection::default(),
        redis(tail),
    )
}
