//! What a load counts is what memcached has counted.

use crate::servers::Server;
use crate::{command, commands, made, plan};

#[test]
fn operations_are_those_that_memcached_executed() {
    let Some(server) = Server::memcached() else {
        return;
    };
    let mut plan = plan(&[&server.tcp("m", "memcached")], 11_000);
    plan.value_bytes = 0..=500;
    (plan.threads, plan.pipeline) = (2, 3);
    let outcome = made(&plan).unwrap();
    let measured = &outcome.targets[0];
    let (set, get) = (command(measured, "SET"), command(measured, "GET"));
    assert_eq!((set.operations, get.operations), (1000, 10_000));
    assert_eq!(
        (server.statistic("cmd_set"), server.statistic("cmd_get")),
        (1000, 10_000)
    );
    assert_eq!(server.statistic("get_misses"), get.misses);
    let hits = server.statistic("get_hits") as f64 / 10_000.0;
    assert!((get.hit_rate.unwrap() - hits).abs() < 1e-9);
}

#[test]
fn keys_are_found_after_a_preload_only() {
    let Some(server) = Server::memcached() else {
        return;
    };
    let mut plan = plan(&[&server.tcp("m", "memcached")], 2000);
    plan.mix = commands(&["get {key}"]);
    let outcome = made(&plan).unwrap();
    assert_eq!(
        command(&outcome.targets[0], "get {key}").hit_rate,
        Some(0.0)
    );
    plan.preload = true;
    let outcome = made(&plan).unwrap();
    assert_eq!(
        command(&outcome.targets[0], "get {key}").hit_rate,
        Some(1.0)
    );
    assert_eq!(server.statistic("curr_items"), 1000);
}

#[test]
fn errors_have_their_texts() {
    let Some(server) = Server::memcached() else {
        return;
    };
    let mut plan = plan(&[&server.tcp("m", "memcached")], 300);
    plan.mix = commands(&["nonsense", "incr {key} 1", "append {key} 0 0 {value}"]);
    plan.allows_errors = true;
    let outcome = made(&plan).unwrap();
    let measured = &outcome.targets[0];
    let texts: Vec<(&str, u64)> = measured
        .errors
        .iter()
        .map(|(text, count)| (text.as_str(), *count))
        .collect();
    assert_eq!(texts, [("ERROR", 100)]);
    for name in ["incr {key} 1", "append {key} 0 0 {value}"] {
        assert_eq!(command(measured, name).misses, 100, "{measured:?}");
    }
}
