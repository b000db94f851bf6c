//! Connections on hold: the service waits for something else.

use std::io::Write;
use std::net::{Shutdown, TcpStream};
use std::thread;
use std::time::Duration;

use perflab_net::{Connection, Ended};

use crate::support::{Running, ask, eventually, is_at_end, options, read_line, visit};

/// A client that has sent these lines and is on hold.
fn held(running: &Running, lines: &str) -> TcpStream {
    let mut client = running.connect();
    client.write_all(lines.as_bytes()).unwrap();
    eventually(|| {
        visit(running, 0, |connections| {
            connections.get(1).is_some_and(Connection::is_held)
        })
    });
    client
}

#[test]
fn requests_behind_a_hold_are_executed_when_it_ends() {
    let running = Running::start(&options(1));
    let mut client = held(&running, "before\n:hold\nafter\n");
    client.write_all(b"much later\n").unwrap();
    assert_eq!(read_line(&mut client).unwrap(), "before");
    thread::sleep(Duration::from_millis(50));
    assert!(visit(&running, 0, |connections| {
        connections.push(1, b"pushed\n") && connections.resume(1)
    }));
    for line in ["pushed", "after", "much later"] {
        assert_eq!(read_line(&mut client).unwrap(), line);
    }
}

#[test]
fn a_request_can_be_executed_again_after_a_hold() {
    let running = Running::start(&options(1));
    let mut client = held(&running, ":wait\n");
    assert!(visit(&running, 0, |connections| connections.resume(1)));
    assert_eq!(read_line(&mut client).unwrap(), "waited");
    assert_eq!(ask(&mut client, "next"), "next");
}

#[test]
fn a_hold_without_further_requests_ends_quietly() {
    let running = Running::start(&options(1));
    let mut client = held(&running, ":hold\n");
    assert!(visit(&running, 0, |connections| connections.resume(1)));
    assert_eq!(ask(&mut client, "next"), "next");
}

#[test]
fn a_thread_sleeps_while_a_connection_is_on_hold() {
    let running = Running::start(&options(1));
    let mut client = held(&running, ":hold\n");
    client.write_all(b"unread\n").unwrap();
    thread::sleep(Duration::from_millis(50));
    let before = running.handles.counters()[0];
    thread::sleep(Duration::from_millis(200));
    assert_eq!(running.handles.counters()[0], before);
}

#[test]
fn who_hangs_up_on_hold_is_forgotten() {
    let running = Running::start(&options(1));
    drop(held(&running, ":hold\n"));
    assert_eq!(running.end_of(1), Ended::Peer);
}

#[test]
fn who_is_patient_gets_an_answer_after_hanging_up() {
    let running = Running::start(&options(1));
    let mut client = held(&running, ":patient\n:hold\n");
    assert_eq!(read_line(&mut client).unwrap(), "patient");
    client.shutdown(Shutdown::Write).unwrap();
    thread::sleep(Duration::from_millis(50));
    let before = running.handles.counters()[0];
    thread::sleep(Duration::from_millis(100));
    assert_eq!(
        running.handles.counters()[0],
        before,
        "the thread does not sleep"
    );
    assert!(visit(&running, 0, |connections| {
        connections.push(1, b"at last\n") && connections.resume(1)
    }));
    assert_eq!(read_line(&mut client).unwrap(), "at last");
    assert!(is_at_end(&mut client));
    assert_eq!(running.end_of(1), Ended::Peer);
}

#[test]
fn threads_ask_each_other_without_waiting() {
    let running = Running::start(&options(2));
    let mut client = held(&running, ":hold\n");
    let mut other = running.connect();
    assert_eq!(ask(&mut other, ":thread"), "1");
    let handles = running.handles.clone();
    // A job in the first thread asks the second one, which lets the first one answer.
    assert!(running.handles.run(0, move |connections| {
        let here = connections.len();
        let back = handles.clone();
        handles.run(1, move |connections| {
            let all = here + connections.len();
            back.run(0, move |connections| {
                connections.push(1, format!("{all} connections\n").as_bytes());
                connections.resume(1);
            });
        });
    }));
    assert_eq!(read_line(&mut client).unwrap(), "2 connections");
}
