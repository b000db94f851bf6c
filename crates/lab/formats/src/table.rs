//! Results as CSV, a line for each sample, and as a Markdown table, a line for each benchmark.

use std::fmt::Write as _;

use csv::Writer;
use indexmap::IndexSet;

use crate::fault::WriteFault;
use crate::run::{Run, word};
use crate::summary::{Scope, summaries};

/// Every sample of every run on a line of its own, with a column for each parameter. A run that
/// failed has a line without a value.
///
/// # Errors
/// Only if the writer fails.
pub fn write_csv(runs: &[Run]) -> Result<String, WriteFault> {
    let parameters: IndexSet<&String> = runs.iter().flat_map(|run| run.parameters.keys()).collect();
    let mut header: Vec<String> = ["run", "block", "unit_of_evidence", "variant", "workload"]
        .map(str::to_owned)
        .to_vec();
    header.extend(parameters.iter().map(|name| format!("parameter_{name}")));
    header.extend(
        [
            "status",
            "started",
            "benchmark",
            "metric",
            "unit",
            "better",
            "value",
        ]
        .map(str::to_owned),
    );
    let mut writer = Writer::from_writer(Vec::new());
    writer.write_record(&header).map_err(WriteFault::writer)?;
    for run in runs {
        let number = |of: fn(&crate::run::Place) -> u32| {
            run.place
                .as_ref()
                .map(of)
                .map_or_else(String::new, |n| n.to_string())
        };
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let mut start = vec![
            number(|place| place.run),
            number(|place| place.block),
            number(|place| place.unit),
            text(&run.variant),
            text(&run.workload),
        ];
        let values = parameters
            .iter()
            .map(|name| run.parameters.get(*name).cloned().unwrap_or_default());
        start.extend(values);
        start.push(run.failure.clone().unwrap_or_else(|| "PASS".to_owned()));
        start.push(text(&run.started));
        let mut ends: Vec<[String; 5]> = run
            .samples
            .iter()
            .map(|sample| {
                [
                    text(&sample.benchmark),
                    sample.metric.name.clone(),
                    sample.metric.unit.clone(),
                    word(sample.metric.better).to_owned(),
                    sample.value.to_string(),
                ]
            })
            .collect();
        if ends.is_empty() {
            ends.push(Default::default());
        }
        for end in ends {
            writer
                .write_record(start.iter().chain(&end))
                .map_err(WriteFault::writer)?;
        }
    }
    let bytes = writer.into_inner().map_err(WriteFault::writer)?;
    String::from_utf8(bytes).map_err(WriteFault::writer)
}

/// For each benchmark, variant and metric: how many runs, median, mean, deviation, smallest and largest. `cell` makes a
/// name the text of a cell.
///
/// # Errors
/// No samples.
pub fn write_markdown(runs: &[Run], cell: impl Fn(&str) -> String) -> Result<String, WriteFault> {
    let scope = Scope::of(runs);
    let found = summaries(runs);
    if found.is_empty() {
        return Err(WriteFault::no_samples());
    }
    let mut text =
        "| benchmark | metric | unit | better | runs | median | mean | sd | min | max |\n\
                    | :--- | :--- | :--- | :--- | ---: | ---: | ---: | ---: | ---: | ---: |\n"
            .to_owned();
    for summary in found {
        let metric = summary.metric;
        let deviation = summary.deviation().map_or_else(String::new, digits);
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {deviation} | {} | {} |",
            cell(&summary.name(scope)),
            cell(&metric.name),
            cell(&metric.unit),
            word(metric.better),
            summary.values.len(),
            digits(summary.median()),
            digits(summary.mean()),
            digits(summary.min()),
            digits(summary.max()),
        );
    }
    Ok(text)
}

/// Six significant digits.
fn digits(value: f64) -> String {
    let rounded: f64 = format!("{value:.5e}").parse().unwrap_or(value);
    rounded.to_string()
}
