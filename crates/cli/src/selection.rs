//! Which result, baseline, claims and confidence a command is about.

use std::path::Path;

use clap::ValueEnum;
use perflab_compare::{
    Claims, Comparison, ResultInput, SampleSelection, Selection, calibrate, compare_result,
    usable_cpus,
};
use perflab_experiment::{Experiment, Plan};
use perflab_store::{ResultDir, RunRecord};

use crate::failure::{Failure, analysis_failure, store_failure};
use crate::percent::percent;
use crate::progress::counting;

/// Claims that can be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Claim {
    /// About the typical run.
    Typical,
    /// About the mean.
    Mean,
}

/// What a result holds.
pub struct Recorded {
    /// Its directory.
    pub result: ResultDir,
    /// The experiment as it was executed.
    pub experiment: Experiment,
    /// Its plan.
    pub plan: Plan,
    /// Its runs.
    pub records: Vec<RunRecord>,
}

impl Recorded {
    /// The report on it.
    pub fn compare(
        &self,
        sample_selection: &SampleSelection,
        selection: &Selection,
    ) -> Result<Comparison, Failure> {
        compare_result(&self.known()?, sample_selection, selection)
            .map_err(|error| analysis_failure(&error))
    }

    /// Adds to that report how often such reports are false where nothing differs.
    pub fn calibrate(
        &self,
        report: &mut Comparison,
        sample_selection: &SampleSelection,
        selection: &Selection,
        reports: u32,
    ) -> Result<(), Failure> {
        let known = self.known()?;
        counting("calibrating", reports, |tick| {
            calibrate(report, &known, sample_selection, selection, reports, tick)
        })
        .map_err(|error| analysis_failure(&error))
    }

    fn known(&self) -> Result<ResultInput<'_>, Failure> {
        let fingerprint = self.result.fingerprint().ok();
        Ok(ResultInput {
            directory: Some(self.result.path()),
            origin: &self.result.meta().origin,
            experiment: &self.experiment,
            plan: &self.plan,
            records: &self.records,
            stopped: self.result.stopped().map_err(store_failure)?,
            notices: self.result.notices(),
            usable_cpus: fingerprint.as_ref().and_then(usable_cpus),
        })
    }
}

/// Whether a directory is a result, though perhaps a damaged one.
pub fn is_result(path: &Path) -> bool {
    ["meta.json", "runs.jsonl"]
        .iter()
        .any(|file| path.join(file).exists())
}

/// Reads a result.
pub fn opened(path: &Path) -> Result<Recorded, Failure> {
    let result = ResultDir::open(path).map_err(store_failure)?;
    let records = result.records().map_err(store_failure)?;
    let frozen = path.join("experiment.toml");
    let mut experiment = Experiment::parse(result.experiment(), &frozen.display().to_string())
        .map_err(|error| Failure::no_data(error.to_string()))?;
    // A file that names no experiment gives it its own name, which here is another one.
    experiment.name.clone_from(&result.meta().origin.name);
    let plan: Plan = result.plan().map_err(store_failure)?;
    Ok(Recorded {
        result,
        experiment,
        plan,
        records,
    })
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
    /// Which claims are made.
    pub claims: Claims,
}

/// How a result is compared.
pub fn chosen(recorded: &Recorded, chosen: Chosen<'_>) -> Selection {
    let own = Selection::of(&recorded.experiment, &recorded.result.meta().origin);
    let baseline = chosen.baseline.map(str::to_owned).or(own.baseline.clone());
    Selection {
        // The control is the experiment's own baseline once more, and no other's.
        control: own.control.filter(|_| baseline == own.baseline),
        baseline,
        margin: chosen.margin.or(own.margin),
        confidence: chosen.confidence.unwrap_or(own.confidence),
        claims: chosen.claims,
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

/// The claims of the command line; all where none are given.
pub fn claims(list: &[Claim]) -> Claims {
    if list.is_empty() {
        return Claims::default();
    }
    Claims {
        typical: list.contains(&Claim::Typical),
        mean: list.contains(&Claim::Mean),
    }
}
