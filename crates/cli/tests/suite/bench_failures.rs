//! `perflab bench` when something goes wrong: a message, the right code, and nothing left running.

use rustix::process::Signal;

use crate::support::{Laboratory, Said, signal};

fn bench(laboratory: &Laboratory, arguments: &[&str]) -> Said {
    laboratory.call(&[&["bench", "-r", "2"], arguments].concat())
}

#[test]
fn a_command_that_fails() {
    let laboratory = Laboratory::new();
    let said = bench(&laboratory, &["true", "exit 3"]).code(4);
    let said = said.says(&[
        "`exit 3` ended with exit code 3",
        "--ignore-failure",
        "--show-output",
    ]);
    assert!(said.out.is_empty(), "{}", said.out);
    bench(&laboratory, &["-N", "sh -c 'kill -KILL $$'"])
        .code(4)
        .says(&["ended by signal 9"]);
}

#[test]
fn failures_that_are_put_up_with() {
    let laboratory = Laboratory::new();
    bench(&laboratory, &["-i", "exit 3"])
        .code(0)
        .prints(&["2 runs did not end with exit code 0"]);
    bench(&laboratory, &["-i=3,4", "exit 3"]).code(0);
    bench(&laboratory, &["-i=4", "exit 3"])
        .code(4)
        .says(&["exit code 3"]);
    bench(&laboratory, &["-i=x", "exit 3"])
        .code(2)
        .says(&["`x` is not an exit code"]);
}

#[test]
fn a_program_that_is_not_installed() {
    let laboratory = Laboratory::new();
    bench(&laboratory, &["-N", "no-such-tool-here"])
        .code(5)
        .says(&["cannot start `no-such-tool-here`", "install it"]);
    bench(&laboratory, &["-N", "touch ran", "no-such-tool-here"])
        .code(5)
        .says(&["cannot start `no-such-tool-here`"]);
    assert!(
        !laboratory.path("ran").exists(),
        "the other one was measured"
    );
    // A shell can be started; that it did not find the program is its failure.
    bench(&laboratory, &["no-such-tool-here"])
        .code(4)
        .says(&["exit code 127"]);
    bench(&laboratory, &["-S", "no-such-shell", "true"])
        .code(5)
        .says(&["no-such-shell"]);
}

#[test]
fn a_time_limit_ends_the_whole_family() {
    let laboratory = Laboratory::new();
    let said = bench(
        &laboratory,
        &[
            "--timeout",
            "200ms",
            "sleep 3600 & (sleep 3600 &); sleep 3600",
        ],
    );
    said.code(124)
        .says(&["sleep 3600` took longer than --timeout (200ms)"]);
    bench(&laboratory, &["--timeout", "200ms", "true", "sleep 60"])
        .code(124)
        .says(&["error: `sleep 60` took longer than --timeout"]);
    bench(
        &laboratory,
        &["--timeout", "200ms", "--prepare", "sleep 61", "true"],
    )
    .code(124)
    .says(&["error: `sleep 61` took longer than --timeout"]);
    laboratory.assert_nothing_runs();
}

#[test]
fn interrupts_leave_nothing_behind() {
    for (number, code) in [(Signal::INT, 130), (Signal::TERM, 130), (Signal::KILL, -1)] {
        let laboratory = Laboratory::new();
        let running = laboratory.start(&["bench", "touch held; setsid sleep 3600 & sleep 3600"]);
        laboratory.await_file("held");
        signal(running.pid(), number);
        let said = running.end().code(code);
        assert!(said.out.is_empty(), "{}", said.out);
        laboratory.await_nothing_runs();
    }
}

#[test]
fn commands_beside_the_measured_one_that_fail() {
    let laboratory = Laboratory::new();
    for flag in ["--setup", "--prepare", "--conclude", "--cleanup"] {
        bench(&laboratory, &[flag, "exit 6", "true"])
            .code(4)
            .says(&[&format!(
                "the {flag} command `exit 6` ended with exit code 6"
            )]);
    }
    bench(&laboratory, &["--prepare", "exit 6", "touch ran"]).code(4);
    assert!(!laboratory.path("ran").exists());
}

#[test]
fn flags_that_make_no_sense() {
    let laboratory = Laboratory::new();
    for (arguments, words) in [
        (&["--no-such-flag", "true"][..], "--no-such-flag"),
        (&["-r", "2", "-m", "5", "true"], "cannot be used with"),
        (&["-r", "0", "true"], "--runs"),
        (&["--block", "0", "true"], "--block"),
        (&["-N", ""], "a command is empty"),
        (&["-N", "echo 'open"], "cannot split"),
        (&["-S", "", "true"], "--shell"),
        (&["-P", "n", "3", "1", "true"], "is empty"),
        (&["-P", "n", "1", "3", "-D", "0", "true"], "greater than 0"),
        (&["-P", "n", "one", "3", "true"], "plain numbers"),
        (&["-D", "2", "true"], "--parameter-scan"),
        (&["-L", "n", "1", "-L", "n", "2", "true"], "names `n` twice"),
        (&["-n", "x", "-n", "y", "true"], "--command-name"),
        (&["-p", "a", "-p", "b", "1", "2", "3"], "once per command"),
        (&["--timeout", "soon", "true"], "soon"),
        (&["--margin", "500%", "true", "true"], "--margin"),
        (&["--cpus", "x", "true"], "--cpus"),
    ] {
        laboratory
            .call(&[&["bench"], arguments].concat())
            .code(2)
            .says(&[words]);
    }
    laboratory.call(&["bench"]).code(2).says(&["<COMMAND>"]);
    laboratory
        .call(&["bench", "--cpus", "1023", "true"])
        .code(5)
        .says(&["CPU 1023"]);
}

#[test]
fn an_export_that_cannot_be_written_is_found_before_measuring() {
    let laboratory = Laboratory::new();
    for flag in [
        "--export-json",
        "--export-csv",
        "--export-markdown",
        "--export-report",
    ] {
        for path in ["no/such/directory/file", "."] {
            bench(&laboratory, &[flag, path, "touch ran"])
                .code(2)
                .says(&["cannot write", path]);
        }
    }
    assert!(!laboratory.path("ran").exists());
}

#[test]
fn a_bench_that_fails_makes_no_export_and_spoils_none() {
    for kind in ["json", "csv", "markdown", "asciidoc", "orgmode", "report"] {
        let laboratory = Laboratory::new();
        let flag = format!("--export-{kind}");
        bench(&laboratory, &[&flag, "new", "false"]).code(4);
        assert!(!laboratory.path("new").exists(), "{kind}");
        laboratory.write("old", "of another bench");
        bench(&laboratory, &[&flag, "old", "false"]).code(4);
        assert_eq!(laboratory.read("old"), "of another bench", "{kind}");
    }
}

#[test]
fn an_export_to_a_full_disk_does_not_lose_the_summary() {
    let laboratory = Laboratory::new();
    let said = bench(&laboratory, &["--export-json", "/dev/full", "true"]).code(4);
    said.says(&["cannot write /dev/full", "No space left"])
        .prints(&["1: true", "2 runs"]);
}

#[test]
fn input_and_output_that_cannot_be_opened() {
    let laboratory = Laboratory::new();
    bench(&laboratory, &["--input", "absent", "true"])
        .code(2)
        .says(&["cannot open absent"]);
    bench(&laboratory, &["--output", "no/such/file", "true"])
        .code(2)
        .says(&["cannot open no/such/file"]);
}

#[test]
fn a_command_against_itself() {
    let laboratory = Laboratory::new();
    bench(&laboratory, &["-N", "true", "true"])
        .code(0)
        .prints(&["true (2) against true"]);
}
