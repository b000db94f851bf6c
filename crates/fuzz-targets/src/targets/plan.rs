//! Any bytes as a stored plan. What is read refers to cells that there are, and comes back the same.

use perflab_experiment::Plan;

/// Whether the input is worth keeping in a corpus.
pub fn run(input: &[u8]) -> bool {
    match serde_json::from_slice::<Plan>(input) {
        Ok(plan) => {
            for (run, expected) in plan.runs.iter().zip(1..) {
                assert!(run.run == expected && run.cell < plan.cells.len());
            }
            let stored = serde_json::to_vec(&plan).expect("a plan can be written");
            assert_eq!(
                serde_json::from_slice::<Plan>(&stored).expect("it is read"),
                plan
            );
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    true
}
