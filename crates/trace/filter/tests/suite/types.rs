//! Types, imports, and several probes.

use perflab_filter::{Class, Fields, Problem, ProblemKind, check, check_each, parse};

use crate::fields;

fn imports(text: &str) -> Result<String, Problem> {
    let checked = check(&parse(text)?, &fields())?;
    let imports = checked.imports.iter();
    let imports = imports.map(|import| format!("{}:{}", import.name, import.class));
    Ok(imports.collect::<Vec<_>>().join(" "))
}

#[test]
fn what_is_imported() {
    for (text, expected) in [
        ("1", ""),
        ("fd == 1", "fd:integer"),
        (
            "is_new && at != 0 && kind == 1 && size",
            "is_new:integer at:integer kind:integer size:integer",
        ),
        ("ratio < mean", "ratio:double mean:double"),
        ("fd < ratio", "fd:integer ratio:double"),
        ("name == key", "name:text key:text"),
        ("data == \"a*\" && data[1] > 2", "data:text"),
        ("data[0] == data[1]", "data:text"),
        ("\"a*\" != name", "name:text"),
        (
            "$ctx.procname == \"x\" && $ctx.vtid == $ctx.vpid",
            "$ctx.procname:text $ctx.vtid:integer $ctx.vpid:integer",
        ),
        (
            "$ctx.pthread_id ^ $ctx.ip",
            "$ctx.pthread_id:integer $ctx.ip:integer",
        ),
        // Also those that a constant makes useless.
        ("0 && fd || 1 || size", "fd:integer size:integer"),
        // A double is a condition within a logical operator, as its whole part.
        ("mean && !ratio", "mean:double ratio:double"),
        ("-mean == +ratio", "mean:double ratio:double"),
        ("!mean", "mean:double"),
    ] {
        assert_eq!(imports(text).as_deref(), Ok(expected), "{text:?}");
    }
}

#[test]
fn types_that_do_not_fit() {
    for text in [
        "name",
        "mean",
        "1.5",
        "\"a\"",
        "name && fd",
        "fd || \"a\"",
        "!name",
        "-name == 1",
        "+name == key",
        "~mean == 1",
        "mean & 1",
        "1 | 1.5",
        "fd << mean",
        "name ^ 1",
        "name == 1",
        "1 == name",
        "mean != \"1\"",
        "(name == key) == name",
        "name < key",
        "name >= \"a\"",
        "\"a*\" == \"b*\"",
        "\"*\" != \"*a\"",
        "name[0] == 1",
        "fd[0] == 1",
        "key[0] == 1",
        "$ctx.procname[0] == 1",
        "data[0] == \"a\"",
        "$ctx.tid == 1",
        "$ctx.vtid.x == 1",
    ] {
        let problem = imports(text).unwrap_err();
        assert!(!problem.is_missing(), "{text:?}: {problem}");
    }
    for text in [
        "nothing",
        "1 || nothing",
        "name.first == \"a\"",
        "$app.shop:stock > 1",
    ] {
        let problem = imports(text).unwrap_err();
        assert!(problem.is_missing(), "{text:?}: {problem}");
    }
}

#[test]
fn a_name_that_is_there_twice_is_the_first() {
    let fields = Fields::new([("i32", "x"), ("cstr", "x")]).unwrap();
    let checked = check(&parse("x == 1").unwrap(), &fields).unwrap();
    assert_eq!(checked.imports[0].class, Class::Integer);
}

#[test]
fn more_names_than_a_program_can_have() {
    let names: Vec<String> = (0..73).map(|number| format!("a{number}")).collect();
    let fields = Fields::new(names.iter().map(|name| ("i32", name.as_str()))).unwrap();
    let checked = |names: &[String]| check(&parse(&names.join("||")).unwrap(), &fields);
    assert_eq!(checked(&names[..72]).unwrap().imports.len(), 72);
    assert_eq!(checked(&names).unwrap_err().kind, ProblemKind::TooManyNames);
}

type Probe = &'static [(&'static str, &'static str)];

fn kind(text: &str, probes: &[Probe]) -> ProblemKind {
    each(text, probes).unwrap_err()
}

/// For each probe the number of its program, `never`, or `refused`.
fn each(text: &str, probes: &[Probe]) -> Result<String, ProblemKind> {
    let probes: Vec<Fields<'_>> = probes
        .iter()
        .map(|arguments| Fields::new(arguments.iter().copied()).unwrap())
        .collect();
    let all = check_each(&parse(text).unwrap(), &probes).map_err(|problem| problem.kind)?;
    let answers = all.probes.iter().map(|answer| match answer {
        Ok(number) => number.to_string(),
        Err(problem) if problem.is_missing() => "never".to_owned(),
        Err(_) => "refused".to_owned(),
    });
    Ok(answers.collect::<Vec<_>>().join(" "))
}

#[test]
fn several_probes() {
    const SIZE: Probe = &[("i32", "x"), ("u64", "size")];
    const RATIO: Probe = &[("f64", "size"), ("cstr", "x")];
    const NAME: Probe = &[("cstr", "size")];
    const OTHER: Probe = &[("u8", "y"), ("i8", "size")];
    const NONE: Probe = &[];
    assert_eq!(each("size > 1", &[]).unwrap(), "");
    assert_eq!(
        each("size > 1", &[NONE, SIZE, RATIO, NAME, OTHER]).unwrap(),
        "never 0 1 refused 0"
    );
    assert_eq!(each("1", &[NONE, SIZE]).unwrap(), "0 0");
    // Of none of them: what comes nearest.
    assert_eq!(
        kind("size == \"a\"", &[NONE, SIZE, RATIO]),
        ProblemKind::Mixed("`size`, an integer".to_owned(), "a text".to_owned())
    );
    let missing = |name: &str, help: &str| ProblemKind::Missing {
        name: name.to_owned(),
        help: help.to_owned(),
    };
    assert_eq!(
        kind("sise > 1", &[NONE, SIZE]),
        missing("sise", "did you mean `size`?")
    );
    assert_eq!(
        kind("z > 1 && q", &[SIZE, OTHER]),
        missing("z", "there are `size`, `x`, `y`")
    );
    assert_eq!(kind("z", &[NONE]), missing("z", "there is none"));
    assert_eq!(
        kind("x > 1 && y && x", &[SIZE, OTHER]),
        ProblemKind::Apart("`x`, `y`".to_owned())
    );
    assert_eq!(
        kind("size.x", &[SIZE]),
        missing("size.x", "arguments have no parts")
    );
}

#[test]
fn numbers_as_their_types_write_them() {
    let kinds = "u64 i8 bool ptr enum(A=0,B=-1) cstr".split(' ');
    let fields = Fields::new(kinds.zip(["a", "b", "c", "d", "e", "f"])).unwrap();
    let most = u64::MAX;
    for (name, number, expected) in [
        ("a", most, "18446744073709551615"),
        ("b", most, "-1"),
        ("c", 1, "true"),
        ("d", 4096, "0x1000"),
        ("e", most, "B"),
        ("e", 7, "7"),
        ("f", 3, "3"),
        ("$ctx.vtid", 3, "3"),
    ] {
        assert_eq!(fields.written(name, number), expected, "{name}");
    }
}
