//! `perflab run`: executes an experiment file, or goes on with one.

mod decided;
mod dry_run;
mod failures;
mod result;
mod scratch;
mod unequal;
mod unfinished;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use indexmap::IndexMap;
use perflab_experiment::{Experiment, MAX_RUNS, Plan, counted, renamed_keys};
use perflab_machine::{Fingerprint, LockError, MachineLock};
use perflab_report::operand;
use perflab_runner::{Lab, Preflight, Programs, preflight, programs, unknown_metrics};
use perflab_store::RunRecord;
use serde::{Deserialize, Serialize};

use crate::doctor::settle;
use crate::failure::{Code, Failure};
use crate::progress::{Extent, Progress};
use crate::settings;
use crate::standby::stand_by;
use crate::terminal;
use crate::until::UntilArguments;
pub(crate) use decided::comparisons_of;
use decided::{Decided, comparisons};
use dry_run::dry_run;
use failures::lab_failure;
pub(crate) use failures::store_failure;
use result::{create, resume};
use scratch::tempdir;

/// Where results go unless told otherwise.
pub const RESULTS: &str = "results";

/// Run an experiment: measures every cell of its plan and keeps each run.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  perflab run experiments/sort.toml --dry-run\n  \
perflab run experiments/sort.toml --runs 12 --out results/first\n  \
perflab run experiments/sort.toml --resume --out results/first"
)]
pub struct RunArguments {
    /// The experiment file.
    #[arg(value_name = "EXP.toml")]
    file: PathBuf,

    /// Runs of each cell, instead of the file's.
    #[arg(long, value_name = "N", conflicts_with_all = ["resume", "until_decided"])]
    runs: Option<u32>,

    /// With --until-decided: most runs of each cell, instead of the file's.
    #[arg(
        long,
        value_name = "N",
        requires = "until_decided",
        conflicts_with_all = ["resume", "runs"]
    )]
    max_runs: Option<u32>,

    /// Seed of the random order, instead of the file's.
    #[arg(long, value_name = "SEED", conflicts_with = "resume")]
    seed: Option<u64>,

    /// Go on with an experiment that was interrupted: the result in --out, or else the newest one
    /// of this experiment below the directory `results` that has runs left.
    #[arg(long)]
    resume: bool,

    /// Print the plan and the time limits; run nothing.
    #[arg(long, conflicts_with = "resume")]
    dry_run: bool,

    /// Directory of the result [default: results/NAME-TIME].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Let variants change settings of the machine as their tables `machine` say; they are put back
    /// afterwards. Needs root.
    #[arg(long)]
    allow_machine_settings: bool,

    /// Wait while another laboratory measures on this machine.
    #[arg(long)]
    wait: bool,

    /// When to stop by the results.
    #[command(flatten)]
    until: UntilArguments,

    /// Print no progress.
    #[arg(short, long)]
    quiet: bool,
}

/// What is kept of the surroundings of a result.
#[derive(Debug, Serialize, Deserialize)]
pub struct Surroundings {
    /// The machine.
    pub machine: Fingerprint,
    /// What runs on it.
    #[serde(default)]
    pub programs: IndexMap<String, Programs>,
}

/// Executes the command.
pub fn run(arguments: &RunArguments) -> Result<Option<Code>, Failure> {
    let text = read(&arguments.file)?;
    let mut experiment = parse(&text, &arguments.file)?;
    if experiment.is_imported() {
        return Err(Failure::usage(format!(
            "{} describes values that were imported: nothing in it can be run",
            arguments.file.display()
        )));
    }
    let home = home_of(&arguments.file)?;
    for (flag, runs) in [
        ("--runs", arguments.runs),
        ("--max-runs", arguments.max_runs),
    ] {
        if let Some(runs) = runs {
            experiment
                .design
                .set_runs(runs)
                .map_err(|error| Failure::usage(format!("{flag}: {error}")))?;
            let all = experiment.cells().len().saturating_mul(runs as usize);
            if all > MAX_RUNS {
                return Err(Failure::usage(format!(
                    "{flag}: the experiment would have {all} runs, more than {MAX_RUNS}"
                )));
            }
        }
    }
    let rule = decided::rule(&arguments.until, &experiment, arguments.resume)?;
    refuse_all(Code::Usage, "", &unknown_metrics(&experiment))?;
    let is_compared = comparisons(&experiment, None) > 0;
    if !is_compared && !arguments.quiet {
        terminal::say(&format!(
            "note: there will be nothing to compare: no workload is executed with the baseline {} and with another variant",
            experiment.baseline()
        ));
    }
    unequal::warn(&experiment);
    if arguments.dry_run {
        let seed = arguments.seed.or(experiment.design.seed);
        let plan = Plan::new(&experiment, seed.unwrap_or(0));
        terminal::print(&dry_run(&experiment, &plan, seed))?;
        return Ok(None);
    }

    settings::check(
        &experiment,
        &arguments.file,
        arguments.allow_machine_settings,
    )?;
    let _lock = lock(arguments.wait)?;
    let machine = stand_by()?;
    let scratch = tempdir()?;
    let Preflight {
        mistakes,
        missing,
        doubtful,
    } = preflight(&experiment, &home, &scratch.0, &machine);
    refuse_all(Code::Usage, "", &mistakes)?;
    refuse_all(
        Code::Environment,
        "this machine lacks what the experiment needs, so nothing was run:\n  ",
        &missing,
    )?;
    if !arguments.quiet {
        for line in &doubtful {
            terminal::say(&format!("note: {line}, unless a build installs it"));
        }
    }
    let surroundings = Surroundings {
        machine: Fingerprint::take(Path::new("/")),
        programs: programs(&experiment, &home, &scratch.0, &machine),
    };

    // Not kept while the experiment lasts: a laboratory that is killed could not remove it.
    drop(scratch);
    // A version command that was cut short has not said the version, so this is no fingerprint.
    if machine.interrupt.asked() {
        return Err(Failure::new(
            Code::Interrupted,
            "interrupted before the first run",
        ));
    }

    let (mut result, plan, experiment) = if arguments.resume {
        resume(arguments, &text, &experiment, &surroundings)?
    } else {
        let seed = match arguments.seed.or(experiment.design.seed) {
            Some(seed) => seed,
            None => rand::random::<u64>() >> 12,
        };
        let plan = Plan::new(&experiment, seed);
        let path = match &arguments.out {
            Some(path) => path.clone(),
            None => Path::new(RESULTS).join(format!("{}-{}", experiment.name, now_for_a_name())),
        };
        let result = create(&path, &text, &experiment, &plan, &surroundings, rule)?;
        (result, plan, experiment)
    };
    for notice in result.notices() {
        terminal::say(&format!("note: {notice}"));
    }
    let done = result.records().map_err(store_failure)?;
    let path = result.path().to_path_buf();
    if !arguments.quiet {
        terminal::say(&format!(
            "{}: {} into {}",
            experiment.name,
            counted(plan.runs.len(), "run"),
            path.display()
        ));
    }

    let mut rule = Decided::of(result.meta(), &experiment, &plan, done.len());
    let mut settings = settings::begin(&experiment)?;
    let until_decided = result.meta().origin.until_decided;
    let extent = Extent {
        total: plan.runs.len(),
        done: done.len(),
        block: plan.runs.iter().filter(|run| run.block == 1).count(),
        is_limit: until_decided.is_some(),
        budget: until_decided
            .and_then(|rule| rule.budget_ms)
            .map(Duration::from_millis),
    };
    let mut progress = Progress::new(&extent, arguments.quiet);
    let outcome = Lab::new(
        &experiment,
        &home,
        &plan,
        &mut result,
        &machine,
        &mut progress,
    )
    .map(|lab| lab.with_settings(settings.session()))
    .and_then(|mut lab| lab.execute(&done, &mut |records| rule.is_met(records)));
    progress.finish();
    let restored = settings.end();
    if let Err(failure) = &restored {
        terminal::say_error(failure);
    }
    outcome.map_err(|error| lab_failure(&error, &path, &arguments.file))?;
    restored?;
    let records = result.records().map_err(store_failure)?;
    let next = if is_compared { "compare" } else { "show" };
    conclude(&records, &path, next, arguments.quiet)?;
    let stop = rule.conclude(&records, &mut result)?;
    let Some((report, sentence)) = stop else {
        return Ok(None);
    };
    if !arguments.quiet {
        terminal::say(&sentence);
    }
    for warning in perflab_report::left_out(&report) {
        terminal::say(&format!("warning: {}", terminal::escape(&warning)));
    }
    Ok(arguments.until.code(&report))
}

/// A failure that lists all that is wrong; none if nothing is.
fn refuse_all(code: Code, heading: &str, wrong: &[String]) -> Result<(), Failure> {
    match wrong {
        [] => Ok(()),
        wrong => Err(Failure::new(code, heading.to_owned() + &wrong.join("\n  "))),
    }
}

/// Says how it went; a failure where a cell has nothing to show.
fn conclude(records: &[RunRecord], path: &Path, next: &str, quiet: bool) -> Result<(), Failure> {
    let failed = records
        .iter()
        .filter(|record| !record.status.passed())
        .count();
    if !quiet {
        terminal::say(&format!(
            "{} recorded, {failed} of them failed; now: perflab {next} {}",
            counted(records.len(), "run"),
            operand(path)
        ));
    }
    let mut passed: IndexMap<&str, usize> = IndexMap::new();
    for record in records {
        *passed.entry(&record.cell).or_default() += usize::from(record.status.passed());
    }
    match passed.iter().find(|(_, passed)| **passed == 0) {
        Some((cell, _)) => Err(Failure::no_data(format!("no run of {cell} passed"))),
        None => Ok(()),
    }
}

fn read(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path).map_err(|error| {
        Failure::usage(format!(
            "cannot read the experiment file {}: {error}",
            path.display()
        ))
    })
}

fn parse(text: &str, path: &Path) -> Result<Experiment, Failure> {
    let mut experiment = Experiment::parse(text, &path.display().to_string())
        .map_err(|error| Failure::usage(error.to_string()))?;
    for (old, new) in renamed_keys(text) {
        terminal::say(&format!(
            "{}: the key `{old}` of metrics is called `{new}` now",
            path.display()
        ));
    }
    if experiment.name.is_empty() {
        experiment.name = path.file_stem().map_or_else(
            || "experiment".to_owned(),
            |stem| stem.to_string_lossy().into_owned(),
        );
    }
    Ok(experiment)
}

fn home_of(file: &Path) -> Result<PathBuf, Failure> {
    let parent = file
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    parent
        .unwrap_or(Path::new("."))
        .canonicalize()
        .map_err(|error| {
            Failure::usage(format!(
                "cannot find the directory of {}: {error}",
                file.display()
            ))
        })
}

/// The right to measure on this machine, with the settings that are its own.
pub fn lock(wait: bool) -> Result<MachineLock, Failure> {
    let got = if wait {
        MachineLock::wait(None, |_| true)
    } else {
        MachineLock::acquire(None)
    };
    let lock = got.map_err(|error| match error {
        LockError::Busy { .. } if !wait => {
            Failure::environment(format!("{error} (--wait waits for it)"))
        }
        error => Failure::environment(error.to_string()),
    })?;
    settle()?;
    Ok(lock)
}

/// UTC to the second, in a form that sorts and suits a file name.
pub fn now_for_a_name() -> String {
    jiff::Timestamp::now()
        .strftime("%Y%m%dT%H%M%SZ")
        .to_string()
}
