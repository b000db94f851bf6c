//! `rcu possible`: the laboratory asks it before it measures.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use perflab_testing::{needs, test_name};

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

/// A small liburcu, which behaves as it is compiled.
pub const FAKE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../rcu/tests/fake/flavour.c");

/// Compiles a library of a flavour, and returns its directory. `code` follows the files of the arguments.
pub fn library(flavour: &str, arguments: &[&str], code: &str) -> PathBuf {
    needs("cc", "gcc");
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(test_name());
    fs::create_dir_all(&directory).unwrap();
    let file = directory.join("more.c");
    fs::write(&file, code).unwrap();
    let compiled = Command::new("cc")
        .args(["-shared", "-fPIC", "-O2", "-o"])
        .arg(directory.join(format!("liburcu-{flavour}.so.8")))
        .args(arguments)
        .arg(file)
        .status()
        .unwrap();
    assert!(compiled.success());
    directory
}

/// A liburcu-memb without the fallback does so where the kernel offers no membarrier.
#[test]
fn a_library_that_ends_the_process_makes_its_flavour_impossible() {
    let dies =
        "void abort(void);\n__attribute__((constructor)) static void dies(void) { abort(); }\n";
    let directory = library("memb", &[], dies);
    let directory = directory.to_str().unwrap();
    let said = rcu(&["possible", "memb", "--libraries", directory]).code(77);
    let reason = said.out.lines().last().unwrap();
    assert!(
        reason.starts_with("the process that looked ended with signal: 6"),
        "{reason}"
    );
    let list = rcu(&["list", "--json", "--libraries", directory])
        .code(0)
        .json();
    let answers = list.as_array().unwrap();
    let of = |flavour: &str| {
        answers
            .iter()
            .find(|answer| answer["flavour"] == flavour)
            .unwrap()
    };
    assert_eq!(of("memb")["reason"], reason);
    assert_eq!(of("own-qsbr")["available"], true);
}

#[test]
fn a_cpu_that_may_not_be_used_is_no_place_to_measure() {
    let said = rcu(&["possible", "own-qsbr", "--affinity", "1000"]).code(77);
    assert!(
        said.out.contains("a thread cannot be bound to CPU 1000"),
        "{}",
        said.out
    );
}

/// The public build of "signal" that was memb all the time.
#[test]
fn a_signal_that_is_memb_is_neither_possible_nor_measured() {
    let directory = library("signal", &["-DFLAVOUR=signal", "-DHANDLER", FAKE], "");
    let directory = ["--libraries", directory.to_str().unwrap()];
    let said = rcu(&[&["possible", "signal"][..], &directory].concat()).code(77);
    assert!(
        said.out.ends_with(": signal works as memb here\n"),
        "{}",
        said.out
    );
    let said = rcu(&[&["run", "signal"][..], &directory].concat()).code(4);
    assert!(said.out.is_empty());
    assert!(
        said.err.ends_with(": signal works as memb here\n"),
        "{}",
        said.err
    );
}
