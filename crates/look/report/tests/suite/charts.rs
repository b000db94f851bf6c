//! Benchmarks whose names end in a number.

use perflab_compare::{Comparison, Verdict};
use perflab_plot::{Marks, Scale};
use perflab_report::plots::draw_chart;
use perflab_report::{TextOptions, chart_tables, find_charts, has_charts};

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
    let charts = find_charts(&report).readable;
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
    let charts = find_charts(&report).readable;
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
    let charts = find_charts(&report).readable;
    let near = draw_chart(&charts[0]);
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
    let far = draw_chart(&charts[1]);
    let names = ["1", "1000"].map(str::to_owned).to_vec();
    assert_eq!(far.x.scale, Scale::Names(names));
    assert_eq!(far.x.title, "clients=5 read (not to scale)");
    // From zero on.
    assert!(matches!(far.y.scale, Scale::Numbers { low, .. } if low == 0.0));
}

#[test]
fn zero_is_not_far_from_the_next_number() {
    let scale = |most: u32| {
        let rows = [0, 1, most].map(|number| {
            let benchmark = format!("read/{number}");
            row(&benchmark, "new", 100.0, 0.1, Verdict::Better)
        });
        let report = report("made", rows.to_vec(), Vec::new());
        draw_chart(&find_charts(&report).readable[0]).x.scale
    };
    assert!(matches!(scale(99), Scale::Numbers { .. }));
    let names = ["0", "1", "100"].map(str::to_owned).to_vec();
    assert_eq!(scale(100), Scale::Names(names));
}

/// Points that are few, and variants that are many.
#[test]
fn charts_that_nobody_can_read_are_named() {
    let rows = |points: usize, candidates: usize| {
        let all =
            (0..points).flat_map(|point| (0..candidates).map(move |variant| (point, variant)));
        let rows = all.map(|(point, variant)| {
            let (benchmark, variant) = (format!("read/{point}"), format!("v{variant}"));
            row(&benchmark, &variant, 100.0, 0.1, Verdict::Better)
        });
        report("made", rows.collect(), Vec::new())
    };
    let largest = rows(200, 29);
    assert_eq!(find_charts(&largest).readable.len(), 1);
    assert_eq!(find_charts(&largest).too_large, [""; 0]);
    for (points, candidates, has) in [
        (201, 1, "201 points and 2 variants"),
        (2, 30, "2 points and 31 variants"),
    ] {
        let report = rows(points, candidates);
        let charts = find_charts(&report);
        let limits = "and a chart has at most 200 points and 30 variants";
        let expected = format!("rps of read is not drawn: it has {has}, {limits}");
        assert_eq!(charts.too_large, [expected]);
        assert!(charts.readable.is_empty() && has_charts(&report));
    }
    let none = rows(1, 2);
    assert!(find_charts(&none).readable.is_empty() && !has_charts(&none));
}

/// The other variant is missing in the first chart, and the third one looks the same in both.
#[test]
fn a_variant_looks_alike_in_all_charts() {
    let new = |benchmark: &str, variant: &str| row(benchmark, variant, 100.0, 0.1, Verdict::Better);
    let rows = [
        ("a", "new"),
        ("a", "third"),
        ("b", "new"),
        ("b", "other"),
        ("b", "third"),
    ];
    let rows = rows.iter().flat_map(|(chart, variant)| {
        [1, 2].map(|number| new(&format!("{chart}/{number}"), variant))
    });
    let report = report("made", rows.collect(), Vec::new());
    let charts = find_charts(&report).readable;
    let looks = charts.iter().map(|chart| {
        let drawn = draw_chart(chart);
        let mut layers = drawn.layers.into_iter();
        let points = layers
            .rfind(|layer| layer.name == "third" && matches!(layer.marks, Marks::Points { .. }));
        let points = points.unwrap();
        let Marks::Points { marker, .. } = points.marks else {
            panic!("{points:?}");
        };
        (points.tone, marker)
    });
    let looks: Vec<_> = looks.collect();
    assert_eq!(looks[0], looks[1]);
}
