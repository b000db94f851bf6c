//! How connections end.

use std::io::Write;
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use perflab_net::Ended;
use rustix::net::sockopt::set_socket_linger;

use crate::support::{Running, ask, eventually, fill, is_at_end, options, read_line};

/// Ends a connection by a reset.
fn reset(stream: TcpStream) {
    set_socket_linger(&stream, Some(Duration::ZERO)).unwrap();
    drop(stream);
}

#[test]
fn who_closes_is_forgotten() {
    let running = Running::start(&options(2));
    ask(&mut running.connect(), "hello");
    assert_eq!(running.end_of(1), Ended::Peer);
    eventually(|| running.handles.clients() == 0);
}

#[test]
fn who_sends_no_more_gets_the_answers() {
    let running = Running::start(&options(1));
    let mut client = running.connect();
    client.write_all("line\n".repeat(1000).as_bytes()).unwrap();
    client.write_all(b"part of a line").unwrap();
    client.shutdown(Shutdown::Write).unwrap();
    for _ in 0..1000 {
        assert_eq!(read_line(&mut client).unwrap(), "line");
    }
    assert!(is_at_end(&mut client));
    assert_eq!(running.end_of(1), Ended::Peer);
}

#[test]
fn who_sends_no_more_may_read_slowly() {
    const ANSWER: usize = 20_000_000;
    let running = Running::start(&options(1));
    let mut client = running.connect();
    client
        .write_all(format!(":big {ANSWER}\n").as_bytes())
        .unwrap();
    client.shutdown(Shutdown::Write).unwrap();
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(fill(&mut client, ANSWER).len(), ANSWER);
    assert!(is_at_end(&mut client));
    assert_eq!(running.end_of(1), Ended::Peer);
}

#[test]
fn a_reset_ends_one_connection() {
    let running = Running::start(&options(1));
    let mut stays = running.connect();
    ask(&mut stays, "hello");
    let mut goes = running.connect();
    ask(&mut goes, "hello");
    goes.write_all(b"part").unwrap();
    reset(goes);
    assert!(matches!(running.end_of(2), Ended::Broken | Ended::Peer));
    assert_eq!(ask(&mut stays, "still here"), "still here");
}

#[test]
fn a_reset_ends_a_connection_whose_answers_wait() {
    let running = Running::start(&options(1));
    let mut goes = running.connect();
    goes.write_all(":big 1000000\n".repeat(50).as_bytes())
        .unwrap();
    assert_eq!(fill(&mut goes, 1000).len(), 1000);
    reset(goes);
    assert!(matches!(running.end_of(1), Ended::Broken | Ended::Peer));
    assert_eq!(ask(&mut running.connect(), "next"), "next");
}

#[test]
fn the_service_closes_after_its_answer() {
    let running = Running::start(&options(1));
    let mut client = running.connect();
    client.write_all(b"first\n:close\nnever\n").unwrap();
    assert_eq!(read_line(&mut client).unwrap(), "first");
    assert_eq!(read_line(&mut client).unwrap(), "bye");
    assert!(is_at_end(&mut client));
    assert_eq!(running.end_of(1), Ended::Service);
}

#[test]
fn the_service_closes_after_a_large_answer() {
    const ANSWER: usize = 20_000_000;
    let running = Running::start(&options(1));
    let mut client = running.connect();
    client
        .write_all(format!(":big {ANSWER}\n:close\n").as_bytes())
        .unwrap();
    assert_eq!(fill(&mut client, ANSWER).len(), ANSWER);
    assert_eq!(read_line(&mut client).unwrap(), "bye");
    assert!(is_at_end(&mut client));
    assert_eq!(running.end_of(1), Ended::Service);
}

#[test]
fn a_connection_is_killed_by_its_id() {
    let running = Running::start(&options(3));
    let mut clients = (0..6).map(|_| running.connect()).collect::<Vec<_>>();
    for client in &mut clients {
        ask(client, "hello");
    }
    running.handles.kill(4);
    running.handles.kill(1000);
    assert!(is_at_end(&mut clients[3]));
    assert_eq!(running.end_of(4), Ended::Killed);
    for (place, client) in clients.iter_mut().enumerate() {
        if place != 3 {
            assert_eq!(ask(client, "still here"), "still here");
        }
    }
    // The next one may get the place in the table, and not the id.
    assert_eq!(ask(&mut running.connect(), ":id"), "7");
}

#[test]
fn a_connection_can_be_finished_with_a_last_word() {
    let running = Running::start(&options(1));
    let mut client = running.connect();
    ask(&mut client, "hello");
    let told = crate::support::visit(&running, 0, |connections| {
        let told = [connections.push(1, b"last word\n"), connections.finish(1)];
        (
            told,
            connections.push(1, b"too late\n"),
            connections.push(9, b"nobody"),
        )
    });
    assert_eq!(told, ([true, true], false, false));
    assert_eq!(read_line(&mut client).unwrap(), "last word");
    assert!(is_at_end(&mut client));
    assert_eq!(running.end_of(1), Ended::Service);
}
