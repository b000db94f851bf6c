//! A command compared with itself: what would be "found" there is the machine's noise.

use std::ffi::OsString;
use std::time::Duration;

use perflab_compare::Comparison;
use perflab_runner::ThisMachine;
use rustix::thread::CpuSet;

use super::arguments::Output;
use super::command_line::Shell;
use super::commands::BenchCommand;
use super::measure::{Bench, Tolerated, undisturbed};
use super::measured::{Measured, Measurements};
use super::schedule::Shuffler;
use super::summary;
use crate::failure::Failure;

/// What is compared with itself, and how.
#[derive(Debug)]
pub struct Itself<'a> {
    /// Program and arguments.
    pub argv: &'a [OsString],
    /// Where it may run.
    pub cpus: Option<CpuSet>,
    /// Runs of each side.
    pub runs: u32,
    /// Runs of each side within a block.
    pub block: u32,
    /// Time limit of a run.
    pub timeout: Duration,
    /// Where it runs.
    pub machine: &'a ThisMachine,
}

/// Runs and compares as `perflab bench -N` does with two commands.
///
/// # Errors
/// When the command cannot be run, or the user asks to stop.
pub fn against_itself(itself: &Itself<'_>) -> Result<Comparison, Failure> {
    let command = BenchCommand {
        name: "itself".to_owned(),
        full_name: "itself".to_owned(),
        line: itself
            .argv
            .join(" ".as_ref())
            .to_string_lossy()
            .into_owned(),
        prepare: None,
        conclude: None,
        setup: None,
        cleanup: None,
        output: Output::Null,
        parameters: Vec::new(),
    };
    let bench = Bench {
        shell: Shell::None,
        environment: itself.machine.inherited_environment(),
        cpus: itself.cpus,
        slices: None,
        timeout: Some(itself.timeout),
        tolerated: Tolerated::None,
        input: None,
        pipe: None,
        host: itself.machine,
    };
    let seed = rand::random::<u64>() >> 12;
    let mut shuffler = Shuffler::new(seed);
    let mut sides = [Vec::new(), Vec::new()];
    for block in 1..=itself.runs.div_ceil(itself.block.max(1)) {
        for drawn in shuffler.block(sides.len(), itself.block) {
            let padding = shuffler.padding();
            let iteration = sides.get(drawn).map_or(0, Vec::len).to_string();
            let timing = undisturbed(bench.host, &command.name, || {
                bench.run(&command, itself.argv, padding, &iteration)
            })?;
            if let Some(side) = sides.get_mut(drawn) {
                side.push((block, timing));
            }
        }
    }
    let measurements = Measurements {
        commands: sides
            .map(|runs| Measured {
                command: command.clone(),
                runs,
                shells: Vec::new(),
            })
            .into(),
        seed,
        randomised: true,
        until_decided: None,
        watched: None,
    };
    summary::report(&measurements, None)?
        .ok_or_else(|| Failure::no_data("a comparison needs two sides"))
}
