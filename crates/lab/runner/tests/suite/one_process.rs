//! Runs in slices whose turns one process takes.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::Duration;

use perflab_experiment::{Plan, Status};
use perflab_runner::{Exit, Launch, Redirect};
use perflab_store::{RunRecord, StepKind, read_slices};
use serde_json::Value;

use crate::experiment::{Outcome, World, host, text};
use crate::resume::end_at_each_call_of;
use crate::simulated::{End, Script, Simulated};

const SLICES: u64 = 4;

/// An experiment of one block whose turns one process takes.
fn in_one(refresh: &str) -> String {
    text(refresh)
        .replace("runs = 2\nblock = 1", "runs = 1\nslices = 4")
        .replace(
            "command = [\"load\", \"{port}\"]",
            "takes_turns = true\ncommand = [\"load\", \"{variant}\", \"{slices}\", \"{port}\"]",
        )
        .replace(
            "regex = '(?<value>[0-9.]+) ms'",
            "json = \"/ms\"\ncombine = \"sum\"",
        )
}

/// The order that a process got.
fn order(launch: &Launch<'_>) -> Value {
    let [program, file] = launch.argv else {
        panic!("{:?}", launch.argv);
    };
    assert_eq!(program, "load");
    serde_json::from_slice(&fs::read(file).unwrap()).unwrap()
}

fn stdout<'l>(launch: &'l Launch<'_>) -> &'l Path {
    match launch.stdout {
        Redirect::File(path) => path,
        other => panic!("{other:?}"),
    }
}

/// Tells of all slices of all targets: of 10 ms, and of 20 ms for each later target.
fn tell(launch: &Launch<'_>) {
    let order = order(launch);
    let mut lines = String::new();
    for slice in 1..=order["slices"].as_u64().unwrap() {
        for (target, _) in order["targets"].as_array().unwrap().iter().enumerate() {
            let line = serde_json::json!({
                "target": target, "slice": slice, "at_s": 0.03 * slice as f64, "wall_s": 0.01, "ms": 10 * (target + 1),
            });
            lines += &format!("{line}\n");
        }
    }
    fs::write(stdout(launch), lines).unwrap();
}

fn script() -> Script {
    let ended = End::After(Duration::from_millis(200), Exit::Code(0));
    Script::short().ends(ended).with_effect(tell)
}

fn loads() -> Simulated {
    host().also("load", script())
}

fn in_run(world: &World, record: &RunRecord, file: &str) -> String {
    let path = format!("runs/{:06}/{file}", record.run);
    fs::read_to_string(world.result().join(path)).unwrap()
}

#[test]
fn one_process_executes_the_slices_of_all_runs() {
    let mut firsts = BTreeSet::new();
    let mut seeds = BTreeSet::new();
    for seed in 0..10 {
        let mut world = World::new(&in_one("restart"));
        world.plan = Plan::new(&world.experiment, seed);
        let host = loads();
        assert!(matches!(world.execute(&host), Outcome::Finished));
        world.check_complete(&host, "in one process");
        assert_eq!(host.starts("load"), 1);
        // That of a warm-up is the tool's own matter.
        assert_eq!(host.starts("prepare"), 2);
        assert_eq!(host.starts("cleanup"), 2);
        let records = world.records();
        let order = in_run(&world, &records[0], "perflab-turns.json");
        for record in &records {
            assert_eq!(in_run(&world, record, "perflab-turns.json"), order);
            assert_eq!(
                in_run(&world, record, "stdout"),
                in_run(&world, &records[0], "stdout")
            );
        }
        let order: Value = serde_json::from_str(&order).unwrap();
        assert_eq!((&order["slices"], &order["warmup"]), (&4.into(), &1.into()));
        seeds.insert(order["seed"].as_u64().unwrap());
        let targets = order["targets"].as_array().unwrap();
        assert_eq!(targets.len(), 2);
        firsts.insert(targets[0]["variant"].as_str().unwrap().to_owned());
        for (place, target) in targets.iter().enumerate() {
            let arguments = target["arguments"].as_array().unwrap();
            assert_eq!(arguments.len(), 3);
            assert_eq!(arguments[0], target["variant"]);
            assert_eq!(arguments[1], "4");
            let own = |record: &&RunRecord| record.variant == target["variant"].as_str().unwrap();
            let record = records.iter().find(own).unwrap();
            let each = 10.0 * (place + 1) as f64;
            assert_eq!(record.samples[0].value, each * SLICES as f64);
            let directory = world.result().join(format!("runs/{:06}", record.run));
            let slices = read_slices(&directory).unwrap();
            let values = slices
                .iter()
                .map(|slice| (slice.slice, slice.samples[0].value));
            assert_eq!(
                Vec::from_iter(values),
                [1, 2, 3, 4].map(|slice| (slice, each))
            );
        }
    }
    assert_eq!(firsts.len(), 2);
    assert_eq!(seeds.len(), 10);
}

#[test]
fn what_the_process_used_is_evidence_and_no_run_s_usage() {
    let world = World::new(&in_one("restart"));
    assert!(matches!(world.execute(&loads()), Outcome::Finished));
    let records = world.records();
    for record in &records {
        assert_eq!(record.usage, None);
        assert_eq!(record.exit_code, Some(0));
        assert_eq!(record.evidence["slices"], 4.0);
        assert_eq!(record.evidence["runs_in_turns"], 2.0);
        assert_eq!(record.evidence["process_wall_s"], 0.2);
        assert!(!record.evidence.contains_key("system_idle_s"));
        let ran = record.steps.iter().find(|step| step.step == StepKind::Run);
        assert!((ran.unwrap().seconds - 0.04).abs() < 1e-9);
        assert_eq!(record.argv, records[0].argv);
        let paddings = [record, &records[0]].map(|record| record.environment_padding_bytes);
        assert_eq!(paddings[0], paddings[1]);
    }
}

#[test]
fn each_run_has_the_evidence_of_its_own_slices() {
    let evidence = "[[workloads.w.evidence]]\nname = \"work\"\njson = \"/ms\"\nat_most = 60\n";
    let world = World::new(&(in_one("restart") + evidence));
    assert!(matches!(world.execute(&loads()), Outcome::Finished));
    let records = world.records();
    let (passed, failed): (Vec<_>, Vec<_>) =
        records.iter().partition(|record| record.status.passed());
    let ([passed], [failed]) = (&passed[..], &failed[..]) else {
        panic!("{records:?}");
    };
    assert_eq!(passed.evidence["work"], 40.0);
    assert_eq!(failed.evidence["work"], 80.0);
    let expected = "evidence work is 80, expected at most 60";
    assert_eq!(failed.detail.as_deref(), Some(expected));
}

#[test]
fn a_failure_of_the_process_is_the_fate_of_all_runs() {
    let cut = |launch: &Launch<'_>| {
        tell(launch);
        let all = fs::read_to_string(stdout(launch)).unwrap();
        let (few, _) = all.rsplit_once("{").unwrap();
        fs::write(stdout(launch), few).unwrap();
    };
    let exits = |exit| script().ends(End::After(Duration::from_millis(200), exit));
    for (script, status, expected) in [
        (
            exits(Exit::Code(3)),
            Status::Exit,
            "the workload ended with exit code 3",
        ),
        (
            exits(Exit::Signal(11)),
            Status::Signal,
            "the workload was ended by signal 11",
        ),
        (
            script().ends(End::Never),
            Status::Timeout,
            "the workload took longer than 40s and was killed",
        ),
        (
            script().cannot_start(),
            Status::NoRun,
            "cannot start `load`",
        ),
        (
            script().with_effect(cut),
            Status::Fail,
            "stdout: expected 4 slices of target 1",
        ),
        (
            script().with_effect(|_| {}).says("ready\n"),
            Status::Fail,
            "stdout, line 1: expected one JSON document",
        ),
    ] {
        let world = World::new(&in_one("restart"));
        let host = host().also("load", script);
        assert!(matches!(world.execute(&host), Outcome::Finished));
        for record in world.records() {
            assert_eq!(record.status, status);
            let detail = record.detail.unwrap();
            assert!(
                detail.starts_with("one process took the turns of "),
                "{detail}"
            );
            assert!(detail.contains(expected), "{detail}");
        }
        world.check_clean(&host, "the process failed");
    }
}

#[test]
fn a_system_that_dies_fails_for_itself() {
    let dies = End::After(Duration::from_millis(100), Exit::Code(1));
    let server = Script::short().ends(dies).listens(Duration::ZERO);
    for (code, other) in [(0, Status::Pass), (3, Status::Exit)] {
        let ended = End::After(Duration::from_millis(200), Exit::Code(code));
        let host = loads().also("load", script().ends(ended));
        let host = host.also("server-a", server.clone());
        let world = World::new(&in_one("restart"));
        assert!(matches!(world.execute(&host), Outcome::Finished));
        let records = world.records();
        let statuses = ["a", "b"].map(|name| {
            let mut records = records.iter();
            let own = records.find(|record| record.variant == name);
            own.unwrap().status
        });
        assert_eq!(statuses, [Status::Died, other]);
    }
}

#[test]
fn a_run_that_is_not_ready_is_no_target() {
    let world = World::new(&in_one("restart"));
    let host = loads().also("server-a", Script::short().cannot_start());
    assert!(matches!(world.execute(&host), Outcome::Finished));
    let records = world.records();
    let passed = records.iter().filter(|record| record.status.passed());
    let passed: Vec<_> = passed.collect();
    assert_eq!(passed.len(), 1);
    assert_eq!(passed[0].evidence["runs_in_turns"], 1.0);
    let order = in_run(&world, passed[0], "perflab-turns.json");
    assert_eq!(order.matches("variant").count(), 1, "{order}");
}

#[test]
fn a_laboratory_that_ends_during_the_process_is_resumed() {
    end_at_each_call_of(&in_one("restart"), loads);
    end_at_each_call_of(&in_one("keep"), loads);
}
