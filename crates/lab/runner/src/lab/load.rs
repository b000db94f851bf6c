//! The workload of a run, ready to be executed: its command lines, its environment, its limits.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use perflab_drivers::{Alike, Driver, Evidence, most_slices};
use perflab_experiment::{Command, Refresh, Workload, names_slice};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::Lab;
use super::builds::Built;
use super::current::Current;
use super::instance::Instance;
use crate::driver::{driver_of, evidence_of};
use crate::environment::{Environment, MAX_PADDING_BYTES};
use crate::fault::{Fault, Trouble};
use crate::fill::{Fill, Share};
use crate::observer::ObservedRun;
use crate::remap::remap;

/// A workload that is ready to be executed.
#[derive(Debug)]
pub(super) struct Load {
    pub(super) driver: Box<dyn Driver>,
    pub(super) evidence: Evidence,
    pub(super) environment: Environment,
    pub(super) directory: PathBuf,
    /// The time limit of a run, all of its slices together.
    pub(super) limit: Duration,
    /// Words before the tool, which execute it.
    pub(super) within: Vec<OsString>,
    /// Executions before the one that is measured.
    pub(super) warmups: u32,
    /// What slices have in common.
    pub(super) alike: Alike,
    /// The executions of each slice; a run that is executed as a whole is one slice with one execution, and so is one
    /// whose driver takes the turns.
    pub(super) slices: Vec<Vec<Execution>>,
    pub(super) prepare: Option<Vec<OsString>>,
    pub(super) cleanup: Option<Vec<OsString>>,
}

impl Load {
    /// Executions of a slice.
    pub(super) fn parts(&self) -> usize {
        self.slices.first().map_or(0, Vec::len)
    }
}

/// One start of the load's program.
#[derive(Debug)]
pub(super) struct Execution {
    pub(super) argv: Vec<OsString>,
    /// Those of the driver's tool.
    pub(super) arguments: Vec<String>,
}

impl Lab<'_> {
    /// Makes the workload of a run ready, against an instance, which is new where `is_fresh`.
    pub(super) fn load(
        &self,
        run: &mut Current<'_>,
        instance: &mut Instance<'_>,
        built: Option<&Built>,
        is_fresh: bool,
    ) -> Result<Load, Trouble> {
        let driver = driver_of(run.workload)?;
        let scratch = self
            .scratch()
            .join(format!("run-{}", run.planned.run))
            .join("load");
        self.host
            .create_directory(&scratch)
            .map_err(Trouble::Fatal)?;
        let mut names = ChaCha8Rng::seed_from_u64(run.planned.seed ^ 1);
        let mut fill = Fill {
            host: self.host,
            ports: &mut instance.ports,
            random: &mut names,
            dir: &instance.directory,
            run: Some(&run.logs),
            build: built.map(|built| built.output.as_path()),
            experiment: &self.home,
            share: Share::WHOLE,
        };
        let directory = match &run.workload.directory {
            Some(directory) => fill.path(directory)?,
            None => scratch,
        };
        let mut environment = self.environment();
        let has_systems = run.variant.has_systems();
        let of_variant = run.variant.env.iter().filter(|_| !has_systems);
        for (name, value) in of_variant.chain(&run.workload.env) {
            environment.set(name, fill.text(value)?);
        }
        run.outcome.padding = run.random.random_range(0..=MAX_PADDING_BYTES);
        environment.pad(run.outcome.padding);
        let mut lines = |count| command_lines(run.workload, driver.as_ref(), &mut fill, count);
        let (wanted, least) = self.slices_of(run.cell);
        let count = most_slices(least, wanted, |count| lines(count).is_ok());
        let (alike, slices) = lines(count)?;
        for observer in &run.observers {
            environment.extend(observer.variables());
        }
        let first = slices.first().and_then(|slice| slice.first());
        let first = first.map(|(argv, _)| argv.clone()).unwrap_or_default();
        if !has_systems && self.experiment.design.refresh == Refresh::Relink && built.is_none() {
            run.outcome.layout = remap(
                self.host,
                &first,
                &directory,
                &mut environment,
                &mut run.random,
            );
        }
        let identity = self.identity(&first, &directory, &environment);
        run.outcome.programs.extend(identity);
        let observed = ObservedRun {
            host: self.host,
            directory: &run.logs,
        };
        let mut within = Vec::with_capacity(run.workload.within.len());
        for word in &run.workload.within {
            within.push(OsString::from(fill.text(word)?));
        }
        let execution = |(argv, arguments): CommandLine| -> Result<Execution, Fault> {
            let mut observers = run.observers.iter();
            let argv = observers.try_fold(argv, |argv, observer| {
                observer.wrap(&observed, argv, &directory, &environment)
            })?;
            let argv = within.iter().cloned().chain(argv).collect();
            Ok(Execution { argv, arguments })
        };
        let slices = slices
            .into_iter()
            .map(|slice| slice.into_iter().map(execution).collect())
            .collect::<Result<Vec<Vec<_>>, _>>()?;
        let first = slices.first().and_then(|slice| slice.first());
        let words = first.map(|execution| execution.argv.iter());
        let words = words.into_iter().flatten();
        run.outcome.argv = words
            .map(|word| word.to_string_lossy().into_owned())
            .collect();
        let mut aside = |command: &Option<Command>| {
            let command = command.as_ref();
            command.map(|command| fill.argv(command)).transpose()
        };
        Ok(Load {
            driver,
            evidence: evidence_of(run.workload)?,
            limit: run
                .workload
                .timeout
                .unwrap_or(self.experiment.design.timeout),
            warmups: match is_fresh {
                true => self.experiment.design.warmup,
                false => 0,
            },
            alike,
            slices,
            within,
            prepare: aside(&run.workload.prepare)?,
            cleanup: aside(&run.workload.cleanup)?,
            environment,
            directory,
        })
    }
}

/// A command line, and the arguments of the driver's tool in it.
type CommandLine = (Vec<OsString>, Vec<String>);

/// The command lines of each slice.
fn command_lines(
    workload: &Workload,
    driver: &dyn Driver,
    fill: &mut Fill<'_>,
    count: u32,
) -> Result<(Alike, Vec<Vec<CommandLine>>), Fault> {
    let says_its_share = workload.args.iter().any(|text| names_slice(text));
    let mut alike = Alike::Work;
    let mut slices = Vec::with_capacity(count as usize);
    // A process that takes the turns is told of the first slice only.
    let is_one = driver.takes_turns().is_some();
    for number in 1..=if is_one { 1 } else { count } {
        fill.share = Share { number, count };
        if let Some(command) = &workload.command {
            let argv = fill.argv(command)?;
            let words = argv.iter().map(|word| word.to_string_lossy().into_owned());
            let arguments = if is_one { words.collect() } else { Vec::new() };
            slices.push(vec![(argv, arguments)]);
            continue;
        }
        let arguments = workload.args.iter().map(|text| fill.text(text));
        let arguments = arguments.collect::<Result<Vec<String>, _>>()?;
        let refused = |error: perflab_drivers::ArgumentError| Fault::no_run(error.to_string());
        driver.check(&arguments).map_err(refused)?;
        if count > 1 {
            driver.check_slice(&arguments).map_err(refused)?;
        }
        alike = driver.alike(&arguments);
        let executions = match count == 1 || says_its_share {
            true => vec![arguments],
            false => driver.slices(&arguments, count).map_err(refused)?,
        };
        let executions = executions.into_iter().map(|arguments| {
            let argv = driver.argv(&arguments).into_iter().map(Into::into);
            (argv.collect(), arguments)
        });
        slices.push(executions.collect());
    }
    fill.share = Share::WHOLE;
    Ok((alike, slices))
}
