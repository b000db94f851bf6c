//! The laboratory: goes through a plan run by run and records each.
//!
//! A run, step by step:
//! 1. the machine is set as the variant wants it; the build or layout that serves it is made, unless it is there already;
//! 2. the system is started and waited for, unless a kept one is up;
//! 3. `prepare` is executed, then the warm-ups if the system is new;
//! 4. the workload is executed and measured, with nothing of the laboratory running beside it;
//! 5. the system must still be alive; `cleanup` is executed; the system is stopped unless kept;
//! 6. the output is read, the record is appended, and the run's directory gets its final name.
//!
//! Whatever fails in 1 to 6 becomes the status of the run; one during which the laboratory or the
//! machine stood still is thrown away and made again. Only trouble of the laboratory itself
//! (a full disk) or of the whole experiment ends it early, and it can be resumed then.

mod builds;
mod current;
mod error;
mod instance;
mod ledger;
mod load;
mod output;
mod settings;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use perflab_experiment::{CpuList, Experiment, Plan, PlannedRun, Status};
use perflab_machine::tune::Session;
use perflab_store::{ResultDir, RunRecord, StoreError};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rustix::thread::CpuSet;

use crate::aside::is_full;
use crate::counters::Counters;
use crate::environment::Environment;
use crate::fault::{Fault, Trouble};
use crate::host::Host;
use crate::kept::{RunDirectory, cut_outputs, hollow};
use crate::observer::{ObservedRun, Observer};
use crate::reporter::Reporter;
use crate::standstill::MOST_ATTEMPTS;

use builds::{Built, cell_key};
use current::{Current, RunOutcome, record};
use instance::Instance;
use ledger::Ledger;

pub use error::LabError;

/// Room on the result's disk below which it counts as full, in bytes: a program that ran out of
/// it leaves less than a few blocks.
const LEAST_ROOM_BYTES: u64 = 1 << 14;

/// Counts the attempts at a run that were thrown away, in its record.
const DISCARDED: &str = "executions_discarded";

/// One experiment under way.
pub struct Lab<'a> {
    experiment: &'a Experiment,
    /// Directory of the experiment file, for paths relative to it.
    home: PathBuf,
    /// Directory of the result. Absolute, as the processes that get paths in it have working
    /// directories of their own.
    root: PathBuf,
    plan: &'a Plan,
    result: &'a mut ResultDir,
    reporter: &'a mut dyn Reporter,
    host: &'a dyn Host,
    system_cpus: Option<CpuSet>,
    load_cpus: Option<CpuSet>,
    settings: Option<&'a mut Session>,
    observers: Vec<Box<dyn Observer + 'a>>,
    kept: BTreeMap<String, Instance<'a>>,
    built: BTreeMap<String, Built>,
}

impl<'a> Lab<'a> {
    /// Prepares to execute what is left of a plan.
    ///
    /// # Errors
    /// When CPUs are asked for that there are not, or the working directory is gone.
    pub fn new(
        experiment: &'a Experiment,
        home: &Path,
        plan: &'a Plan,
        result: &'a mut ResultDir,
        host: &'a dyn Host,
        reporter: &'a mut dyn Reporter,
    ) -> Result<Self, LabError> {
        let set = |list: &Option<CpuList>| {
            list.as_ref()
                .map_or(Ok(None), |list| host.cpus(list.numbers()))
        };
        Ok(Self {
            system_cpus: set(&experiment.cpus.system)?,
            load_cpus: set(&experiment.cpus.load)?,
            experiment,
            home: home.to_path_buf(),
            root: std::path::absolute(result.path())?,
            plan,
            result,
            reporter,
            host,
            settings: None,
            observers: Vec::new(),
            kept: BTreeMap::new(),
            built: BTreeMap::new(),
        })
    }

    /// Lets variants change settings of the machine through this session, which the caller ends.
    #[must_use]
    pub fn with_settings(mut self, session: Option<&'a mut Session>) -> Self {
        self.settings = session;
        self
    }

    /// Has these look on in the runs that the plan wants observed.
    #[must_use]
    pub fn with_observers(mut self, observers: Vec<Box<dyn Observer + 'a>>) -> Self {
        self.observers = observers;
        self
    }

    /// Executes the runs of the plan that are not in `done`, until `enough` says so. It is asked
    /// with all records before each block but the first.
    ///
    /// # Errors
    /// When it has to stop early; what was recorded until then stays.
    pub fn execute(
        &mut self,
        done: &[RunRecord],
        enough: &mut dyn FnMut(&[RunRecord]) -> bool,
    ) -> Result<(), LabError> {
        let mut records = done.to_vec();
        let started = self.host.now();
        let mut has_run = false;
        let mut ledger = Ledger::new(done);
        let mut observers = std::mem::take(&mut self.observers);
        let left: Vec<PlannedRun> = self
            .plan
            .runs
            .iter()
            .filter(|run| !ledger.recorded.contains(&run.run))
            .copied()
            .collect();
        for run in left {
            if self.begins_block(&run) && enough(&records) {
                return Ok(());
            }
            if self.host.is_interrupted() {
                return Err(LabError::Interrupted);
            }
            // However short it is, each session gets on by a run.
            if let Some(limit) = self.experiment.design.limit
                && has_run
                && self.host.now() - started >= limit
            {
                return Err(LabError::Limit(limit));
            }
            let record = self.run(&run, &mut observers)?;
            has_run = true;
            if let Some(hopeless) = ledger.add(&record) {
                return Err(hopeless);
            }
            records.push(record);
            self.host.sleep(self.experiment.design.pause);
        }
        Ok(())
    }

    /// Whether all blocks before this run's are finished, and its own is not begun.
    fn begins_block(&self, run: &PlannedRun) -> bool {
        // Runs are numbered from 1, in order.
        let before = (run.run as usize).checked_sub(2);
        before
            .and_then(|place| self.plan.runs.get(place))
            .is_some_and(|before| before.block < run.block)
    }

    fn run(
        &mut self,
        planned: &PlannedRun,
        observers: &mut [Box<dyn Observer + 'a>],
    ) -> Result<RunRecord, LabError> {
        let cell = self
            .plan
            .cells
            .get(planned.cell)
            .ok_or_else(|| LabError::Plan(format!("run {} names no cell", planned.run)))?;
        let variant = self
            .experiment
            .variant(cell)
            .map_err(|error| LabError::Plan(error.to_string()))?;
        let workload = self
            .experiment
            .workload(cell)
            .map_err(|error| LabError::Plan(error.to_string()))?;
        let mut counters =
            (!workload.counters.is_empty()).then(|| Counters::new(workload.counters.clone()));
        let mut discarded = 0;
        let (mut current, started, outcome) = loop {
            let directory = std::path::absolute(self.result.begin_run(planned.run)?)?;
            self.reporter.started(planned, cell);
            let started = self.host.timestamp().to_string();
            let moment = self.host.moment();
            let of_design = || observers.iter().filter(|_| planned.observed);
            let observed_by = of_design()
                .map(|observer| observer.name().to_owned())
                .collect();
            let own = counters
                .iter_mut()
                .map(|counters| counters as &mut dyn Observer);
            let of_design = observers.iter_mut().filter(|_| planned.observed);
            let of_design = of_design.map(|observer| &mut **observer as &mut dyn Observer);
            let mut current = Current {
                planned,
                cell,
                variant: &variant,
                workload: &workload,
                logs: directory,
                random: ChaCha8Rng::seed_from_u64(planned.seed),
                observed_by,
                observers: own.chain(of_design).collect(),
                outcome: RunOutcome::default(),
            };
            let own = RunDirectory::of(&current.logs)?;
            let outcome = self.attempt(&mut current, &own)?;
            let Some(why) = moment.until(&self.host.moment()) else {
                break (current, started, outcome);
            };
            discarded += 1;
            if discarded == MOST_ATTEMPTS {
                return Err(LabError::Disturbed {
                    run: planned.run,
                    cell: cell.id.clone(),
                    why,
                });
            }
            self.reporter.repeated(planned, cell, why);
        };
        if discarded > 0 {
            let evidence = &mut current.outcome.evidence;
            evidence.insert(DISCARDED.to_owned(), f64::from(discarded));
        }
        let (status, detail) = match outcome {
            Ok(()) => (Status::Pass, None),
            Err(fault) => (fault.status, Some(fault.detail)),
        };
        if !status.passed() {
            // A number from a run that failed must not be there to be taken.
            current.outcome.samples.clear();
        }
        cut_outputs(&current.logs).map_err(|error| match is_full(&error) {
            true => disk_full(&self.root, error),
            false => LabError::System(error),
        })?;
        for instance in self.kept.values() {
            instance
                .systems
                .iter()
                .for_each(|system| hollow(system.log()));
        }
        self.result.finish_run(planned.run)?;
        let record = record(current, self.host.name(), started, status, detail);
        self.result.append(&record)?;
        self.reporter.finished(&record);
        Ok(record)
    }

    /// Performs a run; its fault, or what ends the experiment.
    fn attempt(
        &mut self,
        run: &mut Current<'_>,
        own: &RunDirectory,
    ) -> Result<Result<(), Fault>, LabError> {
        let outcome = self.perform(run);
        // Before the scratch directory goes, and with it the room that the run had.
        let full = no_room(self.host, &self.root);
        let scratch = self.scratch().join(format!("run-{}", run.planned.run));
        self.host.remove(&scratch);
        if full {
            return Err(disk_full(&self.root, io::ErrorKind::StorageFull.into()));
        }
        self.result.check_is_there()?;
        let is_left = own.is_left();
        if !is_left {
            // The record has a directory, though there is nothing in it.
            self.result.begin_run(run.planned.run)?;
        }
        match outcome {
            Err(Trouble::Interrupted) => Err(LabError::Interrupted),
            Err(Trouble::Fault(fault)) if says_how_it_ended(&fault) => Ok(Err(fault)),
            _ if !is_left => Ok(Err(Fault::new(
                Status::Fail,
                "the directory of the run was removed or replaced while it ran, and its output with it",
            ))),
            Ok(()) => Ok(Ok(())),
            Err(Trouble::Fault(fault)) => Ok(Err(fault)),
            Err(Trouble::Fatal(error)) if is_full(&error) => Err(disk_full(&self.root, error)),
            Err(Trouble::Fatal(error)) => Err(LabError::System(error)),
        }
    }

    fn perform(&mut self, run: &mut Current<'_>) -> Result<(), Trouble> {
        run.outcome.settings = settings::settle(self.settings.as_deref_mut(), run.variant)?;
        for observer in &mut run.observers {
            observer.begin(&ObservedRun {
                host: self.host,
                directory: &run.logs,
            })?;
        }
        let built = self.built(run)?;
        let (mut instance, fresh) = self.instance(run, built.as_ref())?;
        run.outcome.layout.clone_from(&instance.layout);
        let measured = self.load(run, &mut instance, built.as_ref(), fresh);
        let stopped = match self.keeps() && (measured.is_ok() || instance.check_alive().is_ok()) {
            true => {
                self.kept.insert(cell_key(run.cell), instance);
                Ok(())
            }
            false => self.stop(run, built.as_ref(), instance),
        };
        // A load that failed says more than a system that then does not stop either.
        measured.and(stopped)?;
        for observer in &mut run.observers {
            let seen = observer.end(&ObservedRun {
                host: self.host,
                directory: &run.logs,
            })?;
            run.outcome.samples.extend(seen.samples);
            run.outcome.evidence.extend(seen.evidence);
        }
        Ok(())
    }

    fn environment(&self) -> Environment {
        self.host.environment(&self.experiment.design.environment)
    }

    /// The program that a command starts, and the hash of its file.
    fn identity(
        &self,
        argv: &[OsString],
        directory: &Path,
        environment: &Environment,
    ) -> Option<(String, String)> {
        let path = environment.path();
        let file = self.host.identity(argv.first()?, directory, &path)?;
        Some((file.path, file.sha256))
    }

    fn scratch(&self) -> PathBuf {
        self.root.join("scratch")
    }
}

impl Drop for Lab<'_> {
    fn drop(&mut self) {
        self.kept.clear();
        self.host.remove(&self.scratch());
    }
}

/// Whether a fault says more than that the output is lost.
fn says_how_it_ended(fault: &Fault) -> bool {
    !matches!(fault.status, Status::Fail | Status::NoRun)
}

/// Whether the result's disk has no room left: then the run may have failed, or done less, for
/// that alone, and is not recorded.
fn no_room(host: &dyn Host, root: &Path) -> bool {
    host.room(root).is_some_and(|room| room < LEAST_ROOM_BYTES)
}

fn disk_full(root: &Path, source: io::Error) -> LabError {
    StoreError::DiskFull {
        action: "finish the run in",
        path: root.to_path_buf(),
        source,
    }
    .into()
}
