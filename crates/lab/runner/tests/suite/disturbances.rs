//! What comes from outside while runs are measured: a laboratory that is stopped, a full disk, a time limit.

use perflab_runner::LabError;
use perflab_store::StoreError;

use crate::experiment::{Outcome, World, host, text};
use crate::simulated::Event;

fn calls(refresh: &str) -> usize {
    let world = World::new(&text(refresh));
    let host = host();
    assert!(matches!(world.execute(&host), Outcome::Finished));
    host.calls()
}

#[test]
fn a_run_that_overlaps_a_stop_is_made_again() {
    for refresh in ["keep", "restart"] {
        let mut repeated = 0;
        for call in (0..calls(refresh)).step_by(7) {
            let world = World::new(&text(refresh));
            let host = host().event(call..call + 1, Event::Standstill);
            let (outcome, reported) = world.reported(&host);
            assert!(matches!(outcome, Outcome::Finished));
            let what = format!("{refresh}: stopped at call {call}");
            world.check_complete(&host, &what);
            let discarded: f64 = world
                .records()
                .iter()
                .filter_map(|record| record.evidence.get("executions_discarded"))
                .sum();
            assert_eq!(discarded, reported.repeated as f64, "{what}");
            repeated += reported.repeated;
        }
        assert!(repeated > 10, "{refresh}: {repeated}");
    }
}

#[test]
fn a_laboratory_that_is_stopped_again_and_again_gives_up() {
    let world = World::new(&text("restart"));
    let host = host().event(0..usize::MAX, Event::Standstill);
    let (outcome, reported) = world.reported(&host);
    assert!(matches!(
        outcome,
        Outcome::Failed(LabError::Disturbed { run: 1, .. })
    ));
    assert_eq!(reported.repeated, 4);
    assert!(world.records().is_empty());
    world.check_clean(&host, "disturbed");
}

#[test]
fn a_full_disk_ends_it_without_a_record_of_the_run() {
    for call in (0..calls("restart")).step_by(11) {
        let what = format!("full at call {call}");
        let world = World::new(&text("restart"));
        let first = host().event(call..call + 1, Event::DiskFull);
        match world.execute(&first) {
            Outcome::Failed(LabError::Store(StoreError::DiskFull { .. })) => {
                assert!(world.records().len() < world.plan.runs.len(), "{what}");
            }
            // The disk was full after the last run had looked.
            Outcome::Finished => assert!(call + 11 >= calls("restart") - 11, "{what}"),
            outcome => panic!("{what}: {outcome:?}"),
        }
        world.check_clean(&first, &what);
        let second = host();
        assert!(
            matches!(world.execute(&second), Outcome::Finished),
            "{what}"
        );
        world.check_complete(&second, &what);
    }
}

#[test]
fn the_limit_of_an_experiment_is_looked_at_between_runs() {
    // A run takes some 85 ms.
    let world = World::new(&text("restart").replace("warmup = 1", "limit = \"100ms\""));
    let mut sessions = 0;
    let last = loop {
        let host = host();
        let before = world
            .result()
            .join("meta.json")
            .exists()
            .then(|| world.records().len());
        let outcome = world.execute(&host);
        sessions += 1;
        assert!(
            world.records().len() > before.unwrap_or(0),
            "each session makes a run"
        );
        match outcome {
            Outcome::Failed(LabError::Limit(_)) => world.check_clean(&host, "limit"),
            Outcome::Finished => break host,
            outcome => panic!("{outcome:?}"),
        }
    };
    assert!(sessions > 1, "{sessions}");
    world.check_complete(&last, "limit");
}
