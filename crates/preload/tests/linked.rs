//! Programs in C that link the agent: those that are static, which cannot be preloaded, and others.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod support;

use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use support::agreement::{counted, counted_as_said, noted, probes};
use support::compile::{compile, installed};
use support::{Program, agent_of};

/// The library that was built with these tests, as `make install` leaves it. Older ones may lie beside it.
fn library() -> &'static str {
    static LIBRARY: OnceLock<String> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let test = std::env::current_exe().unwrap();
        let files = std::fs::read_dir(test.parent().unwrap()).unwrap();
        let libraries = files.map(|file| file.unwrap().path()).filter(|path| {
            let name = path.file_name().unwrap().to_string_lossy();
            name.starts_with("libperflab_static-") && name.ends_with(".a")
        });
        let newest = libraries.max_by_key(|path| path.metadata().unwrap().modified().unwrap());
        let library = concat!(env!("CARGO_TARGET_TMPDIR"), "/libperflab_agent.a");
        let stripped = Command::new("objcopy")
            .args(["--strip-debug", "-R", ".llvmbc", "-R", ".llvmcmd"])
            .args([newest.unwrap().as_path(), Path::new(library)])
            .status();
        assert!(stripped.unwrap().success());
        library.to_owned()
    })
}

/// Links a program of sites that starts an agent itself.
fn link(compiler: &str, flags: &[&str], sources: &[&str], output: &Path) {
    let mut all = vec!["-O2", "-Dmain=sites_main", library()];
    all.extend(flags);
    compile(compiler, &all, sources, output);
}

const IN_C: &[&str] = &["linked.c", "sites.c", "elsewhere.c"];
const IN_CPP: &[&str] = &["linked.cc", "sites.cc", "other_unit.cc"];

#[test]
fn programs_of_all_kinds() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("program");
    let kinds: &[&[&str]] = &[
        &["-static"],
        &["-static-pie", "-fPIE"],
        &["-no-pie", "-fno-pie"],
        &["-fPIE", "-pie"],
        &["-static", "-ffunction-sections", "-Wl,--gc-sections", "-s"],
        &["-static", "-flto"],
        &["-static", "-DPERFLAB_PROBE_BRANCH"],
    ];
    for (compilers, sources, number) in
        [(["gcc", "clang"], IN_C, 5), (["g++", "clang++"], IN_CPP, 3)]
    {
        let mut expected: Option<Vec<String>> = None;
        for compiler in installed(&compilers) {
            for kind in kinds {
                let what = format!("{compiler} {kind:?}");
                link(compiler, kind, sources, &path);
                let mut command = Command::new(&path);
                let mut program = Program::start_alone(command.env("PERFLAB_PROBES", "sites:*"));
                assert_eq!(program.line(), "start 0\n", "{what}");
                let found = probes(&counted_as_said(&mut program, &what));
                program.ends();
                assert_eq!(found.len(), number, "{what}");
                assert_eq!(noted(&path).len(), number, "{what}");
                assert_eq!(
                    expected.get_or_insert_with(|| found.clone()),
                    &found,
                    "{what}"
                );
            }
        }
    }
}

/// gold knows no static programs that are position-independent.
#[test]
fn static_programs_by_other_linkers() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("program");
    for linker in ["gold", "lld"] {
        if Command::new(format!("ld.{linker}"))
            .arg("-v")
            .output()
            .is_err()
        {
            eprintln!("not tested: {linker} is not installed");
            continue;
        }
        link(
            "gcc",
            &["-static", &format!("-fuse-ld={linker}")],
            IN_C,
            &path,
        );
        let mut command = Command::new(&path);
        let mut program = Program::start_alone(command.env("PERFLAB_PROBES", "sites:*"));
        assert_eq!(program.line(), "start 0\n");
        assert_eq!(probes(&counted_as_said(&mut program, linker)).len(), 5);
        program.ends();
    }
}

/// A program that starts an agent is started with one: the first serves, in the program and in its children.
#[test]
fn one_agent_of_two() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("program");
    link("gcc", &[], IN_C, &path);
    let already = format!("start {}\n", 114);
    let mut program = Program::start(Command::new(&path).env("PERFLAB_PROBES", "sites:*"));
    assert_eq!(program.line(), already, "EALREADY");
    let sites = counted_as_said(&mut program, "two agents");
    assert_eq!(probes(&sites).len(), 5);
    program.ends();

    let mut command = Command::new(&path);
    let mut program = Program::start(command.arg("fork").env("PERFLAB_PROBES", "sites:*"));
    assert_eq!(program.line(), already, "EALREADY");
    for _ in 0..5 {
        let line = program.line();
        let child = line.trim().strip_prefix("child ").unwrap().parse().unwrap();
        let said = program.said();
        let sites = counted(&agent_of(child), &said, "a child");
        assert_eq!(probes(&sites).len(), 5);
        program.tell("\n");
    }
    program.ends();
}

/// Where no agent can be, the program says so and goes on.
#[test]
fn no_agent_can_be() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("program");
    link("gcc", &["-static"], IN_C, &path);
    let nowhere = directory.path().join("nowhere");
    let mut command = Command::new(&path);
    let mut program = Program::start_alone(command.env("XDG_RUNTIME_DIR", nowhere));
    assert_eq!(program.line(), "start 5\n", "EIO");
    assert_eq!(program.said().len(), 5);
    program.ends();
}
