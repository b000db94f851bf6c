//! A client with endless requests does not starve the others.

use std::io::{Read, Write};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use crate::support::{Running, ask, eventually, options, read_line};

#[test]
fn round_trips_are_served_while_another_client_never_stops() {
    let running = Running::start(&options(1));
    let hog = running.connect();
    let mut other = running.connect();
    ask(&mut other, "hello");
    let (stops, received) = (AtomicBool::new(false), AtomicUsize::new(0));
    thread::scope(|scope| {
        scope.spawn(|| {
            let lines = "a line of the one who never stops\n".repeat(10_000);
            while !stops.load(Relaxed) {
                if (&hog).write_all(lines.as_bytes()).is_err() {
                    break;
                }
            }
        });
        scope.spawn(|| {
            let mut bytes = vec![0; 1 << 20];
            while let Ok(count @ 1..) = (&hog).read(&mut bytes) {
                received.fetch_add(count, Relaxed);
            }
        });
        eventually(|| received.load(Relaxed) > 10 << 20);
        let (before, begin) = (received.load(Relaxed), Instant::now());
        for round in 0..200 {
            let line = round.to_string();
            assert_eq!(ask(&mut other, &line), line);
        }
        // A few milliseconds for each, on a machine with others at work.
        assert!(
            begin.elapsed() < Duration::from_secs(20),
            "{:?}",
            begin.elapsed()
        );
        eventually(|| received.load(Relaxed) > before);
        stops.store(true, Relaxed);
        running.handles.kill(1);
    });
}

/// Of two clients whose requests all wait when the thread wakes, the one with a single request is served after a few
/// turns of the other.
fn is_served_among(requests: &str, answers: usize) {
    let running = Running::start(&options(1));
    let (mut hog, mut other) = (running.connect(), running.connect());
    ask(&mut hog, "hello");
    ask(&mut other, "hello");
    hog.write_all(b":sleep 1000\n").unwrap();
    thread::sleep(Duration::from_millis(100));
    thread::scope(|scope| {
        let mut writer = hog.try_clone().unwrap();
        scope.spawn(move || writer.write_all(requests.as_bytes()).unwrap());
        scope.spawn(|| {
            let (mut bytes, mut lines) = (vec![0; 1 << 20], 0);
            // The answer to the sleep comes first.
            while lines <= answers {
                let count = (&hog).read(&mut bytes).unwrap();
                assert!(count > 0, "the connection ended");
                lines += bytes[..count].iter().filter(|&&byte| byte == b'\n').count();
            }
        });
        other.write_all(b"hello\n").unwrap();
        assert_eq!(read_line(&mut other).unwrap(), "hello");
        let calls = running.watched.calls.lock().unwrap().clone();
        // The first three: their first lines, and the sleep.
        let place = calls[3..].iter().position(|&id| id == 2);
        assert!(place.is_some_and(|place| place <= 3), "{calls:?}");
    });
}

#[test]
fn many_requests_take_their_turns() {
    is_served_among(&"line\n".repeat(100_000), 100_000);
}

#[test]
fn many_large_answers_take_their_turns() {
    is_served_among(&":big 1000000\n".repeat(50), 50);
}
