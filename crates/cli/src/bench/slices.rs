//! How commands take turns, from the flags: `--slices`.

use std::time::Duration;

use rustix::thread::CpuSet;

use super::arguments::{BenchArguments, Order, Output};
use super::commands::BenchCommand;
use crate::cpus::allowed;
use crate::failure::Failure;

/// How commands take turns.
#[derive(Debug, Clone, Copy)]
pub struct Slices {
    /// Length of a turn.
    pub length: Duration,
    /// The CPUs of all commands; the laboratory keeps off them.
    pub cpus: CpuSet,
}

impl Slices {
    /// From the flags, with the CPUs of --cpus; nothing where commands do not take turns.
    ///
    /// # Errors
    /// When there is nobody to take turns with, no order in which they could, or one file for the output of several.
    pub fn from(
        arguments: &BenchArguments,
        commands: &[BenchCommand],
        cpus: Option<CpuSet>,
    ) -> Result<Option<Self>, Failure> {
        let Some(length) = arguments.slices else {
            return Ok(None);
        };
        let refuse = |why: &str| Err(Failure::usage(format!("--slices {why}")));
        if commands.len() < 2 {
            return refuse("compares commands, found only one; add another, or leave it out");
        }
        if arguments.order == Order::Sequential {
            return refuse("runs commands in turns: leave --order sequential out");
        }
        let mut files = commands.iter().filter_map(|command| match &command.output {
            Output::File(path) => Some(path),
            _ => None,
        });
        let mut seen = Vec::new();
        if let Some(twice) = files.find(|path| {
            let is_seen = seen.contains(path);
            seen.push(*path);
            is_seen
        }) {
            return refuse(&format!(
                "runs commands in turns, and {} takes the output of several; give --output once per command, each with \
                 a file of its own",
                twice.display()
            ));
        }
        let cpus = match cpus {
            Some(cpus) => cpus,
            None => last_cpu()?,
        };
        Ok(Some(Self { length, cpus }))
    }
}

/// The last CPU that this process may use: the first ones are more often interrupted.
fn last_cpu() -> Result<CpuSet, Failure> {
    let mut one = CpuSet::new();
    if let Some(cpu) = allowed()?.last() {
        one.set(*cpu as usize);
    }
    Ok(one)
}
