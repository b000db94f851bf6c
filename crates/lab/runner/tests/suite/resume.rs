//! A laboratory that is interrupted or killed at any moment: what it goes on with afterwards is the same experiment.

use perflab_runner::LabError;

use crate::experiment::{Outcome, World, host, text};
use crate::simulated::{Event, Simulated};

/// Ends an experiment at each call of its host, in both ways, and goes on with it.
fn end_at_each_call(text: &str) {
    end_at_each_call_of(text, host);
}

/// The same with these programs.
pub fn end_at_each_call_of(text: &str, host: fn() -> Simulated) {
    let undisturbed = host();
    assert!(matches!(
        World::new(text).execute(&undisturbed),
        Outcome::Finished
    ));
    for call in 0..undisturbed.calls() {
        for event in [Event::Interrupt, Event::Crash] {
            let what = format!("{event:?} at call {call}");
            let world = World::new(text);
            let first = host().event(call..call + 1, event);
            let outcome = world.execute(&first);
            match (&outcome, event) {
                // Nothing asks any more after the last run.
                (Outcome::Finished, Event::Interrupt)
                | (Outcome::Failed(LabError::Interrupted), Event::Interrupt) => {
                    world.check_clean(&first, &what);
                }
                (Outcome::Crashed, Event::Crash) => {}
                _ => panic!("{what}: {outcome:?}"),
            }
            assert_eq!(first.left(), 0, "{what}");
            let before = world.records();
            let second = host();
            let outcome = world.execute(&second);
            assert!(matches!(outcome, Outcome::Finished), "{what}: {outcome:?}");
            world.check_complete(&second, &what);
            assert_eq!(world.records()[..before.len()], before, "{what}");
        }
    }
}

/// With one run of each of two cells.
fn one_run_each(refresh: &str) -> String {
    text(refresh).replace("runs = 2", "runs = 1")
}

#[test]
fn systems_that_are_kept_are_started_again() {
    end_at_each_call(&text("keep"));
}

#[test]
fn systems_that_are_restarted_are_resumed() {
    end_at_each_call(&one_run_each("restart"));
}

#[test]
fn builds_that_are_relinked_are_made_again() {
    end_at_each_call(&one_run_each("relink"));
}

#[test]
fn builds_that_are_renewed_are_made_again() {
    end_at_each_call(&one_run_each("rebuild"));
}
