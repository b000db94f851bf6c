//! Failures that go on and on stop an experiment; failures now and then are counted.

use serde_json::Value;

use crate::support::Laboratory;

/// Passes, and fails on every third call; either way it prints a number.
const FLAKY: &str = r#"
echo x >> {experiment}/calls
calls=$(wc -l < {experiment}/calls)
if [ $((calls % 3)) = 0 ]; then echo VALUE 1e9 s time; exit 1; fi
echo VALUE $((10 + calls % 2)) s time
"#;

fn experiment(runs: u32, commands: [&str; 2]) -> String {
    let [a, b] = commands;
    format!(
        "[design]\nruns = {runs}\n[variants.a]\nvars = {{ what = '''{a}''' }}\n\
         [variants.b]\nvars = {{ what = '''{b}''' }}\n\
         [workloads.w]\ndriver = 'generic'\nshell = true\ncommand = '{{what}}'\n\
         [[workloads.w.metrics]]\nname = 'time'\nunit = 's'\nbetter = 'lower'\nvalues = true\n"
    )
}

#[test]
fn a_cell_that_never_passes_stops_the_experiment() {
    let laboratory = Laboratory::new();
    let said = laboratory
        .run(&experiment(
            30,
            ["echo VALUE 10 s time", "echo broken >&2; exit 5"],
        ))
        .code(4)
        .says(&[
            "b/w failed 3 times in a row and never passed: EXIT",
            "exit code 5",
            "broken",
        ])
        .says(&["raw output is below result/runs", "b/w: EXIT as in run "]);
    // Once of the first run, once of the end.
    assert_eq!(said.err.matches("broken").count(), 2, "{}", said.err);
    let records = laboratory.records();
    assert!(records.len() < 60, "it went on to the end");
    let failed = records
        .iter()
        .filter(|record| record["cell"] == "b/w")
        .count();
    assert_eq!(failed, 3);
    assert_eq!(records.last().unwrap()["cell"], "b/w");

    // Going on tries again, as what was wrong may be repaired.
    laboratory
        .resume()
        .code(4)
        .says(&["failed 3 times in a row"]);
    let failed = laboratory
        .records()
        .iter()
        .filter(|record| record["cell"] == "b/w")
        .count();
    assert_eq!(failed, 6);
}

#[test]
fn a_variant_that_fails_now_and_then_is_counted_and_gives_no_number_then() {
    let laboratory = Laboratory::new();
    laboratory
        .run(&experiment(
            18,
            ["echo VALUE $(($$ % 5 + 1)) s time", FLAKY],
        ))
        .code(0)
        .says(&[
            "36 runs recorded, 6 of them failed",
            "EXIT the workload ended with exit code 1",
        ]);
    for record in laboratory.records() {
        let none = record["samples"] == Value::Array(Vec::new());
        assert_eq!(none, record["status"] != "PASS", "{record:#}");
    }

    let said = laboratory
        .call(&["compare", "result", "--gate", "none"])
        .code(0);
    said.prints(&["6 EXIT"]);
    let said = laboratory
        .call(&["compare", "result", "--gate", "none", "--format", "json"])
        .code(0);
    let report = said.json();
    assert_eq!(report["name"], "exp");
    assert_eq!(report["design"]["failed"], serde_json::json!({ "EXIT": 6 }));
    let candidate = &report["rows"][0]["candidate"];
    assert_eq!(candidate["n"], 12, "{candidate:#}");
    assert!(candidate["max"].as_f64().unwrap() <= 11.0, "{candidate:#}");
    laboratory
        .call(&["show", "result"])
        .code(0)
        .prints(&["b/w: ", "12 PASS", "6 EXIT"]);
}
