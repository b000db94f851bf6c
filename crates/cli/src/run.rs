//! `perflab run`: executes an experiment file, or goes on with one.

mod decided;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use indexmap::IndexMap;
use perflab_experiment::{Experiment, Plan, format_duration};
use perflab_machine::{Fingerprint, LockError, MachineLock};
use perflab_runner::{Lab, LabError, Programs, programs};
use perflab_store::{Origin, ResultDir, RunRecord, StoreError, UntilDecided};
use serde::{Deserialize, Serialize};

use crate::failure::{Code, Failure};
use crate::progress::{Progress, human};
use crate::settings;
use crate::standby::stand_by;
use crate::terminal;
use crate::until::UntilArguments;
use decided::Decided;

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

    /// Runs of each cell, in place of the file's.
    #[arg(long, value_name = "N", conflicts_with_all = ["resume", "until_decided"])]
    runs: Option<u32>,

    /// With --until-decided: most runs of each cell, in place of the file's.
    #[arg(
        long,
        value_name = "N",
        requires = "until_decided",
        conflicts_with = "resume"
    )]
    max_runs: Option<u32>,

    /// Seed of the random order, in place of the file's.
    #[arg(long, value_name = "SEED", conflicts_with = "resume")]
    seed: Option<u64>,

    /// Go on with an experiment that was interrupted: the result in --out, or else the newest one
    /// of this experiment in the directory `results`.
    #[arg(long)]
    resume: bool,

    /// Print the plan and its length; run nothing.
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

    /// No progress.
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
        }
    }
    let rule = decided::rule(&arguments.until, &experiment)?;
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
    let (interrupt, keeper) = stand_by()?;
    let scratch = tempdir()?;
    let surroundings = Surroundings {
        machine: Fingerprint::take(Path::new("/")),
        programs: programs(&experiment, &home, &scratch.0, &keeper, &interrupt),
    };

    // Not kept while the experiment lasts: a laboratory that is killed could not remove it.
    drop(scratch);
    // A version command that was cut short has not said the version, so this is no fingerprint.
    if interrupt.asked() {
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
            "{}: {} runs into {}",
            experiment.name,
            plan.runs.len(),
            path.display()
        ));
    }

    let mut rule = Decided::of(result.meta(), &experiment, &plan, done.len());
    let mut settings = settings::begin(&experiment)?;
    let mut progress = Progress::new(plan.runs.len(), done.len(), arguments.quiet);
    let outcome = Lab::new(
        &experiment,
        &home,
        &plan,
        &mut result,
        &keeper,
        &interrupt,
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
    conclude(&records, &path, arguments.quiet)?;
    let stop = rule.conclude(&records, &mut result)?;
    let Some((report, sentence)) = stop else {
        return Ok(None);
    };
    if !arguments.quiet {
        terminal::say(&sentence);
    }
    Ok(arguments.until.code(&report))
}

/// Says how it went; a failure where a cell has nothing to show.
fn conclude(records: &[RunRecord], path: &Path, quiet: bool) -> Result<(), Failure> {
    let failed = records
        .iter()
        .filter(|record| !record.status.passed())
        .count();
    if !quiet {
        terminal::say(&format!(
            "{} runs recorded, {failed} of them failed; now: perflab compare {}",
            records.len(),
            path.display()
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

fn resume(
    arguments: &RunArguments,
    text: &str,
    experiment: &Experiment,
    now: &Surroundings,
) -> Result<(ResultDir, Plan, Experiment), Failure> {
    let path = match &arguments.out {
        Some(path) => path.clone(),
        None => newest(&experiment.name)?,
    };
    let result = ResultDir::resume(&path).map_err(store_failure)?;
    if result.experiment() != text {
        return Err(Failure::usage(format!(
            "{} is not the file that {} was started with; resume with {} instead, or start a new experiment",
            arguments.file.display(),
            path.display(),
            path.join("experiment.toml").display(),
        )));
    }
    if arguments.until.until_decided && result.meta().origin.until_decided.is_none() {
        return Err(Failure::usage(format!(
            "{} was begun with a fixed number of runs; leave --until-decided out, or start a new experiment",
            path.display()
        )));
    }
    let plan: Plan = result.plan().map_err(store_failure)?;
    let before: Surroundings = result.fingerprint().map_err(store_failure)?;
    let mut differences: Vec<String> = before
        .machine
        .differences(&now.machine)
        .iter()
        .map(ToString::to_string)
        .collect();
    for (what, programs) in &before.programs {
        if now.programs.get(what) != Some(programs) {
            differences.push(format!("{what}: its programs are not the same as before"));
        }
    }
    if !differences.is_empty() {
        return Err(Failure::environment(format!(
            "{} was begun under other conditions, so its runs cannot be joined with new ones:\n  {}",
            path.display(),
            differences.join("\n  ")
        )));
    }
    Ok((result, plan, experiment.clone()))
}

/// The newest result of an experiment below the default directory.
fn newest(name: &str) -> Result<PathBuf, Failure> {
    let prefix = format!("{name}-");
    let entries = fs::read_dir(RESULTS).into_iter().flatten().flatten();
    entries
        .filter(|entry| {
            entry
                .file_name()
                .to_string_lossy()
                .strip_prefix(&prefix)
                .is_some_and(|rest| {
                    rest.starts_with(|c: char| c.is_ascii_digit()) && !rest.contains('-')
                })
        })
        .map(|entry| entry.path())
        .max()
        .ok_or_else(|| {
            Failure::usage(format!(
                "there is no result of {name} in `{RESULTS}`; name it with --out"
            ))
        })
}

fn create(
    path: &Path,
    text: &str,
    experiment: &Experiment,
    plan: &Plan,
    surroundings: &Surroundings,
    until_decided: Option<UntilDecided>,
) -> Result<ResultDir, Failure> {
    let json = |what: Result<serde_json::Value, serde_json::Error>| {
        what.map_err(|error| Failure::environment(format!("cannot write JSON: {error}")))
    };
    let plan = json(serde_json::to_value(plan))?;
    let fingerprint = json(serde_json::to_value(surroundings))?;
    let origin = Origin {
        perflab: env!("CARGO_PKG_VERSION").to_owned(),
        created: jiff::Timestamp::now().to_string(),
        name: experiment.name.clone(),
        argv: std::env::args().collect(),
        until_decided,
        imported: None,
    };
    ResultDir::create(path, text, &plan, &fingerprint, origin).map_err(store_failure)
}

/// The plan in words: what would run, how often, and for how long at most.
fn dry_run(experiment: &Experiment, plan: &Plan, seed: Option<u64>) -> String {
    use std::fmt::Write;
    let design = &experiment.design;
    let mut out = String::new();
    let mut line = |text: String| {
        let _ = writeln!(out, "{text}");
    };
    line(format!(
        "{}: {}",
        experiment.name,
        experiment
            .question
            .as_deref()
            .unwrap_or("no question given")
    ));
    line(format!(
        "{} cells x {} runs = {} runs, in {} blocks of {} runs of each cell",
        plan.cells.len(),
        design.runs,
        plan.runs.len(),
        design.blocks(),
        design.block
    ));
    let longest = plan
        .runs
        .iter()
        .filter_map(|run| plan.cells.get(run.cell))
        .filter_map(|cell| experiment.workload(cell).ok())
        .map(|workload| {
            workload
                .timeout
                .unwrap_or(design.timeout)
                .saturating_add(design.pause)
        })
        .fold(Duration::ZERO, Duration::saturating_add);
    line(format!(
        "at most {} of workload, if every run took its whole time limit{}",
        human(longest),
        design.limit.map_or_else(String::new, |limit| format!(
            "; ends after {}",
            format_duration(limit)
        ))
    ));
    line(format!("baseline: {}", experiment.baseline()));
    for settings in settings::named(experiment) {
        line(format!("changes settings of the machine for {settings}"));
    }
    line(match seed {
        Some(seed) => format!("seed {seed}"),
        None => {
            "no seed given: each run draws its own; the order below is that of seed 0".to_owned()
        }
    });
    for run in &plan.runs {
        if let Some(cell) = plan.cells.get(run.cell) {
            line(format!(
                "block {:>3}  run {:>5}  {}",
                run.block, run.run, cell.id
            ));
        }
    }
    out
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

/// The right to measure on this machine.
pub fn lock(wait: bool) -> Result<MachineLock, Failure> {
    let got = if wait {
        MachineLock::wait(None, |_| true)
    } else {
        MachineLock::acquire(None)
    };
    got.map_err(|error| match error {
        LockError::Busy { .. } if !wait => {
            Failure::environment(format!("{error} (--wait waits for it)"))
        }
        error => Failure::environment(error.to_string()),
    })
}

/// A failure of the store, with the code that tells whose it is.
#[expect(
    clippy::needless_pass_by_value,
    reason = "for map_err, which hands it over"
)]
pub(crate) fn store_failure(error: StoreError) -> Failure {
    let code = match error {
        StoreError::NotEmpty(_) => Code::Usage,
        StoreError::Lock(_) => Code::Environment,
        _ => Code::NoData,
    };
    Failure::new(code, error.to_string())
}

fn lab_failure(error: &LabError, path: &Path, file: &Path) -> Failure {
    let code = match error {
        LabError::Interrupted => Code::Interrupted,
        LabError::Limit(_) => Code::TimeLimit,
        LabError::Cpus(_) => Code::Environment,
        LabError::Plan(_) => Code::Usage,
        LabError::Hopeless { .. } | LabError::Store(_) | LabError::System(_) => Code::NoData,
    };
    let advice = match error {
        LabError::Hopeless { .. } => {
            format!("the raw output is below {}", path.join("runs").display())
        }
        LabError::Cpus(_) | LabError::Plan(_) => String::new(),
        _ => format!(
            "what was recorded is kept; to go on: perflab run {} --resume --out {}",
            file.display(),
            path.display()
        ),
    };
    Failure::new(
        code,
        [error.to_string(), advice].join("\n").trim_end().to_owned(),
    )
}

/// UTC to the second, in a form that sorts and suits a file name.
pub fn now_for_a_name() -> String {
    jiff::Timestamp::now()
        .strftime("%Y%m%dT%H%M%SZ")
        .to_string()
}

/// A directory of our own that goes away with the value.
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn tempdir() -> Result<Scratch, Failure> {
    use std::os::unix::fs::DirBuilderExt;
    let name = format!(
        "perflab-{}-{:016x}",
        std::process::id(),
        rand::random::<u64>()
    );
    let path = std::env::temp_dir().join(name);
    fs::DirBuilder::new()
        .mode(0o700)
        .create(&path)
        .map_err(|error| {
            Failure::environment(format!(
                "cannot make a directory in {}: {error}",
                path.display()
            ))
        })?;
    Ok(Scratch(path))
}
