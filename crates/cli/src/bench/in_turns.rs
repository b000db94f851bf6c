//! One run of each command, all up at the same time, in turns on the same CPUs.

use std::ffi::OsString;

use perflab_experiment::counted;
use perflab_runner::{Elsewhere, Launch, Turns, TurnsError, TurnsTaken};

use super::commands::BenchCommand;
use super::measure::{Bench, failed, not_started, stderr};
use super::schedule::Shuffler;
use super::slices::Slices;
use crate::failure::Failure;

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

impl Bench<'_> {
    /// One run of each command, all in turns, which `shuffler` puts in order.
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
            TurnsError::Stopped { place, why } => self.stopped(&places[place].command.line, why),
            TurnsError::Terminal { place } => Failure::no_data(format!(
                "`{}` reads or sets the terminal, which stops it for good; give it --input FILE, or let it use no terminal",
                places[place].command.line
            )),
            TurnsError::Foreign { place, process } => Failure::environment(format!(
                "`{}` cannot take turns: its process {process} runs as another user and may not be stopped, so that it goes \
                 on; run perflab as that user, or leave --slices out",
                places[place].command.line
            )),
            TurnsError::Unstopped {
                place,
                thread,
                state,
            } => Failure::environment(format!(
                "`{}` cannot take turns: its thread {thread} does not stop (SIGSTOP) but stays in state {state} of proc(5), \
                 as when a debugger drops signals; leave --slices out",
                places[place].command.line
            )),
            TurnsError::Lost(_) | TurnsError::Standstill => Failure::environment(format!(
                "{error}, one of {}",
                counted(places.len(), "command")
            )),
        }
    }
}
