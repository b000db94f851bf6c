//! What reports look like: each is compared with a file. `PERFLAB_BLESS=1` writes the files again.

use crate::common::{parameters, report, row, side, single, slow_modes, suite, with_latencies};
use perflab_compare::{Comparison, RowWarning, UntilDecided, Verdict, Warning};
use perflab_report::{
    TextOptions, csv, detail, headline, json, markdown, report_warnings, row_warnings, text,
};
use perflab_store::StopReason;
use serde_json::{Value, json as value};
use std::path::Path;

const WIDE: TextOptions = TextOptions {
    width: 120,
    colour: false,
    ascii: false,
};

/// A report with a baseline of that name.
fn named(baseline: &str) -> Comparison {
    Comparison {
        baseline: baseline.to_owned(),
        ..suite()
    }
}

/// The redis-like case, as it is told where the results ended the measurement.
fn until_decided(stopped: Option<StopReason>) -> Comparison {
    let mut report = slow_modes();
    report.design.until_decided = Some(UntilDecided {
        blocks: 7,
        most: 10,
        stopped,
    });
    for row in report.rows.iter_mut().chain(&mut report.pooled) {
        (row.mean.low, row.mean.high) = (None, None);
        (row.mean.p, row.mean.p_adjusted) = (1.0, None);
        row.mean.verdict = Verdict::NotProven;
        row.mde = None;
        for warning in &mut row.warnings {
            if let RowWarning::SlowMode { has_mean } = warning {
                *has_mean = false;
            }
        }
    }
    report
}

#[track_caller]
fn golden(name: &str, actual: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name);
    if std::env::var_os("PERFLAB_BLESS").is_some() {
        std::fs::write(&path, actual).expect("the golden file can be written");
        return;
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(
        actual, expected,
        "{name} differs; PERFLAB_BLESS=1 accepts it"
    );
}

fn widest(text: &str) -> usize {
    text.lines()
        .map(|line| line.chars().count())
        .max()
        .unwrap_or(0)
}

/// Names that try to steer the terminal, forge lines, or break out of a table.
fn hostile() -> Comparison {
    let mut report = suite();
    report.name = "\u{1b}]0;owned\u{7}evil".to_owned();
    report.question = Some("first line\nsecond line \u{1b}[2J".to_owned());
    report.rows[0].key.benchmark = Some("S\u{1b}[31mE\u{1b}[0mT\r\nall fine".to_owned());
    report.rows[2].key.benchmark = Some("a|b `c` <script>alert(1)</script> [x](y)".to_owned());
    report.rows[2].warnings.push(RowWarning::Remark(
        "line one\nwarning: \u{9b}31m forged".to_owned(),
    ));
    report.rows[4].key.benchmark = Some("desrever\u{202e}reversed".to_owned());
    report
        .warnings
        .push(Warning::Remark("tab\tand bell\u{7}".to_owned()));
    report
}

#[test]
fn a_suite_with_a_control() {
    golden("suite.txt", &text(&suite(), &WIDE));
    golden("suite.md", &markdown(&suite()));
    golden("suite.csv", &csv(&suite()));
}

#[test]
fn a_measurement_that_its_results_ended() {
    let report = until_decided(Some(StopReason::Decided));
    golden("decided.txt", &text(&report, &WIDE));
    golden("decided.md", &markdown(&report));
    golden(
        "detail-decided.txt",
        &detail(&report.rows[0], &report, &WIDE),
    );
    let ends = [
        (Some(StopReason::Budget), "the time budget is used up"),
        (Some(StopReason::Runs), "all 10 blocks measured"),
        (None, "not stopped yet, after 7 of at most 10 blocks"),
    ];
    for (stopped, said) in ends {
        let text = text(&until_decided(stopped), &WIDE);
        assert!(text.contains(said), "{text}");
        assert!(!text.contains("(MDE)"), "{text}");
    }
}

#[test]
fn a_suite_on_a_terminal_of_80_columns() {
    let options = TextOptions { width: 80, ..WIDE };
    let actual = text(&suite(), &options);
    assert!(widest(&actual) <= 80);
    golden("suite-80.txt", &actual);
}

#[test]
fn latencies_beside_a_throughput() {
    let report = with_latencies();
    golden("latencies.txt", &text(&report, &WIDE));
    golden("latencies.md", &markdown(&report));
    golden("latencies.csv", &csv(&report));
    for (width, name) in [(80, "latencies-80.txt"), (50, "latencies-50.txt")] {
        let actual = text(&report, &TextOptions { width, ..WIDE });
        golden(name, &actual);
    }
}

#[test]
fn a_suite_on_60_columns() {
    let options = TextOptions { width: 60, ..WIDE };
    let actual = text(&slow_modes(), &options);
    let mut lines: Vec<&str> = actual.lines().collect();
    lines.retain(|line| !line.starts_with("warning:"));
    assert!(widest(&lines.join("\n")) <= 60, "{actual}");
    golden("slow-modes-60.txt", &actual);
}

#[test]
fn a_suite_in_colour() {
    golden(
        "suite-colour.txt",
        &text(
            &suite(),
            &TextOptions {
                colour: true,
                ..WIDE
            },
        ),
    );
}

#[test]
fn slow_modes_are_seen() {
    golden("slow-modes.txt", &text(&slow_modes(), &WIDE));
    golden("slow-modes.md", &markdown(&slow_modes()));
}

#[test]
fn one_comparison_is_a_sentence() {
    golden("single.txt", &text(&single(), &WIDE));
    golden("single.md", &markdown(&single()));
}

#[test]
fn a_control_that_finds_something_is_an_alarm() {
    let mut report = suite();
    report.rows[1] = row("SET", "redis-again", 58_823.5, 0.021, Verdict::Better);
    golden("control-alarm.txt", &text(&report, &WIDE));
}

#[test]
fn nothing_proven() {
    let rows =
        ["GET", "SET"].map(|benchmark| row(benchmark, "new", 48_054.0, 0.002, Verdict::NotProven));
    let mut report = report("none", rows.into(), Vec::new());
    report.rows[0].typical.low = Some(0.000_1);
    report.rows[0].typical.p = 0.04;
    report.rows[1].mean.low = Some(0.000_1);
    report.rows[1].mean.p = 0.2;
    report.rows[0].typical.p_adjusted = Some(0.16);
    report.margin = Some(0.01);
    golden("not-proven.txt", &text(&report, &WIDE));
}

#[test]
fn parameters_workloads_and_absolute_differences() {
    golden("parameters.txt", &text(&parameters(), &WIDE));
    golden("parameters.csv", &csv(&parameters()));
    golden("parameters.md", &markdown(&parameters()));
}

#[test]
fn too_few_runs_have_open_intervals() {
    let mut report = suite();
    for row in &mut report.rows {
        row.typical.low = None;
        row.typical.high = Some(f64::INFINITY);
        row.typical.verdict = Verdict::NotProven;
        row.mde = None;
        row.warnings.push(RowWarning::TooFew { blocks: 4 });
    }
    golden("open-intervals.txt", &text(&report, &WIDE));
}

#[test]
fn failures_and_warnings() {
    let mut report = suite();
    report.design.recorded = 88;
    report.design.failed = [("TIMEOUT", 3), ("EXIT", 1), ("FAIL", 0)]
        .map(|(status, count)| (status.to_owned(), count))
        .into();
    report.design.randomised = false;
    report.design.seed = None;
    report.rows[0].base.n = 27;
    report.rows[0].base.values.truncate(27);
    report
        .warnings
        .push(Warning::Remark("the governor is powersave".to_owned()));
    report
        .warnings
        .push(Warning::Remark("the governor is powersave".to_owned()));
    golden("failures.txt", &text(&report, &WIDE));
    golden("failures.md", &markdown(&report));
}

#[test]
fn ascii_only() {
    let mut report = suite();
    report.rows[0].key.benchmark = Some("Größe × 🚀".to_owned());
    report.rows[0].typical.low = None;
    let mut latency = report.rows[0].clone();
    latency.key.metric = crate::common::wall();
    latency.base = side(0.000_2);
    latency.candidate = side(0.000_3);
    report.rows.push(latency);
    let actual = text(
        &report,
        &TextOptions {
            ascii: true,
            ..WIDE
        },
    );
    assert!(actual.is_ascii());
    golden("ascii.txt", &actual);
}

#[test]
fn names_in_any_script() {
    let mut report = suite();
    report.rows[0].key.benchmark = Some("速度テスト".to_owned());
    report.rows[2].key.benchmark = Some("🚀🚀 launch".to_owned());
    report.rows[4].key.benchmark =
        Some("a name that is much longer than any column could ever hold".to_owned());
    golden("unicode.txt", &text(&report, &WIDE));
    golden(
        "unicode-80.txt",
        &text(&report, &TextOptions { width: 80, ..WIDE }),
    );
}

#[test]
fn hostile_names_never_reach_the_terminal() {
    let report = hostile();
    let actual = text(&report, &WIDE);
    let outputs = [
        actual.clone(),
        csv(&report),
        markdown(&report),
        detail(&report.rows[0], &named("\u{1b}c"), &WIDE),
    ];
    for output in outputs {
        let steering = output
            .chars()
            .find(|c| (c.is_control() && *c != '\n') || *c == '\u{202e}');
        assert_eq!(steering, None, "{output}");
    }
    golden("hostile.txt", &actual);
    golden("hostile.md", &markdown(&report));
}

#[test]
fn no_rows() {
    let mut report = report("empty", Vec::new(), Vec::new());
    report
        .warnings
        .push(Warning::Remark("no run passed".to_owned()));
    golden("empty.txt", &text(&report, &WIDE));
    golden("empty.md", &markdown(&report));
    assert_eq!(csv(&report).lines().count(), 1);
}

#[test]
fn details_of_a_row() {
    let report = slow_modes();
    golden(
        "detail-slow.txt",
        &detail(&report.rows[0], &named("redis"), &WIDE),
    );
    golden(
        "detail-single.txt",
        &detail(
            &single().rows[0],
            &named("sort"),
            &TextOptions { width: 72, ..WIDE },
        ),
    );
    let mut few = single().rows.remove(0);
    few.base.values.truncate(2);
    few.base.n = 2;
    few.candidate.values.clear();
    golden("detail-few.txt", &detail(&few, &named("sort"), &WIDE));
}

#[test]
fn details_of_absolute_differences() {
    golden(
        "detail-absolute.txt",
        &detail(&parameters().rows[4], &named("qsbr"), &WIDE),
    );
}

#[test]
fn json_reads_back_as_the_same_report() {
    for report in [suite(), single(), slow_modes(), parameters(), hostile()] {
        let text = json(&report);
        let back: Comparison = serde_json::from_str(&text).unwrap();
        let mut expected = report.clone();
        expected.warnings.clear();
        for row in expected.rows.iter_mut().chain(&mut expected.pooled) {
            row.warnings.clear();
        }
        assert_eq!(back, expected);
        let read: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(read["warnings"], value!(report_warnings(&report)));
        for (row, read) in report.rows.iter().zip(read["rows"].as_array().unwrap()) {
            assert_eq!(read["headline"], headline(row));
            assert_eq!(read["warnings"], value!(row_warnings(row, &report)));
        }
    }
}

#[test]
fn the_schema_names_every_field_of_the_json() {
    let schema = perflab_report::schema();
    let written: Value = serde_json::from_str(&json(&slow_modes())).unwrap();
    let properties = |schema: &Value| -> Vec<String> {
        schema["properties"]
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect()
    };
    let keys =
        |value: &Value| -> Vec<String> { value.as_object().unwrap().keys().cloned().collect() };
    assert_eq!(keys(&written), properties(&schema));
    let row = &written["rows"][0];
    let definition = |name: &str| &schema["$defs"][name];
    assert_eq!(keys(row), properties(definition("Row")));
    assert_eq!(keys(&row["base"]), properties(definition("Side")));
    assert_eq!(keys(&row["mean"]), properties(definition("Answer")));
    assert_eq!(keys(&row["slow"]), properties(definition("Slow")));
    assert_eq!(keys(&written["design"]), properties(definition("Design")));
}
