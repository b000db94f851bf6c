//! Two laboratories on one machine would disturb each other: one at a time.

use crate::support::{Laboratory, RUN, Running};

/// Writes down when it begins and ends; the first one runs until it may end.
const EXPERIMENT: &str = r#"
[design]
runs = 1
block = 1
[variants.a]
[workloads.w]
driver = "command"
shell = true
command = '''
cd {experiment}
echo begin >> log
touch begun
while [ ! -e end ]; do sleep 0.02; done
echo end >> log
'''
"#;

/// A laboratory that measures until the file `end` is there.
fn measuring() -> (Laboratory, Running) {
    let laboratory = Laboratory::new();
    laboratory.write("exp.toml", EXPERIMENT);
    let first = laboratory.start(&RUN);
    laboratory.await_file("begun");
    (laboratory, first)
}

#[test]
fn the_second_is_told_who_is_measuring() {
    let (laboratory, first) = measuring();
    let pid = format!("pid {}", first.pid());
    for arguments in [
        &["run", "exp.toml", "--out", "second"][..],
        &["bench", "-N", "true"],
    ] {
        laboratory.call(arguments).code(5).says(&[
            "another laboratory",
            &pid,
            "run exp.toml --out result",
            "is measuring",
        ]);
    }
    assert!(!laboratory.path("second").exists());
    laboratory.write("end", "");
    first.end().code(0);
    laboratory
        .call(&["run", "exp.toml", "--out", "second"])
        .code(0);
}

#[test]
fn the_second_can_wait() {
    let (laboratory, mut first) = measuring();
    let mut second = laboratory.start(&["run", "exp.toml", "--out", "second", "--wait"]);
    // Long enough to look at the lock, and to run into the first if it did not care.
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert!(first.is_running() && second.is_running());
    assert_eq!(laboratory.read("log"), "begin\n");
    laboratory.write("end", "");
    first.end().code(0);
    second.end().code(0);
    assert_eq!(laboratory.read("log"), "begin\nend\nbegin\nend\n");
}

#[test]
fn a_bench_can_wait() {
    let (laboratory, first) = measuring();
    let pid = format!("pid {}", first.pid());
    let bench = ["bench", "-q", "-r", "2", "echo bench >> log"];
    laboratory.call(&bench).code(5).says(&["--wait"]);
    let mut second = laboratory.start(&[&bench[..], &["--wait"]].concat());
    std::thread::sleep(std::time::Duration::from_millis(1500));
    assert!(second.is_running());
    laboratory.write("end", "");
    first.end().code(0);
    let whom = format!("note: waiting for another laboratory ({pid}, ");
    second.end().code(0).says(&[&whom]);
    assert_eq!(laboratory.read("log"), "begin\nend\nbench\nbench\n");
}

#[test]
fn two_locks_still_do_not_share_one_result() {
    let (laboratory, first) = measuring();
    let second = laboratory
        .perflab(&[&RUN[..], &["--resume"]].concat())
        .env("PERFLAB_LOCK", laboratory.path("another-lock"))
        .output()
        .unwrap();
    crate::support::Said::from(second)
        .code(5)
        .says(&["result/lock is locked by another laboratory"]);
    laboratory.write("end", "");
    first.end().code(0);
    laboratory.assert_complete(1);
}

#[test]
fn reading_does_not_wait() {
    let (laboratory, first) = measuring();
    laboratory
        .call(&["show", "result"])
        .code(0)
        .prints(&["0 of 1 run recorded"]);
    laboratory.call(&["run", "exp.toml", "--dry-run"]).code(0);
    laboratory.write("end", "");
    first.end().code(0);
}

#[test]
fn a_lock_file_that_cannot_be_used() {
    let laboratory = Laboratory::new();
    laboratory.write("exp.toml", EXPERIMENT);
    let said = laboratory
        .perflab(&RUN)
        .env("PERFLAB_LOCK", laboratory.path(""))
        .output()
        .unwrap();
    crate::support::Said::from(said)
        .code(5)
        .says(&["expected a lock file", "regular file"]);
}
