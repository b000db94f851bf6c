//! Benchmarks whose names end in a number.

use perflab_compare::{Comparison, Verdict};
use perflab_plot::{Marks, Scale};
use perflab_report::plots::chart;
use perflab_report::{TextOptions, chart_tables, charts};

use crate::common::{report, row};

fn made() -> Comparison {
    let new = |benchmark: &str, base| row(benchmark, "new", base, 0.1, Verdict::Better);
    let mut rows = vec![
        new("read/1", 100.0),
        new("read/10", 200.0),
        new("read/2", 120.0),
        // No charts: no number, a single one, no name.
        new("GET", 100.0),
        new("a/b", 100.0),
        new("a/NaN", 100.0),
        new("a/-1", 100.0),
        new("one/5", 100.0),
        new("/1", 100.0),
        new("/2", 100.0),
        row("read/10", "other", 200.0, 0.5, Verdict::Better),
    ];
    // Of another configuration.
    for number in [1, 1000] {
        let mut row = new(&format!("read/{number}"), 100.0);
        let parameter = ("clients".to_owned(), "5".to_owned());
        row.key.parameters.extend([parameter]);
        rows.push(row);
    }
    report("made", rows, Vec::new())
}

#[test]
fn points_are_in_the_order_of_their_numbers() {
    let report = made();
    let charts = charts(&report);
    let titles: Vec<&str> = charts.iter().map(|chart| chart.title.as_str()).collect();
    assert_eq!(titles, ["read", "clients=5 read"]);
    let tables = chart_tables(&charts[0], &TextOptions::default());
    let expected = "\
rps (1/s): read
         1    2   10
redis  100  120  200
new    110  132  220
other            300

times redis
          1     2    10
new    1.10  1.10  1.10
other              1.50
";
    assert_eq!(tables, expected);
    // Of thirty values the tenth and the twenty-first.
    let (low, high) = charts[0].lines[0].values[0].unwrap().interval.unwrap();
    assert!((low - 99.62).abs() < 0.01, "{low}");
    assert!((high - 100.38).abs() < 0.01, "{high}");
}

#[test]
fn values_that_are_no_runs_have_no_interval() {
    let mut report = made();
    for row in &mut report.rows {
        row.base.n = 3;
    }
    let charts = charts(&report);
    let values = &charts[0].lines[0].values;
    assert!(
        values
            .iter()
            .flatten()
            .all(|value| value.interval.is_none())
    );
}

#[test]
fn numbers_far_apart_stand_side_by_side() {
    let report = made();
    let charts = charts(&report);
    let near = chart(&charts[0]);
    assert!(matches!(near.x.scale, Scale::Numbers { .. }));
    assert_eq!(near.layers.len(), 9, "points, line and intervals of each");
    let Marks::Points { at, .. } = &near.layers[3].marks else {
        panic!("{:?}", near.layers[3]);
    };
    let places: Vec<f64> = at.iter().map(|point| point.x).collect();
    assert_eq!(places, [1.0, 2.0, 10.0]);
    assert!(
        at[0].label.starts_with("new at 1: 110 ["),
        "{}",
        at[0].label
    );
    let far = chart(&charts[1]);
    let names = ["1", "1000"].map(str::to_owned).to_vec();
    assert_eq!(far.x.scale, Scale::Names(names));
    // From zero on.
    assert!(matches!(far.y.scale, Scale::Numbers { low, .. } if low == 0.0));
}
