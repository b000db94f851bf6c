//! docs/rcu.md describes each key that is printed, where it is printed, and no other.

use std::collections::BTreeSet;
use std::fs;

use perflab_rcu::{Counts, Facts};
use perflab_testing::{not_checked, test_name};
use serde_json::Value;

use crate::{no_libraries, rcu};

/// Keys with the objects that have them: a command, the key of an object within its output, or `evidence of` a command.
type Keys = BTreeSet<(String, String)>;

/// The keys of the page's table, with what its second column says.
fn described() -> Keys {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/rcu.md");
    let page = fs::read_to_string(page).unwrap();
    let (_, table) = page.split_once("\n### Keys of the output\n").unwrap();
    let rows = table.lines().skip_while(|line| !line.starts_with('|'));
    let mut described = Keys::new();
    let mut places: Vec<String> = Vec::new();
    for row in rows.take_while(|line| line.starts_with('|')) {
        let cells: Vec<&str> = row.split('|').collect();
        let place = cells[2].replace('`', "");
        if place.trim() != "the same" {
            places = place.trim().split(", ").map(place_of).collect();
        }
        for key in cells[1].split('`').skip(1).step_by(2) {
            let keys = places.iter().map(|place| (place.clone(), key.to_owned()));
            described.extend(keys);
        }
    }
    described
}

/// Most rows are about `run`, and do not say so.
fn place_of(text: &str) -> String {
    match text {
        "evidence" => "evidence of run".to_owned(),
        place => place.to_owned(),
    }
}

/// Adds the keys of all objects in a value that a command has printed.
fn collect(command: &str, place: &str, value: &Value, keys: &mut Keys) {
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                keys.insert((place.to_owned(), key.clone()));
                let inner = match key.as_str() {
                    "evidence" => format!("evidence of {command}"),
                    key => key.to_owned(),
                };
                collect(command, &inner, value, keys);
            }
        }
        Value::Array(values) => {
            for value in values {
                collect(command, place, value, keys);
            }
        }
        _ => {}
    }
}

#[test]
fn the_page_describes_every_key_and_no_other() {
    let mut printed = Keys::new();
    let directory = no_libraries();
    let directory = directory.to_str().unwrap();
    let run = ["run", "own-qsbr", "--readers", "1", "--milliseconds", "100"];
    let impossible = ["possible", "memb", "--json", "--libraries", directory];
    for (arguments, code) in [
        (&["list", "--json"][..], 0),
        (&["possible", "own-qsbr", "--json"], 0),
        (&impossible, 77),
        (&run, 0),
        (&["barrier", "lock"], 0),
    ] {
        let command = arguments[0];
        let value = rcu(arguments).code(code).json();
        collect(command, command, &value, &mut printed);
    }
    // Reasons and facts, which depend on the libraries that are here.
    printed.insert(("list".to_owned(), "reason".to_owned()));
    let text = || Some(String::new());
    let facts = Facts {
        library: text(),
        build_id: text(),
        generation: text(),
        barrier: text(),
        has_sys_membarrier: Some(true),
        membarrier_query: Some(0),
    };
    for place in ["list", "possible", "evidence of run"] {
        printed.extend(
            facts
                .each()
                .map(|(key, _)| (place.to_owned(), key.to_owned())),
        );
    }
    for place in ["proof", "evidence of run"] {
        let counts = Counts::default().each();
        printed.extend(counts.map(|(key, _)| (place.to_owned(), key.to_owned())));
    }
    let described = described();
    let missing: Vec<_> = printed.difference(&described).collect();
    assert!(missing.is_empty(), "docs/rcu.md lacks {missing:?}");
    let said = rcu(&["barrier", "expedited", "--calls", "10"]);
    if said.code != Some(0) {
        not_checked(&test_name(), &said.err);
        return;
    }
    collect("barrier", "barrier", &said.json(), &mut printed);
    let differ: Vec<_> = printed.symmetric_difference(&described).collect();
    assert!(
        differ.is_empty(),
        "only docs/rcu.md or the output has {differ:?}"
    );
}
