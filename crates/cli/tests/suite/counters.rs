//! `counters`: a workload under `perf stat`.

use std::path::Path;
use std::process::Command;

use perflab_testing::{needs, not_checked, test_name};

use crate::support::{Laboratory, Said, assert_detail, tool};

/// Whether this user may count in the kernel. If not, that is written down.
fn countable() -> bool {
    needs("perf", "linux-perf");
    let trial = ["stat", "-x,", "-e", "context-switches", "--", "true"];
    let output = Command::new("perf").args(trial).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let fine = said.contains(",,context-switches,");
    if !fine {
        let why = format!("this user may not count in the kernel: perf said: {said}");
        not_checked(&test_name(), &why);
    }
    fine
}

fn run(laboratory: &Laboratory, events: &str, command: &str) -> Said {
    laboratory.run(&format!(
        "[design]\nruns = 1\nblock = 1\n[variants.a]\n[workloads.w]\ndriver = 'generic'\n\
         command = {command}\ncounters = {events}\n\
         [[workloads.w.metrics]]\nname = 'rate'\nunit = '1/s'\nbetter = 'higher'\nregex = 'rate: (.*)'"
    ))
}

#[test]
fn counts_are_metrics_of_the_run_behind_those_of_the_tool() {
    if !countable() {
        return;
    }
    let laboratory = Laboratory::new();
    run(
        &laboratory,
        "['context-switches', 'page-faults', 'task-clock']",
        "['sh', '-c', 'echo rate: 5; sleep 0.01; sleep 0.01; sleep 0.01']",
    )
    .code(0);
    let record = laboratory.record();
    let samples = record["samples"].as_array().unwrap();
    let names: Vec<_> = samples
        .iter()
        .map(|s| s["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "rate",
            "counter_context-switches",
            "counter_page-faults",
            "counter_task-clock"
        ]
    );
    // Each sleep, and each wait for it, gives the CPU away once.
    let switches = samples[1]["value"].as_f64().unwrap();
    assert!((3.0..200.0).contains(&switches), "{switches}");
    assert!(samples[2]["value"].as_f64().unwrap() > 50.0);
    assert_eq!(samples[3]["unit"], "ms");
    let argv: Vec<_> = record["argv"].as_array().unwrap().iter().collect();
    assert_eq!(argv[..3], ["perf", "stat", "-x,"]);
    let file = laboratory.read("result/runs/000001/counters");
    assert!(file.contains("page-faults"), "{file}");
}

#[test]
fn an_event_that_is_not_counted() {
    if !countable() {
        return;
    }
    let laboratory = Laboratory::new();
    run(&laboratory, "['nonsense']", "['echo', 'rate: 5']").code(4);
    assert_detail(&laboratory.record(), "EXIT", &["exit code 129"]);
    // Where there are no hardware counters.
    let trial = [
        "perf",
        "stat",
        "-x,",
        "-o",
        "/dev/stdout",
        "-e",
        "cycles",
        "--",
        "true",
    ];
    if tool(&trial, Path::new("/")).contains("<not supported>") {
        let laboratory = Laboratory::new();
        run(&laboratory, "['cycles']", "['echo', 'rate: 5']").code(4);
        assert_detail(&laboratory.record(), "FAIL", &["<not supported>"]);
    } else {
        not_checked(
            &format!("{}: an event that perf does not support", test_name()),
            "this machine has hardware counters",
        );
    }
}

/// `perf stat` ends with exit code 0 after a signal, and often after so short a command.
#[test]
fn failures_are_seen_through_perf() {
    if !countable() {
        return;
    }
    let laboratory = Laboratory::new();
    run(
        &laboratory,
        "['page-faults']",
        "['sh', '-c', 'echo rate: 5; kill -KILL $$']",
    )
    .code(4);
    assert_detail(&laboratory.record(), "SIGNAL", &["signal 9"]);
    for _ in 0..10 {
        let laboratory = Laboratory::new();
        run(
            &laboratory,
            "['page-faults']",
            "['sh', '-c', 'echo rate: 5; exit 3']",
        )
        .code(4);
        assert_detail(&laboratory.record(), "EXIT", &["exit code 3"]);
    }
    let laboratory = Laboratory::new();
    run(&laboratory, "['page-faults']", "['no-such-tool-here']")
        .code(5)
        .says(&["cannot start `no-such-tool-here`", "install it"]);
}

#[test]
fn perf_is_not_installed() {
    let laboratory = Laboratory::new();
    laboratory.program("tool", "echo rate: 5");
    laboratory.write(
        "exp.toml",
        "[design]\nruns = 1\nblock = 1\n[variants.a]\n[workloads.w]\ndriver = 'generic'\n\
         command = ['{experiment}/tool']\ncounters = ['page-faults']\n\
         [[workloads.w.metrics]]\nname = 'rate'\nunit = '1/s'\nbetter = 'higher'\nregex = 'rate: (.*)'",
    );
    let mut command = laboratory.perflab(&["run", "exp.toml", "--out", "result"]);
    command.env("PATH", laboratory.path("empty"));
    Said::from(command.output().unwrap())
        .code(5)
        .says(&["[workloads.w] counters: cannot start `perf`", "linux-perf"]);
    assert!(!laboratory.path("result").exists());
}
