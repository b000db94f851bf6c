//! What a process records on its own while recorders come and go: each event is kept, or counted by `recover`.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::life::{Life, Place, directory, printed, text, wait_for_recorder};
use crate::support::signal;

/// The first number of events that are hit while a recorder is there.
const RECORDED: u32 = 1_000_000;

/// Numbers of events, and how many were lost.
struct Told {
    numbers: Vec<u32>,
    lost: u64,
    said: String,
}

impl Told {
    /// Of a trace, and of what perflab said when it wrote it.
    fn new(place: &Place, trace: &str, said: String) -> Self {
        let events = place.events(&[trace]).into_iter();
        let number = |event: String| event.trim_start_matches("life:work x=").parse().unwrap();
        let lost = said.lines().filter_map(|line| line.strip_prefix("lost: "));
        let lost = lost.map(|line| line.split(' ').next().unwrap().parse::<u64>().unwrap());
        let told = Self {
            numbers: events.map(number).collect(),
            lost: lost.sum(),
            said,
        };
        fs::remove_file(trace).unwrap();
        told
    }

    /// Events that the process recorded on its own.
    fn own(&self) -> u64 {
        let own = self.numbers.iter().filter(|number| **number < RECORDED);
        own.count() as u64
    }
}

/// A process that records on its own.
fn started(place: &Place, words: &[&str]) -> Life {
    place.started(&[&["trace", "on", "life:*", "--record"], words].concat())
}

/// Starts so many threads with so many events each, one after the other, with numbers from this one on.
fn threads(life: &mut Life, threads: u32, events: u32, from: u32) {
    for thread in 0..threads {
        let first = from + thread * events;
        life.does(&format!("thread {} {first}", first + events));
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn killed(life: &mut Life) {
    life.child.kill().unwrap();
    life.child.wait().unwrap();
}

/// What the process left.
fn recovered(place: &Place, recording: &str) -> Told {
    let left = place.file("left");
    let said = printed(&place.trace(&["recover", recording, "--remove", "-o", &left]));
    Told::new(place, &left, said)
}

/// With memory for as many rings as wait for threads, those of ended threads are not given up before a thread needs one.
#[test]
fn threads_that_ended_leave_their_newest_events_where_memory_is_small() {
    let place = Place::new();
    let mut life = started(&place, &["--ring", "256", "--memory", "4096"]);
    let recording = life.recording();
    threads(&mut life, 60, 100, 0);
    killed(&mut life);
    let told = recovered(&place, &recording);
    assert_eq!(told.own() + told.lost, 6000, "{}", told.said);
    // Of 15 rings, 3 wait for threads.
    assert!(told.own() >= 1000, "{}", told.said);
    assert_eq!(told.numbers.iter().max(), Some(&5999), "{}", told.said);
}

/// The ring files in a directory: how many KiB they take, and the lengths of the files.
fn rings(directory: &Path) -> (u64, BTreeSet<u64>) {
    let entries = fs::read_dir(directory).unwrap().flatten();
    let rings = entries.filter(|entry| entry.file_name().to_string_lossy().ends_with(".ring"));
    let rings: Vec<_> = rings.filter_map(|ring| ring.metadata().ok()).collect();
    let taken = rings.iter().map(MetadataExt::blocks).sum::<u64>() / 2;
    (taken, rings.iter().map(fs::Metadata::len).collect())
}

/// A recorder asks for larger rings than the process has on its own.
#[test]
fn a_recorder_with_large_rings_takes_no_more_memory_than_the_process_may_have() {
    const MEMORY: u64 = 32_768;
    let place = Place::new();
    let memory = MEMORY.to_string();
    let mut life = started(&place, &["--ring", "64", "--memory", &memory]);
    let (pid, recording) = (life.pid(), life.recording());
    let directory = directory(&recording);
    threads(&mut life, 60, 100, 0);
    assert_eq!(rings(&directory).1, [4096 + 65_536].into());
    let (recorder, trace) = place.recorder(&pid, &["--memory", &memory]);
    let end = Instant::now() + Duration::from_secs(3);
    let mut thread = 0;
    let mut lengths = BTreeSet::new();
    while Instant::now() < end {
        threads(&mut life, 1, 100, RECORDED + thread * 100);
        thread += 1;
        let (taken, there) = rings(&directory);
        assert!(taken <= MEMORY, "{taken} KiB");
        lengths.extend(there);
    }
    assert!(lengths.contains(&(4096 + (4 << 20))), "{lengths:?}");
    // It reads all threads to their ends, which the agent looks for once a second.
    std::thread::sleep(Duration::from_millis(2500));
    signal(recorder.id(), Signal::INT);
    let said = printed(&recorder.wait_with_output().unwrap());
    let read = Told::new(&place, &trace, said);
    let expected = u64::from(thread) * 100;
    assert_eq!(
        read.numbers.len() as u64 + read.lost,
        expected,
        "{}",
        read.said
    );
    // What the recorder has read goes, and threads have rings of the process's own size.
    threads(&mut life, 30, 100, 6000);
    std::thread::sleep(Duration::from_millis(2500));
    let (taken, lengths) = rings(&directory);
    assert!(taken <= MEMORY, "{taken} KiB");
    assert_eq!(lengths, [4096 + 65_536].into(), "{taken} KiB");
    killed(&mut life);
    let told = recovered(&place, &recording);
    assert_eq!(told.own() + told.lost, 9000, "{}", told.said);
}

/// No ring of the process's own is left when the recorder has read to the end.
#[test]
fn what_a_process_lost_on_its_own_is_told_after_a_recorder_that_read_to_its_end() {
    let place = Place::new();
    for (memory, largest) in [("72", None), ("72", Some("64")), ("2048", Some("2048"))] {
        let mut life = started(&place, &["--ring", "32", "--memory", memory]);
        let (pid, recording) = (life.pid(), life.recording());
        threads(&mut life, 20, 100, 0);
        // The agent looks for threads that have ended once a second.
        std::thread::sleep(Duration::from_millis(1500));
        let words = largest.map(|largest| ["--memory", largest]);
        let words: Vec<&str> = words.into_iter().flatten().collect();
        let (recorder, trace) = place.recorder(&pid, &words);
        threads(&mut life, 20, 100, RECORDED);
        std::thread::sleep(Duration::from_millis(1500));
        threads(&mut life, 20, 100, RECORDED + 2000);
        life.ends();
        let said = printed(&recorder.wait_with_output().unwrap());
        let read = Told::new(&place, &trace, said);
        assert_eq!(
            read.numbers.len() as u64 + read.lost,
            4000,
            "{memory} {}",
            read.said
        );
        let told = recovered(&place, &recording);
        assert_eq!(
            told.own() + told.lost,
            2000,
            "{memory} {largest:?} {}",
            told.said
        );
    }
}

/// Own events, those of a recorder, own events ...: the oldest that is still there may be of any of these.
#[test]
fn own_events_between_those_of_recorders_are_counted_exactly() {
    let place = Place::new();
    // The ring has four blocks of 169 events.
    for (events, recorders) in [(200, 2), (400, 2), (700, 2), (120, 3), (30, 20)] {
        let mut life = started(&place, &["--ring", "16"]);
        let (pid, recording) = (life.pid(), life.recording());
        let mut recorded = RECORDED;
        for round in 0..recorders {
            let own = round * events;
            life.does(&format!("work {} {own}", own + events));
            let (recorder, trace) = place.recorder(&pid, &["--ring", "16"]);
            life.does(&format!("work {} {recorded}", recorded + events));
            recorded += events;
            signal(recorder.id(), Signal::INT);
            let said = printed(&recorder.wait_with_output().unwrap());
            let read = Told::new(&place, &trace, said);
            let sum = read.numbers.len() as u64 + read.lost;
            assert_eq!(sum, u64::from(events), "{events} {round}: {}", read.said);
            assert_eq!(read.own(), 0, "{events} {round}: {}", read.said);
        }
        killed(&mut life);
        let told = recovered(&place, &recording);
        let expected = u64::from(events * recorders);
        assert_eq!(
            told.own() + told.lost,
            expected,
            "{events} {recorders}: {}",
            told.said
        );
    }
}

/// The recorder is to end, and the process dies at about the moment at which it lets the recorder go.
#[test]
fn a_process_that_dies_while_it_lets_its_recorder_go_leaves_nothing_uncounted() {
    let place = Place::new();
    for round in 0..20 {
        let mut life = started(&place, &["--ring", "64"]);
        let (pid, recording) = (life.pid(), life.recording());
        life.works(100);
        let (recorder, trace) = place.recorder(&pid, &["--ring", "64"]);
        wait_for_recorder(&place, &life);
        life.does(&format!("work {} {RECORDED}", RECORDED + 500));
        signal(recorder.id(), Signal::INT);
        std::thread::sleep(Duration::from_micros(300 * round));
        killed(&mut life);
        let output = recorder.wait_with_output().unwrap();
        let read = Told::new(&place, &trace, text(&output.stdout));
        let told = recovered(&place, &recording);
        let there: BTreeSet<u32> = read.numbers.iter().chain(&told.numbers).copied().collect();
        let lost = read.lost + told.lost;
        assert_eq!(
            there.len() as u64 + lost,
            600,
            "{round}: {} {}",
            read.said,
            told.said
        );
        assert_eq!(told.own() + told.lost, 100, "{round}: {}", told.said);
    }
}
