//! `perflab filter` as a user calls it, on programs with probes.

use std::fs;
use std::process::Output;

use crate::life::{Place, printed, text};

fn check(place: &Place, words: &[&str]) -> Output {
    place.filter(&[&["check"], words].concat())
}

fn dump(place: &Place, words: &[&str]) -> Output {
    place.filter(&[&["dump"], words].concat())
}

/// What is said on standard error, and the exit code.
fn refused(place: &Place, words: &[&str]) -> (String, Option<i32>) {
    let output = check(place, words);
    assert_eq!(text(&output.stdout), "", "{words:?}");
    (text(&output.stderr), output.status.code())
}

#[test]
fn the_probes_of_a_file() {
    let place = Place::new();
    let program = place.compile("pointers");
    let found = printed(&check(
        &place,
        &["text == \"fif*\" && number > 3", "pointers", &program],
    ));
    let expected = format!(
        "{program}
  pointers:bad   never recorded: no argument is called `text`: there are `good`, `high`, `low`, `null`, `part`
  pointers:cut   never recorded: no argument is called `number`: there are `data`, `text`
  pointers:end   never recorded: no argument is called `text`: there are `more`, `open`
  pointers:good  filtered by text (text), number (integer)
  pointers:null  never recorded: no argument is called `number`: there are `data`, `empty`, `none`, `text`
"
    );
    assert_eq!(found, expected);
    // A type that does not fit in one of the probes spoils nothing for the others.
    let found = printed(&check(
        &place,
        &["data[1] == 5 && text != \"\"", "*:c*,*:good", &program],
    ));
    let expected = format!(
        "{program}
  pointers:cut   filtered by data (text), text (text)
  pointers:good  never recorded: no argument is called `data`: there are `number`, `part`, `text`
"
    );
    assert_eq!(found, expected);
}

#[test]
fn files_as_linkers_leave_them() {
    let place = Place::new();
    for (name, words) in [
        ("life", &["-s"][..]),
        ("broken", &["-shared", "-fPIC"]),
        ("life", &["-static"]),
    ] {
        let program = place.compile_with(name, "program", words);
        let found = printed(&check(&place, &["x == 1", "*", &program]));
        assert!(
            found.ends_with("  filtered by x (integer)\n"),
            "{words:?}: {found}"
        );
    }
    let object = place.compile_with("life", "life.o", &["-c"]);
    let (said, code) = refused(&place, &["x == 1", "*", &object]);
    assert!(said.contains("life.o is not linked yet"), "{said}");
    assert_eq!(code, Some(4));
}

#[test]
fn the_probes_of_a_process() {
    let place = Place::new();
    let life = place.life("none");
    let pid = life.pid();
    let found = printed(&check(
        &place,
        &["x > 3 && $ctx.procname == \"li*\"", "--pid", &pid],
    ));
    let expected =
        format!("{pid} life\n  life:work  filtered by x (integer), $ctx.procname (text)\n");
    assert_eq!(found, expected);
    let (said, code) = refused(&place, &["y > 3", "life:*", "--pid", &pid]);
    assert_eq!(
        said,
        "error: no argument is called `y`: there is `x`\n  y > 3\n  ^\n"
    );
    assert_eq!(code, Some(2));
    // One that is not there is a failure, and spoils nothing for the other.
    let output = check(&place, &["x", "--pid", "999999999", "--pid", &pid]);
    assert_eq!(output.status.code(), Some(4));
    assert!(text(&output.stdout).ends_with("life:work  filtered by x (integer)\n"));
    assert_eq!(
        text(&output.stderr),
        "error: there is no process 999999999\n"
    );
}

#[test]
fn arguments_that_somebody_writes_down() {
    let place = Place::new();
    let list = "name: cstr, kind: enum(GET=0,SET=1), ratio: f32, data: bytes";
    let with = |expression| ["--arguments", list, expression];
    for (expression, taken) in [
        (
            "name == \"SET\" && kind == 1",
            "name (text), kind (integer)",
        ),
        ("-1 == ~0", "constants only"),
        ("-ratio < 0.5", "ratio (double)"),
        ("data[3] | $ctx.vtid", "data (text), $ctx.vtid (integer)"),
        ("1 || kind", "kind (integer)"),
    ] {
        let found = printed(&check(&place, &with(expression)));
        assert_eq!(found, format!("filtered by {taken}\n"), "{expression}");
    }
    for (expression, said) in [
        (
            "nmae == \"SET\"",
            "no argument is called `nmae`: did you mean `name`?\n  nmae == \"SET\"\n  ^^^^\n",
        ),
        (
            "kind = 1",
            "expected an operator or the end, found `=`, which is no operator: `==` compares\n  kind = 1\n       ^\n",
        ),
        (
            "name == 1",
            "`name`, a text, cannot be compared with an integer\n  name == 1\n  ^^^^^^^^^\n",
        ),
        (
            "kind == 1 &&",
            "expected a value, found the end\n  kind == 1 &&\n              ^\n",
        ),
        (
            "kind == 1 /* open",
            "the comment has no closing `*/`\n  kind == 1 /* open\n            ^^\n",
        ),
        (
            "name == L''",
            "expected `\"\"` for an empty text, found `L''`\n  name == L''\n          ^^^\n",
        ),
    ] {
        let (found, code) = refused(&place, &with(expression));
        assert_eq!(found, format!("error: {said}"), "{expression}");
        assert_eq!(code, Some(2), "{expression}");
    }
}

#[test]
fn arguments_that_no_probe_can_have() {
    let place = Place::new();
    let many = |most: u32| {
        let all = (0..most).map(|number| format!("a{number}: i8"));
        all.collect::<Vec<_>>().join(", ")
    };
    let name = |bytes| format!("{}: i8", "a".repeat(bytes));
    let of = |list: &str| check(&place, &["1", "--arguments", list]);
    for list in [many(64), name(128)] {
        printed(&of(&list));
    }
    let identifier = "an argument is no known type and an identifier of at most 128 bytes";
    for (list, expected) in [
        (many(65), "there are more than 64 arguments"),
        (name(129), identifier),
        ("a b: i8".to_owned(), identifier),
    ] {
        let output = of(&list);
        let said = text(&output.stderr);
        assert!(said.contains(expected), "{said}");
        assert_eq!(output.status.code(), Some(2), "{said}");
    }
}

#[test]
fn what_cannot_be_checked() {
    let place = Place::new();
    let program = place.file("life");
    let cases: [(&[&str], i32, &str); 9] = [
        (
            &["x", "none:*", &program],
            4,
            "no probe is called \"none:*\" there",
        ),
        (&["x", "*", "/bin/sh"], 4, "/bin/sh has no probes"),
        (
            &["x", "*", "/dev/null"],
            4,
            "is no program or shared object",
        ),
        (
            &["x", "*", "/does/not/exist"],
            4,
            "cannot read /does/not/exist: ",
        ),
        (
            &["x", "--pid", "999999999"],
            4,
            "there is no process 999999999",
        ),
        (&["x", &program], 2, "is no probe: expected provider:name"),
        (
            &["x", "*", &program, "--pid", "1"],
            2,
            "cannot be used with",
        ),
        (
            &["x", "*", "--arguments", "x: i32"],
            2,
            "cannot be used with",
        ),
        (
            &["x", "--arguments", "x"],
            2,
            "`x` is no argument, expected NAME: TYPE",
        ),
    ];
    for (words, expected_code, expected) in cases {
        let (said, code) = refused(&place, words);
        assert!(said.contains(expected), "{words:?}: {said}");
        assert_eq!(code, Some(expected_code), "{words:?}: {said}");
    }
}

/// The columns: what an expression becomes, up to native code.
#[test]
fn blocks_instructions_and_native_code() {
    let place = Place::new();
    perflab_testing::needs("objdump", "binutils");
    let list = "name: cstr, bytes: i64, ratio: f64";
    let expression = "name == \"SET\" && bytes > 512";
    let shown = printed(&dump(&place, &[expression, "--arguments", list]));
    let columns = [
        "context     0: text    name\ncontext     8: integer bytes\nliterals    0: \"SET\"\n\nblocks  ",
        "\nb0:                                   0: bf 16 00 00 00 00 00 00  r6 = r1\n",
        "\n  if name is \"SET\" go b1 else b3      1: bf 61 00 00 00 00 00 00  r1 = r6\n",
        "  call 1  # text_is   ",
        "lea    eax,[rsi+0x3]\n",
        // The second word of a site that passes each by itself.
        "cmp    rdx,0x200\n",
        "  # recorder\n",
        "  # accept\n",
        "  # reject\n",
        "\n14 instructions of eBPF, ",
    ];
    for part in columns {
        assert!(shown.contains(part), "{part}:\n{shown}");
    }
    assert!(shown.ends_with(" bytes of native code\n"), "{shown}");
    // Words by record, and where nothing is known of instructions of the processor.
    let many: Vec<String> = (0..13).map(|at| format!("a{at}: u64")).collect();
    let many = many.join(", ");
    let shown = printed(&dump(&place, &["a12 > 512", "--arguments", &many]));
    assert!(
        shown.contains("cmp    QWORD PTR [rsi+0x60],0x200"),
        "{shown}"
    );
    let mut command = place.perflab();
    command.args(["filter", "dump", "a12 > 512", "--arguments", &many]);
    let without = printed(&command.env("PATH", "/nonexistent").output().unwrap());
    assert!(without.contains(": 48 81 7e 60 00 02 00 00"), "{without}");
    assert!(!without.contains("QWORD PTR"), "{without}");
}

#[test]
fn programs_for_probes_with_other_arguments() {
    let place = Place::new();
    let program = place.compile("pointers");
    // One program, of which each probe has native code of its own.
    let words = ["text == \"fif*\"", "*:good,*:null,*:end", &program];
    let shown = printed(&dump(&place, &words));
    assert!(
        shown.starts_with("pointers:good, pointers:null\n\ncontext     0: text    text\n"),
        "{shown}"
    );
    let expected = " bytes of native code for pointers:good; other probes have the arguments elsewhere, and native \
                    code of their own\n";
    assert!(shown.ends_with(expected), "{shown}");
}

/// An argument that is an integer in one probe and a floating-point number in another.
#[test]
fn a_program_for_each_assignment_of_types() {
    let place = Place::new();
    let content = "#include <perflab/probe.h>\n\
        int main(void) {\n\
            PERFLAB_PROBE(two, one, (i32, x, 1));\n\
            PERFLAB_PROBE(two, other, (f64, x, 2.5));\n\
            return 0;\n\
        }\n";
    let program = place.compile_text("two", content);
    let program = program.as_str();
    let shown = printed(&dump(&place, &["x > 1", "*", program]));
    let (one, other) = shown.split_once("\ntwo:other\n").unwrap();
    assert!(
        one.starts_with("two:one\n\ncontext     0: integer x\n"),
        "{shown}"
    );
    assert!(other.starts_with("\ncontext     0: double  x\n"), "{shown}");
    // One object has one of them.
    let object = place.directory.path().join("two.o");
    let object = object.to_str().unwrap();
    let output = dump(&place, &["x > 1", "*", program, "-o", object]);
    assert_eq!(output.status.code(), Some(2));
    let said = text(&output.stderr);
    assert!(said.contains("so there are 2 programs"), "{said}");
    printed(&dump(&place, &["x > 1", "*:other", program, "-o", object]));
    let shown = printed(&dump(&place, &["--object", object]));
    assert!(
        shown.starts_with("filter\n\ncontext     0: double  x\n"),
        "{shown}"
    );
}

#[test]
fn objects_written_and_read() {
    let place = Place::new();
    let object = place.directory.path().join("filter.o");
    let object = object.to_str().unwrap();
    let list = "name: str, bytes: u32";
    let expression = "name == \"S*T\" || bytes > 512";
    let words = [expression, "--arguments", list, "--output", object];
    assert_eq!(printed(&dump(&place, &words)), "");
    // By itself, for what an event may have; and for arguments, as that of the expression.
    let shown = printed(&dump(&place, &["--object", object]));
    assert!(
        shown.starts_with("filter\n\ncontext     0: text    name\n"),
        "{shown}"
    );
    assert!(shown.contains("\neBPF\n    0: bf 16 "), "{shown}");
    assert!(shown.ends_with(" instructions of eBPF\n"), "{shown}");
    let shown = printed(&dump(&place, &["--object", object, "--arguments", list]));
    let direct = printed(&dump(&place, &[expression, "--arguments", list]));
    let end = |shown: &str| shown.lines().last().unwrap().to_owned();
    assert!(end(&shown).contains(" bytes of native code"), "{shown}");
    assert_eq!(end(&shown), end(&direct));
    let output = dump(&place, &["--object", object, "--arguments", "name: i32"]);
    assert_eq!(output.status.code(), Some(2));
    let said = text(&output.stderr);
    let reason = "can judge none of these probes, as none has all that it takes: name (text), bytes (integer) ";
    assert!(said.contains(reason), "{said}");
    // The same bytes again, also through a pipe.
    let words = ["--object", object, "--output", "-"];
    let output = dump(&place, &words);
    assert!(output.status.success());
    assert_eq!(output.stdout, fs::read(object).unwrap());
}

#[test]
fn what_cannot_be_shown() {
    let place = Place::new();
    let object = place.directory.path().join("bad.o");
    let jumps = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../trace/filter/tests/objects/jumps.o"
    );
    // `goto -8` becomes `goto -5`, into the block that it ends.
    let mut content = fs::read(jumps).unwrap();
    let back = [0x6d, 0x12, 0xf8, 0xff];
    let at = content.windows(4).position(|bytes| bytes == back).unwrap();
    content[at + 2] = 0xfb;
    fs::write(&object, &content).unwrap();
    let object = object.to_str().unwrap();
    let cases: [(&[&str], i32, &str); 8] = [
        (&[], 2, "required arguments were not provided"),
        (&["bytes >", "--arguments", "bytes: i64"], 2, "       ^\n"),
        (&["x", "--object", object], 2, "cannot be used with"),
        (&["--object", "/bin/sh"], 4, "not an eBPF object"),
        (
            &["--object", "/does/not/exist"],
            2,
            "cannot read the filter",
        ),
        (
            &["--object", object],
            4,
            "bad.o cannot be used as a filter: instruction 27 (`if r2 s> r1 goto -5`) closes a loop",
        ),
        (
            &["x", "--arguments", "x: i32", "-o", "/does/not/exist"],
            2,
            "cannot write /does/not/exist",
        ),
        (&["x", "--pid", "999999999"], 4, "there is no process"),
    ];
    for (words, expected_code, expected) in cases {
        let output = dump(&place, words);
        let said = text(&output.stderr);
        assert!(said.contains(expected), "{words:?}: {said}");
        assert_eq!(
            output.status.code(),
            Some(expected_code),
            "{words:?}: {said}"
        );
        assert_eq!(text(&output.stdout), "", "{words:?}");
    }
}
