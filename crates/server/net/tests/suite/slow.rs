//! Peers that do not read their answers.

use std::io::Write;
use std::thread;

use perflab_net::{Connection, Ended, OUTPUT_PAUSE, Options};

use crate::support::{Running, ask, eventually, fill, options, read_line, visit};

const ANSWER: usize = 100_000;

/// Bytes of answers that wait for the connection with this id.
fn waiting(running: &Running, id: u64) -> usize {
    visit(running, 0, move |connections| {
        connections.get(id).map_or(0, Connection::output_bytes)
    })
}

#[test]
fn who_does_not_read_holds_up_nobody_and_takes_bounded_memory() {
    const ANSWERS: usize = 2000;
    let running = Running::start(&options(1));
    let mut slow = running.connect();
    let mut quick = running.connect();
    ask(&mut slow, ":id");
    let requests = format!(":big {ANSWER}\n").repeat(ANSWERS);
    let mut writer = slow.try_clone().unwrap();
    let writes = thread::spawn(move || {
        writer.write_all(requests.as_bytes()).unwrap();
        writer.write_all(b"last\n").unwrap();
    });
    eventually(|| waiting(&running, 1) >= OUTPUT_PAUSE);
    for round in 0..500 {
        let line = round.to_string();
        assert_eq!(ask(&mut quick, &line), line);
        if round % 100 == 0 {
            let waiting = waiting(&running, 1);
            assert!(waiting <= 2 * OUTPUT_PAUSE + ANSWER, "{waiting} bytes wait");
        }
    }
    // All of it arrives once it is read.
    for _ in 0..ANSWERS {
        let answer = fill(&mut slow, ANSWER);
        assert!(answer[..ANSWER - 1].iter().all(|&byte| byte == b'x'));
        assert_eq!(answer[ANSWER - 1], b'\n');
    }
    assert_eq!(read_line(&mut slow).unwrap(), "last");
    writes.join().unwrap();
    assert_eq!(ask(&mut slow, "as before"), "as before");
}

#[test]
fn a_thread_sleeps_while_a_peer_does_not_read() {
    let running = Running::start(&options(1));
    let mut slow = running.connect();
    slow.write_all(":big 1000000\n".repeat(100).as_bytes())
        .unwrap();
    eventually(|| waiting(&running, 1) >= OUTPUT_PAUSE);
    let before = running.handles.counters()[0];
    thread::sleep(std::time::Duration::from_millis(200));
    let after = running.handles.counters()[0];
    // The peer's kernel may still take some.
    assert!(after.waits - before.waits <= 20, "{before:?} {after:?}");
    assert!(after.reads - before.reads <= 20, "{before:?} {after:?}");
}

#[test]
fn more_answers_than_the_limit_end_the_connection() {
    let running = Running::start(&Options {
        output_limit: 4 << 20,
        ..options(1)
    });
    let mut greedy = running.connect();
    greedy.write_all(b":big 50000000\n").unwrap();
    assert_eq!(running.end_of(1), Ended::OutputLimit);
    running.handles.set_output_limit(1 << 30);
    let mut next = running.connect();
    next.write_all(b":big 50000000\n").unwrap();
    assert_eq!(fill(&mut next, 50_000_000).len(), 50_000_000);
}
