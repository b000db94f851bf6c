//! A workload that does not do what it should: the status of its run, and what it leaves behind.

use std::fs;

use serde_json::Value;

use crate::support::{Laboratory, processes};

/// The record of a single run of this workload, after which no run has passed.
#[track_caller]
fn failed(laboratory: &Laboratory, workload: &str) -> Value {
    run(laboratory, workload)
        .code(4)
        .says(&["no run of a/w passed"]);
    let record = laboratory.record();
    assert_eq!(
        record["samples"],
        Value::Array(Vec::new()),
        "a failed run must not give a number"
    );
    laboratory.assert_nothing_runs();
    record
}

fn run(laboratory: &Laboratory, workload: &str) -> crate::support::Said {
    laboratory.run(&format!(
        "[design]\nruns = 1\nblock = 1\n[variants.a]\n[workloads.w]\nshell = true\n{workload}"
    ))
}

#[track_caller]
fn assert_detail(record: &Value, status: &str, words: &[&str]) {
    assert_eq!(record["status"], status, "{record:#}");
    for word in words {
        assert!(
            record["detail"].as_str().unwrap().contains(word),
            "`{word}` is not in {record:#}"
        );
    }
}

const METRIC: &str = r#"
[[workloads.w.metrics]]
name = "rate"
unit = "1/s"
better = "higher"
regex = "rate: (.*)"
"#;

#[test]
fn a_program_that_is_not_installed() {
    let laboratory = Laboratory::new();
    let record = failed(
        &laboratory,
        "driver = 'command'\ncommand = ['no-such-tool-here', 'x']",
    );
    assert_detail(
        &record,
        "NORUN",
        &["cannot start `no-such-tool-here`", "install it"],
    );
}

#[test]
fn a_file_that_cannot_be_executed() {
    let laboratory = Laboratory::new();
    laboratory.write("data", "no program");
    let record = failed(
        &laboratory,
        "driver = 'command'\ncommand = ['{experiment}/data']",
    );
    assert_detail(&record, "NORUN", &["data", "is it executable?"]);
}

#[test]
fn an_exit_code_with_the_last_words() {
    let laboratory = Laboratory::new();
    let record = failed(
        &laboratory,
        "driver = 'command'\ncommand = 'echo first >&2; echo out of luck >&2; exit 3'",
    );
    assert_detail(&record, "EXIT", &["exit code 3", "out of luck"]);
    assert_eq!(record["exit_code"], 3);
}

#[test]
fn the_words_before_a_command_execute_it() {
    let laboratory = Laboratory::new();
    let workload = "driver = 'command'\nwithin = ['env', 'INSIDE={variant}']\n\
        command = '[ \"$INSIDE\" = a ]'";
    run(&laboratory, workload).code(0);
    laboratory.assert_complete(1);
    assert_eq!(laboratory.record()["argv"][1], "INSIDE=a");
}

#[test]
fn exit_codes_that_are_fine() {
    let laboratory = Laboratory::new();
    let workload = "driver = 'command'\nexit_codes = [0, 3]\ncommand = 'exit 3'";
    run(&laboratory, workload).code(0);
    laboratory.assert_complete(1);
    let record = failed(&Laboratory::new(), &workload.replace("exit 3'", "exit 2'"));
    assert_detail(&record, "EXIT", &["exit code 2"]);
}

#[test]
fn a_signal() {
    let laboratory = Laboratory::new();
    let record = failed(&laboratory, "driver = 'command'\ncommand = 'kill -SEGV $$'");
    assert_detail(&record, "SIGNAL", &["signal 11"]);
    assert_eq!(record["signal"], 11);
}

#[test]
fn dying_behind_a_value_gives_no_value() {
    let laboratory = Laboratory::new();
    let record = failed(
        &laboratory,
        &format!("driver = 'generic'\ncommand = 'echo rate: 5; kill -KILL $$'{METRIC}"),
    );
    assert_detail(&record, "SIGNAL", &["signal 9"]);
}

#[test]
fn a_time_limit_ends_the_whole_family() {
    let laboratory = Laboratory::new();
    // The middle generation ends at once; the last one leaves group and session, and is found by
    // its argument alone.
    let marker = format!("3600.{}", std::process::id());
    let command =
        format!("(sleep {marker} & setsid sh -c \"cd /; exec sleep {marker}\" &); sleep {marker}");
    let record = failed(
        &laboratory,
        &format!("driver = 'command'\ntimeout = '300ms'\ncommand = '{command}'"),
    );
    assert_detail(&record, "TIMEOUT", &["longer than 300ms"]);
    assert_eq!(processes(&marker), Vec::<String>::new());
}

#[test]
fn children_left_running_are_ended_after_a_good_run() {
    let laboratory = Laboratory::new();
    run(
        &laboratory,
        "driver = 'command'\ncommand = 'sleep 3600 & true'",
    )
    .code(0);
    laboratory.assert_nothing_runs();
}

#[test]
fn garbage_for_the_generic_driver() {
    for (output, found) in [
        ("nothing of the kind", "found none"),
        ("rate: fast", "`fast`, which is not a number"),
        ("rate: inf", "not finite"),
        ("rate: 1\\nrate: 2", "found 2, on lines 1, 2"),
    ] {
        let laboratory = Laboratory::new();
        let workload =
            format!("driver = 'generic'\ncommand = '''printf \"{output}\\n\"'''{METRIC}");
        assert_detail(&failed(&laboratory, &workload), "FAIL", &["stdout", found]);
    }
}

#[test]
fn more_output_than_can_be_read() {
    let laboratory = Laboratory::new();
    // The file has a hole in it, so that it takes no room on the disk.
    let workload = format!("driver = 'generic'\ncommand = 'truncate -s 8G {{run}}/stdout'{METRIC}");
    assert_detail(
        &failed(&laboratory, &workload),
        "FAIL",
        &["stdout", "8589934592 bytes"],
    );
    let size = fs::metadata(laboratory.path("result/runs/000001/stdout"))
        .unwrap()
        .len();
    assert_eq!(size, 8 << 30, "raw output is kept as it is");
}

#[test]
fn a_prepare_that_fails_keeps_the_workload_from_running() {
    let laboratory = Laboratory::new();
    let workload = "driver = 'command'\nprepare = 'echo no room >&2; exit 1'\ncommand = 'touch {experiment}/ran'";
    assert_detail(
        &failed(&laboratory, workload),
        "NORUN",
        &["prepare", "exit code 1", "no room"],
    );
    assert!(!laboratory.path("ran").exists());
}
