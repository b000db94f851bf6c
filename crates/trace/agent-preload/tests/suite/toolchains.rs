//! The same programs, built in all the ways that people build: the same probes, and every hit counted.

use std::path::PathBuf;
use std::process::Command;

use crate::support::Program;
use crate::support::agreement::{counts_agree, ordered};
use crate::support::compile::{FOR_C, FOR_CPP, compile};

fn all_ways(
    compilers: [&str; 2],
    ways: &[&[&str]],
    sources: &[&str],
    names: usize,
    with_order: &[&str],
) {
    let directory = tempfile::tempdir().unwrap();
    let mut probes: Option<Vec<String>> = None;
    for compiler in compilers {
        for (index, flags) in ways.iter().enumerate() {
            let path: PathBuf = directory.path().join(format!("{compiler}-{index}"));
            compile(compiler, flags, sources, &path);
            let found = counts_agree(&path, &format!("{compiler} {flags:?}"));
            assert_eq!(found.len(), names);
            assert_eq!(ordered(&found), with_order);
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
    all_ways(
        FOR_C,
        ways,
        &["sites.c", "elsewhere.c"],
        5,
        &["called", "text"],
    );
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
    all_ways(
        FOR_CPP,
        ways,
        &["sites.cc", "other_unit.cc"],
        3,
        &["generic", "lambda"],
    );
}

#[test]
fn programs_with_destructors_and_exceptions() {
    let ways: &[&[&str]] = &[
        &["-std=c++11", "-O0"],
        &["-std=c++11", "-O2"],
        &["-std=c++20", "-O3", "-flto"],
        &["-O2", "-fno-pie", "-no-pie"],
        &["-O2", "-DPERFLAB_PROBE_BRANCH"],
    ];
    all_ways(FOR_CPP, ways, &["scopes.cc"], 7, &[]);
}

#[test]
fn a_site_in_a_shared_object() {
    let directory = tempfile::tempdir().unwrap();
    for compiler in FOR_C {
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

/// The agent looks several times while the object is there and has not begun.
#[test]
fn an_object_that_begins_slowly() {
    let directory = tempfile::tempdir().unwrap();
    let library = directory.path().join("libslow.so");
    let flags = ["-O2", "-shared", "-fPIC"];
    compile("gcc", &flags, &["slow.c", "elsewhere.c"], &library);
    let path = directory.path().join("program");
    compile("gcc", &["-O2", "-ldl"], &["life.c"], &path);
    let mut program = Program::start(Command::new(&path).env("PERFLAB_PROBES", "sites:*"));
    program.tell(&format!("open {}\n", library.display()));
    assert_eq!(program.line(), "opened done\n");
    let (sites, _) = program.ask().list("sites:elsewhere").unwrap();
    assert!(sites.len() == 1 && sites[0].on, "{sites:?}");
    program.ends();
}

#[test]
fn no_sites_are_left_where_none_are_wanted() {
    let directory = tempfile::tempdir().unwrap();
    for compiler in FOR_C {
        let path = directory.path().join("program");
        let flags = ["-O2", "-DPERFLAB_PROBE_NONE"];
        compile(compiler, &flags, &["sites.c", "elsewhere.c"], &path);
        perflab_testing::needs("readelf", "binutils");
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

/// As further no-ops, padding would cost as much as the sites do.
#[test]
fn the_padding_of_a_site_is_a_part_of_its_no_op() {
    const NOP: &[u8] = &[0x0f, 0x1f, 0x44, 0x00, 0x00];
    let directory = tempfile::tempdir().unwrap();
    for compiler in [FOR_C, FOR_CPP].concat() {
        let path = directory.path().join("program");
        let source = if FOR_C.contains(&compiler) {
            "row.c"
        } else {
            "row.cc"
        };
        compile(compiler, &["-O2"], &[source], &path);
        let bytes = std::fs::read(&path).unwrap();
        let first = bytes
            .windows(NOP.len() * 2)
            .position(|two| two == [NOP, NOP].concat());
        let mut at = first.unwrap();
        // Nine sites come to each place within eight bytes once.
        for _ in 0..9 {
            if at % 8 == 7 {
                assert_eq!(bytes[at], 0x2e, "{compiler}");
                at += 1;
            }
            assert_eq!(&bytes[at..at + NOP.len()], NOP, "{compiler}");
            at += NOP.len();
        }
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
    perflab_testing::needs("readelf", "binutils");
    let needed = Command::new("readelf")
        .arg("-dW")
        .arg(&path)
        .output()
        .unwrap();
    let needed = String::from_utf8(needed.stdout).unwrap();
    let libraries = needed.lines().filter(|line| line.contains("(NEEDED)"));
    assert_eq!(libraries.count(), 1, "only the C library: {needed}");
}

/// Each keeps and drops sections by rules of its own.
#[test]
fn programs_by_other_linkers() {
    let directory = tempfile::tempdir().unwrap();
    let ways: &[(&str, &[&str])] = &[
        ("bfd", &["-Wl,-z,start-stop-gc"]),
        ("gold", &["-Wl,--icf=all"]),
        ("lld", &["-Wl,--icf=all", "-Wl,-z,start-stop-gc"]),
    ];
    for compiler in FOR_C {
        for (linker, own) in ways {
            for kind in ["-pie", "-no-pie"] {
                let path = directory.path().join("program");
                let linker = format!("-fuse-ld={linker}");
                let mut flags = vec!["-O2", "-ffunction-sections", "-Wl,--gc-sections", "-s"];
                flags.extend([
                    if kind == "-pie" { "-fPIE" } else { "-fno-pie" },
                    kind,
                    &linker,
                ]);
                flags.extend(*own);
                compile(compiler, &flags, &["sites.c", "elsewhere.c"], &path);
                let found = counts_agree(&path, &format!("{compiler} {flags:?}"));
                assert_eq!(found.len(), 5);
            }
        }
    }
}
