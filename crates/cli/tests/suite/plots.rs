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

/// A result with what a tool prints of two variants.
fn charted(tool: &str) -> Laboratory {
    let laboratory = Laboratory::new();
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
    laboratory
}

#[test]
fn benchmarks_that_end_in_a_number_are_drawn_over_it() {
    let tool = "for n in 1 20 400; do echo \"VALUE $((n * $1 + 10)) ns cost read/$n\"; done\n";
    let laboratory = charted(tool);
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
fn charts_that_are_too_large_are_named() {
    let large = "for n in $(seq 201); do echo \"VALUE $((n + $1)) ns cost read/$n\"; done\n";
    let few = "for n in 1 2; do echo \"VALUE $((n * $1)) ns cost few/$n\"; done\n";
    let why = "cost of read is not drawn: it has 201 points and 2 variants, and a chart has at most 200 points and \
               30 variants";
    let terminal = format!("{why}; perflab compare --format csv prints its medians\n");
    let laboratory = charted(&format!("{large}{few}"));
    for command in [
        &["compare", "result", "--plot=chart"][..],
        &["show", "result", "--plot=chart"],
        &["filter", "bench", "--result", "result"],
    ] {
        let said = laboratory.call(command).says(&[&terminal]);
        assert!(said.out.contains("cost (ns): few\n"), "{}", said.out);
        assert!(!said.out.contains("cost (ns): read\n"), "{}", said.out);
    }
    laboratory
        .call(&["report", "result", "-o", "pages"])
        .code(0);
    let page = laboratory.read("pages/charts.html");
    assert!(
        page.contains(&format!("{why}. Its medians are in <a")),
        "{page}"
    );
    assert!(page.contains("cost (ns): few"), "{page}");

    let laboratory = charted(large);
    let said = laboratory.call(&["show", "result", "--plot=chart"]);
    assert_eq!(said.err, terminal);
    laboratory
        .call(&["filter", "bench", "--result", "result"])
        .code(4)
        .says(&[&terminal, "result has no charts to show: all are too large"]);
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
