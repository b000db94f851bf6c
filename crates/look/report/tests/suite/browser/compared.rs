//! A result as it is compared: the report, and what is to be known beside it.

use perflab_compare::{
    Comparison, ResultInput, SampleSelection, Selection, compare_result, result_report,
};
use perflab_experiment::Plan;
use perflab_report::report_warnings;
use perflab_store::{Imported, Notice, Origin, RunRecord, StopReason, Stopped, UntilDecided};

use super::made::{experiment, origin, plan, records};

const DESIGN: &str = "margin = \"2%\"\nconfidence = \"99%\"\ncontrol = \"again\"";

fn known_of(
    origin: &Origin,
    records: &[RunRecord],
    stopped: Option<Stopped>,
    notices: &[Notice],
) -> Comparison {
    let experiment = experiment(&["old", "new", "again"], DESIGN);
    let plan: Plan = plan(records);
    let known = ResultInput {
        directory: None,
        origin,
        experiment: &experiment,
        plan: &plan,
        records,
        stopped,
        notices,
        environment: None,
    };
    compare_result(
        &known,
        &SampleSelection::default(),
        &Selection::of(&experiment, origin),
    )
    .unwrap()
}

#[test]
fn the_selection_is_that_of_the_experiment() {
    let experiment = experiment(&["old", "new", "again"], DESIGN);
    let mut origin = origin();
    let selection = Selection::of(&experiment, &origin);
    assert_eq!(
        selection,
        Selection {
            baseline: Some("old".into()),
            control: Some("again".into()),
            margin: Some(0.02),
            confidence: 0.99,
            ..Selection::default()
        }
    );
    origin.until_decided = Some(UntilDecided::default());
    assert!(Selection::of(&experiment, &origin).anytime);
}

#[test]
fn a_plain_result_is_the_report_of_its_records() {
    let records = records();
    let experiment = experiment(&["old", "new", "again"], DESIGN);
    let selection = Selection::of(&experiment, &origin());
    let expected = result_report(
        &experiment,
        &plan(&records),
        &records,
        &SampleSelection::default(),
        &selection,
    )
    .unwrap();
    assert_eq!(known_of(&origin(), &records, None, &[]), expected);
}

#[test]
fn notices_are_warnings() {
    let notice = Notice::CutLine {
        bytes: 17,
        moved_to: None,
    };
    let report = known_of(&origin(), &records(), None, std::slice::from_ref(&notice));
    let said = report_warnings(&report);
    assert_eq!(said.last(), Some(&notice.to_string()));
}

#[test]
fn values_that_were_said_to_be_independent_are_warned_of() {
    let imported = |independent| Origin {
        imported: Some(Imported {
            format: "jmh".into(),
            independent,
            files: vec![],
            notes: vec![],
        }),
        ..origin()
    };
    let has = |report: &Comparison| {
        report_warnings(report)
            .iter()
            .any(|warning| warning.contains("--independent"))
    };
    assert!(has(&known_of(&imported(true), &records(), None, &[])));
    assert!(!has(&known_of(&imported(false), &records(), None, &[])));
}

#[test]
fn why_it_ended_is_noted_where_its_results_may_end_it() {
    let until = Origin {
        until_decided: Some(UntilDecided::default()),
        ..origin()
    };
    let stopped = Some(Stopped::new(StopReason::Decided, 10));
    let report = known_of(&until, &records(), stopped, &[]);
    let design = report.design.until_decided.unwrap();
    assert_eq!(
        (design.blocks, design.stopped),
        (10, Some(StopReason::Decided))
    );
    // A note beside a result that was planned to its end says nothing.
    assert_eq!(
        known_of(&origin(), &records(), stopped, &[])
            .design
            .until_decided,
        None
    );
}
