//! Programs in C that link the agent: those that are static, which cannot be preloaded, and others.

use std::process::Command;

use perflab_control::variable::WHEN;

use crate::support::agreement::{counted, counted_as_said, noted, probes};
use crate::support::compile::{FOR_C, FOR_CPP};
use crate::support::link::{IN_C, IN_CPP, link};
use crate::support::{Program, agent_of};

#[test]
fn programs_of_all_kinds() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("program");
    let kinds: &[&[&str]] = &[
        &["-static"],
        &["-static-pie", "-fPIE"],
        &["-no-pie", "-fno-pie"],
        &["-fPIE", "-pie"],
        &["-static", "-ffunction-sections", "-Wl,--gc-sections", "-s"],
        &["-static", "-flto"],
        &["-static", "-DPERFLAB_PROBE_BRANCH"],
    ];
    for (compilers, sources, number) in [(FOR_C, IN_C, 5), (FOR_CPP, IN_CPP, 3)] {
        let mut expected: Option<Vec<String>> = None;
        for compiler in compilers {
            for kind in kinds {
                let what = format!("{compiler} {kind:?}");
                link(compiler, kind, sources, &path);
                let mut command = Command::new(&path);
                let mut program = Program::start_alone(command.env("PERFLAB_PROBES", "sites:*"));
                assert_eq!(program.line(), "start 0\n", "{what}");
                let found = probes(&counted_as_said(&mut program, &what));
                program.ends();
                if kind.contains(&"-static") {
                    // By this `perflab trace on --when` knows that it has no earlier agent.
                    let file = std::fs::read(&path).unwrap();
                    assert!(String::from_utf8_lossy(&file).contains(WHEN), "{what}");
                }
                assert_eq!(found.len(), number, "{what}");
                assert_eq!(noted(&path).len(), number, "{what}");
                assert_eq!(
                    expected.get_or_insert_with(|| found.clone()),
                    &found,
                    "{what}"
                );
            }
        }
    }
}

/// gold knows no static programs that are position-independent.
#[test]
fn static_programs_by_other_linkers() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("program");
    for linker in ["gold", "lld"] {
        link(
            "gcc",
            &["-static", &format!("-fuse-ld={linker}")],
            IN_C,
            &path,
        );
        let mut command = Command::new(&path);
        let mut program = Program::start_alone(command.env("PERFLAB_PROBES", "sites:*"));
        assert_eq!(program.line(), "start 0\n");
        assert_eq!(probes(&counted_as_said(&mut program, linker)).len(), 5);
        program.ends();
    }
}

/// A program that starts an agent is started with one: the first serves, in the program and in its children.
#[test]
fn one_agent_of_two() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("program");
    link("gcc", &[], IN_C, &path);
    let already = format!("start {}\n", 114);
    let mut program = Program::start(Command::new(&path).env("PERFLAB_PROBES", "sites:*"));
    assert_eq!(program.line(), already, "EALREADY");
    let sites = counted_as_said(&mut program, "two agents");
    assert_eq!(probes(&sites).len(), 5);
    program.ends();

    let mut command = Command::new(&path);
    let mut program = Program::start(command.arg("fork").env("PERFLAB_PROBES", "sites:*"));
    assert_eq!(program.line(), already, "EALREADY");
    for _ in 0..5 {
        let line = program.line();
        let child = line.trim().strip_prefix("child ").unwrap().parse().unwrap();
        let said = program.said();
        let sites = counted(&agent_of(child), &said, "a child");
        assert_eq!(probes(&sites).len(), 5);
        program.tell("\n");
    }
    program.ends();
}

/// Where no agent can be, the program says so and goes on.
#[test]
fn no_agent_can_be() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("program");
    link("gcc", &["-static"], IN_C, &path);
    // No socket can be opened.
    let mut command = Command::new("prlimit");
    let mut program = Program::start_alone(command.arg("--nofile=3").arg(&path));
    assert_eq!(program.line(), "start 5\n", "EIO");
    assert_eq!(program.said().len(), 5);
    program.ends();
}
