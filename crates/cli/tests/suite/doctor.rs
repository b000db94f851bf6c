//! `perflab doctor` from outside, on this machine and on a made-up one.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::{Laboratory, copy};

const MACHINE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/documents/machine");
const CLOCK: &str = "m/sys/devices/system/clocksource/clocksource0/current_clocksource";

/// A laboratory with a machine in `m` whose clock source is hpet and whose governor is powersave.
fn with_machine() -> Laboratory {
    let laboratory = Laboratory::new();
    copy(Path::new(MACHINE), &laboratory.path("m"));
    laboratory
}

#[test]
fn this_machine_is_judged_by_measuring() {
    let laboratory = Laboratory::new();
    let cpu = rustix::thread::sched_getaffinity(None)
        .map(|set| (0..1024).find(|cpu| set.is_set(*cpu)).unwrap())
        .unwrap();
    let said = laboratory.call(&["doctor", "--format", "json", "--cpus", &cpu.to_string()]);
    let report: Value = serde_json::from_str(&said.out).unwrap();
    let alarm = report["worst"] == "alarm";
    assert_eq!(said.code, if alarm { 5 } else { 0 }, "{}", said.err);
    let measured = &report["measured"][0];
    assert_eq!(measured["cpu"], cpu);
    assert_eq!(measured["noise_floor"]["runs"], 30);
    for check in [
        "disk",
        "load",
        "processes",
        "noise-floor",
        "jitter",
        "clock",
        "wake-up",
        "speed",
    ] {
        let mut findings = report["findings"].as_array().unwrap().iter();
        assert!(
            findings.any(|finding| finding["check"] == check),
            "{check}: {report:#}"
        );
    }
    laboratory.assert_nothing_runs();
}

#[test]
fn what_is_found_decides_the_exit_code() {
    let laboratory = with_machine();
    let said = laboratory.call(&["doctor", "--root", "m"]).code(5);
    assert!(
        said.out
            .contains("ALARM     clock-source: the clock source is hpet"),
        "{}",
        said.out
    );
    assert!(!said.out.contains('\x1b'), "colour into a file");
    laboratory.write(CLOCK, "tsc\n");
    laboratory.call(&["doctor", "--root", "m"]).code(0);
    laboratory.call(&["doctor", "--root", "nowhere"]).code(2);
    laboratory
        .call(&["doctor", "--cpus", "1000", "--quick"])
        .code(5);
    laboratory.call(&["doctor", "--cpus", "x"]).code(2);
    laboratory.call(&["doctor", "--smt", "off"]).code(2);
    laboratory.call(&["doctor", "--", "true"]).code(2);
}

#[test]
fn settings_last_as_long_as_the_command() {
    let laboratory = with_machine();
    let script = format!("cat {CLOCK}; exit 7");
    let said = laboratory
        .call(&[
            "doctor", "--root", "m", "--apply", "--", "sh", "-c", &script,
        ])
        .code(7);
    assert_eq!(said.out.trim(), "tsc");
    assert_eq!(laboratory.read(CLOCK).trim(), "hpet");
    let said = said.says(&["set      clocksource: tsc (was hpet)", "settings put back"]);
    assert!(said.err.contains("governor: performance (was powersave)"));
    laboratory
        .call(&[
            "doctor",
            "--root",
            "m",
            "--apply",
            "--",
            "sh",
            "-c",
            "kill -9 $$",
        ])
        .code(128 + 9);
    assert_eq!(laboratory.read(CLOCK).trim(), "hpet");
    laboratory
        .call(&["doctor", "--root", "m", "--apply", "--", "no-such-program"])
        .code(5);
    assert_eq!(laboratory.read(CLOCK).trim(), "hpet");
}

#[test]
fn settings_stay_until_they_are_put_back() {
    let laboratory = with_machine();
    laboratory
        .call(&["doctor", "--root", "m", "--apply"])
        .code(0);
    assert_eq!(laboratory.read(CLOCK).trim(), "tsc");
    laboratory
        .call(&["doctor", "--root", "m", "--apply"])
        .code(5)
        .says(&["put them back first: perflab doctor --restore"]);
    laboratory
        .call(&["doctor", "--root", "m", "--restore"])
        .code(0);
    assert_eq!(laboratory.read(CLOCK).trim(), "hpet");
    let said = laboratory
        .call(&["doctor", "--root", "m", "--restore"])
        .code(0);
    assert_eq!(said.out, "nothing to put back\n");
}

#[test]
fn what_was_asked_for_and_cannot_be_had_undoes_everything() {
    let laboratory = with_machine();
    laboratory
        .call(&["doctor", "--root", "m", "--apply", "--smt", "off"])
        .code(5)
        .says(&["smt was asked for", "put back"]);
    assert_eq!(laboratory.read(CLOCK).trim(), "hpet");
}

/// Starts a command under settings and waits until they are in force.
fn under_settings(laboratory: &Laboratory) -> std::process::Child {
    let script = "touch started; sleep 60";
    let child = laboratory
        .perflab(&["doctor", "--root", "m", "--apply", "--", "sh", "-c", script])
        .spawn()
        .unwrap();
    laboratory.await_file("started");
    assert_eq!(laboratory.read(CLOCK).trim(), "tsc");
    child
}

fn await_hpet(laboratory: &Laboratory) {
    let start = Instant::now();
    while laboratory.read(CLOCK).trim() != "hpet" {
        assert!(start.elapsed() < Duration::from_secs(20), "not put back");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn killed_for_good_the_settings_come_back_and_the_command_ends() {
    let laboratory = with_machine();
    let mut child = under_settings(&laboratory);
    child.kill().unwrap();
    child.wait().unwrap();
    await_hpet(&laboratory);
    laboratory.await_nothing_runs();
    assert!(!laboratory.path("m/var/lib/perflab/settings.json").exists());
}

#[test]
fn interrupted_the_settings_come_back_as_well() {
    let laboratory = with_machine();
    let mut child = under_settings(&laboratory);
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    let status = child.wait().unwrap();
    assert_eq!((status.code(), status.signal()), (Some(130), None));
    assert_eq!(laboratory.read(CLOCK).trim(), "hpet");
    laboratory.await_nothing_runs();
}

#[test]
fn two_at_once_are_refused() {
    let laboratory = with_machine();
    let mut child = under_settings(&laboratory);
    laboratory
        .call(&["doctor", "--root", "m", "--apply"])
        .code(5)
        .says(&["another laboratory has changed settings"]);
    child.kill().unwrap();
    child.wait().unwrap();
    await_hpet(&laboratory);
}

#[test]
fn an_experiment_changes_no_setting_unless_it_is_allowed_to() {
    let laboratory = Laboratory::new();
    let experiment = "[variants.a]\n[variants.b.machine]\nclocksource = \"sundial\"\n\
                      [workloads.w]\ndriver = \"command\"\ncommand = [\"true\"]\n[design]\nruns = 3\n";
    laboratory
        .run(experiment)
        .code(2)
        .says(&["b: clocksource", "--allow-machine-settings"]);
    let said = laboratory.call(&["run", "exp.toml", "--dry-run"]).code(0);
    assert!(
        said.out
            .contains("changes settings of the machine for b: clocksource")
    );
    // What the machine does not have is a fault of each run, and the other variant is measured.
    let state = laboratory.path("state");
    let said = laboratory
        .perflab(&[
            "run",
            "exp.toml",
            "--out",
            "result",
            "--allow-machine-settings",
        ])
        .env("PERFLAB_STATE", &state)
        .output()
        .unwrap();
    assert_eq!(said.status.code(), Some(4), "{said:?}");
    for record in laboratory.records() {
        let wanted = if record["variant"] == "a" {
            "PASS"
        } else {
            "NORUN"
        };
        assert_eq!(record["status"], wanted, "{record:#}");
        if wanted == "NORUN" {
            let detail = record["detail"].as_str().unwrap();
            assert!(
                detail.contains("clocksource = sundial cannot be had"),
                "{detail}"
            );
        }
    }
    assert!(!state.join("settings.json").exists());
}

/// Level 2 forbids no more than the kernel; what Debian has added forbids all.
#[test]
fn who_may_count_events() {
    let laboratory = with_machine();
    for (level, found, cost) in [
        (
            "2",
            "only administrators may count events in the kernel (level 2)",
            "user mode alone",
        ),
        (
            "3",
            "only administrators may use performance counters (level 3)",
            "cannot record counters",
        ),
    ] {
        laboratory.write("m/proc/sys/kernel/perf_event_paranoid", level);
        let said = laboratory.call(&["doctor", "--root", "m", "--format", "json"]);
        let report: Value = serde_json::from_str(&said.out).unwrap();
        let mut findings = report["findings"].as_array().unwrap().iter();
        let finding = findings.find(|finding| finding["check"] == "perf-events");
        let finding = finding.unwrap();
        assert_eq!(finding["found"], found);
        let text = finding["cost"].as_str().unwrap();
        assert!(text.contains(cost), "{text}");
    }
}
