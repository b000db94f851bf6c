//! Requests and answers.

use std::io::Write;
use std::thread;
use std::time::Duration;

use perflab_net::Peer;

use crate::support::{Running, ask, fill, options, read_line, visit};

#[test]
fn a_line_comes_back() {
    let running = Running::start(&options(1));
    let mut client = running.connect();
    assert_eq!(ask(&mut client, "hello"), "hello");
    assert_eq!(ask(&mut client, ""), "");
    assert_eq!(ask(&mut client, ":id"), "1");
}

#[test]
fn a_pipeline_is_answered_in_order() {
    let running = Running::start(&options(1));
    let mut client = running.connect();
    let lines = (0..20_000).map(|line| format!("line {line}\n"));
    let lines = lines.collect::<String>();
    let mut writer = client.try_clone().unwrap();
    let sent = lines.clone();
    let writes = thread::spawn(move || writer.write_all(sent.as_bytes()).unwrap());
    assert_eq!(fill(&mut client, lines.len()), lines.as_bytes());
    writes.join().unwrap();
    assert_eq!(ask(&mut client, "last"), "last");
}

#[test]
fn requests_come_byte_by_byte() {
    let running = Running::start(&options(1));
    let mut client = running.connect();
    for byte in b"one\ntwo\n:take 5\nthree" {
        client.write_all(&[*byte]).unwrap();
        thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(read_line(&mut client).unwrap(), "one");
    assert_eq!(read_line(&mut client).unwrap(), "two");
    assert_eq!(read_line(&mut client).unwrap(), "5 bytes, sum 536");
}

#[test]
fn the_end_of_one_request_comes_with_the_beginning_of_the_next() {
    let running = Running::start(&options(1));
    let mut client = running.connect();
    for part in ["fir", "st\nsec", "ond\nthi", "rd\n"] {
        client.write_all(part.as_bytes()).unwrap();
        thread::sleep(Duration::from_millis(5));
    }
    for line in ["first", "second", "third"] {
        assert_eq!(read_line(&mut client).unwrap(), line);
    }
}

#[test]
fn a_connection_is_known_by_its_facts() {
    let running = Running::start(&options(1));
    let mut clients = [running.connect(), running.connect()];
    for client in &mut clients {
        ask(client, "hello");
    }
    clients[1].write_all(b"part").unwrap();
    let seen = || {
        visit(&running, 0, |connections| {
            let mut seen = connections
                .iter()
                .map(|connection| (*connection.about(), connection.input_bytes()))
                .collect::<Vec<_>>();
            seen.sort_by_key(|(about, _)| about.id);
            seen
        })
    };
    crate::support::eventually(|| seen()[1].1 == 4);
    for (place, (about, _)) in seen().into_iter().enumerate() {
        let address = clients[place].local_addr().unwrap();
        assert_eq!(about.id, place as u64 + 1);
        assert_eq!(about.peer, Peer::Tcp(address));
        assert_eq!(about.peer.to_string(), address.to_string());
        assert_eq!((about.listener, about.thread), (0, 0));
    }
}
