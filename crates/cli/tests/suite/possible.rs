//! Cells that this machine cannot measure: left out with their reason wherever they would have been shown.

use serde_json::{Value, json};

use crate::support::{Laboratory, RUN, Said, assert_detail};

/// Three variants of which the last cannot be measured. What a run took differs from run to run, always alike.
const EXPERIMENT: &str = r#"
[design]
runs = 8
block = 2
seed = 1
margin = "50%"

[variants.old]
[variants.new]
[variants.gone]

[workloads.w]
driver = "generic"
shell = true
possible = "{experiment}/can {variant}"
command = "n=$(basename {run} | tr -dc 1-9); echo took: 2000.000$((n * 37 % 89 + 100)); echo calls: 3"

[[workloads.w.metrics]]
name = "took"
unit = "s"
better = "lower"
regex = 'took: (.*)'
"#;

/// Says of each variant whether it can be measured, and notes that it was asked.
const CAN: &str = r#"
echo $1 >> "$(dirname $0)/asked"
[ $1 != gone ] || { echo looking; echo "no such CPU"; exit 77; }
"#;

const LEFT_OUT: &str = "not measured here: gone/w: no such CPU";

fn with(can: &str, experiment: &str) -> (Laboratory, Said) {
    let laboratory = Laboratory::new();
    laboratory.program("can", can);
    let said = laboratory.run(experiment);
    (laboratory, said)
}

#[test]
fn it_is_told_wherever_it_would_have_been_shown() {
    let (laboratory, said) = with(CAN, EXPERIMENT);
    said.code(0)
        .says(&[LEFT_OUT, "exp: 16 runs into result", "now: perflab compare"]);
    laboratory.assert_complete(16);
    let plan: Value = serde_json::from_str(&laboratory.read("result/plan.json")).unwrap();
    let cell = json!({"id": "gone/w", "variant": "gone", "workload": "w", "parameters": {}});
    let left_out = json!([{"cell": cell, "reason": "no such CPU"}]);
    assert_eq!(plan["left_out"], left_out);
    assert_eq!(plan["cells"].as_array().unwrap().len(), 2);

    let compare = |flags: &[&str]| laboratory.call(&[&["compare", "result"][..], flags].concat());
    compare(&[]).code(0).prints(&[LEFT_OUT]);
    compare(&["--format", "markdown"])
        .code(0)
        .prints(&[LEFT_OUT]);
    let report = compare(&["--format", "json"]).code(0).json();
    assert_eq!(report["left_out"], left_out);
    let rows = report["rows"].as_array().unwrap();
    assert!(rows.iter().all(|row| row["variant"] == "new"), "{rows:#?}");
    assert!(
        report["warnings"]
            .as_array()
            .unwrap()
            .contains(&LEFT_OUT.into())
    );
    let table = compare(&["--format", "csv"]).code(0).says(&[LEFT_OUT]);
    assert!(!table.out.contains("gone"), "{}", table.out);
    compare(&["--baseline", "gone"])
        .code(4)
        .says(&["`gone` was not measured here, so there is nothing to compare: no such CPU"]);
    laboratory
        .call(&["show", "result"])
        .code(0)
        .prints(&[LEFT_OUT]);
    let twice = ["compare", "a=result", "b=result", "--gate", "none"];
    let told = ["a: ", "b: "].map(|of| format!("{of}{LEFT_OUT}"));
    laboratory
        .call(&twice)
        .code(0)
        .prints(&[&told[0], &told[1]]);
    laboratory
        .call(&["report", "result", "-o", "pages", "-q"])
        .code(0);
    assert!(laboratory.read("pages/index.html").contains(LEFT_OUT));
}

#[test]
fn where_nothing_is_left_out_nothing_is_said() {
    let (laboratory, said) = with("", EXPERIMENT);
    let said = said.code(0);
    assert!(!said.err.contains("not measured"), "{}", said.err);
    assert!(!laboratory.read("result/plan.json").contains("left_out"));
    let compare = ["compare", "result", "--format", "json", "--gate", "none"];
    let report = laboratory.call(&compare).code(0).json();
    assert_eq!(report["left_out"], json!([]));
}

#[test]
fn each_question_is_asked_once_and_not_again_by_resume() {
    let experiment = EXPERIMENT
        .replace(
            "runs = 8\nblock = 2",
            "runs = 2\nblock = 1\nlimit = \"1ms\"",
        )
        .replace("echo calls: 3", "sleep 0.002; true {n}")
        + "\n[parameters]\nn = [1, 2]\n";
    let (laboratory, said) = with(CAN, &experiment);
    said.code(124).says(&[
        "not measured here: gone/w/n=1, gone/w/n=2: no such CPU",
        "exp: 8 runs into result",
    ]);
    let asked = laboratory.read("asked");
    assert_eq!(asked.lines().count(), 3, "{asked}");
    laboratory.program("can", "exit 1");
    for _ in 2..8 {
        laboratory.resume().code(124);
    }
    laboratory.resume().code(0);
    laboratory.assert_complete(8);
    assert_eq!(laboratory.read("asked"), asked);
}

#[test]
fn a_plan_that_is_only_printed_asks_nothing() {
    let laboratory = Laboratory::new();
    laboratory.program("can", CAN);
    laboratory.write("exp.toml", EXPERIMENT);
    laboratory
        .call(&["run", "exp.toml", "--dry-run"])
        .code(0)
        .prints(&["before the first run w is asked which of its cells can be measured here"]);
    assert_eq!(laboratory.read("asked"), "");
}

#[test]
fn what_a_cell_that_is_left_out_needs_is_not_looked_for() {
    let gone = "[variants.gone]\nstart = [\"no-such-tool-here\"]\n";
    let experiment = EXPERIMENT.replace("[variants.gone]\n", gone);
    let (laboratory, said) = with(CAN, &experiment);
    said.code(0).says(&[LEFT_OUT]);
    laboratory.assert_complete(16);
    let (_, said) = with("", &experiment);
    said.code(5).says(&["cannot start `no-such-tool-here`"]);
}

#[test]
fn no_answer_is_no_measurement() {
    let missing = EXPERIMENT.replace("/can {variant}", "/cannot");
    for (can, experiment, words) in [
        (
            "echo usage: can >&2; exit 2",
            EXPERIMENT,
            "old/w: the possible command ended with exit code 2, expected 0, or 77 and the reason; it said last: \
             usage: can",
        ),
        (
            CAN,
            &missing,
            "old/w: the possible command ended with exit code 127",
        ),
    ] {
        let (laboratory, said) = with(can, experiment);
        said.code(5).says(&[
            "whether each cell can be measured here is not known, so nothing was run:",
            words,
        ]);
        assert!(!laboratory.path("result").exists());
    }
}

#[test]
fn nothing_is_measured_that_could_be_compared_with_nothing() {
    let without =
        |variants: &str| format!("case $1 in {variants}) echo no such CPU; exit 77 ;; esac");
    let control = EXPERIMENT
        .replace("seed = 1", "seed = 1\ncontrol = \"again\"")
        .replace("[variants.new]", "[variants.again]\n[variants.new]");
    for (variants, experiment, words) in [
        (
            "old",
            EXPERIMENT,
            "the baseline cannot be measured here, and other variants can, so nothing was run: old/w: no such CPU; \
             choose another `baseline` in [design]",
        ),
        (
            "again",
            &control,
            "the control cannot be measured here, and other variants can, so nothing was run: again/w: no such CPU; \
             choose another `control` in [design]",
        ),
        (
            "*",
            EXPERIMENT,
            "no cell can be measured here, so nothing was run:\n  not measured here: old/w, new/w, gone/w: no such CPU",
        ),
    ] {
        let (laboratory, said) = with(&without(variants), experiment);
        said.code(5).says(&[words]);
        assert!(!laboratory.path("result").exists());
    }
    // The baseline alone can be measured, or left out where nothing else is.
    let (laboratory, said) = with(&without("new|gone"), EXPERIMENT);
    said.code(0).says(&["now: perflab show"]);
    laboratory
        .call(&["compare", "result"])
        .code(4)
        .says(&["`new` was not measured here, so there is nothing to compare: no such CPU"]);
    let two = EXPERIMENT
        .replace("/can {variant}", "/can {n}")
        .replace("echo calls", "echo {n} calls")
        + "\n[parameters]\nn = [1, 2]\n";
    let (laboratory, said) = with(&without("2"), &two);
    said.code(0)
        .says(&["not measured here: old/w/n=2, new/w/n=2, gone/w/n=2: no such CPU"]);
    laboratory.assert_complete(24);
}

#[test]
fn a_run_whose_evidence_is_missing_or_out_of_bounds_has_no_number() {
    let evidence =
        "\n[[workloads.w.evidence]]\nname = \"calls\"\nregex = 'calls: ([0-9]+)'\nat_least = 1\n";
    let experiment = EXPERIMENT.to_owned() + evidence;
    let (laboratory, said) = with(CAN, &experiment);
    said.code(0);
    for record in laboratory.records() {
        assert_eq!(record["evidence"]["calls"], 3.0);
    }
    let shown = laboratory.call(&["show", "result", "--run", "1"]).code(0);
    shown.prints(&["evidence: calls 3"]);
    for (from, to, words) in [
        (
            "echo calls: 3",
            "echo calls: 0",
            "evidence calls is 0, expected at least 1",
        ),
        (
            "; echo calls: 3",
            "",
            "stdout: expected exactly one value of `calls` (regular expression `calls: ([0-9]+)`), the evidence \
             `calls`, found none; stdout ends with `took: 2000.",
        ),
    ] {
        let (laboratory, said) = with(CAN, &experiment.replace(from, to));
        said.code(4)
            .says(&["failed 3 times in a row and never passed: FAIL: ", words]);
        for record in laboratory.records() {
            assert_detail(&record, "FAIL", &[words]);
        }
    }
}

#[test]
fn evidence_can_be_asked_of_any_driver() {
    let laboratory = Laboratory::new();
    let experiment = |calls: u32| {
        format!(
            "[design]\nruns = 1\nblock = 1\n[variants.a]\n[workloads.w]\ndriver = 'command'\n\
             command = ['echo', 'VALUE {calls} 1/s calls']\n\
             evidence = [{{ name = 'calls', values = true, at_most = 5 }}]\n"
        )
    };
    laboratory.run(&experiment(5)).code(0);
    assert_eq!(laboratory.record()["evidence"]["calls"], 5.0);
    laboratory.write("exp.toml", experiment(6));
    laboratory.call(&[&RUN[..3], &["second"]].concat()).code(4);
    let record = laboratory.read("second/runs.jsonl");
    assert!(
        record.contains("evidence calls is 6, expected at most 5"),
        "{record}"
    );
}
