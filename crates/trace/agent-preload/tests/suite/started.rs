//! A program that is recorded by whoever starts it, while it is measured.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::os::unix::fs::FileExt;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use perflab_abi::recording::{LOSSES_FILE, losses};
use perflab_control::RecordWish;
use perflab_control::variable::RECORD_FOR;
use perflab_recorder::{
    LiveRecording, Problem, StartOptions, Summary, directories, kept_for, remove_orphaned,
};
use perflab_trace_file::{EventSelection, Trace};

use crate::support::compile::compile;
use crate::support::filter::filter;
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

/// An agent of an earlier perflab ignores the filter of its environment and keeps all events, and its process may have
/// ended before anybody can ask it.
#[test]
fn an_agent_that_knows_no_filters() {
    let directory = tempfile::tempdir_in("/dev/shm").unwrap();
    let path = |name| directory.path().join(name);
    link("gcc", &["-static"], &["late.c"], &path("late"));
    for knows_filters in [1_u64, 0] {
        let options = StartOptions {
            when: Some(filter("i >= 90")),
            ..of("late:*")
        };
        let recording = LiveRecording::of_started(new_trace(&path("trace")), options);
        let variables = recording.environment();
        let mut command = Command::new(path("late"));
        let status = command.arg("0").envs(variables.clone()).status();
        assert!(status.unwrap().success());
        let mut marks = variables.iter().filter(|(name, _)| name == RECORD_FOR);
        let mark = marks.next().unwrap().1.to_str().unwrap();
        let kept = kept_for(&directories(), mark);
        assert_eq!(kept.len(), 1, "{kept:?}");
        let kept = &kept[0].directory;
        let file = OpenOptions::new().write(true).open(kept.join(LOSSES_FILE));
        let place = losses::KNOWS_FILTERS as u64 * 8;
        let written = file
            .unwrap()
            .write_all_at(&knows_filters.to_le_bytes(), place);
        written.unwrap();
        let mut problems = Vec::new();
        let summary = recording.finish(&[], &mut |problem| problems.push(problem));
        let summary = summary.unwrap();
        if knows_filters == 1 {
            assert!(problems.is_empty(), "{problems:?}");
            let expected = BTreeMap::from([("late:work".to_owned(), 10)]);
            assert_eq!(summary.events_by_probe(), expected);
        } else {
            let [Problem::Refused(refusal)] = &problems[..] else {
                panic!("{problems:?}");
            };
            assert!(refusal.reason.contains("knows no filters"), "{refusal:?}");
            assert_eq!((summary.processes, summary.refused), (0, 1));
            // What it recorded is there for whoever wants all of it.
            remove_orphaned(kept).unwrap();
        }
    }
}
