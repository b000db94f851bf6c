//! More slow runs with the same main mode: a question of its own, and no difference of the typical run.

use std::fmt::Write;

use crate::support::Laboratory;

/// Runs about 20 ms, of which every so many are 45 % slower.
fn runs(count: u32, one_in: u32, level: f64) -> String {
    let mut text = String::new();
    for run in 0..count {
        let noise = 1.0 + 0.004 * f64::from(run * 7919 % 101 % 10) / 10.0;
        let factor = if run % one_in == one_in - 1 {
            1.45
        } else {
            1.0
        };
        writeln!(text, "{:.4}", 20.0 * level * factor * noise).unwrap();
    }
    text
}

fn compared(laboratory: &Laboratory, old: &str, new: &str, code: i32) -> serde_json::Value {
    laboratory.write("old.txt", old);
    laboratory.write("new.txt", new);
    let arguments = [
        "compare",
        "old=old.txt",
        "new=new.txt",
        "--unit",
        "ms",
        "--independent",
        "--format",
        "json",
    ];
    laboratory.call(&arguments).code(code).json()["rows"][0].take()
}

#[test]
fn more_slow_runs_are_no_slower_main_mode() {
    let laboratory = Laboratory::new();
    let row = compared(&laboratory, &runs(90, 20, 1.0), &runs(90, 3, 1.0), 1);
    assert_eq!(row["typical"]["verdict"], "not-proven");
    assert_eq!(row["slow"]["verdict"], "worse");
    assert_eq!(
        (&row["slow"]["base"], &row["slow"]["candidate"]),
        (&4.into(), &30.into())
    );
    assert!(row["slow"]["p_adjusted"].as_f64().unwrap() < 0.001);
    assert!(row["slow"]["main"]["difference"].as_f64().unwrap().abs() < 0.001);
    assert_eq!(row["headline"], "mean slower, more slow runs");
    let warnings = row["warnings"].to_string();
    assert!(
        warnings.contains("only a second mode moves the typical run"),
        "{warnings}"
    );
}

#[test]
fn a_better_main_mode_is_found_below_more_slow_runs() {
    let laboratory = Laboratory::new();
    let row = compared(&laboratory, &runs(90, 20, 1.0), &runs(90, 4, 0.98), 1);
    assert_eq!(
        row["headline"],
        "typical run faster, mean slower, more slow runs"
    );
    assert!((row["slow"]["main"]["difference"].as_f64().unwrap() + 0.02).abs() < 0.001);
}

#[test]
fn slow_runs_are_told_in_text() {
    let laboratory = Laboratory::new();
    laboratory.write("old.txt", runs(90, 20, 1.0));
    laboratory.write("new.txt", runs(90, 3, 1.0));
    let arguments = [
        "compare",
        "old=old.txt",
        "new=new.txt",
        "--unit",
        "ms",
        "--independent",
        "--detail",
    ];
    laboratory.call(&arguments).code(1).prints(&[
        "mean slower, more slow runs",
        "without slow runs:",
        "more slow runs; p < 0.0001 alone",
        "between them",
        "verdicts hold for all 3 claims together",
    ]);
}
