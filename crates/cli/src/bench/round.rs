//! A bench under way: which command runs next, and when it has been enough.

use std::ffi::OsString;

use perflab_compare::UntilDecided;
use perflab_runner::TurnsTaken;

use super::arguments::{BenchArguments, Order};
use super::command_line::Shell;
use super::commands::BenchCommand;
use super::in_turns::Place;
use super::measure::{Bench, Timing, undisturbed};
use super::measured::{Measured, Measurements};
use super::schedule::{Count, Shuffler};
use super::slices::Slices;
use super::summary::BenchProgress;
use super::until::Until;
use super::watched::{Runs, Watched};
use crate::failure::Failure;

/// The state of a bench under way.
pub struct Round<'a> {
    commands: &'a [BenchCommand],
    argvs: &'a [Vec<OsString>],
    arguments: &'a BenchArguments,
    shuffler: Shuffler,
    seed: u64,
    until: Option<Until>,
    until_decided: Option<UntilDecided>,
    runs: Vec<Vec<(u32, Timing)>>,
    /// The empty shell, where its time is measured.
    empty: Option<Vec<OsString>>,
    shells: Vec<Vec<(u32, f64)>>,
    progress: BenchProgress,
    /// Where commands take turns: what was seen of each.
    watched: Vec<Runs>,
}

impl<'a> Round<'a> {
    /// Nothing is measured yet.
    pub fn new(
        commands: &'a [BenchCommand],
        argvs: &'a [Vec<OsString>],
        arguments: &'a BenchArguments,
        seed: u64,
        until: Option<Until>,
    ) -> Self {
        Self {
            commands,
            argvs,
            arguments,
            shuffler: Shuffler::new(seed),
            seed,
            until,
            until_decided: None,
            runs: vec![Vec::new(); commands.len()],
            empty: None,
            shells: vec![Vec::new(); commands.len()],
            watched: vec![Runs::default(); commands.len()],
            progress: BenchProgress::new(arguments.style.progress() && !arguments.is_silent()),
        }
    }

    /// Measures all commands.
    pub fn all(&mut self, bench: &Bench<'_>) -> Result<(), Failure> {
        self.empty = self.empty_shell(bench)?;
        match self.arguments.order {
            Order::Interleaved => {
                let all: Vec<usize> = (0..self.commands.len()).collect();
                self.group(bench, &all)?;
            }
            Order::Sequential => {
                for command in 0..self.commands.len() {
                    self.group(bench, &[command])?;
                }
            }
        }
        self.progress.finish();
        Ok(())
    }

    /// What runs an empty shell, having run it once; none where its time would tell nothing:
    /// without a shell, and where what comes before and after each run may change it.
    fn empty_shell(&mut self, bench: &Bench<'_>) -> Result<Option<Vec<OsString>>, Failure> {
        if bench.shell == Shell::None {
            return Ok(None);
        }
        let argv = bench.shell.argv("")?;
        empty_shell_s(bench, &argv, 0)?;
        let around =
            |command: &BenchCommand| command.prepare.is_some() || command.conclude.is_some();
        Ok((!self.commands.iter().any(around)).then_some(argv))
    }

    /// Measures some of the commands against each other, in blocks.
    fn group(&mut self, bench: &Bench<'_>, members: &[usize]) -> Result<(), Failure> {
        for command in self.pick(members) {
            bench.aside("--setup", command.setup.as_deref(), &command.output)?;
        }
        for warmup in 0..self.arguments.warmup {
            let iteration = format!("warmup-{warmup}");
            match &bench.slices {
                Some(slices) => {
                    let _ = self.together(bench, slices, members, &|_| iteration.clone())?;
                }
                None => {
                    for &member in members {
                        self.one(bench, member, &iteration)?;
                    }
                }
            }
        }
        let count = Count {
            seconds: self.arguments.min_benchmarking_time,
            exactly: self.until.as_ref().map(Until::most).or(self.arguments.runs),
            least: self.arguments.min_runs,
            most: self.arguments.max_runs,
        };
        let first = self
            .arguments
            .block()
            .min(count.exactly.or(count.most).unwrap_or(u32::MAX));
        let (before, moment) = (bench.host.now(), bench.host.moment());
        self.block(bench, members, 1, first)?;
        let seconds = match moment.until(&bench.host.moment()) {
            None => (bench.host.now() - before).as_secs_f64(),
            Some(_) => self.measured_s(members),
        } / f64::from(first);
        let total = count
            .decide(seconds, members.len(), self.arguments.block())
            .max(first);
        self.progress.expect(total as usize * members.len());
        let mut done = first;
        let mut block = 2;
        while !self.enough(block - 1, done)? && done < total {
            let each = self.arguments.block().min(total - done);
            self.block(bench, members, block, each)?;
            done += each;
            block += 1;
        }
        for command in self.pick(members) {
            bench.aside("--cleanup", command.cleanup.as_deref(), &command.output)?;
        }
        Ok(())
    }

    /// Whether the results so far end the bench, after so many blocks and runs of each command.
    fn enough(&mut self, blocks: u32, runs: u32) -> Result<bool, Failure> {
        let Some(until) = &self.until else {
            return Ok(false);
        };
        let reached = until.look(&self.measurements(), blocks, runs)?;
        self.until_decided = Some(reached);
        Ok(reached.stopped.is_some())
    }

    fn block(
        &mut self,
        bench: &Bench<'_>,
        members: &[usize],
        block: u32,
        each: u32,
    ) -> Result<(), Failure> {
        let empty = self.empty.clone();
        if let Some(slices) = &bench.slices {
            let number = |member: usize| self.runs[member].len().to_string();
            let numbers: Vec<String> = (0..self.commands.len()).map(number).collect();
            let taken = self.together(bench, slices, members, &|member| numbers[member].clone())?;
            for (&member, run) in members.iter().zip(taken) {
                self.watched[member].add(&run);
                self.runs[member].push((block, bench.timing(&run.ended)));
                self.progress.add(&self.commands[member].name);
            }
            if let Some(empty) = &empty {
                self.shell(bench, members, block, empty)?;
            }
            return Ok(());
        }
        let drawn = members.len() + usize::from(empty.is_some());
        for drawn in self.shuffler.block(drawn, each) {
            match (members.get(drawn), &empty) {
                (Some(&member), _) => {
                    let iteration = self.runs[member].len().to_string();
                    let timing = self.one(bench, member, &iteration)?;
                    self.runs[member].push((block, timing));
                    self.progress.add(&self.commands[member].name);
                }
                (None, Some(empty)) => self.shell(bench, members, block, empty)?,
                (None, None) => {}
            }
        }
        Ok(())
    }

    /// One run of the empty shell, beside the commands of a block.
    fn shell(
        &mut self,
        bench: &Bench<'_>,
        members: &[usize],
        block: u32,
        empty: &[OsString],
    ) -> Result<(), Failure> {
        let padding = self.shuffler.padding();
        let shell = empty_shell_s(bench, empty, padding)?;
        for &member in members {
            self.shells[member].push((block, shell));
        }
        Ok(())
    }

    /// One execution of each in turns: what goes before of all of them, then all of them, then what goes after.
    fn together(
        &mut self,
        bench: &Bench<'_>,
        slices: &Slices,
        members: &[usize],
        iteration: &dyn Fn(usize) -> String,
    ) -> Result<Vec<TurnsTaken>, Failure> {
        let commands = self.pick(members);
        let argvs = self.argvs;
        let places = members
            .iter()
            .zip(&commands)
            .map(|(&member, command)| Place {
                command,
                argv: &argvs[member],
                padding: self.shuffler.padding(),
                iteration: iteration(member),
            });
        let places: Vec<Place<'_>> = places.collect();
        let mut shuffler = self.shuffler.of_turns();
        let names: Vec<&str> = commands
            .iter()
            .map(|command| command.name.as_str())
            .collect();
        undisturbed(bench.host, &names.join("` and `"), || {
            for command in &commands {
                bench.aside("--prepare", command.prepare.as_deref(), &command.output)?;
            }
            let taken = bench.run_in_turns(slices, &places, &mut shuffler)?;
            for command in &commands {
                bench.aside("--conclude", command.conclude.as_deref(), &command.output)?;
            }
            Ok(taken)
        })
    }

    /// One execution with what goes before and after.
    fn one(
        &mut self,
        bench: &Bench<'_>,
        member: usize,
        iteration: &str,
    ) -> Result<Timing, Failure> {
        let command = &self.commands[member];
        let padding = self.shuffler.padding();
        undisturbed(bench.host, &command.name, || {
            bench.aside("--prepare", command.prepare.as_deref(), &command.output)?;
            let timing = bench.run(command, &self.argvs[member], padding, iteration)?;
            bench.aside("--conclude", command.conclude.as_deref(), &command.output)?;
            Ok(timing)
        })
    }

    /// Time that the runs so far of some of the commands have taken themselves.
    fn measured_s(&self, members: &[usize]) -> f64 {
        let runs = members.iter().flat_map(|&member| &self.runs[member]);
        runs.map(|(_, timing)| timing.time_s).sum()
    }

    fn pick(&self, members: &[usize]) -> Vec<&'a BenchCommand> {
        members
            .iter()
            .map(|&member| &self.commands[member])
            .collect()
    }

    /// What was measured so far.
    pub fn measurements(&self) -> Measurements {
        let commands = self
            .commands
            .iter()
            .zip(self.runs.iter().zip(&self.shells))
            .map(|(command, (runs, shells))| Measured {
                command: command.clone(),
                runs: runs.clone(),
                shells: shells.clone(),
            })
            .collect();
        Measurements {
            commands,
            seed: self.seed,
            randomised: self.arguments.order == Order::Interleaved,
            until_decided: self.until_decided,
            watched: self.arguments.slices.map(|turn| Watched {
                turn,
                commands: self.watched.clone(),
            }),
        }
    }
}

/// Seconds of a run of the empty shell.
fn empty_shell_s(bench: &Bench<'_>, argv: &[OsString], padding: u32) -> Result<f64, Failure> {
    undisturbed(bench.host, "the empty shell", || {
        bench.probe(argv, padding)?.ok_or_else(|| {
            let text = "the shell cannot run an empty command; is --shell right?";
            Failure::usage(text.to_owned())
        })
    })
}
