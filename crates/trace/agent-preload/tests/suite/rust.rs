//! The same Rust program, built in all the ways that people build: the same probes, and every hit counted.

use std::path::Path;
use std::process::Command;

use crate::support::Program;
use crate::support::agreement::{counted_as_said, counts_agree, noted, ordered, probes};
use crate::support::cargo::{Build, RELEASE, STATIC, built};

/// Probes of the program, and of the program with its plugin.
const PROBES: (usize, usize) = (11, 12);

/// What kind of file the linker made, by the header of the ELF file and whether it asks for the linker at run time.
fn kind(path: &Path) -> (bool, bool) {
    perflab_testing::needs("readelf", "binutils");
    let output = Command::new("readelf")
        .args(["-hlW"])
        .arg(path)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    (
        text.contains("Type:                              DYN"),
        text.contains("INTERP"),
    )
}

#[test]
fn programs_and_their_probes() {
    let ways = [
        (
            Build {
                profile: "dev",
                ..RELEASE
            },
            true,
        ),
        (RELEASE, true),
        (
            Build {
                profile: "fat",
                ..RELEASE
            },
            true,
        ),
        (
            Build {
                flags: "-C relocation-model=static",
                ..RELEASE
            },
            false,
        ),
        (
            Build {
                flags: "-C link-arg=-fuse-ld=bfd",
                ..RELEASE
            },
            true,
        ),
        (
            Build {
                features: "branch",
                ..RELEASE
            },
            true,
        ),
    ];
    let mut expected: Option<Vec<String>> = None;
    for (build, is_pie) in ways {
        let path = built(build);
        assert_eq!(kind(&path), (is_pie, true), "{build:?}");
        let found = counts_agree(&path, &format!("{build:?}"));
        assert_eq!(found.len(), PROBES.0);
        assert_eq!(ordered(&found), ["called", "small", "text"]);
        assert_eq!(
            expected.get_or_insert_with(|| found.clone()),
            &found,
            "{build:?}"
        );
    }
}

#[test]
fn programs_without_shared_objects() {
    let no_pie = "-C target-feature=+crt-static -C relocation-model=static";
    let ways = [
        (STATIC, true),
        (
            Build {
                profile: "fat",
                ..STATIC
            },
            true,
        ),
        (
            Build {
                flags: no_pie,
                ..STATIC
            },
            false,
        ),
    ];
    let mut expected: Option<Vec<String>> = None;
    for (build, is_pie) in ways {
        let path = built(build);
        assert_eq!(kind(&path), (is_pie, false), "{build:?}");
        let mut program =
            Program::start_alone(Command::new(&path).env("PERFLAB_PROBES", "sites:*"));
        let found = probes(&counted_as_said(&mut program, &format!("{build:?}")));
        program.ends();
        assert_eq!(found.len(), PROBES.0);
        assert_eq!(noted(&path).len(), PROBES.0);
        assert_eq!(
            expected.get_or_insert_with(|| found.clone()),
            &found,
            "{build:?}"
        );
    }
}

/// The probe `plain` is in both, in a crate that each has a copy of.
#[test]
fn a_shared_object_that_is_loaded() {
    for profile in ["dev", "release", "fat"] {
        let program = built(Build { profile, ..RELEASE });
        let plugin = built(Build {
            profile,
            package: "plugin",
            ..RELEASE
        });
        assert_eq!(noted(&plugin).len(), 2, "plain and plugin");
        let mut command = Command::new(program);
        command.arg(plugin).env("PERFLAB_PROBES", "sites:*");
        let mut program = Program::start(&mut command);
        assert_eq!(program.line(), "loaded\n");
        // Asked, the agent looks for what was loaded.
        let (sites, _) = program.ask().list("sites:plain").unwrap();
        let mut objects: Vec<&str> = sites.iter().map(|site| site.object.as_str()).collect();
        objects.sort_unstable();
        objects.dedup();
        assert_eq!(objects.len(), 2, "{objects:?}");
        program.tell("\n");
        let found = probes(&counted_as_said(&mut program, profile));
        assert_eq!(found.len(), PROBES.1);
        program.ends();
    }
}

#[test]
fn no_sites_are_left_where_none_are_wanted() {
    let path = built(Build {
        features: "none",
        ..RELEASE
    });
    perflab_testing::needs("readelf", "binutils");
    let output = Command::new("readelf")
        .arg("-SW")
        .arg(&path)
        .output()
        .unwrap();
    let sections = String::from_utf8(output.stdout).unwrap();
    assert!(
        sections.contains(".text") && !sections.contains("perflab"),
        "{sections}"
    );
    assert!(noted(&path).is_empty());
    let mut program = Program::start(&mut Command::new(&path));
    program.said();
    assert!(program.ask().list("*").unwrap().0.is_empty());
    program.ends();
}

/// The program starts an agent, and it is started with one: one of them serves, in its children too.
#[test]
fn one_agent_of_two() {
    let path = built(Build {
        features: "agent",
        ..RELEASE
    });
    let found = counts_agree(&path, "linked and preloaded");
    assert_eq!(found.len(), PROBES.0);
}
