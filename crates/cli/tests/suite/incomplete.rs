//! What a recording could not have is said: it never calls it complete.

use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::life::{Life, Place, printed, text, wait_for_recorder, works};
use crate::support::wait_until;

/// Removes the directory of a process's events.
fn remove_recording(pid: &str) {
    let maps = fs::read_to_string(format!("/proc/{pid}/maps")).unwrap();
    let ring = maps.lines().find(|line| line.contains(".rings/")).unwrap();
    let (_, ring) = ring.split_at(ring.find('/').unwrap());
    fs::remove_dir_all(ring.rsplit_once('/').unwrap().0).unwrap();
}

/// Waits until so many events are in a trace that is being written.
fn wait_for_events(place: &Place, trace: &str, count: usize) {
    wait_until("the events to be in the file", || {
        fs::metadata(trace).is_ok() && place.events(&[trace]).len() == count
    });
}

#[test]
fn a_directory_that_is_removed() {
    let place = Place::new();
    let (mut life, recording, trace) = place.recorded(&[]);
    let pid = life.pid();
    life.works(10);
    // What the recorder has not read goes with the directory.
    wait_for_events(&place, &trace, 10);
    remove_recording(&pid);
    let output = recording.wait_with_output().unwrap();
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(5), "{said}");
    assert!(
        said.contains("was removed") && !said.contains("another program"),
        "{said}"
    );
    let said = text(&output.stdout);
    assert!(
        said.contains("not recorded to the end: 1 process,"),
        "{said}"
    );
    assert!(!said.contains("none lost"), "{said}");
    assert_eq!(place.events(&[&trace]), works(0..10));
}

/// What one of several processes went on to do is missing, though it has ended when the recording ends.
#[test]
fn a_directory_of_a_process_that_has_ended_since() {
    let place = Place::new();
    let (mut one, mut other) = (place.life("none"), place.life("none"));
    let trace = place.file("trace");
    let words = ["--pid", &one.pid(), "--pid", &other.pid(), "-o", &trace];
    let recording = place.recording(&words);
    wait_for_recorder(&place, &one);
    wait_for_recorder(&place, &other);
    one.works(10);
    // A recorder opens the directory after the probes are on, and reads it before it tells of events.
    wait_for_events(&place, &trace, 10);
    remove_recording(&one.pid());
    // Longer than a process takes that ends by itself.
    std::thread::sleep(Duration::from_millis(1500));
    one.works(10);
    one.ends();
    other.ends();
    let output = recording.wait_with_output().unwrap();
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(5), "{said}");
    assert!(said.contains("was removed"), "{said}");
    let said = text(&output.stdout);
    assert!(
        said.contains("not recorded to the end: 1 process,") && !said.contains("none lost"),
        "{said}"
    );
}

/// A session's end removes what is in its directory, while a server goes on for long.
#[test]
fn a_directory_of_a_command_s_process_that_is_removed() {
    let place = Place::new();
    let trace = place.file("trace");
    let mut command = place.perflab();
    command.args(["trace", "record", "-o", &trace, "--"]);
    command.arg(place.path("life")).stderr(Stdio::piped());
    let mut life = place.lives(&mut command);
    let children = format!("/proc/{0}/task/{0}/children", life.pid());
    let mut pid = String::new();
    wait_until("the command to live", || {
        pid = fs::read_to_string(&children).unwrap().trim().to_owned();
        !pid.is_empty()
    });
    life.works(10);
    wait_for_events(&place, &trace, 10);
    remove_recording(&pid);
    // Longer than a process takes that ends by itself.
    std::thread::sleep(Duration::from_millis(1500));
    life.works(10);
    let (code, said) = life.ending();
    assert_eq!(code, Some(5), "{said}");
    assert!(said.contains("was removed"), "{said}");
    assert!(
        said.contains("not recorded to the end: 1 process,"),
        "{said}"
    );
    assert!(!said.contains("none lost"), "{said}");
}

/// A recorder that was expected did not come: events found no room until nobody waited for it any more.
#[test]
fn what_nobody_came_for_is_lost() {
    let place = Place::new();
    let trace = place.file("trace");
    let mut command = Command::new(place.path("life"));
    command.env(
        "LD_PRELOAD",
        place.path("lib/perflab/libperflab_preload.so"),
    );
    command
        .env("PERFLAB_RECORD", "life:*")
        .env("PERFLAB_RECORD_RING", "8");
    // No process has such a number.
    command.env("PERFLAB_RECORD_FOR", "4194999-1");
    let mut life = place.lives(&mut command);
    let recording = life.recording();
    life.works(100_000);
    // The agent's patience.
    std::thread::sleep(Duration::from_secs(12));
    life.child.kill().unwrap();
    life.child.wait().unwrap();
    let output = place.trace(&["recover", &recording, "--remove", "-o", &trace]);
    let said = printed(&output);
    let lost: u64 = said
        .lines()
        .find_map(|line| line.strip_prefix("lost: "))
        .map_or(0, |line| {
            assert!(line.contains("found no room"), "{said}");
            line.split(' ').next().unwrap().parse().unwrap()
        });
    let events: u64 = said.split(' ').next().unwrap().parse().unwrap();
    assert!(lost > 90_000 && events + lost == 100_000, "{said}");
    assert!(!said.contains("none lost"), "{said}");
}

/// The newest events are of less time than was asked for.
#[test]
fn memory_that_does_not_reach_back() {
    let place = Place::new();
    let last = |life: &Life, ring: &str| {
        let trace = place.file(ring);
        let words = ["record", "--pid", &life.pid(), "--last", "60", "-o", &trace];
        printed(&place.trace(&words))
    };
    let start = |ring| place.started(&["trace", "on", "life:*", "--record", "--ring", ring]);
    let mut short = start("8");
    short.works(10_000);
    let said = last(&short, "8");
    assert!(
        said.contains("the memory of 1 thread may not reach back as far"),
        "{said}"
    );
    assert!(!said.contains("none lost"), "{said}");
    let mut long = start("1024");
    long.works(10_000);
    let said = last(&long, "1024");
    assert!(
        said.starts_with("10000 events ") && said.contains("none lost"),
        "{said}"
    );
    assert!(!said.contains("reach back"), "{said}");
}
