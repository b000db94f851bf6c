//! Large requests and answers.

use std::io::Write;

use perflab_net::Connection;

use crate::support::{Running, ask, eventually, fill, options, read_line, visit};

const LARGE: usize = 8 << 20;

/// Bytes of memory that the buffers of all connections of the first thread have.
fn buffers(running: &Running) -> usize {
    visit(running, 0, |connections| {
        let buffers = connections.iter().map(Connection::buffer_bytes);
        buffers.sum()
    })
}

#[test]
fn a_large_line_comes_back_and_leaves_no_buffer() {
    let running = Running::start(&options(1));
    let mut client = running.connect();
    let mut line = (0..LARGE)
        .map(|at| b'a' + (at % 26) as u8)
        .collect::<Vec<_>>();
    line.push(b'\n');
    client.write_all(&line).unwrap();
    assert!(fill(&mut client, line.len()) == line);
    eventually(|| buffers(&running) == 0);
}

#[test]
fn the_service_is_not_called_before_it_has_what_it_needs() {
    let running = Running::start(&options(1));
    let mut client = running.connect();
    client
        .write_all(format!(":take {LARGE}\n").as_bytes())
        .unwrap();
    client.write_all(&vec![1; LARGE]).unwrap();
    let answer = read_line(&mut client).unwrap();
    assert_eq!(answer, format!("{LARGE} bytes, sum {LARGE}"));
    let calls = visit(&running, 0, |connections| {
        connections.get(1).unwrap().state().calls
    });
    assert!(calls <= 3, "{calls} calls");
    assert_eq!(ask(&mut client, "next"), "next");
    assert_eq!(buffers(&running), 0);
}

#[test]
fn a_large_request_may_be_followed_by_others() {
    let running = Running::start(&options(1));
    let mut client = running.connect();
    let mut bytes = format!(":take {LARGE}\n").into_bytes();
    bytes.resize(bytes.len() + LARGE, 2);
    bytes.extend_from_slice(b"one\ntwo\nthr");
    client.write_all(&bytes).unwrap();
    client.write_all(b"ee\n").unwrap();
    let sum = format!("{LARGE} bytes, sum {}", 2 * LARGE);
    for line in [&*sum, "one", "two", "three"] {
        assert_eq!(read_line(&mut client).unwrap(), line);
    }
}

#[test]
fn who_announces_much_and_sends_little_gets_little() {
    let running = Running::start(&options(1));
    let mut client = running.connect();
    client.write_all(b":take 1099511627776\n").unwrap();
    for _ in 0..10 {
        client.write_all(&[1; 1000]).unwrap();
    }
    let has_come = || {
        visit(&running, 0, |connections| {
            connections.get(1).map(Connection::input_bytes)
        })
    };
    eventually(|| has_come() == Some(10_020));
    let buffers = buffers(&running);
    assert!(buffers <= 256 * 1024, "{buffers} bytes");
}

#[test]
fn a_large_answer_arrives() {
    let running = Running::start(&options(1));
    let mut client = running.connect();
    client
        .write_all(format!(":big {LARGE}\nnext\n").as_bytes())
        .unwrap();
    let answer = fill(&mut client, LARGE);
    assert!(answer[..LARGE - 1].iter().all(|&byte| byte == b'x'));
    assert_eq!(read_line(&mut client).unwrap(), "next");
    eventually(|| buffers(&running) == 0);
}
