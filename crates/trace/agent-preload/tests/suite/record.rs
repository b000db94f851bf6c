//! Events of running programs in a trace: each as it was made, once, and none missing that is not counted.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::support::compile::{FOR_CPP, compile};
use crate::support::recorded::{Found, counters, found, new_trace, record_to_its_end};
use crate::support::{Program, agent_of};
use perflab_control::{RecordWish, Recorded};
use perflab_recorder::{
    Manner, ProbeProgress, Progress, Recording, Since, directories, recorded, recover, snapshot,
};
use perflab_trace_file::event::Value;
use perflab_trace_file::{EventSelection, Trace};

/// A program, its files, and where it keeps its rings.
struct Place {
    directory: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let directory = tempfile::tempdir_in("/dev/shm").unwrap();
        let place = Self { directory };
        compile(
            "gcc",
            &["-O2", "-pthread"],
            &["recorded.c"],
            &place.path("recorded"),
        );
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn command(&self, options: &[&str]) -> Command {
        let mut command = Command::new(self.path("recorded"));
        command.arg(self.path("counters")).args(options);
        command
    }

    /// Starts the program. It hits probes after the next line.
    fn start(&self, options: &[&str]) -> Program {
        let mut program = Program::start(&mut self.command(options));
        assert_eq!(program.line(), "ready\n");
        program
    }

    fn counters(&self) -> BTreeMap<u64, u64> {
        counters(&self.path("counters"))
    }
}

const KEEP: RecordWish = RecordWish {
    keep: true,
    ring: 256,
    all: 0,
};

const OVERWRITE: RecordWish = RecordWish {
    keep: false,
    ring: 64,
    all: 0,
};

fn lost(progress: &Progress) -> u64 {
    progress.dropped
        + progress.overwritten
        + progress.incomplete
        + progress.no_ring
        + progress.late
        + progress.invalid
}

fn new_recording(path: &Path, recorded: &Recorded) -> Recording<BufWriter<File>> {
    let manner = Manner {
        keep: true,
        since: Since::Oldest,
    };
    let mut recording = Recording::new(new_trace(path), manner);
    recording.add(&recorded.directory).unwrap();
    recording
}

/// Records a program while it runs, until it is over.
fn record_until(recording: &mut Recording<BufWriter<File>>, is_over: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(120);
    while !is_over() {
        recording.round().unwrap();
        std::thread::sleep(Duration::from_millis(1));
        assert!(Instant::now() < end);
    }
}

/// What a recording of a whole run came to.
struct Run {
    progress: Progress,
    /// What the trace has of each source.
    found: BTreeMap<u64, Found>,
    /// What the program counted.
    counted: BTreeMap<u64, u64>,
}

/// Records a whole run, from before the first event until the program is done.
fn recorded_run(options: &[&str], until_told: Option<Duration>) -> Run {
    let place = Place::new();
    let mut program = place.start(options);
    let answer = program.ask().record("recorded:*", KEEP).unwrap();
    assert_eq!(answer.switched.matched, 2);
    let trace = place.path("trace");
    let mut recording = new_recording(&trace, &answer);
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let _done = Ends(&is_done);
            program.tell("go\n");
            if let Some(time) = until_told {
                std::thread::sleep(time);
                program.tell("stop\n");
            }
            assert_eq!(program.line(), "done\n");
        });
        record_until(&mut recording, || is_done.load(Ordering::Acquire));
    });
    let (progress, _) = recording.finish().unwrap();
    drop(answer);
    program.tell("end\n");
    program.ends();
    let (trace, found) = found(&trace);
    let events: u64 = found.values().map(|found| found.count).sum();
    assert_eq!((events, trace.totals().events), (progress.events, events));
    Run {
        progress,
        found: found
            .into_iter()
            .map(|((_, source), found)| (source, found))
            .collect(),
        counted: place.counters(),
    }
}

/// Records a whole run: events in the trace and events that were lost are as many as the program has hit.
fn whole_run(options: &[&str], until_told: Option<Duration>) -> Progress {
    let Run {
        progress,
        found,
        counted,
    } = recorded_run(options, until_told);
    let all: u64 = counted.values().sum();
    assert_eq!(progress.events + lost(&progress), all, "{progress:?}");
    assert_eq!(
        (progress.incomplete, progress.invalid, progress.overwritten),
        (0, 0, 0)
    );
    for (source, found) in &found {
        let of_source = counted[source];
        assert!(found.last < of_source);
        if lost(&progress) == 0 {
            assert_eq!((found.first, found.count), (0, of_source));
        }
    }
    if lost(&progress) == 0 {
        assert_eq!(found.len(), counted.len());
    }
    progress
}

#[test]
fn handlers_that_do_not_return() {
    let options = ["threads=2", "signals=1", "jumps=1"];
    let run = recorded_run(&options, Some(Duration::from_secs(1)));
    let progress = run.progress;
    assert_eq!(
        (progress.invalid, progress.overwritten),
        (0, 0),
        "{progress:?}"
    );
    assert!(
        progress.events > 1000 && progress.incomplete > 0,
        "{progress:?}"
    );
    // After a jump the thread goes on in the same ring.
    assert_eq!(progress.no_ring, 0, "{progress:?}");
    // The event that a jump left was not counted by the program. After a jump a thread is another source.
    let all: u64 = run.counted.values().sum();
    let more = (progress.events + lost(&progress))
        .checked_sub(all)
        .unwrap();
    let most = run.found.len().max(run.counted.len()) as u64;
    assert!(more <= most, "{more} of {most}, {progress:?}");
}

#[test]
fn what_finds_room_is_there() {
    // So few that they find room whoever reads them when.
    let progress = whole_run(&["threads=4", "events=1000"], None);
    assert_eq!((progress.events, lost(&progress)), (4000, 0));
}

#[test]
fn what_finds_none_is_counted() {
    let progress = whole_run(&["threads=2", "events=200000"], None);
    assert!(progress.events > 1000);
}

#[test]
fn handlers_that_interrupt_events_and_each_other() {
    let progress = whole_run(&["threads=3", "signals=1"], Some(Duration::from_secs(1)));
    assert!(progress.events > 1000);
}

/// What they interrupt lies deeper, and goes on nevertheless.
#[test]
fn handlers_on_a_stack_of_their_own() {
    let options = ["threads=3", "signals=1", "stack=1"];
    let progress = whole_run(&options, Some(Duration::from_secs(1)));
    assert!(progress.events > 1000);
}

#[test]
fn threads_that_come_and_go() {
    let options = ["threads=3", "events=50", "churn=1", "signals=1"];
    let progress = whole_run(&options, Some(Duration::from_secs(1)));
    assert!(progress.events > 1000);
}

#[test]
fn children_do_not_write_to_their_parents_rings() {
    let progress = whole_run(&["threads=2", "forks=1"], Some(Duration::from_secs(1)));
    assert!(progress.events > 1000);
}

/// The agent looks after its threads by opening files, each second.
#[test]
fn threads_that_cannot_be_looked_at() {
    let options = ["threads=2", "files=1"];
    let progress = whole_run(&options, Some(Duration::from_secs(3)));
    assert!(progress.events > 1000);
}

#[test]
fn a_child_with_the_memory_of_a_thread_takes_no_ring() {
    let options = ["threads=2", "vforks=1"];
    let progress = whole_run(&options, Some(Duration::from_secs(3)));
    assert!(
        progress.events > 1000 && progress.no_ring == 2,
        "{progress:?}"
    );
}

#[test]
fn a_look_at_the_newest() {
    let place = Place::new();
    let mut program = place.start(&["threads=2", "events=100000"]);
    let answer = program.ask().record("recorded:*", OVERWRITE).unwrap();
    program.tell("go\n");
    assert_eq!(program.line(), "done\n");
    for time in [None, Some(Duration::from_secs(100))] {
        let trace = place.path("trace");
        let directories = [answer.directory.clone()];
        let pass = snapshot(&directories, new_trace(&trace), time).unwrap();
        assert!(pass.refused.is_empty());
        drop(pass);
        let (_, found) = found(&trace);
        assert_eq!(found.len(), 2);
        for Found { first, last, count } in found.into_values() {
            assert_eq!(last, 99_999, "the newest");
            assert_eq!(last - first + 1, count, "without a gap");
            assert!(count > 500, "{count}");
        }
    }
    program.tell("end\n");
    program.ends();
}

#[test]
fn one_recorder_for_all_events() {
    let place = Place::new();
    let mut program = place.start(&["events=10"]);
    let first = program.ask().record("recorded:*", KEEP).unwrap();
    let second = program.ask().record("recorded:*", KEEP);
    let said = second.unwrap_err().to_string();
    assert!(said.contains("somebody else records"), "{said}");
    drop(first);
    let end = Instant::now() + Duration::from_secs(60);
    while program.ask().record("recorded:*", KEEP).is_err() {
        assert!(Instant::now() < end);
    }
    program.tell("go\n");
    assert_eq!(program.line(), "done\n");
    program.tell("end\n");
    program.ends();
}

/// Longest time for which everything happens at once before it begins again: a trace takes up to 100 MB a second.
const LONGEST_ROUND: u64 = 20;

/// Everything at once, for PERFLAB_RECORD_SECONDS: threads, handlers, children; a probe that is switched on and off;
/// a recorder of all events and one of the newest; programs that come and go.
#[test]
fn everything_at_once() {
    let seconds = std::env::var("PERFLAB_RECORD_SECONDS").map_or(2, |text| text.parse().unwrap());
    let mut left: u64 = seconds;
    while left > 0 {
        let round = left.min(LONGEST_ROUND);
        println!("{}", everything_at_once_for(round));
        left -= round;
    }
}

/// What came of a round, in words.
fn everything_at_once_for(seconds: u64) -> String {
    let place = Place::new();
    let other = Place::new();
    let mut program = place.start(&["threads=8", "signals=1", "forks=1"]);
    let mut churning = other.start(&["threads=2", "events=100", "churn=1", "signals=1"]);
    let agents = [program.ask(), churning.ask()];
    let answers = agents
        .each_ref()
        .map(|agent| agent.record("recorded:*", KEEP).unwrap());
    let trace = place.path("trace");
    let mut recording = new_recording(&trace, &answers[0]);
    recording.add(&answers[1].directory).unwrap();
    let directories = answers.each_ref().map(|answer| answer.directory.clone());
    let is_over = AtomicBool::new(false);
    let is_done = AtomicBool::new(false);
    let toggles = AtomicU64::new(0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let _done = Ends(&is_done);
            let _over = Ends(&is_over);
            program.tell("go\n");
            churning.tell("go\n");
            let begun = Instant::now();
            std::thread::sleep(Duration::from_secs(seconds));
            while toggles.load(Ordering::Relaxed) < 10 && begun.elapsed().as_secs() < seconds + 60 {
                std::thread::sleep(Duration::from_millis(10));
            }
            is_over.store(true, Ordering::Release);
            for program in [&mut program, &mut churning] {
                program.tell("stop\n");
                assert_eq!(program.line(), "done\n");
            }
        });
        scope.spawn(|| {
            while !is_over.load(Ordering::Acquire) {
                for agent in &agents {
                    agent.record("toggled:*", OVERWRITE).unwrap();
                    std::thread::sleep(Duration::from_millis(5));
                    agent.switch("toggled:*", false).unwrap();
                    toggles.fetch_add(1, Ordering::Relaxed);
                }
            }
        });
        scope.spawn(|| {
            let newest = place.path("newest");
            while !is_over.load(Ordering::Acquire) {
                let last = Some(Duration::from_millis(20));
                let pass = snapshot(&directories, new_trace(&newest), last).unwrap();
                assert!(pass.refused.is_empty());
                drop(pass);
                found(&newest);
            }
        });
        scope.spawn(|| {
            while !is_over.load(Ordering::Acquire) {
                let short = Place::new();
                let mut program = short.start(&["threads=2", "events=100"]);
                let answer = program.ask().record("recorded:*", KEEP).unwrap();
                let trace = short.path("trace");
                let recording = new_recording(&trace, &answer);
                program.tell("go\n");
                assert_eq!(program.line(), "done\n");
                program.tell("end\n");
                program.ends();
                let (progress, _) = recording.finish().unwrap();
                assert_eq!((progress.events, lost(&progress)), (200, 0));
                found(&trace);
                perflab_recorder::remove_orphaned(&answer.directory).unwrap();
            }
        });
        let end = Instant::now() + Duration::from_secs(seconds + 120);
        while !is_done.load(Ordering::Acquire) {
            recording.round().unwrap();
            std::thread::sleep(Duration::from_millis(1));
            assert!(Instant::now() < end);
        }
    });
    let probes: Vec<_> = recording.probes().collect();
    let (progress, _) = recording.finish().unwrap();
    drop(answers);
    for mut program in [program, churning] {
        program.tell("end\n");
        program.ends();
    }
    let (_, found) = found(&trace);
    let counted = [place.counters(), other.counters()];
    for ((process, source), found) in &found {
        let count = counted[*process as usize - 1][source];
        assert!(found.last < count, "{source} {found:?} of {count}");
    }
    let events: u64 = found.values().map(|found| found.count).sum();
    assert_eq!(events, progress.events);
    assert_eq!(
        (progress.incomplete, progress.invalid, progress.overwritten),
        (0, 0, 0)
    );
    let all: u64 = counted.iter().flat_map(|counted| counted.values()).sum();
    // A thread may have evaluated an argument in the moment in which its probe was switched off.
    let missing = all.checked_sub(events + lost(&progress)).unwrap();
    let toggles = toggles.load(Ordering::Relaxed);
    assert!(missing <= toggles * 50, "{missing} {toggles} {progress:?}");
    for name in ["number", "text", "now"] {
        let of_probe = |probe: &&ProbeProgress| probe.name == name && probe.events > 0;
        assert_eq!(probes.iter().filter(of_probe).count(), 2, "{name}");
    }
    format!(
        "{events} events, {} lost, {missing} not made in {toggles} switches",
        lost(&progress)
    )
}

/// Says so, if the test fails as well.
struct Ends<'a>(&'a AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// Of the program: the thread's own, its toggled probe, and its handlers by depth.
const SOURCES_OF_A_THREAD: u64 = 6;

/// A program that is killed at a random moment, with nobody there, leaves all events that were complete.
#[test]
fn killed_at_any_moment() {
    let kills = std::env::var("PERFLAB_RECORD_KILLS").map_or(10, |text| text.parse().unwrap());
    let place = Place::new();
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    for round in 0..kills {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        let options: &[&str] = match round % 3 {
            0 => &["threads=1"],
            1 => &["threads=4"],
            _ => &["threads=2", "signals=1"],
        };
        let mut command = place.command(options);
        let mut program = Program::start(command.env("PERFLAB_RECORD", "recorded:*"));
        assert_eq!(program.line(), "ready\n");
        let pid = program.pid();
        // What a former process with this number may have left.
        for former in recorded(&directories()) {
            if former.process.pid == pid && !former.is_alive {
                perflab_recorder::remove_orphaned(&former.directory).unwrap();
            }
        }
        let agent = agent_of(pid);
        assert_eq!(agent.list("recorded:*").unwrap().0.len(), 2);
        program.tell("go\n");
        std::thread::sleep(Duration::from_micros(seed % 20_000));
        program.kill();
        let counted = place.counters();
        std::fs::remove_file(place.path("counters")).unwrap();
        let all = recorded(&directories()).into_iter();
        let left: Vec<PathBuf> = all
            .filter(|recorded| recorded.process.pid == pid)
            .map(|recorded| recorded.directory)
            .collect();
        assert_eq!(left.len(), 1);
        let trace = place.path("trace");
        let pass = recover(&left, new_trace(&trace)).unwrap();
        assert!(pass.refused.is_empty());
        let progress = pass.progress;
        drop(pass.writer);
        let (_, found) = found(&trace);
        assert_eq!(
            (progress.dropped, progress.no_ring, progress.invalid),
            (0, 0, 0)
        );
        for (source, count) in &counted {
            // The newest of a source whose events have others over them may be gone: those of a thread's
            // handlers share its rings.
            let Some(found) = found.get(&(1, *source)) else {
                assert!(progress.overwritten > 0, "{source} {count} {progress:?}");
                continue;
            };
            let Found { first, last, .. } = *found;
            // A handler's events are in two rings of its thread or more, of which each has lost its oldest, and the
            // thread's own come in between. All together are counted below.
            let is_handlers = (source - 1) % SOURCES_OF_A_THREAD >= 2;
            if is_handlers && progress.overwritten > 0 {
                continue;
            }
            assert_eq!(last - first + 1, found.count, "without a gap");
            // One may be complete that was not counted yet.
            assert!(last + 1 == *count || last == *count, "{found:?} of {count}");
        }
        for ((_, source), found) in &found {
            let count = counted.get(source).copied().unwrap_or(0);
            assert!(
                found.last <= count,
                "invented: {source} {found:?} of {count}"
            );
        }
        // Of each source, and of each thread that was stopped within an event, one may not be counted.
        let all = progress.events + progress.overwritten;
        let counted: u64 = counted.values().sum();
        let more = all.checked_sub(counted);
        assert!(
            more.is_some_and(|more| more <= found.len() as u64),
            "{all} of {counted}: {progress:?}"
        );
        perflab_recorder::remove_orphaned(&left[0]).unwrap();
    }
}

/// They end with the expression that they are in, which is the probe's.
#[test]
fn texts_of_temporary_objects() {
    let directory = tempfile::tempdir_in("/dev/shm").unwrap();
    let [binary, path] = ["program", "trace"].map(|name| directory.path().join(name));
    for compiler in FOR_CPP {
        for flag in ["-O0", "-O2", "-DPERFLAB_PROBE_BRANCH"] {
            compile(
                compiler,
                &["-std=c++11", flag],
                &["temporaries.cc"],
                &binary,
            );
            let program = Program::start(&mut Command::new(&binary));
            record_to_its_end(program, "temporaries:*", 256, &path);
            let mut texts = 0;
            for event in Trace::open(&path)
                .unwrap()
                .events(&EventSelection::default())
            {
                for value in event.values() {
                    if let Value::Text(text) = value {
                        assert_eq!(text, Some(&b"alive"[..]), "{compiler} {flag}");
                        texts += 1;
                    }
                }
            }
            assert_eq!(texts, 3 * 3, "{compiler} {flag}");
        }
    }
}
