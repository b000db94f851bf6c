//! Drift over the blocks of an experiment: of the machine, of a difference, and what cannot be said.

mod limits;

use perflab_compare::{Comparison, Row, RowWarning, SampleSelection, Selection, result_report};
use perflab_experiment::{Experiment, Plan, PlannedRun};
use perflab_report::{
    TextOptions, csv, drift_markdown, drift_text, json, markdown, report_warnings, row_warnings,
    text,
};
use perflab_store::RunRecord;
use serde_json::json;

const PLAIN: TextOptions = TextOptions {
    width: 100,
    colour: false,
    ascii: false,
};

/// Three variants, the third of them the control, in blocks of 3 + 3 + 3.
fn experiment(blocks: u32, workloads: &[&str]) -> Experiment {
    let workloads: String = workloads
        .iter()
        .map(|name| format!("[workloads.{name}]\ndriver = \"command\"\ncommand = [\"true\"]\n"))
        .collect();
    let text = format!(
        "schema = 1
[design]
runs = {}
control = \"again\"
[variants.old]
[variants.new]
[variants.again]
{workloads}",
        3 * blocks
    );
    Experiment::parse(&text, "drift.toml").unwrap()
}

/// Noise of 1 % that repeats, and times what the variant takes in a block.
fn records(plan: &Plan, level: impl Fn(&str, f64) -> f64) -> Vec<RunRecord> {
    let record = |run: &PlannedRun| {
        let variant = &plan.cells[run.cell].variant;
        let noise = f64::from((run.run * 7919 + 31) % 1009) / 1009.0;
        let value = 0.1 * (1.0 + 0.01 * noise) * level(variant, f64::from(run.block));
        serde_json::from_value(json!({
            "schema": 2, "run": run.run, "block": run.block, "cell": plan.cells[run.cell].id,
            "variant": variant, "workload": plan.cells[run.cell].workload, "unit": run.unit, "status": "PASS", "argv": [],
            "started": "2026-01-01T00:00:00Z", "usage": {"wall_s": value, "user_s": 0.0, "system_s": 0.0, "voluntary_switches": 0,
            "involuntary_switches": 0}, "environment_padding_bytes": 0,
            "samples": [{"name": "wall", "unit": "s", "better": "lower", "value": value}]
        }))
        .unwrap()
    };
    plan.runs.iter().map(record).collect()
}

fn selection() -> Selection {
    Selection {
        control: Some("again".to_owned()),
        ..Selection::default()
    }
}

fn reported(blocks: u32, level: impl Fn(&str, f64) -> f64, selection: &Selection) -> Comparison {
    let experiment = experiment(blocks, &["w"]);
    let plan = Plan::new(&experiment, 1);
    let records = records(&plan, level);
    result_report(
        &experiment,
        &plan,
        &records,
        &SampleSelection::default(),
        selection,
    )
    .unwrap()
}

fn report(blocks: u32, level: impl Fn(&str, f64) -> f64) -> Comparison {
    reported(blocks, level, &selection())
}

fn row<'a>(report: &'a Comparison, variant: &str) -> &'a Row {
    report
        .rows
        .iter()
        .find(|row| row.variant == variant)
        .unwrap()
}

/// Everything that is said about drift without being asked.
fn said(report: &Comparison) -> Vec<String> {
    let rows = report.rows.iter();
    let of_rows = rows.flat_map(|row| row_warnings(row, report));
    report_warnings(report)
        .into_iter()
        .chain(of_rows)
        .filter(|warning| warning.contains("drifted") || warning.contains("changed"))
        .collect()
}

/// Slower by so much from the first of ten blocks to the last.
fn slower(by: f64, block: f64) -> f64 {
    1.0 + by * (block - 1.0) / 9.0
}

#[test]
fn nothing_is_said_of_a_quiet_machine() {
    let report = report(10, |variant, _| if variant == "new" { 1.02 } else { 1.0 });
    assert!(said(&report).is_empty(), "{:?}", said(&report));
    let drift = row(&report, "new").drift.as_ref().unwrap();
    assert_eq!(drift.base.blocks, (1..=10).collect::<Vec<u32>>());
    assert!((drift.difference.start - 0.02).abs() < 0.01);
    assert!(drift.difference.p_adjusted.unwrap() > 0.05);
}

#[test]
fn a_machine_that_drifts_is_named_once() {
    let report = report(10, |_, block| slower(0.05, block));
    let said = said(&report);
    assert_eq!(said.len(), 1, "{said:?}");
    let sentence = &said[0];
    assert!(
        sentence.starts_with("the machine drifted: old was "),
        "{sentence}"
    );
    assert!(
        sentence.contains("] slower at the end than at the start (w wall)"),
        "{sentence}"
    );
    assert!(
        sentence.contains("the differences do not carry that"),
        "{sentence}"
    );
    let drift = row(&report, "new").drift.as_ref().unwrap();
    assert!(drift.base.low.unwrap() < 0.05 && drift.base.high.unwrap() > 0.05);
    assert!(drift.difference.low.unwrap() < 0.0 && drift.difference.high.unwrap() > 0.0);
    // The sentence takes the place of the flag for autocorrelated runs.
    assert!(
        report
            .rows
            .iter()
            .all(|row| { !row.warnings.contains(&RowWarning::Autocorrelated) })
    );
}

#[test]
fn a_machine_that_gets_faster_is_said_to() {
    let report = report(10, |_, block| slower(-0.05, block));
    assert!(
        said(&report)[0].contains("] faster at the end"),
        "{:?}",
        said(&report)
    );
}

#[test]
fn a_candidate_that_gets_slower_is_no_drift_of_the_machine() {
    let report = report(10, |variant, block| match variant {
        "new" => slower(0.05, block),
        _ => 1.0,
    });
    let said = said(&report);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(row_warnings(row(&report, "new"), &report).contains(&said[0]));
    assert!(
        said[0].starts_with("the difference itself changed: "),
        "{}",
        said[0]
    );
    assert!(said[0].contains("in the first blocks, +"), "{}", said[0]);
    assert!(said[0].contains("the control's moved by "), "{}", said[0]);
    let drift = row(&report, "new").drift.as_ref().unwrap();
    assert!(drift.difference.change > 0.03 && drift.difference.p_adjusted.unwrap() < 0.01);
    assert!(
        row(&report, "again")
            .drift
            .as_ref()
            .unwrap()
            .difference
            .p_adjusted
            .unwrap()
            > 0.05
    );
}

#[test]
fn a_baseline_that_gets_slower_is_no_drift_of_the_machine_either() {
    let report = report(10, |variant, block| match variant {
        "new" => 1.0,
        _ => slower(0.05, block),
    });
    let said = said(&report);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(
        said[0].starts_with("the difference itself changed: "),
        "{}",
        said[0]
    );
}

#[test]
fn a_machine_and_a_difference_that_drift_are_told_apart() {
    let report = report(10, |variant, block| {
        slower(0.05, block)
            * if variant == "new" {
                slower(0.05, block)
            } else {
                1.0
            }
    });
    // Nobody but the control went with the baseline: that may be the machine or the program.
    assert_eq!(said(&report).len(), 1);
    let drift = row(&report, "new").drift.as_ref().unwrap();
    assert!(
        (drift.base.change - 0.05).abs() < 0.012,
        "{}",
        drift.base.change
    );
    assert!(
        (drift.candidate.change - 0.1).abs() < 0.02,
        "{}",
        drift.candidate.change
    );
    assert!(
        (drift.difference.change - 0.05).abs() < 0.02,
        "{}",
        drift.difference.change
    );
}

#[test]
fn a_control_that_changes_is_told() {
    let report = report(10, |variant, block| match variant {
        "old" => 1.0,
        _ => slower(0.05, block),
    });
    let control = row_warnings(row(&report, "again"), &report);
    assert!(
        control
            .iter()
            .any(|w| w.starts_with("the control's difference changed: "))
    );
    let new = row_warnings(row(&report, "new"), &report);
    assert!(
        new.iter()
            .any(|w| w.contains("the control's changed too, by ")),
        "{new:?}"
    );
    let alone = Selection::default();
    let report = reported(
        10,
        |v, b| if v == "new" { slower(0.05, b) } else { 1.0 },
        &alone,
    );
    let new = row_warnings(row(&report, "new"), &report);
    assert!(
        new.iter().any(|w| w.contains("there is no control")),
        "{new:?}"
    );
}

#[test]
fn the_baseline_of_several_rows_is_one_test() {
    let report = report(10, |_, block| slower(0.001, block));
    let [new, again] = ["new", "again"].map(|name| row(&report, name).drift.as_ref().unwrap());
    assert_eq!(new.base, again.base);
    let text = drift_text(&report, &PLAIN);
    assert!(
        text.contains("3 about levels, 2 about differences"),
        "{text}"
    );
    // Holm: the smallest of three p-values counts three times.
    let mut levels = [&new.base, &new.candidate, &again.candidate]
        .map(|t| (t.p.unwrap(), t.p_adjusted.unwrap()));
    levels.sort_by(|a, b| a.0.total_cmp(&b.0));
    assert!(
        (levels[0].1 - (3.0 * levels[0].0).min(1.0)).abs() < 1e-12,
        "{levels:?}"
    );
}

#[test]
fn all_forms_carry_it() {
    let report = report(10, |variant, block| match variant {
        "new" => slower(0.05, block),
        _ => 1.0,
    });
    let unicode = drift_text(&report, &PLAIN);
    assert!(
        unicode.contains('▁') && unicode.contains('█') && unicode.contains("changed"),
        "{unicode}"
    );
    let ascii = drift_text(
        &report,
        &TextOptions {
            ascii: true,
            ..PLAIN
        },
    );
    assert!(
        ascii.is_ascii() && ascii.contains("1") && ascii.contains('8'),
        "{ascii}"
    );
    assert!(unicode.contains("the control's"), "{unicode}");
    assert!(text(&report, &PLAIN).contains("warning: the difference itself changed"));
    assert!(markdown(&report).contains("**warning:** the difference itself changed"));
    assert!(drift_markdown(&report).contains("| difference |"));
    let table = csv(&report);
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let column = reader
        .headers()
        .unwrap()
        .iter()
        .position(|name| name == "drift.difference.change")
        .unwrap();
    let first = reader.records().next().unwrap().unwrap();
    let drift = row(&report, "new").drift.as_ref().unwrap();
    assert_eq!(first[column].parse(), Ok(drift.difference.change));
    let read: Comparison = serde_json::from_str(&json(&report)).unwrap();
    assert_eq!(read.rows[0].drift.as_ref(), Some(drift));
}

#[test]
fn several_rows_share_one_line_and_their_pooled_row_has_no_level() {
    let experiment = experiment(10, &["w", "v"]);
    let plan = Plan::new(&experiment, 1);
    let records = records(&plan, |_, block| slower(0.05, block));
    let sample_selection = SampleSelection::default();
    let report = result_report(
        &experiment,
        &plan,
        &records,
        &sample_selection,
        &selection(),
    )
    .unwrap();
    let said = said(&report);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].contains(" wall and 1 more)"), "{said:?}");
    // Two workloads and the pool, each with a baseline and two candidates.
    let text = drift_text(&report, &PLAIN);
    assert!(
        text.contains("9 about levels, 6 about differences"),
        "{text}"
    );
    let pooled = text.split("v+w all 2 workloads: new").nth(1);
    let pooled = pooled
        .or_else(|| text.split("w+v all 2 workloads: new").nth(1))
        .unwrap();
    let level = pooled
        .lines()
        .find(|line| line.starts_with("old "))
        .unwrap();
    assert!(
        !level.contains("ms") && level.contains("drifted"),
        "{pooled}"
    );
}
