//! Evidence in the output of a load: what every run must show, and what becomes of one that does not.

use std::time::Duration;

use perflab_experiment::Status;
use perflab_runner::Exit;

use crate::experiment::{Outcome, World, text};
use crate::simulated::{End, Script};
use crate::slices::{SLICES, loads, of, sliced};

const CALLS: &str = "
[[workloads.w.evidence]]
name = \"calls\"
regex = 'calls: ([0-9]+)'
at_least = 1
";

/// A load that tells of so many calls in each execution.
fn calls(count: u32) -> Script {
    let ended = End::After(Duration::from_millis(50), Exit::Code(0));
    let said = format!("took 50 ms\ncalls: {count}\n");
    Script::short().ends(ended).says(&said)
}

#[test]
fn the_evidence_of_a_run_is_that_of_all_its_slices() {
    let world = World::new(&(sliced("restart") + CALLS));
    let host = loads().also("load-a", calls(3)).also("load-b", calls(0));
    assert!(matches!(world.execute(&host), Outcome::Finished));
    let records = world.records();
    let (good, bad) = (of(&records, "a"), of(&records, "b"));
    assert!(good.status.passed(), "{good:?}");
    assert_eq!(good.evidence["calls"], (3 * SLICES) as f64);
    assert_eq!(bad.status, Status::Fail);
    let expected = "evidence calls is 0, expected at least 1";
    assert_eq!(bad.detail.as_deref(), Some(expected));
    assert_eq!(bad.evidence["calls"], 0.0);
    assert!(bad.samples.is_empty());
    world.check_clean(&host, "one run lacks evidence");
}

#[test]
fn one_slice_with_evidence_is_enough_and_a_warm_up_is_none() {
    for (start, expected) in [(0, Status::Fail), (SLICES, Status::Pass)] {
        let world = World::new(&(sliced("restart") + CALLS));
        let host = loads().also("load-b", calls(1));
        let host = host
            .also("load-a", calls(0))
            .once("load-a", start, calls(1));
        assert!(matches!(world.execute(&host), Outcome::Finished));
        assert_eq!(of(&world.records(), "a").status, expected, "{start}");
    }
    // Of a run that is executed as a whole.
    let world = World::new(&(text("restart") + CALLS));
    let host = loads().also("load", calls(2));
    assert!(matches!(world.execute(&host), Outcome::Finished));
    for record in world.records() {
        assert_eq!(record.evidence["calls"], 2.0);
    }
}

#[test]
fn a_slice_without_evidence_fails_its_run() {
    let world = World::new(&(sliced("restart") + CALLS));
    let silent = calls(1).says("took 50 ms\n");
    let host = loads().also("load-a", calls(1)).also("load-b", calls(1));
    assert!(matches!(
        world.execute(&host.once("load-a", 3, silent)),
        Outcome::Finished
    ));
    let records = world.records();
    let bad = of(&records, "a");
    assert_eq!(bad.status, Status::Fail);
    let detail = bad.detail.as_ref().unwrap();
    let expected = "slice 3 of 4: stdout: expected exactly one value of `calls` (regular expression \
                    `calls: ([0-9]+)`), the evidence `calls`, found none";
    assert!(detail.starts_with(expected), "{detail}");
    assert!(of(&records, "b").status.passed());
}
