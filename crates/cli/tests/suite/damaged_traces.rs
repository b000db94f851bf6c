//! What is said of traces and rings that are not as they were written.

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::life::{Place, printed, text};

/// Events that the program makes in one go: they find room, whoever reads them when.
const AT_ONCE: u32 = 3000;

/// How often it does.
const TIMES: u32 = 20;

/// A trace of a program's events.
fn recorded(place: &Place) -> String {
    let trace = place.directory.path().join("trace");
    let trace = trace.to_str().unwrap().to_owned();
    let mut life = place.started(&["trace", "record", "-o", &trace]);
    for _ in 0..TIMES {
        life.works(AT_ONCE);
        std::thread::sleep(Duration::from_millis(50));
    }
    life.ends();
    trace
}

/// The numbers of the events that are shown.
fn numbers(shown: &str) -> Vec<u32> {
    let events = shown
        .lines()
        .filter_map(|line| line.split_once("life:work x="));
    events.map(|(_, number)| number.parse().unwrap()).collect()
}

/// The first number behind a word of a text.
fn number_behind(text: &str, word: &str) -> u64 {
    let (_, rest) = text
        .split_once(word)
        .unwrap_or_else(|| panic!("{word}: {text}"));
    rest.split_whitespace().next().unwrap().parse().unwrap()
}

#[test]
fn one_flipped_bit() {
    const EVENTS: u32 = TIMES * AT_ONCE;
    let place = Place::new();
    let trace = recorded(&place);
    let whole = place.trace(&["view", &trace]);
    assert_eq!(numbers(&printed(&whole)).len(), EVENTS as usize);
    let bytes = fs::read(&trace).unwrap();
    let middle = bytes.len() / 2;
    // By chance a chunk that has no events lies there: then one of the chunks behind it is meant.
    let (shown, said) = (0..100)
        .find_map(|further| {
            let mut damaged = bytes.clone();
            damaged[middle + 40 * further] ^= 1;
            fs::write(&trace, &damaged).unwrap();
            let shown = place.trace(&["view", &trace]);
            let said = text(&shown.stderr);
            assert_eq!(shown.status.code(), Some(4), "{said}");
            said.contains("lost: ").then_some((shown, said))
        })
        .unwrap();
    let skipped = number_behind(&said, "damaged: ");
    assert!(skipped < 70_000, "{said}");
    assert!(
        said.contains(" on were skipped: a chunk's content has been changed"),
        "{said}"
    );
    let lost = number_behind(&said, "lost: ");
    assert!(
        said.contains("events or more were in damaged parts of the file"),
        "{said}"
    );
    let numbers = numbers(&text(&shown.stdout));
    assert_eq!(numbers.len() as u64 + lost, u64::from(EVENTS));
    assert_eq!(
        (numbers.first(), numbers.last()),
        (Some(&0), Some(&(AT_ONCE - 1)))
    );
    // So does what says what the trace has.
    let summary = place.trace(&["view", &trace, "--summary"]);
    assert_eq!(summary.status.code(), Some(4));
    assert!(text(&summary.stdout).contains(&format!("damaged: {skipped} bytes from byte ")));
    // A recorder that was killed leaves no end, and perhaps a part of a chunk.
    fs::write(&trace, &bytes[..middle - 1000]).unwrap();
    let cut = place.trace(&["view", &trace]);
    assert!(printed(&cut).contains("life:work x=0\n"));
    assert!(
        text(&cut.stderr).contains(" bytes were skipped"),
        "{}",
        text(&cut.stderr)
    );
}

/// Files of a directory whose names end so.
fn files(directory: &str, end: &str) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(Path::new(directory)).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .filter(|path| path.to_str().unwrap().ends_with(end))
        .collect()
}

/// What a killed process left that has recorded three events on its own: its name, and the directory.
fn left(place: &Place) -> (String, String) {
    let mut life = place.started(&["trace", "on", "life:*", "--record"]);
    let recording = life.recording();
    life.works(3);
    life.child.kill().unwrap();
    life.child.wait().unwrap();
    let list = printed(&place.trace(&["recover", &recording]));
    (recording, list.trim_end().to_owned())
}

/// Recovers so many events, which reports damage and removes nothing. Removes it then.
fn recovers_damaged(place: &Place, (recording, directory): &(String, String), events: u32) {
    let trace = place.file("trace");
    let output = place.trace(&["recover", recording, "--remove", "-o", &trace]);
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(4), "{said}");
    assert!(
        said.starts_with(&format!("{events} events of 1 process into ")),
        "{said}"
    );
    assert!(said.contains("\ndamaged: "), "{said}");
    assert!(
        !said.contains("none lost") && !said.contains("lost: "),
        "{said}"
    );
    let errors = text(&output.stderr);
    assert!(
        errors.contains(directory) && errors.contains("damaged"),
        "{errors}"
    );
    let summary = place.trace(&["view", &trace, "--summary"]);
    let said = printed(&summary) + &text(&summary.stderr);
    assert!(said.starts_with(&format!("{events} events")), "{said}");
    assert!(!said.contains("lost: "), "{said}");
    fs::remove_file(trace).unwrap();
    assert!(Path::new(directory).exists());
    printed(&place.trace(&["recover", recording, "--remove"]));
    assert!(!Path::new(directory).exists());
}

#[test]
fn a_ring_whose_counts_were_spoiled() {
    let place = Place::new();
    // Events that were dropped, and those before recordings.
    for word in [9, 24, 25, 26, 27, 28, 29, 32, 63] {
        let left = left(&place);
        for ring in files(&left.1, ".ring") {
            let mut bytes = fs::read(&ring).unwrap();
            bytes[8 * word..][..8].copy_from_slice(&(u64::MAX - 1_000_000_000_000).to_le_bytes());
            fs::write(&ring, &bytes).unwrap();
        }
        recovers_damaged(&place, &left, 3);
    }
}

#[test]
fn counts_of_losses_that_were_spoiled() {
    let place = Place::new();
    for word in [1, 2, 3, 4, 24, 27, 30] {
        let left = left(&place);
        let losses = Path::new(&left.1).join("losses");
        let mut bytes = fs::read(&losses).unwrap();
        bytes[8 * word..][..8].copy_from_slice(&((1_u64 << 48) + 1).to_le_bytes());
        fs::write(&losses, &bytes).unwrap();
        recovers_damaged(&place, &left, 3);
    }
}

#[test]
fn files_of_a_process_that_were_spoiled() {
    let place = Place::new();
    type Damage = fn(&mut Vec<u8>);
    let zeroed: Damage = |bytes| bytes.fill(0);
    let emptied: Damage = Vec::clear;
    let flipped: Damage = |bytes| bytes[20] ^= 1;
    let cut: Damage = |bytes| bytes.truncate(30);
    // Without its first chunk nothing of a process can be read.
    for damage in [zeroed, emptied, flipped, cut] {
        let left = left(&place);
        let process = Path::new(&left.1).join("process");
        let mut bytes = fs::read(&process).unwrap();
        damage(&mut bytes);
        fs::write(&process, &bytes).unwrap();
        recovers_damaged(&place, &left, 0);
    }
    // Nor a ring without its head, and nothing is counted without that file.
    for (name, bytes, events) in [("0.ring", 4096, 0), ("losses", 4096, 3), ("losses", 8, 3)] {
        let left = left(&place);
        let path = Path::new(&left.1).join(name);
        let mut content = fs::read(&path).unwrap();
        if bytes == 8 {
            content.truncate(bytes);
        } else {
            content[..bytes].fill(0);
        }
        fs::write(&path, &content).unwrap();
        recovers_damaged(&place, &left, events);
    }
}

#[test]
fn whose_events_a_recording_has() {
    let place = Place::new();
    let life = place.directory.path().join("life");
    let script = format!(
        "for i in 0 1; do echo work 3 | {} >/dev/null; done",
        life.display()
    );
    let trace = place.directory.path().join("trace");
    let words = [
        "record",
        "life:*",
        "-o",
        trace.to_str().unwrap(),
        "--",
        "sh",
        "-c",
        &script,
    ];
    let said = printed(&place.trace(&words));
    let named = said
        .lines()
        .filter(|line| line.contains("             3  life:work in process "));
    assert_eq!(named.count(), 2, "{said}");
}
