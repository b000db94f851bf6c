//! Measuring until every comparison is decided: when it ends, what it then proves, how it goes on.

use std::fs;

use rustix::process::Signal;
use serde_json::Value;

use crate::support::{Laboratory, RUN, Said, signal};

const UNTIL: [&str; 1] = ["--until-decided"];

/// Every run prints a number; those of a variant lie around its level, scattered by half a per cent.
fn experiment(design: &str, levels: &[(&str, u32)]) -> String {
    let variants: String = levels
        .iter()
        .map(|(name, level)| format!("[variants.{name}]\nvars = {{ level = '{level}' }}\n"))
        .collect();
    format!(
        "[design]\nseed = 4\nruns = 30\n{design}\n{variants}[workloads.w]\ndriver = 'generic'\n\
         command = ['{{experiment}}/tool', '{{experiment}}', '{{level}}']\n\
         [[workloads.w.metrics]]\nname = 'rate'\nunit = '1/s'\nbetter = 'higher'\nvalues = true\n"
    )
}

/// Prints the level, give or take half a per cent, by the number of the execution.
const TOOL: &str = "echo >> $1/log\nn=$(wc -l < $1/log)\n\
echo VALUE $(( $2 * 1000 + ($n * 7919 + $n * $n * 31) % 101 * $2 / 10 )) 1/s rate\n";

fn laboratory() -> Laboratory {
    let laboratory = Laboratory::new();
    laboratory.program("tool", TOOL);
    laboratory
}

fn run(laboratory: &Laboratory, experiment: &str, flags: &[&str]) -> Said {
    laboratory.write("exp.toml", experiment);
    laboratory.call(&[&RUN[..], &UNTIL, flags].concat())
}

fn compare(laboratory: &Laboratory, flags: &[&str]) -> Said {
    laboratory.call(&[&["compare", "result"], flags].concat())
}

fn report(laboratory: &Laboratory) -> Value {
    compare(laboratory, &["--gate", "none", "--format", "json"]).json()
}

#[test]
fn a_difference_ends_it_early() {
    let laboratory = laboratory();
    run(&laboratory, &experiment("", &[("a", 100), ("b", 103)]), &[])
        .code(0)
        .says(&["stopped after 3 of at most 10 blocks: every comparison is decided"]);
    assert_eq!(laboratory.records().len(), 18);
    laboratory
        .read("result/stopped.json")
        .contains("\"reason\":\"decided\",\"blocks\":3")
        .then_some(())
        .unwrap();
    assert!(
        laboratory
            .read("result/meta.json")
            .contains("\"until_decided\":{}")
    );

    compare(&laboratory, &[]).code(0).prints(&[
        "stopped after 3 of at most 10 blocks",
        "3 blocks in random order",
        "typical run faster",
        "hold whenever one stops",
    ]);
    let report = report(&laboratory);
    assert_eq!(report["design"]["until_decided"]["stopped"], "decided");
    assert_eq!(report["tests"], 1);
    let row = &report["rows"][0];
    assert_eq!(row["typical"]["verdict"], "better");
    let low = row["typical"]["low"].as_f64().unwrap();
    assert!(low > 0.0 && low < 0.03, "{low}");
    // Nothing that is for a fixed number of runs.
    assert_eq!(row["mean"]["verdict"], "not-proven");
    for absent in ["low", "high", "p_adjusted"] {
        assert_eq!(row["mean"][absent], Value::Null, "{absent}");
    }
    assert_eq!(row["mean"]["p"], 1.0);
    assert_eq!(row["mde"], Value::Null);
    let detail = compare(&laboratory, &["--detail"]).code(0);
    detail.prints(&["ministat is not asked", "not tested"]);
    let refused = "no deciles: results may have ended the measurement";
    for flag in ["--deciles", "--plot=shift"] {
        let said = compare(&laboratory, &[flag]).code(0).prints(&[refused]);
        assert!(!said.out.contains("p of 9"), "{}", said.out);
        assert!(!said.out.contains("at each decile"), "{}", said.out);
    }
}

#[test]
fn the_gate_decides_the_exit_code() {
    let slower = experiment("", &[("a", 100), ("b", 97)]);
    run(&laboratory(), &slower, &[]).code(1);
    run(&laboratory(), &slower, &["--gate", "none"]).code(0);
    let margin = experiment("margin = '2%'", &[("a", 100), ("b", 103)]);
    run(&laboratory(), &margin, &["--gate", "same"]).code(3);
}

#[test]
fn sameness_within_the_margin_ends_it_too() {
    let laboratory = laboratory();
    run(
        &laboratory,
        &experiment("margin = '5%'", &[("a", 100), ("b", 100)]),
        &["--gate", "same"],
    )
    .code(0)
    .says(&["every comparison is decided"]);
    assert!(laboratory.records().len() < 60);
    assert_eq!(report(&laboratory)["rows"][0]["typical"]["verdict"], "same");
}

#[test]
fn it_goes_on_while_any_comparison_is_open_but_for_the_control() {
    let laboratory = laboratory();
    let levels = [("a", 100), ("again", 100), ("b", 103), ("c", 100)];
    let all = experiment("control = 'again'", &levels);
    run(&laboratory, &all, &["--max-runs", "12"])
        .code(0)
        .says(&["all 4 blocks measured: not every comparison is decided"]);
    assert_eq!(laboratory.records().len(), 48);
    assert_eq!(
        report(&laboratory)["design"]["until_decided"]["stopped"],
        "runs"
    );

    let laboratory = self::laboratory();
    let decided = experiment("control = 'again'", &levels[..3]);
    run(&laboratory, &decided, &[])
        .code(0)
        .says(&["every comparison is decided"]);
    assert!(laboratory.records().len() < 90);
}

#[test]
fn a_budget_ends_it_between_blocks() {
    let laboratory = laboratory();
    let equal = experiment("", &[("a", 100), ("b", 100)]);
    run(&laboratory, &equal, &["--budget", "1ms"])
        .code(0)
        .says(&["stopped after 1 of at most 10 blocks: the time budget is used up"]);
    assert_eq!(laboratory.records().len(), 6);
    assert!(
        laboratory
            .read("result/meta.json")
            .contains("\"budget_ms\":1")
    );
    compare(&laboratory, &[])
        .code(0)
        .prints(&["the time budget is used up"]);
    // The budget is for each session, and each gets on by a block.
    laboratory.resume().code(0).says(&["stopped after 2 of"]);
    assert_eq!(laboratory.records().len(), 12);
}

#[test]
fn a_number_of_runs_that_can_just_decide_does() {
    let laboratory = laboratory();
    let far = experiment("", &[("a", 100), ("b", 200)]);
    run(&laboratory, &far, &["--max-runs", "9", "--budget", "30min"])
        .code(0)
        .says(&["every comparison is decided"]);
    let laboratory = self::laboratory();
    let equal = experiment("margin = '90%'", &[("a", 100), ("b", 100)]);
    run(&laboratory, &equal, &["--max-runs", "9"])
        .code(0)
        .says(&["every comparison is decided"]);
    let laboratory = self::laboratory();
    run(&laboratory, &equal, &["--max-runs", "6"])
        .code(2)
        .says(&["can decide nothing"]);
}

#[test]
fn going_on_follows_the_rule_that_it_was_begun_with() {
    let laboratory = laboratory();
    let differing = experiment("", &[("a", 100), ("b", 103)]);
    run(&laboratory, &differing, &[]).code(0);
    let whole = laboratory.read("result/runs.jsonl");
    let executed = laboratory.read("log").lines().count();
    // Decided is decided.
    laboratory
        .resume()
        .code(0)
        .says(&["every comparison is decided"]);
    assert_eq!(laboratory.read("log").lines().count(), executed);

    // As if killed in the third block: the blocks before are not yet enough.
    let cut: String = whole
        .lines()
        .take(14)
        .map(|line| format!("{line}\n"))
        .collect();
    laboratory.write("result/runs.jsonl", cut);
    for run in 15..=whole.lines().count() {
        fs::remove_dir_all(laboratory.path(&format!("result/runs/{run:06}"))).unwrap();
    }
    fs::remove_file(laboratory.path("result/stopped.json")).unwrap();
    compare(&laboratory, &[]).code(0).prints(&[
        "not stopped yet, after 2 of at most 10 blocks",
        "6 runs each",
        "not proven",
    ]);
    laboratory
        .resume()
        .code(0)
        .says(&["every comparison is decided"]);
    let report = report(&laboratory);
    assert_eq!(report["design"]["until_decided"]["stopped"], "decided");
    assert_eq!(laboratory.records().len() % 6, 0);
}

#[test]
fn a_note_from_before_it_went_on_says_nothing() {
    let laboratory = laboratory();
    let differing = experiment("", &[("a", 100), ("b", 103)]);
    run(&laboratory, &differing, &["--budget", "1ms"]).code(0);
    let note = laboratory.read("result/stopped.json");
    laboratory.resume();
    compare(&laboratory, &[]).prints(&["stopped after 2 of"]);
    laboratory.write("result/stopped.json", &note);
    compare(&laboratory, &[]).prints(&["not stopped yet, after 2 of"]);
    laboratory.write(
        "result/stopped.json",
        note.replace("\"blocks\":1", "\"blocks\":0"),
    );
    compare(&laboratory, &[]).code(4).says(&["stopped.json"]);
    laboratory.write("result/stopped.json", "");
    compare(&laboratory, &[]).code(4).says(&["stopped.json"]);
    fs::remove_file(laboratory.path("result/stopped.json")).unwrap();
    compare(&laboratory, &[])
        .code(0)
        .prints(&["not stopped yet"]);
}

#[test]
fn a_result_with_a_fixed_number_of_runs_keeps_it() {
    let laboratory = laboratory();
    let differing = experiment("", &[("a", 100), ("b", 103)]);
    laboratory.run(&differing).code(0);
    assert_eq!(laboratory.records().len(), 60);
    laboratory
        .call(&[&RUN[..], &["--resume"], &UNTIL].concat())
        .code(2)
        .says(&["fixed number of runs"]);
}

#[test]
fn means_cannot_be_tested_afterwards() {
    let laboratory = laboratory();
    run(&laboratory, &experiment("", &[("a", 100), ("b", 103)]), &[]).code(0);
    compare(&laboratory, &["--questions", "mean"])
        .code(2)
        .says(&["measured until decided"]);
}

#[test]
fn flags_of_run_that_make_no_sense() {
    let laboratory = laboratory();
    let two = experiment("", &[("a", 100), ("b", 100)]);
    let one = experiment("", &[("a", 100)]);
    let three = experiment("", &[("a", 100), ("b", 100), ("c", 100)]);
    let rebuilt =
        "[variants.a.build]\ncommand = ['true']\n[variants.b.build]\ncommand = ['true']\n";
    let rebuilt = experiment("refresh = 'rebuild'", &[("a", 100), ("b", 100)]) + rebuilt;
    let control = experiment("control = 'again'", &[("a", 100), ("again", 100)]);
    for (experiment, flags, words) in [
        (&two, &["--runs", "6"][..], "cannot be used with"),
        (&two, &["--max-runs", "7"], "--max-runs: 7 runs"),
        (
            &two,
            &["--max-runs", "6"],
            "at most 2 blocks of 3 runs each can decide nothing",
        ),
        (
            &three,
            &["--max-runs", "6"],
            "2 comparisons at 95% confidence take",
        ),
        (
            &rebuilt,
            &["--max-runs", "9"],
            "at least 10 blocks; give --max-runs 30",
        ),
        (&two, &["--budget", "soon"], "--budget"),
        (&two, &["--budget", "0s"], "--budget"),
        (&two, &["--gate", "same"], "needs a margin"),
        (&one, &[], "found no other variant"),
        (&control, &[], "found no other variant"),
    ] {
        run(&laboratory, experiment, flags).code(2).says(&[words]);
    }
    laboratory.write("exp.toml", &two);
    for flag in [["--max-runs", "6"], ["--budget", "1s"], ["--gate", "none"]] {
        laboratory
            .call(&[&RUN[..], &flag].concat())
            .code(2)
            .says(&["--until-decided"]);
        // What rules --until-decided out does not make them pass.
        laboratory
            .call(&[&RUN[..], &["--runs", "3"], &flag].concat())
            .code(2)
            .says(&[flag[0]]);
    }
    assert!(!laboratory.path("result").exists());
}

#[test]
fn bench_ends_when_it_is_decided() {
    let laboratory = Laboratory::new();
    let bench = [
        "bench",
        "-N",
        "--until-decided",
        "--export-report",
        "report",
    ];
    let call = |flags: &[&str], commands: &[&str]| {
        laboratory.call(&[&bench[..], flags, commands].concat())
    };
    call(&[], &["sleep 0.01", "sleep 0.15"])
        .code(1)
        .prints(&["of at most 10 blocks: every comparison is decided"]);
    let report: Value = serde_json::from_str(&laboratory.read("report")).unwrap();
    let until = &report["design"]["until_decided"];
    assert_eq!(until["stopped"], "decided");
    assert!(until["blocks"].as_u64().unwrap() <= 6, "{until}");
    assert_eq!(report["rows"][0]["mean"]["low"], Value::Null);

    call(&[], &["sleep 0.15", "sleep 0.01"]).code(0);
    call(&["--gate", "none"], &["sleep 0.01", "sleep 0.15"]).code(0);
    call(&["--max-runs", "7"], &["true", "true"])
        .code(0)
        .prints(&["all 3 blocks measured", "7 runs each"]);
    call(&["--budget", "1ms"], &["true", "true"])
        .code(0)
        .prints(&["stopped after 1 of at most 10 blocks: the time budget is used up"]);
    call(&["--min-runs", "24"], &["sleep 0.001", "sleep 0.15"])
        .code(1)
        .prints(&["stopped after 8 of at most 10 blocks"]);
}

#[test]
fn flags_of_bench_that_make_no_sense() {
    let laboratory = Laboratory::new();
    for (arguments, words) in [
        (&["--until-decided", "true"][..], "found only one"),
        (
            &["--until-decided", "--max-runs", "4", "true", "true"],
            "at least 3 blocks; give --max-runs 9",
        ),
        (
            &["--until-decided", "-r", "5", "true", "true"],
            "cannot be used with",
        ),
        (
            &["--until-decided", "--order", "sequential", "true", "true"],
            "random order",
        ),
        (
            &["--until-decided", "-m", "40", "true", "true"],
            "more than the 30 runs",
        ),
        (
            &["--until-decided", "--gate", "same", "true", "true"],
            "needs a margin",
        ),
        (
            &["--until-decided", "--budget", "never", "true", "true"],
            "--budget",
        ),
        (&["--budget", "1s", "true", "true"], "--until-decided"),
        (&["--gate", "none", "true", "true"], "--until-decided"),
        (
            &["-r", "3", "--gate", "none", "true", "true"],
            "--gate does nothing without --until-decided",
        ),
        (
            &["-r", "3", "--budget", "1s", "true", "true"],
            "--budget does nothing without --until-decided",
        ),
    ] {
        laboratory
            .call(&[&["bench"], arguments].concat())
            .code(2)
            .says(&[words]);
    }
}

/// A block under way does not count, and runs that passed are there all the same.
#[test]
fn a_first_block_that_is_not_complete_is_said_to_be() {
    let laboratory = laboratory();
    laboratory.program(
        "tool",
        "echo >> $1/log\nif [ $(wc -l < $1/log) -gt 4 ]; then touch $1/held; exec sleep 3600; fi\n\
         echo VALUE $2 1/s rate\n",
    );
    laboratory.write("exp.toml", experiment("", &[("a", 100), ("b", 103)]));
    let running = laboratory.start(&[&RUN[..], &UNTIL].concat());
    laboratory.await_file("held");
    signal(running.pid(), Signal::INT);
    running.end().code(130);
    assert_eq!(laboratory.records().len(), 4);
    let says = [
        "no block is complete yet",
        "4 runs that passed",
        "perflab run EXP.toml --resume --out RESULT",
    ];
    for flags in [&["--gate", "none"][..], &["--format", "json"]] {
        let said = compare(&laboratory, flags).code(4).says(&says);
        assert!(!said.err.contains("no run that passed"), "{}", said.err);
    }
    laboratory
        .call(&["report", "result", "-o", "pages", "-q"])
        .code(0);
    assert!(laboratory.read("pages/index.html").contains(says[0]));
    for arguments in [
        &["plan", "result"][..],
        &["show", "result", "--plot", "forest"],
    ] {
        let said = laboratory.call(arguments);
        assert!(!said.err.contains("no run that passed"), "{}", said.err);
    }
}

#[test]
fn what_one_variant_does_not_report_passes_no_gate() {
    let laboratory = laboratory();
    // The second variant prints one metric only.
    laboratory.program(
        "tool",
        &format!("{TOOL}[ $2 = 103 ] || echo VALUE $(( $n * 7919 % 101 )) ms other\n"),
    );
    let text = experiment("metrics = ['rate', 'other']", &[("a", 100), ("b", 103)])
        .replace("name = 'rate'\nunit = '1/s'", "name = '*'\nunit = ''");
    run(&laboratory, &text, &[]).code(4).says(&[
        "every comparison is decided",
        "a has runs of it, b has none",
    ]);
    compare(&laboratory, &[]).code(4);
}
