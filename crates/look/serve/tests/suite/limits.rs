//! How long clients are waited for, with limits so short that a test can wait for them.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread::sleep;
use std::time::{Duration, Instant};

use perflab_serve::Limits;
use rustix::net::sockopt::set_socket_recv_buffer_size;

use crate::made::Made;
use crate::support::Served;

const SHORT: Duration = Duration::from_millis(1500);

/// Far more than sockets hold.
const MUCH: &str = "/results/first/raw/1/1-much.txt";

/// A directory with a result whose first run left a large file.
fn root() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    let mut made = Made::plain();
    made.files.push((1, "much".into(), vec![b'x'; 5_000_000]));
    made.write(&root.path().join("first"));
    root
}

fn served() -> Served {
    let limits = Limits {
        connections: 2,
        request: SHORT,
        stall: SHORT,
    };
    Served::within(root(), limits)
}

/// A server that has as many clients as it may, and all of them take nothing of their answers.
fn crowded() -> (Served, Vec<TcpStream>) {
    let long = Duration::from_secs(600);
    let limits = Limits {
        connections: 2,
        request: long,
        stall: long,
    };
    let served = Served::within(root(), limits);
    let stalled = vec![ask_for_much(&served), ask_for_much(&served)];
    let begun = Instant::now();
    // Until both are being answered they make room for others.
    while status(&served) != 503 {
        assert!(begun.elapsed() < Duration::from_secs(30), "never crowded");
        sleep(SHORT / 10);
    }
    (served, stalled)
}

fn status(served: &Served) -> u16 {
    served.get("/style.css").status
}

/// Asks for it several times, with little room for the answers.
fn ask_for_much(served: &Served) -> TcpStream {
    let stream = TcpStream::connect(served.address).unwrap();
    set_socket_recv_buffer_size(&stream, 1 << 14).unwrap();
    ask_by(stream, served)
}

fn ask_by(mut stream: TcpStream, served: &Served) -> TcpStream {
    let host = served.address;
    let request = format!("GET {MUCH} HTTP/1.1\r\nHost: {host}\r\n\r\n");
    stream.write_all(request.repeat(4).as_bytes()).unwrap();
    stream
}

/// Reads until nothing more comes, with a pause after each part; how many bytes came.
fn read(stream: &mut TcpStream, pause: Duration) -> usize {
    let (mut part, mut all) = (vec![0; 1 << 17], 0);
    while let Ok(bytes @ 1..) = stream.read(&mut part) {
        all += bytes;
        sleep(pause);
    }
    all
}

#[test]
fn who_takes_nothing_of_an_answer_is_let_go_and_who_takes_it_slowly_is_not() {
    let served = served();
    let one = served.get(MUCH).is(200).body.len();
    // Where there is little room, the sender waits by itself, for up to as long as the limit.
    let mut slow = ask_by(TcpStream::connect(served.address).unwrap(), &served);
    let mut stalled = ask_for_much(&served);
    let begun = Instant::now();
    // Far longer than the limit in all, far shorter each time.
    let all = read(&mut slow, Duration::from_millis(20));
    assert!(all > 4 * one, "{all} of 4 times {one}");
    assert!(begun.elapsed() > SHORT, "{:?}", begun.elapsed());
    sleep(2 * SHORT);
    assert!(read(&mut stalled, Duration::ZERO) < 4 * one);
    served.get("/").is(200);
}

#[test]
fn the_one_that_has_waited_longest_makes_room() {
    let served = served();
    let begin = || {
        let mut stream = TcpStream::connect(served.address).unwrap();
        stream.write_all(b"GET /").unwrap();
        sleep(SHORT / 10);
        stream
    };
    let (mut first, mut second) = (begin(), begin());
    served.get("/style.css").is(200);
    let mut said = String::new();
    first.read_to_string(&mut said).unwrap();
    assert!(said.starts_with("HTTP/1.1 503 "), "{said}");
    let rest = format!("style.css HTTP/1.1\r\nHost: {}\r\n\r\n", served.address);
    second.write_all(rest.as_bytes()).unwrap();
    let mut said = [0; 12];
    second.read_exact(&mut said).unwrap();
    assert_eq!(&said, b"HTTP/1.1 200");
}

#[test]
fn nobody_makes_room_as_long_as_others_have_gone() {
    let served = served();
    let mut waits = TcpStream::connect(served.address).unwrap();
    waits.write_all(b"GET /").unwrap();
    for _ in 0..4 {
        assert_eq!(status(&served), 200);
    }
    let rest = format!("style.css HTTP/1.1\r\nHost: {}\r\n\r\n", served.address);
    waits.write_all(rest.as_bytes()).unwrap();
    let mut said = [0; 12];
    waits.read_exact(&mut said).unwrap();
    assert_eq!(&said, b"HTTP/1.1 200");
}

#[test]
fn who_is_refused_can_send_all_and_read_why() {
    let (served, _stalled) = crowded();
    let mut refused = TcpStream::connect(served.address).unwrap();
    let host = served.address;
    let body = vec![b'x'; 8 << 20];
    let head = format!(
        "POST / HTTP/1.1\r\nHost: {host}\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    refused.write_all(head.as_bytes()).unwrap();
    refused.write_all(&body).unwrap();
    let mut said = [0; 12];
    refused.read_exact(&mut said).unwrap();
    assert_eq!(&said, b"HTTP/1.1 503");
}

#[test]
fn only_some_of_those_who_are_refused_are_waited_for() {
    let (served, _stalled) = crowded();
    let connect = |_| TcpStream::connect(served.address).unwrap();
    let mut refused: Vec<TcpStream> = (0..40).map(connect).collect();
    for stream in &mut refused {
        assert!(read(stream, Duration::ZERO) > 0);
    }
    // What is sent to a socket that was closed is answered with a reset, which the next write finds.
    let mut sent = || -> usize {
        let writes = refused.iter_mut().map(|stream| stream.write(b"x"));
        writes.filter(Result::is_ok).count()
    };
    let _told = sent();
    sleep(SHORT / 10);
    let open = sent();
    assert!(open <= 8, "{open} are waited for");
}
