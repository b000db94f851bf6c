//! Two results beside each other: as if both had been variants of one experiment without blocks.

use std::sync::Arc;

use perflab_experiment::{Better, Experiment, Sample, Status};
use perflab_report::{AnalysisError, Filter, Half, Report, Selection, pair, result_report};
use perflab_store::RunRecord;

use super::made::{experiment, plan, records, rps};
use crate::common::metric;

fn half<'r>(name: &'r str, experiment: &'r Experiment, records: &'r [RunRecord]) -> Half<'r> {
    Half {
        name,
        experiment,
        records,
        until_decided: false,
    }
}

/// A second measurement of the same, a bit slower.
fn later() -> Vec<RunRecord> {
    let mut later = records();
    for record in &mut later {
        record.samples[0].value *= 0.97;
        record.samples[0].value += f64::from(record.run % 3);
    }
    later
}

/// What `perflab compare` says of a variant in both, where each is a variant of one experiment in one block.
fn as_one(a: &[RunRecord], b: &[RunRecord], variant: &str, design: &str) -> Report {
    let experiment = experiment(&["A", "B"], design);
    let mut all = Vec::new();
    for (name, records) in [("A", a), ("B", b)] {
        for record in records.iter().filter(|record| record.variant == variant) {
            let mut record = record.clone();
            record.variant = name.to_owned();
            record.block = 1;
            record.run = all.len() as u32 + 1;
            all.push(record);
        }
    }
    let selection = Selection {
        baseline: Some("A".into()),
        margin: experiment.design.margin,
        confidence: experiment.design.confidence,
        ..Selection::default()
    };
    result_report(
        &experiment,
        &plan(&all),
        &all,
        &Filter::default(),
        &selection,
    )
    .unwrap()
}

/// The rows without what only one experiment has: an order of all its runs.
fn rows(report: &Report) -> String {
    let mut rows = report.rows.clone();
    rows.extend(report.pooled.clone());
    for row in &mut rows {
        row.drift = None;
        row.levels = Vec::new();
        row.warnings
            .retain(|warning| !warning.starts_with("runs hang together"));
    }
    format!("{rows:#?}")
}

#[test]
fn verdicts_are_those_of_one_experiment_without_blocks() {
    let (a, b) = (records(), later());
    for design in ["", "margin = \"5%\"\nconfidence = \"99%\""] {
        let experiment = experiment(&["old", "new"], design);
        for variant in ["old", "new"] {
            let report = pair(
                half("A", &experiment, &a),
                half("B", &experiment, &b),
                variant,
            )
            .unwrap();
            let one = as_one(&a, &b, variant, design);
            assert_eq!(rows(&report), rows(&one));
            assert_eq!(
                (report.claims, report.confidence, report.margin),
                (one.claims, one.confidence, one.margin)
            );
            assert_eq!(
                (report.name.as_str(), report.baseline.as_str()),
                (variant, "A")
            );
        }
    }
}

/// Runs that share a build are one unit of evidence, in each result for itself.
#[test]
fn runs_of_one_unit_count_once() {
    let (mut a, mut b) = (records(), later());
    for record in a.iter_mut().chain(&mut b) {
        record.unit = record.block.div_ceil(2);
    }
    let design = "refresh = \"restart\"";
    let experiment = experiment(&["old", "new"], design);
    let report = pair(
        half("A", &experiment, &a),
        half("B", &experiment, &b),
        "new",
    )
    .unwrap();
    assert_eq!(rows(&report), rows(&as_one(&a, &b, "new", design)));
    assert_eq!(
        (report.rows[0].base.n, report.rows[0].base.values.len()),
        (5, 10)
    );
}

#[test]
fn values_are_those_of_the_runs_that_passed() {
    let (mut a, b) = (records(), later());
    a[0].status = Status::Exit;
    let experiment = experiment(&["old", "new"], "");
    let report = pair(
        half("first", &experiment, &a),
        half("second", &experiment, &b),
        "old",
    )
    .unwrap();
    let values = |records: &[RunRecord]| -> Vec<f64> {
        let own = records
            .iter()
            .filter(|record| record.variant == "old" && record.status.passed());
        own.map(|record| record.samples[0].value).collect()
    };
    let [row] = report.rows.as_slice() else {
        panic!("{:?}", report.rows)
    };
    assert_eq!(
        (row.base.values.clone(), row.candidate.values.clone()),
        (values(&a), values(&b))
    );
    assert_eq!(
        (report.baseline.as_str(), row.variant.as_str()),
        ("first", "second")
    );
    assert_eq!((report.design.recorded, report.design.blocks), (20, 1));
    assert_eq!(report.design.seed, None);
    assert!(!report.design.randomised);
}

#[test]
fn it_warns_of_what_else_changed() {
    let (a, b) = (records(), later());
    let experiment = experiment(&["old", "new"], "");
    let report = pair(
        half("A", &experiment, &a),
        half("B", &experiment, &b),
        "old",
    )
    .unwrap();
    assert!(
        report
            .warnings
            .iter()
            .any(|warning| warning.contains("not measured in turns"))
    );
}

#[test]
fn only_what_both_have_is_compared() {
    let (mut a, mut b) = (records(), later());
    let latency = |value: f64| Sample {
        metric: metric("latency", "ms", Better::Lower).into(),
        ..rps(None, value)
    };
    for record in a.iter_mut().chain(&mut b) {
        let value = record.samples[0].value;
        record.samples = vec![
            rps(Some("GET"), value),
            rps(Some("SET"), value * 2.0),
            latency(3.0 + value),
        ];
    }
    for record in &mut b {
        record.samples[1].part = Some("LPUSH".to_owned());
    }
    let experiment = experiment(&["old", "new"], "metrics = [\"rps\"]");
    let report = pair(
        half("A", &experiment, &a),
        half("B", &experiment, &b),
        "new",
    )
    .unwrap();
    let parts: Vec<Option<&str>> = report.rows.iter().map(|row| row.part.as_deref()).collect();
    assert_eq!(parts, [Some("GET")]);

    // Of another unit it is another metric.
    for record in &mut b {
        Arc::make_mut(&mut record.samples[0].metric).unit = "1/ms".to_owned();
    }
    let nothing = pair(
        half("A", &experiment, &a),
        half("B", &experiment, &b),
        "new",
    );
    assert!(
        matches!(nothing, Err(AnalysisError::NothingShared)),
        "{nothing:?}"
    );
}

#[test]
fn nothing_to_compare() {
    let (a, b) = (records(), later());
    let experiment = experiment(&["old", "new"], "");
    let other = pair(
        half("A", &experiment, &a),
        half("B", &experiment, &b),
        "other",
    );
    assert!(matches!(other, Err(AnalysisError::Empty)), "{other:?}");
    let none = pair(
        half("A", &experiment, &[]),
        half("B", &experiment, &b),
        "old",
    );
    assert!(matches!(none, Err(AnalysisError::Empty)), "{none:?}");
    let none = pair(
        half("A", &experiment, &a),
        half("B", &experiment, &[]),
        "old",
    );
    assert!(matches!(none, Err(AnalysisError::Empty)), "{none:?}");
}

/// The order in which an experiment lists its parameters is no difference.
#[test]
fn parameters_in_another_order() {
    let (mut a, mut b) = (records(), later());
    for (records, order) in [(&mut a, ["x", "y"]), (&mut b, ["y", "x"])] {
        for record in records {
            record.parameters = order.map(|name| (name.to_owned(), "1".to_owned())).into();
        }
    }
    let experiment = experiment(&["old", "new"], "");
    let report = pair(
        half("A", &experiment, &a),
        half("B", &experiment, &b),
        "new",
    )
    .unwrap();
    assert_eq!(report.rows.len(), 1);
}

#[test]
fn what_failed_and_what_its_results_could_end_is_told() {
    let (a, mut b) = (records(), later());
    let own = b.iter_mut().filter(|record| record.variant == "new");
    for record in own.take(3) {
        record.status = Status::Timeout;
    }
    let experiment = experiment(&["old", "new"], "");
    let second = Half {
        until_decided: true,
        ..half("B", &experiment, &b)
    };
    let report = pair(half("A", &experiment, &a), second, "new").unwrap();
    assert_eq!(
        report.design.failed,
        [(Status::Timeout.name().to_owned(), 3)].into()
    );
    for told in [
        "B: 3 of 10 runs of new failed",
        "B was measured until it was decided",
    ] {
        let found = report
            .warnings
            .iter()
            .any(|warning| warning.starts_with(told));
        assert!(found, "{told}: {:?}", report.warnings);
    }
}
