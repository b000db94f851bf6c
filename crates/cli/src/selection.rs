//! Which result, baseline, questions and confidence a command is about.

use std::path::Path;

use clap::ValueEnum;
use perflab_compare::{Questions, ResultInput, Selection};
use perflab_store::{OpenedResult, RunRecord};

use crate::failure::Failure;
use crate::percent::percent;

/// Questions that can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Question {
    /// About the typical run.
    Typical,
    /// About the mean.
    Mean,
}

/// Reads a result.
pub fn open(path: &Path) -> Result<OpenedResult, Failure> {
    OpenedResult::open(path).map_err(Failure::from)
}

/// What of a result is compared.
pub fn input(result: &OpenedResult) -> Result<ResultInput<'_>, Failure> {
    ResultInput::of(result).map_err(Failure::no_data)
}

/// A name that there is not is a slip, which an empty answer would hide.
pub fn known(what: &str, names: &[String], is_known: impl Fn(&str) -> bool) -> Result<(), Failure> {
    match names.iter().find(|name| !is_known(name)) {
        None => Ok(()),
        Some(name) => Err(Failure::usage(format!(
            "there is no {what} `{name}` in the result"
        ))),
    }
}

/// Refuses metrics that no run has.
pub fn known_metrics(names: &[String], records: &[RunRecord]) -> Result<(), Failure> {
    known("metric", names, |name| {
        let mut samples = records.iter().flat_map(|record| &record.samples);
        samples.any(|sample| sample.metric.name == name)
    })
}

/// What the command line says instead of the experiment.
#[derive(Debug, Clone, Copy)]
pub struct Chosen<'a> {
    /// The baseline.
    pub baseline: Option<&'a str>,
    /// The margin.
    pub margin: Option<f64>,
    /// The confidence level.
    pub confidence: Option<f64>,
    /// Which questions are asked.
    pub questions: Questions,
}

/// How a result is compared.
pub fn chosen(result: &ResultInput<'_>, chosen: Chosen<'_>) -> Selection {
    let own = Selection::of(result.experiment, result.origin);
    let baseline = chosen.baseline.map(str::to_owned).or(own.baseline.clone());
    Selection {
        // The control is the experiment's own baseline once more, and no other's.
        control: own.control.filter(|_| baseline == own.baseline),
        baseline,
        margin: chosen.margin.or(own.margin),
        confidence: chosen.confidence.unwrap_or(own.confidence),
        questions: chosen.questions,
        ..own
    }
}

/// A confidence level of the command line.
pub fn confidence(text: Option<&str>) -> Result<Option<f64>, Failure> {
    match text.map(percent).transpose()? {
        Some(level) if level <= 0.5 || level >= 1.0 => Err(Failure::usage(format!(
            "--confidence: expected more than 50% and less than 100%, found {}%",
            level * 100.0
        ))),
        level => Ok(level),
    }
}

/// The questions of the command line; all where none are given.
pub fn questions(list: &[Question]) -> Questions {
    if list.is_empty() {
        return Questions::default();
    }
    Questions {
        typical: list.contains(&Question::Typical),
        mean: list.contains(&Question::Mean),
    }
}
