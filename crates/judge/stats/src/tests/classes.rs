//! The classes of processes against those that others give them.

use super::support::numbers;
use crate::Better;
use crate::steady::{Class, Terms, steady};
use serde_json::Value;

fn rows(text: &str) -> Vec<Value> {
    let all: Value = serde_json::from_str(text).expect("the file is JSON");
    all.as_array().expect("a list").clone()
}

fn class(name: &str) -> Class {
    match name {
        "flat" => Class::Flat,
        "warmup" => Class::Warmup,
        "slowdown" => Class::Slowdown,
        "no steady state" => Class::NoSteadyState,
        other => panic!("no class: {other}"),
    }
}

/// Where levels are further apart than the margin and their noise, medians and means say the same.
#[test]
fn the_published_rule_gives_the_same_classes() {
    let rows = rows(include_str!("../../tests/vectors/classes.json"));
    assert_eq!(rows.len(), 24);
    let terms = Terms {
        better: Better::Lower,
        margin: 0.01,
    };
    for row in rows {
        let found = steady(&numbers(&row["values"]), &terms).unwrap();
        let name = row["name"].as_str().unwrap();
        assert_eq!(found.class, class(row["class"].as_str().unwrap()), "{name}");
        let from = row["from"].as_u64().map(|from| from as usize);
        assert_eq!(found.from, from, "{name}");
    }
}
