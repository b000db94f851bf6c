//! How long an experiment takes is said when it was measured, not before.

use crate::support::{Laboratory, RUN};

const EXPERIMENT: &str = "[design]\nruns = 1000\nblock = 1\nlimit = '2s'\ntimeout = '1h'\n\
                          [variants.a]\n[variants.b]\n[workloads.w]\ndriver = 'command'\n\
                          command = ['sleep', '0.05']\n";

#[test]
fn before_the_first_run_no_time_is_told_but_the_limits() {
    let laboratory = Laboratory::new();
    laboratory.write("exp.toml", EXPERIMENT);
    let said = laboratory
        .call(&[&RUN[..], &["--dry-run"]].concat())
        .code(0)
        .prints(&["time limit of a run: 1h, of the experiment: 2s; how long it takes"]);
    assert!(!said.out.contains("at most"), "{}", said.out);
}

#[test]
fn after_the_first_block_the_rest_is_estimated_from_it() {
    let laboratory = Laboratory::new();
    // The rest of 999 blocks takes 100 s at least.
    let said = laboratory.run(EXPERIMENT).code(124);
    let lines: Vec<&str> = said
        .err
        .lines()
        .filter(|line| line.contains("left"))
        .collect();
    let [line] = lines.as_slice() else {
        panic!("{}", said.err)
    };
    assert!(line.starts_with("2/2000 runs, about "), "{line}");
    assert!(line.contains(" min "), "{line}");

    let laboratory = Laboratory::new();
    laboratory.write("exp.toml", EXPERIMENT);
    laboratory
        .call(&[&RUN[..], &["--until-decided"]].concat())
        .says(&["2/2000 runs, at most about "]);

    // Its budget ends it long before.
    let laboratory = Laboratory::new();
    laboratory.write("exp.toml", EXPERIMENT);
    let said = laboratory.call(&[&RUN[..], &["--until-decided", "--budget", "40s"]].concat());
    let said = said.says(&["2/2000 runs, at most about 3", " s left"]);
    assert!(!said.err.contains(" min "), "{}", said.err);

    // What is over soon says nothing.
    let laboratory = Laboratory::new();
    let said = laboratory.run(&EXPERIMENT.replace("1000", "5")).code(0);
    assert!(!said.err.contains("left"), "{}", said.err);
}
