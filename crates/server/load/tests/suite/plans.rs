//! Plans that contradict themselves are refused before anybody is asked.

use std::time::Duration;

use perflab_load::{Length, Pace, Plan, Problem, Rounds};

use crate::{commands, made, plan};

/// A mistake that is put into a plan.
type Mistake = fn(&mut Plan);

#[test]
fn mistakes_are_told() {
    let until = |time, operations, turn| Rounds::Until {
        length: Length { time, operations },
        turn,
        warm_up: Duration::ZERO,
    };
    let mistakes: [(Mistake, &str); 16] = [
        (|plan| plan.targets.clear(), "at least one target"),
        (
            |plan| plan.targets.extend(plan.targets.clone()),
            "two targets are called `a`",
        ),
        (|plan| plan.threads = 0, "at least one thread"),
        (|plan| plan.connections = 0, "at least one connection"),
        (
            |plan| plan.pipeline = 0,
            "at least one request in the pipeline",
        ),
        (
            |plan| plan.pipeline = 1 << 19,
            "2097152 requests of a thread could wait",
        ),
        (|plan| plan.keys.count = 0, "at least one key"),
        (|plan| plan.keys.bytes = 6, "do not fit"),
        (
            |plan| plan.keys.bytes = 251,
            "memcached takes keys of 250 bytes",
        ),
        (
            |plan| plan.value_bytes = 1..=(32 << 20) + 1,
            "at most 33554432",
        ),
        (|plan| plan.pace = Pace::Even(0.0), "a rate above 0"),
        (|plan| plan.pace = Pace::Poisson(f64::NAN), "a rate above 0"),
        (|plan| plan.mix = commands(&[]), "at least one command"),
        (
            |plan| plan.mix = commands(&["set {value} x"]),
            "as the last word only",
        ),
        (
            |plan| plan.targets.push("b=unix:/b".parse().unwrap()),
            "several targets need a length of their turns",
        ),
        (
            |plan| {
                plan.rounds = Rounds::Slices {
                    slice: Length {
                        time: None,
                        operations: Some(1),
                    },
                    slices: 0,
                    warm_up: 0,
                };
            },
            "at least one slice",
        ),
    ];
    let check = |plan: &Plan, words: &str| {
        let problem = made(plan).unwrap_err();
        assert!(
            matches!(&problem, Problem::Plan(message) if message.contains(words)),
            "{words}: {problem:?}"
        );
    };
    for (mistake, words) in mistakes {
        let mut plan = plan(&["a=memcached-unix:/nonexistent"], 1);
        mistake(&mut plan);
        check(&plan, words);
    }
    let second = Some(Duration::from_secs(1));
    for (rounds, words) in [
        (
            until(None, None, second),
            "a time or a number of operations",
        ),
        (
            until(Some(Duration::ZERO), Some(1), second),
            "a time above 0",
        ),
        (until(second, Some(0), second), "at least one operation"),
        (until(second, None, Some(Duration::ZERO)), "longer than 0"),
    ] {
        let mut plan = plan(&["a=memcached-unix:/nonexistent"], 1);
        plan.rounds = rounds;
        check(&plan, words);
    }
}
