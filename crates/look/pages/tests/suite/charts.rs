//! The page of charts.

use perflab_compare::Comparison;
use perflab_pages::{Content, Site};

use crate::html::{all, crawl};
use crate::made::Made;

fn text(site: &Site, address: &str) -> Option<String> {
    let Content::Made { bytes, .. } = site.content(address)? else {
        panic!("no {address}");
    };
    Some(String::from_utf8(bytes).unwrap())
}

#[test]
fn benchmarks_that_end_in_a_number_have_charts() {
    let directory = tempfile::tempdir().unwrap();
    let mut made = Made::plain();
    let samples = made
        .records
        .iter_mut()
        .flat_map(|record| &mut record.samples);
    for sample in samples {
        let is_get = sample.benchmark.as_deref() == Some("GET");
        sample.benchmark = Some(format!("<read>/{}", if is_get { 1 } else { 20 }));
    }
    made.write(directory.path());
    let site = Site::read(directory.path());
    let found = crawl(&site, directory.path());
    assert!(
        found
            .text("index.html")
            .contains("Charts of the benchmarks")
    );
    let page = found.page("charts.html");
    let plots = all(page.root_element(), "svg.plot");
    assert_eq!(plots.len(), 2, "one for each configuration");
    let shown = found.text("charts.html");
    let report: Comparison =
        serde_json::from_str(&text(&site, "data/report.json").unwrap()).unwrap();
    let charts = perflab_report::charts(&report);
    assert_eq!(charts.len(), 2);
    for chart in &charts {
        assert!(shown.contains(&chart.heading()), "{}", chart.heading());
        assert_eq!(chart.lines.len(), 3);
        for value in chart
            .lines
            .iter()
            .flat_map(|line| line.values.iter().flatten())
        {
            let (low, high) = value.interval.unwrap();
            let [median, low, high] = [value.median, low, high].map(|end| chart.shown(end));
            let cell = format!("{median} [{low}, {high}]");
            assert!(shown.contains(&cell), "{cell} in {shown}");
        }
    }
}

#[test]
fn other_results_have_none() {
    let directory = tempfile::tempdir().unwrap();
    Made::plain().write(directory.path());
    let site = Site::read(directory.path());
    assert_eq!(text(&site, "charts.html"), None);
    assert!(!text(&site, "index.html").unwrap().contains("charts.html"));
}
