//! Nothing that belongs to a target is missing.

use std::collections::BTreeSet;
use std::fs;

use perflab_fuzz_targets::{TARGETS, seeds::seeds, workspace};

use crate::replay::REPLAYED;

fn targets() -> BTreeSet<String> {
    let names: BTreeSet<String> = TARGETS
        .iter()
        .map(|target| target.name.to_owned())
        .collect();
    assert_eq!(names.len(), TARGETS.len(), "no target is there twice");
    names
}

/// The Rust files of a directory, without their ending.
fn sources(directory: &str) -> BTreeSet<String> {
    fs::read_dir(workspace().join(directory))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter_map(|name| name.strip_suffix(".rs").map(str::to_owned))
        .collect()
}

#[test]
fn the_table_has_every_source_file() {
    let mut files = sources("crates/fuzz-targets/src/targets");
    files.remove("mod");
    assert_eq!(targets(), files);
}

#[test]
fn every_target_is_replayed() {
    let replayed = REPLAYED.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(targets(), replayed);
}

#[test]
fn every_target_has_a_seed_and_every_seed_a_target() {
    let seeds = seeds(workspace());
    let seeded = seeds.iter().map(|seed| seed.target.to_owned()).collect();
    assert_eq!(targets(), seeded);
}

#[test]
fn stored_inputs_are_those_of_targets() {
    let corpora = workspace().join("crates/fuzz-targets/corpora");
    if !corpora.is_dir() {
        return;
    }
    for entry in fs::read_dir(corpora).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(targets().contains(&name), "corpora/{name} has no target");
    }
}

#[test]
fn libfuzzer_has_a_program_for_every_target() {
    let programs = sources("fuzz/fuzz_targets");
    assert_eq!(targets(), programs);
    for name in programs {
        let path = workspace().join(format!("fuzz/fuzz_targets/{name}.rs"));
        let source = fs::read_to_string(path).unwrap();
        let call = format!("perflab_fuzz::target!({name});");
        assert!(source.contains(&call), "{name}.rs has no {call}");
    }
}

#[test]
fn the_manifest_of_the_programs_has_each() {
    let manifest = fs::read_to_string(workspace().join("fuzz/Cargo.toml")).unwrap();
    let manifest: toml::Table = toml::from_str(&manifest).unwrap();
    let programs = manifest["bin"].as_array().unwrap();
    let named = programs
        .iter()
        .map(|program| {
            let name = program["name"].as_str().unwrap();
            let path = format!("fuzz_targets/{name}.rs");
            assert_eq!(program["path"].as_str(), Some(path.as_str()));
            name.to_owned()
        })
        .collect();
    assert_eq!(targets(), named);
}
