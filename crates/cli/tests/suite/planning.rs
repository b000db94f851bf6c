//! Plans from a pilot.

use crate::damaged_results::EXPERIMENT;
use crate::support::Laboratory;

#[test]
fn where_only_the_typical_run_can_be_planned_for() {
    let laboratory = Laboratory::new();
    let own = laboratory.path("").display().to_string();
    // Of 36 runs two take ten thousand times longer, which moves the mean and not the typical run.
    let experiment = EXPERIMENT
        .replace("runs = 6", "runs = 18\nseed = 7")
        .replace(
            "echo VALUE $(({base} + $$ % 5)) s time",
            &format!(
                "echo >> {own}/log; n=$(wc -l < {own}/log); test $((n % 18)) -ne 7 || n=1000000; \
             echo VALUE $((100 + n)) s time"
            ),
        );
    laboratory.run(&experiment).code(0);
    laboratory
        .call(&["plan", "result", "--show", "0.5%"])
        .code(0)
        .prints(&[
            "b: w time   typical",
            "warning: no plan for b: w time, mean: ",
        ]);
    laboratory
        .call(&["plan", "result", "--show", "0.5%", "--claims", "mean"])
        .code(4)
        .says(&["b: w time, mean: difference: expected a number above"]);
}
