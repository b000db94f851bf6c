//! One run of each command at once, in turns on the same CPUs: `--slices`.

use std::ffi::OsString;
use std::time::Duration;

use perflab_experiment::counted;
use perflab_runner::{Elsewhere, Launch, Turns, TurnsError, TurnsTaken};
use rustix::thread::CpuSet;

use super::arguments::{BenchArguments, Order, Output};
use super::commands::BenchCommand;
use super::measure::{Bench, failed, not_started, stderr};
use super::schedule::Shuffler;
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

/// One run of a command among those of its block.
#[derive(Debug)]
pub struct Place<'a> {
    /// What is executed.
    pub command: &'a BenchCommand,
    /// Program and arguments.
    pub argv: &'a [OsString],
    /// Padding of its environment in bytes.
    pub padding: u32,
    /// Its number.
    pub iteration: String,
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
            return refuse("runs commands at once: leave --order sequential out");
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
                "runs commands at once, and {} takes the output of several; give --output once per command, each with \
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

impl Bench<'_> {
    /// One run of each command, all at once in turns, which `shuffler` puts in order.
    ///
    /// # Errors
    /// When a command cannot be started, fails, wants a terminal, or is stopped. None is left then.
    pub fn run_in_turns(
        &self,
        slices: &Slices,
        places: &[Place<'_>],
        shuffler: &mut Shuffler,
    ) -> Result<Vec<TurnsTaken>, Failure> {
        let environments: Vec<_> = places
            .iter()
            .map(|place| self.variables(place.padding, Some(&place.iteration)))
            .collect();
        let launches: Vec<Launch<'_>> = places
            .iter()
            .zip(&environments)
            .map(|(place, environment)| Launch {
                argv: place.argv,
                environment,
                directory: None,
                stdin: self.input.as_deref(),
                stdout: self.stdout(&place.command.output),
                stderr: stderr(&place.command.output),
                cpus: Some(&slices.cpus),
            })
            .collect();
        let turns = Turns {
            length: slices.length,
            limit: self.timeout,
        };
        let _elsewhere = Elsewhere::than(&slices.cpus);
        let mut order = |round: &mut [usize]| shuffler.shuffle(round);
        let accepts = |exit| self.tolerated.accepts(exit);
        let taken = turns.execute(self.host, &launches, &mut order, &accepts);
        taken.map_err(|error| self.why(places, &error))
    }

    fn why(&self, places: &[Place<'_>], error: &TurnsError) -> Failure {
        match *error {
            TurnsError::Start(ref error) => not_started(error),
            TurnsError::Failed { place, exit } => failed(places[place].command, exit),
            TurnsError::Stopped { why, .. } => self.stopped(why),
            TurnsError::Terminal { place } => Failure::no_data(format!(
                "`{}` reads or sets the terminal, which stops it for good; give it --input FILE, or let it use no terminal",
                places[place].command.line
            )),
            TurnsError::Lost(_) | TurnsError::Standstill => Failure::environment(format!(
                "{error}, one of {}",
                counted(places.len(), "command")
            )),
        }
    }
}
