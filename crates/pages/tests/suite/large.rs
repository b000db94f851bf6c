//! An experiment that asks about hundreds of metrics.

use std::fmt::Write;
use std::sync::Arc;

use perflab_experiment::{Better, Metric, Sample};
use perflab_pages::{Content, Site};
use perflab_report::{Report, Row};

use crate::made::Made;

const METRICS: usize = 200;

/// A result in which every metric is asked about.
fn many_metrics() -> Made {
    let mut made = Made::of_blocks(3);
    let mut names = String::new();
    for index in 0..METRICS {
        let _ = write!(names, "\"metric {index}\", ");
    }
    let design = format!("[design]\nmetrics = [{names}]");
    made.experiment = made.experiment.replacen("[design]", &design, 1);
    let one = "name = \"rps\"\nunit = \"1/s\"\nbetter = \"higher\"";
    let any = "name = \"*\"\nunit = \"\"\nbetter = \"lower\"";
    made.experiment = made.experiment.replacen(one, any, 1);
    for record in &mut made.records {
        let level = if record.variant == "new" { 1.1 } else { 1.0 };
        let sample = |index: usize| Sample {
            part: None,
            metric: Arc::new(Metric {
                name: format!("metric {index}"),
                unit: "ms".to_owned(),
                better: Better::Lower,
            }),
            value: level * (1.0 + f64::from(record.run * 7 % 11) / 1000.0) * (index + 1) as f64,
        };
        record.samples = (0..METRICS).map(sample).collect();
    }
    made
}

fn text(site: &Site, address: &str) -> String {
    let Some(Content::Made { bytes, .. }) = site.content(address) else {
        panic!("no {address}");
    };
    String::from_utf8(bytes).unwrap()
}

#[test]
fn the_data_of_a_metric_are_its_own_rows() {
    let directory = tempfile::tempdir().unwrap();
    many_metrics().write(directory.path());
    let site = Site::read(directory.path());
    let whole: Report = serde_json::from_str(&text(&site, "data/report.json")).unwrap();
    let own: Report = serde_json::from_str(&text(&site, "data/metric-77.json")).unwrap();
    let rows: Vec<&Row> = whole
        .rows
        .iter()
        .filter(|row| row.metric.name == "metric 76")
        .collect();
    assert_eq!(rows.len(), 4);
    assert_eq!(own.rows.iter().collect::<Vec<_>>(), rows);
    assert_eq!(own.pooled.len(), whole.pooled.len() / METRICS);
    assert_eq!(
        (own.claims, own.design, own.warnings),
        (whole.claims, whole.design, whole.warnings)
    );
}

#[test]
fn the_first_page_stays_small_and_says_where_the_rest_is() {
    let directory = tempfile::tempdir().unwrap();
    many_metrics().write(directory.path());
    let site = Site::read(directory.path());
    let page = text(&site, "index.html");
    assert!(page.len() < 250_000, "{} bytes", page.len());
    for text in [
        "388 more answers are on",
        "more tables are on",
        "href=\"metric-200.html\"",
    ] {
        assert!(page.contains(text), "{text}");
    }
}
