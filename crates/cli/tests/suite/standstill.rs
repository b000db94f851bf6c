//! The laboratory is stopped while it measures, by `kill -STOP` or Ctrl-Z, and continued: what it then saw too late
//! is no result.

use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::Value;

use crate::support::{Laboratory, RUN, Running, processes, signal, wait_until};

/// How long the laboratory is stopped.
const STOP: Duration = Duration::from_secs(5);

/// Above what a run of two seconds takes on a busy machine, and below the stop.
const LONGEST_S: f64 = 4.5;

fn experiment(timeout: &str, command: &str) -> String {
    format!(
        "[design]\nruns = 2\nblock = 1\ntimeout = '{timeout}'\n[variants.a]\n[workloads.w]\ndriver = 'command'\n\
         shell = true\ncommand = 'echo >> {{experiment}}/begun; {command}'\n"
    )
}

/// Stops the laboratory as soon as it measures, and continues it.
fn stop(laboratory: &Laboratory, running: &Running) {
    laboratory.await_file("begun");
    signal(running.pid(), Signal::STOP);
    thread::sleep(STOP);
    signal(running.pid(), Signal::CONT);
}

#[track_caller]
fn executions(laboratory: &Laboratory) -> usize {
    laboratory.read("begun").lines().count()
}

#[track_caller]
fn assert_one_was_repeated(laboratory: &Laboratory) {
    laboratory.assert_complete(2);
    assert_eq!(executions(laboratory), 3);
    let records = laboratory.records();
    for record in &records {
        let wall = record["usage"]["wall_s"].as_f64().unwrap();
        assert!(wall < LONGEST_S, "{record:#}");
    }
    assert_eq!(records[0]["evidence"]["executions_discarded"], 1.0);
    assert_eq!(records[1]["evidence"]["executions_discarded"], Value::Null);
}

#[test]
fn a_run_during_which_the_laboratory_was_stopped_is_repeated() {
    let laboratory = Laboratory::new();
    laboratory.write("exp.toml", experiment("1m", "sleep 2"));
    let running = laboratory.start(&RUN);
    stop(&laboratory, &running);
    running.end().code(0).says(&[
        "run 1 of a/w is repeated",
        "the laboratory was stopped",
        "0 of them failed",
    ]);
    assert_one_was_repeated(&laboratory);
}

#[test]
fn no_run_passes_that_took_longer_than_its_limit() {
    let laboratory = Laboratory::new();
    laboratory.write("exp.toml", experiment("1s", "sleep 1.4"));
    let running = laboratory.start(&RUN);
    stop(&laboratory, &running);
    running.end().code(4);
    for record in laboratory.records() {
        assert_eq!(record["status"], "TIMEOUT", "{record:#}");
    }
}

/// What the laboratory has started leads groups of its own, which the terminal does not stop.
#[test]
fn ctrl_z_stops_what_is_measured_and_fg_continues_it() {
    let laboratory = Laboratory::new();
    laboratory.write(
        "exp.toml",
        experiment("1m", "exec {experiment}/work")
            .replace("[variants.a]", "[variants.a]\nstart = ['sleep', '3600']"),
    );
    // The stop must find all three processes; between the file `begun` and the fork of this sleep there are two.
    laboratory.program("work", "sleep 2 & echo >> \"${0%/*}/forked\"; wait\n");
    let running = laboratory.start_as_group(&RUN);
    laboratory.await_file("forked");
    let group = Pid::from_raw(running.pid().cast_signed()).unwrap();
    kill_process_group(group, Signal::TSTP).unwrap();
    let word = laboratory.path("");
    let states = || {
        processes(word.to_str().unwrap())
            .iter()
            .map(|process| process.split(' ').next().unwrap().to_owned())
            // The reaper and the like wait for the laboratory's end, whatever becomes of the job.
            .filter(|pid| environment(pid).contains("PERFLAB_MARK="))
            .map(|pid| state(&pid))
            .collect::<String>()
    };
    wait_until("the job to stop", || {
        states().len() >= 3 && states().chars().all(|state| state == 'T')
    });
    assert_eq!(state(&running.pid().to_string()), 'T');
    thread::sleep(STOP);
    kill_process_group(group, Signal::CONT).unwrap();
    running.end().code(0).says(&["is repeated"]);
    assert_one_was_repeated(&laboratory);
    laboratory.assert_nothing_runs();
}

/// A process that is stopped before its program is executed keeps the one that starts it from stopping and from going
/// on. Most of the time of this bench goes into starts.
#[test]
fn ctrl_z_while_a_process_is_started() {
    let laboratory = Laboratory::new();
    let running = laboratory.start_as_group(&["bench", "-q", "-N", "-r", "1000000", "true"]);
    let group = Pid::from_raw(running.pid().cast_signed()).unwrap();
    let pid = running.pid().to_string();
    for pause in 0..60 {
        // A bench whose run is stopped five times in a row gives up, so some runs pass between two stops.
        for _ in 0..3 {
            let before = faults_of_ended_children(&pid);
            wait_until("runs to end", || faults_of_ended_children(&pid) != before);
        }
        thread::sleep(Duration::from_micros(370 * pause));
        kill_process_group(group, Signal::TSTP).unwrap();
        wait_until("bench to stop", || state(&pid) == 'T');
        kill_process_group(group, Signal::CONT).unwrap();
        wait_until("bench to go on", || state(&pid) != 'T');
    }
    kill_process_group(group, Signal::INT).unwrap();
    running.end().code(130);
    laboratory.assert_nothing_runs();
}

fn environment(pid: &str) -> String {
    let bytes = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Page faults of the children that a process has waited for: more with each.
fn faults_of_ended_children(pid: &str) -> String {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let (_, after_name) = stat.rsplit_once(") ").unwrap();
    after_name.split(' ').nth(8).unwrap().to_owned()
}

/// The letter of a process's state, as `T` for stopped.
fn state(pid: &str) -> char {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ")
        .and_then(|(_, rest)| rest.chars().next())
        .unwrap_or('?')
}

#[test]
fn a_laboratory_that_is_stopped_again_and_again_gives_up() {
    let laboratory = Laboratory::new();
    laboratory.write("exp.toml", experiment("1m", "sleep 0.3"));
    let mut running = laboratory.start(&RUN);
    laboratory.await_file("begun");
    while running.is_running() {
        signal(running.pid(), Signal::STOP);
        thread::sleep(Duration::from_millis(20));
        signal(running.pid(), Signal::CONT);
        thread::sleep(Duration::from_millis(20));
    }
    running
        .end()
        .code(5)
        .says(&["run 1 of a/w", "the laboratory was stopped", "--resume"]);
    assert_eq!(executions(&laboratory), 5);
    assert!(laboratory.records().is_empty());
    laboratory.assert_nothing_runs();
}

#[test]
fn a_bench_repeats_such_a_run_too() {
    let laboratory = Laboratory::new();
    let running = laboratory.start(&[
        "bench",
        "-r",
        "2",
        "--export-json",
        "times.json",
        "echo >> begun; sleep 1",
    ]);
    stop(&laboratory, &running);
    running
        .end()
        .code(0)
        .says(&["is repeated", "the laboratory was stopped"]);
    assert_eq!(executions(&laboratory), 3);
    let times: Value = serde_json::from_str(&laboratory.read("times.json")).unwrap();
    let times = times["results"][0]["times"].as_array().unwrap().clone();
    assert_eq!(times.len(), 2);
    for time in times {
        assert!(time.as_f64().unwrap() < LONGEST_S, "{time}");
    }
}

/// The shell's own time goes into an estimate of the command without it.
#[test]
fn an_empty_shell_during_which_the_laboratory_was_stopped_is_repeated() {
    let laboratory = Laboratory::new();
    laboratory.program(
        "shell",
        "if [ -z \"$2\" ]; then echo >> begun; sleep 1; fi; exec /bin/sh \"$@\"\n",
    );
    let shell = laboratory.path("shell").display().to_string();
    let running = laboratory.start(&["bench", "-r", "2", "--shell", &shell, "sleep 1.1"]);
    stop(&laboratory, &running);
    running
        .end()
        .code(0)
        .says(&["`the empty shell` is repeated"]);
    // One to see whether it runs at all, and one beside each run.
    assert_eq!(executions(&laboratory), 4);
}

#[test]
fn the_limit_of_a_bench_holds_too() {
    let laboratory = Laboratory::new();
    let running = laboratory.start(&[
        "bench",
        "-r",
        "1",
        "--timeout",
        "1s",
        "echo >> begun; sleep 1.4",
    ]);
    stop(&laboratory, &running);
    running
        .end()
        .code(124)
        .says(&["longer than --timeout (1s)"]);
}

/// A first block that was interrupted says nothing of how many runs fill three seconds.
#[test]
fn the_number_of_runs_of_a_bench_does_not_follow_from_a_stop() {
    let laboratory = Laboratory::new();
    let running = laboratory.start(&[
        "bench",
        "-N",
        "--block",
        "1",
        "sh -c 'echo >> begun; sleep 0.1'",
    ]);
    stop(&laboratory, &running);
    running.end().code(0);
    let executed = executions(&laboratory);
    assert!(executed > 15, "{executed}");
}
