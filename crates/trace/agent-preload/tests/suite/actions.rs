//! What is done about events that a filter accepts, in programs: some are taken, recordings begin and end with them,
//! their values are counted.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use perflab_control::{
    Actions, Agent, Effect, EncodedFilter, FilterMode, News, RecordWish, Value, variable,
};
use perflab_recorder::{LiveRecording, StartOptions, Summary};
use perflab_trace_file::event::Value as Recorded;
use perflab_trace_file::{EventSelection, Trace};

use crate::support::compile::compile;
use crate::support::filter::{filter, hits, with_actions};
use crate::support::recorded::new_trace;
use crate::support::{Program, preload};

mod own;

/// The ways to judge.
const WAYS: [&str; 2] = ["native", "interpreted"];

/// The probes of `judged.c` with many arguments.
const BOTH: &str = "judged:few,judged:many";

/// `judged.c` in a process.
struct Judged {
    program: Program,
    agent: Agent,
    directory: tempfile::TempDir,
}

impl Judged {
    fn start(way: &str) -> Self {
        let directory = tempfile::tempdir_in("/dev/shm").unwrap();
        let path = directory.path().join("judged");
        compile("gcc", &["-O2", "-pthread"], &["judged.c"], &path);
        let mut command = Command::new(path);
        let mut program = Program::start(command.env(variable::FILTERS, way));
        assert_eq!(program.line(), "ready\n");
        Self {
            agent: program.ask(),
            program,
            directory,
        }
    }

    fn does(&mut self, what: &str) {
        self.program.tell(&format!("{what}\n"));
        assert_eq!(self.program.line(), "done\n");
    }

    fn hits(&self) -> u64 {
        let (sites, problems) = self.agent.list("judged:few").unwrap();
        assert_eq!(problems.how, "");
        hits(&sites, |_| true)
    }

    /// Hits that are counted of the probe with few arguments while it does something.
    fn counted(&mut self, what: &str) -> u64 {
        let before = self.hits();
        self.does(what);
        self.hits() - before
    }

    fn ends(self) {
        self.program.ends();
    }
}

fn soon(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !holds() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn limited(every: u32, at_most: u32) -> EncodedFilter {
    let actions = Actions {
        every,
        at_most,
        ..Actions::default()
    };
    with_actions("n >= -50", actions)
}

#[test]
fn one_of_so_many_events_of_each_thread() {
    for way in WAYS {
        let mut judged = Judged::start(way);
        let agent = judged.agent.clone();
        agent.on_when("judged:few", &limited(10, 0)).unwrap();
        assert_eq!(judged.counted("hit 95"), 10, "{way}");
        // It goes on where it was; a new thread begins.
        assert_eq!(judged.counted("hit 5"), 0, "{way}");
        assert_eq!(judged.counted("hit 1"), 1, "{way}");
        for _ in 0..3 {
            assert_eq!(judged.counted("thread 11"), 2, "{way}");
        }
        // Another filter with the same words begins again, however often.
        for _ in 0..20 {
            agent.on_when("judged:few", &limited(1000, 0)).unwrap();
            assert_eq!(judged.counted("hit 3"), 1, "{way}");
            agent.switch("judged:few", false).unwrap();
        }
        // Four at the same time.
        for probe in ["judged:few", "judged:many", "judged:huge", "judged:none"] {
            agent.on_when(probe, &limited(2, 0)).unwrap();
        }
        let refused = agent.on_when("judged:no", &limited(2, 0)).unwrap_err();
        let refused = refused.to_string();
        assert!(refused.contains("4 filters"), "{refused}");
        judged.ends();
    }
}

#[test]
fn so_many_events_in_a_second() {
    for way in WAYS {
        let mut judged = Judged::start(way);
        let agent = judged.agent.clone();
        agent.on_when("judged:few", &limited(0, 50)).unwrap();
        let begin = Instant::now();
        let mut taken = 0;
        let mut looks = 0;
        while begin.elapsed() < Duration::from_millis(2500) {
            taken += judged.counted("hit 100");
            looks += 1;
        }
        let seconds = begin.elapsed().as_secs_f64().ceil() as u64;
        // 50 at once, and again each second, a moment later than that.
        assert!(taken <= 50 * seconds, "{way}: {taken} in {seconds} s");
        assert!(taken >= 100 && looks > 5, "{way}: {taken} in {looks} looks");
        // First one of so many, then as many as there may be.
        agent.on_when("judged:few", &limited(10, 5)).unwrap();
        assert_eq!(judged.counted("hit 30"), 3, "{way}");
        assert_eq!(judged.counted("hit 100"), 2, "{way}");
        judged.ends();
    }
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "a recorder calls it with a value"
)]
fn unexpected(problem: perflab_recorder::Problem) {
    panic!("{problem:?}");
}

/// The number of each event, by the name of its probe.
fn events(trace: &Path) -> BTreeMap<String, Vec<i64>> {
    let trace = Trace::open(trace).unwrap();
    assert!(trace.is_ended(), "{:?}", trace.cut());
    let mut events: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    for event in trace.events(&EventSelection::default()) {
        let number = match event.values().next() {
            Some(Recorded::Signed(number)) => number,
            other => panic!("{other:?}"),
        };
        let name = event.probe.name.clone();
        events.entry(name).or_default().push(number);
    }
    events
}

const KEEP: RecordWish = RecordWish {
    keep: true,
    ring: 0,
    all: 0,
};

/// A recording of `few`, which begins at one event of `many` and ends at another.
fn recorded(way: &str, number: u64, filter: &EncodedFilter) -> (BTreeMap<String, Vec<i64>>, bool) {
    let mut judged = Judged::start(way);
    let path = judged.directory.path().join("trace");
    let mut recording = LiveRecording::of_running(new_trace(&path), Instant::now());
    let answer = judged.agent.record_when("judged:few", KEEP, filter);
    recording.add(answer.unwrap(), &mut unexpected);
    recording.round().unwrap();
    assert!(!recording.was_triggered(number));
    judged.does("hit 100");
    recording.round().unwrap();
    let was_triggered = recording.was_triggered(number);
    assert!(!recording.was_triggered(number ^ 2));
    let summary: Summary = recording.finish(&[], &mut unexpected).unwrap();
    assert_eq!(summary.progress.lost(), 0, "{summary:?}");
    // Nothing is recorded any more.
    let (sites, _) = judged.agent.list("*").unwrap();
    assert!(sites.iter().all(|site| !site.on && site.filter.is_none()));
    let found = events(&path);
    judged.ends();
    (found, was_triggered)
}

#[test]
fn recordings_that_begin_and_end_with_events() {
    const NUMBER: u64 = 0x1234_5678_9abc_def1;
    let even = filter("(n & 1) == 0");
    let with = |effect, condition: &str| {
        let other = filter(condition);
        even.clone()
            .with_trigger(effect, "judged:many", NUMBER, &other)
            .unwrap()
    };
    let from = |first: i64| -> Vec<i64> { (first..50).filter(|n| n % 2 == 0).collect() };
    for way in WAYS {
        // Events have the numbers from -50 on, first of `few`, then of `many`.
        let until = with(Effect::Stop, "last == 30");
        let (found, was_triggered) = recorded(way, NUMBER, &until);
        let expected = BTreeMap::from([
            ("few".to_owned(), from(-50)),
            ("many".to_owned(), vec![-20]),
        ]);
        assert_eq!((found, was_triggered), (expected, true), "{way}");
        let start = with(Effect::Start, "last == 30 || last == 40");
        let (found, was_triggered) = recorded(way, NUMBER, &start);
        let expected = BTreeMap::from([
            ("few".to_owned(), from(-19)),
            ("many".to_owned(), vec![-20, -10]),
        ]);
        assert_eq!((found, was_triggered), (expected, false), "{way}");
        // What ends a recording counts only once it has begun.
        let both = with(Effect::Start, "last == 30");
        let early = filter("last == 20 || last == 50");
        let both = both.with_trigger(Effect::Stop, "judged:*", NUMBER, &early);
        let (found, was_triggered) = recorded(way, NUMBER, &both.unwrap());
        let expected = BTreeMap::from([
            ("few".to_owned(), from(-19)),
            ("many".to_owned(), vec![-20, 0]),
        ]);
        assert_eq!((found, was_triggered), (expected, true), "{way}");
        // An event that could do both begins the recording, and the next one ends it.
        let condition = "last == 30 || last == 40";
        let both = with(Effect::Start, condition);
        let both = both.with_trigger(Effect::Stop, "judged:many", NUMBER, &filter(condition));
        let (found, was_triggered) = recorded(way, NUMBER, &both.unwrap());
        let expected = BTreeMap::from([
            ("few".to_owned(), from(-19)),
            ("many".to_owned(), vec![-20, -10]),
        ]);
        assert_eq!((found, was_triggered), (expected, true), "{way}");
        // A site that is meant by both.
        let own =
            filter("n > 1000").with_trigger(Effect::Stop, "judged:few", NUMBER, &filter("n == 7"));
        let (found, was_triggered) = recorded(way, NUMBER, &own.unwrap());
        let expected = BTreeMap::from([("few".to_owned(), vec![7])]);
        assert_eq!((found, was_triggered), (expected, true), "{way}");
        let never = with(Effect::Start, "last == 1000");
        assert_eq!(recorded(way, NUMBER, &never), (BTreeMap::new(), false));
    }
}

/// A program from its start. The recorder comes when the recording has begun, and asks for the same again.
#[test]
fn a_recording_that_has_begun_goes_on() {
    let directory = tempfile::tempdir_in("/dev/shm").unwrap();
    let [program, trace] = ["life", "trace"].map(|name| directory.path().join(name));
    compile("gcc", &["-O2"], &["life.c"], &program);
    let when = filter("1").with_trigger(Effect::Start, "life:work", 1, &filter("x == 10"));
    let options = StartOptions {
        probes: "life:*".to_owned(),
        memory: KEEP,
        when: Some(when.unwrap()),
        preload: preload().into(),
    };
    let mut recording = LiveRecording::of_started(new_trace(&trace), options);
    let mut command = Command::new(program);
    let mut life = Program::start_alone(command.envs(recording.environment()));
    life.tell("work 50\n");
    assert_eq!(life.line(), "done\n");
    let roots = [life.pid()];
    soon("the process to be found", || {
        recording.search(&roots, &mut unexpected).unwrap();
        recording.round().unwrap();
        !recording.processes().is_empty()
    });
    life.tell("work 5\n");
    assert_eq!(life.line(), "done\n");
    let summary = recording.finish(&roots, &mut unexpected).unwrap();
    assert_eq!(summary.progress.lost(), 0);
    let expected: Vec<i64> = (10..50).chain(0..5).collect();
    assert_eq!(events(&trace)["work"], expected);
    life.ends();
}

#[test]
fn events_that_somebody_waits_for() {
    for way in WAYS {
        let mut judged = Judged::start(way);
        let agent = judged.agent.clone();
        let fifth = filter("last == 5");
        let refused = agent.await_event("judged:many", &fifth).unwrap_err();
        let refused = refused.to_string();
        assert!(refused.contains("does not record on its own"), "{refused}");
        let own = RecordWish {
            keep: false,
            ..KEEP
        };
        drop(agent.record("judged:few", own).unwrap());
        let mut waiting = agent.await_event("judged:many", &fifth).unwrap();
        assert_eq!(waiting.switched.matched, 1);
        let refused = agent.await_event("judged:many", &fifth).unwrap_err();
        assert!(refused.to_string().contains("somebody else"), "{refused}");
        judged.does("hit 5");
        std::thread::sleep(Duration::from_millis(50));
        assert_eq!(waiting.look(), News::None);
        judged.does("hit 6");
        soon("the event is told", || waiting.look() == News::Came);
        let on = |probe: &str| {
            let (sites, _) = agent.list("judged:*").unwrap();
            sites.iter().any(|site| site.name == probe && site.on)
        };
        soon("nobody waits any more", || !on("many"));
        assert!(on("few"));
        // Somebody who goes.
        let waiting = agent.await_event("judged:many", &fifth).unwrap();
        assert!(on("many"));
        drop(waiting);
        soon("nobody waits any more", || !on("many"));
        // On a probe that is recorded anyway. A process that ends says nothing.
        let mut waiting = agent
            .await_event("judged:few", &filter("n == 1000"))
            .unwrap();
        judged.does("hit 6");
        assert_eq!(waiting.look(), News::None);
        judged.ends();
        soon("the process has gone", || waiting.look() == News::Gone);
    }
}

#[test]
fn hits_by_value() {
    let mut judged = Judged::start("native");
    let agent = judged.agent.clone();
    let all = filter("n >= -50");
    let counted = |agent: &Agent| -> BTreeMap<Value, u64> {
        let values = agent.values(BOTH).unwrap().into_iter();
        values.map(|found| (found.value, found.hits)).collect()
    };
    let text = |text: &str| Value::Text {
        bytes: text.as_bytes().to_vec(),
        is_cut: false,
    };
    let switched = agent.count_by(BOTH, "name", &all).unwrap();
    assert_eq!(switched.filtered.len(), 2);
    assert!(
        switched
            .filtered
            .iter()
            .all(|of| of.mode == FilterMode::Interpreted)
    );
    judged.does("hit 100");
    let expected = [text("GET"), text("SET"), text(""), Value::Null].map(|value| (value, 50));
    assert_eq!(counted(&agent), BTreeMap::from(expected));
    judged.does("thread 4");
    let expected = [text("GET"), text("SET"), text(""), Value::Null].map(|value| (value, 52));
    assert_eq!(counted(&agent), BTreeMap::from(expected));
    let (sites, _) = agent.list(BOTH).unwrap();
    assert_eq!(hits(&sites, |_| true), 0);
    // Of those that a filter accepts.
    agent.count_by(BOTH, "kind", &filter("n > 47")).unwrap();
    judged.does("hit 100");
    let expected = [(Value::Number(0), 2), (Value::Number(1), 2)];
    assert_eq!(counted(&agent), BTreeMap::from(expected));
    agent.count_by(BOTH, "$ctx.procname", &all).unwrap();
    judged.does("hit 3");
    assert_eq!(counted(&agent), BTreeMap::from([(text("judged"), 6)]));
    for (argument, mode) in [("half", FilterMode::Unbound), ("none", FilterMode::Never)] {
        let switched = agent.count_by(BOTH, argument, &all).unwrap();
        assert!(switched.filtered.iter().all(|of| of.mode == mode));
        judged.does("hit 3");
        assert_eq!(counted(&agent), BTreeMap::new());
    }
    agent.switch(BOTH, false).unwrap();
    assert_eq!(counted(&agent), BTreeMap::new());
    judged.ends();
}
