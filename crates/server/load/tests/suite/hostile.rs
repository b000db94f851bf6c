//! Servers that misbehave: an error that names them, soon, and no memory filled.

use std::fs;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use perflab_load::{Plan, Problem};

use crate::{for_ms, made, plan};

/// A server that does something with each connection, as a target with this protocol.
fn server(scheme: &str, serve: fn(TcpStream)) -> String {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming() {
            thread::spawn(move || serve(stream.unwrap()));
        }
    });
    format!("bad={scheme}://127.0.0.1:{port}")
}

/// Reads a request.
fn request(stream: &mut TcpStream) {
    let mut bytes = [0; 4096];
    let _ = stream.read(&mut bytes);
}

/// Writes as long as somebody reads, and then waits until the connection is closed.
fn answer(mut stream: TcpStream, bytes: &[u8]) {
    request(&mut stream);
    let _ = stream.write_all(bytes);
    let _ = stream.read_to_end(&mut Vec::new());
}

/// The message of a load that a server breaks.
#[track_caller]
fn broken(plan: &Plan) -> String {
    let begin = Instant::now();
    let problem = made(plan).unwrap_err();
    assert!(begin.elapsed() < Duration::from_secs(4), "{problem:?}");
    let Problem::Broken(message) = problem else {
        panic!("{problem:?}");
    };
    assert!(message.starts_with("bad="), "{message}");
    message
}

#[test]
fn other_protocols_are_noticed() {
    let http = |stream: TcpStream| answer(stream, b"HTTP/1.1 400 Bad Request\r\n\r\n");
    let message = broken(&plan(&[&server("redis", http)], 100));
    assert!(message.contains("no reply of its protocol"), "{message}");
    let message = broken(&plan(&[&server("memcached", http)], 100));
    assert!(message.contains("`HTTP/1.1 400 Bad Request`"), "{message}");
    let redis = |stream: TcpStream| answer(stream, b"-ERR unknown command\r\n");
    let message = broken(&plan(&[&server("memcached", redis)], 100));
    assert!(message.contains("`-ERR unknown command`"), "{message}");
}

#[test]
fn closed_connections_are_noticed() {
    let message = broken(&plan(&[&server("redis", drop)], 100));
    assert!(
        message.contains("closed a connection after 0 replies"),
        "{message}"
    );
    let full = |mut stream: TcpStream| {
        request(&mut stream);
        let _ = stream.write_all(b"-ERR max number of clients reached\r\n");
    };
    let mut plan = plan(&[&server("redis", full)], 100);
    plan.connections = 1;
    let message = broken(&plan);
    assert!(
        message.contains("closed a connection after 1 replies")
            && message.contains("it had answered `ERR max number of clients reached`"),
        "{message}"
    );
    let half = |mut stream: TcpStream| {
        request(&mut stream);
        let _ = stream.write_all(b"$10\r\nabc");
    };
    plan.targets = vec![server("redis", half).parse().unwrap()];
    assert!(broken(&plan).contains("with 1 requests unanswered"));
}

#[test]
fn silent_and_slow_servers_are_not_waited_for_for_ever() {
    let silent = |stream: TcpStream| answer(stream, b"");
    let slow = |mut stream: TcpStream| {
        let _ = stream.write_all(b"$1000\r\n");
        while stream.write_all(b"x").is_ok() {
            sleep(Duration::from_millis(20));
        }
    };
    let deaf = |_stream: TcpStream| sleep(Duration::from_secs(60));
    let all: [fn(TcpStream); 3] = [silent, slow, deaf];
    for serve in all {
        let mut plan = plan(&[&server("redis", serve)], 100);
        plan.timeout = Duration::from_millis(300);
        assert!(broken(&plan).contains("no reply within 0.3 s"));
        plan.pace = perflab_load::Pace::Even(1000.0);
        plan.rounds = for_ms(1000);
        assert!(broken(&plan).contains("no reply within 0.3 s"));
        // Nobody takes what is sent.
        plan.pace = perflab_load::Pace::Replies;
        plan.value_bytes = 8 << 20..=8 << 20;
        plan.preload = true;
        plan.keys.count = 3;
        assert!(broken(&plan).contains("no reply within 0.3 s"));
    }
}

#[test]
fn replies_to_nothing_are_noticed() {
    let double = |stream: TcpStream| answer(stream, b"+OK\r\n+OK\r\n");
    assert!(broken(&plan(&[&server("redis", double)], 100)).contains("a reply to no request"));
    let push = |stream: TcpStream| answer(stream, b">1\r\n+x\r\n");
    assert!(broken(&plan(&[&server("redis", push)], 100)).contains("nobody asked for"));
}

/// Bytes of memory that this process has had at once, at most.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.unwrap().trim().trim_end_matches(" kB");
    number.parse::<u64>().unwrap() * 1024
}

#[test]
fn endless_replies_fill_no_memory() {
    let endless = |mut stream: TcpStream| {
        request(&mut stream);
        let _ = stream.write_all(b"$500000000\r\n");
        let block = vec![b'x'; 1 << 20];
        while stream.write_all(&block).is_ok() {}
    };
    let elements = |mut stream: TcpStream| {
        request(&mut stream);
        let _ = stream.write_all(b"*1000000\r\n");
        let block = b"$1000\r\n"
            .iter()
            .chain(&[b'x'; 1000])
            .chain(b"\r\n")
            .copied();
        let block: Vec<u8> = block.collect();
        let block = block.repeat(1000);
        while stream.write_all(&block).is_ok() {}
    };
    let both: [fn(TcpStream); 2] = [endless, elements];
    for serve in both {
        let mut plan = plan(&[&server("redis", serve)], 100);
        plan.connections = 1;
        assert!(broken(&plan).contains("a reply is longer than 64 MiB"));
    }
    // A vector that grows has the old and the new memory for a moment.
    assert!(peak() < 600 << 20, "{}", peak());
}

#[test]
fn the_other_threads_and_targets_end_too() {
    let good = |mut stream: TcpStream| {
        let mut bytes = [0; 4096];
        while matches!(stream.read(&mut bytes), Ok(1..)) {
            sleep(Duration::from_millis(1));
            let _ = stream.write_all(b"+OK\r\n");
        }
    };
    let good = server("redis", good).replacen("bad", "good", 1);
    let bad = server("redis", |stream| answer(stream, b"?\r\n"));
    let mut plan = plan(&[&good, &bad], 1_000_000);
    plan.threads = 3;
    let message = broken(&plan);
    assert!(message.contains("no reply begins with '?'"), "{message}");
}

#[test]
fn who_cannot_be_reached_is_named() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    for target in [
        format!("gone=redis://127.0.0.1:{port}"),
        "gone=unix:/nonexistent/socket".to_owned(),
        format!("gone=memcached://127.0.0.1:{port}"),
    ] {
        let problem = made(&plan(&[&target], 1)).unwrap_err();
        let Problem::Unavailable(message) = &problem else {
            panic!("{problem:?}");
        };
        assert!(
            message.starts_with(&format!("{target}: cannot connect: ")),
            "{message}"
        );
    }
}

#[test]
fn a_cpu_that_is_not_there_is_named() {
    let mut plan = plan(&[&server("redis", drop)], 1);
    plan.cpus = vec![1000];
    let problem = made(&plan).unwrap_err();
    let words = "a thread cannot be bound to CPU 1000";
    assert!(
        matches!(&problem, Problem::Unavailable(message) if message.contains(words)),
        "{problem:?}"
    );
}
