//! Several targets take turns.

use std::time::Duration;

use perflab_load::{Length, Outcome, Rounds, Slice};

use crate::servers::Server;
use crate::{made, plan};

/// The targets in the order of their turns.
fn order(outcome: &Outcome) -> Vec<usize> {
    let targets = outcome.targets.iter().enumerate();
    let turns = targets.flat_map(|(target, measured)| {
        let turns = measured.turns.iter();
        turns.map(move |turn: &Slice| (turn.at_s, target))
    });
    let mut turns: Vec<(f64, usize)> = turns.collect();
    turns.sort_by(|a, b| a.0.total_cmp(&b.0));
    turns.into_iter().map(|(_, target)| target).collect()
}

#[test]
fn two_names_of_one_server_get_the_same() {
    let Some(server) = Server::redis() else {
        return;
    };
    let mut plan = plan(&[&server.unix("a"), &server.unix("b")], 1);
    let Rounds::Until { length, .. } = &mut plan.rounds else {
        panic!("{plan:?}");
    };
    *length = Length {
        time: Some(Duration::from_millis(600)),
        operations: None,
    };
    plan.targets
        .iter_mut()
        .for_each(|target| target.pid = Some(server.pid()));
    let outcome = made(&plan).unwrap();
    let [a, b] = outcome.targets.as_slice() else {
        panic!("{outcome:?}");
    };
    assert_eq!((a.turns.len(), b.turns.len()), (120, 120));
    // Other tests may run at the same time: each turn meets what its neighbour does.
    let ratio = a.operations as f64 / b.operations as f64;
    assert!((0.75..1.33).contains(&ratio), "{ratio}");
    for measured in [a, b] {
        let turns = || measured.turns.iter();
        assert_eq!(
            turns().map(|turn| turn.operations).sum::<u64>(),
            measured.operations
        );
        let seconds: f64 = turns().map(|turn| turn.wall_s).sum();
        assert!((seconds - measured.seconds).abs() < 1e-6);
        assert!(
            turns().all(|turn| turn.wall_s >= 0.005),
            "a turn was cut short"
        );
        assert!(turns().map(|turn| turn.slice).eq(1..=120));
        assert!(turns().all(|turn| turn.server_cpu_ns_per_operation.is_some()));
    }
    let order = order(&outcome);
    for pair in order.chunks(2) {
        assert_ne!(pair[0], pair[1], "each has a turn in each round");
    }
    let firsts = order.chunks(2).filter(|pair| pair[0] == 0).count();
    assert!((35..=85).contains(&firsts), "{firsts} of 120");
}

#[test]
fn turns_do_not_overlap() {
    let Some(server) = Server::redis() else {
        return;
    };
    let mut plan = plan(&[&server.unix("a"), &server.tcp("b", "redis")], 3000);
    plan.threads = 2;
    let outcome = made(&plan).unwrap();
    let turns = outcome.targets.iter().flat_map(|measured| &measured.turns);
    let mut times: Vec<(f64, f64)> = turns
        .map(|turn| (turn.at_s, turn.at_s + turn.wall_s))
        .collect();
    times.sort_by(|a, b| a.0.total_cmp(&b.0));
    assert!(times.len() >= 2);
    for pair in times.windows(2) {
        assert!(pair[0].1 <= pair[1].0 + 1e-9, "{pair:?}");
    }
    assert!(
        outcome
            .targets
            .iter()
            .all(|measured| measured.operations == 3000)
    );
}

#[test]
fn a_seed_fixes_the_order_of_slices_and_all_requests() {
    let Some(server) = Server::redis() else {
        return;
    };
    let mut plan = plan(
        &[&server.unix("a"), &server.unix("b"), &server.unix("c")],
        1,
    );
    plan.value_bytes = 1..=1000;
    plan.rounds = Rounds::Slices {
        slice: Length {
            time: None,
            operations: Some(22),
        },
        slices: 20,
        warm_up: 2,
    };
    let calls = |server: &Server| server.calls("set") + server.calls("get");
    let made_with = |seed| {
        let mut plan = plan.clone();
        plan.seed = seed;
        let before = calls(&server);
        let outcome = made(&plan).unwrap();
        // Warm-ups do not count.
        assert_eq!(calls(&server) - before, 3 * 22 * 22);
        for measured in &outcome.targets {
            assert!(measured.turns.iter().all(|turn| turn.operations == 22));
            assert_eq!(measured.operations, 440);
        }
        outcome
    };
    let (first, again, other) = (made_with(5), made_with(5), made_with(6));
    assert_eq!(order(&first), order(&again));
    assert_ne!(order(&first), order(&other));
    let sent = |outcome: &Outcome| outcome.targets[0].bytes_sent;
    assert_eq!(sent(&first), sent(&again));
    assert_ne!(sent(&first), sent(&other));
}

#[test]
fn slices_are_printed_as_perflab_reads_them() {
    let Some(server) = Server::redis() else {
        return;
    };
    let mut plan = plan(&[&server.unix("a"), &server.unix("b")], 1);
    plan.rounds = Rounds::Slices {
        slice: Length {
            time: Some(Duration::from_millis(2)),
            operations: None,
        },
        slices: 3,
        warm_up: 1,
    };
    let outcome = made(&plan).unwrap();
    let lines = outcome.slice_lines().unwrap();
    let lines: Vec<serde_json::Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let places: Vec<(u64, u64)> = lines
        .iter()
        .map(|line| {
            (
                line["target"].as_u64().unwrap(),
                line["slice"].as_u64().unwrap(),
            )
        })
        .collect();
    assert_eq!(places, [(0, 1), (0, 2), (0, 3), (1, 1), (1, 2), (1, 3)]);
    let first = lines.iter().map(|line| line["at_s"].as_f64().unwrap());
    assert_eq!(first.fold(f64::INFINITY, f64::min), 0.0);
    for line in &lines {
        assert!(line["wall_s"].as_f64().unwrap() >= 0.002, "{line}");
        assert!(line["operations_per_s"].as_f64().unwrap() > 0.0, "{line}");
    }
}
