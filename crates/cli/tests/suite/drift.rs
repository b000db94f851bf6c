//! Drift from block to block: found where a command really gets slower, and not looked for where
//! nothing is known of the order.

use serde_json::Value;

use crate::plain_files::{scattered, write};
use crate::support::Laboratory;

/// The report of a bench of two commands, one of which takes longer each time.
fn bench(arguments: &[&str]) -> (String, Value) {
    let laboratory = Laboratory::new();
    laboratory.program(
        "slower",
        // Steps that stand out beside delays of a busy machine.
        "echo >> count; set -- 0.05 0.08 0.13 0.2 0.33 0.52 0.84 1.3; \
         shift $(($(wc -l < count) - 1)); sleep $1",
    );
    let slower = laboratory.path("slower");
    let fixed = [
        "bench",
        "-N",
        "--runs=8",
        "--block=1",
        "--export-report=report.json",
        "sleep 0.3",
        slower.to_str().unwrap(),
    ];
    let said = laboratory.call(&[&fixed[..], arguments].concat()).code(0);
    let report = serde_json::from_str(&laboratory.read("report.json")).unwrap();
    (said.out, report)
}

#[test]
fn a_command_that_gets_slower_is_found_out() {
    let (out, report) = bench(&[]);
    assert!(out.contains("the difference itself changed: "), "{out}");
    let drift = &report["rows"][0]["drift"]["difference"];
    assert_eq!(drift["blocks"].as_array().unwrap().len(), 8);
    assert!(drift["change"].as_f64().unwrap() > 1.0, "{drift}");
    assert!(drift["p_adjusted"].as_f64().unwrap() < 0.01, "{drift}");
}

#[test]
fn commands_one_after_the_other_have_no_blocks_in_common() {
    let (out, report) = bench(&["--order=sequential"]);
    assert!(!out.contains("changed: "), "{out}");
    assert_eq!(report["rows"][0]["drift"], Value::Null);
}

#[test]
fn nothing_is_known_of_the_order_of_plain_files() {
    let laboratory = Laboratory::new();
    write(&laboratory, "a", &scattered(30, 100.0, 2.0));
    write(&laboratory, "b", &scattered(30, 101.0, 2.0));
    let plain = ["compare", "a=a", "b=b", "--drift", "--gate", "none"];
    laboratory.call(&plain).code(0).prints(&[
        "drift, from the first block to the last",
        "so nothing can be said of drift",
    ]);
    let markdown = [&plain[..], &["--format", "markdown"]].concat();
    laboratory
        .call(&markdown)
        .code(0)
        .prints(&["#### Drift", "nothing can be said of drift"]);
}

#[test]
fn nothing_is_known_of_the_order_of_an_import() {
    let laboratory = Laboratory::new();
    for name in ["old", "new"] {
        let lines = scattered(10, 100.0, 2.0);
        let lines = lines
            .iter()
            .map(|value| format!("BenchmarkA-8 100 {value} ns/op\n"));
        let text = format!("goos: linux\n{}PASS\n", lines.collect::<String>());
        laboratory.write(&format!("{name}.txt"), text);
    }
    let import = [
        "import",
        "old.txt",
        "new.txt",
        "--out",
        "go",
        "--independent",
    ];
    laboratory.call(&import).code(0);
    laboratory
        .call(&["compare", "go", "--drift", "--gate", "none"])
        .code(0)
        .prints(&["nothing can be said of drift"]);
}
