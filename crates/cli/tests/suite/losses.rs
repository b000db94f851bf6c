//! What recordings lose, and that it is counted: of each recording its own, and of what nobody could record.

use std::fs;
use std::path::Path;
use std::process::Child;
use std::time::Duration;

use rustix::process::Signal;

use crate::life::{Life, Place, printed, text, wait_for_recorder};
use crate::support::{signal, wait_until};

/// The sum of the counts of events behind `lost: `, and of those before ` events`.
fn counts(said: &str) -> (u64, u64) {
    let events = said.split(" event").next().unwrap().parse().unwrap();
    let lost = said
        .lines()
        .filter_map(|line| line.strip_prefix("lost: "))
        .map(|line| line.split(' ').next().unwrap().parse::<u64>().unwrap());
    (events, lost.sum())
}

/// Records so many hits of a program, and checks that each is in the trace or lost, and that both say the same.
fn records(place: &Place, life: &mut Life, hits: u32, words: &[&str]) {
    let (pid, trace) = (life.pid(), place.file("trace"));
    let recording = place.recording(&[&["--pid", &pid, "-o", &trace], words].concat());
    wait_for_recorder(place, life);
    life.works(hits);
    signal(recording.id(), Signal::INT);
    let said = printed(&recording.wait_with_output().unwrap());
    let (events, lost) = counts(&said);
    assert_eq!(events + lost, u64::from(hits), "{words:?}: {said}");
    let summary = printed(&place.trace(&["view", &trace, "--summary"]));
    assert_eq!(counts(&summary), (events, lost), "{said}\n{summary}");
    fs::remove_file(&trace).unwrap();
}

#[test]
fn each_recording_counts_its_own_losses() {
    let place = Place::new();
    let small: &[&str] = &["--ring", "64"];
    for (words, plan) in [
        (small, [100_000, 50, 100_000, 50, 0, 50]),
        (&[], [500_000, 50, 500_000, 50, 0, 50]),
    ] {
        let mut life = place.life("none");
        let (pid, recording) = (life.pid(), life.recording());
        for hits in plan {
            records(&place, &mut life, hits, words);
        }
        // Nor does what comes then know of them.
        printed(&place.trace(&["on", "life:*", "--record", "--pid", &pid]));
        life.works(500);
        let last = place.file("last");
        let said = printed(&place.trace(&["record", "--pid", &pid, "--last", "60", "-o", &last]));
        let (events, lost) = counts(&said);
        assert!(
            events >= 500 && lost == 0 && said.contains("none lost"),
            "{said}"
        );
        let summary = printed(&place.trace(&["view", &last, "--summary"]));
        assert_eq!(counts(&summary), (events, 0), "{summary}");
        printed(&place.trace(&["off", "life:*", "--pid", &pid]));
        records(&place, &mut life, 50, words);
        printed(&place.trace(&["on", "life:*", "--record", "--pid", &pid]));
        life.works(400_000);
        life.child.kill().unwrap();
        life.child.wait().unwrap();
        let left = place.file("left");
        let said = printed(&place.trace(&["recover", &recording, "--remove", "-o", &left]));
        // The newest of all that came since there was nobody to read them.
        let (events, lost) = counts(&said);
        assert_eq!(events + lost, 400_000, "{said}");
        assert!(!said.contains("found no room"), "{said}");
        let summary = printed(&place.trace(&["view", &left, "--summary"]));
        assert_eq!(counts(&summary), (events, lost), "{summary}");
        fs::remove_file(last).unwrap();
        fs::remove_file(left).unwrap();
    }
}

#[test]
fn recordings_in_between_leave_a_process_its_own_losses() {
    let place = Place::new();
    let mut life = place.started(&["trace", "on", "life:*", "--record"]);
    let (pid, recording) = (life.pid(), life.recording());
    for hits in [400_000, 0, 300_000] {
        life.works(hits);
        let trace = place.file("trace");
        let output = place.trace(&["record", "--pid", &pid, "--seconds", "0.1", "-o", &trace]);
        assert!(printed(&output).starts_with("0 events of 1 process "));
        fs::remove_file(&trace).unwrap();
    }
    life.child.kill().unwrap();
    life.child.wait().unwrap();
    let left = place.file("left");
    let said = printed(&place.trace(&["recover", &recording, "--remove", "-o", &left]));
    let (events, lost) = counts(&said);
    assert_eq!(events + lost, 700_000, "{said}");
    let summary = printed(&place.trace(&["view", &left, "--summary"]));
    assert_eq!(counts(&summary), (events, lost), "{summary}");
}

/// A recorder has all events of a thread that has ended, besides those that the thread recorded for its process.
#[test]
fn threads_that_ended_leave_their_process_what_is_its_own() {
    let place = Place::new();
    // The last one leaves the process memory for 12 threads.
    for (is_over, memory) in [(false, "4096"), (true, "4096"), (false, "816")] {
        let own = ["trace", "on", "life:*", "--record", "--ring", "64"];
        let mut life = place.started(&own);
        let (pid, recording) = (life.pid(), life.recording());
        // More than there is memory for, and others are written over the rest.
        life.works(10_000);
        for _ in 0..10 {
            life.does("thread 100");
            std::thread::sleep(Duration::from_millis(30));
        }
        let trace = place.file("trace");
        let recorder = [
            "--pid", &pid, "--ring", "64", "--memory", memory, "-o", &trace,
        ];
        let recorder = place.recording(&recorder);
        wait_until("the recorder to have come", || {
            let summary = place.trace(&["view", &trace, "--summary"]);
            text(&summary.stdout).contains(&pid)
        });
        life.does("work 120000 100000");
        for _ in 0..10 {
            life.does("thread 100100 100000");
            std::thread::sleep(Duration::from_millis(30));
        }
        // What is not needed any more is looked for once a second.
        std::thread::sleep(Duration::from_millis(2500));
        if is_over {
            life.ends();
        } else {
            signal(recorder.id(), Signal::INT);
        }
        let said = printed(&recorder.wait_with_output().unwrap());
        let (events, lost) = counts(&said);
        assert_eq!(events + lost, 21_000, "{said}");
        let _ = life.child.kill();
        let _ = life.child.wait();
        let left = place.file("left");
        let said = printed(&place.trace(&["recover", &recording, "--remove", "-o", &left]));
        let (_, lost) = counts(&said);
        let summary = printed(&place.trace(&["view", &left, "--summary"]));
        assert_eq!(counts(&summary).1, lost, "{summary}");
        let events = place.events(&[&left]).into_iter();
        let is_own = |event: &String| event.len() < "life:work x=100000".len();
        let events = events.filter(is_own).count() as u64;
        assert_eq!(events + lost, 11_000, "{is_over} {memory}: {said}");
        assert_eq!(said.contains("no memory"), memory == "816", "{said}");
        fs::remove_file(trace).unwrap();
        fs::remove_file(left).unwrap();
    }
}

#[test]
fn each_hit_is_of_one_recording_while_recorders_come_and_go() {
    const HITS: u32 = 30_000_000;
    let place = Place::new();
    let mut life = place.started(&["trace", "on", "life:*", "--record", "--ring", "64"]);
    let (pid, recording, trace) = (life.pid(), life.recording(), place.file("trace"));
    life.begins(HITS);
    let (mut all, mut rounds) = (0, Vec::new());
    for _ in 0..4 {
        let record = ["record", "--pid", &pid, "--seconds", "0.1", "-o", &trace];
        let said = printed(&place.trace(&record));
        let (events, lost) = counts(&said);
        if events > 0 {
            let of_probe = format!("{events}  life:work");
            assert!(said.contains(&of_probe), "{said}");
        }
        let summary = printed(&place.trace(&["view", &trace, "--summary"]));
        assert_eq!(counts(&summary), (events, lost), "{said}\n{summary}");
        fs::remove_file(&trace).unwrap();
        all += events + lost;
        rounds.push((events, lost));
    }
    life.is_done();
    // None that a recorder has read is still there.
    life.works(100_000);
    life.child.kill().unwrap();
    life.child.wait().unwrap();
    let left = place.file("left");
    let said = printed(&place.trace(&["recover", &recording, "--remove", "-o", &left]));
    let (events, lost) = counts(&said);
    let expected = u64::from(HITS) + 100_000;
    assert_eq!(all + events + lost, expected, "{rounds:?} {said}");
    assert!(rounds.iter().any(|(events, _)| *events > 0), "{rounds:?}");
}

#[test]
fn what_an_agent_of_another_version_left_is_not_counted() {
    let place = Place::new();
    let mut life = place.started(&["trace", "on", "life:*", "--record"]);
    let recording = life.recording();
    life.works(1000);
    life.child.kill().unwrap();
    life.child.wait().unwrap();
    let listed = printed(&place.trace(&["recover", &recording]));
    let losses = Path::new(listed.trim_end()).join("losses");
    let mut bytes = fs::read(&losses).unwrap();
    bytes[7] -= 1;
    fs::write(&losses, &bytes).unwrap();
    let left = place.file("left");
    let output = place.trace(&["recover", &recording, "--remove", "-o", &left]);
    assert_eq!(output.status.code(), Some(5));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("is of another version than this perflab"),
        "{said}"
    );
    // It stays, for the perflab that fits.
    assert!(losses.exists());
}

/// The program, and a recorder that has written all of its events to its trace: more than the ring has room for.
fn read_and_written(place: &Place) -> (Life, Child) {
    let (mut life, recorder, trace) = place.recorded(&["--ring", "64"]);
    for events in [2000, 4000, 6000] {
        // So many have room at once.
        life.works(2000);
        wait_until("the recorder to have written all events", || {
            let summary = place.trace(&["view", &trace, "--summary"]);
            text(&summary.stdout).starts_with(&format!("{events} events "))
        });
    }
    (life, recorder)
}

/// Recovers what the program left. The first events are not there any more.
fn assert_none_is_lost(place: &Place, recording: &str) {
    let left = place.file("left");
    let said = printed(&place.trace(&["recover", recording, "--remove", "-o", &left]));
    let (events, lost) = counts(&said);
    assert!((1..6000).contains(&events) && lost == 0, "{said}");
    let summary = printed(&place.trace(&["view", &left, "--summary"]));
    assert_eq!(counts(&summary), (events, 0), "{summary}");
}

#[test]
fn what_a_killed_recorder_had_read_is_not_lost() {
    let place = Place::new();
    let (mut life, mut recorder) = read_and_written(&place);
    let recording = life.recording();
    // The process too, before it knows. The signal wakes one thread, and the agent goes on until that one has run.
    life.send(Signal::STOP);
    wait_until("all threads to be stopped", || {
        let mut threads = fs::read_dir(format!("/proc/{}/task", life.pid())).unwrap();
        threads.all(|thread| {
            let stat = fs::read_to_string(thread.unwrap().path().join("stat")).unwrap();
            stat.contains(") T ")
        })
    });
    recorder.kill().unwrap();
    recorder.wait().unwrap();
    life.child.kill().unwrap();
    life.child.wait().unwrap();
    assert_none_is_lost(&place, &recording);
}

#[test]
fn a_process_that_is_killed_as_it_lets_a_recorder_go() {
    let place = Place::new();
    place.compile_with("killed", "life", &["-rdynamic"]);
    let (mut life, mut recorder) = read_and_written(&place);
    let recording = life.recording();
    recorder.kill().unwrap();
    recorder.wait().unwrap();
    wait_until("the process to be killed", || {
        life.child.try_wait().unwrap().is_some()
    });
    assert_none_is_lost(&place, &recording);
}

#[test]
fn all_that_cannot_be_recorded_are_named_or_counted() {
    let place = Place::new();
    let memory = tempfile::tempdir_in("/dev/shm").unwrap();
    let (life, trace, input) = (place.file("life"), place.file("trace"), place.file("input"));
    fs::write(&input, "work 3\n").unwrap();
    let recorded = |script: &str| {
        let mut command = place.perflab();
        command.env("XDG_RUNTIME_DIR", memory.path());
        command.env("PERFLAB_RECORD_TOTAL", "0");
        command.args(["trace", "record", "-o", &trace, "--", "sh", "-c", script]);
        let output = command.output().unwrap();
        let _ = fs::remove_file(&trace);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(5), "{said}");
        assert!(
            !said.contains("had an agent") && !said.contains("no probe is called"),
            "{said}"
        );
        let printed = text(&output.stdout);
        assert!(!printed.contains("none lost"), "{printed}");
        (said, printed)
    };
    // The shell becomes the program.
    let (said, printed) = recorded(&format!("exec {life} < {input} > {input}.out"));
    assert!(said.contains("could not be recorded: "), "{said}");
    assert!(
        said.contains("PERFLAB_RECORD_TOTAL") || said.contains("KiB"),
        "{said}"
    );
    assert!(printed.contains("not recorded: 1 process,"), "{printed}");
    // None is there when it could be asked.
    let (said, printed) = recorded(&format!(
        "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do {life} < {input} > {input}.out; done"
    ));
    assert_eq!(
        said.matches(") could not be recorded: ").count(),
        8,
        "{said}"
    );
    assert!(
        said.contains("and 5 more processes could not be recorded"),
        "{said}"
    );
    assert!(printed.contains("not recorded: 13 processes,"), "{printed}");
}
