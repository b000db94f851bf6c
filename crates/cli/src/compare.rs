//! `perflab compare`: the verdicts on a result, or on plain files of numbers.

mod apart;
mod arguments;
pub mod gate;
mod plain;
mod recorded;

use std::path::Path;

use perflab_compare::Comparison;
use perflab_store::{RunRecord, is_result};

use crate::drawn::{Drawn, Kind, drawn};
use crate::failure::{Code, Failure};
use crate::numbers::refuse;
use crate::percent::margin;
use crate::selection::{confidence, questions};
use crate::terminal;
use apart::apart;
pub use arguments::CompareArguments;
use arguments::Form;
use gate::{Gate, has_uncompared, verdict};
use plain::{labelled, labelled_results, plain, refuse_unnamed};
use recorded::recorded;

/// Executes the command.
pub fn compare(arguments: &CompareArguments) -> Result<Option<Code>, Failure> {
    let margin = arguments.margin.as_deref().map(margin).transpose()?;
    let confidence = confidence(arguments.confidence.as_deref())?;
    let questions = questions(&arguments.questions);
    refuse_for_format(arguments)?;
    refuse_unnamed(&arguments.results)?;
    let mut reports = Vec::new();
    // Of each report, where plots need them; none of plain files.
    let mut records: Vec<Vec<RunRecord>> = Vec::new();
    let mut is_incomplete = false;
    let mut unmeasured = Vec::new();
    let both = labelled_results(&arguments.results)?;
    let is_apart = both.is_some();
    if let Some(both) = both {
        reports.push(apart(both, arguments)?);
        records.push(Vec::new());
    } else if arguments
        .results
        .iter()
        .all(|result| labelled(result).is_some())
    {
        refuse(
            &[
                ("--metric", !arguments.metric.is_empty()),
                ("--benchmark", !arguments.benchmark.is_empty()),
                ("--tail", !arguments.tail.is_empty()),
            ],
            "is for results; a plain file has one value for each run (-C takes another column)",
        )?;
        reports.push(plain(arguments, margin, confidence, questions)?);
        records.push(Vec::new());
    } else {
        for result in &arguments.results {
            let path = Path::new(result);
            if is_result(path) {
                arguments.numbers.refuse_for_result(path)?;
                let reason = "is for plain files; a result knows what its runs are; leave it out";
                refuse(&[("--independent", arguments.independent)], reason)?;
            }
            let compared = recorded(path, arguments, margin, confidence, questions)?;
            reports.push(compared.report);
            records.push(compared.records);
            is_incomplete |= !compared.unmeasured.is_empty();
            unmeasured.extend(compared.unmeasured.sentences());
        }
    }
    // Where no change is tested, no margin makes it pass.
    let lacks_margin =
        |report: &Comparison| report.margin.is_none() && report.design.undecided.is_empty();
    if arguments.gate == Gate::Same && reports.iter().any(lacks_margin) {
        return Err(Failure::usage(if is_apart {
            "--gate same needs a margin, and the experiment of the first result declares none (`margin` in `design`)"
        } else {
            "--gate same needs a --margin: the largest difference that does not matter, as 1%"
        }));
    }
    if arguments.deciles || arguments.plot.contains(&Kind::Shift) {
        reports.iter_mut().for_each(perflab_compare::add_deciles);
    }
    let rendered = render(&reports, &records, arguments);
    terminal::print(&rendered.text)?;
    for sentence in &rendered.left_out {
        terminal::say(sentence);
    }
    for sentence in &unmeasured {
        terminal::say(&terminal::escape(sentence));
    }
    let undecided = reports
        .iter()
        .any(|report| !report.design.undecided.is_empty());
    Ok(verdict(
        &reports,
        undecided || is_incomplete || reports.iter().any(has_uncompared),
        arguments.gate,
    ))
}

/// Refuses what another form of the output would show.
fn refuse_for_format(arguments: &CompareArguments) -> Result<(), Failure> {
    let Form::Text = arguments.format else {
        refuse(
            &[
                ("--plot", !arguments.plot.is_empty()),
                ("--ascii", arguments.ascii),
                ("--detail", arguments.detail),
            ],
            "is for text; with another --format leave it out, or see `perflab report`",
        )?;
        let is_csv = arguments.format == Form::Csv;
        refuse(
            &[("--calibrate", arguments.calibrate.is_some() && is_csv)],
            "is not in CSV; take another --format",
        )?;
        let has_deciles = arguments.format == Form::Json;
        refuse(
            &[("--deciles", arguments.deciles && !has_deciles)],
            "is for text and JSON; choose one of them with --format",
        )?;
        let asks_for_drift = arguments.drift && arguments.format != Form::Markdown;
        return refuse(
            &[("--drift", asks_for_drift)],
            "is for text and Markdown; JSON and CSV have the drift in any case",
        );
    };
    Ok(())
}

fn render(
    reports: &[Comparison],
    records: &[Vec<RunRecord>],
    arguments: &CompareArguments,
) -> Drawn {
    let options = terminal::text_options(arguments.ascii);
    let mut out = String::new();
    let mut left_out = Vec::new();
    for (report, records) in reports.iter().zip(records) {
        match arguments.format {
            Form::Text => {
                out.push_str(&perflab_report::text(report, &options));
                if arguments.detail || arguments.deciles {
                    for row in report.all_rows() {
                        out.push('\n');
                        out.push_str(&perflab_report::detail(row, report, &options));
                    }
                }
                if arguments.drift {
                    out.push('\n');
                    out.push_str(&perflab_report::drift_text(report, &options));
                }
                let plots = drawn(report, records, &arguments.plot, &options);
                out.push_str(&plots.text);
                left_out.extend(plots.left_out);
            }
            Form::Json => out.push_str(&perflab_report::json(report)),
            Form::Csv => {
                out.push_str(&perflab_report::csv(report));
                // A table of rows has no place for what has none.
                left_out.extend(
                    perflab_report::left_out(report)
                        .iter()
                        .map(|text| terminal::escape(text)),
                );
            }
            Form::Markdown => {
                out.push_str(&perflab_report::markdown(report));
                if arguments.drift {
                    out.push('\n');
                    out.push_str(&perflab_report::drift_markdown(report));
                }
            }
        }
    }
    Drawn {
        text: out,
        left_out,
    }
}
