//! The header for C and C++: names are what was written, and what is wrong is said in a few lines.

use std::fs;
use std::path::Path;
use std::process::Command;

use perflab_testing::needs;

use crate::support::HEADER;
use crate::support::agreement::counts_agree;
use crate::support::compile::{FOR_C, FOR_CPP, compile};

/// All that the header is promised for.
pub const STANDARDS: [(&[&str], &[&str]); 2] = [
    (&FOR_C, &["c99", "gnu99", "c11", "c17", "c2x"]),
    (&FOR_CPP, &["c++11", "c++14", "gnu++17", "c++20"]),
];

/// A compiler says these of code that is not right everywhere.
pub const STRICT: [&str; 4] = ["-Wpedantic", "-Wshadow", "-Wconversion", "-O2"];

#[test]
fn names_that_are_macros_too() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("program");
    for (compilers, standards) in STANDARDS {
        for compiler in compilers {
            for standard in standards {
                let what = format!("{compiler} {standard}");
                let standard = format!("-std={standard}");
                let flags = [&STRICT[..], &[&standard]].concat();
                let source = if FOR_C.contains(compiler) {
                    "names.c"
                } else {
                    "names.cc"
                };
                compile(compiler, &flags, &[source], &path);
                let found = counts_agree(&path, &what).join("\n");
                for expected in [
                    r#"linux []"#,
                    r#"errno [("i32", "errno"), ("u8", "key"), ("bool", "unix")]"#,
                    r#"("enum(unix = 0, EINTR = 4)", "value"), ("ptr", "point"), ("f32", "hits")"#,
                    r#"("cstr", "u8"), ("cstr", "cstr"), ("cstr", "word"), ("str", "str")"#,
                ] {
                    assert!(found.contains(expected), "{what}: {expected} in {found}");
                }
            }
        }
    }
}

const NAME: &str = "PERFLAB_PROBE: a name is an identifier and has 1 to 128 bytes";

const ENUM: &str = "PERFLAB_PROBE: an enum is names, each alone or with =digits";

/// What is wrong, and what each compiler says of it.
const MISUSES: [(&str, &str); 33] = [
    (
        "m, n, (i33, x, x)",
        "PERFLAB_PROBE: no type of an argument: i33",
    ),
    (
        "m, n, (const char *, s, t)",
        "no type of an argument: const char *",
    ),
    ("m, n, (enum, x, x)", "no type of an argument: enum"),
    ("m, n, x", "an argument is (type, name, value), not x"),
    (
        "m, n, (i32, x)",
        "an argument is (type, name, value), not (i32, x)",
    ),
    (
        "m, n, (i32)",
        "an argument is (type, name, value), not (i32)",
    ),
    (
        "m, n, (str, t, t)",
        "str_and_bytes_take_an_address_and_a_length",
    ),
    (
        "m, n, (str, x, t, 3, 4)",
        "str_and_bytes_take_an_address_and_a_length",
    ),
    (
        "m, n, (bytes, x, t, 3, 4)",
        "str_and_bytes_take_an_address_and_a_length",
    ),
    ("m", NAME),
    ("", NAME),
    ("m, n, (i32, , x)", NAME),
    ("m, LONG", NAME),
    ("m, n, (i32, 1a, x)", NAME),
    ("m, a-b, (i32, x, x)", NAME),
    ("m, (long)x", NAME),
    ("m, n, (i32, x[0], x)", NAME),
    ("\"m\", n", NAME),
    ("\"m\", \"n\"", NAME),
    ("m, n, (enum(), x, x)", ENUM),
    ("m, n, (enum(A=1,), x, x)", ENUM),
    ("m, n, (enum(A,,B), x, x)", ENUM),
    ("m, n, (enum(FOO(1)), x, x)", ENUM),
    ("m, n, (enum(A]), x, x)", ENUM),
    ("m, n, (enum(A,4=4), x, x)", ENUM),
    ("m, n, (enum(A B), x, x)", ENUM),
    ("m, n, (enum(A-B), x, x)", ENUM),
    ("m, n, (enum(A,B,C,D,E,F,G,H,), x, x)", ENUM),
    ("m, n, (enum(A,B,C,D,E,F,G,H,I,J,K,L,M,N,O,P,), x, x)", ENUM),
    ("m, n, (enum(A=), x, x)", "expected"),
    ("m, n, (cstr, x, p)", "perflab_"),
    ("m, n ONE_MORE", "more than 64 arguments"),
    ("m, n MANY", "more than 64 arguments"),
];

/// The lines that a compiler says of a probe that it refuses.
fn said(compiler: &str, source: &Path) -> Vec<String> {
    said_with(compiler, &[], source)
}

fn said_with(compiler: &str, flags: &[&str], source: &Path) -> Vec<String> {
    needs(compiler, compiler);
    let mut command = Command::new(compiler);
    if FOR_CPP.contains(&compiler) {
        command.args(["-x", "c++"]);
    }
    if FOR_C.contains(&compiler) {
        // gcc 14 and later refuse a pointer to something else by themselves.
        command.arg("-Werror=incompatible-pointer-types");
    }
    let output = command
        .args(["-O", "-c", "-o", "/dev/null", "-I", HEADER])
        .args(flags)
        .arg(source)
        .env("LC_ALL", "C")
        .output()
        .unwrap();
    assert!(!output.status.success(), "{compiler}: {}", source.display());
    let said = String::from_utf8(output.stderr).unwrap();
    said.lines().map(str::to_owned).collect()
}

#[test]
fn a_misuse_is_refused_in_a_few_lines() {
    let directory = tempfile::tempdir().unwrap();
    let source = directory.path().join("misuse.c");
    let macros = ["PERFLAB_PROBE", "PERFLAB_PROBE_ORDERED"];
    let misuses =
        macros.map(|called| MISUSES.map(|(arguments, expected)| (called, arguments, expected)));
    for (called, arguments, expected) in misuses.concat() {
        let arguments = arguments.replace("LONG", &"n".repeat(129));
        let arguments = arguments.replace("ONE_MORE", &", (i32, a, 1)".repeat(65));
        let arguments = arguments.replace("MANY", &", (i32, a, 1)".repeat(100));
        let text = format!(
            "#include <perflab/probe.h>\nvoid f(int x, const char *t, int *p);\n\
             void f(int x, const char *t, int *p) {{\n(void)x, (void)t, (void)p;\n    {called}({arguments});\n}}\n"
        );
        fs::write(&source, text).unwrap();
        for compiler in [FOR_C, FOR_CPP].concat() {
            let said = said(compiler, &source);
            let text = said.join("\n");
            let first = said.iter().find(|line| line.contains(" error: "));
            assert!(
                first.is_some_and(|first| first.contains(expected)),
                "{compiler}, {arguments}: {text}"
            );
            assert!(
                text.contains("misuse.c:5:"),
                "{compiler}, {arguments}: {text}"
            );
            // clang shows up to eight of the header's own macros of each error, and has no way to be told not to.
            let most = if compiler.starts_with("clang") {
                50
            } else {
                30
            };
            assert!(
                said.len() <= most,
                "{compiler}, {arguments}: {} lines: {text}",
                said.len()
            );
        }
    }
}

#[test]
fn a_language_that_is_too_old_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let source = directory.path().join("old.c");
    let text = "#include <perflab/probe.h>\nint f(int x);\nint f(int x) {\n    PERFLAB_PROBE(m, n, (i32, x, x));\n    \
                PERFLAB_PROBE_ORDERED(m, n, (i32, x, x));\n    \
                return x;\n}\n";
    fs::write(&source, text).unwrap();
    let old: [(&[&str], &str, &str); 2] = [
        (&FOR_C, "-std=c89", "needs C99 or newer"),
        (&FOR_CPP, "-std=c++98", "needs C++11 or newer"),
    ];
    for (compilers, standard, expected) in old {
        for compiler in compilers {
            let said = said_with(compiler, &[standard], &source);
            let text = said.join("\n");
            assert!(text.contains(expected), "{compiler}: {text}");
            assert!(said.len() <= 6, "{compiler}: {text}");
        }
    }
}
