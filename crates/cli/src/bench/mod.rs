//! `perflab bench`: compares commands without a file.

mod arguments;
mod commands;
mod export;
mod itself;
mod measure;
mod pipe;
mod schedule;
mod shell;
mod summary;
mod until;

use std::ffi::OsString;
use std::time::Duration;

pub use arguments::BenchArguments;
use arguments::{Order, Output, Sort};
use commands::{BenchCommand, Shell};
pub use itself::{Itself, against_itself};
use measure::{Bench, Timing, Tolerated, undisturbed};
use perflab_compare::{Row, UntilDecided};
use perflab_runner::cpu_set;
use pipe::Pipe;
use schedule::{Count, Shuffler};
use until::Until;

use crate::failure::{Code, Failure};
use crate::output::write;
use crate::run::lock;
use crate::standby::stand_by;
use crate::terminal;

/// The runs of one command, in order of execution.
#[derive(Debug, Clone)]
pub struct Measured {
    /// What was measured.
    pub command: BenchCommand,
    /// Each run with its block, from 1.
    pub runs: Vec<(u32, Timing)>,
    /// Seconds of each run of an empty shell beside these, with its block.
    pub shells: Vec<(u32, f64)>,
}

/// Everything that a bench found out.
#[derive(Debug, Clone)]
pub struct Measurements {
    /// One entry per command, the baseline first.
    pub commands: Vec<Measured>,
    /// Seed of the order.
    pub seed: u64,
    /// Whether the order was random within blocks.
    pub randomised: bool,
    /// Where the results may end the bench: how far it got, and why it ended.
    pub until_decided: Option<UntilDecided>,
}

/// Executes the command.
pub fn bench(arguments: &BenchArguments) -> Result<Option<Code>, Failure> {
    let commands = commands::expand(arguments)?;
    let shell = Shell::from(arguments)?;
    let margin = arguments.margin.as_deref().map(margin).transpose()?;
    let seed = arguments
        .seed
        .unwrap_or_else(|| rand::random::<u64>() >> 12);
    let argvs: Vec<Vec<OsString>> = commands
        .iter()
        .map(|command| shell.argv(&command.line))
        .collect::<Result<_, _>>()?;
    export::check(arguments)?;
    let until = Until::from(arguments, commands.len(), margin)?;
    if let (Some(least), Some(most)) = (arguments.min_runs, arguments.max_runs)
        && least > most
    {
        return Err(Failure::usage(format!(
            "--min-runs asks for more than the {most} runs of --max-runs"
        )));
    }

    let _lock = lock(arguments.wait)?;
    let machine = stand_by()?;
    let bench = Bench {
        shell,
        environment: machine.inherited_environment(),
        cpus: arguments.cpus.as_deref().map(cpus).transpose()?.flatten(),
        timeout: arguments.timeout.as_deref().map(duration).transpose()?,
        tolerated: Tolerated::parse(arguments.ignore_failure.as_deref())?,
        input: path_or_null(&arguments.input),
        pipe: commands
            .iter()
            .any(|command| command.output == Output::Pipe)
            .then(Pipe::new)
            .transpose()?,
        host: &machine,
    };

    let prepares = |command: &BenchCommand| command.setup.is_some() || command.prepare.is_some();
    if bench.shell == Shell::None && !commands.iter().any(prepares) {
        look_for(&argvs, &bench)?;
    }
    let mut round = Round::new(&commands, &argvs, arguments, seed, until);
    round.all(&bench)?;
    let measurements = round.measurements();
    let mut report = summary::report(&measurements, margin)?;
    if let (Sort::MeanTime, Some(report)) = (arguments.sort, &mut report) {
        let mean = |row: &Row| row.candidate.mean;
        report.rows.sort_by(|a, b| mean(a).total_cmp(&mean(b)));
    }
    // Before the exports: should one of them fail, what was measured is not lost.
    if !arguments.is_silent() {
        terminal::print(&summary::text(&measurements, arguments, report.as_ref())?)?;
    }
    export::all(&measurements, arguments)?;
    if let (Some(path), Some(report)) = (&arguments.export_report, &report) {
        write(path, &perflab_report::json(report))?;
    }
    Ok(report
        .filter(|_| arguments.until.until_decided)
        .and_then(|report| arguments.until.code(&report)))
}

/// The state of a bench under way.
struct Round<'a> {
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
    progress: summary::BenchProgress,
}

impl<'a> Round<'a> {
    fn new(
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
            progress: summary::BenchProgress::new(
                arguments.style.progress() && !arguments.is_silent(),
            ),
        }
    }

    fn all(&mut self, bench: &Bench<'_>) -> Result<(), Failure> {
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
            if let Some(setup) = &command.setup {
                bench.aside("--setup", setup, &command.output)?;
            }
        }
        for warmup in 0..self.arguments.warmup {
            for &member in members {
                self.one(bench, member, &format!("warmup-{warmup}"))?;
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
            .block
            .min(count.exactly.or(count.most).unwrap_or(u32::MAX));
        let (before, moment) = (bench.host.now(), bench.host.moment());
        self.block(bench, members, 1, first)?;
        let seconds = match moment.until(&bench.host.moment()) {
            None => (bench.host.now() - before).as_secs_f64(),
            Some(_) => self.measured_s(members),
        } / f64::from(first);
        let total = count
            .decide(seconds, members.len(), self.arguments.block)
            .max(first);
        self.progress.expect(total as usize * members.len());
        let mut done = first;
        let mut block = 2;
        while !self.enough(block - 1, done)? && done < total {
            let each = self.arguments.block.min(total - done);
            self.block(bench, members, block, each)?;
            done += each;
            block += 1;
        }
        for command in self.pick(members) {
            if let Some(cleanup) = &command.cleanup {
                bench.aside("--cleanup", cleanup, &command.output)?;
            }
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
        let drawn = members.len() + usize::from(empty.is_some());
        for drawn in self.shuffler.block(drawn, each) {
            match (members.get(drawn), &empty) {
                (Some(&member), _) => {
                    let iteration = self.runs[member].len().to_string();
                    let timing = self.one(bench, member, &iteration)?;
                    self.runs[member].push((block, timing));
                    self.progress.add(&self.commands[member].name);
                }
                (None, Some(empty)) => {
                    let padding = self.shuffler.padding();
                    let shell = empty_shell_s(bench, empty, padding)?;
                    for &member in members {
                        self.shells[member].push((block, shell));
                    }
                }
                (None, None) => {}
            }
        }
        Ok(())
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
            if let Some(prepare) = &command.prepare {
                bench.aside("--prepare", prepare, &command.output)?;
            }
            let timing = bench.run(command, &self.argvs[member], padding, iteration)?;
            if let Some(conclude) = &command.conclude {
                bench.aside("--conclude", conclude, &command.output)?;
            }
            Ok(timing)
        })
    }

    /// Time that the runs so far of some of the commands have taken themselves.
    fn measured_s(&self, members: &[usize]) -> f64 {
        let runs = members.iter().flat_map(|&member| &self.runs[member]);
        runs.map(|(_, timing)| timing.wall_s).sum()
    }

    fn pick(&self, members: &[usize]) -> Vec<&'a BenchCommand> {
        members
            .iter()
            .map(|&member| &self.commands[member])
            .collect()
    }

    fn measurements(&self) -> Measurements {
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
        }
    }
}

/// Looks for all programs, so that none is measured in vain before another one is missing.
fn look_for(argvs: &[Vec<OsString>], bench: &Bench<'_>) -> Result<(), Failure> {
    let Ok(directory) = std::env::current_dir() else {
        return Ok(());
    };
    for program in argvs.iter().filter_map(|argv| argv.first()) {
        let found = bench
            .host
            .locate(program, &directory, &bench.environment.path());
        found.map_err(|why| {
            let program = terminal::escape(&program.to_string_lossy());
            Failure::environment(format!("cannot start `{program}`: {why}"))
        })?;
    }
    Ok(())
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

fn path_or_null(text: &str) -> Option<std::path::PathBuf> {
    (text != "null").then(|| text.into())
}

/// The largest difference that does not matter, from the value of `--margin`.
pub fn margin(text: &str) -> Result<f64, Failure> {
    match percent(text)? {
        margin if margin > 0.0 && margin < 1.0 => Ok(margin),
        _ => Err(Failure::usage(format!(
            "--margin: expected more than 0% and less than 100%, found {text}"
        ))),
    }
}

/// A share as `1%` or `0.01`, the two forms that the experiment file takes.
pub fn percent(text: &str) -> Result<f64, Failure> {
    perflab_experiment::parse_percent(text).or_else(|error| {
        let unsigned = text.starts_with(|c: char| c.is_ascii_digit());
        text.parse()
            .ok()
            .filter(|share: &f64| unsigned && share.is_finite())
            .ok_or_else(|| Failure::usage(error.to_string()))
    })
}

fn duration(text: &str) -> Result<Duration, Failure> {
    perflab_experiment::parse_duration(text).map_err(|error| Failure::usage(error.to_string()))
}

fn cpus(text: &str) -> Result<Option<rustix::thread::CpuSet>, Failure> {
    let list: perflab_experiment::CpuList = text
        .parse()
        .map_err(|error| Failure::usage(format!("--cpus: {error}")))?;
    cpu_set(list.numbers()).map_err(|error| Failure::environment(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_a_percentage_or_a_fraction() {
        assert_eq!(percent("1%").unwrap(), 0.01);
        assert_eq!(percent("0.01").unwrap(), 0.01);
        for wrong in ["", "%", "-1%", "-0.01", "+0.01", "inf", "nan", "a", "1,5%"] {
            assert!(percent(wrong).is_err(), "{wrong}");
        }
    }
}
