//! The tail as a question: one quantile of each run, and runs that are too short for it.

use perflab_compare::{Comparison, Row, SampleSelection, Selection, Verdict, result_report};
use perflab_experiment::{Experiment, Plan};
use perflab_report::{headline, report_warnings};
use perflab_store::RunRecord;
use serde_json::json;

const EXPERIMENT: &str = "schema = 1
[design]
runs = 30
metrics = [\"latency\"]
[variants.old]
[variants.new]
[workloads.w]
driver = \"command\"
command = [\"true\"]
";

/// Samples between 1 and 2, of which two in a hundred of the new variant take twice as long.
fn records(plan: &Plan, samples: u32) -> Vec<RunRecord> {
    let record = |run: &perflab_experiment::PlannedRun| {
        let variant = &plan.cells[run.cell].variant;
        let value = |i: u32| {
            let noise = f64::from((i * 7919 + run.run * 104_729) % 1009) / 1009.0;
            let slow = variant == "new" && i % 50 == 7;
            // Runs differ by up to 16 %, which hides the one per cent that slow samples move the median.
            let run = 1.0 + f64::from(run.run * 37 % 17) / 100.0;
            run * (1.0 + noise) * if slow { 2.0 } else { 1.0 }
        };
        let list: Vec<_> = (0..samples)
            .map(|i| json!({"name": "latency", "unit": "ms", "better": "lower", "value": value(i)}))
            .collect();
        serde_json::from_value(json!({
            "schema": 2, "run": run.run, "block": run.block, "cell": plan.cells[run.cell].id,
            "variant": variant, "workload": "w", "unit": run.unit, "status": "PASS", "argv": [],
            "started": "2026-01-01T00:00:00Z", "usage": {"wall_s": 0.5, "user_s": 0.0, "system_s": 0.0, "voluntary_switches": 0,
            "involuntary_switches": 0}, "environment_padding_bytes": 0,
            "samples": list
        }))
        .unwrap()
    };
    plan.runs.iter().map(record).collect()
}

fn report(samples: u32, tails: &[f64]) -> Comparison {
    let experiment = Experiment::parse(EXPERIMENT, "tail.toml").unwrap();
    let plan = Plan::new(&experiment, 1);
    let sample_selection = SampleSelection {
        tails: tails.to_vec(),
        ..SampleSelection::default()
    };
    let records = records(&plan, samples);
    result_report(
        &experiment,
        &plan,
        &records,
        &sample_selection,
        &Selection::default(),
    )
    .unwrap()
}

fn row<'a>(report: &'a Comparison, metric: &str) -> &'a Row {
    report
        .rows
        .iter()
        .find(|row| row.key.metric.name == metric)
        .unwrap()
}

#[test]
fn the_tail_differs_where_the_middle_does_not() {
    let report = report(500, &[0.99, 0.5]);
    let names: Vec<&str> = report
        .rows
        .iter()
        .map(|row| row.key.metric.name.as_str())
        .collect();
    assert_eq!(names, ["latency", "latency p99", "latency p50"]);
    assert_eq!(report.tests, 9);
    let tail = row(&report, "latency p99");
    assert_eq!(
        (tail.typical.verdict, headline(tail).as_str()),
        (Verdict::Worse, "slower")
    );
    assert_eq!(
        row(&report, "latency p50").typical.verdict,
        Verdict::NotProven
    );
    // Thirty runs are thirty observations, however many samples they hold.
    assert_eq!((tail.base.n, tail.base.values.len()), (30, 30));
    assert!(
        report_warnings(&report)
            .iter()
            .all(|warning| !warning.contains("samples"))
    );
}

#[test]
fn short_runs_are_told() {
    let told = |samples, tail| {
        let report = report(samples, &[tail]);
        report_warnings(&report)
            .iter()
            .any(|warning| warning.contains("a run has only"))
    };
    assert!(told(367, 0.99) && !told(368, 0.99));
    assert!(told(35, 0.9) && !told(36, 0.9));
    let single = report(1, &[0.99]);
    assert_eq!((single.rows.len(), single.tests), (1, 3));
    assert!(
        report_warnings(&single)
            .iter()
            .any(|warning| warning.contains("no run has several samples"))
    );
}
