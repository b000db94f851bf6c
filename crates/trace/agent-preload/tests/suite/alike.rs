//! Sites that are alike in all but one thing: each is counted for itself.

use std::collections::BTreeMap;
use std::process::Command;

use perflab_control::Site;

use crate::support::Program;
use crate::support::compile::{FOR_C, FOR_CPP, compile};

/// What each probe of `alike.c` is, and how often it is executed.
const EXECUTED: [(&str, &str, &str, u64); 6] = [
    ("sites:alike", "cstr", "text", 500),
    ("sites:alike", "i32", "number", 1000),
    ("sites:conn__open", "i32", "number", 300),
    ("sites:pay", "i32", "number", 70),
    ("sites:pay ordered", "i32", "number", 30),
    ("sites__conn:open", "i32", "number", 200),
];

fn probe(site: &Site) -> String {
    let ordered = if site.is_ordered { " ordered" } else { "" };
    format!("{}:{}{ordered}", site.provider, site.name)
}

/// Each probe with its argument and hits, those of a point once.
fn counted(sites: &[Site]) -> Vec<(String, String, String, u64)> {
    let mut points: BTreeMap<(String, String, String, u64), u64> = BTreeMap::new();
    for site in sites {
        assert!(site.on, "{site:?}");
        let (kind, name) = site.arguments[0].clone();
        points.insert((probe(site), kind, name, site.point), site.hits);
    }
    let mut counted: BTreeMap<(String, String, String), u64> = BTreeMap::new();
    for ((probe, kind, name, _), hits) in points {
        *counted.entry((probe, kind, name)).or_default() += hits;
    }
    let counted = counted.into_iter();
    counted
        .map(|((probe, kind, name), hits)| (probe, kind, name, hits))
        .collect()
}

fn counts_each(program: &mut Command, what: &str) {
    let mut program = Program::start(program.env("PERFLAB_PROBES", "*"));
    assert_eq!(program.line(), "done\n", "{what}");
    let (sites, problems) = program.ask().list("*").unwrap();
    assert_eq!(problems.how, "", "{what}");
    let expected = EXECUTED.map(|(probe, kind, name, hits)| {
        (probe.to_owned(), kind.to_owned(), name.to_owned(), hits)
    });
    assert_eq!(counted(&sites), expected, "{what}");
    program.ends();
}

#[test]
fn in_files_of_one_program() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("program");
    let ways: &[&[&str]] = &[
        &["-O0"],
        &["-O2"],
        &["-O2", "-flto"],
        &["-O2", "-flto", "-DPERFLAB_PROBE_BRANCH"],
        &["-O0", "-DPERFLAB_PROBE_BRANCH"],
        &["-O2", "-fuse-ld=gold"],
        &["-O2", "-fuse-ld=lld", "-Wl,--icf=all"],
    ];
    let languages = [
        (FOR_C, ["alike.c", "alike_too.c"]),
        (FOR_CPP, ["alike.cc", "alike_too.cc"]),
    ];
    for (compilers, sources) in languages {
        for compiler in compilers {
            for flags in ways {
                compile(compiler, flags, &sources, &path);
                counts_each(&mut Command::new(&path), &format!("{compiler} {flags:?}"));
            }
        }
    }
}

/// A linker may take what follows an `@` in a symbol for a version.
#[test]
fn in_a_shared_object() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("program");
    let library = directory.path().join("libalike.so");
    let rpath = format!("-Wl,-rpath,{}", directory.path().display());
    for compiler in FOR_C {
        for linker in ["-fuse-ld=bfd", "-fuse-ld=gold", "-fuse-ld=lld"] {
            let flags = ["-O2", "-shared", "-fPIC", linker];
            compile(compiler, &flags, &["alike_too.c"], &library);
            let flags = ["-O2", library.to_str().unwrap(), &rpath];
            compile(compiler, &flags, &["alike.c"], &path);
            counts_each(&mut Command::new(&path), &format!("{compiler} {linker}"));
        }
    }
}

/// Older headers made sites that cannot be told apart. Nobody is shown the values of one as those of another.
#[test]
fn with_one_point_they_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("program");
    compile("gcc", &["-O2"], &["shared_point.c"], &path);
    let mut program = Program::start(Command::new(&path).env("PERFLAB_PROBES", "*"));
    assert_eq!(program.line(), "good 1\n");
    let (sites, problems) = program.ask().list("*").unwrap();
    let names: Vec<String> = sites.iter().map(probe).collect();
    assert_eq!(names, ["sites:good"]);
    for part in [
        "sites:shared (",
        "shared_point.c:15) and sites:shared (",
        "shared_point.c:16) share one point",
        "sites unknown ",
        "shared_point.c 12 enum(FOO(1)) argc",
        "sites:flagless passes 13 arguments one by one",
    ] {
        assert!(problems.how.contains(part), "{part}: {}", problems.how);
    }
    program.ends();
}
