//! Going on with an experiment: only under the same conditions, and never twice.

use std::fs;

use crate::many_samples::crc;
use crate::support::{Laboratory, RUN, Said};

const EXPERIMENT: &str = r#"
[design]
runs = 3

[variants.a]

[workloads.w]
driver = "command"
command = ["{experiment}/tool", "{experiment}"]
"#;

const TOOL: &str = "echo >> $1/log\n[ ! -e $1/stop ] || exit 3\n";

/// A laboratory whose experiment ended early, with some runs left.
fn begun() -> Laboratory {
    let laboratory = Laboratory::new();
    laboratory.program("tool", TOOL);
    laboratory.run(EXPERIMENT).code(0);
    let whole = laboratory.read("result/runs.jsonl");
    let first = whole.find('\n').unwrap();
    laboratory.write("result/runs.jsonl", &whole[..=first]);
    for run in ["000002", "000003"] {
        fs::remove_dir_all(laboratory.path("result/runs").join(run)).unwrap();
    }
    laboratory
}

#[test]
fn what_is_left_is_run() {
    let laboratory = begun();
    laboratory.resume().code(0);
    laboratory.assert_complete(3);
    assert_eq!(laboratory.read("log").lines().count(), 5);
}

#[test]
fn a_complete_result_is_left_alone() {
    let laboratory = begun();
    laboratory.resume().code(0);
    let before = laboratory.read("result/runs.jsonl");
    let executed = laboratory.read("log");
    laboratory
        .resume()
        .code(0)
        .says(&["3 runs recorded, 0 of them failed"]);
    assert_eq!(laboratory.read("result/runs.jsonl"), before);
    assert_eq!(
        laboratory.read("log"),
        executed,
        "a recorded run was executed again"
    );
}

#[test]
fn another_experiment_file() {
    let laboratory = begun();
    laboratory.write("exp.toml", EXPERIMENT.replace("runs = 3", "runs = 6"));
    let said = laboratory.resume().code(2);
    said.says(&[
        "exp.toml is not the file that result was started with",
        "result/experiment.toml",
    ]);
    assert_eq!(laboratory.records().len(), 1);
}

/// Begins `sub/exp.toml`, whose runs tell their directories, and stops after the first run.
fn begun_elsewhere(command: &str) -> Laboratory {
    let laboratory = Laboratory::new();
    fs::create_dir(laboratory.path("sub")).unwrap();
    laboratory.write(
        "sub/exp.toml",
        format!("[design]\nruns = 3\nlimit = '1ms'\n[variants.a]\n[workloads.w]\ndriver = 'command'\n{command}\n"),
    );
    laboratory
        .call(&["run", "sub/exp.toml", "--out", "result"])
        .code(124);
    laboratory
}

const WHERE: &str =
    "shell = true\ndirectory = '.'\ncommand = 'pwd; echo {experiment}; sleep 0.002'";

/// The command line that goes on with the copy of the file which the result holds.
const WITH_COPY: [&str; 5] = [
    "run",
    "result/experiment.toml",
    "--resume",
    "--out",
    "result",
];

#[test]
fn the_copy_of_the_file_is_as_good_as_the_original() {
    let laboratory = begun_elsewhere(WHERE);
    laboratory
        .call(&WITH_COPY)
        .code(124)
        .says(&["exp: 3 runs into result"]);
    laboratory.call(&WITH_COPY).code(0);
    laboratory.assert_complete(3);
    let original = laboratory.path("sub").canonicalize().unwrap();
    let original = original.display();
    for run in 1..=3 {
        let said = laboratory.read(&format!("result/runs/{run:06}/stdout"));
        assert_eq!(said, format!("{original}\n{original}\n"), "run {run}");
    }
}

#[test]
fn runs_of_another_directory_are_never_added() {
    let laboratory = begun_elsewhere(WHERE);
    fs::create_dir(laboratory.path("other")).unwrap();
    laboratory.write("other/exp.toml", laboratory.read("sub/exp.toml"));
    laboratory
        .call(&["run", "other/exp.toml", "--resume", "--out", "result"])
        .code(2)
        .says(&[
            "other/exp.toml begin at",
            "/sub; resume with the file there",
        ]);
    fs::remove_dir_all(laboratory.path("sub")).unwrap();
    laboratory
        .call(&WITH_COPY)
        .code(5)
        .says(&["/sub, where the original file was", "not there any more"]);
    assert_eq!(laboratory.records().len(), 1);
}

#[test]
fn without_relative_paths_the_directory_does_not_matter() {
    let laboratory = begun_elsewhere("command = ['sleep', '0.002']");
    fs::remove_dir_all(laboratory.path("sub")).unwrap();
    laboratory.call(&WITH_COPY).code(124);
    laboratory.call(&WITH_COPY).code(0);
    laboratory.assert_complete(3);
}

/// Results of older versions do not say where the file was.
#[test]
fn a_copy_whose_original_is_not_known() {
    for (command, code) in [(WHERE, 2), ("command = ['sleep', '0.002']", 124)] {
        let laboratory = begun_elsewhere(command);
        let line = laboratory.read("result/meta.json");
        let (body, _) = line.rsplit_once(",\"crc\":").unwrap();
        let (before, behind) = body.split_once(",\"directory\":\"").unwrap();
        let (_, behind) = behind.split_once('"').unwrap();
        let body = format!("{before}{behind}");
        let crc = crc(body.as_bytes());
        laboratory.write(
            "result/meta.json",
            format!("{body},\"crc\":\"{crc:08x}\"}}\n"),
        );
        // The first record names the line of that file, and there must be none of the run before.
        laboratory.write("result/runs.jsonl", "");
        fs::remove_dir_all(laboratory.path("result/runs/000001")).unwrap();
        let said = laboratory.call(&WITH_COPY).code(code);
        if code == 2 {
            said.says(&[
                "does not say where that was",
                "resume with the original file",
            ]);
        }
        // Files other than the copy are taken as before.
        let original = ["run", "sub/exp.toml", "--resume", "--out", "result"];
        laboratory.call(&original).code(124);
    }
}

#[test]
fn another_program_under_the_same_name() {
    let laboratory = begun();
    laboratory.program("tool", &TOOL.replace("exit 3", "exit 4"));
    let said = laboratory.resume().code(5);
    let path = laboratory.path("tool").canonicalize().unwrap();
    let path = path.to_str().unwrap();
    said.says(&[
        "begun under other conditions",
        "workloads/w: `",
        &format!("tool` has changed: {path} ("),
        "bytes, SHA-256 ",
    ]);
    assert_eq!(laboratory.records().len(), 1);
    laboratory.program("tool", TOOL);
    laboratory.resume().code(0);
    laboratory.assert_complete(3);
}

#[test]
fn another_program_in_the_path() {
    let laboratory = Laboratory::new();
    for directory in ["old", "new"] {
        fs::create_dir(laboratory.path(directory)).unwrap();
        laboratory.program(&format!("{directory}/tool"), "exit 0");
    }
    let call = |directory: &str, flags: &[&str]| {
        let mut command = laboratory.perflab(&[&RUN[..], flags].concat());
        let path = laboratory.path(directory).canonicalize().unwrap();
        command.env("PATH", format!("{}:/usr/bin:/bin", path.display()));
        Said::from(command.output().unwrap())
    };
    let file = "[design]\nruns = 2\nblock = 2\nlimit = '1ms'\n\
                [variants.a]\nversion = ['sh', '-c', 'echo $PATH']\n\
                [variants.b]\n[workloads.w]\ndriver = 'command'\ncommand = ['tool']\n";
    laboratory.write("exp.toml", file);
    call("old", &[]).code(124);
    call("new", &["--resume"]).code(5).says(&[
        "workloads/w: `tool` was /",
        "/old/tool, and is /",
        "/new/tool now",
        "variants/a: `sh -c echo $PATH` said \"/",
        "\", and says \"/",
    ]);
}

#[test]
fn other_flags_than_it_was_begun_with() {
    let laboratory = begun();
    for flag in ["--runs=3", "--seed=1", "--dry-run"] {
        laboratory
            .call(&[&RUN[..], &["--resume", flag]].concat())
            .code(2)
            .says(&["cannot be used with"]);
    }
}

#[test]
fn nothing_to_go_on_with() {
    let laboratory = Laboratory::new();
    laboratory.program("tool", TOOL);
    laboratory.write("exp.toml", EXPERIMENT);
    laboratory
        .resume()
        .code(2)
        .says(&["expected a results directory, found none at result"]);
    laboratory
        .call(&["run", "exp.toml", "--resume"])
        .code(2)
        .says(&["no result of exp in `results`"]);
}

#[test]
fn the_newest_result_is_found_by_itself() {
    let laboratory = begun();
    fs::create_dir(laboratory.path("results")).unwrap();
    fs::rename(
        laboratory.path("result"),
        laboratory.path("results/exp-20260101T000000Z"),
    )
    .unwrap();
    fs::create_dir(laboratory.path("results/exp-20250101T000000Z")).unwrap();
    laboratory
        .call(&["run", "exp.toml", "--resume"])
        .code(0)
        .says(&["exp-20260101T000000Z"]);
    assert_eq!(
        laboratory
            .read("results/exp-20260101T000000Z/runs.jsonl")
            .lines()
            .count(),
        3
    );
}

#[test]
fn an_unfinished_result_is_found_whatever_it_is_called() {
    let laboratory = begun();
    fs::create_dir(laboratory.path("results")).unwrap();
    fs::rename(laboratory.path("result"), laboratory.path("results/kd")).unwrap();
    // A newer one that is complete, one of another experiment, and one that was never begun.
    laboratory.call(&["run", "exp.toml"]).code(0);
    laboratory.write(
        "other.toml",
        EXPERIMENT.replace("{experiment}/tool", "true"),
    );
    laboratory
        .call(&["run", "other.toml", "--out", "results/exp-20990101T000000Z"])
        .code(0);
    fs::create_dir_all(laboratory.path("results/exp-20980101T000000Z/runs")).unwrap();
    laboratory.write("results/exp-20980101T000000Z/runs.jsonl", "");
    laboratory
        .call(&["run", "exp.toml", "--resume"])
        .code(0)
        .says(&["into results/kd"]);
    let records = laboratory.read("results/kd/runs.jsonl");
    assert_eq!(records.lines().count(), 3);
    let executed = laboratory.read("log");
    laboratory.call(&["run", "exp.toml", "--resume"]).code(0).says(&[
        "nothing is left to run: 2 results of exp in `results`, all complete; the newest is results/exp-",
    ]);
    assert_eq!(laboratory.read("log"), executed);
}

/// What a kill leaves within the first milliseconds, step by step.
#[test]
fn a_result_that_was_never_begun_can_be_begun() {
    let laboratory = Laboratory::new();
    laboratory.program("tool", TOOL);
    laboratory.write("exp.toml", EXPERIMENT);
    let steps = [
        "lock",
        "runs/",
        ".runs.jsonl.4711.tmp",
        "runs.jsonl",
        "experiment.toml",
        "plan.json",
        "fingerprint.json",
        ".meta.json.4711.tmp",
    ];
    for count in 1..=steps.len() {
        let _ = fs::remove_dir_all(laboratory.path("result"));
        fs::create_dir(laboratory.path("result")).unwrap();
        for step in &steps[..count] {
            let path = format!("result/{step}");
            match step.strip_suffix('/') {
                Some(_) => fs::create_dir(laboratory.path(&path)).unwrap(),
                None => drop(laboratory.write(&path, if step.contains('j') { "" } else { "x" })),
            }
        }
        if count > 1 {
            let said = laboratory.resume().code(2);
            said.says(&["nothing was begun in result", "leave --resume out"]);
        }
        laboratory.call(&RUN).code(0);
        laboratory.assert_complete(3);
        assert!(!laboratory.path("result/.meta.json.4711.tmp").exists());
    }
    // What holds records or output, or anything else, is not taken for it.
    fs::remove_file(laboratory.path("result/meta.json")).unwrap();
    let records = laboratory.read("result/runs.jsonl");
    laboratory.call(&RUN).code(2).says(&["found files in"]);
    laboratory.write("result/runs.jsonl", "");
    laboratory.call(&RUN).code(2);
    assert!(laboratory.path("result/runs/000001").exists());
    fs::remove_dir_all(laboratory.path("result/runs")).unwrap();
    fs::create_dir(laboratory.path("result/runs")).unwrap();
    laboratory.write("result/runs.jsonl", &records);
    laboratory.call(&RUN).code(2);
    assert_eq!(laboratory.read("result/runs.jsonl"), records);
    laboratory.write("result/runs.jsonl", "");
    laboratory.write("result/precious", "");
    laboratory.call(&RUN).code(2);
    fs::remove_file(laboratory.path("result/precious")).unwrap();
    laboratory.call(&RUN).code(0);
}

#[test]
fn a_time_limit_of_the_whole_experiment() {
    let laboratory = Laboratory::new();
    laboratory.program("tool", "sleep 0.02\n");
    let limited = EXPERIMENT.replace("runs = 3", "runs = 3\nlimit = '1ms'");
    laboratory
        .run(&limited)
        .code(124)
        .says(&["time limit of 1ms", "--resume --out result"]);
    assert_eq!(laboratory.records().len(), 1);
    laboratory.resume().code(124);
    laboratory.resume().code(0);
    laboratory.assert_complete(3);
}

#[test]
fn times_that_no_clock_can_show_mean_forever() {
    let laboratory = Laboratory::new();
    laboratory.program("tool", "true\n");
    let endless = "runs = 3\ntimeout = '213503982334601d'\nlimit = '213503982334601d'";
    laboratory
        .run(&EXPERIMENT.replace("runs = 3", endless))
        .code(0);
    laboratory.assert_complete(3);
    laboratory.call(&["run", "exp.toml", "--dry-run"]).code(0);
}
