//! `rcu possible`: what the laboratory asks before it measures.

use std::path::PathBuf;
use std::process::Command;

use perflab_testing::needs;

use crate::{no_libraries, rcu};

#[test]
fn what_is_here_is_possible() {
    assert_eq!(
        rcu(&["possible", "own-qsbr", "--readers", "6"]).code(0).err,
        ""
    );
    let answer = rcu(&["possible", "rwlock", "--json"]).code(0).json();
    assert_eq!(
        answer,
        serde_json::json!({"flavour": "rwlock", "available": true})
    );
}

/// As the laboratory reads it, which has both streams in one file.
#[test]
fn what_is_not_here_ends_with_77_and_its_reason_is_the_last_line() {
    let directory = no_libraries();
    let said = rcu(&[
        "possible",
        "memb",
        "--libraries",
        directory.to_str().unwrap(),
    ])
    .code(77);
    assert_eq!(said.out.lines().count(), 1, "{}", said.out);
    assert!(said.out.contains("liburcu-memb.so.8"), "{}", said.out);
    assert_eq!(said.err, "");
    let arguments = ["possible", "memb", "--json", "--libraries"];
    let said = rcu(&[&arguments[..], &[directory.to_str().unwrap()]].concat()).code(77);
    assert_eq!(said.json()["available"], false);
}

#[test]
fn a_flavour_that_nobody_knows_is_a_mistake() {
    let said = rcu(&["possible", "membb"]).code(2);
    assert!(
        said.err.contains("memb-forced") && said.out.is_empty(),
        "{}",
        said.err
    );
    rcu(&["possible", "memb", "--readers", "0"]).code(2);
}

/// The public build of "signal" that was memb all the time.
#[test]
fn a_signal_that_is_memb_is_neither_possible_nor_measured() {
    needs("cc", "gcc");
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("false-signal");
    std::fs::create_dir_all(&directory).unwrap();
    let compiled = Command::new("cc")
        .args(["-shared", "-fPIC", "-O2", "-DFLAVOUR=signal", "-DHANDLER"])
        .arg(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../rcu/tests/fake/flavour.c"
        ))
        .arg("-o")
        .arg(directory.join("liburcu-signal.so.8"))
        .status()
        .unwrap();
    assert!(compiled.success());
    let directory = ["--libraries", directory.to_str().unwrap()];
    let said = rcu(&[&["possible", "signal"][..], &directory].concat()).code(77);
    assert!(
        said.out.ends_with(": what is called signal here is memb\n"),
        "{}",
        said.out
    );
    let said = rcu(&[&["run", "signal"][..], &directory].concat()).code(4);
    assert!(said.out.is_empty());
    assert!(
        said.err.ends_with(": what is called signal here is memb\n"),
        "{}",
        said.err
    );
}
