//! A program that is recorded by whoever starts it, while it is measured.

use std::collections::BTreeMap;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use perflab_control::RecordWish;
use perflab_recorder::{LiveRecording, Problem, StartOptions, Summary};
use perflab_trace_file::{EventSelection, Trace};

use crate::support::compile::compile;
use crate::support::link::link;
use crate::support::recorded::new_trace;
use crate::support::{Program, preload};

fn of(probes: &str) -> StartOptions {
    StartOptions {
        probes: probes.to_owned(),
        memory: RecordWish {
            keep: true,
            ring: 0,
            all: 0,
        },
        when: None,
        preload: preload().into(),
    }
}

#[test]
fn a_server_under_load() {
    let directory = tempfile::tempdir_in("/dev/shm").unwrap();
    let (program, trace) = (
        directory.path().join("life"),
        directory.path().join("trace"),
    );
    compile("gcc", &["-O2"], &["life.c"], &program);
    let mut recording = LiveRecording::of_started(new_trace(&trace), of("life:*"));
    let mut command = Command::new(program);
    let mut server = Program::start_alone(command.envs(recording.environment()));
    let roots = [server.pid()];
    let is_over = AtomicBool::new(false);
    let (summary, problems) = std::thread::scope(|scope| {
        let is_over = &is_over;
        let rounds = scope.spawn(move || {
            let end = Instant::now() + Duration::from_secs(120);
            let mut problems = Vec::new();
            let mut tell = |problem| problems.push(problem);
            while !is_over.load(Ordering::Relaxed) {
                recording.search(&roots, &mut tell).unwrap();
                recording.round().unwrap();
                std::thread::sleep(Duration::from_millis(20));
                assert!(Instant::now() < end);
            }
            (recording.finish(&roots, &mut tell).unwrap(), problems)
        });
        for _ in 0..3 {
            server.tell("work 100\n");
            assert_eq!(server.line(), "done\n");
        }
        is_over.store(true, Ordering::Relaxed);
        rounds.join().unwrap()
    });
    server.ends();
    assert!(problems.is_empty(), "{problems:?}");
    let expected = BTreeMap::from([("life:work".to_owned(), 300)]);
    assert_eq!(summary.events_by_probe(), expected);
    assert_eq!((summary.processes, summary.progress.lost()), (1, 0));
    let trace = Trace::open(&trace).unwrap();
    assert!(trace.is_ended(), "{:?}", trace.cut());
    assert_eq!(trace.events(&EventSelection::default()).count(), 300);
}

/// Records a static program that starts its agent late. Returns what went wrong as well.
fn late(words: &[&str]) -> (Summary, Vec<Problem>) {
    let directory = tempfile::tempdir_in("/dev/shm").unwrap();
    let path = |name| directory.path().join(name);
    link("gcc", &["-static"], &["late.c"], &path("late"));
    let mut recording = LiveRecording::of_started(new_trace(&path("trace")), of("late:*"));
    let mut command = Command::new(path("late"));
    let command = command.args(words).envs(recording.environment());
    let mut child = command.spawn().unwrap();
    let roots = [child.id()];
    let mut problems = Vec::new();
    let mut tell = |problem| problems.push(problem);
    while child.try_wait().unwrap().is_none() {
        recording.search(&roots, &mut tell).unwrap();
        recording.round().unwrap();
        std::thread::sleep(Duration::from_millis(5));
    }
    let summary = recording.finish(&[], &mut tell).unwrap();
    let expected = BTreeMap::from([("late:work".to_owned(), 100)]);
    assert_eq!(summary.events_by_probe(), expected, "{words:?}");
    (summary, problems)
}

/// Such programs, whose events were all there, were called programs without an agent.
#[test]
fn static_programs_that_start_their_agent_late() {
    for words in [&["0"][..], &["30"], &["150"], &["0", "vfork"]] {
        let (summary, problems) = late(words);
        assert!(problems.is_empty(), "{words:?}: {problems:?}");
        assert_eq!((summary.refused, summary.hidden), (0, 0), "{words:?}");
    }
}

#[test]
fn a_child_that_is_older_than_the_agent_of_its_parent() {
    let (summary, problems) = late(&["150", "fork"]);
    assert!(
        matches!(problems[..], [Problem::Agentless { .. }]),
        "{problems:?}"
    );
    assert_eq!((summary.refused, summary.agentless), (1, 1));
}
