//! `perflab compare` on plain files whose numbers came through a clock or a tool that rounds.

use serde_json::Value;

use super::plain_files::{scattered, write};
use crate::support::Laboratory;

/// Runs of about 20.3 that scatter by much less than a whole number.
fn shown(step: f64) -> Vec<f64> {
    let runs = scattered(30, 20.2, 0.2);
    runs.iter().map(|run| (run / step).round() * step).collect()
}

fn compared(laboratory: &Laboratory, more: &[&str], code: i32) -> Value {
    let arguments = ["compare", "a=a", "b=b", "--format", "json"];
    laboratory
        .call(&[&arguments[..], more].concat())
        .code(code)
        .json()
}

#[test]
fn sides_that_are_rounded_to_different_steps_do_not_differ_for_that() {
    let laboratory = Laboratory::new();
    for step in [0.5, 0.25, 0.1, 0.01] {
        for (coarse, fine) in [("a", "b"), ("b", "a")] {
            write(&laboratory, coarse, &shown(1.0));
            write(&laboratory, fine, &shown(step));
            let report = compared(&laboratory, &["--unit", "ms", "--margin", "1%"], 0);
            for question in ["typical", "mean"] {
                let answer = &report["rows"][0][question];
                assert_eq!(answer["verdict"], "not-proven", "{step} {answer}");
            }
            let warnings = report["warnings"].to_string();
            assert!(warnings.contains("lie in steps of"), "{warnings}");
        }
    }
    // A step of each together is a difference.
    write(&laboratory, "a", &shown(1.0));
    let later: Vec<f64> = shown(0.1).iter().map(|run| run + 2.0).collect();
    write(&laboratory, "b", &later);
    let report = compared(&laboratory, &["--unit", "ms"], 1);
    assert_eq!(report["rows"][0]["typical"]["verdict"], "worse");
}

#[test]
fn what_a_clock_always_shows_is_not_the_same_in_whatever_unit() {
    let laboratory = Laboratory::new();
    for (value, unit) in [
        (20.0, "ms"),
        (20_000.0, "us"),
        (20_000.0, "\u{3bc}s"),
        (20_000_000.0, "nsec"),
        (0.02, "seconds"),
        (20_000.0, "ns/op"),
        (50_000.0, "1/s"),
        (50_000.0, "requests per second"),
        (47_619.05, "rps"),
        (47_619.047_619_047_62, "Hz"),
    ] {
        write(&laboratory, "a", &[value; 30]);
        write(&laboratory, "b", &[value; 30]);
        let report = compared(&laboratory, &["--unit", unit, "--margin", "1%"], 0);
        let answer = &report["rows"][0]["typical"];
        assert_eq!(answer["verdict"], "not-proven", "{value} {unit}");
        assert!(answer["low"].as_f64().unwrap() < -0.045, "{value} {unit}");
    }
}

#[test]
fn numbers_without_a_unit_count_as_exact_and_that_is_said() {
    let laboratory = Laboratory::new();
    write(&laboratory, "a", &[20.0; 30]);
    write(&laboratory, "b", &[20.0; 30]);
    for (unit, is_said) in [(&[][..], true), (&["--unit", "instructions"], false)] {
        let report = compared(&laboratory, &[unit, &["--margin", "1%"]].concat(), 0);
        assert_eq!(report["rows"][0]["typical"]["verdict"], "same");
        let warnings = report["warnings"].to_string();
        assert_eq!(warnings.contains("give their unit"), is_said, "{warnings}");
    }
}

#[test]
fn a_fraction_on_one_side_says_that_the_other_does_not_count() {
    let laboratory = Laboratory::new();
    write(&laboratory, "a", &shown(1.0));
    write(&laboratory, "b", &shown(0.01));
    for unit in [&[][..], &["--unit", "ns/op"], &["--unit", "clocks"]] {
        let report = compared(&laboratory, unit, 0);
        assert_eq!(report["rows"][0]["typical"]["verdict"], "not-proven");
        let warnings = report["warnings"].to_string();
        assert!(warnings.contains("lie in steps of"), "{warnings}");
        assert!(!warnings.contains("give their unit"), "{warnings}");
    }
}

/// The quotient of two equal numbers may differ from 1 in its last digit.
#[test]
fn what_is_equal_has_an_interval_without_digits() {
    let laboratory = Laboratory::new();
    let counts: Vec<f64> = (0..500)
        .map(|run| if run % 50 == 7 { 21.0 } else { 20.0 })
        .collect();
    write(&laboratory, "a", &counts);
    write(&laboratory, "b", &counts);
    let report = compared(&laboratory, &["--independent"], 0);
    let row = &report["rows"][0];
    for end in ["low", "high"] {
        assert_eq!(row["typical"][end], 0.0, "{row}");
    }
    assert!(row["mde"].as_f64().is_none_or(|mde| mde == 0.0), "{row}");
}

#[test]
fn one_run_against_many_is_too_few() {
    let laboratory = Laboratory::new();
    write(&laboratory, "b", &scattered(2000, 20.0, 1.0));
    for (few, blocks) in [(1, 6), (2, 3)] {
        write(&laboratory, "a", &scattered(few, 10.0, 1.0));
        let report = compared(&laboratory, &["--independent"], 0);
        let row = &report["rows"][0];
        let said = format!("too few runs to prove anything about the typical run; {blocks} blocks");
        assert!(row["warnings"].to_string().contains(&said), "{row}");
        assert_eq!(row["typical"]["low"], Value::Null);
    }
}

#[test]
fn a_mean_without_excluded_differences_has_no_ends() {
    let laboratory = Laboratory::new();
    let sides = [
        ("a", &[1.23, 0.04, 0.13, 1.22, -0.8][..]),
        ("b", &[-2.16, 0.82, 2.18]),
    ];
    for sides in [sides, [("b", sides[0].1), ("a", sides[1].1)]] {
        for (name, values) in sides {
            write(&laboratory, name, values);
        }
        let report = compared(&laboratory, &["--unit", "ms"], 0);
        let mean = &report["rows"][0]["mean"];
        assert_eq!((&mean["low"], &mean["high"]), (&Value::Null, &Value::Null));
    }
}

#[test]
fn a_cell_that_is_missing_is_no_other_cell() {
    let laboratory = Laboratory::new();
    laboratory.write("a", "1,5,1000\n2,,1000\n3,6,1000\n");
    laboratory.write("b", "1,5,1000\n2,6,1000\n3\n");
    for (table, line) in [("a", "a: line 2"), ("b", "b: line 3")] {
        let arguments = ["compare", &format!("x={table}"), &format!("y={table}")];
        laboratory
            .call(&[&arguments[..], &["-C", "2", "-d", ","]].concat())
            .code(4)
            .says(&[line, "column 2", "found none"]);
    }
    std::fs::write(laboratory.path("wide"), b"\xff\xfe1\0\n\0").unwrap();
    laboratory
        .call(&["compare", "a=wide", "b=b"])
        .code(4)
        .says(&["UTF-16", "iconv"]);
}
