//! How many system calls requests cost.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::thread;
use std::time::Duration;

use perflab_net::{Counters, Listen, Server};
use tempfile::tempdir;

use crate::support::{LONG, Running, ask, fill, options};

/// What the server counts meanwhile, in all threads.
fn counted(running: &Running, meanwhile: impl FnOnce()) -> Counters {
    let sum = || {
        let each = running.handles.counters().into_iter();
        each.reduce(|a, b| Counters {
            reads: a.reads + b.reads,
            writes: a.writes + b.writes,
            waits: a.waits + b.waits,
            bytes_in: a.bytes_in + b.bytes_in,
            bytes_out: a.bytes_out + b.bytes_out,
            ..a
        })
        .unwrap()
    };
    // A client has its answer before the bytes of it are counted.
    let settled = || loop {
        let seen = sum();
        thread::sleep(Duration::from_millis(20));
        if seen == sum() {
            break seen;
        }
    };
    let before = settled();
    meanwhile();
    let after = settled();
    Counters {
        reads: after.reads - before.reads,
        writes: after.writes - before.writes,
        waits: after.waits - before.waits,
        bytes_in: after.bytes_in - before.bytes_in,
        bytes_out: after.bytes_out - before.bytes_out,
        ..Counters::default()
    }
}

/// A request costs one call of each kind, and a pipeline no more.
fn costs_one_call_each(running: &Running, client: &mut (impl Read + Write)) {
    const ROUNDS: u64 = 100;
    ask(client, "hello");
    let pipelines = [
        "line\n".to_owned(),
        "line\n".repeat(16),
        "line\n".repeat(1000),
    ];
    for pipeline in pipelines {
        let seen = counted(running, || {
            for _ in 0..ROUNDS {
                client.write_all(pipeline.as_bytes()).unwrap();
                assert_eq!(fill(client, pipeline.len()), pipeline.as_bytes());
            }
        });
        let bytes = ROUNDS * pipeline.len() as u64;
        let expected = Counters {
            reads: ROUNDS,
            writes: ROUNDS,
            waits: ROUNDS,
            bytes_in: bytes,
            bytes_out: bytes,
            ..Counters::default()
        };
        assert_eq!(seen, expected, "{} bytes", pipeline.len());
    }
}

#[test]
fn a_request_over_tcp_costs_one_read_one_write_and_one_wait() {
    let running = Running::start(&options(1));
    costs_one_call_each(&running, &mut running.connect());
}

#[test]
fn in_another_thread_it_costs_the_same() {
    let running = Running::start(&options(2));
    let _first = running.connect();
    let mut second = running.connect();
    assert_eq!(ask(&mut second, ":thread"), "1");
    costs_one_call_each(&running, &mut second);
}

#[test]
fn a_request_over_a_unix_socket_costs_the_same() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("socket");
    let server = Server::open(&[Listen::unix(&path)], &options(1)).unwrap();
    let running = Running::serve(server, None);
    let mut client = UnixStream::connect(&path).unwrap();
    client.set_read_timeout(Some(LONG)).unwrap();
    costs_one_call_each(&running, &mut client);
}

#[test]
fn an_idle_server_makes_no_calls() {
    let running = Running::start(&options(2));
    let mut client = running.connect();
    ask(&mut client, "hello");
    let seen = counted(&running, || thread::sleep(Duration::from_millis(200)));
    assert_eq!(seen, Counters::default());
}
