//! `perflab trace record`, `view` and `recover` as a user calls them, on a program with probes.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;
use std::time::{Duration, Instant};

use perflab_control::{Process, State};
use perflab_testing::{not_checked, test_name};
use rustix::process::Signal;

use crate::family::children;
use crate::life::{Place, directory, printed, text, wait_for_recorder, works};
use crate::support::{signal, wait_until};

#[test]
fn until_a_probe_is_hit() {
    let place = Place::new();
    let (mut life, recording, trace) = place.recorded(&["--until", "life:work"]);
    let pid = life.pid();
    let list = printed(&place.trace(&["list", "--pid", &pid]));
    assert!(list.contains("life:work      1   1  recorded"), "{list}");
    life.works(5);
    let said = printed(&recording.wait_with_output().unwrap());
    assert!(
        said.starts_with("5 events of 1 process in ") && said.contains("none lost"),
        "{said}"
    );
    assert!(said.contains("             5  life:work"), "{said}");
    assert_eq!(place.events(&[&trace]), works(0..5));
    assert_eq!(place.events(&[&trace, "--limit", "2"]), works(0..2));
    assert_eq!(
        place.events(&[&trace, "life:w*", "--thread", "life", "--pid", &pid]),
        works(0..5)
    );
    assert_eq!(place.events(&[&trace, "--to", "3600"]), works(0..5));
    assert_eq!(place.events(&[&trace, "--to", "0"]), works(0..1));
    let of_pid = format!("process 1: the trace has `{pid}`");
    let none: [(&[&str], &str); 8] = [
        (&["other:*"], "probe other:*: the trace has `life:work`"),
        (&["life:wrok"], "probe life:wrok: did you mean `life:work`?"),
        (&["--thread=live"], "thread live: did you mean `life`?"),
        (&["--thread=other"], "`life`"),
        (&["--pid=1"], &of_pid),
        (
            &["--from=3600"],
            "the time from 3600 s on: the events are from 0 s to 0.",
        ),
        (
            &["--from=3", "--to=2", "--pid=1"],
            "`; no event matches the time from 3 s to 2 s: ",
        ),
        (
            &["--from=3600", "--to=3601.5"],
            "the time from 3600 s to 3601.5 s: ",
        ),
    ];
    for (words, expected) in none {
        let output = place.trace(&[&["view", &trace], words].concat());
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(4), "{words:?}: {said}");
        assert!(said.contains(expected), "{words:?}: {said}");
        assert_eq!(text(&output.stdout).lines().count(), 1, "{words:?}");
    }
    assert_eq!(text(&place.trace(&["view", &trace, "-n", "0"]).stderr), "");
    let summary = printed(&place.trace(&["view", &trace, "--summary"]));
    assert!(
        summary.starts_with("5 events in ") && summary.contains(&format!("process {pid}: ")),
        "{summary}"
    );
    assert!(summary.contains(&format!("  {pid} life\n")), "{summary}");
    for words in [
        &["life:*"][..],
        &["--pid", &pid],
        &["--from", "1"],
        &["-n", "1"],
    ] {
        let output = place.trace(&[&["view", &trace, "--summary"], words].concat());
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{words:?}: {said}");
        assert!(said.contains("--summary is of the whole trace"), "{said}");
    }
    // Sites are as before.
    let list = printed(&place.trace(&["list", "--pid", &pid]));
    assert!(list.contains("life:work      1   0     0"), "{list}");
    // Nobody else may read what the program worked on.
    use std::os::unix::fs::MetadataExt;
    assert_eq!(fs::metadata(&trace).unwrap().mode() & 0o777, 0o600);
}

#[test]
fn rates_of_what_is_recorded() {
    let place = Place::new();
    let mut life = place.started(&["trace", "on", "life:*", "--record"]);
    let pid = life.pid();
    life.works(5000);
    let mut top = place.perflab();
    top.args(["trace", "top", "--pid", &pid, "--every", "0.5"]);
    let mut top = top.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(top.stdout.take().unwrap()).lines();
    let mut next_rate = || -> f64 {
        let block: Vec<String> = lines.by_ref().take(3).map(Result::unwrap).collect();
        let words: Vec<&str> = block[1].split_whitespace().collect();
        assert_eq!(words[2..], ["recorded", "life:work"], "{block:?}");
        words[1].parse().unwrap()
    };
    // What came before is not of this time.
    assert_eq!(next_rate(), 0.0);
    life.works(600);
    let first = (0..20).map(|_| next_rate()).find(|rate| *rate > 0.0);
    // They may lie in two intervals; and an interval ends when a look begins, which takes its time.
    let rates = first.unwrap() + next_rate();
    assert!(rates <= 2.0 * 600.0 / 0.5, "{rates}");
    top.kill().unwrap();
    top.wait().unwrap();
}

#[test]
fn a_command_from_its_start() {
    let place = Place::new();
    let trace = place.file("trace");
    let mut life = place.started(&["trace", "record", "-o", &trace]);
    life.works(1000);
    life.ends();
    assert_eq!(place.events(&[&trace]), works(0..1000));
}

/// Its file of chunks has room for 64 KiB in one.
#[test]
fn a_command_line_that_is_long() {
    let place = Place::new();
    let (trace, program) = (place.file("trace"), place.file("life"));
    for length in [70_000, 120_000] {
        let long = "x".repeat(length);
        let mut life = place.starts(&["trace", "record", "-o", &trace, "--", &program, &long]);
        life.works(3);
        let (code, said) = life.ending();
        assert_eq!(code, Some(0), "{said}");
        assert_eq!(place.events(&[&trace]), works(0..3));
        let summary = printed(&place.trace(&["view", &trace, "--summary"]));
        assert!(summary.contains("xxx ... (cut)\n"), "{summary}");
        fs::remove_file(&trace).unwrap();
    }
}

/// Most of them are in the middle of an event that is dropped.
#[test]
fn threads_that_are_cancelled_at_any_instruction() {
    if cfg!(debug_assertions) {
        let reason = "checks that only such builds have end a program that leaves them so";
        not_checked(&test_name(), reason);
        return;
    }
    let place = Place::new();
    let (trace, program) = (place.file("trace"), place.compile("cancelled"));
    let words = ["--ring", "8", "--memory", "64"];
    let output = place.trace(&[&["record", "-o", &trace], &words[..], &["--", &program]].concat());
    let said = printed(&output);
    assert!(said.starts_with("all cancelled\n"), "{said}");
    assert!(said.contains("lost: "), "{said}");
}

#[test]
fn a_program_that_becomes_another() {
    let place = Place::new();
    let trace = place.file("trace");
    let mut life = place.started(&["trace", "record", "-o", &trace]);
    // The recorder has to know of the first program before it is no more.
    let maps = format!("/proc/{}/maps", life.child.id());
    wait_until("a ring", || {
        let maps = fs::read_to_string(&maps).unwrap();
        maps.contains(".rings/0.ring")
    });
    life.works(1000);
    let maps = fs::read_to_string(&maps).unwrap();
    let rings = maps.lines().find(|line| line.contains(".rings/")).unwrap();
    let (_, directory) = rings.split_at(rings.find('/').unwrap());
    let name = directory.split('/').rev().nth(1).unwrap();
    life.execs(name.split('-').next().unwrap());
    life.works(500);
    life.ends();
    let all = works((0..1000).chain(0..500));
    assert_eq!(place.events(&[&trace]), all);
    // A shell that becomes the program, as scripts do at their end.
    let trace = place.file("of a script");
    let words = ["trace", "record", "-o", &trace, "--", "sh", "-c"];
    let program = place.path("life");
    let script = format!("sleep 0.2; exec {}", program.to_str().unwrap());
    let mut life = place.starts(&[&words[..], &[&script]].concat());
    life.works(1000);
    life.ends();
    assert_eq!(place.events(&[&trace]), works(0..1000));
}

#[test]
fn a_process_that_becomes_another() {
    let place = Place::new();
    let (mut life, recording, trace) = place.recorded(&[]);
    let pid = life.pid();
    life.works(1000);
    life.execs(&pid);
    life.works(500);
    let output = recording.wait_with_output().unwrap();
    let said = text(&output.stderr);
    let expected = format!("process {pid} runs another program now, which is not recorded");
    assert!(said.contains(&expected), "{said}");
    assert!(printed(&output).contains("none lost"));
    assert_eq!(place.events(&[&trace]), works(0..1000));
}

#[test]
fn commands_that_end_at_once() {
    let place = Place::new();
    let (life, trace) = (place.file("life"), place.file("trace"));
    // Ten processes, each of which ends before anybody could ask it for something.
    let script = format!("for i in 0 1 2 3 4 5 6 7 8 9; do echo work 3 | {life} >/dev/null; done");
    let words = ["record", "life:*", "-o", &trace, "--", "sh", "-c", &script];
    let said = printed(&place.trace(&words));
    assert!(
        said.starts_with("30 events of ") && said.contains("none lost"),
        "{said}"
    );
    assert_eq!(place.events(&[&trace]).len(), 30);
}

#[test]
fn commands_that_become_others_at_once() {
    let place = Place::new();
    let (life, trace) = (place.file("life"), place.file("trace"));
    let tells = format!("echo work 3 > {}; exec sh -c", place.file("input"));
    let becomes = format!("exec {life} < {} > /dev/null", place.file("input"));
    // Each is met at another moment, some while they are asked.
    for _ in 0..30 {
        let script = format!("{tells} 'exec sh -c \"{becomes}\"'");
        let words = ["record", "life:*", "-o", &trace, "--", "sh", "-c", &script];
        let output = place.trace(&words);
        let said = printed(&output);
        assert!(
            said.starts_with("3 events of ") && said.contains("none lost"),
            "{said}"
        );
        assert_eq!(text(&output.stderr), "");
        fs::remove_file(&trace).unwrap();
    }
}

#[test]
fn a_recording_that_is_interrupted() {
    let place = Place::new();
    let (mut life, mut recording, trace) = place.recorded(&[]);
    let pid = life.pid();
    life.works(100);
    let second = place.trace(&["record", "--pid", &pid, "-o", &place.file("second")]);
    let said = text(&second.stderr);
    assert_eq!(second.status.code(), Some(5), "{said}");
    assert!(said.contains("somebody else records all events"), "{said}");
    assert!(!place.path("second").exists());
    signal(recording.id(), Signal::INT);
    let mut said = String::new();
    recording
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut said)
        .unwrap();
    assert!(recording.wait().unwrap().success());
    assert!(said.starts_with("100 events of 1 process"), "{said}");
    assert_eq!(place.events(&[&trace]), works(0..100));
    // A recorder that is killed does not keep the program from anything, and what it wrote can be read.
    let (third, fourth) = (place.file("third"), place.file("fourth"));
    let mut recording = place.recording(&["--pid", &pid, "-o", &third]);
    wait_for_recorder(&place, &life);
    life.works(10);
    recording.kill().unwrap();
    recording.wait().unwrap();
    let next = place.trace(&["record", "--pid", &pid, "--seconds", "0.2", "-o", &fourth]);
    let said = printed(&next);
    assert!(said.starts_with("0 events of 1 process"), "{said}");
}

#[test]
fn the_newest_events_and_what_a_killed_process_leaves() {
    let place = Place::new();
    let mut life = place.started(&["trace", "on", "life:*", "--record"]);
    let (pid, recording) = (life.pid(), life.recording());
    life.works(3);
    let trace = place.file("trace");
    let said = printed(&place.trace(&["record", "--pid", &pid, "--last", "60", "-o", &trace]));
    assert!(said.starts_with("3 events of 1 process into "), "{said}");
    assert_eq!(place.events(&[&trace]), works(0..3));
    life.works(2);
    life.child.kill().unwrap();
    life.child.wait().unwrap();
    let list = printed(&place.trace(&["recover", &recording]));
    assert!(
        list.contains(&format!("/{recording}.rings")) && list.lines().count() == 1,
        "{list}"
    );
    let crash = place.file("crash");
    let said = printed(&place.trace(&["recover", &recording, "--remove", "-o", &crash]));
    assert!(said.starts_with("5 events of 1 process into "), "{said}");
    assert_eq!(place.events(&[&crash]), works((0..3).chain(0..2)));
    let output = place.trace(&["recover", &recording]);
    assert_eq!(output.status.code(), Some(4));
}

/// Somebody removes what a process that lives has recorded. It can be recorded again, also in threads that had memory.
#[test]
fn a_directory_that_was_removed_while_its_process_lives() {
    let place = Place::new();
    let mut life = place.life("none");
    let (pid, recording) = (life.pid(), life.recording());
    let trace = place.file("trace");
    for round in 0..3 {
        printed(&place.trace(&["on", "life:*", "--record", "--pid", &pid]));
        life.works(3);
        fs::remove_dir_all(directory(&recording)).unwrap();
        life.works(2);
        if round == 1 {
            printed(&place.trace(&["off", "life:*", "--pid", &pid]));
        }
        // A recorder,
        let (recorder, trace) = place.recorder(&pid, &[]);
        wait_for_recorder(&place, &life);
        life.works(4);
        signal(recorder.id(), Signal::INT);
        let said = printed(&recorder.wait_with_output().unwrap());
        assert!(
            said.starts_with("4 events of 1 process ") && said.contains("none lost"),
            "{said}"
        );
        assert_eq!(place.events(&[&trace]), works(0..4));
        fs::remove_file(&trace).unwrap();
        // and the process itself.
        if round == 2 {
            fs::remove_dir_all(directory(&recording)).unwrap();
        }
        printed(&place.trace(&["on", "life:*", "--record", "--pid", &pid]));
        life.works(5);
        if round < 2 {
            printed(&place.trace(&["off", "life:*", "--pid", &pid]));
            fs::remove_dir_all(directory(&recording)).unwrap();
        }
    }
    life.child.kill().unwrap();
    life.child.wait().unwrap();
    let said = printed(&place.trace(&["recover", &recording, "--remove", "-o", &trace]));
    assert!(
        said.starts_with("5 events of 1 process ") && said.contains("none lost"),
        "{said}"
    );
}

#[test]
fn what_is_removed_of_a_dead_process() {
    let place = Place::new();
    let runtime = tempfile::tempdir_in("/dev/shm").unwrap();
    let perflab = |words: &[&str]| {
        let mut command = place.perflab();
        command.env("XDG_RUNTIME_DIR", runtime.path()).args(words);
        command
    };
    let program = place.file("life");
    let words = ["trace", "on", "life:*", "--record", "--", &program];
    let mut life = place.lives(&mut perflab(&words));
    let pid = life.pid();
    life.works(3);
    life.child.kill().unwrap();
    life.child.wait().unwrap();
    let names = || {
        let entries = fs::read_dir(runtime.path().join("perflab")).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.starts_with(&pid)).count()
    };
    assert_eq!(names(), 2, "a directory and a socket");
    printed(
        &perflab(&["trace", "recover", "--remove", &pid])
            .output()
            .unwrap(),
    );
    assert_eq!(names(), 0);
}

#[test]
fn a_program_that_records_and_ends_well() {
    let place = Place::new();
    let mut life = place.life("none");
    let (pid, recording) = (life.pid(), life.recording());
    printed(&place.trace(&["on", "life", "--record", "--pid", &pid]));
    life.works(4);
    printed(&place.trace(&["off", "life", "--pid", &pid]));
    life.ends();
    let output = place.trace(&["recover", &recording]);
    assert_eq!(
        output.status.code(),
        Some(4),
        "it leaves nothing: {}",
        text(&output.stdout)
    );
}

#[test]
fn probes_that_there_are_not() {
    let place = Place::new();
    let life = place.life("none");
    let trace = place.file("trace");
    let words = [
        "record",
        "other:*",
        "--pid",
        &life.pid(),
        "--seconds",
        "0.1",
        "-o",
        &trace,
    ];
    let output = place.trace(&words);
    assert!(printed(&output).starts_with("0 events of 1 process"));
    let said = text(&output.stderr);
    assert!(
        said.contains("has no probe that is called \"other:*\" now"),
        "{said}"
    );
}

#[test]
fn what_cannot_be_recorded() {
    let place = Place::new();
    let life = place.life("none");
    let (pid, own) = (life.pid(), std::process::id().to_string());
    let (there, new) = (place.file("there"), place.file("new"));
    fs::write(&there, "something").unwrap();
    let cases: [(&[&str], i32, &str); 12] = [
        (&["record", "-o", &new], 2, "which process"),
        (
            &["record", "--pid", &pid, "--ring", "0", "-o", &new],
            2,
            "0 is not in 8..=262144",
        ),
        (
            &["record", "--pid", &pid, "--memory", "1", "-o", &new],
            2,
            "1 is not in 24..",
        ),
        (
            &[
                "record", "--pid", &pid, "--ring", "64", "--memory", "100", "-o", &new,
            ],
            2,
            "has no room for the events of two threads",
        ),
        (&["record", "--pid", &pid], 2, "--output"),
        (
            &["record", "--pid", &pid, "-o", &there],
            2,
            "nothing is written over",
        ),
        (
            &["record", "--pid", "999999999", "-o", &new],
            4,
            "there is no process 999999999",
        ),
        (&["record", "--pid", &own, "-o", &new], 5, "has no agent"),
        (
            &["record", "--pid", &pid, "--last", "5", "-o", &new],
            4,
            "no process records",
        ),
        (
            &["record", "-o", &new, "--", "/does/not/exist"],
            5,
            "cannot be started",
        ),
        (&["view", &there], 4, "is no trace"),
        (&["view", &new], 4, "cannot read"),
    ];
    for (words, code, expected) in cases {
        let output = place.trace(words);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{words:?}: {said}");
        assert!(said.contains(expected), "{words:?}: {said}");
        assert!(!place.path("new").exists(), "{words:?}");
    }
    assert_eq!(fs::read_to_string(&there).unwrap(), "something");
}

/// Nobody sees the hits of a probe that is not recorded.
#[test]
fn until_a_probe_that_nobody_asked_to_record() {
    let place = Place::new();
    let words = ["--until", "life:work,nobody:*", "other:*"];
    let (mut life, recording, trace) = place.recorded(&words);
    life.works(5);
    let output = recording.wait_with_output().unwrap();
    assert!(printed(&output).starts_with("5 events of 1 process "));
    let said = text(&output.stderr);
    assert!(
        said.contains("no probe that is called \"other:*\" now"),
        "{said}"
    );
    fs::remove_file(&trace).unwrap();
    // One that there is not.
    let record = ["record", "-o", &trace, "--until", "nobody"];
    let output = place.trace(&[&record[..], &["--pid", &life.pid(), "--seconds", "0.1"]].concat());
    let said = text(&output.stderr);
    assert!(
        said.contains("no probe that is called \"nobody\" now"),
        "{said}"
    );
    fs::remove_file(&trace).unwrap();
    let mut command = place.perflab();
    command
        .arg("trace")
        .args(record)
        .args(["--", &place.file("life")]);
    let output = command.stdin(Stdio::null()).output().unwrap();
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(4), "{said}");
    assert!(said.contains("no probe is called \"nobody\""), "{said}");
}

#[test]
fn a_stopped_process_does_not_hold_up_the_end() {
    let place = Place::new();
    let (mut life, recording, _trace) = place.recorded(&[]);
    let pid = life.pid();
    life.works(7);
    signal(life.child.id(), Signal::STOP);
    let begun = Instant::now();
    signal(recording.id(), Signal::INT);
    let output = recording.wait_with_output().unwrap();
    assert!(begun.elapsed() < Duration::from_secs(4), "{begun:?}");
    assert!(printed(&output).starts_with("7 events of 1 process "));
    let said = text(&output.stderr);
    assert!(
        said.contains(&format!("process {pid} is stopped")),
        "{said}"
    );
    signal(life.child.id(), Signal::CONT);
    life.works(1);
}

/// A terminal sends Ctrl-C to the command too, which may end before or after the recording.
#[test]
fn how_a_command_ends_that_is_interrupted_too() {
    let place = Place::new();
    let (program, trace) = (place.compile("family"), place.file("trace"));
    let recording = place.recording(&["-o", &trace, "--", &program, "burst", "50000000"]);
    let command = || children(recording.id()).first().copied();
    wait_until("the command's probes to be on", || {
        command().is_some_and(|pid| {
            let list = place.trace(&["list", "--pid", &pid.to_string()]);
            text(&list.stdout).contains("recorded")
        })
    });
    let command = Process::of(command().unwrap()).unwrap();
    signal(recording.id(), Signal::STOP);
    signal(command.pid, Signal::INT);
    wait_until("the command to have ended", || {
        command.state() == State::Ended
    });
    signal(recording.id(), Signal::INT);
    signal(recording.id(), Signal::CONT);
    let output = recording.wait_with_output().unwrap();
    let said = text(&output.stderr);
    assert!(said.contains("the command ended with signal: 2"), "{said}");
    assert_eq!(output.status.code(), Some(0), "{said}");
}

#[test]
fn a_trace_can_be_read_while_it_is_written() {
    let place = Place::new();
    let (mut life, mut recording, trace) = place.recorded(&[]);
    // It has begun.
    printed(&place.trace(&["view", &trace]));
    life.works(100);
    wait_until("the events to be in the file", || {
        place.events(&[&trace]) == works(0..100)
    });
    recording.kill().unwrap();
    recording.wait().unwrap();
    assert_eq!(place.events(&[&trace]), works(0..100));
}

#[test]
fn a_terminal_that_is_closed() {
    let place = Place::new();
    let (mut life, recording, trace) = place.recorded(&[]);
    life.works(10);
    // The kernel sends one, and the shell another.
    signal(recording.id(), Signal::HUP);
    signal(recording.id(), Signal::HUP);
    let said = printed(&recording.wait_with_output().unwrap());
    assert!(said.starts_with("10 events of 1 process"), "{said}");
    let output = place.trace(&["view", &trace]);
    assert_eq!(text(&output.stderr), "", "it has its end");
    assert_eq!(place.events(&[&trace]), works(0..10));
}

#[test]
fn a_full_disk_leaves_what_was_written() {
    let place = Place::new();
    let mut life = place.life("none");
    let (pid, trace) = (life.pid(), place.file("trace"));
    let perflab = place.perflab().get_program().to_str().unwrap().to_owned();
    // As a full disk does, a limit refuses what is written from some place on.
    // One of the processes has no agent, which is worse.
    let own = std::process::id();
    let script = format!(
        "trap '' XFSZ; ulimit -f 300; exec {perflab} trace record --pid {pid} --pid {own} -o {trace}"
    );
    let mut recording = std::process::Command::new("sh");
    recording.args(["-c", &script]);
    recording.stdout(Stdio::piped()).stderr(Stdio::piped());
    let recording = recording.spawn().unwrap();
    wait_for_recorder(&place, &life);
    life.works(200_000);
    let output = recording.wait_with_output().unwrap();
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(5), "{said}");
    for expected in ["is not whole", "File too large", "can be read"] {
        assert!(said.contains(expected), "{said}");
    }
    let events = place.events(&[&trace]);
    assert!(
        events.len() > 1000 && events[..1000] == works(0..1000),
        "{}",
        events.len()
    );
}

#[test]
fn probes_at_several_places_and_special_values() {
    let place = Place::new();
    let (program, trace) = (place.compile("places"), place.file("trace"));
    let said = printed(&place.trace(&["record", "-o", &trace, "--", &program]));
    assert!(
        said.contains("            20  life:shared (3 places)\n"),
        "{said}"
    );
    // The first twenty of the 24 that were hit, and what is said of the others.
    let lines = said.lines().filter(|line| line.starts_with("      "));
    assert_eq!(lines.count(), 21, "{said}");
    let rest = "             4  in 4 more lines, which `perflab trace view --summary` lists\n";
    assert!(said.ends_with(rest), "{said}");
    let summary = printed(&place.trace(&["view", &trace, "--summary"]));
    assert_eq!(summary.matches("life:shared").count(), 1, "{summary}");
    assert!(summary.contains("life:shared (3 places)\n"), "{summary}");
    let events = place.events(&[&trace, "life:special"]);
    let expected = "life:special none=\"\" empty=\"\" five=null turned=\"a\\u{202e}b\\u{2067}c\\u{61c}\" least=5e-324 \
                    half=0.5 slash=\"x\\\\ny\" line=\"x\\ny\"";
    assert_eq!(events, [expected]);
}
