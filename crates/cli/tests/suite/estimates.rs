//! How long an experiment takes is said when it was measured, not before.

use crate::support::{Laboratory, RUN, Said};

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
        .prints(&["time limit of a run: 1h, of the experiment: 2s; after the first block"]);
    assert!(!said.out.contains("at most"), "{}", said.out);
}

/// Checks that the time left was said once, when the first block after so many runs was done. The rest of almost
/// 1000 blocks takes 50 s at least, and not longer than an hour.
#[track_caller]
fn assert_estimated(said: &Said, done: usize) {
    let mut lines = said.err.lines().filter(|line| line.contains("left"));
    let (Some(line), None) = (lines.next(), lines.next()) else {
        panic!("{}", said.err)
    };
    let begin = format!("{}/2000 runs, about ", done + 2);
    assert!(line.starts_with(&begin), "{line}");
    assert!(line.contains(" min "), "{line}");
}

#[test]
fn after_the_first_block_the_rest_is_estimated_from_it() {
    let laboratory = Laboratory::new();
    let said = laboratory.run(EXPERIMENT);
    assert_estimated(&said.code(124), 0);
    // Resumed, it goes by what was measured since.
    let done = laboratory.records().len();
    assert!(done > 4, "{done}");
    assert_estimated(&laboratory.resume().code(124), done);

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
