//! Objects that a program loads and unloads.

use std::process::Command;

use perflab_control::{Agent, Site};
use perflab_testing::{not_checked, test_name};

use super::{built, does, hits, life, life_by, sites};
use crate::support::{Program, soon};

#[test]
fn objects_that_come_and_go() {
    for protocol in ["word", "pun"] {
        let directory = tempfile::tempdir().unwrap();
        let library = built(directory.path(), "elsewhere.c", &["-shared", "-fPIC"]);
        let mut program = life_by(directory.path(), protocol);
        let agent = program.ask();
        let how = agent.switch("*", true).unwrap().how;
        assert!(how.starts_with(&format!("by {protocol}")), "{how}");
        for _ in 0..3 {
            assert_eq!(
                does(&mut program, &format!("open {}", library.display())),
                "opened done"
            );
            let is_on = |site: &Site| site.name == "elsewhere" && site.on;
            soon("the new site is on", || sites(&agent).iter().any(is_on));
            does(&mut program, "call elsewhere");
            assert_eq!(hits(&agent, "elsewhere"), 1);
            does(&mut program, "close");
            assert_eq!(sites(&agent).len(), 1);
        }
        program.ends();
    }
}

/// Loads an object, whose site goes on by itself.
fn finds_another(program: &mut Program, agent: &Agent, library: &str) {
    assert_eq!(does(program, &format!("open {library}")), "opened done");
    let is_on = |site: &Site| site.name == "elsewhere" && site.on;
    soon("the new site is on", || sites(agent).iter().any(is_on));
    does(program, "call elsewhere");
    assert_eq!(hits(agent, "elsewhere"), 1);
}

/// The kernel lists it among what is mapped.
#[test]
fn a_program_whose_path_is_no_text() {
    use std::os::unix::ffi::OsStrExt;
    for protocol in ["word", "pun"] {
        let directory = tempfile::tempdir().unwrap();
        let library = built(directory.path(), "elsewhere.c", &["-shared", "-fPIC"]);
        let name = std::ffi::OsStr::from_bytes(b"li\xffe");
        let path = directory.path().join(name);
        std::fs::copy(built(directory.path(), "life.c", &[]), &path).unwrap();
        let mut command = Command::new(path);
        let mut program = Program::start(command.env("PERFLAB_AGENT_PROTOCOL", protocol));
        let agent = program.ask();
        agent.switch("*", true).unwrap();
        finds_another(&mut program, &agent, library.to_str().unwrap());
        program.ends();
    }
}

/// There is no `/proc` in the new root.
#[test]
fn objects_that_come_after_a_change_of_the_root() {
    if !rustix::process::geteuid().is_root() {
        not_checked(&test_name(), "only root can change it");
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    built(directory.path(), "elsewhere.c", &["-shared", "-fPIC"]);
    let mut program = life_by(directory.path(), "word");
    let agent = program.ask();
    agent.switch("*", true).unwrap();
    let root = directory.path().display();
    assert_eq!(does(&mut program, &format!("chroot {root}")), "done");
    finds_another(&mut program, &agent, "/elsewhere");
    agent.switch("*", false).unwrap();
    assert!(sites(&agent).iter().all(|site| !site.on));
    program.ends();
}

#[test]
fn an_object_that_fails_to_load() {
    let directory = tempfile::tempdir().unwrap();
    let library = built(directory.path(), "broken.c", &["-shared", "-fPIC"]);
    let mut program = life(directory.path());
    let agent = program.ask();
    for on in [true, false, true, false] {
        let opened = does(&mut program, &format!("open {}", library.display()));
        assert_eq!(opened, "not opened done");
        agent.switch("*", on).unwrap();
        assert_eq!(sites(&agent).len(), 1);
    }
    program.ends();
}
