//! Surroundings in which code cannot be changed in the usual way.

use std::path::Path;
use std::process::Command;

use super::{built, does, hits, life};
use crate::support::Program;

/// How the first switch was made in surroundings, and hits of three executions after it.
fn switched_in(
    directory: &Path,
    surroundings: &[&str],
    program: &Path,
    protocol: Option<&str>,
) -> Result<(String, u64), String> {
    let surround = built(directory, "surround.c", &[]);
    let mut words = surroundings
        .iter()
        .flat_map(|mode| [surround.as_os_str(), mode.as_ref()]);
    let mut command = Command::new(words.next().unwrap());
    command.args(words).arg(program);
    command.envs(protocol.map(|protocol| ("PERFLAB_AGENT_PROTOCOL", protocol)));
    let mut program = Program::start(&mut command);
    does(&mut program, "work 1");
    let agent = program.ask();
    let result = agent.switch("*", true);
    does(&mut program, "work 3");
    let hits = hits(&agent, "work");
    program.ends();
    result
        .map(|on| (on.how, hits))
        .map_err(|error| error.to_string())
}

#[test]
fn where_pages_cannot_be_made_writable() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    for flags in [&[][..], &["-no-pie"]] {
        let life = built(directory, "life.c", flags);
        let (how, hits) = switched_in(directory, &["mdwe"], &life, None).unwrap();
        let expected =
            "by pun, through /proc/self/mem, with membarrier; code cannot be made writable";
        assert!(how.starts_with(expected), "{flags:?}: {how}");
        assert_eq!(hits, 3);
    }
    let life = built(directory, "life.c", &[]);
    let refused = switched_in(directory, &["mdwe"], &life, Some("word")).unwrap_err();
    assert!(refused.contains("cannot be made writable"), "{refused}");
    // As services are kept from it.
    let (how, hits) = switched_in(directory, &["no-change"], &life, None).unwrap();
    assert!(how.starts_with("by pun, through /proc/self/mem"), "{how}");
    assert_eq!(hits, 3);
    // Nor executable memory be had.
    for (code, reason) in [
        ("no-code", "Permission denied"),
        (
            "kill-code",
            "a filter of system calls ends a process for that",
        ),
    ] {
        let refused = switched_in(directory, &["mdwe", code], &life, None).unwrap_err();
        assert!(
            refused.contains(&format!("executable memory cannot be had: {reason}"))
                && refused.contains("PERFLAB_AGENT_PROTOCOL=fault"),
            "{code}: {refused}"
        );
        let (how, hits) = switched_in(directory, &["mdwe", code], &life, Some("fault")).unwrap();
        assert_eq!(how, "by fault, through /proc/self/mem, with membarrier");
        assert_eq!(hits, 3);
    }
}

/// What was switched on by a jump of five bytes cannot go off by a pun, and stays as it is.
#[test]
fn where_pages_cannot_be_made_writable_any_more() {
    let directory = tempfile::tempdir().unwrap();
    let mut program = life(directory.path());
    let agent = program.ask();
    let on = agent.switch("*", true).unwrap();
    assert!(on.how.starts_with("by word"), "{on:?}");
    does(&mut program, "no writable code");
    let refused = agent.switch("*", false).unwrap_err().to_string();
    assert!(refused.contains("cannot go off any more"), "{refused}");
    does(&mut program, "work 3");
    assert_eq!(hits(&agent, "work"), 3);
    program.ends();
}

#[test]
fn where_membarrier_cannot_be_used() {
    let directory = tempfile::tempdir().unwrap();
    let life = built(directory.path(), "life.c", &[]);
    for mode in ["refuse", "kill"] {
        let (how, hits) = switched_in(directory.path(), &[mode], &life, None).unwrap();
        assert!(
            how.contains("with a visit to each processor"),
            "{mode}: {how}"
        );
        assert_eq!(hits, 3);
    }
}

#[test]
fn what_cannot_be_done_changes_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let life = built(directory.path(), "life.c", &[]);
    let surround = built(directory.path(), "surround.c", &[]);
    for protocol in ["word", "pun", "fault", "trap"] {
        let mut program = Program::start(
            Command::new(&surround)
                .arg("refuse")
                .arg(&life)
                .env("PERFLAB_AGENT_PROTOCOL", protocol)
                .env("PERFLAB_AGENT_SYNC", "membarrier"),
        );
        does(&mut program, "work 1");
        let agent = program.ask();
        for _ in 0..2 {
            let refused = agent.switch("*", true).unwrap_err().to_string();
            assert!(refused.contains("membarrier failed"), "{refused}");
        }
        does(&mut program, "work 3");
        assert_eq!(hits(&agent, "work"), 0);
        program.ends();
    }
}
