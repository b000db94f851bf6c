//! What is done about events that a filter accepts, as a user asks for it, on a program with probes.

use std::path::Path;
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

use rustix::process::Signal;

use crate::life::{Place, list, printed, text, wait_for_recorder, works};
use crate::support::{signal, wait_until};

#[test]
fn some_accepted_hits_are_counted() {
    let place = Place::new();
    let mut life = place.started(&["trace", "on", "life:*", "--every", "3"]);
    let pid = life.pid();
    life.works(7);
    let found = list(&place, &life);
    let expected = "  life:work      1   1     3  x: i32\n    when 1, 1 of 3: ";
    assert!(found.contains(expected), "{found}");
    let words = [
        "on",
        "life",
        "--when",
        "x >= 0",
        "--at-most",
        "5/s",
        "--pid",
        &pid,
    ];
    printed(&place.trace(&words));
    life.works(100);
    let found = list(&place, &life);
    let expected = "  life:work      1   1     8  x: i32\n    when x >= 0, at most 5/s: ";
    assert!(found.contains(expected), "{found}");
}

#[test]
fn a_recording_says_that_events_were_left_out() {
    let place = Place::new();
    let (mut life, recording, trace) = place.recorded(&["--at-most", "5", "--every", "2"]);
    life.works(100);
    // The agent looks every few milliseconds whether any were.
    sleep(Duration::from_millis(100));
    signal(recording.id(), Signal::INT);
    let said = printed(&recording.wait_with_output().unwrap());
    assert!(said.starts_with("5 events of 1 process in "), "{said}");
    let limited = "none lost\nlimited: for 0.";
    assert!(
        said.contains(limited) && said.contains("than --at-most takes\n"),
        "{said}"
    );
    assert_eq!(place.events(&[&trace]), works([0, 2, 4, 6, 8]));
}

#[test]
fn a_recording_that_begins_and_ends_with_events() {
    let place = Place::new();
    let words = [
        "--start-when",
        "life:work when x == 3",
        "--until",
        "life:work when x == 6",
        "--when",
        "x & 1",
    ];
    let (mut life, recording, trace) = place.recorded(&words);
    life.works(20);
    printed(&recording.wait_with_output().unwrap());
    let events = place.events(&[&trace]);
    assert_eq!(events.get(..3), Some(&works([3, 5, 6])[..]), "{events:?}");
    // It goes on until the recorder knows.
    let later = works((7..20).step_by(2));
    assert!(later.starts_with(&events[3..]), "{events:?}");
}

#[test]
fn the_event_that_ends_a_recording_may_be_of_another_probe() {
    let place = Place::new();
    let words = ["life:none", "--until", "life:work when x == 4"];
    let (mut life, recording, trace) = place.recorded(&words);
    life.works(10);
    let output = recording.wait_with_output().unwrap();
    let said = printed(&output);
    assert!(said.starts_with("1 event of 1 process in "), "{said}");
    assert!(text(&output.stderr).contains("no probe that is called \"life:none\""));
    assert_eq!(place.events(&[&trace]), works([4]));
    assert!(list(&place, &life).contains("  life:work      1   0     0"));
}

#[test]
fn a_command_whose_recording_begins_later() {
    let place = Place::new();
    let trace = place.file("trace");
    let start = ["--start-when", "life:work when x == 998"];
    let mut life = place.started(&[&["trace", "record", "-o", &trace], &start[..]].concat());
    life.works(1000);
    life.ends();
    assert_eq!(place.events(&[&trace]), works([998, 999]));
    std::fs::remove_file(&trace).unwrap();
    let program = place.file("life");
    let mut command = place.perflab();
    command.args(["trace", "record", "-o", &trace]).args(start);
    let mut life = place.lives(command.args(["--", &program]).stderr(Stdio::piped()));
    life.works(998);
    let (code, said) = life.ending();
    assert_eq!(code, Some(0), "{said}");
    assert!(
        said.contains("no event came that --start-when waits for"),
        "{said}"
    );
}

#[test]
fn the_last_events_before_one_that_is_waited_for() {
    let place = Place::new();
    let mut life = place.started(&["trace", "on", "life:*", "--record"]);
    let (pid, trace) = (life.pid(), place.file("trace"));
    life.works(3);
    let until = ["--last", "60", "--until", "life:work when x == 5"];
    let words = [&["--pid", &pid, "-o", &trace], &until[..]].concat();
    let waiting = place.recording(&words);
    wait_until("the event to be waited for", || {
        list(&place, &life).contains("    when 1: ")
    });
    life.works(5);
    life.works(6);
    let said = printed(&waiting.wait_with_output().unwrap());
    assert!(said.starts_with("14 events of 1 process "), "{said}");
    let expected = works((0..3).chain(0..5).chain(0..6));
    assert_eq!(place.events(&[&trace]), expected);
    wait_until("nobody to wait", || !list(&place, &life).contains("when"));
    // Ctrl-C takes what there is.
    std::fs::remove_file(&trace).unwrap();
    let waiting = place.recording(&words);
    wait_until("the event to be waited for", || {
        list(&place, &life).contains("    when 1: ")
    });
    signal(waiting.id(), Signal::INT);
    let output = waiting.wait_with_output().unwrap();
    assert!(printed(&output).starts_with("14 events of 1 process "));
    assert!(text(&output.stderr).contains("no such event came"));
    // What has ended meanwhile is missing.
    std::fs::remove_file(&trace).unwrap();
    let mut other = place.started(&["trace", "on", "life:*", "--record"]);
    let waiting = place.recording(&[&["--pid", &other.pid()], &words[..]].concat());
    for of in [&life, &other] {
        wait_until("the event to be waited for", || {
            list(&place, of).contains("    when 1: ")
        });
    }
    other.child.kill().unwrap();
    other.child.wait().unwrap();
    signal(waiting.id(), Signal::INT);
    let output = waiting.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(4));
    let expected = format!(
        "process {} (life) has ended, so its last events",
        other.pid()
    );
    assert!(text(&output.stderr).contains(&expected), "{output:?}");
}

#[test]
fn hits_by_value() {
    let place = Place::new();
    let mut life = place.life("none");
    let pid = life.pid();
    let mut command = place.perflab();
    command.args([
        "trace",
        "top",
        "life:work",
        "--by",
        "x",
        "--when",
        "x > 0",
        "--pid",
        &pid,
    ]);
    command.args(["--count", "1", "--every", "2"]);
    let top = command.stdout(Stdio::piped()).spawn().unwrap();
    wait_for_recorder(&place, &life);
    life.works(3);
    life.works(2);
    let shown = printed(&top.wait_with_output().unwrap());
    let lines: Vec<&str> = shown.lines().collect();
    let [header, first, second, ""] = lines[..] else {
        panic!("{shown}");
    };
    assert!(header.ends_with("hits  x"), "{shown}");
    assert!(first.ends_with("             2  1"), "{shown}");
    assert!(second.ends_with("             1  2"), "{shown}");
    assert!(first.trim_start().starts_with(&pid), "{shown}");
    let found = list(&place, &life);
    assert!(found.contains("  life:work      1   0     0  x"), "{found}");
}

#[test]
fn what_is_refused() {
    let place = Place::new();
    let life = place.life("none");
    let (pid, trace) = (life.pid(), place.file("trace"));
    let at = ["--pid", &pid];
    let record = ["record", "-o", &trace];
    let cases: [(&[&str], &[&str], i32, &str); 10] = [
        (&["on", "life", "--every", "0"], &[], 2, "--every"),
        (
            &["on", "life", "--at-most", "0/s"],
            &[],
            2,
            "expected a number of events",
        ),
        (
            &record,
            &["--last", "1", "--every", "2"],
            2,
            "cannot be used with",
        ),
        (
            &record,
            &["--last", "1", "--start-when", "life"],
            2,
            "cannot be used with",
        ),
        (
            &record,
            &["--until", "life:work when y > 1"],
            2,
            "no argument is called `y`: there is `x`\n  y > 1\n  ^\n",
        ),
        (
            &record,
            &["--start-when", "life:work when"],
            2,
            "for '--start-when <EVENT>': expected a condition such as `size > 512` behind `when`, found the end\n  \
             life:work when\n                ^\n",
        ),
        (
            &record,
            &["--last", "1", "--until", "life"],
            5,
            "this process does not record on its own",
        ),
        (
            &record,
            &["--last", "1", "--until", "life when z"],
            2,
            "no argument is called `z`",
        ),
        (
            &["top", "life"],
            &["--by", "y"],
            2,
            "no argument is called `y`",
        ),
        (
            &["top", "life"],
            &["--by", "$ctx.nosuch"],
            2,
            "no value of the context is called `$ctx.nosuch`: there are `$ctx.vtid`, `$ctx.vpid`, ",
        ),
    ];
    for (words, more, code, expected) in cases {
        let output = place.trace(&[words, more, &at].concat());
        let said = text(&output.stderr);
        assert_eq!(
            output.status.code(),
            Some(code),
            "{words:?} {more:?}: {said}"
        );
        assert!(said.contains(expected), "{words:?} {more:?}: {said}");
        assert!(!Path::new(&trace).exists(), "{words:?} {more:?}");
    }
    let output = place.trace(&["top", "--by", "x"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("which process?"));
}

/// Two threads hit a probe all the time, and their process records that on its own before a recorder comes and after it
/// has gone. None of these events is the recorder's.
#[test]
fn a_recorder_of_a_process_that_records_on_its_own_takes_what_its_filter_accepts() {
    let place = Place::new();
    let [counts, trace] = ["counts", "trace"].map(|name| place.file(name));
    let program = place.compile("visited");
    let mut command = place.perflab();
    command.args(["trace", "on", "visited", "--record", "--ring", "4096", "--"]);
    command.args([&program, &counts, "threads", "2", "1000000000", "0", "join"]);
    let mut busy = command.spawn().unwrap();
    let pid = busy.id().to_string();
    wait_until("its events to be recorded", || {
        let found = place.trace(&["list", "--pid", &pid]);
        text(&found.stdout).contains("visited:hit      1   1")
    });
    let recorded = |words: &[&str]| {
        let record = [
            "record",
            "visited",
            "--seconds",
            "0.3",
            "--pid",
            &pid,
            "-o",
            &trace,
        ];
        let output = place.trace(&[&record, words].concat());
        let said = printed(&output);
        let events = said.split(' ').next().unwrap().parse::<u64>();
        let shown = printed(&place.trace(&["view", &trace]));
        std::fs::remove_file(&trace).unwrap();
        (events.unwrap(), shown)
    };
    for _ in 0..3 {
        assert_eq!(recorded(&["--when", "thread == 9"]).0, 0);
        let never = recorded(&["--start-when", "visited:hit when thread == 9"]);
        assert_eq!(never.0, 0);
        assert_eq!(recorded(&["--at-most", "5/s"]).0, 5);
        let (events, shown) = recorded(&["--when", "(number & 0xffff) == 7"]);
        let numbers = shown.lines().filter_map(|line| line.split_once("number="));
        let numbers = numbers.map(|(_, number)| number.parse::<u64>().unwrap());
        let numbers: Vec<u64> = numbers.collect();
        assert!(events > 0 && numbers.len() as u64 == events, "{shown}");
        assert!(numbers.iter().all(|number| number & 0xffff == 7), "{shown}");
    }
    busy.kill().unwrap();
    busy.wait().unwrap();
}
