//! `perflab compare`: the verdicts on a result, or on plain files of numbers.

mod apart;
mod plain;
mod recorded;

use std::path::Path;

use clap::{Args, ValueEnum};
use perflab_compare::{AnalysisError, Comparison, Outcome, Row};
use perflab_plot::TextStyle;
use perflab_report::TextOptions;
use perflab_store::{RunRecord, is_result};

use crate::bench::margin;
use crate::drawn::{Drawn, Kind, drawn};
use crate::failure::{Code, Failure};
use crate::numbers::{NumbersArguments, refuse};
use crate::selection::{Claim, claims, confidence};
use crate::terminal;
use apart::apart;
use plain::{labelled, labelled_results, plain};
use recorded::recorded;

/// Compare variants with their baseline: which differ, by how much, and how sure that is.
///
/// Takes result directories of `perflab run`, or plain files of numbers, one per line, as
/// LABEL=FILE; the first is then the baseline. Two results as LABEL=RESULT are compared with each
/// other: what both measured of the same variant.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  perflab compare results/first\n  \
perflab compare results/first --metric wall --detail\n  \
perflab compare results/first --drift\n  \
perflab compare results/first --plot=forest,runs\n  \
perflab compare results/first --calibrate=200\n  \
perflab compare old=before.txt new=after.txt --unit ms --better lower\n  \
perflab compare monday=results/first tuesday=results/second\n  \
perflab compare results/first --margin 1% --gate same --format json")]
pub struct CompareArguments {
    /// A result directory, LABEL=FILE for each variant, or LABEL=RESULT for each of two.
    #[arg(required = true, value_name = "RESULT")]
    results: Vec<String>,

    /// The variant that the others are compared with.
    #[arg(long, value_name = "VARIANT")]
    baseline: Option<String>,

    /// Metrics to compare (may be given again) [default: the experiment's, else the driver's first].
    #[arg(long, value_name = "NAME")]
    metric: Vec<String>,

    /// Benchmarks to compare, as a request type or a subset that the experiment names (may be given
    /// again).
    #[arg(long, alias = "part", value_name = "NAME")]
    benchmark: Vec<String>,

    /// A quantile of each run's samples to compare together with their metric, as 99% or 99.9% (may be
    /// given again); it makes claims of its own.
    #[arg(long, value_name = "PERCENT", allow_hyphen_values = true)]
    tail: Vec<String>,

    /// Largest difference that does not matter, as in 1%; declare it before you look.
    #[arg(long, value_name = "PERCENT", allow_hyphen_values = true)]
    margin: Option<String>,

    /// Confidence level, as in 95%.
    #[arg(short, long, value_name = "PERCENT", allow_hyphen_values = true)]
    confidence: Option<String>,

    /// Which claims are made; all of them share the error [default: typical,mean].
    #[arg(long, value_enum, value_delimiter = ',')]
    claims: Vec<Claim>,

    /// Shuffle the labels of the runs within blocks, compute the whole report again, and print how
    /// often it finds a difference, each of which is false: of 1000 reports, or as many as are given.
    #[arg(
        long,
        value_name = "REPORTS",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "1000",
        value_parser = clap::value_parser!(u32).range(1..=1_000_000)
    )]
    calibrate: Option<u32>,

    /// Print the output in this form.
    #[arg(long, value_enum, default_value_t = Form::Text)]
    format: Form,

    /// What makes the command fail.
    #[arg(long, value_enum, default_value_t = Gate::Regression)]
    gate: Gate,

    /// Show for every row the plot, the modes, and what the runs could have shown.
    #[arg(long)]
    detail: bool,

    /// Compare every row decile by decile (implies --detail).
    #[arg(long)]
    deciles: bool,

    /// Show for every row how the levels and their difference moved from the first block to the
    /// last.
    #[arg(long)]
    drift: bool,

    /// Draw plots below the tables: without a value, all differences with their intervals.
    #[arg(
        long,
        value_enum,
        value_name = "KIND",
        value_delimiter = ',',
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "forest"
    )]
    plot: Vec<Kind>,

    /// Draw plots in ASCII only.
    #[arg(long)]
    ascii: bool,

    /// What plain files hold.
    #[command(flatten)]
    numbers: NumbersArguments,

    /// Believe that the numbers in plain files come from separate runs, though they do not look it.
    #[arg(long, conflicts_with = "iterations")]
    independent: bool,
}

/// Forms of output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// For people.
    Text,
    /// For programs: see `perflab schema result`.
    Json,
    /// For spreadsheets.
    Csv,
    /// For pull requests.
    Markdown,
}

/// What makes the command fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Gate {
    /// Exit code 1 when any claim is proven worse.
    Regression,
    /// Exit code 3 when any claim is not proven to be the same within the margin.
    Same,
    /// Never.
    None,
}

/// Executes the command.
pub fn compare(arguments: &CompareArguments) -> Result<Option<Code>, Failure> {
    let margin = arguments.margin.as_deref().map(margin).transpose()?;
    let confidence = confidence(arguments.confidence.as_deref())?;
    let claims = claims(&arguments.claims);
    refuse_for_format(arguments)?;
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
        reports.push(plain(arguments, margin, confidence, claims)?);
        records.push(Vec::new());
    } else {
        for result in &arguments.results {
            let path = Path::new(result);
            if is_result(path) {
                arguments.numbers.refuse_for_result(path)?;
                let reason = "is for plain files; a result knows what its runs are; leave it out";
                refuse(&[("--independent", arguments.independent)], reason)?;
            }
            let compared = recorded(path, arguments, margin, confidence, claims)?;
            reports.push(compared.report);
            records.push(compared.records);
            is_incomplete |= !compared.unmeasured.is_empty();
            unmeasured.extend(compared.unmeasured.sentences());
        }
    }
    // Where nothing is claimed of a change, no margin makes it pass.
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
    for sentence in &rendered.nothing {
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

/// Whether something that was measured is in no row, so that no gate may end with 0.
pub fn has_uncompared(report: &Comparison) -> bool {
    report.rows.is_empty() || report.is_one_sided()
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

/// Why there is nothing to say about the runs.
pub fn analysis_failure(error: &AnalysisError) -> Failure {
    let code = match error {
        AnalysisError::NoBaseline { .. }
        | AnalysisError::NoParts { .. }
        | AnalysisError::Unknown { .. } => Code::Usage,
        _ => Code::NoData,
    };
    Failure::new(code, error.to_string())
}

fn render(
    reports: &[Comparison],
    records: &[Vec<RunRecord>],
    arguments: &CompareArguments,
) -> Drawn {
    let options = TextOptions {
        width: terminal::columns().unwrap_or(120),
        colour: terminal::colour() && !arguments.ascii,
        ascii: arguments.ascii,
    };
    let mut out = String::new();
    let mut nothing = Vec::new();
    for (report, records) in reports.iter().zip(records) {
        match arguments.format {
            Form::Text => {
                out.push_str(&perflab_report::text(report, &options));
                if arguments.detail || arguments.deciles {
                    for row in report.rows.iter().chain(&report.pooled) {
                        out.push('\n');
                        out.push_str(&perflab_report::detail(row, report, &options));
                    }
                }
                if arguments.drift {
                    out.push('\n');
                    out.push_str(&perflab_report::drift_text(report, &options));
                }
                let style = TextStyle {
                    width: options.width,
                    colour: options.colour,
                    ascii: options.ascii,
                };
                let plots = drawn(report, records, &arguments.plot, &style);
                out.push_str(&plots.text);
                nothing.extend(plots.nothing);
            }
            Form::Json => out.push_str(&perflab_report::json(report)),
            Form::Csv => {
                out.push_str(&perflab_report::csv(report));
                // A table of rows has no place for what has none.
                nothing.extend(
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
    Drawn { text: out, nothing }
}

/// What the process ends with; `incomplete` where cells could not be measured.
pub fn verdict(reports: &[Comparison], incomplete: bool, gate: Gate) -> Option<Code> {
    let mut outcomes = reports
        .iter()
        .flat_map(|report| report.rows.iter().chain(&report.pooled))
        // Of what was not measured together nothing is asked.
        .filter(|row| row.is_asked())
        .map(Row::outcome);
    match gate {
        Gate::Regression if outcomes.clone().any(Outcome::is_regression) => Some(Code::Regression),
        // What was not measured cannot pass.
        Gate::Regression | Gate::Same if incomplete => Some(Code::NoData),
        Gate::Same if outcomes.any(|outcome| outcome != Outcome::Same) => Some(Code::NotSame),
        _ => None,
    }
}
