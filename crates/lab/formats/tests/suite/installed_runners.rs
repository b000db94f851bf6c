//! What the readers make of the test runners of this machine, as they are today.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use perflab_experiment::{Outcome, Status};
use perflab_formats::{File, Kind, TestFormat, TestReport, detect_tests};
use perflab_testing::needs;

/// A new directory for the files of one test.
fn directory(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("test-runner-{name}"));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

/// Runs a command in a directory and reads what it prints, standard output before standard error.
fn run(format: TestFormat, command: &mut Command, directory: &Path) -> TestReport {
    let output = command.current_dir(directory).output().unwrap();
    let bytes = [output.stdout, output.stderr].concat();
    let file = File {
        path: "log".to_owned(),
        bytes,
    };
    let log = String::from_utf8_lossy(&file.bytes);
    assert_eq!(detect_tests(&file), Some(format), "{log}");
    format
        .read(&file)
        .unwrap_or_else(|fault| panic!("{fault}\n{log}"))
}

/// Names and outcomes of the tests, sorted, as runners order them as they like.
fn outcomes(report: &TestReport, kind: Kind) -> Vec<(String, Outcome)> {
    let tests = report.tests.iter().filter(|test| test.kind == kind);
    let mut all: Vec<_> = tests.map(|test| (test.full_name(), test.outcome)).collect();
    all.sort();
    all
}

fn named(pairs: &[(&str, Outcome)]) -> Vec<(String, Outcome)> {
    pairs
        .iter()
        .map(|(name, outcome)| ((*name).to_owned(), *outcome))
        .collect()
}

#[test]
fn libtest() {
    let directory = directory("libtest");
    let source = "
        #[test] fn adds() {}
        #[test] fn adds_wrongly() { assert_eq!(1 + 2, 4, \"one and two\"); }
        #[test] #[ignore = \"takes an hour\"] fn takes_long() {}
        #[test] #[should_panic] fn panics() { panic!() }
        #[test] fn aborts() { if std::env::var_os(\"ABORT\").is_some() { std::process::abort() } }
    ";
    fs::write(directory.join("sums.rs"), source).unwrap();
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let mut build = Command::new(rustc);
    build.args([
        "--test",
        "--edition=2021",
        "-Copt-level=0",
        "-o",
        "sums",
        "sums.rs",
    ]);
    assert!(build.current_dir(&directory).status().unwrap().success());

    let program = directory.join("sums");
    let report = run(
        TestFormat::CargoTest,
        Command::new(&program).env("RUST_BACKTRACE", "0"),
        &directory,
    );
    let mut expected = [
        ("aborts", Outcome::PASS),
        ("adds", Outcome::PASS),
        ("adds_wrongly", Outcome::FAIL),
        ("panics", Outcome::PASS),
        ("takes_long", Outcome::SKIP),
    ];
    assert_eq!(outcomes(&report, Kind::Test), named(&expected));
    assert_eq!(
        outcomes(&report, Kind::Group),
        named(&[("", Outcome::PASS)])
    );
    let failed = report
        .tests
        .iter()
        .find(|test| test.outcome == Outcome::FAIL)
        .unwrap();
    assert!(
        failed.message.as_ref().unwrap().contains("one and two"),
        "{failed:?}"
    );

    // What it printed before it died is one thing, how it died another: only cargo says that.
    let mut dies = Command::new(&program);
    dies.env("ABORT", "1").args(["--test-threads", "1"]);
    let report = run(TestFormat::CargoTest, &mut dies, &directory);
    expected[0].1 = Outcome::NOLOG;
    assert_eq!(outcomes(&report, Kind::Test), named(&expected[..1]));
    assert_eq!(
        outcomes(&report, Kind::Group),
        named(&[("", Outcome::NOLOG)])
    );
}

#[test]
fn perl() {
    needs("prove", "perl");
    let directory = directory("perl");
    let sums = "use Test::More tests => 5;
        ok(1, 'adds');
        is(1 + 2, 4, 'adds wrongly');
        SKIP: { skip 'takes an hour', 1; }
        TODO: { local $TODO = 'a known defect'; ok(0, 'known'); }
        subtest 'many' => sub { plan tests => 1; ok(1, 'one') };
    ";
    fs::write(directory.join("sums.t"), sums).unwrap();
    fs::write(
        directory.join("dies.t"),
        "use Test::More tests => 2; ok(1, 'before'); kill 'KILL', $$;",
    )
    .unwrap();

    let alone = run(
        TestFormat::Tap,
        Command::new("perl").arg("sums.t"),
        &directory,
    );
    let tests = [
        ("3", Outcome::SKIP),
        ("adds", Outcome::PASS),
        ("adds wrongly", Outcome::FAIL),
        ("known", Outcome::XFAIL),
        ("many", Outcome::PASS),
        ("many::one", Outcome::PASS),
    ];
    assert_eq!(outcomes(&alone, Kind::Test), named(&tests));

    let mut prove = Command::new("prove");
    let both = run(
        TestFormat::Tap,
        prove.args(["-v", "sums.t", "dies.t"]),
        &directory,
    );
    let groups = [
        ("dies.t", Outcome::Run(Status::Signal)),
        ("sums.t", Outcome::PASS),
    ];
    assert_eq!(outcomes(&both, Kind::Group), named(&groups));
    let names = tests.map(|(name, outcome)| (format!("sums.t::{name}"), outcome));
    let mut expected = vec![("dies.t::before".to_owned(), Outcome::PASS)];
    expected.extend(names);
    assert_eq!(outcomes(&both, Kind::Test), expected);
}
