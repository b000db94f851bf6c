//! Runs in slices: the variants of a block are up together, and their loads take turns.

use std::collections::BTreeSet;
use std::time::Duration;

use perflab_experiment::Status;
use perflab_runner::{Exit, Launch, Redirect};
use perflab_store::RunRecord;

use crate::experiment::{Outcome, World, host, text};
use crate::resume::end_at_each_call_of;
use crate::simulated::{End, Event, Script, Simulated};

pub const SLICES: usize = 4;

/// An experiment of one block in slices.
pub fn sliced(refresh: &str) -> String {
    text(refresh)
        .replace("runs = 2\nblock = 1", "runs = 1\nslices = 4")
        .replace(
            "\"load\", \"{port}\"",
            "\"load-{variant}\", \"{port}\", \"{slice:402}\"",
        )
        .replace("unit = \"ms\"", "unit = \"ms\"\ncombine = \"sum\"")
}

pub fn loads() -> Simulated {
    let load = || {
        let ended = End::After(Duration::from_millis(50), Exit::Code(0));
        Script::short().ends(ended).says("took 50 ms\n")
    };
    host().also("load-a", load()).also("load-b", load())
}

/// The loads that were started, in order.
pub fn started(host: &Simulated) -> Vec<String> {
    let mut started = host.started();
    started.retain(|program| program.starts_with("load"));
    started
}

pub fn of<'r>(records: &'r [RunRecord], variant: &str) -> &'r RunRecord {
    let mut records = records.iter();
    records.find(|record| record.variant == variant).unwrap()
}

#[test]
fn in_each_round_every_variant_has_a_turn_in_random_order() {
    let mut orders = BTreeSet::new();
    for seed in 0..20 {
        let mut world = World::new(&sliced("restart"));
        world.plan.runs.iter_mut().for_each(|run| run.seed += seed);
        let host = loads();
        assert!(matches!(world.execute(&host), Outcome::Finished));
        world.check_complete(&host, "in slices");
        let started = started(&host);
        // Two warm-ups come first.
        assert_eq!(started.len(), 2 + 2 * SLICES);
        for round in started[2..].chunks(2) {
            assert_ne!(round[0], round[1], "{started:?}");
            orders.insert(round[0].clone());
        }
    }
    assert_eq!(orders.len(), 2);
}

#[test]
fn a_run_is_all_of_its_slices() {
    let world = World::new(&sliced("restart"));
    let host = loads();
    assert!(matches!(world.execute(&host), Outcome::Finished));
    let records = world.records();
    for record in &records {
        assert_eq!(record.samples[0].value, 200.0);
        assert_eq!(record.evidence["slices"], 4.0);
        assert_eq!(record.evidence["runs_in_turns"], 2.0);
        let wall = record.usage.unwrap().wall_s;
        assert!((0.2..0.201).contains(&wall), "{wall}");
        // A system takes a tenth of all time: here that of the other's four turns.
        let idle = record.evidence["system_idle_s"];
        assert!((0.02..0.021).contains(&idle), "{idle}");
        let stdout = world
            .result()
            .join(format!("runs/{:06}/stdout", record.run));
        let stdout = std::fs::read_to_string(stdout).unwrap();
        assert_eq!(stdout, "took 50 ms\n".repeat(SLICES));
        assert_eq!(record.argv[2], "100");
    }
    assert_ne!(records[0].variant, records[1].variant);
}

#[test]
fn a_run_that_fails_drops_out_and_the_others_go_on() {
    let fails = End::After(Duration::from_millis(1), Exit::Code(3));
    for start in 0..=SLICES {
        let world = World::new(&sliced("restart"));
        let host = loads().once("load-a", start, Script::short().ends(fails));
        assert!(matches!(world.execute(&host), Outcome::Finished));
        let records = world.records();
        assert_eq!(of(&records, "a").status, Status::Exit);
        assert_eq!(of(&records, "b").status, Status::Pass);
        assert_eq!(of(&records, "b").evidence["slices"], 4.0);
        assert_eq!(host.starts("load-a"), start + 1);
        assert_eq!(host.starts("load-b"), 1 + SLICES);
        world.check_clean(&host, "one run failed");
    }
}

#[test]
fn a_run_that_fails_is_brought_down_before_others_go_on() {
    let fails = End::After(Duration::from_millis(1), Exit::Code(3));
    let world = World::new(&sliced("restart"));
    let host = loads().once("load-b", 2, Script::short().ends(fails));
    assert!(matches!(world.execute(&host), Outcome::Finished));
    assert_eq!(of(&world.records(), "b").status, Status::Exit);
    let started = host.started();
    let failed = started.iter().rposition(|program| program == "load-b");
    // Variant b is stopped by a command.
    assert_eq!(started[failed.unwrap() + 1], "stop", "{started:?}");
    assert!(started[failed.unwrap()..].contains(&"load-a".to_owned()));
}

#[test]
fn a_slice_that_fails_is_quoted_alone() {
    let fails = End::After(Duration::from_millis(1), Exit::Code(3));
    for (says, expected) in [
        ("", "slice 2 of 4: the workload ended with exit code 3"),
        (
            "no",
            "slice 2 of 4: the workload ended with exit code 3; it said last: no",
        ),
    ] {
        let world = World::new(&sliced("restart"));
        let host = loads().once("load-a", 2, Script::short().ends(fails).says(says));
        assert!(matches!(world.execute(&host), Outcome::Finished));
        let records = world.records();
        assert_eq!(of(&records, "a").detail.as_deref(), Some(expected));
    }
}

/// As memtier_benchmark does, which opens `/dev/stdout` again.
#[test]
fn a_slice_may_empty_its_own_output() {
    fn empty(launch: &Launch<'_>) {
        if let Redirect::File(path) = launch.stdout {
            std::fs::write(path, "took 50 ms\n").unwrap();
        }
    }
    let world = World::new(&sliced("restart"));
    let host = loads().once("load-a", 3, Script::short().with_effect(empty));
    assert!(matches!(world.execute(&host), Outcome::Finished));
    let records = world.records();
    let own = of(&records, "a");
    assert!(own.status.passed(), "{own:?}");
    let stdout = world.result().join(format!("runs/{:06}/stdout", own.run));
    let stdout = std::fs::read_to_string(stdout).unwrap();
    assert_eq!(stdout, "took 50 ms\n".repeat(SLICES));
}

#[test]
fn output_that_a_slice_has_replaced_is_not_read() {
    fn replace(redirect: Redirect<'_>, extension: &str) {
        if let Redirect::File(path) = redirect {
            let path = path.with_extension(extension);
            std::fs::remove_file(&path).unwrap();
            std::fs::create_dir(path).unwrap();
        }
    }
    type Effect = fn(&Launch<'_>);
    let effects: [(&str, Effect); 3] = [
        ("stdout", |launch| replace(launch.stdout, "slice")),
        ("stderr", |launch| replace(launch.stderr, "slice")),
        // The output of the slices before.
        ("stdout", |launch| replace(launch.stdout, "")),
    ];
    for (stream, effect) in effects {
        let world = World::new(&sliced("restart"));
        let replaces = Script::short().says("took 50 ms\n").with_effect(effect);
        let host = loads().once("load-a", 3, replaces);
        assert!(matches!(world.execute(&host), Outcome::Finished));
        let records = world.records();
        let detail = of(&records, "a").detail.clone().unwrap();
        let expected = format!(
            "slice 3 of 4: {stream}: removed or replaced during the run: something else is in its place"
        );
        assert_eq!(detail, expected);
        // What a slice wrote is in the output of the run, and nowhere else.
        for record in records {
            let directory = world.result().join(format!("runs/{:06}", record.run));
            let files = std::fs::read_dir(directory).unwrap().flatten();
            let files = files.map(|file| file.file_name().into_string().unwrap());
            assert_eq!(files.filter(|name| name.contains(".slice")).count(), 0);
        }
    }
}

#[test]
fn output_that_cannot_be_read_names_its_slice() {
    let says = Script::short().says("nothing\n");
    let world = World::new(&sliced("restart"));
    // The first start is the warm-up, whose output is not read.
    let host = loads().once("load-a", 3, says);
    assert!(matches!(world.execute(&host), Outcome::Finished));
    let records = world.records();
    let detail = of(&records, "a").detail.as_ref().unwrap();
    assert!(detail.starts_with("slice 3 of 4: "), "{detail}");
    assert!(of(&records, "b").status.passed());
}

#[test]
fn the_time_limit_is_that_of_all_slices() {
    let text = sliced("restart").replace("timeout = \"20s\"", "timeout = \"120ms\"");
    let world = World::new(&text);
    let host = loads();
    assert!(matches!(world.execute(&host), Outcome::Finished));
    for record in world.records() {
        assert_eq!(record.status, Status::Timeout);
    }
    assert_eq!(host.starts("load-a"), 1 + 3);
}

#[test]
fn a_slice_may_have_a_length() {
    // A slice takes 50 ms however much it does, and 20 of them are said to be the whole.
    for (length, expected) in [("100ms", 10), ("10s", 2), ("1s", 2), ("250ms", 4)] {
        let world = World::new(&sliced("restart").replace(
            "runs = 1\nslices = 4",
            &format!("runs = 2\nslice = \"{length}\""),
        ));
        let host = loads();
        assert!(matches!(world.execute(&host), Outcome::Finished));
        world.check_complete(&host, length);
        for record in world.records() {
            assert_eq!(record.evidence["slices"], f64::from(expected), "{length}");
        }
        // Once for all, of one run only; before it, the warm-ups of two runs of each.
        let all = host.starts("load-a") + host.starts("load-b");
        assert_eq!(all, 1 + 4 + 4 * expected as usize, "{length}");
    }
}

/// In slices of 10 ms there would be 35 of a load of 350 ms, and each needs some work.
#[test]
fn no_slice_is_without_work() {
    let text = sliced("restart").replace("slices = 4", "slice = \"10ms\"");
    let world = World::new(&text.replace("{slice:402}", "{slice:7}"));
    assert!(matches!(world.execute(&loads()), Outcome::Finished));
    for record in world.records() {
        assert_eq!(record.evidence["slices"], 7.0);
        assert_eq!(record.argv[2], "1");
    }
}

/// A system takes a tenth of all time, also while others are prepared or cleaned up after: that disturbs no turn.
#[test]
fn what_systems_do_before_and_after_the_turns_is_not_held_against_them() {
    let world = World::new(&sliced("restart"));
    let slow = || Script::short().ends(End::After(Duration::from_secs(3), Exit::Code(0)));
    let host = loads().also("prepare", slow()).also("cleanup", slow());
    assert!(matches!(world.execute(&host), Outcome::Finished));
    for record in world.records() {
        let idle = record.evidence["system_idle_s"];
        assert!((0.02..0.021).contains(&idle), "{idle}");
    }
}

#[test]
fn a_slice_that_was_timed_while_the_laboratory_stood_still_tells_nothing() {
    let text = sliced("restart").replace("slices = 4", "slice = \"100ms\"");
    let all = || {
        let host = loads();
        assert!(matches!(
            World::new(&text).execute(&host),
            Outcome::Finished
        ));
        host.calls()
    };
    let mut repeated = 0;
    for call in (0..all()).step_by(3) {
        let world = World::new(&text);
        let host = loads().event(call..call + 1, Event::Standstill);
        let (outcome, reported) = world.reported(&host);
        assert!(matches!(outcome, Outcome::Finished));
        repeated += reported.repeated;
        for record in world.records() {
            assert_eq!(record.evidence["slices"], 10.0, "stopped at call {call}");
        }
    }
    assert!(repeated > 10, "{repeated}");
}

#[test]
fn a_slice_that_is_timed_may_fail() {
    let fails = End::After(Duration::from_millis(1), Exit::Code(3));
    let text = sliced("restart").replace("slices = 4", "slice = \"250ms\"");
    let world = World::new(&text);
    let first = started(&{
        let host = loads();
        assert!(matches!(
            World::new(&text).execute(&host),
            Outcome::Finished
        ));
        host
    })[0]
        .clone();
    let host = loads().once(&first, 0, Script::short().ends(fails));
    assert!(matches!(world.execute(&host), Outcome::Finished));
    for record in world.records() {
        let is_first = first.ends_with(&record.variant);
        let expected = if is_first { Status::Exit } else { Status::Pass };
        assert_eq!(record.status, expected);
        assert_eq!(record.evidence.get("slices").is_none(), is_first);
    }
}

#[test]
fn a_laboratory_that_ends_between_turns_is_resumed() {
    let text = sliced("restart").replace("slices = 4", "slice = \"1s\"");
    end_at_each_call_of(&text, loads);
    for refresh in ["restart", "keep"] {
        let text = sliced(refresh).replace("slices = 4", "slices = 2");
        end_at_each_call_of(&text, loads);
    }
}
