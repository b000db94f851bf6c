//! Processes that record on their own, while somebody waits for an event there.

use super::*;

const OWN: RecordWish = RecordWish {
    keep: false,
    ..KEEP
};

/// All events of a probe that the process records are still recorded while a recorder waits for one of them.
#[test]
fn a_recording_that_ends_with_an_event_of_an_own_one() {
    for way in WAYS {
        let mut judged = Judged::start(way);
        let agent = judged.agent.clone();
        drop(agent.record("judged:many", OWN).unwrap());
        let path = judged.directory.path().join("trace");
        let mut recording = LiveRecording::of_running(new_trace(&path), Instant::now());
        let until =
            filter("n == 7").with_trigger(Effect::Stop, "judged:many", 1, &filter("last == 30"));
        let answer = agent.record_when("judged:few", KEEP, &until.unwrap());
        recording.add(answer.unwrap(), &mut unexpected);
        judged.does("hit 100");
        recording.round().unwrap();
        assert!(recording.was_triggered(1));
        recording.finish(&[], &mut unexpected).unwrap();
        let expected = BTreeMap::from([
            ("few".to_owned(), vec![7]),
            ("many".to_owned(), (-50..50).collect()),
        ]);
        assert_eq!(events(&path), expected, "{way}");
        judged.ends();
    }
}

/// An event that somebody waits for is recorded, also if its probe is counted otherwise.
#[test]
fn an_event_of_a_probe_that_is_counted() {
    let judged = Judged::start("native");
    let agent = judged.agent.clone();
    drop(agent.record("judged:few", OWN).unwrap());
    agent.switch("judged:many", true).unwrap();
    let is_recorded = || {
        let (sites, _) = agent.list("judged:many").unwrap();
        assert!(sites.iter().all(|site| site.on));
        sites.iter().all(|site| site.is_recorded)
    };
    assert!(!is_recorded());
    let fifth = filter("last == 5");
    let waiting = agent.await_event("judged:many", &fifth).unwrap();
    assert!(is_recorded());
    drop(waiting);
    soon("its hits are counted again", || !is_recorded());
    judged.ends();
}
