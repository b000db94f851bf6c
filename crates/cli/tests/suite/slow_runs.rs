//! More slow runs with the same main mode: a question of its own, and no difference of the typical run.

use std::fmt::Write;

use crate::support::{Laboratory, Said};

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

/// What is said of old runs and new ones.
fn compared(old: &str, new: &str, flags: &[&str]) -> Said {
    let laboratory = Laboratory::new();
    laboratory.write("old.txt", old);
    laboratory.write("new.txt", new);
    let command = ["compare", "old=old.txt", "new=new.txt", "--unit=ms"];
    let arguments = [&command[..], &["--independent"], flags].concat();
    laboratory.call(&arguments).code(1)
}

fn row(old: &str, new: &str) -> serde_json::Value {
    compared(old, new, &["--format=json"]).json()["rows"][0].take()
}

#[test]
fn more_slow_runs_are_no_slower_main_mode() {
    let row = row(&runs(90, 20, 1.0), &runs(90, 3, 1.0));
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
        warnings.contains("the main mode alone does not confirm"),
        "{warnings}"
    );
}

#[test]
fn a_better_main_mode_is_found_below_more_slow_runs() {
    let row = row(&runs(90, 20, 1.0), &runs(90, 4, 0.98));
    assert_eq!(
        row["headline"],
        "typical run faster, mean slower, more slow runs"
    );
    assert!((row["slow"]["main"]["difference"].as_f64().unwrap() + 0.02).abs() < 0.001);
}

#[test]
fn slow_runs_are_told_in_text() {
    let said = compared(&runs(90, 20, 1.0), &runs(90, 3, 1.0), &["--detail"]);
    said.prints(&[
        "mean slower, more slow runs",
        "without slow runs:",
        "more slow runs; p < 0.0001 alone",
        "between them",
        "verdicts hold for all 3 tests together",
    ]);
}
