//! Threads, children and handlers of signals, also those that are in a filter which is replaced.

use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use super::{WAYS, recorded};
use crate::support::filter::{filter, hits};
use crate::support::judged::{BOTH, Judged};
use crate::support::recorded::counters;
use crate::support::{agent_of, soon};

#[test]
fn threads_and_children() {
    for (way, mode) in WAYS {
        let mut judged = Judged::start(way);
        let agent = judged.agent.clone();
        agent.on_when(BOTH, &filter("n < -40")).unwrap();
        assert_eq!(judged.accepted("hit 100"), [10, 10]);
        for _ in 0..10 {
            assert_eq!(judged.accepted("thread 100"), [10, 10]);
        }
        // A thread that is known is judged in the child that has its memory too.
        assert_eq!(judged.accepted("vfork 100"), [10, 10]);
        assert_eq!(judged.accepted("hit 100"), [10, 10]);
        // A child goes on by the filter of its parent, until it gets another one.
        let line = judged.answers("fork 100");
        let child: u32 = line.strip_prefix("child ").unwrap().parse().unwrap();
        let of_child = agent_of(child);
        let count = |probe| hits(&of_child.list("*").unwrap().0, |site| site.name == probe);
        assert_eq!((count("few"), count("many")), (10, 10));
        let sites = of_child.list(BOTH).unwrap().0;
        let modes = sites.iter().map(|site| site.filter.as_ref().unwrap().mode);
        assert!(modes.clone().all(|found| found == mode));
        of_child.on_when(BOTH, &filter("n >= 45")).unwrap();
        kill_process(Pid::from_raw(child as i32).unwrap(), Signal::USR2).unwrap();
        assert_eq!(judged.program.line().trim(), line);
        assert_eq!((count("few"), count("many")), (15, 15));
        assert_eq!(judged.accepted("reap"), [0, 0]);
        assert_eq!(judged.accepted("hit 100"), [10, 10]);
        judged.ends();
    }
}

/// Filters that a thread may be in are not freed, however many there are. Then no other comes, but they can go off.
#[test]
fn a_thread_that_stays_in_a_filter() {
    for (way, _) in WAYS {
        let mut judged = Judged::start(way);
        let agent = judged.agent.clone();
        let on =
            |number: u32| agent.on_when("judged:huge", &filter(&format!("text == \"x{number}\"")));
        agent
            .on_when("judged:huge", &filter("text == \"*b*\""))
            .unwrap();
        assert_eq!(judged.answers("stay"), "inside");
        for number in 0..64 {
            on(number).unwrap();
        }
        let refused = on(64).unwrap_err().to_string();
        let expected = "64 filters that were replaced cannot be freed: 1 thread is in one";
        assert!(refused.contains(expected), "{refused}");
        agent.switch("judged:huge", false).unwrap();
        judged.does("release");
        soon("all are freed", || on(65).is_ok());
        agent.on_when(BOTH, &filter("n == 0")).unwrap();
        assert_eq!(judged.accepted("hit 100"), [1, 1]);
        judged.ends();
    }
}

/// A filter that waits for others does not keep the program from making children.
#[test]
fn a_fork_while_a_filter_waits() {
    let mut judged = Judged::start("native");
    let agent = judged.agent.clone();
    let on = |number: u32| {
        let filter = filter(&format!("text == \"*b{number}\""));
        agent.on_when("judged:huge", &filter)
    };
    on(0).unwrap();
    assert_eq!(judged.answers("stay"), "inside");
    for number in 1..=64 {
        on(number).unwrap();
    }
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| on(65));
        // It is refused after a second.
        std::thread::sleep(Duration::from_millis(100));
        let line = judged.answers("fork 1");
        let is_over = waiting.is_finished();
        let child: u32 = line.strip_prefix("child ").unwrap().parse().unwrap();
        assert!(!agent_of(child).list(BOTH).unwrap().0.is_empty());
        assert!(!is_over, "the child was made meanwhile");
        assert!(waiting.join().unwrap().is_err());
    });
    judged.does("reap");
    judged.does("release");
    judged.ends();
}

/// A handler leaves a filter by a jump. The thread goes on, and its events are judged.
#[test]
fn a_jump_out_of_a_filter() {
    for (way, _) in WAYS {
        let mut judged = Judged::start(way);
        let agent = judged.agent.clone();
        agent.on_when(BOTH, &filter("n < -40")).unwrap();
        for round in 0..3 {
            let huge = filter(&format!("text == \"*b*{round}\""));
            agent.on_when("judged:huge", &huge).unwrap();
            assert_eq!(judged.accepted("jump 100"), [10, 10]);
            assert_eq!(judged.accepted("thread 100"), [10, 10]);
        }
        let (_, problems) = agent.list("*").unwrap();
        assert_eq!(problems.how, "");
        judged.ends();
    }
}

/// The first event of a thread is judged by nobody if its child by vfork makes it, and that is reported.
#[test]
fn events_that_no_filter_has_judged() {
    let directory = tempfile::tempdir_in("/dev/shm").unwrap();
    let mut program = recorded(directory.path(), &["threads=2", "events=100", "vforks=1"]);
    assert_eq!(program.line(), "ready\n");
    let agent = program.ask();
    agent.on_when("recorded:*", &filter("number >= 0")).unwrap();
    program.tell("go\n");
    assert_eq!(program.line(), "done\n");
    let (sites, problems) = agent.list("recorded:*").unwrap();
    let counted: u64 = counters(&directory.path().join("counters")).values().sum();
    assert_eq!((counted, hits(&sites, |_| true)), (202, 200));
    assert!(problems.how.contains("2 events were lost"), "{problems:?}");
    program.tell("end\n");
    program.ends();
}

/// Where the kernel does not say whether threads are in a filter, none is freed.
#[test]
fn marks_that_cannot_be_read() {
    let mut judged = Judged::start_in(&["no-read"], "native");
    let agent = judged.agent.clone();
    let on = |number: i32| agent.on_when(BOTH, &filter(&format!("n < {}", number - 50)));
    // A thread has to come to a gate before its mark is of interest.
    on(1).unwrap();
    assert_eq!(judged.accepted("hit 100"), [1, 1]);
    for number in 2..66 {
        on(number).unwrap();
    }
    let refused = on(66).unwrap_err().to_string();
    assert!(refused.contains("cannot see"), "{refused}");
    let (_, problems) = agent.list("*").unwrap();
    assert!(problems.how.contains("cannot see"), "{problems:?}");
    assert_eq!(judged.accepted("hit 100"), [65, 65]);
    agent.switch(BOTH, false).unwrap();
    assert_eq!(judged.accepted("hit 100"), [0, 0]);
    judged.ends();
}
