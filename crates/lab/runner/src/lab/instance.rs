//! The system that serves a run: brought up for it, or kept from the run before.

use std::path::PathBuf;

use perflab_experiment::Refresh;
use perflab_store::StepKind;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::Lab;
use super::builds::{Built, cell_key, directory_name};
use super::current::Current;
use crate::environment::{Environment, MAX_PADDING_BYTES};
use crate::fault::Trouble;
use crate::fill::{Fill, Ports};
use crate::libraries::remap;
use crate::system::{Seat, System};

/// A system that is up, with what it was given.
pub(super) struct Instance<'k> {
    pub(super) system: Option<System<'k>>,
    pub(super) ports: Ports,
    pub(super) directory: PathBuf,
    environment: Environment,
    pub(super) log: PathBuf,
    pub(super) layout: Option<String>,
}

impl<'a> Lab<'a> {
    /// The system that serves a run, and whether it is new.
    pub(super) fn instance(
        &mut self,
        run: &mut Current<'_>,
        built: Option<&Built>,
    ) -> Result<(Instance<'a>, bool), Trouble> {
        if let Some(instance) = self.kept.remove(&cell_key(run.cell))
            && instance
                .system
                .as_ref()
                .is_none_or(|system| system.check_alive().is_ok())
        {
            return Ok((instance, false));
        }
        let keep = self.experiment.design.refresh == Refresh::Keep;
        let directory = if keep {
            self.scratch()
                .join("kept")
                .join(directory_name(&cell_key(run.cell)))
        } else {
            self.scratch()
                .join(format!("run-{}", run.planned.run))
                .join("system")
        };
        self.host.remove(&directory);
        self.host
            .create_directory(&directory)
            .map_err(Trouble::Fatal)?;
        // A kept system writes on while later runs have their own directories.
        let log = if keep {
            directory.with_extension("log")
        } else {
            run.logs.join("system.log")
        };

        let mut environment = self.environment();
        for (name, value) in &run.variant.env {
            environment.set(name, value);
        }
        environment.pad(run.random.random_range(0..=MAX_PADDING_BYTES));
        let mut ports = Ports::default();
        let mut names = ChaCha8Rng::seed_from_u64(run.planned.seed);
        let mut fill = Fill {
            host: self.host,
            ports: &mut ports,
            random: &mut names,
            dir: &directory,
            run: if keep { None } else { Some(&run.logs) },
            build: built.map(|built| built.output.as_path()),
            experiment: &self.home,
        };
        for (name, value) in &run.variant.env {
            environment.set(name, fill.text(value)?);
        }
        let layout = match (
            built.and_then(|built| built.layout.clone()),
            &run.variant.start,
        ) {
            (Some(layout), _) => Some(layout),
            (None, Some(start)) if self.experiment.design.refresh == Refresh::Relink => {
                let argv = fill.argv(start)?;
                remap(
                    self.host,
                    &argv,
                    &directory,
                    &mut environment,
                    &mut run.random,
                )
            }
            _ => None,
        };
        let seat = Seat {
            environment: &environment,
            directory: &directory,
            log: &log,
            cpus: self.system_cpus.as_ref(),
        };
        let begun = self.host.now();
        let started = System::start(run.variant, &seat, &mut fill, self.host);
        if run.variant.start.is_some() {
            run.outcome.note(StepKind::Start, self.host.now() - begun);
        }
        let system = started?;
        Ok((
            Instance {
                system,
                ports,
                directory,
                environment,
                log,
                layout,
            },
            true,
        ))
    }

    /// Stops a system as its variant says, and keeps what it used as evidence.
    pub(super) fn stop(
        &self,
        run: &mut Current<'_>,
        built: Option<&Built>,
        instance: Instance<'_>,
    ) -> Result<(), Trouble> {
        let Instance {
            system,
            mut ports,
            directory,
            environment,
            log,
            ..
        } = instance;
        let Some(system) = system else { return Ok(()) };
        let mut fill = Fill {
            host: self.host,
            ports: &mut ports,
            random: &mut run.random,
            dir: &directory,
            run: log.parent(),
            build: built.map(|built| built.output.as_path()),
            experiment: &self.home,
        };
        let seat = Seat {
            environment: &environment,
            directory: &directory,
            log: &log,
            cpus: None,
        };
        let begun = self.host.now();
        let stopped = system.stop(run.variant, &seat, &mut fill);
        run.outcome.note(StepKind::Stop, self.host.now() - begun);
        let ended = stopped?;
        for (name, value) in [
            ("system_user_s", ended.usage.user.as_secs_f64()),
            ("system_system_s", ended.usage.system.as_secs_f64()),
        ] {
            run.outcome.evidence.insert(name.to_owned(), value);
        }
        if let Some(bytes) = ended.usage.max_rss_bytes {
            let name = "system_max_rss_bytes".to_owned();
            run.outcome.evidence.insert(name, bytes as f64);
        }
        Ok(())
    }
}
