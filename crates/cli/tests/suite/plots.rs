//! Plots in the terminal: `--plot` of `compare` and `show`.

use crate::damaged_results::{EXPERIMENT, measured};
use crate::support::Laboratory;

const ALL: &str = "--plot=forest,runs,distribution,quantiles,shift,sweep,chart";

#[test]
fn a_kind_that_draws_nothing_says_why() {
    let laboratory = measured();
    for command in ["compare", "show"] {
        let plain = laboratory.call(&[command, "result"]);
        let said = laboratory
            .call(&[command, "result", "--plot=shift,forest,sweep"])
            .code(plain.code)
            .says(&[
                "--plot=shift drew nothing: no comparison has deciles",
                "--plot=sweep drew nothing: no parameter has several values",
            ])
            .prints(&["time: b against a"]);
        assert!(!said.err.contains("forest"), "{}", said.err);
    }
    let alone = laboratory.call(&["show", "result", "--plot=sweep"]).code(0);
    let without = laboratory.call(&["show", "result"]).code(0);
    assert_eq!(alone.out, without.out);
}

#[test]
fn benchmarks_that_end_in_a_number_are_drawn_over_it() {
    let laboratory = Laboratory::new();
    let tool = "for n in 1 20 400; do echo \"VALUE $((n * $1 + 10)) ns cost read/$n\"; done\n";
    laboratory.program("tool", tool);
    laboratory
        .run(
            r#"[design]
runs = 6
[variants.a]
vars = { times = "1" }
[variants.b]
vars = { times = "2" }
[workloads.w]
driver = "generic"
command = ["{experiment}/tool", "{times}"]
[[workloads.w.metrics]]
name = "cost"
unit = "ns"
better = "lower"
benchmark = "*"
values = true
"#,
        )
        .code(0);
    for command in ["compare", "show"] {
        let plain = laboratory.call(&[command, "result"]);
        laboratory
            .call(&[command, "result", "--plot=chart"])
            .code(plain.code)
            .prints(&["cost (ns): read", "400"]);
    }
    let said = ["--plot=chart drew nothing: no benchmarks are called alike"];
    measured()
        .call(&["show", "result", "--plot=chart"])
        .says(&said);
}

#[test]
fn runs_are_drawn_beside_other_kinds() {
    let laboratory = measured();
    for command in ["compare", "show"] {
        laboratory.call(&[command, "result", ALL]).prints(&[
            "time: b against a",
            "time: every run in order",
            "time: distribution",
            "time: quantiles",
        ]);
    }
}

#[test]
fn a_result_with_nothing_to_compare_is_shown_before_the_reason() {
    let laboratory = Laboratory::new();
    let (_, workload) = EXPERIMENT.split_once("[variants.b]").unwrap();
    let (_, workload) = workload.split_once("[workloads.w]").unwrap();
    let alone = format!(
        "[design]\nruns = 3\n[variants.a]\nvars = {{ base = '10' }}\n[workloads.w]\n{workload}"
    );
    laboratory.run(&alone);
    let shown = laboratory.call(&["show", "result"]).code(0);
    let drawn = laboratory.call(&["show", "result", "--plot"]).code(4);
    assert!(shown.out.contains("3 of 3 runs recorded"), "{}", shown.out);
    assert_eq!(drawn.out, shown.out);
    assert!(drawn.err.contains("error: "), "{}", drawn.err);
}
