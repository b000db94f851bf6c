//! Every step of a run fails in every way, with every refresh: its run gets the status that says so, the others pass.

use std::sync::LazyLock;
use std::time::Duration;

use perflab_experiment::Status;
use perflab_runner::{Exit, LabError, Needed};

use crate::experiment::{Outcome, REFRESHES, World, host, text};
use crate::simulated::{End, Script};

/// The ways to fail.
fn faults() -> [(&'static str, Script); 4] {
    let ends = |exit| Script::short().ends(End::After(Duration::from_millis(1), exit));
    [
        ("cannot start", Script::short().cannot_start()),
        ("exits with 3", ends(Exit::Code(3))),
        ("is ended by a signal", ends(Exit::Signal(11))),
        ("hangs", Script::short().ends(End::Never)),
    ]
}

/// Executes with one start of a program that does something else; the one run that fails.
fn check(refresh: &str, program: &str, start: usize, what: &str, fault: Script, expected: Status) {
    let what = format!("{refresh}: {program} {start} {what}");
    let world = World::new(&text(refresh));
    let host = host().once(program, start, fault);
    let outcome = world.execute(&host);
    assert!(matches!(outcome, Outcome::Finished), "{what}: {outcome:?}");
    let records = world.records();
    assert_eq!(records.len(), world.plan.runs.len(), "{what}");
    let failed: Vec<_> = records
        .iter()
        .filter(|record| !record.status.passed())
        .collect();
    let [failed] = failed[..] else {
        panic!("{what}: {} runs failed: {failed:?}", failed.len());
    };
    assert_eq!(failed.status, expected, "{what}: {:?}", failed.detail);
    assert!(failed.samples.is_empty(), "{what}");
    assert!(failed.detail.is_some(), "{what}");
    world.check_clean(&host, &what);
}

#[test]
fn each_step_fails_in_each_way() {
    use Status::{Exit, NoBuild, NoRun, NotReady, Signal, Timeout};
    // The first execution of a load is a warm-up.
    let steps = [
        ("compile", 0, [NoBuild; 4]),
        ("link", 0, [NoBuild; 4]),
        ("server-a", 0, [NotReady; 4]),
        ("prepare", 0, [NoRun; 4]),
        ("prepare", 1, [NoRun; 4]),
        ("load", 0, [NoRun, Exit, Signal, Timeout]),
        ("load", 1, [NoRun, Exit, Signal, Timeout]),
        ("cleanup", 0, [NoRun; 4]),
        ("cleanup", 1, [NoRun; 4]),
    ];
    for refresh in REFRESHES {
        for (program, start, expected) in steps {
            for ((what, fault), expected) in faults().into_iter().zip(expected) {
                check(refresh, program, start, what, fault, expected);
            }
        }
    }
}

#[test]
fn a_server_that_dies_or_stays_is_told_from_a_load_that_fails() {
    let ms = Duration::from_millis;
    for refresh in REFRESHES {
        // Ready after 30 ms, dead after 60, while the load takes 50.
        let dies = Script::short()
            .listens(ms(30))
            .ends(End::After(ms(60), Exit::Signal(11)));
        check(refresh, "server-a", 0, "dies", dies, Status::Died);
        if refresh != "keep" {
            let stays = Script::short().listens(ms(30)).ends(End::Never);
            check(refresh, "server-a", 0, "stays", stays, Status::NoStop);
            for (what, fault) in faults() {
                check(refresh, "stop", 0, what, fault, Status::NoStop);
            }
        }
        let silent = Script::short().ends(End::After(ms(50), Exit::Code(0)));
        check(
            refresh,
            "load",
            1,
            "says nothing",
            silent.clone(),
            Status::Fail,
        );
        let twice = silent.clone().says("1 ms\n2 ms\n");
        check(refresh, "load", 1, "says two values", twice, Status::Fail);
        let vandal = silent.says("50 ms\n").with_effect(|launch| {
            let perflab_runner::Redirect::File(stdout) = launch.stdout else {
                return;
            };
            std::fs::remove_dir_all(stdout.parent().unwrap()).unwrap();
        });
        check(
            refresh,
            "load",
            1,
            "removes its output",
            vandal,
            Status::Fail,
        );
    }
}

#[test]
fn a_ready_command_is_tried_until_it_says_yes() {
    for refresh in REFRESHES {
        let world = World::new(&text(refresh));
        let no = Script::short().ends(End::After(Duration::from_millis(1), Exit::Code(1)));
        let host = host().once("ready", 0, no.clone()).once("ready", 1, no);
        assert!(matches!(world.execute(&host), Outcome::Finished));
        world.check_complete(&host, refresh);
        assert!(host.starts("ready") > 2);
        for (what, fault) in faults().into_iter().filter(|(what, _)| *what != "hangs") {
            let expected = match what {
                "cannot start" => 1,
                // It says no, and is asked again.
                _ => 0,
            };
            let world = World::new(&text(refresh));
            let host = crate::experiment::host().once("ready", 0, fault);
            assert!(matches!(world.execute(&host), Outcome::Finished));
            let failed: Vec<Status> = failed_statuses(&world);
            assert_eq!(
                failed,
                vec![Status::NotReady; expected],
                "{refresh}: {what}"
            );
        }
        // A command that says yes of a system that has ended.
        for (what, fault) in faults().into_iter().filter(|(what, _)| *what != "hangs") {
            check(refresh, "server-b", 0, what, fault, Status::NotReady);
        }
        let world = World::new(&text(refresh));
        let mut host = crate::experiment::host();
        for start in 0..2 {
            host = host.once("ready", start, Script::short().ends(End::Never));
        }
        assert!(matches!(world.execute(&host), Outcome::Finished));
        assert_eq!(failed_statuses(&world), [Status::NotReady], "{refresh}");
        world.check_clean(&host, refresh);
    }
}

fn failed_statuses(world: &World) -> Vec<Status> {
    let records = world.records();
    let statuses = records.iter().map(|record| record.status);
    statuses.filter(|status| !status.passed()).collect()
}

#[test]
fn a_cell_that_never_passes_ends_the_experiment() {
    for refresh in REFRESHES {
        let text = text(refresh).replace("runs = 2", "runs = 8");
        let world = World::new(&text);
        let mut host = host();
        for start in 0..40 {
            host = host.once("compile", start, Script::short().cannot_start());
        }
        let outcome = world.execute(&host);
        assert!(
            matches!(
                &outcome,
                Outcome::Failed(LabError::Hopeless {
                    status: "NOBUILD",
                    ..
                })
            ),
            "{outcome:?}"
        );
        assert!((3..=5).contains(&world.records().len()));
        world.check_clean(&host, refresh);
    }
}

#[test]
fn only_variants_that_are_needed_end_the_experiment() {
    let text = text("restart")
        .replace("runs = 2", "runs = 8")
        .replace("\"load\"", "\"load-{variant}\"");
    static NAMES: LazyLock<[String; 2]> = LazyLock::new(|| ["a", "b"].map(str::to_owned));
    for (needed, is_end) in [
        (Needed::All, true),
        (Needed::Each(&NAMES[..1]), false),
        (Needed::Each(&NAMES[1..]), true),
        (Needed::Each(&NAMES[..]), true),
        (Needed::None, false),
    ] {
        let mut world = World::new(&text);
        world.needed = needed;
        let host = host()
            .also("load-a", Script::short().says("took 50 ms\n"))
            .also("load-b", Script::short().cannot_start());
        let outcome = world.execute(&host);
        match outcome {
            Outcome::Failed(LabError::Hopeless { .. }) => assert!(is_end, "{needed:?}"),
            Outcome::Finished => assert!(!is_end, "{needed:?}"),
            other => panic!("{needed:?}: {other:?}"),
        }
        assert_eq!(world.records().len() < world.plan.runs.len(), is_end);
    }
}
