//! A workload that does not do what it should: the status of its run, and what it leaves behind.

use std::fs;
use std::net::{TcpListener, TcpStream};

use perflab_testing::needs;
use serde_json::Value;

use crate::support::{Laboratory, assert_detail, processes};

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

const METRIC: &str = r#"
[[workloads.w.metrics]]
name = "rate"
unit = "1/s"
better = "higher"
regex = "rate: (.*)"
"#;

#[test]
fn a_program_that_is_not_installed() {
    // What `prepare` takes away, nobody can have found missing before.
    let laboratory = Laboratory::new();
    laboratory.program("here", "");
    let record = failed(
        &laboratory,
        "driver = 'command'\nprepare = 'rm {experiment}/here'\ncommand = ['{experiment}/here', 'x']",
    );
    assert_detail(&record, "NORUN", &["cannot start `/", "there is no file /"]);
}

#[test]
fn the_file_that_is_missing_is_named() {
    for (prepare, words) in [
        (
            "echo \"#!/no/such/shell\" > program",
            "/program is there, but what runs it is not: /no/such/shell, the interpreter in its first line",
        ),
        ("rm -r ../load", "its working directory /"),
        ("chmod -x program", "/program is not executable"),
        ("rm program", "there is no file /"),
    ] {
        let laboratory = Laboratory::new();
        let workload = format!(
            "driver = 'command'\ncommand = ['./program']\n\
             prepare = 'echo \"#!/bin/sh\" > program; chmod +x program; {prepare}'"
        );
        let record = failed(&laboratory, &workload);
        assert_detail(&record, "NORUN", &["cannot start `./program`", words]);
    }
}

#[test]
fn a_file_that_cannot_be_executed() {
    let laboratory = Laboratory::new();
    let record = failed(
        &laboratory,
        "driver = 'command'\nprepare = 'touch {experiment}/data'\ncommand = ['{experiment}/data']",
    );
    assert_detail(&record, "NORUN", &["/data is not executable"]);
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

    // Some tools complain on standard output.
    let laboratory = Laboratory::new();
    let record = failed(
        &laboratory,
        "driver = 'command'\ncommand = 'echo no luck; exit 3'",
    );
    assert_detail(&record, "EXIT", &["exit code 3; it said last: no luck"]);
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

/// A daemon leaves its group and session, and Redis writes its title over the environment.
#[test]
fn a_daemon_ends_with_the_run_that_started_it() {
    needs("redis-server", "redis-server");
    needs("redis-cli", "redis-tools");
    let laboratory = Laboratory::new();
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let script = format!(
        "redis-server --port {port} --bind 127.0.0.1 --daemonize yes --save '' >/dev/null\n\
         until redis-cli -p {port} ping >/dev/null 2>&1; do sleep 0.01; done\n\
         echo rate: $(redis-cli -p {port} incr runs)\n"
    );
    laboratory.program("count.sh", &script);
    laboratory
        .run(&format!(
            "[design]\nruns = 3\nblock = 1\n[variants.a]\n[variants.b]\n\
             [workloads.w]\ndriver = 'generic'\ncommand = ['sh', '{{experiment}}/count.sh']{METRIC}"
        ))
        .code(0);
    let records = laboratory.records();
    let counts = records
        .iter()
        .map(|record| record["samples"][0]["value"].as_f64().unwrap());
    assert_eq!(counts.collect::<Vec<_>>(), [1.0; 6]);
    assert!(TcpStream::connect(("127.0.0.1", port)).is_err());
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
    assert_cut(&laboratory, "stdout", (8 << 30) - (8 << 20));
}

/// Checks that the middle of an output was left out.
#[track_caller]
fn assert_cut(laboratory: &Laboratory, output: &str, left_out: u64) {
    let path = laboratory.path(&format!("result/runs/000001/{output}"));
    let line = format!("\n[perflab left out {left_out} bytes here]\n");
    assert_eq!(
        fs::metadata(&path).unwrap().len(),
        (8 << 20) + line.len() as u64,
        "{output}"
    );
    let kept = fs::read(&path).unwrap();
    let found = kept[4 << 20..].starts_with(line.as_bytes());
    assert!(found, "{output}: no line says what was left out");
}

#[test]
fn of_a_long_output_the_beginning_and_the_end_are_kept() {
    let long = "yes first | head -c 5000000; yes last | head -c 5000000";
    let laboratory = Laboratory::new();
    // What is in the middle is read before it is left out. What the workload writes itself is its own, and a link to it
    // with the name of a log changes nothing.
    let workload = format!(
        "driver = 'generic'\ncommand = '''yes first | head -c 5000000; echo; echo rate: 7; \
         yes last | head -c 5000000; yes | head -c 9000000 >&2; yes | head -c 9000000 > {{run}}/own.log; \
         ln -s own.log {{run}}/gap.log'''\n\
         prepare = '{long}'\ncleanup = '{long}'{METRIC}"
    );
    run(&laboratory, &workload).code(0);
    assert_eq!(laboratory.record()["samples"][0]["value"], 7.0);
    let left_out = |whole: u64| whole - (8 << 20);
    assert_cut(&laboratory, "stdout", left_out(10_000_009));
    assert_cut(&laboratory, "stderr", left_out(9_000_000));
    assert_cut(&laboratory, "prepare.log", left_out(10_000_000));
    assert_cut(&laboratory, "cleanup.log", left_out(10_000_000));
    let own = fs::metadata(laboratory.path("result/runs/000001/own.log")).unwrap();
    assert_eq!(own.len(), 9_000_000);
    let kept = laboratory.read("result/runs/000001/prepare.log");
    assert!(kept.starts_with("first\n") && kept.ends_with("last\n"));

    // A system's, and that of a command, which is not read at all.
    let laboratory = Laboratory::new();
    laboratory
        .run(
            "[design]\nruns = 1\nblock = 1\n[variants.a]\nshell = true\nready = { line = 'up' }\n\
             start = 'yes | head -c 9000000; echo; echo up; exec sleep 3600'\n[workloads.w]\nshell = true\n\
             driver = 'command'\ncommand = 'truncate -s 8G {run}/stdout'",
        )
        .code(0);
    assert_cut(&laboratory, "system.log", left_out(9_000_004));
    assert_cut(&laboratory, "stdout", left_out(8 << 30));

    // Those of all that is executed for a variant.
    let laboratory = Laboratory::new();
    let long = "yes | head -c 9000000";
    laboratory
        .run(&format!(
            "[design]\nruns = 1\nblock = 1\n[variants.a]\nshell = true\n\
             ready = {{ command = '{long}' }}\nstop = {{ command = '{long}; kill $(cat {{dir}}/pid)' }}\n\
             start = 'echo $$ > {{dir}}/pid; exec sleep 3600'\n\
             [variants.a.build]\nobjects = ['*.o']\ncommand = '{long}; touch x.o'\nlink = ['/bin/sh', '-c', '{long}', '{{objects}}']\n\
             [workloads.w]\ndriver = 'command'\ncommand = ['true']"
        ))
        .code(0);
    for log in ["build", "link", "system.ready", "system.stop"] {
        assert_cut(&laboratory, &format!("{log}.log"), left_out(9_000_000));
    }
}

#[test]
fn the_middle_of_a_kept_systems_log_takes_no_room() {
    let laboratory = Laboratory::new();
    let metric = METRIC.replace("rate", "blocks");
    laboratory
        .run(&format!(
            "[design]\nruns = 2\nblock = 1\nrefresh = 'keep'\n[variants.a]\nshell = true\n\
             ready = {{ line = 'up' }}\nstart = 'yes | head -c 30000000; echo; echo up; exec sleep 3600'\n\
             [workloads.w]\nshell = true\ndriver = 'generic'\n\
             command = 'echo blocks: $(stat -c %b {{dir}}.log)'{metric}"
        ))
        .code(0);
    let blocks = |run: usize| {
        let value = laboratory.records()[run]["samples"][0]["value"].as_f64();
        value.unwrap() * 512.0
    };
    assert!(blocks(0) >= 30_000_000.0, "{}", blocks(0));
    assert!(blocks(1) < 9_000_000.0, "{}", blocks(1));
}

#[test]
fn a_rule_that_finds_nothing_quotes_the_output() {
    for (output, found) in [
        (
            r#"echo one; printf "\033[31m\"two\"\n"; echo three; echo; echo four >&2"#,
            r#"found none; stdout ends with `one`, `\u{1b}[31m"two"`, `three`"#,
        ),
        (
            "echo cannot connect >&2",
            "found none; stdout is empty, stderr ends with `cannot connect`",
        ),
        ("true", "found none; stdout is empty"),
    ] {
        let laboratory = Laboratory::new();
        let workload = format!("driver = 'generic'\ncommand = '''{output}'''{METRIC}");
        let record = failed(&laboratory, &workload);
        assert_detail(&record, "FAIL", &[found]);
    }
    let laboratory = Laboratory::new();
    let long =
        format!("driver = 'generic'\ncommand = 'yes | tr -d \"\\n\" | head -c 1000000'{METRIC}");
    let record = failed(&laboratory, &long);
    let detail = record["detail"].as_str().unwrap();
    assert!(detail.len() < 400, "{detail}");
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
