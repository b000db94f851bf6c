//! What a program says of itself, what its agent counts, and what its file's notes say: all the same.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use perflab_control::{Agent, Site};

use super::Program;

/// Behind the arguments of an ordered probe.
const ORDERED: &str = " ordered";

/// Names of those that are ordered, of [`probes`].
pub fn ordered(probes: &[String]) -> Vec<&str> {
    let ordered = probes.iter().filter(|probe| probe.ends_with(ORDERED));
    ordered
        .filter_map(|probe| probe.split(' ').next())
        .collect()
}

/// Runs a program with all probes on and holds what the agent counted against what the program says.
/// Returns each probe with its arguments.
pub fn counts_agree(path: &Path, what: &str) -> Vec<String> {
    let mut command = Command::new(path);
    let mut program = Program::start(command.env("PERFLAB_PROBES", "sites:*"));
    let sites = counted_as_said(&mut program, what);
    program.ends();
    let in_program: BTreeSet<String> = sites
        .iter()
        .filter(|site| site.object.is_empty())
        .map(|site| site.name.clone())
        .collect();
    assert_eq!(noted(path), in_program, "{what}: what readelf shows");
    probes(&sites)
}

/// The sites of a program that has said how often it executed each.
pub fn counted_as_said(program: &mut Program, what: &str) -> Vec<Site> {
    let said = program.said();
    counted(&program.ask(), &said, what)
}

/// The sites that an agent has counted as is said.
pub fn counted(agent: &Agent, said: &BTreeMap<String, u64>, what: &str) -> Vec<Site> {
    let (sites, problems) = agent.list("sites:*").unwrap();
    assert_eq!(problems.how, "", "{what}: unusable objects");
    let mut points: BTreeMap<(String, u64), u64> = BTreeMap::new();
    for site in &sites {
        assert!(site.on, "{what}: {} is off", site.name);
        points.insert((site.name.clone(), site.point), site.hits);
    }
    let mut counted: BTreeMap<String, u64> = BTreeMap::new();
    for ((name, _), hits) in points {
        *counted.entry(name).or_default() += hits;
    }
    assert_eq!(&counted, said, "{what}");
    sites
}

/// Each probe once, with its arguments, and whether it is ordered.
pub fn probes(sites: &[Site]) -> Vec<String> {
    let probes: BTreeSet<String> = sites
        .iter()
        .map(|site| {
            let ordered = if site.is_ordered { ORDERED } else { "" };
            format!("{} {:?}{ordered}", site.name, site.arguments)
        })
        .collect();
    probes.into_iter().collect()
}

/// Names in the notes for tracers, as readelf reads them. Each must have a count of tracers.
pub fn noted(path: &Path) -> BTreeSet<String> {
    perflab_testing::needs("readelf", "binutils");
    let output = Command::new("readelf")
        .arg("-n")
        .arg(path)
        .output()
        .unwrap();
    let notes = String::from_utf8(output.stdout).unwrap();
    let field = |name: &'static str| {
        notes
            .lines()
            .filter_map(move |line| line.trim().strip_prefix(name))
    };
    for count in field("Location:") {
        let none = "Semaphore: 0x0000000000000000";
        assert!(!count.contains(none), "{}: {count}", path.display());
    }
    let mut lines = notes.lines().map(str::trim).peekable();
    let mut names = BTreeSet::new();
    while let Some(line) = lines.next() {
        if line == "Provider: sites"
            && let Some(name) = lines.peek().and_then(|next| next.strip_prefix("Name: "))
        {
            names.insert(name.to_owned());
        }
    }
    names
}
