//! `perflab compare`: the verdicts on a result, or on plain files of numbers.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use clap::{Args, ValueEnum};
use perflab_experiment::{Better, Metric};
use perflab_report::{
    AnalysisError, Claims, Filter, Group, Report, Selection, TextOptions, Verdict, plain_report,
    result_report,
};
use perflab_stats::Observation;
use perflab_store::Stopped;

use crate::bench::{margin, percent};
use crate::failure::{Code, Failure};
use crate::run::store_failure;
use crate::selection::{Chosen, Claim, Recorded, chosen, claims, confidence, opened};
use crate::terminal;

/// Compare variants with their baseline: which differ, by how much, and how sure that is.
///
/// Takes result directories of `perflab run`, or plain files of numbers, one per line, as
/// LABEL=FILE; the first is then the baseline.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  perflab compare results/first\n  \
perflab compare results/first --metric wall --detail\n  \
perflab compare old=before.txt new=after.txt --unit ms --better lower\n  \
perflab compare results/first --margin 1% --gate same --format json")]
pub struct CompareArguments {
    /// A result directory, or LABEL=FILE for each variant.
    #[arg(required = true, value_name = "RESULT")]
    results: Vec<String>,

    /// The variant that the others are compared with.
    #[arg(long, value_name = "VARIANT")]
    baseline: Option<String>,

    /// Metrics to compare (may be given again) [default: the experiment's, else the driver's first].
    #[arg(long, value_name = "NAME")]
    metric: Vec<String>,

    /// Parts to compare, as a request type or a subset that the experiment names (may be given
    /// again).
    #[arg(long, value_name = "NAME")]
    part: Vec<String>,

    /// A quantile of each run's samples to compare beside their metric, as 99% or 99.9% (may be
    /// given again); it makes claims of its own.
    #[arg(long, value_name = "PERCENT")]
    tail: Vec<String>,

    /// Largest difference that does not matter, as in 1%; declare it before you look.
    #[arg(long, value_name = "PERCENT")]
    margin: Option<String>,

    /// Confidence level, as in 95%.
    #[arg(short, long, value_name = "PERCENT")]
    confidence: Option<String>,

    /// Which claims are made; all of them share the error.
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [Claim::Typical, Claim::Mean])]
    claims: Vec<Claim>,

    /// Form of the output.
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

    /// Plain ASCII.
    #[arg(long)]
    ascii: bool,

    /// Unit of the numbers in plain files.
    #[arg(long, value_name = "UNIT", default_value = "")]
    unit: String,

    /// Which way the numbers in plain files are better.
    #[arg(long, value_enum, default_value_t = Way::Lower)]
    better: Way,

    /// Column of plain files, from 1.
    #[arg(short = 'C', long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    column: u32,

    /// Delimiters of columns in plain files [default: blanks and tabs].
    #[arg(short, long, value_name = "CHARACTERS")]
    delimiter: Option<String>,

    /// In plain files each so many numbers in a row come from one process, and count as one.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    iterations: u32,

    /// Believe that the numbers in plain files come from separate runs, though they do not look it.
    #[arg(long)]
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

/// Which way is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Way {
    /// Less is better.
    Lower,
    /// More is better.
    Higher,
}

/// Executes the command.
pub fn compare(arguments: &CompareArguments) -> Result<Option<Code>, Failure> {
    let margin = arguments.margin.as_deref().map(margin).transpose()?;
    let confidence = confidence(arguments.confidence.as_deref())?;
    let claims = claims(&arguments.claims);
    let mut reports = Vec::new();
    let mut unmeasured = Vec::new();
    if arguments
        .results
        .iter()
        .all(|result| labelled(result).is_some())
    {
        if !arguments.tail.is_empty() {
            return Err(Failure::usage(
                "--tail is for results; a plain file gives one quantile for each run",
            ));
        }
        reports.push(plain(arguments, margin, confidence, claims)?);
    } else {
        for result in &arguments.results {
            let (report, cells) =
                recorded(Path::new(result), arguments, margin, confidence, claims)?;
            reports.push(report);
            unmeasured.extend(cells);
        }
    }
    if arguments.gate == Gate::Same && reports.iter().any(|report| report.margin.is_none()) {
        return Err(Failure::usage(
            "--gate same needs a --margin: the largest difference that does not matter, as 1%",
        ));
    }
    if arguments.deciles {
        reports.iter_mut().for_each(perflab_report::add_deciles);
    }
    terminal::print(&render(&reports, arguments))?;
    for cell in &unmeasured {
        terminal::say(&format!("no run of {cell} passed"));
    }
    Ok(verdict(&reports, !unmeasured.is_empty(), arguments.gate))
}

/// A quantile of the command line.
fn tail(text: &str) -> Result<f64, Failure> {
    match percent(text) {
        Ok(tail) if tail > 0.0 && tail < 1.0 => Ok(tail),
        _ => Err(Failure::usage(format!(
            "--tail: expected more than 0% and less than 100%, found {text}"
        ))),
    }
}

/// LABEL=FILE, unless a file or directory of the whole name exists.
fn labelled(text: &str) -> Option<(&str, &Path)> {
    let (label, file) = text.split_once('=')?;
    (!label.is_empty() && !Path::new(text).exists()).then_some((label, Path::new(file)))
}

/// The report on a result, and the cells that it can say nothing of.
fn recorded(
    path: &Path,
    arguments: &CompareArguments,
    margin: Option<f64>,
    confidence: Option<f64>,
    claims: Claims,
) -> Result<(Report, Vec<String>), Failure> {
    let Recorded {
        result,
        experiment,
        plan,
        records,
    } = opened(path)?;
    let selection = chosen(
        &experiment,
        Chosen {
            baseline: arguments.baseline.as_deref(),
            margin,
            confidence,
            claims,
            anytime: result.meta().origin.until_decided.is_some(),
        },
    );
    if selection.anytime && !claims.typical {
        return Err(Failure::usage(format!(
            "{} was measured until decided: nothing can be claimed of its means; leave --claims out, \
             or measure a fixed number of runs",
            path.display()
        )));
    }
    let filter = Filter {
        metrics: arguments.metric.clone(),
        parts: arguments.part.clone(),
        tails: arguments
            .tail
            .iter()
            .map(|text| tail(text))
            .collect::<Result<_, _>>()?,
    };
    let mut report = result_report(&experiment, &plan, &records, &filter, &selection)
        .map_err(|error| analysis_failure(&error))?;
    note_stop(&mut report, result.stopped().map_err(store_failure)?);
    if let Some(imported) = &result.meta().origin.imported
        && imported.independent
    {
        report.warnings.push(
            "imported with --independent: values that one process made count as runs, though what \
             changes from process to process is in none of them"
                .to_owned(),
        );
    }
    for notice in result.notices() {
        report.warnings.push(notice.to_string());
    }
    let passed: HashSet<&str> = records
        .iter()
        .filter(|record| record.status.passed())
        .map(|record| record.cell.as_str())
        .collect();
    let cells = plan.cells.into_iter().map(|cell| cell.id);
    Ok((
        report,
        cells
            .filter(|cell| !passed.contains(cell.as_str()))
            .collect(),
    ))
}

/// Why the experiment ended, unless it has gone on since.
pub fn note_stop(report: &mut Report, stopped: Option<Stopped>) {
    if let (Some(until), Some(stopped)) = (&mut report.design.until_decided, stopped)
        && stopped.blocks == until.blocks
    {
        until.stopped = Some(stopped.reason);
    }
}

fn plain(
    arguments: &CompareArguments,
    margin: Option<f64>,
    confidence: Option<f64>,
    claims: Claims,
) -> Result<Report, Failure> {
    let mut groups: Vec<Group> = Vec::new();
    for (label, file) in arguments
        .results
        .iter()
        .filter_map(|result| labelled(result))
    {
        if groups.iter().any(|group| group.variant == label) {
            return Err(Failure::usage(format!(
                "the label `{label}` is given twice"
            )));
        }
        let values = column(file, arguments.column, arguments.delimiter.as_deref())?;
        if arguments.iterations == 1 && !arguments.independent {
            refuse_iterations(&values, file)?;
        }
        let observations = values
            .iter()
            .enumerate()
            .map(|(index, value)| Observation {
                block: 1,
                unit: u32::try_from(index).unwrap_or(u32::MAX) / arguments.iterations,
                value: *value,
            })
            .collect();
        groups.push(Group {
            variant: label.to_owned(),
            observations,
        });
    }
    let metric = Metric {
        name: "value".to_owned(),
        unit: arguments.unit.clone(),
        better: match arguments.better {
            Way::Lower => Better::Lower,
            Way::Higher => Better::Higher,
        },
    };
    let selection = Selection {
        baseline: arguments.baseline.clone(),
        control: None,
        margin,
        confidence: confidence.unwrap_or(0.95),
        claims,
        anytime: false,
    };
    let mut report = plain_report("plain files", &metric, groups, &selection)
        .map_err(|error| analysis_failure(&error))?;
    report.warnings.push(
        "nothing is known of the order of these runs: if they were not interleaved, whatever \
         changed meanwhile on the machine counts as a difference"
            .to_owned(),
    );
    Ok(report)
}

/// A column of a plain file, counted from 1.
pub fn column(file: &Path, column: u32, delimiter: Option<&str>) -> Result<Vec<f64>, Failure> {
    let bytes = fs::read(file)
        .map_err(|error| Failure::usage(format!("cannot read {}: {error}", file.display())))?;
    let delimiter = delimiter.unwrap_or(perflab_formats::columns::WHITE_SPACE);
    perflab_formats::columns::read(&bytes, column as usize, delimiter)
        .map_err(|error| Failure::no_data(format!("{}: {error}", file.display())))
}

/// Numbers that hang together from one to the next are iterations of few processes. Counted as
/// runs they would prove whatever one likes.
fn refuse_iterations(values: &[f64], file: &Path) -> Result<(), Failure> {
    if !perflab_stats::dependence::looks_dependent(values) {
        return Ok(());
    }
    Err(Failure::no_data(format!(
        "the {} numbers in {} hang together from one to the next, as iterations inside a process \
         or a machine that drifts do; counted one by one they would prove differences that are not \
         there. If each N in a row are one process, say --iterations N; if they are separate runs \
         all the same, say --independent",
        values.len(),
        file.display()
    )))
}

/// Why there is nothing to say about the runs.
pub fn analysis_failure(error: &AnalysisError) -> Failure {
    let code = match error {
        AnalysisError::NoBaseline { .. } | AnalysisError::Unknown { .. } => Code::Usage,
        _ => Code::NoData,
    };
    Failure::new(code, error.to_string())
}

fn render(reports: &[Report], arguments: &CompareArguments) -> String {
    let options = TextOptions {
        width: terminal::columns().unwrap_or(120),
        colour: terminal::colour() && !arguments.ascii,
        ascii: arguments.ascii,
    };
    let mut out = String::new();
    for report in reports {
        match arguments.format {
            Form::Text => {
                out.push_str(&perflab_report::text(report, &options));
                if arguments.detail || arguments.deciles {
                    for row in report.rows.iter().chain(&report.pooled) {
                        out.push('\n');
                        out.push_str(&perflab_report::detail(row, report, &options));
                    }
                }
            }
            Form::Json => out.push_str(&perflab_report::json(report)),
            Form::Csv => out.push_str(&perflab_report::csv(report)),
            Form::Markdown => out.push_str(&perflab_report::markdown(report)),
        }
    }
    out
}

/// What the process ends with; `incomplete` where cells could not be measured.
pub fn verdict(reports: &[Report], incomplete: bool, gate: Gate) -> Option<Code> {
    let claims = || {
        reports
            .iter()
            .flat_map(|report| report.rows.iter().chain(&report.pooled))
            .flat_map(|row| [&row.typical, &row.mean])
            .filter(|answer| answer.p_adjusted.is_some())
    };
    match gate {
        Gate::Regression if claims().any(|answer| answer.verdict == Verdict::Worse) => {
            Some(Code::Regression)
        }
        // What was not measured cannot pass.
        Gate::Regression | Gate::Same if incomplete => Some(Code::NoData),
        Gate::Same if claims().any(|answer| answer.verdict != Verdict::Same) => Some(Code::NotSame),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_told_from_paths() {
        assert_eq!(labelled("a=b.txt"), Some(("a", Path::new("b.txt"))));
        assert_eq!(labelled("=b.txt"), None);
        assert_eq!(labelled("results/x"), None);
    }
}
