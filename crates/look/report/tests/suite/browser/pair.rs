//! Two results that were not measured together: nothing is claimed of a change that may be the machine's.

use std::sync::Arc;

use perflab_compare::{
    AnalysisError, Comparison, Half, Outcome, Row, SampleSelection, Selection, compare_apart,
    result_report,
};
use perflab_experiment::{Better, Experiment, Sample, Status};
use perflab_report::{headline, left_out, report_warnings};
use perflab_store::{Environment, RunRecord};
use serde_json::json;

use super::made::{experiment, plan, records, rps};
use crate::common::metric;

fn half<'r>(name: &'r str, experiment: &'r Experiment, records: &'r [RunRecord]) -> Half<'r> {
    Half {
        name,
        directory: "results/it",
        experiment,
        records,
        environment: None,
        planned: records.len(),
        left_out: &[],
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
fn as_one(a: &[RunRecord], b: &[RunRecord], variant: &str, design: &str) -> Comparison {
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
        &SampleSelection::default(),
        &selection,
    )
    .unwrap()
}

/// The row of a variant, as measured.
fn raw<'r>(report: &'r Comparison, variant: &str) -> &'r Row {
    let name = format!("rps of {variant}");
    report
        .rows
        .iter()
        .find(|row| row.key.metric.name == name)
        .unwrap()
}

#[test]
fn changes_are_measured_and_nothing_is_claimed_of_them() {
    let (a, b) = (records(), later());
    for design in ["", "margin = \"5%\"\nconfidence = \"99%\""] {
        let experiment = experiment(&["old", "new"], design);
        let report = compare_apart(half("A", &experiment, &a), half("B", &experiment, &b)).unwrap();
        assert_eq!((report.tests, report.rows.len()), (0, 2));
        assert_eq!(report.design.undecided, ["old", "new"]);
        for variant in ["old", "new"] {
            let one = as_one(&a, &b, variant, design);
            let (found, expected) = (raw(&report, variant), &one.rows[0]);
            assert_eq!(
                (
                    found.typical.difference,
                    found.typical.low,
                    found.typical.high
                ),
                (
                    expected.typical.difference,
                    expected.typical.low,
                    expected.typical.high
                )
            );
            assert_eq!(
                (found.outcome(), found.typical.p_adjusted),
                (Outcome::NotProven, None)
            );
            assert_eq!(headline(found), "changed, cause unknown");
        }
    }
}

/// The machine and programs of a result.
fn measured_with(machine: &str, old: &str) -> Environment {
    let files = |sha256: &str| json!({"server": {"path": "/server", "sha256": sha256, "bytes": 1}});
    let environment = json!({
        "machine": {"schema": 1, "machine_id": machine},
        "programs": {"variants/old": {"files": files(old)}, "workloads/load": {"files": files("77")}}
    });
    serde_json::from_value(environment).unwrap()
}

/// What is said of `new` with that of `old` divided out, where there is such a row.
fn of_quotients(
    a: (&[RunRecord], &Environment),
    b: (&[RunRecord], &Environment),
) -> (Comparison, Option<Row>) {
    let experiment = experiment(&["old", "new"], "");
    let with = |name, (records, environment)| Half {
        environment: Some(environment),
        ..half(name, &experiment, records)
    };
    let report = compare_apart(with("A", a), with("B", b)).unwrap();
    let row = report
        .rows
        .iter()
        .find(|row| row.key.metric.name == "rps of new / old")
        .cloned();
    (report, row)
}

#[test]
fn what_slowed_both_down_is_divided_out() {
    let known = measured_with("m", "1");
    let mut loaded = later();
    loaded
        .iter_mut()
        .for_each(|record| record.samples[0].value *= 0.56);
    let (report, row) = of_quotients((&records(), &known), (&loaded, &known));
    assert_eq!(report.design.undecided, Vec::<String>::new());
    assert_eq!(headline(raw(&report, "old")), "changed, cause unknown");
    assert_eq!(row.unwrap().outcome(), Outcome::NotProven);

    for record in loaded.iter_mut().filter(|record| record.variant == "new") {
        record.samples[0].value *= 0.9;
    }
    let (report, row) = of_quotients((&records(), &known), (&loaded, &known));
    let row = row.unwrap();
    assert_eq!((row.outcome(), report.tests), (Outcome::Worse, 1));
    assert!((row.typical.difference + 0.1).abs() < 0.01, "{row:?}");
    assert_eq!(raw(&report, "new").outcome(), Outcome::NotProven);
}

#[test]
fn runs_without_a_partner_are_counted() {
    let known = measured_with("m", "1");
    let mut second = later();
    let left_out = |second: &[RunRecord]| {
        let (report, _) = of_quotients((&records(), &known), (second, &known));
        let mut warnings = report_warnings(&report).into_iter();
        warnings
            .find(|warning| warning.contains("from the same block"))
            .unwrap()
    };
    assert!(!left_out(&second).contains("partner"));
    for said in [
        "1 run without such a partner was",
        "2 runs without such a partner were",
    ] {
        let of_reference = second.iter().position(|record| record.variant == "old");
        second.remove(of_reference.unwrap());
        let warning = left_out(&second);
        assert!(warning.contains(said), "{warning}");
    }
}

#[test]
fn nothing_is_divided_by_what_may_be_another_program() {
    let (first, second) = (records(), later());
    let known = measured_with("m", "1");
    let mut unknown = measured_with("m", "1");
    unknown.programs.clear();
    for (other, why) in [
        (
            measured_with("m", "2"),
            "its programs are not the same in both",
        ),
        (
            measured_with("n", "1"),
            "it was not measured on the same machine",
        ),
        (unknown, "which programs it ran is not known"),
    ] {
        let (report, row) = of_quotients((&first, &known), (&second, &other));
        assert_eq!(row, None);
        assert_eq!(report.design.undecided, ["old", "new"]);
        assert!(
            report_warnings(&report)
                .iter()
                .any(|warning| warning.contains(why)),
            "{:?}",
            report.warnings
        );
    }
}

/// Runs that share a build are one replicate, in each result for itself.
#[test]
fn runs_of_one_unit_count_once() {
    let (mut a, mut b) = (records(), later());
    for record in a.iter_mut().chain(&mut b) {
        record.unit = record.block.div_ceil(2);
    }
    let design = "refresh = \"restart\"";
    let experiment = experiment(&["old", "new"], design);
    let report = compare_apart(half("A", &experiment, &a), half("B", &experiment, &b)).unwrap();
    let row = raw(&report, "new");
    let expected = &as_one(&a, &b, "new", design).rows[0];
    assert_eq!(
        (row.typical.low, row.typical.high),
        (expected.typical.low, expected.typical.high)
    );
    assert_eq!((row.base.n, row.base.values.len()), (5, 10));
}

#[test]
fn values_are_those_of_the_runs_that_passed() {
    let (mut a, b) = (records(), later());
    a[0].status = Status::Exit;
    let experiment = experiment(&["old", "new"], "");
    let report = compare_apart(
        half("first", &experiment, &a),
        half("second", &experiment, &b),
    )
    .unwrap();
    let values = |records: &[RunRecord]| -> Vec<f64> {
        let own = records
            .iter()
            .filter(|record| record.variant == "old" && record.status.passed());
        own.map(|record| record.samples[0].value).collect()
    };
    let row = raw(&report, "old");
    assert_eq!(
        (row.base.values.clone(), row.candidate.values.clone()),
        (values(&a), values(&b))
    );
    assert_eq!(
        (report.baseline.as_str(), row.variant.as_str()),
        ("first", "second")
    );
    assert_eq!((report.design.recorded, report.design.blocks), (40, 1));
    assert_eq!(report.design.seed, None);
    assert!(!report.design.randomised);
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
        record.samples[1].benchmark = Some("LPUSH".to_owned());
    }
    let experiment = experiment(&["old", "new"], "metrics = [\"rps\"]");
    let report = compare_apart(half("A", &experiment, &a), half("B", &experiment, &b)).unwrap();
    let benchmarks: Vec<Option<&str>> = report
        .rows
        .iter()
        .map(|row| row.key.benchmark.as_deref())
        .collect();
    assert_eq!(benchmarks, [Some("GET"); 2]);

    // Of another unit it is another metric.
    for record in &mut b {
        Arc::make_mut(&mut record.samples[0].metric).unit = "1/ms".to_owned();
    }
    let nothing = compare_apart(half("A", &experiment, &a), half("B", &experiment, &b));
    assert!(
        matches!(nothing, Err(AnalysisError::NothingShared)),
        "{nothing:?}"
    );
}

#[test]
fn nothing_to_compare() {
    let (a, b) = (records(), later());
    let experiment = experiment(&["old", "new"], "");
    let none = compare_apart(half("A", &experiment, &[]), half("B", &experiment, &b));
    assert!(matches!(none, Err(AnalysisError::Empty)), "{none:?}");
    let none = compare_apart(half("A", &experiment, &a), half("B", &experiment, &[]));
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
    let report = compare_apart(half("A", &experiment, &a), half("B", &experiment, &b)).unwrap();
    assert_eq!(report.rows.len(), 2);
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
    let report = compare_apart(half("A", &experiment, &a), second).unwrap();
    assert_eq!(
        report.design.failed,
        [(Status::Timeout.name().to_owned(), 3)].into()
    );
    for told in [
        "B: 3 of 10 runs of new failed",
        "B was measured until it was decided",
    ] {
        let found = report_warnings(&report)
            .iter()
            .any(|warning| warning.contains(told));
        assert!(found, "{told}: {:?}", report.warnings);
    }
}

#[test]
fn what_one_of_both_lacks_is_told() {
    let (a, mut b) = (records(), later());
    let experiment = experiment(&["old", "new"], "");
    let of = |a: &[RunRecord], b: &[RunRecord]| {
        compare_apart(half("A", &experiment, a), half("B", &experiment, b)).unwrap()
    };
    assert!(!of(&a, &b).is_one_sided());
    // A second metric that `new` no longer reports.
    let second = |records: &[RunRecord], in_new: bool| -> Vec<RunRecord> {
        let mut records = records.to_vec();
        for record in &mut records {
            if record.variant == "old" || in_new {
                let mut sample = record.samples[0].clone();
                sample.benchmark = Some("write".to_owned());
                record.samples.push(sample);
            }
        }
        records
    };
    let told = |report: &Comparison, text: &str| {
        assert!(report.is_one_sided());
        let warnings = report_warnings(report);
        assert!(
            warnings.iter().any(|warning| warning.contains(text)),
            "{warnings:?}"
        );
        assert!(
            left_out(report)
                .iter()
                .any(|warning| warning.contains(text))
        );
    };
    let report = of(&second(&a, true), &second(&b, false));
    told(
        &report,
        "write rps of new in 1/s: A has runs of it, B has none",
    );
    let report = of(&second(&a, false), &second(&b, true));
    told(
        &report,
        "write rps of new in 1/s: B has runs of it, A has none",
    );
    for record in &mut b {
        if record.variant == "new" {
            record.variant = "other".to_owned();
        }
    }
    let report = of(&a, &b);
    told(&report, "A alone has runs of new");
    told(&report, "B alone has runs of other");
    let part = Half {
        planned: a.len() + 5,
        ..half("A", &experiment, &a)
    };
    let report = compare_apart(part, half("B", &experiment, &later())).unwrap();
    let warnings = report_warnings(&report);
    let told = format!("A: {} of {} planned runs recorded", a.len(), a.len() + 5);
    assert!(
        warnings.iter().any(|warning| warning.contains(&told)),
        "{warnings:?}"
    );
}
