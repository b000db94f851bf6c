//! What the readers of test reports make of what the real tools wrote.
//!
//! For each recorded report `NAME` there is a table, `NAME.read`, which was compared with the report by hand.
//! `PERFLAB_TABLES=write` writes the tables again.

use std::path::{Path, PathBuf};
use std::{env, fs};

use perflab_experiment::{Outcome, Status};
use perflab_formats::{File, Kind, Test, TestFormat, TestReport, detect, detect_tests};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/test-reports")
}

fn fixture(name: &str) -> File {
    File {
        path: name.to_owned(),
        bytes: fs::read(fixtures().join(name)).unwrap(),
    }
}

/// All recorded reports, with their formats.
fn all() -> Vec<(TestFormat, String)> {
    let mut all = Vec::new();
    for format in TestFormat::ALL {
        let directory = fixtures().join(format.name());
        let count = all.len();
        for entry in fs::read_dir(&directory).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if !name.ends_with(".read") {
                all.push((format, format!("{}/{name}", format.name())));
            }
        }
        assert!(all.len() > count, "{}", directory.display());
    }
    all.sort_by(|a, b| a.1.cmp(&b.1));
    all
}

fn read(format: TestFormat, name: &str) -> TestReport {
    format
        .read(&fixture(name))
        .unwrap_or_else(|fault| panic!("{fault}"))
}

fn text(content: &str) -> File {
    File {
        path: "log".to_owned(),
        bytes: content.as_bytes().to_vec(),
    }
}

/// A line for each test: outcome, `*` for a group, name, whether there is a time, and what it says; then the notes.
fn table(report: &TestReport) -> String {
    let mut lines = String::new();
    for test in &report.tests {
        let mark = if test.kind == Kind::Group { "*" } else { " " };
        let time = if test.seconds.is_some() {
            " (timed)"
        } else {
            ""
        };
        lines += &format!(
            "{:<7}{mark}{}{time}\n",
            test.outcome.name(),
            test.name.join(" > ")
        );
        for said in test.message.iter().flat_map(|text| text.lines()) {
            lines += &format!("           | {said}\n");
        }
    }
    for note in &report.notes {
        lines += &format!("note: {note}\n");
    }
    lines
}

#[test]
fn recorded_reports_are_known_by_their_content_and_read() {
    for (format, name) in all() {
        let file = fixture(&name);
        assert_eq!(detect_tests(&file), Some(format), "{name}");
        let found = table(&read(format, &name));
        let path = fixtures().join(format!("{name}.read"));
        if env::var_os("PERFLAB_TABLES").is_some() {
            fs::write(&path, &found).unwrap();
        }
        let expected = fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn names_are_found_and_what_has_results_of_tests_has_no_samples() {
    for format in TestFormat::ALL {
        assert_eq!(TestFormat::by_name(format.name()), Some(format));
    }
    assert_eq!(TestFormat::by_name("go-bench"), None);
    for (_, name) in all() {
        let found = detect(&[fixture(&name)], false);
        // A message of cargo-criterion and an event of a test are told apart by their members.
        assert_eq!(found, None, "{name}: {found:?}");
    }
    for other in [
        "",
        "hello",
        "{}",
        "[]",
        "<html/>",
        "<testsuit/>",
        "ok",
        "not ok, I think",
        "PASS",
        "5",
        "VALUE",
    ] {
        assert_eq!(detect_tests(&text(other)), None, "{other}");
    }
}

/// The tests of a name, as outcomes.
fn outcomes(report: &TestReport, name: &str) -> Vec<Outcome> {
    let tests = report.tests.iter();
    let own = tests.filter(|test| test.kind == Kind::Test && test.full_name().ends_with(name));
    own.map(|test| test.outcome).collect()
}

fn one<'r>(report: &'r TestReport, name: &str) -> &'r Test {
    let mut own = report.tests.iter().filter(|test| test.full_name() == name);
    own.next()
        .unwrap_or_else(|| panic!("no {name}: {}", table(report)))
}

#[test]
fn retries_are_kept_as_results_of_one_test() {
    let passed_later = [Outcome::FAIL, Outcome::PASS];
    for (format, name, test) in [
        (TestFormat::Nextest, "nextest/retries.txt", "fails_first"),
        (TestFormat::Junit, "junit/nextest.xml", "fails_first"),
        (
            TestFormat::CargoTest,
            "cargo-test/nextest.jsonl",
            "fails_first",
        ),
        (TestFormat::Junit, "junit/surefire.xml", "failsFirst"),
    ] {
        assert_eq!(outcomes(&read(format, name), test), passed_later, "{name}");
    }
    let twice = outcomes(
        &read(TestFormat::Junit, "junit/surefire.xml"),
        "addsWrongly",
    );
    assert_eq!(twice, [Outcome::FAIL; 2]);
    let repeated = read(TestFormat::Ctest, "ctest/repeat.txt");
    assert_eq!(
        outcomes(&repeated, "sleeps"),
        [Outcome::Run(Status::Timeout); 2]
    );
    let counted = read(TestFormat::GoTest, "go-test/count.jsonl");
    assert_eq!(outcomes(&counted, "TestAdds"), [Outcome::PASS; 2]);
}

#[test]
fn one_tool_gives_one_name_in_all_its_reports() {
    let names = |format, name| {
        let report = read(format, name);
        let tests = report
            .tests
            .into_iter()
            .filter(|test| test.kind == Kind::Test);
        let mut names: Vec<Vec<String>> = tests.map(|test| test.name).collect();
        names.sort();
        names.dedup();
        names
    };
    let of_ctest = names(TestFormat::Ctest, "ctest/plain.txt");
    assert_eq!(of_ctest.len(), 13);
    for other in ["ctest/verbose.txt", "ctest/on-failure.txt"] {
        assert_eq!(names(TestFormat::Ctest, other), of_ctest);
    }
    assert_eq!(names(TestFormat::Junit, "junit/ctest.xml"), of_ctest);
    let of_nextest = names(TestFormat::Nextest, "nextest/retries.txt");
    assert_eq!(names(TestFormat::Junit, "junit/nextest.xml"), of_nextest);
    let of_cargo = names(TestFormat::CargoTest, "cargo-test/one-thread.txt");
    assert_eq!(of_cargo.len(), 15);
    let in_json = names(TestFormat::CargoTest, "cargo-test/json.txt");
    assert!(
        in_json
            .iter()
            .all(|name| of_cargo.contains(name) || name[0] == "aborts")
    );
    assert_eq!(
        names(TestFormat::Pytest, "pytest/all.txt"),
        names(TestFormat::Pytest, "pytest/v.txt")
    );
}

#[test]
fn times_are_in_seconds_and_lines_are_where_the_outcome_is() {
    let go = read(TestFormat::GoTest, "go-test/all.jsonl");
    let slow = one(&go, "example.org/sums/slow");
    assert_eq!((slow.seconds, slow.line), (Some(2.013), 123));
    let node = read(TestFormat::Tap, "tap/node.tap");
    assert_eq!(one(&node, "many::two").seconds, Some(0.079136785));
    let ctest = read(TestFormat::Ctest, "ctest/plain.txt");
    assert_eq!(
        (one(&ctest, "sleeps").seconds, one(&ctest, "sleeps").line),
        (Some(1.02), 11)
    );
    let json = read(TestFormat::CargoTest, "cargo-test/json.txt");
    let added = one(&json, "sums::unittests src/lib.rs::tests::adds_wrongly");
    assert_eq!(added.seconds, Some(0.000060062));
    let surefire = read(TestFormat::Junit, "junit/surefire.xml");
    assert_eq!(
        one(&surefire, "org.example.SumsTest::adds").seconds,
        Some(0.016)
    );
    let path = "../regress-all/2026-11-20T08:00:00Z/2026-11-01T00:00:00Z/000/test.result";
    let tests = TestFormat::ResultLines.read(&fixture(path)).unwrap();
    assert_eq!(tests.tests[0].seconds, Some(10.01));
}

#[test]
fn a_report_that_is_cut_says_so() {
    for (format, name) in all() {
        let whole = fixture(&name);
        let lines: Vec<&str> = std::str::from_utf8(&whole.bytes).unwrap().lines().collect();
        let half = File {
            path: "half".to_owned(),
            bytes: lines[..lines.len() * 2 / 3].join("\n").into_bytes(),
        };
        let says_so = |report: &TestReport| {
            let is_open = |test: &Test| test.outcome == Outcome::NOLOG;
            report.tests.iter().any(is_open) || !report.notes.is_empty()
        };
        match format {
            // A line is complete in itself.
            TestFormat::ResultLines => continue,
            TestFormat::Junit => {
                let fault = format.read(&half).unwrap_err().to_string();
                assert!(fault.contains("found the end"), "{name}: {fault}");
            }
            // What is short is complete without its last lines, or is no report any more.
            _ => {
                if let Ok(report) = format.read(&half) {
                    let is_short = lines.len() < 12
                        || name.ends_with("prove.txt")
                        || name.ends_with("stopped.txt");
                    // Cargo says nothing behind its last program.
                    let last = report.tests.last().unwrap();
                    let is_between = format == TestFormat::CargoTest && last.kind == Kind::Group;
                    let is_short = is_short || is_between;
                    assert!(says_so(&report) || is_short, "{name}: {}", table(&report));
                }
            }
        }
    }
}

#[test]
fn faults_name_the_file_and_what_was_expected() {
    for format in TestFormat::ALL {
        let fault = format.read(&text("hello\n")).unwrap_err().to_string();
        assert!(fault.starts_with("log:"), "{fault}");
        assert!(fault.contains("expected "), "{fault}");
    }
    let bomb = "<!DOCTYPE a [<!ENTITY b \"ha\"><!ENTITY c \"&b;&b;\">]>\n<testsuite><testcase name=\"&c;\"/></testsuite>";
    let fault = TestFormat::Junit.read(&text(bomb)).unwrap_err().to_string();
    assert_eq!(
        fault,
        "log:1: expected JUnit's XML, but expected an element, found a document type, which no report needs"
    );
    let open = "<testsuite name='a'>\n<testcase name='b'>\n</testsuite>";
    let fault = TestFormat::Junit.read(&text(open)).unwrap_err().to_string();
    assert!(fault.starts_with("log:3: "), "{fault}");
}

#[test]
fn what_is_huge_is_bounded() {
    let million = "ok 1 - a\n".repeat(1_000_001);
    let fault = TestFormat::Tap
        .read(&text(&million))
        .unwrap_err()
        .to_string();
    assert!(
        fault.starts_with("log:1000001: expected at most 1000000 tests"),
        "{fault}"
    );

    let name = "n".repeat(5000);
    let long = format!("PASS {name}\nPASS b\n");
    let report = TestFormat::ResultLines.read(&text(&long)).unwrap();
    assert_eq!(report.tests.len(), 1);
    assert!(
        report.notes[0].contains("its name has 5000 bytes"),
        "{:?}",
        report.notes
    );

    let talks = format!("not ok 1 - a\n{}1..1\n", "# and more\n".repeat(100_000));
    let report = TestFormat::Tap.read(&text(&talks)).unwrap();
    assert!(report.tests[0].message.as_ref().unwrap().len() < 1100);

    let deep = (0..1000).fold(String::new(), |all, depth| {
        all + &" ".repeat(4 * depth) + "ok 1 - a\n"
    });
    assert!(TestFormat::Tap.read(&text(&deep)).unwrap().tests.len() <= 22);
    let nested = format!(
        "{}{}",
        "<testsuite name='a'>".repeat(500),
        "</testsuite>".repeat(500)
    );
    let fault = TestFormat::Junit
        .read(&text(&nested))
        .unwrap_err()
        .to_string();
    assert!(fault.contains("suites within each other"), "{fault}");

    let plan = "1..18446744073709551615\nok 1\n";
    let report = TestFormat::Tap.read(&text(plan)).unwrap();
    assert_eq!(report.tests[1].outcome, Outcome::NOLOG);
}

#[test]
fn long_lines_take_no_long_time() {
    let begun = std::time::Instant::now();
    for line in [
        format!("1/1 Test #1: {}x", " ...".repeat(500_000)),
        format!("ok 1 - a{}", " # time=1ms".repeat(200_000)),
        format!("ok 1 - {}", "\\#".repeat(500_000)),
        format!("a::{}", " PASSED x".repeat(200_000)),
        format!("<testsuite {}", "a='' ".repeat(200_000)),
        "\u{1b}[".repeat(500_000),
    ] {
        let file = text(&format!("{line}\n"));
        let _ = detect_tests(&file);
        for format in TestFormat::ALL {
            let _ = format.read(&file);
        }
    }
    assert!(begun.elapsed().as_secs() < 20, "{:?}", begun.elapsed());
}

#[test]
fn checks_of_one_description_in_tap_are_no_repetitions() {
    let report = TestFormat::Tap
        .read(&text("1..3\nok 1 - count\nnot ok 2 - count\nok 3\n"))
        .unwrap();
    let names: Vec<&str> = report
        .tests
        .iter()
        .map(|test| test.name.last().map_or("", String::as_str))
        .collect();
    assert_eq!(names, ["count", "count (2)", "3", ""]);
}

#[test]
fn what_programs_print_is_no_line_of_a_runner() {
    let tap = "ok 1 - a\nConnecting ...\nok 2 - b\n1..2\n";
    let report = TestFormat::Tap.read(&text(tap)).unwrap();
    assert_eq!(table(&report), "PASS    a\nPASS    b\nPASS   *\n");
    let pytest = "a.py::b PASSED\n!important\n==== 1 passed in 0.01s ====\n";
    let report = TestFormat::Pytest.read(&text(pytest)).unwrap();
    assert_eq!(table(&report), "PASS    a.py > b\nPASS   * (timed)\n");
}

#[test]
fn odd_names_and_long_words_are_bounded() {
    let unnamed = "error: could not compile `` ()\nrunning 1 test\ntest  ... ok\n";
    let report = TestFormat::CargoTest.read(&text(unnamed)).unwrap();
    assert!(
        report
            .tests
            .iter()
            .all(|test| test.kind == Kind::Group || !test.name.is_empty())
    );
    let subtest = "# Subtest: \n    ok 1 - a\n";
    let report = TestFormat::Tap.read(&text(subtest)).unwrap();
    assert_eq!(report.tests[0].name, ["subtest", "a"]);
    let long = "x".repeat(100_000);
    let pytest =
        format!("a.py::b FAILED\n==== short test summary info ====\nFAILED a.py::b - {long}\n");
    let prove =
        format!("t/a.t ..\nok 1\nok\nTest Summary Report\nt/a.t (Wstat: 9 (Signal: {long})\n");
    for (format, content) in [(TestFormat::Pytest, pytest), (TestFormat::Tap, prove)] {
        let report = format.read(&text(&content)).unwrap();
        let longest = report
            .tests
            .iter()
            .filter_map(|test| test.message.as_ref())
            .map(String::len)
            .max();
        assert_eq!(longest, Some(1003), "{}", format.name());
    }
    let below = "\n\n<testsuite>\n<testcase name='a'/></testsuite>";
    assert_eq!(
        TestFormat::Junit.read(&text(below)).unwrap().tests[0].line,
        4
    );
}

#[test]
fn subtests_in_braces_stand_behind_their_name() {
    let braces = "ok 1 - outer # time=5ms {\n    ok 1 - inner\n    1..1\n}\nok 2 - next\n1..2\n";
    let report = TestFormat::Tap.read(&text(braces)).unwrap();
    let found = table(&report);
    assert_eq!(
        found,
        "PASS    outer (timed)\nPASS    outer > inner\nPASS    next\nPASS   *\n"
    );
}

#[test]
fn output_of_tests_is_no_result() {
    let shown = "running 2 tests\ntest a ... test b ... FAILED\nok\ntest b ... ok\n\ntest result: ok. 2 passed; 0 failed; \
                 0 ignored; 0 measured; 0 filtered out; finished in 0.10s\n";
    let report = TestFormat::CargoTest.read(&text(shown)).unwrap();
    assert_eq!(outcomes(&report, "a"), [Outcome::PASS]);
    assert_eq!(outcomes(&report, "b"), [Outcome::PASS]);
    assert_eq!(report.tests.last().unwrap().seconds, Some(0.1));
}
