//! Which result, baseline, claims and confidence a command is about.

use std::path::Path;

use clap::ValueEnum;
use perflab_experiment::{CpuList, Experiment, Plan};
use perflab_report::{Claims, Selection};
use perflab_store::{ResultDir, RunRecord};

use crate::bench::percent;
use crate::failure::Failure;
use crate::run::{Surroundings, store_failure};

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

/// Reads a result.
pub fn opened(path: &Path) -> Result<Recorded, Failure> {
    if !path.is_dir() {
        return Err(Failure::usage(format!(
            "{} is no result directory; for plain files write LABEL=FILE for each, as in old=a.txt new=b.txt",
            path.display()
        )));
    }
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

/// How many CPUs a process could use where a result was measured, unless it was pinned; none where
/// the fingerprint does not say.
pub fn usable_cpus(result: &ResultDir) -> Option<usize> {
    let machine = result.fingerprint::<Surroundings>().ok()?.machine;
    let allowed = machine.confinement.allowed_cpus?.parse::<CpuList>().ok()?;
    Some(allowed.numbers().len())
}

/// What the command line says in place of the experiment.
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
    /// Whether only claims are made that hold whenever one looks.
    pub anytime: bool,
}

/// How an experiment is compared.
pub fn chosen(experiment: &Experiment, chosen: Chosen<'_>) -> Selection {
    Selection {
        baseline: Some(chosen.baseline.unwrap_or(experiment.baseline()).to_owned()),
        // The control is the experiment's own baseline once more, and no other's.
        control: experiment.design.control.clone().filter(|_| {
            chosen
                .baseline
                .is_none_or(|baseline| baseline == experiment.baseline())
        }),
        margin: chosen.margin.or(experiment.design.margin),
        confidence: chosen.confidence.unwrap_or(experiment.design.confidence),
        claims: chosen.claims,
        anytime: chosen.anytime,
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

/// The claims of the command line.
pub fn claims(list: &[Claim]) -> Claims {
    Claims {
        typical: list.contains(&Claim::Typical),
        mean: list.contains(&Claim::Mean),
    }
}
