//! The tests of each revision.

use serde_json::Value;

use super::{HISTORY, Histories};

/// Tests of a revision, by the exit code of the last command and what is printed.
const TESTS: &str = r#"
[tests]
commands = [["sh", "tests.sh"]]
runs = 2
"#;

#[test]
fn tests_of_each_revision_are_kept_and_told_by_severity() {
    let histories = Histories::new(&format!("{HISTORY}{TESTS}"));
    let tests = |sums: &str, flaky: &str| {
        format!(
            "echo TAP version 13; echo 1..3; echo {sums} 1 - sums; echo ok 2 - words; n=$(cat n 2>/dev/null || echo 0); \
             echo $((n + 1)) > n; if test $n = 0; then echo {flaky} 3 - often; else echo ok 3 - often; fi\n"
        )
    };
    for (day, (sums, flaky)) in (1..).zip([
        ("ok", "ok"),
        ("ok", "ok"),
        ("ok", "'not ok'"),
        ("'not ok'", "ok"),
        ("'not ok'", "ok"),
        ("'not ok'", "ok"),
    ]) {
        histories
            .laboratory
            .write("repo/tests.sh", tests(sums, flaky));
        histories.commit(&format!("echo {day} > built"), &format!("2026-01-{day:02}"));
    }
    let said = histories.run(&[]).code(0);
    // The command passes where a test does not.
    let told = said.err.lines().filter(|line| line.starts_with("tested "));
    let failed = told.clone().filter(|line| line.ends_with(" s: FAIL"));
    assert_eq!((told.count(), failed.count()), (12, 7), "{said:?}");
    let test_runs = histories.journal("tests.jsonl");
    assert_eq!(
        test_runs.len(),
        12,
        "two for each revision, the control too"
    );
    let said = histories
        .laboratory
        .call(&["history", "show", "h", "--tests"])
        .code(0);
    let lines: Vec<&str> = said.out.lines().collect();
    assert_eq!(
        lines[0],
        "h: 3 tests, 1 FAIL, 2 PASS at the newest revision that was tested"
    );
    assert!(
        lines[2].starts_with("FAIL  ...FFF  broken") && lines[2].ends_with("  sums"),
        "{said:?}"
    );
    assert!(lines[2].contains("of 2026-01-04"), "{said:?}");
    assert!(
        lines[3].starts_with("PASS  ..~...  flaky") && lines[3].ends_with("  often"),
        "{said:?}"
    );
    assert!(said.out.contains("1 test never failed"), "{said:?}");
    let all = histories
        .laboratory
        .call(&["history", "show", "h", "--tests", "--all"])
        .code(0);
    assert!(all.out.contains("PASS  ......  passes"), "{all:?}");
    // Nothing is executed again.
    histories.run(&[]).code(0);
    assert_eq!(histories.journal("tests.jsonl").len(), 12);
    let json = histories
        .laboratory
        .call(&["history", "show", "h", "--format", "json"])
        .code(0);
    let view: Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(view["tests"][0]["name"], serde_json::json!(["sums"]));
    assert_eq!(view["tests"][0]["state"], "broken");
    assert_eq!(
        view["tests"][1]["cells"][2]["outcomes"],
        serde_json::json!(["FAIL", "PASS"])
    );
}

#[test]
fn a_report_that_is_no_report_is_an_outcome() {
    let histories = Histories::new(&format!(
        "{HISTORY}[tests]\ncommands = [[\"sh\", \"tests.sh\"]]\nreport = \"results.xml\"\ntimeout = \"2s\"\n"
    ));
    let junit = "<testsuite name=\\\"s\\\"><testcase name=\\\"one\\\"/></testsuite>";
    for (day, script) in (1..).zip([
        format!("echo \"{junit}\" > results.xml"),
        "true".to_owned(),
        "ln -s /etc/passwd results.xml".to_owned(),
        "kill -9 $$".to_owned(),
        "sleep 60".to_owned(),
        "echo nonsense > results.xml; exit 3".to_owned(),
    ]) {
        histories
            .laboratory
            .write("repo/tests.sh", format!("{script}\n"));
        histories.commit(&format!("echo {day} > built"), &format!("2026-01-{day:02}"));
    }
    histories.run(&[]).code(0).says(&[
        " s: NOLOG, there is no report results.xml",
        " s: NOLOG, the report results.xml is no file",
    ]);
    let said = histories
        .laboratory
        .call(&["history", "show", "h", "--tests"])
        .code(0);
    let whole = said.out.lines().find(|line| line.ends_with("(all tests)"));
    assert!(
        whole.is_some_and(|line| line.starts_with("EXIT   LLSTE")),
        "{said:?}"
    );
    said.prints(&[
        "L NOLOG",
        "S SIGNAL",
        "T TIMEOUT",
        "E EXIT",
        "ended with exit code 3; see tests/00000",
    ]);
    let second = histories.git(&["rev-parse", "HEAD~4"], "2026-01-01");
    let one = ["history", "show", "h", "--revision", second.trim()];
    let one = histories.laboratory.call(&one).code(0);
    one.prints(&["\ntests: there is no report results.xml"]);
}
