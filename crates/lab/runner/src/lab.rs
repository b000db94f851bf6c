//! The laboratory: goes through a plan run by run and records each.
//!
//! A run, step by step:
//! 1. the machine is set as the variant wants it; the build or layout that serves it is made, unless it is there already;
//! 2. the system is started and waited for, unless a kept one is up;
//! 3. `prepare` is executed, then the warm-ups if the system is new;
//! 4. the workload is executed and measured, with nothing of the laboratory running beside it;
//!    with `slices`, by turns with those of the other variants: see [`turns`], or at the same time: see [`together`];
//! 5. the system must still be alive; `cleanup` is executed; the system is stopped unless kept;
//! 6. the output is read, the record is appended, and the run's directory gets its final name.
//!
//! Whatever fails in 1 to 6 becomes the status of the run; one during which the laboratory or the
//! machine stood still is thrown away and made again. Only trouble of the laboratory itself
//! (a full disk) or of the whole experiment ends it early, and it can be resumed then.

mod builds;
mod current;
mod error;
mod execution;
mod instance;
mod ledger;
mod load;
mod member;
mod one_process;
mod output;
mod room;
mod set;
mod sets;
mod settings;
mod slicing;
mod system_times;
mod together;
mod turns;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use perflab_experiment::{Cell, CpuList, Experiment, Plan, PlannedRun, Status, Variant, Workload};
use perflab_machine::tune::Session;
use perflab_store::{ResultDir, RunRecord};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rustix::thread::CpuSet;

use crate::aside::is_full;
use crate::counters::Counters;
use crate::environment::Environment;
use crate::host::Host;
use crate::kept::{cut_outputs, hollow};
use crate::observer::Observer;
use crate::places::places;
use crate::reporter::Reporter;
use crate::standstill::MOST_ATTEMPTS;

use builds::Built;
use current::{Current, RunOutcome, record};
use instance::Instance;
use ledger::Ledger;
use member::Member;
use output::{STREAMS, slice_file};
use room::disk_full;

pub use error::LabError;
pub use ledger::Needed;
pub use room::LEAST_ROOM_BYTES;
pub(crate) use system_times::CPU_TIME;

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
    /// The CPUs of each place, where variants are executed at the same time; else none.
    places: Vec<CpuSet>,
    settings: Option<&'a mut Session>,
    observers: Vec<Box<dyn Observer + 'a>>,
    needed: Needed<'a>,
    kept: BTreeMap<String, Instance<'a>>,
    built: BTreeMap<String, Built>,
    /// Slices of the runs of a cell, by its id, where the experiment says how long a slice is.
    slices: BTreeMap<String, u32>,
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
            places: places(experiment, host)?,
            experiment,
            home: home.to_path_buf(),
            root: std::path::absolute(result.path())?,
            plan,
            result,
            reporter,
            host,
            settings: None,
            observers: Vec::new(),
            needed: Needed::All,
            kept: BTreeMap::new(),
            built: BTreeMap::new(),
            slices: BTreeMap::new(),
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

    /// Ends early only where these variants fail again and again; [`Needed::All`] where nothing is said.
    #[must_use]
    pub fn with_needed(mut self, needed: Needed<'a>) -> Self {
        self.needed = needed;
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
        self.slices = slicing::counts(done);
        let started = self.host.now();
        let mut has_run = false;
        let mut ledger = Ledger::new(done, self.needed, &self.plan.cells);
        let mut observers = std::mem::take(&mut self.observers);
        for set in self.sets(&ledger) {
            let Some(first) = set.first() else { continue };
            if self.begins_block(first) && enough(&records) {
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
            for record in self.run(&set, &mut observers)? {
                has_run = true;
                if let Some(hopeless) = ledger.add(&record) {
                    return Err(hopeless);
                }
                records.push(record);
            }
            self.host.sleep(self.experiment.design.pause);
        }
        Ok(())
    }

    /// Makes the runs of a set, and records them.
    fn run(
        &mut self,
        set: &[PlannedRun],
        observers: &mut [Box<dyn Observer + 'a>],
    ) -> Result<Vec<RunRecord>, LabError> {
        let mut planned = Vec::new();
        for run in set {
            planned.push(self.resolved(run)?);
        }
        let mut discarded = 0;
        let (members, started) = loop {
            let started = self.host.timestamp().to_string();
            let mut members = Vec::new();
            let mut free: Vec<&mut dyn Observer> = Vec::new();
            for observer in &mut *observers {
                free.push(&mut **observer);
            }
            let moment = self.host.moment();
            let slices = self.slices.clone();
            for planned in &mut planned {
                let directory = std::path::absolute(self.result.begin_run(planned.run.run)?)?;
                self.reporter.started(planned.run, planned.cell);
                // What looks on as the plan wants it looks at one run at a time.
                let of_design = match planned.run.observed {
                    true => std::mem::take(&mut free),
                    false => Vec::new(),
                };
                let observed_by = of_design.iter().map(|observer| observer.name().to_owned());
                let observed_by = observed_by.collect();
                let own = planned.counters.iter_mut();
                let own = own.map(|counters| counters as &mut dyn Observer);
                members.push(Member::new(Current {
                    place: members.len(),
                    planned: planned.run,
                    cell: planned.cell,
                    variant: &planned.variant,
                    workload: &planned.workload,
                    logs: directory,
                    random: ChaCha8Rng::seed_from_u64(planned.run.seed),
                    observed_by,
                    observers: own.chain(of_design).collect(),
                    outcome: RunOutcome::default(),
                }));
            }
            self.attempt(&mut members)?;
            let Some(why) = moment.until(&self.host.moment()) else {
                break (members, started);
            };
            discarded += 1;
            // How long a slice takes was told by what is discarded.
            self.slices = slices;
            let Some(first) = members.first() else {
                break (members, started);
            };
            if discarded == MOST_ATTEMPTS {
                return Err(LabError::Disturbed {
                    run: first.run.planned.run,
                    cell: first.run.cell.id.clone(),
                    why,
                });
            }
            for member in &members {
                let (planned, cell) = (member.run.planned, member.run.cell);
                self.reporter.repeated(planned, cell, why);
            }
        };
        let mut records = Vec::new();
        for member in members {
            records.push(self.finish(member, &started, discarded)?);
        }
        self.result.append_all(&records)?;
        for record in &records {
            self.reporter.finished(record);
        }
        Ok(records)
    }

    /// What a run of the plan consists of.
    fn resolved<'p>(&self, run: &'p PlannedRun) -> Result<Resolved<'p>, LabError>
    where
        'a: 'p,
    {
        let cell = self
            .plan
            .cells
            .get(run.cell)
            .ok_or_else(|| LabError::Plan(format!("run {} names no cell", run.run)))?;
        let variant = self
            .experiment
            .variant(cell)
            .map_err(|error| LabError::Plan(error.to_string()))?;
        let workload = self
            .experiment
            .workload(cell)
            .map_err(|error| LabError::Plan(error.to_string()))?;
        let counters =
            (!workload.counters.is_empty()).then(|| Counters::new(workload.counters.clone()));
        Ok(Resolved {
            run,
            cell,
            variant,
            workload,
            counters,
        })
    }

    /// Brings the output of a run that has ended onto the disk; its record.
    fn finish(
        &mut self,
        member: Member<'_, 'a>,
        started: &str,
        discarded: u32,
    ) -> Result<RunRecord, LabError> {
        let mut run = member.run;
        if discarded > 0 {
            let evidence = &mut run.outcome.evidence;
            evidence.insert(DISCARDED.to_owned(), f64::from(discarded));
        }
        let (status, detail) = match member.fate {
            Ok(()) => (Status::Pass, None),
            Err(fault) => (fault.status, Some(fault.detail)),
        };
        if !status.passed() {
            // A number from a run that failed must not be there to be taken.
            run.outcome.samples.clear();
        }
        // What the last slice wrote is in the files of the run by now.
        for stream in STREAMS {
            self.host.remove(&slice_file(&run.logs, stream));
        }
        cut_outputs(&run.logs).map_err(|error| match is_full(&error) {
            true => disk_full(&self.root, error),
            false => LabError::System(error),
        })?;
        for instance in self.kept.values() {
            instance
                .systems
                .iter()
                .for_each(|system| hollow(system.log()));
        }
        self.result.finish_run(run.planned.run)?;
        let host = self.host.name();
        Ok(record(run, host, started.to_owned(), status, detail))
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
        scratch(&self.root)
    }
}

/// The directory for what runs need while they are executed.
fn scratch(root: &Path) -> PathBuf {
    root.join("scratch")
}

/// Removes from the directory of a result what a laboratory that was killed had made for its runs.
pub fn remove_scratch(host: &dyn Host, root: &Path) {
    host.remove(&scratch(root));
}

impl Drop for Lab<'_> {
    fn drop(&mut self) {
        self.kept.clear();
        self.host.remove(&self.scratch());
    }
}

/// A run of the plan, with what its cell stands for.
struct Resolved<'p> {
    run: &'p PlannedRun,
    cell: &'p Cell,
    variant: Variant,
    workload: Workload,
    counters: Option<Counters>,
}
