//! An experiment that asks about hundreds of metrics.

use std::fmt::Write;
use std::sync::Arc;

use perflab_compare::{Comparison, Row};
use perflab_experiment::{Better, Metric, Sample};
use perflab_pages::{Content, Site};

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
            benchmark: None,
            metric: Arc::new(Metric {
                name: format!("metric {index}"),
                unit: "ms".to_owned(),
                better: Better::Lower,
            }),
            value: level * (1.0 + f64::from(record.run * 7 % 11) / 1000.0) * (index + 1) as f64,
            step: None,
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
    let whole: Comparison = serde_json::from_str(&text(&site, "data/report.json")).unwrap();
    let own: Comparison = serde_json::from_str(&text(&site, "data/metric-77.json")).unwrap();
    let rows: Vec<&Row> = whole
        .rows
        .iter()
        .filter(|row| row.key.metric.name == "metric 76")
        .collect();
    assert_eq!(rows.len(), 4);
    assert_eq!(own.rows.iter().collect::<Vec<_>>(), rows);
    assert_eq!(own.pooled.len(), whole.pooled.len() / METRICS);
    assert_eq!(
        (own.tests, own.design, own.warnings),
        (whole.tests, whole.design, whole.warnings)
    );
}

/// The runs that a page of the list leads to, in its order.
fn listed(page: &str) -> Vec<usize> {
    let addresses = page.split("href=\"run-").skip(1);
    addresses
        .map(|rest| rest.split(".html").next().unwrap().parse().unwrap())
        .collect()
}

#[test]
fn a_long_list_of_runs_has_each_run_once() {
    const ON_A_PAGE: usize = 2000;
    let mut made = Made::of_blocks(334);
    made.files.clear();
    let directory = tempfile::tempdir().unwrap();
    // Without directories for the runs, which take long to make.
    let records = std::mem::take(&mut made.records);
    let mut result = made.begin(directory.path());
    for record in &records {
        result.append(record).unwrap();
    }
    let site = Site::read(directory.path());
    let pages = [text(&site, "runs.html"), text(&site, "runs-2.html")];
    assert!(pages[0].contains("2004 runs, ") && pages[0].contains("page 1 of 2"));
    assert!(site.content("runs-3.html").is_none());
    assert_eq!(listed(&pages[0]), (1..=ON_A_PAGE).collect::<Vec<_>>());
    assert_eq!(
        listed(&pages[1]),
        (ON_A_PAGE + 1..=2004).collect::<Vec<_>>()
    );
    // Each run leads back to the page that it is on.
    for (run, list) in [
        (1, "runs.html"),
        (2000, "runs.html"),
        (2001, "runs-2.html"),
        (2004, "runs-2.html"),
    ] {
        let page = text(&site, &format!("run-{run}.html"));
        let crumbs = page.split("class=\"crumbs\"").nth(1).unwrap();
        let crumbs = crumbs.split("</p>").next().unwrap();
        assert!(
            crumbs.contains(&format!("href=\"{list}\"")),
            "{run}: {crumbs}"
        );
    }
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
