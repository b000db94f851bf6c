//! The systems that serve a run: brought up for it, or kept from the run before.

use std::path::PathBuf;

use indexmap::IndexMap;
use perflab_experiment::{Refresh, Status, System};
use perflab_store::StepKind;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::Lab;
use super::builds::{Built, cell_key, directory_name};
use super::current::Current;
use crate::environment::MAX_PADDING_BYTES;
use crate::fault::{Fault, Trouble};
use crate::fill::{Fill, Ports, Share};
use crate::host::ResourceUsage;
use crate::remap::remap;
use crate::system::{RunningSystem, Seat};

/// Systems that are up, with what they were given.
#[derive(Debug)]
pub(super) struct Instance<'k> {
    /// In the order in which they were started. Dropping kills the last one first, which others may not depend on.
    pub(super) systems: Vec<RunningSystem<'k>>,
    pub(super) ports: Ports,
    pub(super) directory: PathBuf,
    pub(super) layout: Option<String>,
    /// The place whose CPUs all systems are on, where variants are executed at the same time; nothing if they could
    /// not be moved.
    pub(super) place: Option<usize>,
}

impl Instance<'_> {
    /// Whether all of its systems still run; else what the first that does not said last.
    pub(super) fn check_alive(&self) -> Result<(), Fault> {
        check_alive(&self.systems)
    }
}

/// The same of the systems alone.
pub(super) fn check_alive(systems: &[RunningSystem<'_>]) -> Result<(), Fault> {
    systems.iter().try_for_each(RunningSystem::check_alive)
}

impl Drop for Instance<'_> {
    fn drop(&mut self) {
        while self.systems.pop().is_some() {}
    }
}

impl<'a> Lab<'a> {
    /// The systems that serve a run, and whether they are new.
    pub(super) fn instance(
        &mut self,
        run: &mut Current<'_>,
        built: Option<&Built>,
    ) -> Result<(Instance<'a>, bool), Trouble> {
        let kept = self.kept.remove(&cell_key(run.cell));
        if let Some(instance) = kept.filter(|instance| instance.check_alive().is_ok()) {
            return Ok((instance, false));
        }
        let directory = match self.keeps() {
            true => self
                .scratch()
                .join("kept")
                .join(directory_name(&cell_key(run.cell))),
            false => self
                .scratch()
                .join(format!("run-{}", run.planned.run))
                .join("system"),
        };
        self.host.remove(&directory);
        self.host
            .create_directory(&directory)
            .map_err(Trouble::Fatal)?;
        let mut instance = Instance {
            systems: Vec::new(),
            ports: Ports::default(),
            directory,
            layout: built.and_then(|built| built.layout.clone()),
            place: Some(run.place),
        };
        let begun = self.host.now();
        let mut names = ChaCha8Rng::seed_from_u64(run.planned.seed);
        let systems = run.variant.systems();
        let has_systems = !systems.is_empty();
        let started = systems
            .into_iter()
            .try_for_each(|system| self.bring_up(system, &mut instance, run, built, &mut names));
        if has_systems {
            run.outcome.note(StepKind::Start, self.host.now() - begun);
        }
        started?;
        Ok((instance, true))
    }

    /// Whether systems outlive a run.
    pub(super) fn keeps(&self) -> bool {
        self.experiment.design.refresh == Refresh::Keep
    }

    fn bring_up(
        &self,
        system: System,
        instance: &mut Instance<'a>,
        run: &mut Current<'_>,
        built: Option<&Built>,
        names: &mut ChaCha8Rng,
    ) -> Result<(), Trouble> {
        let directory = match &system.name {
            Some(name) => instance.directory.join(name),
            None => instance.directory.clone(),
        };
        self.host
            .create_directory(&directory)
            .map_err(Trouble::Fatal)?;
        let log = match &system.name {
            Some(name) => format!("{name}.log"),
            None => "log".to_owned(),
        };
        // A kept system writes on while later runs have their own directories.
        let log = match self.keeps() {
            true => instance.directory.with_extension(log),
            false => run.logs.join(format!("system.{log}")),
        };
        let mut environment = self.environment();
        for (name, value) in &system.env {
            environment.set(name, value);
        }
        environment.pad(run.random.random_range(0..=MAX_PADDING_BYTES));
        let mut fill = Fill {
            host: self.host,
            ports: &mut instance.ports,
            random: names,
            dir: &directory,
            run: if self.keeps() { None } else { Some(&run.logs) },
            build: built.map(|built| built.output.as_path()),
            experiment: &self.home,
            share: Share::WHOLE,
        };
        for (name, value) in &system.env {
            environment.set(name, fill.text(value)?);
        }
        for observer in &run.observers {
            environment.extend(observer.variables());
        }
        let argv = fill.argv(&system.start)?;
        let identity = self.identity(&argv, &directory, &environment);
        run.outcome.programs.extend(identity);
        if built.is_none_or(|built| built.layout.is_none())
            && self.experiment.design.refresh == Refresh::Relink
        {
            let mapped = remap(
                self.host,
                &argv,
                &directory,
                &mut environment,
                &mut run.random,
            );
            instance.layout = instance.layout.take().or(mapped);
        }
        let cpus = match &system.cpus {
            Some(list) => self
                .host
                .cpus(list.numbers())
                .map_err(|error| Fault::new(Status::NotReady, format!("the system: {error}")))?,
            None => self.places.get(run.place).copied().or(self.system_cpus),
        };
        let seat = Seat {
            environment,
            directory: directory.clone(),
            log,
            cpus,
        };
        let running = RunningSystem::start(system, seat, &mut fill, self.host)?;
        instance.systems.push(running);
        Ok(())
    }

    /// Stops systems as their tables say, the last one first, and keeps what they used as evidence.
    pub(super) fn stop(
        &self,
        run: &mut Current<'_>,
        built: Option<&Built>,
        mut instance: Instance<'_>,
    ) -> Result<(), Trouble> {
        if instance.systems.is_empty() {
            return Ok(());
        }
        let begun = self.host.now();
        let mut outcome = Ok(());
        while let Some(system) = instance.systems.pop() {
            let name = system.name().map(str::to_owned);
            let directory = system.directory().to_owned();
            let mut fill = Fill {
                host: self.host,
                ports: &mut instance.ports,
                random: &mut run.random,
                dir: &directory,
                run: if self.keeps() { None } else { Some(&run.logs) },
                build: built.map(|built| built.output.as_path()),
                experiment: &self.home,
                share: Share::WHOLE,
            };
            match system.stop(&mut fill) {
                Ok(ended) => used(&mut run.outcome.evidence, name.as_deref(), &ended.usage),
                // The fault of the first one that does not stop is told.
                Err(trouble) => outcome = outcome.and(Err(trouble)),
            }
        }
        run.outcome.note(StepKind::Stop, self.host.now() - begun);
        outcome
    }
}

/// Adds what a system has used to the evidence: under its own name, where it has one, and to the sum of all.
fn used(evidence: &mut IndexMap<String, f64>, name: Option<&str>, usage: &ResourceUsage) {
    let times = [
        ("system_user_s", usage.user),
        ("system_system_s", usage.system),
    ];
    for (what, time) in times {
        *evidence.entry(what.to_owned()).or_default() += time.as_secs_f64();
        if let Some(name) = name {
            evidence.insert(format!("{what}.{name}"), time.as_secs_f64());
        }
    }
    if let Some(bytes) = usage.max_rss_bytes {
        let what = "system_max_rss_bytes";
        let what = name.map_or_else(|| what.to_owned(), |name| format!("{what}.{name}"));
        evidence.insert(what, bytes as f64);
    }
}
