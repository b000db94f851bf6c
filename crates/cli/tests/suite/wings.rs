//! Crates and wings use each other as docs/design.md draws it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::documents::{blocks, document, root};

/// A crate of ours.
struct Member {
    wing: String,
    name: String,
    package: String,
    manifest: toml::Table,
}

impl Member {
    fn new(wing: &str, directory: &Path) -> Option<Self> {
        let text = fs::read_to_string(directory.join("Cargo.toml")).ok()?;
        let manifest: toml::Table = toml::from_str(&text).unwrap();
        Some(Self {
            wing: wing.to_owned(),
            name: directory.file_name()?.to_str()?.to_owned(),
            package: manifest["package"]["name"].as_str()?.to_owned(),
            manifest,
        })
    }

    /// The crates that it uses, as these tables of its manifest say.
    fn uses<'m>(&self, tables: &[&str], members: &'m [Member]) -> Vec<&'m Member> {
        let tables = tables.iter().filter_map(|table| self.manifest.get(*table));
        let packages = tables.flat_map(|table| table.as_table().unwrap().keys());
        packages
            .filter_map(|package| members.iter().find(|member| member.package == *package))
            .collect()
    }
}

/// All crates of the workspace. One that is in no wing is a wing of its own.
fn members() -> Vec<Member> {
    let directories = |path: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(path).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    };
    let mut members = Vec::new();
    for wing in directories(&root().join("crates")) {
        let name = wing.file_name().unwrap().to_str().unwrap();
        match Member::new(name, &wing) {
            Some(member) => members.push(member),
            None => members.extend(
                directories(&wing)
                    .iter()
                    .filter_map(|path| Member::new(name, path)),
            ),
        }
    }
    members
}

type Arrows = BTreeSet<(String, String)>;

/// The arrows of the pictures in the page on the design, picture by picture: those between wings come first.
fn drawn_arrows() -> Vec<Arrows> {
    let page = document("design.md");
    let pictures = blocks(&page).into_iter().filter_map(|(_, block)| {
        let lines = block.lines().filter(|line| !line.trim().is_empty());
        let lines = lines.map(|line| {
            let (from, to) = line.split_once("-> ")?;
            Some((from.trim().to_owned(), to.to_owned()))
        });
        let lines: Vec<(String, String)> = lines.collect::<Option<_>>()?;
        (!lines.is_empty()).then_some(lines)
    });
    let arrows = |lines: Vec<(String, String)>| -> Arrows {
        let arrows = lines.iter().flat_map(|(from, to)| {
            let to = to.split_whitespace();
            to.map(|to| (from.clone(), to.to_owned()))
        });
        arrows.collect()
    };
    pictures.map(arrows).collect()
}

#[test]
fn the_arrows_between_crates_are_those_of_the_manifests() {
    let members = members();
    let arrows = members.iter().flat_map(|member| {
        let used = member
            .uses(&["dependencies", "build-dependencies"], &members)
            .into_iter();
        used.map(|used| (member.name.clone(), used.name.clone()))
    });
    let real: Arrows = arrows.collect();
    assert_eq!(drawn_arrows()[1], real);
}

/// Tests may use more crates than the code beside them, but no more wings.
#[test]
fn no_wing_uses_another_but_those_that_are_drawn() {
    let members = members();
    let drawn = &drawn_arrows()[0];
    let all = ["dependencies", "build-dependencies", "dev-dependencies"];
    for member in members
        .iter()
        .filter(|member| member.wing != "fuzz-targets")
    {
        for used in member.uses(&all, &members) {
            let arrow = (member.wing.clone(), used.wing.clone());
            let is_allowed = arrow.0 == arrow.1 || arrow.1 == "testing" || drawn.contains(&arrow);
            assert!(is_allowed, "{} -> {}: {arrow:?}", member.name, used.name);
        }
    }
    // What uses a wing is not used by it, however far away.
    let mut reached = drawn.clone();
    loop {
        let steps = reached.iter().flat_map(|(from, through)| {
            let next = drawn.iter().filter(move |(between, _)| between == through);
            next.map(move |(_, to)| (from.clone(), to.clone()))
        });
        let further: Arrows = steps.chain(reached.clone()).collect();
        if further == reached {
            break;
        }
        reached = further;
    }
    assert!(reached.iter().all(|(from, to)| from != to), "{reached:?}");
}

#[test]
fn every_wing_says_who_lives_there() {
    let members = members();
    for member in members.iter().filter(|member| member.wing != member.name) {
        let page = root().join("crates").join(&member.wing).join("README.md");
        let page = fs::read_to_string(page).unwrap();
        assert!(
            page.contains(&format!("`{}`", member.name)),
            "{}/{}",
            member.wing,
            member.name
        );
    }
}
