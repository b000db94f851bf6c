//! A system under test that does not do what it should: the status, and that nothing stays behind.

use std::net::TcpListener;

use serde_json::Value;

use crate::support::{Laboratory, assert_detail};

/// The record of a single run of this variant.
#[track_caller]
fn failed(laboratory: &Laboratory, variant: &str, command: &str) -> Value {
    laboratory
        .run(&format!(
            "[design]\nruns = 1\nblock = 1\ntimeout = '20s'\n[variants.a]\nshell = true\n{variant}\n\
             [workloads.w]\ndriver = 'command'\nshell = true\ncommand = '{command}'"
        ))
        .code(4)
        .says(&["no run of a/w passed"]);
    laboratory.assert_nothing_runs();
    laboratory.record()
}

/// Waits until the system under test has ended, which the laboratory has not seen yet.
const UNTIL_ENDED: &str = "until grep -q \") Z \" /proc/$(cat {dir}/pid)/stat; do sleep 0.01; done";

/// Says when it is up, where it is, and then waits.
const UP: &str = "start = 'echo $$ > {dir}/pid; echo up; exec sleep 3600'\nready = { line = 'up' }";

#[test]
fn a_program_that_is_not_installed() {
    let laboratory = Laboratory::new();
    let server = "start = ['{build}/no-such-server-here']\nbuild = { command = 'true' }";
    let record = failed(&laboratory, server, "touch {experiment}/ran");
    assert_detail(
        &record,
        "NOTREADY",
        &["the system", "cannot start `/", "there is no file /"],
    );
    assert!(!laboratory.path("ran").exists());
}

#[test]
fn never_ready() {
    for (ready, found) in [
        ("tcp = '127.0.0.1:{port}'", "no connection to 127.0.0.1:"),
        ("unix = '{dir}/socket'", "no connection to /"),
        (
            "line = 'up and running'",
            "no line of its output matches `up and running`",
        ),
        (
            "command = 'exit 1'",
            "its ready command did not end with code 0",
        ),
        ("command = 'sleep 3600'", "its ready command"),
    ] {
        let laboratory = Laboratory::new();
        let variant = format!(
            "start = 'echo still loading; sleep 3600'\nready = {{ {ready}, timeout = '2s' }}"
        );
        let record = failed(&laboratory, &variant, "touch {experiment}/ran");
        assert_detail(
            &record,
            "NOTREADY",
            &["not ready within 2s", found, "still loading"],
        );
        assert!(!laboratory.path("ran").exists());
    }
}

#[test]
fn ending_before_it_is_ready() {
    let laboratory = Laboratory::new();
    let variant = "start = 'echo bad flag; exit 1'\nready = { tcp = '127.0.0.1:{port}' }";
    let record = failed(&laboratory, variant, "true");
    assert_detail(
        &record,
        "NOTREADY",
        &["ended with exit code 1 before it was ready", "bad flag"],
    );
}

#[test]
fn a_port_that_another_process_listens_on() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let port = address.port();
    for start in [
        "['sleep', '3600']".to_owned(),
        format!("['redis-server', '--bind', '127.0.0.1', '--port', '{port}', '--save', '']"),
    ] {
        let laboratory = Laboratory::new();
        let variant = format!("start = {start}\nready = {{ tcp = '{address}' }}");
        let record = failed(&laboratory, &variant, "true");
        assert_detail(
            &record,
            "NOTREADY",
            &[&address.to_string(), "another server"],
        );
    }
}

#[test]
fn dying_under_load() {
    let with_code = "start = 'trap \"exit 3\" TERM; echo $$ > {dir}/pid; echo up; while :; do sleep 0.01; done'\n\
                     ready = { line = 'up' }";
    for (system, load, how) in [
        (
            UP,
            format!("kill -KILL $(cat {{dir}}/pid); {UNTIL_ENDED}"),
            "was ended by signal 9 while it was under load",
        ),
        (
            UP,
            format!("kill $(cat {{dir}}/pid); {UNTIL_ENDED}; exit 1"),
            "was ended by signal 15 while it was under load",
        ),
        (
            with_code,
            format!("kill $(cat {{dir}}/pid); {UNTIL_ENDED}"),
            "ended with exit code 3 while it was under load; it said last: up",
        ),
    ] {
        let laboratory = Laboratory::new();
        let record = failed(&laboratory, system, &load);
        assert_detail(&record, "DIED", &[how]);
    }
}

#[test]
fn a_real_server_that_is_shut_down_under_load() {
    let laboratory = Laboratory::new();
    let server = "redis-server --bind 127.0.0.1 --port {port} --dir {dir} --save \"\"";
    let variant = format!(
        "start = 'echo $$ > {{dir}}/pid; exec {server}'\nready = {{ tcp = '127.0.0.1:{{port}}' }}"
    );
    let load = format!("redis-cli -p {{port}} shutdown nosave; {UNTIL_ENDED}");
    let record = failed(&laboratory, &variant, &load);
    assert_detail(&record, "DIED", &["it said last"]);
}

#[test]
fn not_stopping_when_told_to() {
    let deaf = "start = 'trap \"\" TERM INT; echo up; while :; do sleep 0.05; done'\nready = { line = 'up' }";
    for (stop, found) in [
        (
            "timeout = '2s'",
            "(`sh`) got SIGTERM; that is the shell: put `exec` in front",
        ),
        (
            "timeout = '2s', signal = 'INT'",
            "did not stop within 2s and was killed: process ",
        ),
        (
            "command = 'true', timeout = '2s'",
            "did not stop within 2s and was killed: the stop command ended well, but process ",
        ),
        (
            "command = 'exit 7', timeout = '2s'",
            "the stop command ended with exit code 7",
        ),
    ] {
        let laboratory = Laboratory::new();
        let record = failed(&laboratory, &format!("{deaf}\nstop = {{ {stop} }}"), "true");
        assert_detail(&record, "NOSTOP", &[found]);
    }
}

#[test]
fn a_load_that_fails_counts_more_than_a_system_that_does_not_stop() {
    let laboratory = Laboratory::new();
    let variant = "start = 'trap \"\" TERM; echo up; while :; do sleep 0.05; done'\n\
                   ready = { line = 'up' }\nstop = { timeout = '2s' }";
    assert_detail(
        &failed(&laboratory, variant, "exit 9"),
        "EXIT",
        &["exit code 9"],
    );
}

#[test]
fn children_of_the_system_go_with_it() {
    let laboratory = Laboratory::new();
    laboratory
        .run(
            "[design]\nruns = 2\nblock = 1\n[variants.a]\nshell = true\n\
             start = 'sleep 3600 & setsid sleep 3600 & echo up; exec sleep 3600'\nready = { line = 'up' }\n\
             [workloads.w]\ndriver = 'command'\ncommand = ['true']",
        )
        .code(0);
    laboratory.assert_complete(2);
    laboratory.assert_nothing_runs();
}
