//! A wrong experiment file is refused with its place, before anything runs.

use crate::support::Laboratory;

const GOOD: &str = r#"
[design]
runs = 3
baseline = "a"

[variants.a]

[workloads.w]
driver = "command"
command = ["sh", "-c", "echo >> {experiment}/ran"]
"#;

/// Runs a file that must be refused with this message.
#[track_caller]
fn refuse(text: impl AsRef<[u8]>, words: &[&str]) {
    let laboratory = Laboratory::new();
    laboratory.write("exp.toml", text);
    for arguments in [
        &["run", "exp.toml", "--dry-run"][..],
        &["run", "exp.toml", "--out", "result"],
    ] {
        let said = laboratory.call(arguments).code(2).says(words);
        assert!(said.out.is_empty(), "{}", said.out);
    }
    assert!(!laboratory.path("result").exists());
    assert!(!laboratory.path("ran").exists());
}

#[test]
fn a_good_file_is_run() {
    let laboratory = Laboratory::new();
    laboratory.run(GOOD).code(0);
    laboratory.assert_complete(3);
    assert_eq!(laboratory.read("ran").lines().count(), 3);
}

#[test]
fn a_control_that_runs_something_else() {
    let laboratory = Laboratory::new();
    let control = GOOD
        .replace("baseline = \"a\"", "baseline = \"a\"\ncontrol = \"again\"")
        .replace("[variants.a]", "[variants.a]\n[variants.again]");
    let warning =
        "warning: the control again does not run exactly what the baseline a does, in again/w";
    for (from, to, is_warned) in [
        ("echo >>", "echo >>", false),
        ("echo >>", "echo {variant} >>", true),
        // The same for both.
        ("echo >>", "echo {run} >>", false),
    ] {
        laboratory.write("exp.toml", control.replace(from, to));
        let said = laboratory.call(&["run", "exp.toml", "--dry-run"]).code(0);
        assert_eq!(said.err.contains(warning), is_warned, "{}", said.err);
    }
    // Through a variable, or one that a table `include` sets.
    let vars = control.replace("echo >>", "echo {v} >>");
    let of_variant = "vars = { v = '{variant}' }";
    let named = vars
        .replace("[variants.a]", &format!("[variants.a]\n{of_variant}"))
        .replace(
            "[variants.again]",
            &format!("[variants.again]\n{of_variant}"),
        );
    let included =
        format!("{named}\n[[include]]\nvariant = 'again'\nv = 'x'\n").replace("{variant}", "y");
    for text in [&named, &included] {
        laboratory.write("exp.toml", text);
        let said = laboratory.call(&["run", "exp.toml", "--dry-run"]).code(0);
        said.says(&[warning]);
    }
}

#[test]
fn a_file_that_is_not_there() {
    let laboratory = Laboratory::new();
    laboratory
        .call(&["run", "none.toml"])
        .code(2)
        .says(&["none.toml", "No such file"]);
}

#[test]
fn a_directory_in_its_place() {
    let laboratory = Laboratory::new();
    laboratory
        .call(&["run", "."])
        .code(2)
        .says(&["cannot read the experiment file .", "directory"]);
}

#[test]
fn bytes_that_are_no_text() {
    refuse(b"question = \"\xff\xfe\"\n", &["exp.toml", "UTF-8"]);
}

#[test]
fn no_toml_at_all() {
    refuse(
        GOOD.replace("runs = 3", "runs = = 3"),
        &["exp.toml:3:8: not valid TOML", "runs = = 3"],
    );
    refuse("", &["exp.toml:1:1: the key `variants` is missing"]);
}

#[test]
fn an_unknown_key_with_the_nearest_known_one() {
    refuse(
        GOOD.replace("runs = 3", "rnus = 3"),
        &[
            "exp.toml:3:1: unknown key `rnus` in [design]",
            "did you mean `runs`?",
        ],
    );
}

#[test]
fn an_unknown_variant_with_the_nearest_known_one() {
    let text = GOOD
        .replace("variants.a", "variants.release")
        .replace("\"a\"", "\"relaese\"");
    refuse(
        text,
        &[
            "exp.toml:4:12: there is no variant `relaese`",
            "did you mean `release`?",
        ],
    );
}

#[test]
fn a_placeholder_that_nobody_fills() {
    refuse(
        GOOD.replace("{experiment}", "{prot}"),
        &[
            "exp.toml:10:33: unknown placeholder `{prot}`",
            "did you mean `port`?",
        ],
    );
}

#[test]
fn runs_that_do_not_divide_into_blocks() {
    let laboratory = Laboratory::new();
    laboratory.write("exp.toml", GOOD);
    let arguments = ["run", "exp.toml", "--runs", "4", "--out", "result"];
    laboratory
        .call(&arguments)
        .code(2)
        .says(&["--runs", "3 or 6"]);
    laboratory
        .call(&["run", "exp.toml", "--runs", "many"])
        .code(2)
        .says(&["many"]);
}

#[test]
fn numbers_that_are_too_large() {
    let (u32, u64) = ("at most 4294967295", "at most 18446744073709551615");
    for (key, number, most) in [
        ("warmup", "4294967296", u32),
        ("warmup", "18446744073709551615", u32),
        ("warmup", "99999999999999999999999", u32),
        ("seed", "99999999999999999999999", u64),
        ("warmup", "-1", "not negative"),
    ] {
        let text = GOOD.replace("runs = 3", &format!("runs = 3\n{key} = {number}"));
        let found = format!("expected a whole number, {most}, found the number `{number}`\n");
        refuse(text, &[&found]);
    }
}

#[test]
fn addresses_that_nothing_can_be_connected_to() {
    let with = |address: &str| {
        let system = format!("start = ['sleep', '3600']\nready = {{ tcp = '{address}' }}");
        GOOD.replace("[variants.a]", &format!("[variants.a]\n{system}"))
    };
    for address in [
        "127.0.0.1:99999",
        "127.0.0.1:0",
        "127.0.0.1:",
        "noport",
        ":80",
        "{experiment}:http",
    ] {
        let words = [
            "exp.toml:8:17: ",
            &format!("`{address}` is not an address to connect to"),
            "HOST:PORT",
        ];
        refuse(with(address), &words);
    }
    let laboratory = Laboratory::new();
    for address in [
        "localhost:80",
        "[::1]:80",
        "127.0.0.1:{port}",
        "127.0.0.1:{port:other}",
    ] {
        laboratory.write("exp.toml", with(address));
        let plan = ["run", "exp.toml", "--dry-run"];
        laboratory.call(&plan).code(0);
    }
}
