//! A workload may remove or replace what perflab keeps of it. The run fails for that, and the experiment goes on.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;

use rustix::process::geteuid;

use crate::support::{Laboratory, RUN, Said, assert_detail};

/// Somebody whom permissions bind.
const NOBODY: u32 = 65534;

/// Two variants, of which the second does something to its own run.
fn experiment(driver: &str, harm: &str) -> String {
    format!(
        "[design]\nruns = 3\nseed = 1\n[variants.a]\nvars = {{ harm = 'true' }}\n[variants.b]\n\
         vars = {{ harm = '{harm}' }}\n[workloads.w]\nshell = true\n\
         command = 'echo VALUE 1 1/s rate; {{harm}}'\n{driver}\n"
    )
}

const COMMAND: &str = "driver = 'command'";

/// A driver that reads the output.
const GENERIC: &str = "driver = 'generic'\n[[workloads.w.metrics]]\nname = 'rate'\nunit = '1/s'\n\
                       better = 'higher'\nvalues = true";

/// Every run of the first variant passes, every one of the second fails for this; raw output can be looked at.
#[track_caller]
fn check(laboratory: &Laboratory, said: Said, words: &[&str]) {
    // No run of a cell passed, so it is given up.
    let said = said.code(4);
    let records = laboratory.records();
    for record in &records {
        match record["variant"].as_str().unwrap() {
            "a" => assert_eq!(record["status"], "PASS", "{record:#}"),
            _ => assert_detail(record, "FAIL", words),
        }
        let run = record["run"].as_u64().unwrap();
        let kept = laboratory.path(&format!("result/runs/{run:06}"));
        assert!(kept.symlink_metadata().unwrap().is_dir());
    }
    let failed = records.iter().filter(|record| record["variant"] == "b");
    assert_eq!(failed.count(), 3, "{}", said.err);
    laboratory.call(&["show", "result"]).code(0);
    laboratory
        .call(&["report", "result", "-o", "pages", "-q"])
        .code(0);
    assert!(!laboratory.path("result/scratch").exists());
}

#[test]
fn a_run_that_removes_its_directory() {
    for harm in [
        "rm -rf {run}",
        "rm -rf {run}; echo > {run}",
        "rm -rf {run}; ln -s / {run}",
        "rm -rf {run}; mkdir {run}",
        "mv {run} {dir}",
    ] {
        for driver in [COMMAND, GENERIC] {
            let laboratory = Laboratory::new();
            let said = laboratory.run(&experiment(driver, harm));
            check(&laboratory, said, &["directory", "removed or replaced"]);
        }
    }
}

#[test]
fn a_run_that_removes_or_replaces_its_output() {
    for harm in [
        "rm {run}/stdout",
        "rm {run}/stdout; mkdir {run}/stdout",
        "rm {run}/stdout; mkfifo {run}/stdout",
        "ln -sf /etc/passwd {run}/stdout",
    ] {
        let laboratory = Laboratory::new();
        let said = laboratory.run(&experiment(GENERIC, harm));
        check(&laboratory, said, &["stdout", "removed or replaced"]);
    }
}

/// The last line of what it said is looked for in a file that is none any more.
#[test]
fn a_run_that_fails_behind_a_pipe() {
    let laboratory = Laboratory::new();
    let harm = "rm {run}/stderr; mkfifo {run}/stderr; exit 3";
    laboratory.run(&experiment(COMMAND, harm)).code(4);
    let records = laboratory.records();
    let failed: Vec<_> = records
        .iter()
        .filter(|record| record["variant"] == "b")
        .collect();
    assert_eq!(failed.len(), 3);
    for record in failed {
        assert_detail(record, "EXIT", &["exit code 3"]);
    }
}

/// What a run forbids itself binds perflab, too, unless it is root.
#[test]
fn a_run_that_forbids_its_output() {
    for (harm, status) in [
        ("chmod 0 {run}/stdout", "FAIL"),
        ("chmod 0 {run}", "FAIL"),
        ("echo > {run}/own; chmod 0 {run}/own", "PASS"),
        (
            "mkdir {run}/own; echo > {run}/own/file; chmod 0 {run}/own",
            "PASS",
        ),
    ] {
        let laboratory = Laboratory::new();
        for directory in [".", "tmp"] {
            let all = Permissions::from_mode(0o777);
            fs::set_permissions(laboratory.path(directory), all).unwrap();
        }
        laboratory.write("exp.toml", experiment(GENERIC, harm));
        let mut command = laboratory.perflab(&RUN);
        if geteuid().is_root() {
            command.uid(NOBODY).gid(NOBODY);
        }
        let said = Said::from(command.output().unwrap());
        for record in laboratory.records() {
            let harmed = record["variant"] == "b";
            let expected = if harmed { status } else { "PASS" };
            assert_eq!(record["status"], expected, "{harm}: {record:#}");
        }
        let records = laboratory.records();
        let harmed = records.iter().filter(|record| record["variant"] == "b");
        assert_eq!(harmed.count(), 3, "{harm}: {}", said.err);
    }
}

#[test]
fn a_run_that_removes_the_result() {
    for harm in [
        "rm -rf $(dirname $(dirname {run}))",
        "rm -rf $(dirname {run})",
    ] {
        let laboratory = Laboratory::new();
        let said = laboratory.run(&experiment(COMMAND, harm)).code(4);
        let said = said.says(&["result", "was removed while the experiment ran"]);
        assert!(!said.err.contains("--resume"), "{}", said.err);
        assert!(!said.err.contains("is kept"), "{}", said.err);
        laboratory.assert_nothing_runs();
    }
}
