//! What a load counts is what Redis has counted.

use perflab_load::{Distribution, Pace, Problem, table};

use crate::servers::Server;
use crate::{command, commands, for_ms, made, plan};

#[test]
fn operations_are_those_that_redis_executed() {
    let Some(server) = Server::redis() else {
        return;
    };
    let mut before = (server.calls("set"), server.calls("get"));
    for (target, threads, connections, pipeline) in [
        (server.unix("a"), 1, 4, 1),
        (server.tcp("a", "redis"), 1, 1, 16),
        (server.unix("a"), 2, 3, 5),
    ] {
        let mut plan = plan(&[&target], 11_000);
        (plan.threads, plan.connections, plan.pipeline) = (threads, connections, pipeline);
        plan.value_bytes = 1..=2000;
        let outcome = made(&plan).unwrap();
        let measured = &outcome.targets[0];
        let (set, get) = (command(measured, "SET"), command(measured, "GET"));
        assert_eq!((set.operations, get.operations), (1000, 10_000));
        let after = (server.calls("set"), server.calls("get"));
        assert_eq!((after.0 - before.0, after.1 - before.1), (1000, 10_000));
        before = after;
        assert_eq!(measured.operations, 11_000);
        assert!(measured.errors.is_empty() && measured.late.is_none());
        // Keys that were set before are found.
        assert!((0.1..1.0).contains(&get.hit_rate.unwrap()), "{get:?}");
        let rate = measured.operations as f64 / measured.seconds;
        assert!((measured.operations_per_s - rate).abs() < 1e-6 * rate);
        let times = measured.latency.times.as_ref().unwrap();
        let times = [
            times.min_ns,
            times.p50_ns,
            times.p99_ns,
            times.p99_9_ns,
            times.max_ns,
        ];
        assert!(0 < times[0] && times.is_sorted(), "{times:?}");
        let bins = measured.latency.histogram.iter();
        assert_eq!(bins.map(|bin| bin.count).sum::<u64>(), 11_000);
        assert_eq!(outcome.client.len(), threads);
        let shown = table(&outcome);
        assert!(
            shown.contains("GET") && shown.contains("client thread 0"),
            "{shown}"
        );
    }
}

#[test]
fn keys_are_found_after_a_preload_only() {
    let Some(server) = Server::redis() else {
        return;
    };
    let mut plan = plan(&[&server.unix("a")], 5000);
    plan.mix = perflab_load::Mix::Ratio("0:1".parse().unwrap());
    let outcome = made(&plan).unwrap();
    let get = command(&outcome.targets[0], "GET");
    assert_eq!((get.hit_rate, get.misses), (Some(0.0), 5000));
    assert!(
        outcome
            .warnings
            .iter()
            .any(|warning| warning.contains("each GET missed")),
        "{:?}",
        outcome.warnings
    );
    assert_eq!(server.integer("DBSIZE"), 0);

    plan.preload = true;
    (plan.threads, plan.keys.count) = (3, 4999);
    plan.value_bytes = 100..=100;
    let outcome = made(&plan).unwrap();
    let measured = &outcome.targets[0];
    let get = command(measured, "GET");
    assert_eq!((get.hit_rate, get.misses), (Some(1.0), 0));
    // What is set before does not count, and every value came.
    assert_eq!(measured.operations, 5000);
    assert!(measured.bytes_received > 5000 * 100, "{measured:?}");
    assert_eq!(server.integer("DBSIZE"), 4999);
    for key in ["key:000000000000", "key:000000004998"] {
        assert_eq!(server.integer(&format!("STRLEN {key}")), 100);
    }
}

#[test]
fn own_commands_are_made_by_their_weights() {
    let Some(server) = Server::redis() else {
        return;
    };
    let mut plan = plan(&[&server.unix("a")], 600);
    plan.mix = commands(&["RPUSH mylist {value}"]);
    made(&plan).unwrap();
    assert_eq!(server.integer("LLEN mylist"), 600);

    plan.mix = commands(&["3:LRANGE mylist 0 599", "LRANGE none 0 9", "2:INCR n:{key}"]);
    plan.pipeline = 4;
    let outcome = made(&plan).unwrap();
    let measured = &outcome.targets[0];
    let found = ["LRANGE mylist 0 599", "LRANGE none 0 9", "INCR n:{key}"].map(|name| {
        let made = command(measured, name);
        (made.operations, made.misses)
    });
    assert_eq!(found, [(300, 0), (100, 100), (200, 0)]);
    // Each reply to a range has all of its 600 values.
    assert!(measured.bytes_received > 300 * 600 * 32, "{measured:?}");
    assert_eq!((server.calls("lrange"), server.calls("incr")), (400, 200));
}

#[test]
fn errors_end_a_load_unless_they_are_allowed() {
    let Some(server) = Server::redis() else {
        return;
    };
    server.ask("RPUSH list x", "\r\n");
    let mut plan = plan(&[&server.unix("the-name")], 500);
    plan.mix = commands(&["INCR list", "4:INCR n"]);
    let refused = made(&plan).unwrap_err();
    let Problem::Refused(message) = &refused else {
        panic!("{refused:?}");
    };
    assert!(
        message.starts_with("the-name=unix:")
            && message.contains("100 times with an error, as `WRONGTYPE"),
        "{message}"
    );
    plan.allows_errors = true;
    let outcome = made(&plan).unwrap();
    let measured = &outcome.targets[0];
    let counts: Vec<(bool, u64)> = measured
        .errors
        .iter()
        .map(|(text, count)| (text.starts_with("WRONGTYPE "), *count))
        .collect();
    assert_eq!(counts, [(true, 100)]);
    assert_eq!(
        (measured.operations, command(measured, "INCR list").errors),
        (500, 100)
    );
    assert!(
        outcome
            .warnings
            .iter()
            .any(|warning| warning.contains("100 of 500 replies"))
    );
}

#[test]
fn the_cpu_time_is_that_of_the_server() {
    let Some(server) = Server::redis() else {
        return;
    };
    let mut plan = plan(&[&server.unix("a")], 1);
    plan.targets[0].pid = Some(server.pid());
    plan.rounds = for_ms(300);
    plan.preload = true;
    let outcome = made(&plan).unwrap();
    let measured = &outcome.targets[0];
    let cpu = measured.server_cpu.unwrap();
    // Redis has one thread for requests.
    assert!(
        (0.001..=1.1 * measured.seconds).contains(&cpu.seconds),
        "{cpu:?}"
    );
    let each = cpu.seconds * 1e9 / measured.operations as f64;
    assert!((cpu.ns_per_operation - each).abs() < 1e-6 * each, "{cpu:?}");
    // The kernel counts these in steps of 10 ms.
    let sampled = cpu.user_s + cpu.system_s;
    assert!((sampled - cpu.seconds).abs() < 0.05, "{cpu:?}");
    let client = outcome.client[0].cpu_share;
    assert!(0.001 < client && client < 1.05, "{client}");

    plan.targets[0].pid = Some(u32::MAX);
    let unknown = made(&plan).unwrap_err();
    assert!(
        matches!(&unknown, Problem::Unavailable(message) if message.contains("process 4294967295"))
    );
}

#[test]
fn popular_keys_are_asked_for_more_often() {
    let Some(server) = Server::redis() else {
        return;
    };
    let mut plan = plan(&[&server.unix("a")], 20_000);
    plan.mix = commands(&["INCR {key}"]);
    plan.pipeline = 16;
    plan.keys.distribution = Distribution::Zipf(1.0);
    made(&plan).unwrap();
    // Of 1000 ranks, the first has 1 of 7.485, and the second half of that.
    for (key, expected) in [("key:000000000000", 2672.0), ("key:000000000001", 1336.0)] {
        let answer = server.integer(&format!("INCRBY {key} 0")) as f64;
        assert!(
            (answer - expected).abs() < 5.0 * f64::sqrt(expected),
            "{key}: {answer}"
        );
    }
    plan.keys.distribution = Distribution::One;
    (plan.keys.bytes, plan.pace) = (20, Pace::Replies);
    made(&plan).unwrap();
    assert_eq!(server.integer("INCRBY key:0000000000000000 0"), 20_000);
}

#[test]
fn a_warm_up_does_not_count() {
    let Some(server) = Server::redis() else {
        return;
    };
    let mut plan = plan(&[&server.unix("a")], 1100);
    let perflab_load::Rounds::Until { warm_up, .. } = &mut plan.rounds else {
        panic!("{plan:?}");
    };
    *warm_up = std::time::Duration::from_millis(50);
    let outcome = made(&plan).unwrap();
    assert_eq!(outcome.targets[0].operations, 1100);
    assert!(server.calls("set") + server.calls("get") > 1200);
    assert_eq!(outcome.targets[0].turns.len(), 1);
    assert!(outcome.targets[0].turns[0].at_s.abs() < 1e-9);
}
