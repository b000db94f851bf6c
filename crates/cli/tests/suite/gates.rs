//! What `perflab compare --gate` says to a script.

use crate::plain_files::{scattered, with_good, write};
use crate::support::{Laboratory, Said};

/// Compares `good` with another file.
fn gate(laboratory: &Laboratory, other: &str, arguments: &[&str]) -> Said {
    let files = ["compare", "a=good", &format!("b={other}")];
    laboratory.call(&[&files, arguments].concat())
}

/// A laboratory with the files `good`, `alike`, `slower` and `faster`.
fn laboratory() -> Laboratory {
    let laboratory = with_good();
    write(&laboratory, "alike", &scattered(36, 100.02, 2.0)[6..]);
    write(&laboratory, "slower", &scattered(30, 105.0, 2.0));
    write(&laboratory, "faster", &scattered(30, 95.0, 2.0));
    laboratory
}

#[test]
fn a_proven_regression_is_1_and_only_that() {
    let laboratory = laboratory();
    gate(&laboratory, "slower", &[]).code(1).prints(&["worse"]);
    gate(&laboratory, "slower", &["--gate", "regression"]).code(1);
    gate(&laboratory, "faster", &[]).code(0).prints(&["better"]);
    gate(&laboratory, "alike", &[])
        .code(0)
        .prints(&["not proven"]);
}

#[test]
fn which_way_is_worse_depends_on_the_metric() {
    let laboratory = laboratory();
    gate(&laboratory, "slower", &["--better", "higher"]).code(0);
    gate(&laboratory, "faster", &["--better", "higher"]).code(1);
}

#[test]
fn no_gate_is_0_whatever_is_proven() {
    gate(&laboratory(), "slower", &["--gate", "none"])
        .code(0)
        .prints(&["worse"]);
}

#[test]
fn sameness_has_to_be_shown() {
    let laboratory = laboratory();
    let same = |other, margin| gate(&laboratory, other, &["--gate", "same", "--margin", margin]);
    same("alike", "3%").code(0).prints(&["same", "within 3%"]);
    same("alike", "0.1%").code(3).prints(&["not proven"]);
    same("slower", "1%").code(3);
    same("faster", "1%").code(3);
    // A difference can be proven and yet lie within the margin.
    same("slower", "20%").code(0);
}

#[test]
fn sameness_without_a_margin_is_no_question() {
    let laboratory = laboratory();
    let said = gate(&laboratory, "alike", &["--gate", "same"])
        .code(2)
        .says(&["--margin", "1%"]);
    assert!(said.out.is_empty(), "{}", said.out);
}

#[test]
fn the_format_does_not_change_the_code() {
    let laboratory = laboratory();
    for format in ["text", "json", "csv", "markdown"] {
        let said = gate(&laboratory, "slower", &["--format", format]).code(1);
        assert!(!said.out.is_empty() && said.err.is_empty(), "{said:?}");
    }
}

#[test]
fn a_recorded_experiment_passes_through_the_same_gates() {
    let laboratory = Laboratory::new();
    laboratory
        .run(
            "[design]\nruns = 9\n[variants.a]\nvars = { base = '100' }\n\
             [variants.b]\nvars = { base = '200' }\n\
             [workloads.w]\ndriver = 'generic'\nshell = true\ncommand = 'echo rate: $(({base} + $$ % 7))'\n\
             [[workloads.w.metrics]]\nname = 'rate'\nunit = '1/s'\nbetter = 'higher'\nregex = 'rate: (.*)'\n",
        )
        .code(0);
    laboratory
        .call(&["compare", "result"])
        .code(0)
        .prints(&["faster"]);
    laboratory
        .call(&["compare", "result", "--baseline", "b"])
        .code(1)
        .prints(&["slower"]);
    let same = ["compare", "result", "--gate", "same", "--margin", "1%"];
    laboratory.call(&same).code(3);
    for (flag, name) in [
        ("--metric", "rat"),
        ("--benchmark", "GET"),
        ("--baseline", "c"),
    ] {
        laboratory
            .call(&["compare", "result", flag, name])
            .code(2)
            .says(&[name]);
    }
}
