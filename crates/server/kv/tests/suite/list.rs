//! `rcu list`: what is here, and why the rest is not.

use perflab_rcu::NAMES;
use serde_json::Value;

use crate::{is_here, no_libraries, rcu};

fn named<'a>(list: &'a Value, flavour: &str) -> &'a Value {
    let mut answers = list.as_array().unwrap().iter();
    answers.find(|answer| answer["flavour"] == flavour).unwrap()
}

#[test]
fn every_flavour_is_there_or_says_why_not() {
    let list = rcu(&["list", "--json"]).code(0).json();
    let answers = list.as_array().unwrap();
    let names: Vec<&str> = answers
        .iter()
        .map(|answer| answer["flavour"].as_str().unwrap())
        .collect();
    assert_eq!(names, NAMES);
    for answer in answers {
        if answer["available"] == true {
            assert!(answer.get("reason").is_none(), "{answer}");
        } else {
            assert!(!answer["reason"].as_str().unwrap().is_empty(), "{answer}");
        }
    }
    assert_eq!(named(&list, "own-qsbr")["available"], true);
    assert_eq!(named(&list, "rwlock")["available"], true);
    if !is_here("memb") {
        return;
    }
    let memb = named(&list, "memb");
    assert!(
        memb["library"]
            .as_str()
            .unwrap()
            .contains("liburcu-memb.so.8"),
        "{memb}"
    );
    for fact in [
        "build_id",
        "generation",
        "barrier",
        "has_sys_membarrier",
        "membarrier_query",
    ] {
        assert!(memb[fact].is_string(), "{memb}");
    }
}

#[test]
fn people_get_a_line_for_each() {
    let said = rcu(&["list"]).code(0);
    let names: Vec<&str> = said
        .out
        .lines()
        .map(|line| line.split(' ').next().unwrap())
        .collect();
    assert_eq!(names, NAMES);
    assert_eq!(said.err, "");
}

#[test]
fn libraries_come_from_the_named_directory_only() {
    let directory = no_libraries();
    let directory = directory.to_str().unwrap();
    let list = rcu(&["list", "--json", "--libraries", directory])
        .code(0)
        .json();
    for flavour in ["qsbr", "bp", "memb", "mb", "signal", "memb-forced"] {
        let answer = named(&list, flavour);
        assert_eq!(answer["available"], false);
        assert!(
            answer["reason"].as_str().unwrap().contains(directory),
            "{answer}"
        );
    }
    assert_eq!(named(&list, "own-qsbr")["available"], true);
    assert_eq!(named(&list, "rwlock")["available"], true);
}
