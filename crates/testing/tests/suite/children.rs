//! Processes of tests that write in one file.

use std::fs;
use std::process::{Command, Stdio};

use perflab_testing::{NOT_CHECKED, not_checked, test_name};

/// Says which part of the test a process is.
const PART: &str = "PERFLAB_TESTING_PART";

/// Long beside what a buffer of a few lines would hold.
const LINES: usize = 500;

/// The test starts itself, several times at once.
#[test]
fn lines_of_processes_do_not_mix() {
    if let Some(part) = std::env::var_os(PART) {
        let part = part.to_str().unwrap();
        for number in 0..LINES {
            not_checked(&test_name(), &format!("{part} {number}"));
        }
        return;
    }
    let name = format!("perflab-testing-{}-processes", std::process::id());
    let file = std::env::temp_dir().join(name);
    let parts = ["one", "two", "three"];
    let children = parts.map(|part| {
        Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "children::lines_of_processes_do_not_mix"])
            .env(PART, part)
            .env(NOT_CHECKED, &file)
            .env("CARGO_PKG_NAME", "package")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    });
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let text = fs::read_to_string(&file).unwrap();
    fs::remove_file(&file).unwrap();
    let mut found: Vec<&str> = text.lines().collect();
    let mut expected: Vec<String> = parts
        .iter()
        .flat_map(|part| (0..LINES).map(move |number| (part, number)))
        .map(|(part, number)| {
            format!("package children::lines_of_processes_do_not_mix\t{part} {number}")
        })
        .collect();
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected);
}

#[test]
fn a_file_that_cannot_be_written_fails_the_test() {
    if std::env::var_os(PART).is_some() {
        not_checked("this", "it is a trial");
        return;
    }
    let output = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "children::a_file_that_cannot_be_written_fails_the_test",
        ])
        .env(PART, "")
        .env(NOT_CHECKED, "/nonexistent/file")
        .output()
        .unwrap();
    assert!(!output.status.success());
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("cannot write /nonexistent/file"), "{said}");
    assert!(said.contains("not checked: this: it is a trial"), "{said}");
}
