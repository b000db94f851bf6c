//! `--when` of `perflab trace` as a user calls it, on a program with probes.

use std::path::Path;
use std::process::Stdio;

use rustix::process::Signal;

use crate::life::{Life, Place, printed, text};
use crate::support::signal;

fn list(place: &Place, life: &Life) -> String {
    printed(&place.trace(&["list", "--pid", &life.pid()]))
}

/// The events of the program with these numbers.
fn works(numbers: &[u32]) -> Vec<String> {
    let events = numbers.iter().map(|x| format!("life:work x={x}"));
    events.collect()
}

#[test]
fn only_accepted_hits_are_counted() {
    let place = Place::new();
    let mut life = place.started(&["trace", "on", "life:*", "--when", "x >= 4"]);
    let pid = life.pid();
    life.works(7);
    let found = list(&place, &life);
    let expected = "  life:work      1   1     3  x: i32\n    when x >= 4: ";
    assert!(found.contains(expected), "{found}");
    let json = printed(&place.trace(&["list", "--pid", &pid, "--format", "json"]));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let filter = &json["processes"][0]["sites"][0]["filter"];
    assert_eq!(filter["expression"], "x >= 4", "{filter}");
    let mode = filter["mode"].as_str().unwrap();
    assert!(["native", "interpreted"].contains(&mode), "{mode}");
    // Another takes its place.
    printed(&place.trace(&["on", "life", "--when", "x < 2", "--pid", &pid]));
    life.works(7);
    let found = list(&place, &life);
    let expected = "  life:work      1   1     5  x: i32\n    when x < 2: ";
    assert!(found.contains(expected), "{found}");
    // None does, too.
    printed(&place.trace(&["on", "life", "--pid", &pid]));
    life.works(7);
    let found = list(&place, &life);
    assert!(
        found.ends_with("  life:work      1   1    12  x: i32\n"),
        "{found}"
    );
}

#[test]
fn only_accepted_events_are_recorded() {
    let place = Place::new();
    let (mut life, recording, trace) = place.recorded(&["--when", "x & 1"]);
    life.works(6);
    signal(recording.id(), Signal::INT);
    let said = printed(&recording.wait_with_output().unwrap());
    // What is rejected is not lost.
    assert!(
        said.starts_with("3 events of 1 process in ") && said.contains("none lost"),
        "{said}"
    );
    assert_eq!(place.events(&[&trace]), works(&[1, 3, 5]));
    // Afterwards nothing is filtered any more.
    assert!(!list(&place, &life).contains("when"));
}

#[test]
fn a_process_that_records_on_its_own() {
    let place = Place::new();
    let words = ["trace", "on", "life:*", "--record", "--when", "x == 3"];
    let mut life = place.started(&words);
    let pid = life.pid();
    life.works(6);
    let trace = place.file("trace");
    printed(&place.trace(&["record", "--pid", &pid, "--last", "60", "-o", &trace]));
    assert_eq!(place.events(&[&trace]), works(&[3]));
    let words = [
        "on", "life:*", "--record", "--when", "x == 4", "--pid", &pid,
    ];
    printed(&place.trace(&words));
    life.works(6);
    let trace = place.file("later");
    printed(&place.trace(&["record", "--pid", &pid, "--last", "60", "-o", &trace]));
    assert_eq!(place.events(&[&trace]), works(&[3, 4]));
}

#[test]
fn a_command_from_its_start() {
    let place = Place::new();
    let trace = place.file("trace");
    let words = ["trace", "record", "-o", &trace, "--when", "x >= 998"];
    let mut life = place.started(&words);
    life.works(1000);
    life.ends();
    assert_eq!(place.events(&[&trace]), works(&[998, 999]));
}

#[test]
fn a_program_of_which_nothing_is_known() {
    let place = Place::new();
    let (trace, program) = (place.file("trace"), place.file("life"));
    let script = format!("exec {program}");
    let shell = ["--", "sh", "-c", &script];
    let words = ["trace", "record", "life", "-o", &trace, "--when"];
    let mut life = place.starts(&[&words[..], &["x >= 2"], &shell].concat());
    life.works(4);
    life.ends();
    assert_eq!(place.events(&[&trace]), works(&[2, 3]));
    std::fs::remove_file(&trace).unwrap();
    // It turns out to have no such argument, so that nothing is recorded.
    let mut command = place.perflab();
    let filter = ["name == \"x\"", "--seconds", "1"];
    command.args(words).args(filter).args(shell);
    let mut life = place.lives(command.stderr(Stdio::piped()));
    life.works(4);
    // The recording ends first, so it has found the agent.
    life.child.wait().unwrap();
    let (code, said) = life.ending();
    assert_eq!(code, Some(4), "{said}");
    assert!(said.contains("error: no event was accepted: "), "{said}");
    assert!(said.contains("filter: life:work: never: "), "{said}");
}

#[test]
fn the_probe_that_ends_a_recording_is_not_filtered() {
    let place = Place::new();
    let until = ["--until", "life:work", "--when", "x > 100"];
    let (mut life, recording, trace) = place.recorded(&until);
    life.works(1);
    let said = printed(&recording.wait_with_output().unwrap());
    assert!(said.starts_with("1 event of 1 process in "), "{said}");
    assert_eq!(place.events(&[&trace]), works(&[0]));
}

#[test]
fn probes_that_lack_an_argument_are_named() {
    let place = Place::new();
    let (trace, program) = (place.file("trace"), place.compile("pointers"));
    let words = ["record", "pointers", "-o", &trace, "--when", "number > 3"];
    let output = place.trace(&[&words[..], &["--", &program]].concat());
    let said = text(&output.stderr);
    assert!(output.status.success(), "{said}");
    let unfit = "no event of pointers:bad, pointers:cut, pointers:end, pointers:null is accepted: ";
    assert!(said.contains(unfit), "{said}");
    let shown = printed(&place.trace(&["view", &trace]));
    assert!(
        shown.lines().count() == 2 && shown.contains("pointers:good number=7"),
        "{shown}"
    );
}

/// One in the environment of perflab is for the probes that are asked for there.
#[test]
fn a_filter_that_is_inherited_is_for_others() {
    let place = Place::new();
    let program = place.file("life");
    let mut command = place.perflab();
    command.args(["trace", "on", "life:*", "--", &program]);
    let mut life = place.lives(command.env("PERFLAB_WHEN", "none"));
    life.works(3);
    let found = list(&place, &life);
    assert!(
        found.ends_with("  life:work      1   1     3  x: i32\n"),
        "{found}"
    );
}

#[test]
fn rates_of_accepted_hits() {
    let place = Place::new();
    let life = place.life("none");
    let pid = life.pid();
    let look = ["--count", "1", "--every", "0.2", "--pid", &pid];
    let top = ["top", "life", "--when", "x > 2"];
    let found = printed(&place.trace(&[&top[..], &look].concat()));
    assert!(found.contains("  life:work\n"), "{found}");
    // It was on as long as it was shown.
    let found = list(&place, &life);
    assert!(found.contains("  life:work      1   0     0  x"), "{found}");
    printed(&place.trace(&["on", "life", "--pid", &pid]));
    let output = place.trace(&[&top[..], &look].concat());
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(5), "{said}");
    assert!(said.contains("life:work of process"), "{said}");
    assert!(list(&place, &life).contains("  life:work      1   1     0  x"));
    let output = place.trace(&["top", "--when", "x"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("which process?"));
}

#[test]
fn filters_that_are_refused() {
    let place = Place::new();
    let life = place.life("none");
    let (pid, program) = (life.pid(), place.file("life"));
    let trace = place.file("trace");
    let at = ["--pid", &pid];
    let cases: [(&[&str], i32, &str); 9] = [
        (
            &["on", "life", "--when", "y > 1"],
            2,
            "no argument is called `y`: there is `x`\n  y > 1\n  ^\n",
        ),
        (
            &["record", "-o", &trace, "--when", "x == \"a\""],
            2,
            "cannot be compared",
        ),
        (
            &["record", "-o", &trace, "--when", "x = 1"],
            2,
            "`==` compares",
        ),
        (
            &["record", "-o", &trace, "--when", "x", "--last", "1"],
            2,
            "cannot be used with",
        ),
        (
            &["on", "life", "--when", "x", "--when-object", &program],
            2,
            "cannot be used with",
        ),
        (
            &["on", "life", "--when-object", "/does/not/exist"],
            2,
            "cannot read the filter /does/not/exist: ",
        ),
        (
            &["on", "life", "--when-object", &program],
            4,
            "life cannot be used as a filter: ",
        ),
        (
            &["on", "life", "--when-object", "/dev/zero"],
            4,
            "/dev/zero cannot be used as a filter: it has more than 16 MiB",
        ),
        (&["top", "life", "--when", "z"], 2, "is called `z`"),
    ];
    for (words, code, expected) in cases {
        let output = place.trace(&[words, &at].concat());
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{words:?}: {said}");
        assert!(said.contains(expected), "{words:?}: {said}");
        assert!(!Path::new(&trace).exists(), "{words:?}");
    }
    assert!(list(&place, &life).contains("life:work      1   0     0"));
    // A command is not started.
    for command in [&["on", "life"][..], &["record", "-o", &trace]] {
        let filter = ["--when", "y > 1", "--", "echo", "untraced"];
        let output = place.trace(&[command, &filter].concat());
        let said = text(&output.stderr);
        // Nothing is known of its probes.
        assert!(!said.contains("no argument is called"), "{said}");
        let _ = std::fs::remove_file(&trace);
        let filter = ["--when", "y > 1", "--", &program];
        let output = place.trace(&[command, &filter].concat());
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{command:?}: {said}");
        assert!(said.contains("no argument is called `y`"), "{said}");
        let _ = std::fs::remove_file(&trace);
    }
}
