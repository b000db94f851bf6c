//! bpftrace lists and counts the same probes, whatever built the program.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::Program;
use crate::support::agreement::{counts_agree, noted};
use crate::support::bpftrace::{Bpftrace, is_allowed, listed};
use crate::support::cargo::{Build, RELEASE, STATIC, built};
use crate::support::compile::{compile, copy};
use crate::support::link::{IN_C, link};

/// Each as (name, file): the ways that differ in what a tracer sees.
fn builds(directory: &Path) -> Vec<(&'static str, PathBuf)> {
    let in_c: [(&str, &str, &[&str]); 4] = [
        ("gcc", "gcc", &["-O2"]),
        ("clang", "clang", &["-O2", "-fuse-ld=lld"]),
        ("no-pie", "gcc", &["-O2", "-fno-pie", "-no-pie"]),
        ("branch", "gcc", &["-O2", "-DPERFLAB_PROBE_BRANCH"]),
    ];
    let mut builds = Vec::new();
    for (name, compiler, flags) in in_c {
        let path = directory.join(name);
        compile(compiler, flags, &["sites.c", "elsewhere.c"], &path);
        builds.push((name, path));
    }
    let path = directory.join("templates");
    compile("g++", &["-O2"], &["sites.cc", "other_unit.cc"], &path);
    builds.push(("templates", path));
    builds.push(("rust", own(RELEASE, &directory.join("rust"))));
    let branch = Build {
        features: "branch",
        ..RELEASE
    };
    builds.push(("rust-branch", own(branch, &directory.join("rust-branch"))));
    builds
}

/// A copy of a build that no other test executes: a tracer counts what anybody executes.
fn own(build: Build, path: &Path) -> PathBuf {
    copy(&built(build), path);
    path.to_owned()
}

/// Runs a program that has an agent without a wish, once: the tracer alone opens its sites.
fn runs(command: &mut Command, is_static: bool) -> BTreeMap<String, u64> {
    let mut program = if is_static {
        Program::start_alone(command)
    } else {
        Program::start(command)
    };
    let mut said = program.said();
    if said.remove("start").is_some() && said.is_empty() {
        // What came of its agent; the counts come later.
        said = program.said();
    }
    let (sites, _) = program.ask().list("sites:*").unwrap();
    for site in &sites {
        assert!(
            site.on && site.tracers > 0 && site.hits == 0,
            "{command:?}: {site:?}"
        );
    }
    program.ends();
    said
}

#[test]
fn every_build_is_counted() {
    if !is_allowed() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let mut builds = builds(directory.path());
    let (static_c, static_rust) = (
        directory.path().join("static"),
        own(STATIC, &directory.path().join("rust-static")),
    );
    link("gcc", &["-static"], IN_C, &static_c);
    builds.push(("static", static_c));
    builds.push(("rust-static", static_rust));
    let mut probes = Vec::new();
    for (name, path) in &builds {
        let wanted = noted(path).into_iter();
        let wanted: Vec<String> = wanted
            .map(|probe| format!("usdt:{}:sites:{probe}", path.display()))
            .collect();
        assert_eq!(listed(path), wanted.iter().cloned().collect(), "{name}");
        probes.extend(wanted);
    }
    let rust = builds.iter().find(|(name, _)| *name == "rust").unwrap();
    let script = format!(
        "{} {{ @[probe] = count(); }}
         usdt:{}:sites:text {{ @text[str(arg0), str(arg1, arg2)] = count(); @rounds = sum(arg3); }}",
        probes.join(","),
        rust.1.display()
    );
    let tracer = Bpftrace::start(&script);
    // The program runs twice a thousand rounds, see below.
    let mut expected = BTreeMap::from([
        ("text[text, text]".to_owned(), 2000),
        ("rounds".to_owned(), 2 * 499_500),
    ]);
    for (name, path) in &builds {
        let is_static = name.contains("static");
        let said = runs(&mut Command::new(path), is_static);
        // Once more with ours on too: then the agent's counts are right as well.
        let times = if is_static { 1 } else { 2 };
        if !is_static {
            counts_agree(path, name);
        }
        for (probe, count) in said {
            let probe = format!("[usdt:{}:sites:{probe}]", path.display());
            expected.insert(probe, i64::try_from(count * times).unwrap());
        }
    }
    assert_eq!(tracer.ends(), expected);
}
