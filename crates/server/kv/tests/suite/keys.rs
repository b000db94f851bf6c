//! docs/rcu.md describes each key that is printed.

use std::collections::BTreeSet;
use std::fs;

use perflab_rcu::{Counts, Facts};
use perflab_testing::{not_checked, test_name};
use serde_json::Value;

use crate::{no_libraries, rcu};

/// The keys of the page's table: those in the first cell of a row.
fn described() -> BTreeSet<String> {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/rcu.md");
    let page = fs::read_to_string(page).unwrap();
    let (_, table) = page.split_once("\n### Keys of the output\n").unwrap();
    let rows = table.lines().skip_while(|line| !line.starts_with('|'));
    let rows = rows.take_while(|line| line.starts_with('|'));
    let cells = rows.filter_map(|row| row.split('|').nth(1));
    cells
        .flat_map(|cell| cell.split('`').skip(1).step_by(2))
        .map(str::to_owned)
        .collect()
}

/// Adds the keys of all objects in a value.
fn collect(value: &Value, keys: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                keys.insert(key.clone());
                collect(value, keys);
            }
        }
        Value::Array(values) => values.iter().for_each(|value| collect(value, keys)),
        _ => {}
    }
}

#[test]
fn the_page_describes_every_key() {
    let mut printed = BTreeSet::new();
    let directory = no_libraries();
    let run = ["run", "own-qsbr", "--readers", "1", "--milliseconds", "100"];
    for arguments in [
        &["list", "--json"][..],
        &["list", "--json", "--libraries", directory.to_str().unwrap()],
        &["possible", "own-qsbr", "--json"],
        &run,
        &["barrier", "lock"],
    ] {
        collect(&rcu(arguments).code(0).json(), &mut printed);
    }
    let said = rcu(&["barrier", "expedited", "--calls", "10"]);
    if said.code == Some(0) {
        collect(&said.json(), &mut printed);
    } else {
        not_checked(&test_name(), &said.err);
    }
    // Facts on libraries, which may be missing here.
    let text = || Some(String::new());
    let facts = Facts {
        library: text(),
        build_id: text(),
        generation: text(),
        barrier: text(),
        has_sys_membarrier: Some(true),
        membarrier_query: Some(0),
    };
    printed.extend(facts.each().map(|(name, _)| name.to_owned()));
    printed.extend(Counts::default().each().map(|(name, _)| name.to_owned()));
    let described = described();
    let missing: Vec<&String> = printed.difference(&described).collect();
    assert!(missing.is_empty(), "docs/rcu.md lacks {missing:?}");
}
