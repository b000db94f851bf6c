//! What the pages show, for programs.

use std::collections::HashMap;
use std::fmt::Write as _;

use perflab_compare::{Comparison, Measured, Row};
use perflab_experiment::Metric;
use perflab_report::plots::Sided;
use perflab_report::{csv, json};

use crate::result::SalvagedResult;

/// A report as JSON; an object with the reason where there is none.
pub(crate) fn report_json(report: Result<&Comparison, &str>) -> String {
    match report {
        Ok(report) => json(report),
        Err(reason) => format!("{}\n", serde_json::json!({ "error": reason })),
    }
}

pub(crate) fn report_csv(report: Result<&Comparison, &str>) -> String {
    report.map(csv).unwrap_or_default()
}

/// The values of a comparison, with their runs where they are of one.
pub(crate) fn comparison_csv(row: &Row, sides: &[Sided; 2]) -> String {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    // Writing into memory cannot fail.
    let _ = writer.write_record(["run", "block", "variant", "metric", "unit", "value", "mode"]);
    for side in sides {
        for ((value, measured), slow) in side.values.iter().zip(&side.is_slow) {
            let of_run = |number: fn(&Measured) -> u32| {
                measured
                    .as_ref()
                    .map(|measured| number(measured).to_string())
                    .unwrap_or_default()
            };
            let _ = writer.write_record([
                of_run(|measured| measured.run).as_str(),
                of_run(|measured| measured.block).as_str(),
                &side.variant,
                &row.key.metric.name,
                &row.key.metric.unit,
                &value.to_string(),
                if *slow { "slow" } else { "" },
            ]);
        }
    }
    text(writer)
}

fn text(writer: ::csv::Writer<Vec<u8>>) -> String {
    let bytes = writer.into_inner().unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Every sample of every run that is recorded, also of those that failed.
pub(crate) fn samples_csv(result: &SalvagedResult) -> String {
    let header = [
        "run",
        "block",
        "unit",
        "cell",
        "variant",
        "workload",
        "status",
        "started",
        "benchmark",
        "metric",
        "unit_of_value",
        "value",
    ];
    let mut table = line(&header) + "\n";
    // Samples are many; what they measure are few things.
    let mut things: HashMap<(Option<&str>, &Metric), String> = HashMap::new();
    for record in result.records() {
        let own = line(&[
            &record.run.to_string(),
            &record.block.to_string(),
            &record.unit.to_string(),
            &record.cell,
            &record.variant,
            &record.workload,
            record.status.name(),
            &record.started,
        ]);
        for sample in &record.samples {
            let (benchmark, metric) = (sample.benchmark.as_deref(), &sample.metric);
            let thing = things.entry((benchmark, metric)).or_insert_with(|| {
                line(&[benchmark.unwrap_or_default(), &metric.name, &metric.unit])
            });
            // Writing into memory cannot fail.
            let _ = writeln!(table, "{own},{thing},{}", sample.value);
        }
        if record.samples.is_empty() {
            let _ = writeln!(table, "{own},,,,");
        }
    }
    table
}

/// A line of a table, without its end.
fn line(fields: &[&str]) -> String {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    let _ = writer.write_record(fields);
    let mut line = text(writer);
    line.truncate(line.trim_end_matches('\n').len());
    line
}
