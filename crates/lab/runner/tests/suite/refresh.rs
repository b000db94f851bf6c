//! What is renewed between runs, and in which order the programs of a run are started.

use crate::experiment::{Outcome, World, host, text};

/// How often a program is started with a refresh, in 2 cells of 2 runs.
fn starts(refresh: &str, programs: [&str; 4]) -> [usize; 4] {
    let world = World::new(&text(refresh));
    let host = host();
    assert!(matches!(world.execute(&host), Outcome::Finished));
    world.check_complete(&host, refresh);
    programs.map(|program| host.starts(program))
}

#[test]
fn each_refresh_renews_what_its_name_says() {
    let programs = ["compile", "link", "server-a", "load"];
    // A new server is warmed up, so its first load is executed twice.
    assert_eq!(starts("keep", programs), [2, 2, 1, 6]);
    assert_eq!(starts("restart", programs), [2, 2, 2, 8]);
    assert_eq!(starts("relink", programs), [2, 4, 2, 8]);
    // A build is renewed for each block, which has one run of each cell here.
    assert_eq!(starts("rebuild", programs), [4, 4, 2, 8]);
}

#[test]
fn the_steps_of_a_run_are_taken_in_order() {
    let world = World::new(&text("restart").replace("runs = 2", "runs = 1"));
    let host = host();
    assert!(matches!(world.execute(&host), Outcome::Finished));
    let measured = ["prepare", "load", "cleanup"];
    let of_variant = |variant: &str| -> Vec<&str> {
        // The variant a is looked for on its port, and stopped by a signal.
        let (start, stop): (&[&str], &[&str]) = match variant {
            "a" => (&["server-a"], &[]),
            _ => (&["server-b", "ready"], &["stop"]),
        };
        [&["compile", "link"], start, &measured, &measured, stop].concat()
    };
    let cells = world
        .plan
        .runs
        .iter()
        .map(|run| &world.plan.cells[run.cell]);
    let expected: Vec<&str> = cells.flat_map(|cell| of_variant(&cell.variant)).collect();
    assert_eq!(host.started(), expected);
    let records = world.records();
    let steps: Vec<String> = records[0]
        .steps
        .iter()
        .map(|step| format!("{:?}", step.step))
        .collect();
    let expected = "Build Start Prepare WarmUp CleanUp Prepare Run CleanUp Stop";
    assert_eq!(steps.join(" "), expected);
}
