//! `perflab run`: executes an experiment file, or goes on with one.

mod arguments;
mod decided;
mod dry_run;
mod failures;
pub(crate) mod file;
mod home;
pub(crate) mod measure;
pub(crate) mod observers;
pub(crate) mod possible;
mod probes;
mod result;
mod scratch;
mod unequal;
mod unfinished;

use std::path::Path;
use std::time::Duration;

use indexmap::IndexMap;
use perflab_experiment::{MAX_RUNS, Plan, counted};
use perflab_report::operand;
use perflab_runner::{Needed, metric_mistakes};
use perflab_store::RunRecord;

use crate::failure::{Code, Failure};
use crate::progress::{Extent, Progress, at_once};
use crate::results::{RESULTS, now_for_a_name};
use crate::settings;
use crate::standby::{lock, stand_by};
use crate::terminal;
pub use arguments::RunArguments;
pub(crate) use decided::comparisons_of;
use decided::{Decided, comparisons};
use dry_run::dry_run;
use failures::lab_failure;
use file::{home_of, parse, read};
use measure::{Execution, look};
use observers::observers;
use possible::left_out;
use result::{create, resume};

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
    let home = match arguments.resume {
        true => home::of_resumed(&arguments.file, &experiment)?,
        false => home_of(&arguments.file)?,
    };
    for (flag, runs) in [
        ("--runs", arguments.runs),
        ("--max-runs", arguments.max_runs),
    ] {
        if let Some(runs) = runs {
            experiment
                .design
                .set_runs(runs)
                .map_err(|error| Failure::usage(format!("{flag}: {error}")))?;
            let all = experiment.runs_of(experiment.cells().len());
            if all > MAX_RUNS {
                return Err(Failure::usage(format!(
                    "{flag}: the experiment would have {all} runs, more than {MAX_RUNS}"
                )));
            }
        }
    }
    let rule = decided::rule(&arguments.until, &experiment, arguments.resume)?;
    refuse_all(Code::Usage, "", &metric_mistakes(&experiment))?;
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
    let looking_on = observers(&experiment)?;
    let lock = lock(arguments.wait)?;
    let machine = stand_by(Some(&lock))?;
    let (mut result, plan, experiment) = if arguments.resume {
        resume(arguments, &text, &experiment, &home, &machine)?
    } else {
        let seed = match arguments.seed.or(experiment.design.seed) {
            Some(seed) => seed,
            None => rand::random::<u64>() >> 12,
        };
        let left_out = left_out(&experiment, &home, &machine, arguments.quiet)?;
        let plan = Plan::new(&experiment, seed).leaving_out(left_out);
        let environment = look(&experiment, &plan.cells, &home, &machine, arguments.quiet)?;
        let path = match &arguments.out {
            Some(path) => path.clone(),
            None => Path::new(RESULTS).join(format!("{}-{}", experiment.name, now_for_a_name())),
        };
        let result = create(&path, &text, &experiment, &home, &plan, &environment, rule)?;
        (result, plan, experiment)
    };
    for notice in result.notices() {
        terminal::say(&format!("note: {notice}"));
    }
    let done = result.records()?;
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
    let until_decided = result.meta().origin.until_decided;
    let extent = Extent {
        total: plan.runs.len(),
        done: done.len(),
        block: plan.runs.iter().filter(|run| run.block == 1).count(),
        at_once: at_once(&experiment, &plan),
        is_limit: until_decided.is_some(),
        budget: until_decided
            .and_then(|rule| rule.budget_ms)
            .map(Duration::from_millis),
    };
    let mut progress = Progress::new(&extent, arguments.quiet);
    let execution = Execution {
        experiment: &experiment,
        home: &home,
        plan: &plan,
        machine: &machine,
        observers: looking_on,
        needed: Needed::All,
    };
    let outcome = execution.execute(&mut result, &done, &mut progress, &mut |records| {
        rule.is_met(records)
    })?;
    outcome.map_err(|error| lab_failure(&error, &path, &arguments.file))?;
    let records = result.records()?;
    // The others may all be left out.
    let is_compared = comparisons_of(plan.cells.iter(), experiment.baseline()) > 0;
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
