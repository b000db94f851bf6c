//! A result with some of its runs: what a report says of the rest, of its blocks and of its control.

use serde_json::Value;

use crate::support::{Laboratory, RUN};

/// Each session makes one run: of three blocks with one run of each variant.
const EXPERIMENT: &str = "[design]\nruns = 3\nblock = 1\nlimit = '1ms'\n\
    [variants.old]\n[variants.new]\n\
    [workloads.w]\nshell = true\ndriver = 'generic'\ncommand = 'sleep 0.002; echo took: 1$$'\n\
    [[workloads.w.metrics]]\nname = 'took'\nunit = 's'\nbetter = 'lower'\nregex = 'took: (.*)'\n";

/// The first runs of the experiment, in `result`.
fn partly(experiment: &str, runs: usize) -> Laboratory {
    let laboratory = Laboratory::new();
    laboratory.run(experiment).code(124);
    for _ in 1..runs {
        laboratory.resume().code(124);
    }
    assert_eq!(laboratory.records().len(), runs);
    laboratory
}

/// The command in back quotes, with the experiment's file.
fn command(text: &str) -> Vec<String> {
    let (_, behind) = text.split_once("`perflab ").unwrap();
    let (command, _) = behind.split_once('`').unwrap();
    let words = shell_words::split(&command.replace('\n', " ")).unwrap();
    let file = |word: String| word.replace("EXP.toml", "exp.toml");
    words.into_iter().map(file).collect()
}

#[test]
fn the_rest_is_made_by_the_command_that_is_printed() {
    let laboratory = partly(EXPERIMENT, 3);
    let said = laboratory.call(&["compare", "result"]);
    let said = said.code(0).prints(&["3 of 6 planned runs recorded"]);
    let command = command(&said.out);
    assert_eq!(command.last().unwrap(), "result", "{}", said.out);
    laboratory.call(&command).code(124);
    assert_eq!(laboratory.records().len(), 4);
    // Pages can be read elsewhere.
    let report = ["report", "result", "-o", "pages", "-q"];
    laboratory.call(&report).code(0);
    let pages = laboratory.read("pages/index.html");
    assert!(pages.contains("perflab run EXP.toml --resume --out RESULT"));
}

#[test]
fn what_is_measured_until_decided_goes_on_by_the_command_that_is_printed() {
    let laboratory = Laboratory::new();
    let experiment = EXPERIMENT.replace("runs = 3", "runs = 10");
    laboratory.write("exp.toml", experiment);
    let until = [&RUN[..], &["--until-decided"]].concat();
    laboratory.call(&until).code(124);
    let said = laboratory.call(&["compare", "result"]).code(4);
    assert!(said.err.contains("run EXP.toml --resume --out RESULT"));
    laboratory.resume().code(124);
    let said = laboratory.call(&["compare", "result"]);
    let command = command(&said.code(0).prints(&["not stopped yet"]).out);
    laboratory.call(&command).code(124);
    assert_eq!(laboratory.records().len(), 3);
}

#[test]
fn blocks_are_those_that_were_measured() {
    let laboratory = partly(EXPERIMENT, 3);
    let text = laboratory.call(&["compare", "result"]).code(0);
    let text = text.prints(&["2 blocks in random order"]);
    assert!(!text.out.contains("3 blocks"), "{}", text.out);
    let said = laboratory.call(&["compare", "result", "--format", "json"]);
    assert_eq!(said.code(0).json()["design"]["blocks"], 2);
}

#[test]
fn a_control_with_too_few_runs_is_no_comfort() {
    let with_control = |runs: u32| {
        let own = format!("runs = {runs}\nblock = {runs}\ncontrol = 'again'");
        let design = EXPERIMENT.replace("runs = 3\nblock = 1\nlimit = '1ms'", &own);
        design.replace("[variants.new]", "[variants.again]\n[variants.new]")
    };
    let laboratory = Laboratory::new();
    laboratory.run(&with_control(1)).code(0);
    laboratory
        .call(&["compare", "result"])
        .code(0)
        .prints(&["control: too few runs to find anything in its own 3 tests"]);
    // The mean of three runs can be proven different, the typical run cannot. One of twenty such controls has a false
    // alarm.
    let has_comfort = |_| {
        let laboratory = Laboratory::new();
        laboratory.run(&with_control(3)).code(0);
        let said = laboratory.call(&["compare", "result", "--gate", "none", "--format", "json"]);
        let report: Value = said.code(0).json();
        assert_eq!(report["control"], "again");
        let said = laboratory.call(&["compare", "result", "--gate", "none"]);
        said.code(0).out.contains(
            "control: nothing found in its own 3 tests, as it should be; 2 of them have too few runs",
        )
    };
    assert!((0..5).any(has_comfort));
}
