//! The numbers on pages are those of the report, and lead to the runs that they come from.

use std::path::Path;

use perflab_compare::{Comparison, ResultInput, Row, SampleSelection, Selection, compare_result};
use perflab_experiment::Status;
use perflab_pages::Site;
use perflab_report::{csv, facts, headline, json, row_warnings};
use perflab_store::OpenedResult;
use scraper::ElementRef;

use crate::html::{Crawled, all, crawl, text};
use crate::made::Made;

/// What `perflab compare` computes of a result.
fn report(directory: &Path, metrics: &[&str]) -> Comparison {
    let result = OpenedResult::open(directory).unwrap();
    let known = ResultInput {
        directory: None,
        ..ResultInput::of(&result).unwrap()
    };
    let sample_selection = SampleSelection {
        metrics: metrics.iter().map(|name| (*name).to_owned()).collect(),
        ..SampleSelection::default()
    };
    compare_result(
        &known,
        &sample_selection,
        &Selection::of(known.experiment, known.origin),
    )
    .unwrap()
}

/// A result with a run that failed, and its pages.
fn measured() -> (tempfile::TempDir, Crawled) {
    let directory = tempfile::tempdir().unwrap();
    let mut made = Made::plain();
    let failed = &mut made.records[4];
    failed.status = Status::Exit;
    failed.detail = Some("exit code 3".into());
    // Slow runs, whose mode is shown.
    for record in made
        .records
        .iter_mut()
        .filter(|record| record.variant == "new" && record.block % 3 == 0)
    {
        record
            .samples
            .iter_mut()
            .for_each(|sample| sample.value *= 0.4);
    }
    made.write(directory.path());
    let found = crawl(&Site::read(directory.path()), directory.path());
    (directory, found)
}

#[test]
fn the_data_is_what_compare_prints() {
    let (directory, found) = measured();
    let text = |address: &str| String::from_utf8(found.files[address].clone()).unwrap();
    let asked = report(directory.path(), &[]);
    assert_eq!(text("data/report.json"), json(&asked));
    assert_eq!(text("data/report.csv"), csv(&asked));
    assert_eq!(text("data/metric-1.json"), json(&asked));
    // What the experiment does not ask about is computed from fewer samples, with the same outcome.
    assert_eq!(
        text("data/metric-2.json"),
        json(&report(directory.path(), &["steps"]))
    );
}

#[test]
fn every_sample_is_in_the_table_of_samples() {
    let (directory, found) = measured();
    let records = OpenedResult::open(directory.path()).unwrap().records;
    let mut rows = csv::Reader::from_reader(found.files["data/samples.csv"].as_slice());
    let mut rows = rows.records();
    for record in &records {
        for sample in &record.samples {
            let row = rows.next().unwrap().unwrap();
            let [run, block, unit] =
                [record.run, record.block, record.unit].map(|number| number.to_string());
            let expected = [
                run.as_str(),
                &block,
                &unit,
                &record.cell,
                &record.variant,
                &record.workload,
                record.status.name(),
                &record.started,
                sample.benchmark.as_deref().unwrap_or_default(),
                &sample.metric.name,
                &sample.metric.unit,
            ];
            assert_eq!(row.iter().take(11).collect::<Vec<_>>(), expected);
            assert_eq!(
                row[11].parse::<f64>().unwrap().to_bits(),
                sample.value.to_bits()
            );
        }
    }
    assert!(rows.next().is_none());
}

#[test]
fn tables_show_the_rows_of_the_report() {
    let (directory, found) = measured();
    let asked = report(directory.path(), &[]);
    let others = report(directory.path(), &["steps"]);
    for (address, report, metric) in [
        ("index.html", &asked, 1),
        ("metric-1.html", &asked, 1),
        ("metric-2.html", &others, 2),
    ] {
        let page = found.page(address);
        let mut seen = 0;
        for line in all(
            page.root_element(),
            "section[aria-label=Comparisons] tbody tr",
        ) {
            let Some(verdict) = all(line, "td .verdict").first().copied() else {
                continue;
            };
            let link = all(line, "th a[href]")[0].attr("href").unwrap();
            let row = row_at(report, metric, link);
            // A pooled row has no median of its own.
            let is_pooled = report.pooled.iter().any(|own| std::ptr::eq(own, row));
            let medians = [row.base.median, row.candidate.median];
            let mut expected: Vec<f64> = medians.into_iter().filter(|_| !is_pooled).collect();
            expected.extend([row.typical.difference, row.mean.difference]);
            expected.extend(row.slow.as_ref().map(|slow| slow.difference));
            let bits = |values: &[f64]| {
                values
                    .iter()
                    .map(|value| value.to_bits())
                    .collect::<Vec<_>>()
            };
            assert_eq!(bits(&numbers(line)), bits(&expected), "{link}");
            assert!(
                text(verdict).ends_with(&headline(row)),
                "{link}: {} {}",
                text(verdict),
                headline(row)
            );
            seen += 1;
        }
        assert_eq!(seen, report.rows.len() + report.pooled.len(), "{address}");
    }
}

#[test]
fn the_sides_of_each_row_are_those_of_the_report() {
    let (directory, found) = measured();
    let asked = report(directory.path(), &[]);
    let page = found.page("metric-1.html");
    let lines = all(page.root_element(), "[aria-label='Every side'] tbody tr");
    // Both candidates, and the baseline once.
    assert_eq!(lines.len(), asked.rows.len() / 2 * 3);
    for line in lines {
        let row = row_at(&asked, 1, all(line, "th a")[0].attr("href").unwrap());
        let variant = text(all(line, "td")[0]);
        let side = if variant == row.variant {
            &row.candidate
        } else {
            &row.base
        };
        assert!(variant == row.variant || variant == asked.baseline);
        let [mean, low, sd, min, max, median] = numbers(line)[..] else {
            panic!("{:?}", numbers(line));
        };
        assert_eq!(
            [mean, min, max, median],
            [side.mean, side.min, side.max, side.median]
        );
        assert_eq!((Some(low), Some(sd)), (side.mean_low, side.sd));
        assert_eq!(text(all(line, "td.number")[0]), side.n.to_string());
    }
}

#[test]
fn each_value_of_a_row_leads_to_the_run_that_measured_it() {
    let (directory, found) = measured();
    let records = OpenedResult::open(directory.path()).unwrap().records;
    let reports = [
        report(directory.path(), &[]),
        report(directory.path(), &["steps"]),
    ];
    let mut slow = 0;
    for (metric, report) in (1..).zip(&reports) {
        for (place, row) in (1..).zip(&report.rows) {
            let address = format!("comparison-{metric}-{place}.html");
            let page = found.page(&address);
            let (mut base, mut candidate) = (Vec::new(), Vec::new());
            for line in all(page.root_element(), "#values tbody tr") {
                let link = all(line, "td a")[0].attr("href").unwrap();
                let cells: Vec<String> = all(line, "td").into_iter().map(text).collect();
                let value = numbers(line)[0];
                let run: u32 = cells[0].parse().unwrap();
                assert_eq!(link, format!("run-{run}.html"));
                let record = records.iter().find(|record| record.run == run).unwrap();
                assert_eq!(
                    (cells[1].parse(), &cells[2]),
                    (Ok(record.block), &record.variant),
                    "{address}"
                );
                assert_eq!(
                    (&record.workload, &record.parameters),
                    (&row.key.workload, &row.key.parameters)
                );
                assert!(record.status.passed());
                assert!(samples(&found, link).contains(&(
                    row.key.benchmark.clone(),
                    row.key.metric.name.clone(),
                    value
                )));
                let side = if record.variant == report.baseline {
                    &mut base
                } else {
                    &mut candidate
                };
                side.push(value);
                slow += usize::from(cells.get(4).is_some_and(|mode| mode == "slow"));
            }
            assert_eq!(sorted(base), sorted(row.base.values.clone()), "{address}");
            assert_eq!(
                sorted(candidate),
                sorted(row.candidate.values.clone()),
                "{address}"
            );
        }
    }
    let told = |row: &Row| {
        row.slow
            .as_ref()
            .map_or(0, |slow| slow.base + slow.candidate)
    };
    let told: usize = reports
        .iter()
        .flat_map(|report| &report.rows)
        .map(told)
        .sum();
    assert_eq!(slow, told);
}

/// Benchmark, metric and value of each sample on the page of a run.
fn samples(found: &Crawled, address: &str) -> Vec<(Option<String>, String, f64)> {
    let page = found.page(address);
    let lines = all(page.root_element(), "[aria-label=Samples] tbody tr");
    let sample = |line: ElementRef<'_>| {
        let cells = all(line, "td");
        (
            Some(text(cells[0])).filter(|benchmark| !benchmark.is_empty()),
            text(cells[1]),
            numbers(line)[0],
        )
    };
    lines.into_iter().map(sample).collect()
}

#[test]
fn a_comparison_says_what_detail_says() {
    let (directory, found) = measured();
    let asked = report(directory.path(), &[]);
    let rows = asked.rows.iter().chain(&asked.pooled);
    for (place, row) in (1..).zip(rows) {
        let page = found.page(&format!("comparison-1-{place}.html"));
        let facts_of = |selector: &str| -> Vec<String> {
            all(page.root_element(), selector)
                .into_iter()
                .map(text)
                .collect()
        };
        let shown: Vec<(String, String)> = facts_of("dl.facts > dt")
            .into_iter()
            .zip(facts_of("dl.facts > dd"))
            .collect();
        assert_eq!(shown, facts(row, &asked));
        let warnings = facts_of("section.warnings li");
        assert!(
            row_warnings(row, &asked)
                .iter()
                .all(|warning| warnings.contains(warning)),
            "{warnings:?}"
        );
    }
}

#[test]
fn points_of_plots_lead_to_runs_and_rows() {
    let (_directory, found) = measured();
    let leads_to = |start: &str| {
        found
            .linked_by_points
            .iter()
            .filter(|link| link.starts_with(start))
            .count()
    };
    // 36 runs, of which one failed.
    assert_eq!(leads_to("run-"), 35);
    assert!(leads_to("comparison-") >= 16);
}

#[test]
fn a_run_that_failed_is_shown_as_such() {
    let (_directory, found) = measured();
    let page = found.page("runs.html");
    let failed = all(page.root_element(), "tr.failed");
    assert_eq!(failed.len(), 1);
    let link = all(failed[0], "a")[0].attr("href").unwrap();
    let said = found.text(link);
    assert!(said.contains("exit code 3"), "{said}");
    assert_eq!(all(page.root_element(), "#runs tbody tr").len(), 36);
    assert!(found.text("index.html").contains("1 of them failed"));
}

/// The row that an address stands for.
#[track_caller]
fn row_at<'r>(report: &'r Comparison, metric: usize, address: &str) -> &'r Row {
    let start = format!("comparison-{metric}-");
    let place = address
        .strip_prefix(&start)
        .and_then(|rest| rest.strip_suffix(".html"));
    let place: usize = place
        .unwrap_or_else(|| panic!("{address}"))
        .parse()
        .unwrap();
    report
        .rows
        .iter()
        .chain(&report.pooled)
        .nth(place - 1)
        .unwrap()
}

/// What cells are sorted by.
fn numbers(line: ElementRef<'_>) -> Vec<f64> {
    let cells = all(line, "td[data-value]");
    cells
        .iter()
        .map(|cell| cell.attr("data-value").unwrap().parse().unwrap())
        .collect()
}

fn sorted(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_by(f64::total_cmp);
    values
}
