//! Turns that perflab asks for: see "Turns within one process" in docs/experiment-file.md.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use clap::Parser;
use perflab_load::Rounds;
use serde::Deserialize;

use super::arguments::LoadArguments;
use crate::failure::{Code, Failure};
use crate::output;
use crate::{Command, CommandLine};

/// The name of the file that perflab writes.
const FILE: &str = "perflab-turns.json";

/// What the file says.
#[derive(Debug, Deserialize)]
struct Order {
    slices: u64,
    warmup: u64,
    seed: u64,
    targets: Vec<Asked>,
}

/// What takes turns: a variant, by the arguments of its command.
#[derive(Debug, Deserialize)]
struct Asked {
    variant: String,
    arguments: Vec<String>,
}

/// Whether the argument is a file of perflab's.
pub fn is_order(argument: &OsStr) -> bool {
    Path::new(argument).file_name() == Some(OsStr::new(FILE))
}

/// Has the targets take turns, and prints a line for each slice when the last one is over.
///
/// # Errors
/// If the file asks for something else, or there is no result.
pub fn take_turns(file: &OsStr) -> Result<Option<Code>, Failure> {
    let wrong =
        |error: &dyn std::fmt::Display| Failure::usage(format!("{}: {error}", file.display()));
    let text = fs::read(file).map_err(|error| wrong(&error))?;
    let order: Order = serde_json::from_slice(&text).map_err(|error| wrong(&error))?;
    let plan = joined(&order.targets)?;
    let rounds = Rounds::Slices {
        slice: plan.length()?,
        slices: order.slices,
        warm_up: order.warmup,
    };
    let mut plan = plan.plan_of(rounds)?;
    plan.seed = order.seed;
    let outcome = super::made(&plan)?;
    let lines = outcome.slice_lines();
    let lines = lines.map_err(|error| Failure::no_number(format!("no slices: {error}")))?;
    output::print(&lines)?;
    Ok(None)
}

/// The arguments of all targets as those of one load.
fn joined(asked: &[Asked]) -> Result<LoadArguments, Failure> {
    let mut joined: Option<LoadArguments> = None;
    for Asked { variant, arguments } in asked {
        let wrong = |message: &str| Failure::usage(format!("variant `{variant}`: {message}"));
        let program = "perflab-kv".to_owned();
        let words = std::iter::once(&program).chain(arguments);
        let parsed =
            CommandLine::try_parse_from(words).map_err(|error| wrong(&error.to_string()))?;
        let Command::Load(own) = parsed.command else {
            return Err(wrong("only `load` takes turns"));
        };
        let mut own = *own;
        let [target] = own.targets.as_mut_slice() else {
            return Err(wrong("expected one target in each command"));
        };
        // All may have the same name. Variants do not.
        if let [(name, _)] = own.pids.as_mut_slice()
            && *name == target.name
        {
            name.clone_from(variant);
        }
        target.name.clone_from(variant);
        match &mut joined {
            None => joined = Some(own),
            Some(joined) => {
                let (targets, pids) = (own.targets.split_off(0), own.pids.split_off(0));
                own.targets.clone_from(&joined.targets);
                own.pids.clone_from(&joined.pids);
                if own != *joined {
                    return Err(wrong("commands may differ in the target and --pid only"));
                }
                joined.targets.extend(targets);
                joined.pids.extend(pids);
            }
        }
    }
    joined.ok_or_else(|| Failure::usage("no target takes turns"))
}
