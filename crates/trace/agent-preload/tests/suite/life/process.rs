//! What becomes of the process: children, other programs in it, daemons, other users.

use std::process::Command;

use perflab_control::traced;
use perflab_testing::{not_checked, test_name};

use super::{built, does, hits, life, life_by, sites};
use crate::support::{Program, agent_of, preload, soon};

#[test]
fn children() {
    for protocol in ["word", "pun"] {
        let directory = tempfile::tempdir().unwrap();
        let mut program = life_by(directory.path(), protocol);
        let agent = program.ask();
        agent.switch("*", true).unwrap();
        does(&mut program, "work 5");
        let line = does(&mut program, "fork");
        let child: u32 = line.strip_prefix("child ").unwrap().parse().unwrap();
        let found = || {
            traced()
                .unwrap()
                .into_iter()
                .find(|traced| traced.pid == child)
        };
        soon("the child has an agent", || found().is_some());
        let own = agent_of(child);
        program.tell(" ");
        soon("the child's site was hit", || hits(&own, "work") == 1);
        own.switch("*", false).unwrap();
        assert!(sites(&agent)[0].on, "the parent's is as it was");
        program.tell(" ");
        assert_eq!(program.line(), "status 0 done\n");
        assert_eq!(hits(&agent, "work"), 5, "the child counts for itself");
        assert_eq!(does(&mut program, "vfork"), "status 0 done");
        assert_eq!(hits(&agent, "work"), 6, "one memory");
        assert!(found().is_none());
        program.ends();
    }
}

/// The linker's lock, if a thread of the parent holds it as the process forks, stays closed in the child.
#[test]
fn children_of_a_process_that_is_searched() {
    let directory = tempfile::tempdir().unwrap();
    let path = built(directory.path(), "forks.c", &["-rdynamic", "-pthread"]);
    let mut program = Program::start(Command::new(path).env("PERFLAB_PROBES", "forks:*"));
    let children: Vec<u32> = (0..20)
        .map(|_| {
            let line = program.line();
            line.trim().strip_prefix("child ").unwrap().parse().unwrap()
        })
        .collect();
    for child in children {
        assert_eq!(hits(&agent_of(child), "child"), 1, "{child}");
    }
    program.ends();
}

#[test]
fn another_program_in_the_same_process() {
    let directory = tempfile::tempdir().unwrap();
    let mut program = life(directory.path());
    program.ask().switch("*", true).unwrap();
    program.tell("exec\n");
    let agent = program.ask();
    let is_new = || {
        agent
            .list("*")
            .is_ok_and(|(sites, _)| sites.len() == 1 && !sites[0].on)
    };
    soon(
        "the new program has an agent, which was asked for nothing",
        is_new,
    );
    agent.switch("*", true).unwrap();
    does(&mut program, "work 5");
    assert_eq!(hits(&agent, "work"), 5);
    program.ends();
}

#[test]
fn a_daemon_closes_all_files() {
    let directory = tempfile::tempdir().unwrap();
    let mut program = life(directory.path());
    let agent = program.ask();
    does(&mut program, "closefrom");
    agent.switch("*", true).unwrap();
    does(&mut program, "work 5");
    assert_eq!(hits(&agent, "work"), 5);
    program.ends();
}

#[test]
fn without_close_range() {
    let directory = tempfile::tempdir().unwrap();
    let life = built(directory.path(), "life.c", &[]);
    let surround = built(directory.path(), "surround.c", &[]);
    let mut program = Program::start(Command::new(&surround).arg("files").arg(&life));
    does(&mut program, "closefrom");
    let agent = program.ask();
    agent.switch("*", true).unwrap();
    does(&mut program, "closefrom");
    does(&mut program, "work 5");
    assert_eq!(hits(&agent, "work"), 5);
    program.ends();
}

#[test]
fn a_server_that_gives_up_its_rights() {
    let directory = tempfile::tempdir().unwrap();
    let is_root = Command::new("id").arg("-u").output().unwrap().stdout == b"0\n";
    if !is_root {
        not_checked(&test_name(), "only root can become another user");
        return;
    }
    let mut program = life(directory.path());
    let agent = program.ask();
    does(&mut program, "user");
    // Its agent thread has the new user too. /proc/self/mem belongs to root now.
    let on = agent.switch("*", true).unwrap();
    assert_eq!(on.changed, 1, "{on:?}");
    does(&mut program, "work 5");
    assert_eq!(hits(&agent, "work"), 5);
    program.ends();
}

#[test]
fn a_program_whose_name_is_no_text() {
    let directory = tempfile::tempdir().unwrap();
    let life = built(directory.path(), "life.c", &[]);
    // The kernel keeps fifteen bytes of it, the last one half a letter.
    let named = directory.path().join("programm-abcdeü");
    std::fs::rename(life, &named).unwrap();
    let mut program = Program::start(&mut Command::new(named));
    let agent = program.ask();
    agent.switch("*", true).unwrap();
    does(&mut program, "work 2");
    assert_eq!(hits(&agent, "work"), 2);
    program.ends();
}

/// It ends with its last thread, and says what it would have said: the agent's thread is none of its own.
#[test]
fn a_first_thread_that_ends_before_the_others() {
    let directory = tempfile::tempdir().unwrap();
    let program = built(directory.path(), "first.c", &["-pthread"]);
    for how in ["exit", "value", "fork", "atexit"] {
        let outcome = |variables: &[(&str, &str)]| {
            let mut command = Command::new("timeout");
            command.args(["-s", "KILL", "20", program.to_str().unwrap(), how]);
            let done = command.envs(variables.iter().copied()).output().unwrap();
            (
                done.status.code(),
                String::from_utf8_lossy(&done.stdout).into_owned(),
            )
        };
        let alone = outcome(&[]);
        let preload = preload();
        let preload = preload.to_str().unwrap();
        for wanted in ["PERFLAB_PROBES", "PERFLAB_RECORD", "NONE"] {
            let traced = outcome(&[("LD_PRELOAD", preload), (wanted, "*")]);
            assert_eq!(traced, alone, "{how} {wanted}");
        }
        let code = if how == "atexit" { 7 } else { 0 };
        assert_eq!(alone.0, Some(code), "{how}");
        assert!(alone.1.ends_with("other "), "{how}: {alone:?}");
    }
}
