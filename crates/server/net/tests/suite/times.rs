//! Idle connections, and times of the service.

use std::io::Write;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;
use std::time::{Duration, Instant};

use perflab_net::{Ended, Listen, Options, Server};

use crate::support::{Running, ask, eventually, is_at_end, options};

const IDLE: Duration = Duration::from_millis(300);

#[test]
fn idle_connections_end_and_busy_ones_stay() {
    let running = Running::start(&Options {
        idle_timeout: Some(IDLE),
        ..options(1)
    });
    let mut busy = running.connect();
    let mut idle = running.connect();
    let mut held = running.connect();
    let mut may_idle = running.connect();
    ask(&mut busy, "hello");
    ask(&mut idle, "hello");
    ask(&mut may_idle, ":may-idle");
    held.write_all(b":hold\n").unwrap();
    let begin = Instant::now();
    while begin.elapsed() < 4 * IDLE {
        assert_eq!(ask(&mut busy, "still here"), "still here");
        thread::sleep(IDLE / 20);
    }
    assert!(is_at_end(&mut idle));
    assert_eq!(*running.watched.ended.lock().unwrap(), [(2, Ended::Idle)]);
    assert_eq!(ask(&mut may_idle, "still here"), "still here");
}

#[test]
fn the_idle_timeout_can_be_changed_while_threads_sleep() {
    let running = Running::start(&options(2));
    let mut clients = [running.connect(), running.connect()];
    for client in &mut clients {
        ask(client, "hello");
    }
    running.handles.set_idle_timeout(Some(IDLE));
    for client in &mut clients {
        assert!(is_at_end(client));
    }
    running.handles.set_idle_timeout(None);
    let mut client = running.connect();
    ask(&mut client, "hello");
    thread::sleep(2 * IDLE);
    assert_eq!(ask(&mut client, "still here"), "still here");
}

#[test]
fn the_service_is_woken_at_its_times() {
    let every = Duration::from_millis(20);
    let server = Server::open(&[Listen::loopback(0)], &options(1)).unwrap();
    let running = Running::serve(server, Some(every));
    eventually(|| running.watched.ticks.load(Relaxed) >= 20);
    let ticks = running.watched.ticks.load(Relaxed);
    let waits = running.handles.counters()[0].waits;
    // It sleeps between them. Waits of whole milliseconds may end just before the time.
    assert!(waits <= 2 * ticks + 2, "{waits} waits, {ticks} ticks");
}
