//! The same programs, built in all the ways that people build: the same probes, and every hit counted.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;

use support::agreement::counts_agree;
use support::{HEADER, Program, programs};

/// Compilers that are there. CI has all; a missing one is said by `make tools`.
fn installed(compilers: &[&'static str]) -> Vec<&'static str> {
    let answers = |compiler: &&&str| Command::new(compiler).arg("--version").output().is_ok();
    compilers.iter().filter(answers).copied().collect()
}

fn compile(compiler: &str, flags: &[&str], sources: &[&str], output: &Path) {
    let result = Command::new(compiler)
        .args(["-Wall", "-Wextra", "-Werror", "-g", "-I", HEADER])
        .args(sources.iter().map(|source| programs().join(source)))
        .args(flags)
        .arg("-o")
        .arg(output)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&result.stderr);
    assert!(result.status.success(), "{compiler} {flags:?}: {said}");
}

fn all_ways(compilers: &[&'static str], ways: &[&[&str]], sources: &[&str], names: usize) {
    let directory = tempfile::tempdir().unwrap();
    let compilers = installed(compilers);
    assert!(!compilers.is_empty(), "no compiler is installed");
    let mut probes: Option<Vec<String>> = None;
    for compiler in compilers {
        for (index, flags) in ways.iter().enumerate() {
            let path: PathBuf = directory.path().join(format!("{compiler}-{index}"));
            compile(compiler, flags, sources, &path);
            let found = counts_agree(&path, &format!("{compiler} {flags:?}"));
            assert_eq!(found.len(), names);
            assert_eq!(
                probes.get_or_insert_with(|| found.clone()),
                &found,
                "{compiler} {flags:?}"
            );
        }
    }
}

#[test]
fn programs_in_c() {
    let ways: &[&[&str]] = &[
        &["-std=c11", "-O0"],
        &["-std=c11", "-O2"],
        &["-O3", "-flto"],
        &["-Os", "-fno-pie", "-no-pie"],
        &[
            "-O2",
            "-fPIE",
            "-pie",
            "-ffunction-sections",
            "-Wl,--gc-sections",
        ],
        &["-O2", "-fPIC", "-fvisibility=hidden"],
        &["-O2", "-DPERFLAB_PROBE_BRANCH"],
    ];
    all_ways(&["gcc", "clang"], ways, &["sites.c", "elsewhere.c"], 5);
}

#[test]
fn programs_in_cpp() {
    let ways: &[&[&str]] = &[
        &["-std=c++17", "-O0"],
        &["-std=c++11", "-O2"],
        &["-std=c++20", "-O3", "-flto"],
        &[
            "-O2",
            "-fno-pie",
            "-no-pie",
            "-ffunction-sections",
            "-Wl,--gc-sections",
        ],
        &["-O2", "-DPERFLAB_PROBE_BRANCH"],
    ];
    all_ways(&["g++", "clang++"], ways, &["sites.cc", "other_unit.cc"], 3);
}

#[test]
fn a_site_in_a_shared_object() {
    let directory = tempfile::tempdir().unwrap();
    for compiler in installed(&["gcc", "clang"]) {
        let library = directory.path().join("libelsewhere.so");
        compile(
            compiler,
            &["-O2", "-shared", "-fPIC"],
            &["elsewhere.c"],
            &library,
        );
        let path = directory.path().join("program");
        let library = library.to_str().unwrap();
        let rpath = format!("-Wl,-rpath,{}", directory.path().display());
        compile(compiler, &["-O2", library, &rpath], &["sites.c"], &path);
        assert_eq!(counts_agree(&path, compiler).len(), 5);
    }
}

#[test]
fn no_sites_are_left_where_none_are_wanted() {
    let directory = tempfile::tempdir().unwrap();
    for compiler in installed(&["gcc", "clang"]) {
        let path = directory.path().join("program");
        let flags = ["-O2", "-DPERFLAB_PROBE_NONE"];
        compile(compiler, &flags, &["sites.c", "elsewhere.c"], &path);
        let sections = Command::new("readelf")
            .args(["-SW"])
            .arg(&path)
            .output()
            .unwrap();
        let sections = String::from_utf8(sections.stdout).unwrap();
        assert!(
            sections.contains(".text") && !sections.contains("perflab"),
            "{sections}"
        );
        let mut program = Program::start(&mut Command::new(&path));
        program.said();
        assert!(program.ask().list("*").unwrap().0.is_empty());
        program.ends();
    }
}

#[test]
fn a_program_without_an_agent_is_complete() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("program");
    compile("gcc", &["-O2"], &["sites.c", "elsewhere.c"], &path);
    let output = Command::new(&path)
        .env("PERFLAB_PROBES", "*")
        .output()
        .unwrap();
    assert!(output.status.success());
    let needed = Command::new("readelf")
        .arg("-dW")
        .arg(&path)
        .output()
        .unwrap();
    let needed = String::from_utf8(needed.stdout).unwrap();
    let libraries = needed.lines().filter(|line| line.contains("(NEEDED)"));
    assert_eq!(libraries.count(), 1, "only the C library: {needed}");
}

#[test]
fn tracers_see_the_same_probes() {
    let directory = tempfile::tempdir().unwrap();
    for compiler in installed(&["gcc", "clang"]) {
        let path = directory.path().join("program");
        compile(compiler, &["-O2"], &["sites.c", "elsewhere.c"], &path);
        let notes = Command::new("readelf")
            .arg("-n")
            .arg(&path)
            .output()
            .unwrap();
        let notes = String::from_utf8(notes.stdout).unwrap();
        for name in ["inlined", "called", "many", "text", "elsewhere"] {
            assert!(
                notes.contains(&format!("Name: {name}\n")),
                "{name}: {notes}"
            );
        }
        let semaphores = notes
            .lines()
            .filter(|line| line.contains("Semaphore: 0x0000000000000000"));
        assert_eq!(semaphores.count(), 0, "each has a count: {notes}");
    }
}
