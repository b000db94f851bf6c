//! How a server stops.

use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use perflab_net::{Ended, Listen, Options, Server};
use rustix::process::{Signal, getpid, kill_process};
use signal_hook::consts::SIGUSR2;

use crate::support::{Running, ask, fill, is_at_end, options, read_line};

#[test]
fn idle_connections_do_not_keep_it() {
    let running = Running::start(&options(4));
    let mut clients = (0..20).map(|_| running.connect()).collect::<Vec<_>>();
    for client in &mut clients {
        ask(client, "hello");
    }
    clients[0].write_all(b"part of a line").unwrap();
    let begin = Instant::now();
    let watched = running.watched.clone();
    running.stop();
    assert!(
        begin.elapsed() < Duration::from_millis(900),
        "{:?}",
        begin.elapsed()
    );
    for client in &mut clients {
        assert!(is_at_end(client));
    }
    let ended = watched.ended.lock().unwrap();
    assert_eq!(ended.len(), 20);
    assert!(ended.iter().all(|&(_, why)| why == Ended::Stopped));
}

#[test]
fn busy_clients_do_not_keep_it() {
    let running = Running::start(&options(2));
    let served = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..4 {
            let mut client = running.connect();
            let served = &served;
            scope.spawn(move || {
                loop {
                    let sent = client.write_all(b"line\n");
                    if sent.is_err() || read_line(&mut client).is_none() {
                        break;
                    }
                    served.store(true, Relaxed);
                }
            });
        }
        crate::support::eventually(|| served.load(Relaxed));
        thread::sleep(Duration::from_millis(50));
        running.stop();
    });
}

#[test]
fn answers_are_sent_before_it_ends() {
    const ANSWER: usize = 20_000_000;
    let running = Running::start(&Options {
        stop_within: Duration::from_secs(20),
        ..options(1)
    });
    let mut client = running.connect();
    client
        .write_all(format!(":big {ANSWER}\n").as_bytes())
        .unwrap();
    fill(&mut client, 1);
    running.handles.stop().stop();
    thread::sleep(Duration::from_millis(100));
    fill(&mut client, ANSWER - 1);
    assert!(is_at_end(&mut client));
    running.stop();
}

#[test]
fn requests_that_were_read_are_executed_before_it_ends() {
    let running = Running::start(&Options {
        stop_within: Duration::from_secs(20),
        ..options(1)
    });
    let mut client = running.connect();
    // The first answers fill the output; the last request comes with the same call that receives.
    let answers = 30;
    let mut requests = ":big 1000000\n".repeat(answers);
    requests.push_str("last\n");
    client.write_all(requests.as_bytes()).unwrap();
    fill(&mut client, 1);
    running.handles.stop().stop();
    fill(&mut client, answers * 1_000_000 - 1);
    assert_eq!(read_line(&mut client).unwrap(), "last");
    assert!(is_at_end(&mut client));
    running.stop();
}

#[test]
fn peers_that_do_not_read_keep_it_for_a_bounded_time() {
    let running = Running::start(&Options {
        stop_within: Duration::from_millis(300),
        ..options(1)
    });
    let mut client = running.connect();
    client.write_all(b":big 50000000\n").unwrap();
    fill(&mut client, 1);
    let begin = Instant::now();
    running.stop();
    let took = begin.elapsed();
    assert!(
        took >= Duration::from_millis(290) && took < Duration::from_secs(5),
        "{took:?}"
    );
}

#[test]
fn connections_on_hold_do_not_keep_it() {
    let running = Running::start(&options(1));
    let mut client = running.connect();
    client.write_all(b"first\n:hold\n").unwrap();
    assert_eq!(read_line(&mut client).unwrap(), "first");
    running.stop();
    assert!(is_at_end(&mut client));
}

#[test]
fn a_panic_stops_all_threads_and_comes_out() {
    let mut running = Running::start(&options(3));
    let mut clients = (0..3).map(|_| running.connect()).collect::<Vec<_>>();
    for client in &mut clients {
        ask(client, "hello");
    }
    clients[1].write_all(b":panic\n").unwrap();
    let panic = catch_unwind(AssertUnwindSafe(|| running.wait())).unwrap_err();
    assert_eq!(
        *panic.downcast_ref::<&str>().unwrap(),
        "a client asked for it"
    );
    for client in &mut clients {
        assert!(is_at_end(client));
    }
    assert!(!running.handles.run(0, |_| {}));
}

#[test]
fn a_signal_stops_it() {
    let mut server = Server::open(&[Listen::loopback(0)], &options(2)).unwrap();
    server.stop_on_signals(&[SIGUSR2]).unwrap();
    let mut running = Running::serve(server, None);
    let mut client = running.connect();
    ask(&mut client, "hello");
    assert!(!running.handles.stop().is_asked());
    kill_process(getpid(), Signal::USR2).unwrap();
    running.wait();
    assert!(is_at_end(&mut client));
}

#[test]
fn it_can_be_stopped_before_it_runs() {
    let server = Server::open(&[Listen::loopback(0)], &options(2)).unwrap();
    server.handles().stop().stop();
    Running::serve(server, None).wait();
}

#[test]
fn a_thread_that_serves_nothing_stops_the_others() {
    let server = Server::<()>::open(&[Listen::loopback(0)], &options(3)).unwrap();
    let stop = server.handles().stop();
    let numbers = server.run(|number, driver| {
        drop(driver);
        number
    });
    assert_eq!(numbers.unwrap(), [0, 1, 2]);
    assert!(stop.is_asked());
}
