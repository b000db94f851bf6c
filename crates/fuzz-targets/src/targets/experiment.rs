//! Any text as an experiment file. What is accepted can be planned, has a driver for each workload,
//! and comes back from a file that is written of it.

use std::collections::HashSet;

use perflab_experiment::{Experiment, Plan};
use perflab_runner::driver_of;

/// A plan of more runs says no more than one of these, and takes its time.
const MOST_RUNS: usize = 5_000;

/// The same for cells.
const MOST_CELLS: usize = 200;

/// Whether the input is worth keeping in a corpus.
pub fn run(input: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(input) else {
        return false;
    };
    match Experiment::parse(text, "input.toml") {
        Ok(experiment) => accepted(&experiment),
        Err(error) => {
            assert!((1..=text.split('\n').count()).contains(&error.line()));
            assert!(error.column() >= 1 && !error.message().is_empty());
            assert!(error.to_string().starts_with("input.toml:"));
        }
    }
    true
}

fn accepted(experiment: &Experiment) {
    let written = toml::to_string(experiment).expect("an accepted experiment can be written");
    let again = Experiment::parse(&written, "input.toml").expect("what was written is accepted");
    assert_eq!(&again, experiment, "{written}");

    assert!(experiment.variants.contains_key(experiment.baseline()));
    for workload in experiment.workloads.values() {
        driver_of(workload).expect("an accepted workload has a driver");
    }
    let cells = experiment.cells();
    let ids: HashSet<&str> = cells.iter().map(|cell| cell.id.as_str()).collect();
    assert_eq!(ids.len(), cells.len(), "no two cells have the same id");
    for cell in cells.iter().take(MOST_CELLS) {
        experiment.variant(cell).expect("a cell has its variant");
        experiment.workload(cell).expect("a cell has its workload");
    }
    let runs = experiment.runs_of(cells.len());
    if runs <= MOST_RUNS {
        let plan = Plan::new(experiment, 7);
        assert_eq!(plan.runs.len(), runs);
        let stored = serde_json::to_string(&plan).expect("a plan can be written");
        assert_eq!(
            serde_json::from_str::<Plan>(&stored).expect("it is read"),
            plan
        );
    }
}
