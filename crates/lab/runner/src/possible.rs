//! Which cells can be measured here: a workload's `possible` is asked for each cell before the first run.
//!
//! The command is executed once for all cells for which it is the same, with the environment of the workload, in a
//! temporary directory. Its answer is its exit code: [`YES`], or [`NO`] with the reason as the last line of its output.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use perflab_experiment::{Experiment, LeftOut, Status};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::aside::{Aside, last_line, said_last};
use crate::environment::Environment;
use crate::fault::{Fault, Trouble};
use crate::fill::{Fill, Ports, Share};
use crate::host::{Exit, Host};

/// Exit code of a cell that can be measured.
const YES: i32 = 0;

/// Exit code of one that cannot; that of a skipped test of automake.
const NO: i32 = 77;

/// Longest that an answer may take.
const LIMIT: Duration = Duration::from_secs(60);

/// A command with its arguments, and its variables in addition to those of all.
type Question = (Vec<OsString>, Vec<(String, String)>);

/// The cells of an experiment that cannot be measured here, with the reasons. `scratch`: an empty directory.
///
/// # Errors
/// When a command gives no answer: it cannot be started, ends with another code, or takes longer than a minute.
pub fn impossible_cells(
    experiment: &Experiment,
    home: &Path,
    scratch: &Path,
    host: &dyn Host,
) -> Result<Vec<LeftOut>, Trouble> {
    let base = host.environment(&experiment.design.environment);
    let mut answers: BTreeMap<Question, Option<String>> = BTreeMap::new();
    let mut left_out = Vec::new();
    for cell in experiment.cells() {
        let (Ok(variant), Ok(workload)) = (experiment.variant(&cell), experiment.workload(&cell))
        else {
            continue;
        };
        let Some(command) = &workload.possible else {
            continue;
        };
        let (mut ports, mut random) = (Ports::default(), ChaCha8Rng::seed_from_u64(0));
        let mut fill = Fill {
            host,
            ports: &mut ports,
            random: &mut random,
            dir: scratch,
            run: Some(scratch),
            build: None,
            experiment: home,
            share: Share::WHOLE,
        };
        let argv = fill.argv(command)?;
        let of_variant = variant.env.iter().filter(|_| !variant.has_systems());
        // What only a run knows is empty, as nothing of a run is there.
        let variables = of_variant.chain(&workload.env).map(|(name, value)| {
            let value = fill.text(value).unwrap_or_default();
            (name.clone(), value)
        });
        let question: Question = (argv, variables.collect());
        let answer = match answers.get(&question) {
            Some(known) => known.clone(),
            None => {
                let answer = ask(&question, &base, scratch, host);
                let answer = answer.map_err(|trouble| of_cell(trouble, &cell.id))?;
                answers.insert(question, answer.clone());
                answer
            }
        };
        left_out.extend(answer.map(|reason| LeftOut { cell, reason }));
    }
    Ok(left_out)
}

/// Why something cannot be measured; nothing where it can.
fn ask(
    (argv, variables): &Question,
    base: &Environment,
    scratch: &Path,
    host: &dyn Host,
) -> Result<Option<String>, Trouble> {
    let mut environment = base.clone();
    for (name, value) in variables {
        environment.set(name, value);
    }
    let log = scratch.join("possible.log");
    let exit = Aside {
        purpose: "possible",
        status: Status::NoRun,
        argv,
        environment: &environment,
        directory: scratch,
        log: &log,
        cpus: None,
        limit: LIMIT,
    }
    .exit(host)?;
    match exit {
        Exit::Code(YES) => Ok(None),
        Exit::Code(NO) => Ok(Some(match said_last(host, &log) {
            Some(reason) => reason,
            None => "the command of `possible` printed no reason".to_owned(),
        })),
        exit => Err(Fault::no_run(format!(
            "the possible command {exit}, expected {YES}, or {NO} and the reason{}",
            last_line(host, &log)
        ))
        .into()),
    }
}

/// Names the cell that nothing is known of.
fn of_cell(trouble: Trouble, cell: &str) -> Trouble {
    match trouble {
        Trouble::Fault(fault) => {
            let detail = format!("{cell}: {}", fault.detail);
            Fault::new(fault.status, detail).into()
        }
        trouble => trouble,
    }
}
