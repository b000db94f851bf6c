//! `make install`: what it leaves can be used with nothing else of the repository.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use perflab_testing::needs;

use crate::life::printed;

/// A program that links the agent and has a site.
const PROGRAM: &str = r#"
#include <perflab/agent.h>
#include <perflab/probe.h>
int main(void) {
    perflab_agent_start();
    PERFLAB_PROBE(installed, site, (i32, answer, 42));
    return 0;
}
"#;

/// A filter of its events.
const FILTER: &str = r#"
#include <perflab/filter.h>
PERFLAB_FILTER(is_answer, (integer, answer)) { return ctx->answer == 42; }
"#;

/// The newest file in a directory whose name begins and ends so: older builds may have left others.
fn newest(directory: &Path, start: &str, end: &str) -> PathBuf {
    let files = fs::read_dir(directory)
        .unwrap()
        .map(|file| file.unwrap().path());
    let named = files.filter(|path| {
        let name = path.file_name().unwrap().to_string_lossy();
        name.starts_with(start) && name.ends_with(end)
    });
    let modified = |path: &PathBuf| path.metadata().unwrap().modified().unwrap();
    named
        .max_by_key(modified)
        .unwrap_or_else(|| panic!("{start}*{end} is built with the tests of the whole workspace"))
}

/// Installs what was built with these tests below a directory.
fn install(directory: &Path) -> PathBuf {
    let built = directory.join("built");
    fs::create_dir(&built).unwrap();
    let own = std::env::current_exe().unwrap();
    let deps = own.parent().unwrap();
    for (from, to) in [
        (env!("CARGO_BIN_EXE_perflab").into(), "perflab"),
        (deps.join("libperflab_preload.so"), "libperflab_preload.so"),
        (
            newest(deps, "libperflab_static-", ".a"),
            "libperflab_static.a",
        ),
    ] {
        fs::copy(from, built.join(to)).unwrap();
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let staged = directory.join("staged");
    let made = Command::new("make")
        .args(["--silent", "--directory"])
        .arg(root)
        .arg("install")
        .arg(format!("BUILT={}", built.display()))
        .arg(format!("DESTDIR={}", staged.display()))
        .arg("PREFIX=/usr")
        // This make is no part of one that runs the tests.
        .env_remove("MAKEFLAGS")
        .env_remove("MAKELEVEL")
        .output()
        .unwrap();
    printed(&made);
    staged.join("usr")
}

#[test]
fn what_is_installed_works_by_itself() {
    for (command, package) in [("make", "make"), ("gcc", "gcc"), ("objcopy", "binutils")] {
        needs(command, package);
    }
    let directory = tempfile::tempdir().unwrap();
    let installed = install(directory.path());
    let perflab = installed.join("bin/perflab");
    let version = printed(&Command::new(&perflab).arg("--version").output().unwrap());
    assert_eq!(
        version,
        concat!("perflab ", env!("CARGO_PKG_VERSION"), "\n")
    );

    let source = directory.path().join("program.c");
    fs::write(&source, PROGRAM).unwrap();
    let program = directory.path().join("program");
    let linked = Command::new("gcc")
        .args(["-Wall", "-Werror", "-I"])
        .arg(installed.join("include"))
        .arg(&source)
        .arg("-L")
        .arg(installed.join("lib/perflab"))
        .args(["-lperflab_agent", "-lpthread", "-ldl", "-o"])
        .arg(&program)
        .output()
        .unwrap();
    printed(&linked);
    let trace = directory.path().join("trace");
    let recorded = Command::new(&perflab)
        .args(["trace", "record", "installed:*", "-o"])
        .arg(&trace)
        .arg("--")
        .arg(&program)
        .output()
        .unwrap();
    printed(&recorded);
    let shown = Command::new(&perflab)
        .args(["trace", "view"])
        .arg(&trace)
        .output()
        .unwrap();
    let shown = printed(&shown);
    assert!(shown.contains("installed:site answer=42"), "{shown}");
    // A filter in C for the same site.
    needs("clang", "clang");
    let source = directory.path().join("filter.c");
    fs::write(&source, FILTER).unwrap();
    let filter = directory.path().join("filter.o");
    let compiled = Command::new("clang")
        .args(["-O2", "-target", "bpf", "-c", "-I"])
        .arg(installed.join("include"))
        .arg(&source)
        .arg("-o")
        .arg(&filter)
        .output()
        .unwrap();
    printed(&compiled);
    let dumped = Command::new(&perflab)
        .args(["filter", "dump", "--arguments", "answer: i32", "--object"])
        .arg(&filter)
        .output()
        .unwrap();
    let dumped = printed(&dumped);
    assert!(dumped.starts_with("is_answer\n"), "{dumped}");
    assert!(dumped.contains(" bytes of native code"), "{dumped}");
}
