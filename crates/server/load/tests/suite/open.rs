//! Open loops keep their rate, and count what a server made wait.

use std::thread::{scope, sleep};
use std::time::Duration;

use perflab_load::{Measured, Pace};
use rustix::process::{Pid, Signal, kill_process};

use crate::servers::Server;
use crate::{for_ms, made, plan};

/// Whether a load of 400 ms keeps a rate of 2000/s within 2 %.
fn at_2000(server: &Server, pace: Pace, threads: usize) -> bool {
    let mut plan = plan(&[&server.unix("a")], 1);
    (plan.pace, plan.threads) = (pace, threads);
    plan.rounds = for_ms(400);
    let measured = made(&plan).unwrap().targets.remove(0);
    let all = measured.operations + measured.unsent.unwrap();
    // All that was due is sent, or told to be missing.
    match pace {
        Pace::Poisson(_) => assert!(all.abs_diff(800) < 142, "{all}"),
        _ => assert_eq!(all, 800),
    }
    let wanted = all as f64 / 0.4;
    (measured.operations_per_s - wanted).abs() < 0.02 * wanted
}

#[test]
fn a_low_rate_is_kept() {
    let Some(server) = Server::redis() else {
        return;
    };
    for (pace, threads) in [
        (Pace::Even(2000.0), 1),
        (Pace::Even(2000.0), 2),
        (Pace::Poisson(2000.0), 2),
    ] {
        // On a busy machine each may be late.
        let is_kept = (0..4).any(|_| at_2000(&server, pace, threads));
        assert!(is_kept, "{pace:?}");
    }
}

#[test]
fn a_rate_goes_on_from_turn_to_turn() {
    let Some(server) = Server::redis() else {
        return;
    };
    let mut plan = plan(&[&server.unix("a"), &server.tcp("b", "redis")], 1);
    plan.pace = Pace::Even(64.0);
    let perflab_load::Rounds::Until { length, .. } = &mut plan.rounds else {
        panic!("{plan:?}");
    };
    *length = perflab_load::Length {
        time: Some(Duration::from_millis(500)),
        operations: None,
    };
    // One request in each third turn or so.
    let outcome = made(&plan).unwrap();
    for measured in &outcome.targets {
        assert_eq!(measured.turns.len(), 100);
        assert!(
            measured.operations.abs_diff(32) <= 1,
            "{}",
            measured.operations
        );
    }
}

/// Stops the server for 200 ms while it is loaded.
fn stopped(server: &Server, pace: Pace) -> Measured {
    let mut plan = plan(&[&server.unix("a")], 1);
    plan.pace = pace;
    plan.rounds = for_ms(1000);
    let pid = Pid::from_raw(server.pid().cast_signed()).unwrap();
    let outcome = scope(|scope| {
        scope.spawn(|| {
            sleep(Duration::from_millis(300));
            kill_process(pid, Signal::STOP).unwrap();
            sleep(Duration::from_millis(200));
            kill_process(pid, Signal::CONT).unwrap();
        });
        made(&plan)
    });
    outcome.unwrap().targets.remove(0)
}

/// Requests that took 101 ms or longer.
fn slow(measured: &Measured) -> u64 {
    let bins = measured.latency.histogram.iter();
    let slow = bins.filter(|bin| bin.from_ns >= 3 << 25);
    slow.map(|bin| bin.count).sum()
}

#[test]
fn a_stopped_server_makes_all_wait_that_were_due() {
    let Some(server) = Server::redis() else {
        return;
    };
    let open = stopped(&server, Pace::Even(1000.0));
    let times = open.latency.times.as_ref().unwrap();
    assert!(times.p99_9_ns >= 180_000_000, "{times:?}");
    // Of those that were due in the 200 ms, the first half waited for so long.
    assert!((80..=200).contains(&slow(&open)), "{open:?}");
    assert!(open.late.unwrap() > 100, "{open:?}");

    // In a closed loop each of the four connections notices once.
    let closed = stopped(&server, Pace::Replies);
    // A busy machine may do so, too.
    assert!((1..=16).contains(&slow(&closed)), "{closed:?}");
    assert!(closed.operations > 100, "{closed:?}");
}

#[test]
fn what_a_server_is_too_slow_for_is_told() {
    let Some(server) = Server::redis() else {
        return;
    };
    let mut plan = plan(&[&server.unix("a")], 1);
    plan.connections = 1;
    plan.pace = Pace::Even(2e6);
    plan.rounds = for_ms(100);
    let outcome = made(&plan).unwrap();
    let measured = &outcome.targets[0];
    let unsent = measured.unsent.unwrap();
    assert_eq!(measured.operations + unsent, 200_000);
    assert!(unsent > 1000, "{unsent}");
    let told = |words: &str| {
        outcome
            .warnings
            .iter()
            .any(|warning| warning.contains(words))
    };
    assert!(
        told("were not sent at all") && told("more than 1 ms late"),
        "{:?}",
        outcome.warnings
    );
}
