//! `perflab serve` among clients that are many, slow, or silent.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::damaged_results::measured;
use crate::support::{Laboratory, PATIENCE, Running};

/// Descriptors of the server.
const DESCRIPTORS: u32 = 128;

/// Longest that a header may take.
const HEADER: Duration = Duration::from_secs(10);

/// A large file that a run left.
const MUCH: &str = "/results/result/raw/1/1-much.txt";

/// A laboratory with a result that has it.
fn with_much() -> Laboratory {
    let laboratory = measured();
    let run = laboratory.path("result/runs/000001");
    std::fs::write(run.join("0-much"), vec![b'x'; 5_000_000]).unwrap();
    laboratory
}

pub fn serve(laboratory: &Laboratory) -> (Running, String) {
    let arguments = ["serve", "--port", "0", "."];
    let mut server = laboratory.start_with_descriptors(DESCRIPTORS, &arguments);
    let first = server.first_line();
    let address = first.trim_start_matches("http://").trim_end_matches('/');
    (server, address.to_owned())
}

fn connect(address: &str) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

fn request(address: &str, target: &str) -> String {
    format!("GET {target} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")
}

/// All that the server still says before it closes the connection.
fn rest(stream: &mut TcpStream) -> String {
    let mut said = Vec::new();
    match stream.read_to_end(&mut said) {
        Err(error) if error.kind() != ErrorKind::ConnectionReset => panic!("not closed: {error}"),
        _ => String::from_utf8_lossy(&said).into_owned(),
    }
}

pub fn get(address: &str, target: &str) -> String {
    let mut stream = connect(address);
    let request = request(address, target);
    stream.write_all(request.as_bytes()).unwrap();
    rest(&mut stream)
}

#[test]
fn half_requests_keep_nobody_out_and_are_not_kept() {
    let laboratory = measured();
    let (mut server, address) = serve(&laboratory);
    let begun = Instant::now();
    let mut half: Vec<TcpStream> = (0..300)
        .map(|_| {
            let mut stream = connect(&address);
            // One that had to make room may be closed before it has said anything.
            let _closed = stream.write_all(b"GET / HTTP/1.1\r\nHost:");
            stream
        })
        .collect();
    for _ in 0..20 {
        let page = get(&address, "/");
        assert!(page.starts_with("HTTP/1.1 200 "), "{page}");
    }
    assert!(begun.elapsed() < HEADER, "{:?}", begun.elapsed());
    let said: Vec<String> = half.iter_mut().map(rest).collect();
    let took = begun.elapsed();
    assert!(
        took > HEADER,
        "those that were kept had their time: {took:?}"
    );
    assert!(took < 3 * HEADER, "{took:?}");
    let with = |status: &str| said.iter().filter(|said| said.contains(status)).count();
    let (crowded, late) = (with("HTTP/1.1 503 "), with("HTTP/1.1 408 "));
    assert!(crowded > 50, "{crowded} of 300 are told why they had to go");
    assert!(late > 10, "{late} of 300 are told that they are late");
    assert!(server.is_running());
    assert!(get(&address, "/").starts_with("HTTP/1.1 200 "));
}

#[test]
fn beyond_the_connections_that_are_answered_clients_are_told() {
    let laboratory = with_much();
    let (_server, address) = serve(&laboratory);
    // More than the buffers of two sockets hold.
    let many = request(&address, MUCH)
        .replace("Connection: close\r\n", "")
        .repeat(8);
    let open = || {
        let mut stream = connect(&address);
        stream.write_all(many.as_bytes()).unwrap();
        let mut first = [0; 12];
        stream.read_exact(&mut first).unwrap();
        (stream, first)
    };
    let readers: Vec<TcpStream> = (0..100)
        .map(|_| open())
        .take_while(|(_, first)| first == b"HTTP/1.1 200")
        .map(|(stream, _)| stream)
        .collect();
    assert!((20..100).contains(&readers.len()), "{}", readers.len());
    for _ in 0..20 {
        let said = get(&address, "/");
        assert!(said.starts_with("HTTP/1.1 503 "), "{said}");
        assert!(said.contains("too many connections"), "{said}");
    }
    drop(readers);
    let deadline = Instant::now() + PATIENCE;
    while !get(&address, "/").starts_with("HTTP/1.1 200 ") {
        assert!(Instant::now() < deadline);
        sleep(Duration::from_millis(50));
    }
}

#[test]
fn who_is_slow_and_moves_is_served() {
    let laboratory = with_much();
    let (_server, address) = serve(&laboratory);
    let whole = get(&address, MUCH);
    let mut stream = connect(&address);
    let request = request(&address, MUCH);
    for part in request.as_bytes().chunks(4) {
        stream.write_all(part).unwrap();
        sleep(Duration::from_millis(200));
    }
    let mut said = Vec::new();
    let mut part = vec![0; 1 << 16];
    while let bytes @ 1.. = stream.read(&mut part).unwrap() {
        said.extend_from_slice(&part[..bytes]);
        sleep(Duration::from_millis(50));
    }
    assert_eq!(said.len(), whole.len());
}

#[test]
fn a_header_that_comes_byte_by_byte_has_no_more_time() {
    let laboratory = measured();
    let (_server, address) = serve(&laboratory);
    let mut stream = connect(&address);
    let often = Duration::from_millis(200);
    stream.set_read_timeout(Some(often)).unwrap();
    let begun = Instant::now();
    stream.write_all(b"GET / HTTP/1.1\r\nHost:").unwrap();
    while stream.peek(&mut [0]).is_err() {
        assert!(begun.elapsed() < 2 * HEADER);
        stream.write_all(b"x").unwrap();
    }
    assert!(rest(&mut stream).starts_with("HTTP/1.1 408 "));
}

#[test]
fn a_connection_that_nobody_uses_is_closed() {
    let laboratory = measured();
    let (_server, address) = serve(&laboratory);
    let mut silent = connect(&address);
    let mut kept = connect(&address);
    let request = request(&address, "/style.css").replace("close", "keep-alive");
    kept.write_all(request.as_bytes()).unwrap();
    let begun = Instant::now();
    assert_eq!(rest(&mut silent), "");
    assert!(rest(&mut kept).starts_with("HTTP/1.1 200 "));
    let took = begun.elapsed();
    assert!(took > HEADER / 2 && took < 3 * HEADER, "{took:?}");
}
