//! The row that pools others: of results whose benchmarks have different numbers of values in a process.

use serde_json::{Value, json};

use crate::support::Laboratory;

/// pyperf's file of a benchmark for each list of processes.
fn pyperf(benchmarks: &[Vec<Vec<f64>>]) -> String {
    let run = |values: &Vec<f64>| json!({"values": values, "warmups": [[1, 0.2]], "metadata": {}});
    let benchmark = |(index, processes): (usize, &Vec<Vec<f64>>)| {
        json!({
            "metadata": {"name": format!("b{index}"), "unit": "second", "loops": 1},
            "runs": processes.iter().map(run).collect::<Vec<_>>(),
        })
    };
    let benchmarks: Vec<Value> = benchmarks.iter().enumerate().map(benchmark).collect();
    json!({"version": "1.0", "metadata": {}, "benchmarks": benchmarks}).to_string()
}

/// Eight processes of a benchmark with one value each, and eight of one with eight values each: the first of them
/// takes `first` seconds, the others `rest`.
fn uneven(first: f64, rest: f64) -> [Vec<Vec<f64>>; 2] {
    let process = |run: u32| -> Vec<f64> {
        let level = if run == 0 {
            first
        } else {
            rest + 0.01 * f64::from(run)
        };
        (0..8)
            .map(|value| level + 0.001 * f64::from(value))
            .collect()
    };
    let single = |run: u32| vec![1.0 + 0.001 * f64::from(run)];
    [(0..8).map(single).collect(), (0..8).map(process).collect()]
}

fn compared(laboratory: &Laboratory, old: &[Vec<Vec<f64>>], new: &[Vec<Vec<f64>>]) -> Value {
    laboratory.write("old.json", pyperf(old));
    laboratory.write("new.json", pyperf(new));
    let imported = ["import", "--out", "result", "old=old.json", "new=new.json"];
    laboratory.call(&imported).code(0);
    laboratory
        .call(&["compare", "result", "--format", "json", "--gate", "none"])
        .code(0)
        .json()
}

fn difference(row: &Value, question: &str) -> f64 {
    row[question]["difference"].as_f64().unwrap()
}

#[test]
fn a_pooled_row_lies_among_its_rows() {
    for reversed in [false, true] {
        let laboratory = Laboratory::new();
        let (mut old, mut new) = (uneven(1.0, 2.0), uneven(2.0, 1.0));
        if reversed {
            old.reverse();
            new.reverse();
        }
        let report = compared(&laboratory, &old, &new);
        let rows = report["rows"].as_array().unwrap();
        let pooled = &report["pooled"][0];
        let ratios = rows.iter().map(|row| 1.0 + difference(row, "mean"));
        let expected = ratios.product::<f64>().sqrt() - 1.0;
        assert!(
            (difference(pooled, "mean") - expected).abs() < 1e-9,
            "{pooled}"
        );
        assert!(
            (-0.3..-0.2).contains(&difference(pooled, "typical")),
            "{pooled}"
        );
        assert_eq!(
            (&pooled["base"]["n"], &pooled["candidate"]["n"]),
            (&json!(8), &json!(8))
        );
        assert_ne!(pooled["typical"]["verdict"], "worse", "{pooled}");
        // A plan asks for the runs that the rows ask for.
        let goal = ["plan", "result", "--show", "5%", "--format", "json"];
        let planned = laboratory.call(&goal).code(0).json();
        let runs: Vec<u64> = planned["rows"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|row| row["question"] == "mean")
            .map(|row| row["runs"].as_u64().unwrap())
            .collect();
        assert!(runs[2] < runs[0].max(runs[1]), "{planned}");
    }
}
