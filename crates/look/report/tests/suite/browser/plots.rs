//! Plots of differences: how lines and axes are called, and what they hold.

use perflab_compare::{Comparison, Decile, Row, Verdict};
use perflab_experiment::Better;
use perflab_plot::{Plot, Scale};
use perflab_report::plots::{forest, shift, sweep, sweeps};

use crate::common::{answer, metric, pooled, report, row, with_metric};

fn of_workload(workload: &str, benchmark: &str) -> Row {
    let mut row = row(benchmark, "new", 1000.0, 0.05, Verdict::Better);
    row.key.workload = workload.to_owned();
    row
}

fn with_configuration(workload: &str, clients: Option<&str>) -> Row {
    let mut row = of_workload(workload, "");
    row.key.benchmark = None;
    let configuration = clients.map(|clients| ("clients".to_owned(), clients.to_owned()));
    row.key.parameters.extend(configuration);
    row
}

/// In the metric's own unit.
fn absolute(unit: &str) -> Row {
    let faults = metric("faults", unit, Better::Lower);
    let mut row = with_metric(row("", "new", 0.0, 0.0, Verdict::Worse), faults);
    row.relative = false;
    row.typical = answer(12.0, 4.5, Verdict::Worse);
    row.deciles = vec![Decile {
        quantile: 0.5,
        base: 0.0,
        candidate: 12.0,
        difference: 12.0,
        low: 7.5,
        high: 16.5,
        p: 0.001,
        p_adjusted: 0.009,
    }];
    row
}

fn forest_of(report: &Comparison) -> Plot {
    let rows: Vec<&Row> = report.rows.iter().chain(&report.pooled).collect();
    forest(report, &rows, &|_| None).unwrap()
}

fn lines(plot: &Plot) -> &[String] {
    match &plot.y.scale {
        Scale::Names(names) => names,
        Scale::Numbers { .. } => panic!("numbers"),
    }
}

#[test]
fn parts_of_several_workloads_have_their_workload() {
    let rows = ["pipe1", "pipe16"]
        .iter()
        .flat_map(|workload| ["GET", "SET"].map(|benchmark| of_workload(workload, benchmark)))
        .collect();
    let plot = forest_of(&report("r", rows, vec![]));
    assert_eq!(
        lines(&plot),
        ["pipe1 GET", "pipe1 SET", "pipe16 GET", "pipe16 SET"]
    );
}

/// What is pooled of several workloads of another section is no further workload of this one.
#[test]
fn parts_of_one_workload_have_none() {
    let rows = ["GET", "SET"].map(|benchmark| of_workload("pipe1", benchmark));
    let mut together = pooled("new", 0.05, Verdict::Better);
    together.key.workload = "pipe1+pipe16".to_owned();
    let plot = forest_of(&report("r", rows.to_vec(), vec![together]));
    assert_eq!(lines(&plot), ["GET", "SET", "all 3"]);
}

#[test]
fn axes_have_brackets_only_around_a_unit() {
    for (unit, behind) in [("", ""), ("pages", " (pages)"), ("s", " (s)")] {
        let report = report("r", vec![absolute(unit)], vec![]);
        let title = forest_of(&report).x.title;
        assert_eq!(title, format!("difference of the typical run{behind}"));
        let title = shift(&report.rows[0], "redis").unwrap().y.title;
        assert_eq!(title, format!("difference{behind}"));
    }
    let relative = report("r", vec![of_workload("pipe1", "GET")], vec![]);
    let title = forest_of(&relative).x.title;
    assert_eq!(title, "difference of the typical run (%)");
}

#[test]
fn a_parameter_with_one_value_makes_no_sweep() {
    let rows = vec![
        with_configuration("a", Some("1")),
        with_configuration("b", None),
    ];
    assert_eq!(sweeps(&report("r", rows, vec![])), []);
}

#[test]
fn a_sweep_has_the_rows_with_its_parameter() {
    let rows = vec![
        with_configuration("b", None),
        with_configuration("a", Some("1")),
        with_configuration("a", Some("50")),
    ];
    let report = report("r", rows, vec![]);
    let found = sweeps(&report);
    let [one] = found.as_slice() else {
        panic!("{found:?}")
    };
    assert_eq!((one.across, one.rows.len()), ("clients", 2));
    assert_eq!(lines(&sweep(&report, one, &|_| None)), ["a"]);
}
