//! The workload of a run: prepared, warmed up, executed, read.

use std::ffi::OsString;

use perflab_experiment::{Command, Refresh, Status};
use perflab_store::StepKind;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::Lab;
use super::builds::Built;
use super::current::Current;
use super::instance::{Instance, check_alive};
use super::output::{read, well_ended};
use crate::aside::{Aside, launch_trouble};
use crate::driver::driver_of;
use crate::environment::MAX_PADDING_BYTES;
use crate::fault::{Fault, Trouble};
use crate::fill::Fill;
use crate::host::{Ended, Launch, Redirect, Stopped};
use crate::observer::ObservedRun;
use crate::remap::remap;

impl Lab<'_> {
    /// Executes the workload against an instance, which is new where `fresh`.
    pub(super) fn load(
        &self,
        run: &mut Current<'_>,
        instance: &mut Instance<'_>,
        built: Option<&Built>,
        fresh: bool,
    ) -> Result<(), Trouble> {
        let Instance {
            systems,
            ports,
            directory: dir,
            ..
        } = instance;
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
            ports,
            random: &mut names,
            dir,
            run: Some(&run.logs),
            build: built.map(|built| built.output.as_path()),
            experiment: &self.home,
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
        let arguments = run.workload.args.iter().map(|text| fill.text(text));
        let arguments = arguments.collect::<Result<Vec<_>, _>>()?;
        let argv = match &run.workload.command {
            Some(command) => fill.argv(command)?,
            None => {
                driver
                    .check(&arguments)
                    .map_err(|error| Fault::no_run(error.to_string()))?;
                driver
                    .argv(&arguments)
                    .into_iter()
                    .map(Into::into)
                    .collect()
            }
        };
        for observer in &run.observers {
            environment.extend(observer.variables());
        }
        if !has_systems && self.experiment.design.refresh == Refresh::Relink && built.is_none() {
            run.outcome.layout = remap(
                self.host,
                &argv,
                &directory,
                &mut environment,
                &mut run.random,
            );
        }
        let identity = self.identity(&argv, &directory, &environment);
        run.outcome.programs.extend(identity);
        let observed = ObservedRun {
            host: self.host,
            directory: &run.logs,
        };
        let mut observers = run.observers.iter();
        let argv = observers.try_fold(argv, |argv, observer| {
            observer.wrap(&observed, argv, &directory, &environment)
        })?;
        let mut within = Vec::with_capacity(run.workload.within.len());
        for word in &run.workload.within {
            within.push(OsString::from(fill.text(word)?));
        }
        let argv: Vec<OsString> = within.into_iter().chain(argv).collect();
        run.outcome.argv = argv
            .iter()
            .map(|word| word.to_string_lossy().into_owned())
            .collect();
        let limit = run
            .workload
            .timeout
            .unwrap_or(self.experiment.design.timeout);
        let aside = |purpose, command: &Command, fill: &mut Fill<'_>| {
            Aside {
                purpose,
                status: Status::NoRun,
                argv: &fill.argv(command)?,
                environment: &environment,
                directory: &directory,
                log: &run.logs.join(format!("{purpose}.log")),
                cpus: self.load_cpus.as_ref(),
                limit,
            }
            .execute(self.host)
        };
        let (stdout, stderr) = (run.logs.join("stdout"), run.logs.join("stderr"));
        let launch = Launch {
            argv: &argv,
            environment: &environment,
            directory: Some(&directory),
            stdin: None,
            stdout: Redirect::File(&stdout),
            stderr: Redirect::File(&stderr),
            cpus: self.load_cpus.as_ref(),
        };
        let warmups = if fresh {
            self.experiment.design.warmup
        } else {
            0
        };
        for measured in (0..warmups).map(|_| false).chain([true]) {
            if let Some(prepare) = &run.workload.prepare {
                let begun = self.host.now();
                let prepared = aside("prepare", prepare, &mut fill);
                run.outcome.note(StepKind::Prepare, self.host.now() - begun);
                prepared?;
            }
            for observer in &mut run.observers {
                observer.start(measured)?;
            }
            let begun = self.host.now();
            let before = self.host.load();
            let process = self.host.start(&launch);
            let mut ended = process
                .map_err(|error| launch_trouble(error, Fault::no_run))?
                .wait(Some(limit))
                .map_err(Trouble::Fatal)?;
            let step = match measured {
                true => StepKind::Run,
                false => StepKind::WarmUp,
            };
            run.outcome.note(step, self.host.now() - begun);
            run.outcome.load = Some((before, self.host.load()));
            for observer in &mut run.observers {
                observer.stop();
            }
            if ended.stopped == Some(Stopped::Interrupted) {
                return Err(Trouble::Interrupted);
            }
            let mut exit = Ok(ended.exit);
            for observer in &run.observers {
                exit = exit.and_then(|exit| observer.exit(&observed, &Ended { exit, ..ended }));
            }
            ended.exit = exit.as_ref().map_or(ended.exit, |exit| *exit);
            run.outcome.ended = Some(ended);
            let fine = exit
                .and_then(|_| well_ended(self.host, &ended, run.workload, limit, &stdout, &stderr));
            // A system that died explains the load's failure.
            check_alive(systems)?;
            fine?;
            if measured {
                run.outcome.samples = read(
                    self.host,
                    driver.as_ref(),
                    &arguments,
                    &ended,
                    &stdout,
                    &stderr,
                )?;
            }
            if let Some(cleanup) = &run.workload.cleanup {
                let begun = self.host.now();
                let cleaned = aside("cleanup", cleanup, &mut fill);
                run.outcome.note(StepKind::CleanUp, self.host.now() - begun);
                cleaned?;
            }
        }
        Ok(())
    }
}
