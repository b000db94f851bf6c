//! `perflab doctor` from outside, on this machine and on a made-up one.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::Value;

use crate::support::{Laboratory, Running, copy, signal, wait_until};
use crate::together::has_two_cpus;

const MACHINE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/documents/machine");
const CLOCK: &str = "m/sys/devices/system/clocksource/clocksource0/current_clocksource";

/// A laboratory with a machine in `m` whose clock source is hpet and whose governor is powersave.
fn with_machine() -> Laboratory {
    let laboratory = Laboratory::new();
    copy(Path::new(MACHINE), &laboratory.path("m"));
    laboratory
}

/// A CPU that tests may use.
fn own_cpu() -> usize {
    let set = rustix::thread::sched_getaffinity(None).unwrap();
    (0..1024).find(|cpu| set.is_set(*cpu)).unwrap()
}

#[test]
fn this_machine_is_judged_by_measuring() {
    let laboratory = Laboratory::new();
    let cpu = own_cpu();
    let said = laboratory.call(&["doctor", "--format", "json", "--cpus", &cpu.to_string()]);
    let report: Value = serde_json::from_str(&said.out).unwrap();
    let alarm = report["worst"] == "alarm";
    assert_eq!(said.code, if alarm { 5 } else { 0 }, "{}", said.err);
    let measured = &report["measured"][0];
    assert_eq!(measured["cpu"], cpu);
    assert_eq!(measured["noise_floor"]["runs"], 30);
    assert!(measured["noise"].is_null(), "nobody asked for it");
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

/// Nine seconds are enough for runs of one.
#[test]
fn the_noise_is_told_by_time_scale() {
    let laboratory = Laboratory::new();
    let cpu = own_cpu().to_string();
    let said = laboratory.call(&[
        "doctor", "--cpus", &cpu, "--noise", "9s", "--format", "json",
    ]);
    let report: Value = serde_json::from_str(&said.out).unwrap();
    let noise = &report["measured"][0]["noise"];
    let number = |value: &Value| value.as_f64().unwrap();
    let (wall, cpu) = (&noise["wall"], &noise["cpu"]);
    let (time_s, piece_s) = (number(&noise["time_s"]), number(&wall["piece_s"]));
    assert!((9.0..20.0).contains(&time_s), "{noise:#}");
    // No piece was left out.
    let pieces = number(&noise["pieces"]);
    assert!((pieces * piece_s / time_s - 1.0).abs() < 1e-6, "{noise:#}");
    let scales = wall["scales"].as_array().unwrap();
    let slices = wall["slices"].as_array().unwrap();
    // Others may have the CPU for a while, so that no second of its time is left.
    assert!(number(&cpu["piece_s"]) < 1.01 * piece_s, "{noise:#}");
    assert!(!cpu["scales"].as_array().unwrap().is_empty(), "{noise:#}");
    assert!(scales.len() >= 10 && slices.len() >= 10, "{noise:#}");
    for scale in scales {
        assert!(number(&scale["allan"]) > 0.0 && number(&scale["pairs"]) >= 4.0);
    }
    for of_slice in slices {
        let (slice_s, run_s) = (number(&of_slice["slice_s"]), number(&of_slice["run_s"]));
        assert!(
            (0.5..2.0).contains(&(run_s / slice_s.max(1.0))),
            "{of_slice}"
        );
        let (sd, with) = (
            number(&of_slice["sd"]),
            number(&of_slice["sd_with_switches"]),
        );
        assert!((with / sd - (1.0 + 2e-4 / slice_s).sqrt()).abs() < 1e-9);
        assert!(of_slice["runs"].as_u64().unwrap() >= 6, "{of_slice}");
    }
    let is_best = |of_slice: &&Value| of_slice["slice_s"] == wall["best_slice_s"];
    assert!(
        slices.iter().any(|of_slice| is_best(&of_slice)),
        "{noise:#}"
    );
    let mut findings = report["findings"].as_array().unwrap().iter();
    let finding = findings
        .find(|finding| finding["check"] == "noise")
        .unwrap();
    let found = finding["found"].as_str().unwrap();
    assert!(
        found.contains("in slices of") || found.contains("too short"),
        "{found}"
    );
    laboratory.assert_nothing_runs();
}

#[test]
fn two_cpus_are_measured_at_the_same_time_too() {
    if !has_two_cpus() {
        return;
    }
    let set = rustix::thread::sched_getaffinity(None).unwrap();
    let cpus = (0..1024).filter(|cpu| set.is_set(*cpu)).take(2);
    let cpus: Vec<String> = cpus.map(|cpu: usize| cpu.to_string()).collect();
    let laboratory = Laboratory::new();
    let said = laboratory.call(&["doctor", "--cpus", &cpus.join(","), "--noise", "9s"]);
    // Where others take most of the CPUs, the time may be too short for whole runs of a second.
    let out = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    let is_told = out.contains(" here") && out.contains("at the same time and swap CPUs");
    assert!(is_told || said.out.contains("too short"), "{}", said.out);
}

#[test]
fn noise_in_a_moment_has_a_table_of_short_scales() {
    let laboratory = Laboratory::new();
    let cpu = own_cpu().to_string();
    let said = laboratory.call(&["doctor", "--cpus", &cpu, "--noise", "1s"]);
    said.prints(&[
        "are too short to tell how runs of a second differ",
        &format!("noise of CPU {cpu} by time scale: 1."),
        "slice  Allan deviation  difference",
    ]);
    laboratory.call(&["doctor", "--noise", "0.5s"]).code(2);
    laboratory
        .call(&["doctor", "--noise", "61min"])
        .code(2)
        .says(&["expected 1s to 1h, found 61min"]);
    laboratory
        .call(&["doctor", "--noise", "--quick"])
        .code(2)
        .says(&["cannot be used with"]);
}

/// Starts to measure noise for some time, and waits until it is under way.
fn measuring_noise(laboratory: &Laboratory, time: &str) -> Running {
    let cpu = own_cpu().to_string();
    let running = laboratory.start(&["doctor", "--cpus", &cpu, "--noise", time]);
    let threads = format!("/proc/{}/task", running.pid());
    wait_until("the noise is measured", || {
        let threads = std::fs::read_dir(&threads).unwrap();
        threads.flatten().any(|thread| {
            let name = std::fs::read_to_string(thread.path().join("comm"));
            name.is_ok_and(|name| name.trim() == "noise")
        })
    });
    running
}

#[test]
fn measuring_noise_ends_with_ctrl_c() {
    let laboratory = Laboratory::new();
    let running = measuring_noise(&laboratory, "1h");
    signal(running.pid(), Signal::INT);
    let said = running.end().code(130);
    assert_eq!(said.out, "");
    laboratory.assert_nothing_runs();
}

/// The time of a stop would count as noise.
#[test]
fn noise_that_was_measured_while_the_laboratory_was_stopped_is_none() {
    let laboratory = Laboratory::new();
    let running = measuring_noise(&laboratory, "3s");
    signal(running.pid(), Signal::STOP);
    std::thread::sleep(Duration::from_millis(100));
    signal(running.pid(), Signal::CONT);
    let said = running.end().code(5).says(&[
        "the laboratory was stopped while the noise of CPU",
        "measure again",
    ]);
    assert_eq!(said.out, "");
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
    rustix::process::kill_process(pid, Signal::TERM).unwrap();
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
