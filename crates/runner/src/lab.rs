//! The laboratory: goes through a plan run by run and records each.
//!
//! A run, step by step:
//! 1. the build or layout that serves it is made, unless it is there already;
//! 2. the system is started and waited for, unless a kept one is up;
//! 3. `prepare` is executed, then the warm-ups if the system is new;
//! 4. the workload is executed and measured, with nothing of the laboratory running beside it;
//! 5. the system must still be alive; `cleanup` is executed; the system is stopped unless kept;
//! 6. the output is read, the run's directory gets its final name, and the record is appended.
//!
//! Whatever fails in 1 to 6 becomes the status of the run. Only trouble of the laboratory itself
//! (a full disk) or of the whole experiment ends it early, and it can be resumed then.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use indexmap::IndexMap;
use perflab_drivers::{Driver, Output, Usage};
use perflab_experiment::{
    Build, Cell, Experiment, Plan, PlannedRun, Refresh, Sample, Status, Variant, Workload,
};
use perflab_machine::Load;
use perflab_store::{ResultDir, RunRecord, StoreError};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rustix::thread::CpuSet;

use crate::aside::{Aside, Surroundings, how, last_line, launch_trouble};
use crate::build::Site;
use crate::cpus::{CpuError, cpu_set};
use crate::driver::driver_of;
use crate::environment::{Environment, MAX_PADDING_BYTES};
use crate::fault::{Fault, Trouble};
use crate::fill::{Fill, Ports};
use crate::interrupt::Interrupt;
use crate::keeper::Keeper;
use crate::mapping::Libraries;
use crate::process::{Ended, Launch, Process, Sink, Stopped};
use crate::sys::{Exit, peak_memory_floor};
use crate::system::{Seat, System};

/// Failed runs of a cell in a row, none having passed before, after which the experiment stops:
/// the rest would fail too.
const HOPELESS: u32 = 3;

/// Room on the result's disk below which it counts as full, in bytes: a program that ran out of
/// it leaves less than a few blocks.
const LEAST_ROOM_BYTES: u64 = 1 << 14;

/// Most that is read of what a workload writes to one stream, in bytes.
const MOST_OUTPUT_BYTES: u64 = 1 << 28;

/// Hears of what happens; must be quick, and silent between `started` and `finished`.
pub trait Observer {
    /// A run begins.
    fn started(&mut self, run: &PlannedRun, cell: &Cell);
    /// A run has been recorded.
    fn finished(&mut self, record: &RunRecord);
}

/// Why the laboratory stopped before the end of the plan.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// The user asked to.
    #[error("interrupted")]
    Interrupted,
    /// The experiment's own limit.
    #[error("the experiment's time limit of {0:?} ran out")]
    Limit(Duration),
    /// The same cell failed again and again.
    #[error("{cell} failed {HOPELESS} times in a row and never passed: {status}: {detail}")]
    Hopeless {
        /// The cell.
        cell: String,
        /// The last status.
        status: &'static str,
        /// The last fault.
        detail: String,
    },
    /// The CPUs asked for are not there.
    #[error(transparent)]
    Cpus(#[from] CpuError),
    /// The plan does not belong to the experiment.
    #[error("the plan does not fit the experiment: {0}")]
    Plan(String),
    /// The result could not be written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Something else that the system refused.
    #[error("the laboratory cannot go on: {0}")]
    System(#[from] io::Error),
}

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
    observer: &'a mut dyn Observer,
    around: Surroundings<'a>,
    system_cpus: Option<CpuSet>,
    load_cpus: Option<CpuSet>,
    kept: BTreeMap<String, Instance<'a>>,
    built: BTreeMap<String, Built>,
}

/// What was built for a unit.
#[derive(Debug, Clone)]
struct Built {
    unit: u32,
    output: PathBuf,
    layout: Option<String>,
}

/// A system that is up, with what it was given.
struct Instance<'k> {
    system: Option<System<'k>>,
    ports: Ports,
    directory: PathBuf,
    environment: Environment,
    log: PathBuf,
    layout: Option<String>,
}

/// What a run comes to.
#[derive(Debug)]
struct Finding {
    ended: Option<Ended>,
    argv: Vec<String>,
    samples: Vec<Sample>,
    evidence: IndexMap<String, f64>,
    layout: Option<String>,
    padding: u32,
    load: Option<(Load, Load)>,
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
        keeper: &'a Keeper,
        interrupt: &'a Interrupt,
        observer: &'a mut dyn Observer,
    ) -> Result<Self, LabError> {
        let set = |list: &Option<perflab_experiment::CpuList>| {
            list.as_ref().map_or(Ok(None), |list| cpu_set(list.numbers()))
        };
        Ok(Self {
            system_cpus: set(&experiment.cpus.system)?,
            load_cpus: set(&experiment.cpus.load)?,
            experiment,
            home: home.to_path_buf(),
            root: std::path::absolute(result.path())?,
            plan,
            result,
            observer,
            around: Surroundings { keeper, interrupt },
            kept: BTreeMap::new(),
            built: BTreeMap::new(),
        })
    }

    /// Executes every run of the plan that is not in `done`.
    ///
    /// # Errors
    /// When it has to stop early; what was recorded until then stays.
    pub fn execute(&mut self, done: &[RunRecord]) -> Result<(), LabError> {
        let started = Instant::now();
        let mut ledger = Ledger::new(done);
        let left: Vec<PlannedRun> =
            self.plan.runs.iter().filter(|run| !ledger.recorded.contains(&run.run)).copied().collect();
        for run in left {
            if self.around.interrupt.asked() {
                return Err(LabError::Interrupted);
            }
            if let Some(limit) = self.experiment.design.limit
                && started.elapsed() >= limit
            {
                return Err(LabError::Limit(limit));
            }
            let record = self.run(&run)?;
            if let Some(hopeless) = ledger.add(&record) {
                return Err(hopeless);
            }
            self.around.interrupt.sleep(self.experiment.design.pause);
        }
        Ok(())
    }

    fn run(&mut self, planned: &PlannedRun) -> Result<RunRecord, LabError> {
        let cell = self
            .plan
            .cells
            .get(planned.cell)
            .ok_or_else(|| LabError::Plan(format!("run {} names no cell", planned.run)))?;
        let variant =
            self.experiment.variant(cell).map_err(|error| LabError::Plan(error.to_string()))?;
        let workload =
            self.experiment.workload(cell).map_err(|error| LabError::Plan(error.to_string()))?;
        let directory = std::path::absolute(self.result.begin_run(planned.run)?)?;
        self.observer.started(planned, cell);
        let started = jiff::Timestamp::now().to_string();

        let mut finding = Finding {
            ended: None,
            argv: Vec::new(),
            samples: Vec::new(),
            evidence: IndexMap::new(),
            layout: None,
            padding: 0,
            load: None,
        };
        let outcome = self.perform(planned, cell, &variant, &workload, &directory, &mut finding);
        // Before the scratch directory goes, and with it the room that the run had.
        let full = no_room(&self.root);
        let scratch = self.scratch().join(format!("run-{}", planned.run));
        let _ = fs::remove_dir_all(&scratch);
        if full {
            return Err(disk_full(&self.root, io::ErrorKind::StorageFull.into()));
        }
        let (status, detail) = match outcome {
            Ok(()) => (Status::Pass, None),
            Err(Trouble::Fault(fault)) => (fault.status, Some(fault.detail)),
            Err(Trouble::Interrupted) => return Err(LabError::Interrupted),
            Err(Trouble::Fatal(error)) if is_full(&error) => {
                return Err(disk_full(&self.root, error));
            }
            Err(Trouble::Fatal(error)) => return Err(LabError::System(error)),
        };
        if !status.passed() {
            // A number from a run that failed must not be there to be taken.
            finding.samples.clear();
        }
        self.result.finish_run(planned.run)?;
        let record = record(planned, cell, started, status, detail, finding);
        self.result.append(&record)?;
        self.observer.finished(&record);
        Ok(record)
    }

    fn perform(
        &mut self,
        planned: &PlannedRun,
        cell: &Cell,
        variant: &Variant,
        workload: &Workload,
        logs: &Path,
        finding: &mut Finding,
    ) -> Result<(), Trouble> {
        let mut random = ChaCha8Rng::seed_from_u64(planned.seed);
        let built = self.built(planned, cell, variant, logs, &mut random)?;
        let (mut instance, fresh) =
            self.instance(planned, cell, variant, logs, built.as_ref(), &mut random)?;
        finding.layout.clone_from(&instance.layout);

        let measured = self.load(
            planned, variant, workload, logs, &mut instance, built.as_ref(), fresh, &mut random,
            finding,
        );
        let keep = self.experiment.design.refresh == Refresh::Keep
            && (measured.is_ok() || instance.system.as_ref().is_some_and(|s| s.check_alive().is_ok()));
        if keep {
            self.kept.insert(cell_key(cell), instance);
            return measured;
        }
        // A load that failed says more than a system that then does not stop either.
        let stopped = self.stop(variant, built.as_ref(), instance, &mut random, finding);
        measured.and(stopped)
    }

    /// The build that serves a run, made if it is not there.
    fn built(
        &mut self,
        planned: &PlannedRun,
        cell: &Cell,
        variant: &Variant,
        logs: &Path,
        random: &mut ChaCha8Rng,
    ) -> Result<Option<Built>, Trouble> {
        let Some(build) = &variant.build else { return Ok(None) };
        let design = &self.experiment.design;
        let renewed = matches!(design.refresh, Refresh::Relink | Refresh::Rebuild);
        let unit = if renewed { planned.unit } else { 0 };
        let key = cell_key(cell);
        if let Some(built) = self.built.get(&key).filter(|built| built.unit == unit) {
            return Ok(Some(built.clone()));
        }
        // A build that fails must not be taken for one that is there.
        let compiled = self.built.remove(&key).is_some() && design.refresh == Refresh::Relink;
        let output = self.scratch().join("build").join(directory_name(&key));
        if !compiled {
            let _ = fs::remove_dir_all(&output);
            fs::create_dir_all(&output).map_err(Trouble::Fatal)?;
        }
        let layout = self.make(build, design.layout(), &output, logs, compiled, planned.seed, random)?;
        let built = Built { unit, output, layout };
        self.built.insert(key, built.clone());
        Ok(Some(built))
    }

    #[expect(clippy::too_many_arguments, reason = "what a build depends on, each of another kind")]
    fn make(
        &self,
        build: &Build,
        layout: Option<perflab_experiment::Layout>,
        output: &Path,
        logs: &Path,
        compiled: bool,
        seed: u64,
        random: &mut ChaCha8Rng,
    ) -> Result<Option<String>, Trouble> {
        let mut environment = self.environment();
        environment.set("PERFLAB_SEED", seed.to_string());
        let site = Site {
            output,
            logs,
            environment: &environment,
            limit: self.experiment.design.timeout,
            around: self.around,
        };
        let mut ports = Ports::default();
        let mut names = ChaCha8Rng::seed_from_u64(seed);
        let mut fill = Fill {
            ports: &mut ports,
            random: &mut names,
            dir: output,
            run: None,
            build: Some(output),
            experiment: &self.home,
        };
        if !compiled {
            site.compile(build, &mut fill)?;
        }
        site.link(build, layout, &mut fill, random)
    }

    /// The system that serves a run, and whether it is new.
    fn instance(
        &mut self,
        planned: &PlannedRun,
        cell: &Cell,
        variant: &Variant,
        logs: &Path,
        built: Option<&Built>,
        random: &mut ChaCha8Rng,
    ) -> Result<(Instance<'a>, bool), Trouble> {
        if let Some(instance) = self.kept.remove(&cell_key(cell))
            && instance.system.as_ref().is_none_or(|system| system.check_alive().is_ok())
        {
            return Ok((instance, false));
        }
        let keep = self.experiment.design.refresh == Refresh::Keep;
        let directory = if keep {
            self.scratch().join("kept").join(directory_name(&cell_key(cell)))
        } else {
            self.scratch().join(format!("run-{}", planned.run)).join("system")
        };
        let _ = fs::remove_dir_all(&directory);
        fs::create_dir_all(&directory).map_err(Trouble::Fatal)?;
        // A kept system writes on while later runs have their own directories.
        let log = if keep { directory.with_extension("log") } else { logs.join("system.log") };

        let mut environment = self.environment();
        for (name, value) in &variant.env {
            environment.set(name, value);
        }
        environment.pad(random.random_range(0..=MAX_PADDING_BYTES));
        let mut ports = Ports::default();
        let mut names = ChaCha8Rng::seed_from_u64(planned.seed);
        let mut fill = Fill {
            ports: &mut ports,
            random: &mut names,
            dir: &directory,
            run: if keep { None } else { Some(logs) },
            build: built.map(|built| built.output.as_path()),
            experiment: &self.home,
        };
        for (name, value) in &variant.env {
            environment.set(name, fill.text(value)?);
        }
        let layout = match (built.and_then(|built| built.layout.clone()), &variant.start) {
            (Some(layout), _) => Some(layout),
            (None, Some(start)) if self.experiment.design.refresh == Refresh::Relink => {
                let argv = fill.argv(start)?;
                remap(&argv, &mut environment, random)
            }
            _ => None,
        };
        let seat = Seat {
            environment: &environment,
            directory: &directory,
            log: &log,
            cpus: self.system_cpus.as_ref(),
        };
        let system = System::start(variant, &seat, &mut fill, self.around)?;
        Ok((Instance { system, ports, directory, environment, log, layout }, true))
    }

    #[expect(clippy::too_many_arguments, reason = "what a load depends on, each of another kind")]
    fn load(
        &self,
        planned: &PlannedRun,
        variant: &Variant,
        workload: &Workload,
        logs: &Path,
        instance: &mut Instance<'_>,
        built: Option<&Built>,
        fresh: bool,
        random: &mut ChaCha8Rng,
        finding: &mut Finding,
    ) -> Result<(), Trouble> {
        let driver = driver_of(workload)?;
        let scratch = self.scratch().join(format!("run-{}", planned.run)).join("load");
        fs::create_dir_all(&scratch).map_err(Trouble::Fatal)?;
        let mut names = ChaCha8Rng::seed_from_u64(planned.seed ^ 1);
        let mut fill = Fill {
            ports: &mut instance.ports,
            random: &mut names,
            dir: &instance.directory,
            run: Some(logs),
            build: built.map(|built| built.output.as_path()),
            experiment: &self.home,
        };
        let directory = match &workload.directory {
            Some(directory) => fill.path(directory)?,
            None => scratch,
        };
        let mut environment = self.environment();
        let of_variant = variant.start.is_none().then_some(&variant.env).into_iter().flatten();
        for (name, value) in of_variant.chain(&workload.env) {
            environment.set(name, fill.text(value)?);
        }
        finding.padding = random.random_range(0..=MAX_PADDING_BYTES);
        environment.pad(finding.padding);
        let argv = match &workload.command {
            Some(command) => fill.argv(command)?,
            None => {
                let arguments =
                    workload.args.iter().map(|text| fill.text(text)).collect::<Result<Vec<_>, _>>()?;
                driver.check(&arguments).map_err(|error| Fault::no_run(error.to_string()))?;
                driver.argv(&arguments).into_iter().map(Into::into).collect()
            }
        };
        if variant.start.is_none() && self.experiment.design.refresh == Refresh::Relink && built.is_none() {
            finding.layout = remap(&argv, &mut environment, random);
        }
        finding.argv = argv.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        let limit = workload.timeout.unwrap_or(self.experiment.design.timeout);
        let aside = |purpose, command: &perflab_experiment::Command, fill: &mut Fill<'_>| {
            Aside {
                purpose,
                status: Status::NoRun,
                argv: &fill.argv(command)?,
                environment: &environment,
                directory: &directory,
                log: &logs.join(format!("{purpose}.log")),
                cpus: self.load_cpus.as_ref(),
                limit,
            }
            .execute(self.around)
        };
        let (stdout, stderr) = (logs.join("stdout"), logs.join("stderr"));
        let launch = Launch {
            argv: &argv,
            environment: &environment,
            directory: Some(&directory),
            stdin: None,
            stdout: Sink::File(&stdout),
            stderr: Sink::File(&stderr),
            cpus: self.load_cpus.as_ref(),
        };
        let warmups = if fresh { self.experiment.design.warmup } else { 0 };
        for measured in (0..warmups).map(|_| false).chain([true]) {
            if let Some(prepare) = &workload.prepare {
                aside("prepare", prepare, &mut fill)?;
            }
            let before = Load::take(Path::new("/"));
            let ended = Process::start(&launch, self.around.keeper)
                .map_err(|error| launch_trouble(error, Fault::no_run))?
                .wait(Some(limit), self.around.interrupt)
                .map_err(Trouble::Fatal)?;
            finding.load = Some((before, Load::take(Path::new("/"))));
            if ended.stopped == Some(Stopped::Interrupted) {
                return Err(Trouble::Interrupted);
            }
            finding.ended = Some(ended);
            let fine = well_ended(&ended, workload, limit, &stderr);
            // A system that died explains the load's failure.
            if let Some(system) = &instance.system {
                system.check_alive()?;
            }
            fine?;
            if measured {
                finding.samples = read(driver.as_ref(), &ended, &stdout, &stderr)?;
            }
            if let Some(cleanup) = &workload.cleanup {
                aside("cleanup", cleanup, &mut fill)?;
            }
        }
        Ok(())
    }

    fn stop(
        &self,
        variant: &Variant,
        built: Option<&Built>,
        instance: Instance<'_>,
        random: &mut ChaCha8Rng,
        finding: &mut Finding,
    ) -> Result<(), Trouble> {
        let Instance { system, mut ports, directory, environment, log, .. } = instance;
        let Some(system) = system else { return Ok(()) };
        let mut fill = Fill {
            ports: &mut ports,
            random,
            dir: &directory,
            run: log.parent(),
            build: built.map(|built| built.output.as_path()),
            experiment: &self.home,
        };
        let seat = Seat { environment: &environment, directory: &directory, log: &log, cpus: None };
        let ended = system.stop(variant, &seat, &mut fill, self.around)?;
        for (name, value) in [
            ("system_user_s", ended.usage.user.as_secs_f64()),
            ("system_system_s", ended.usage.system.as_secs_f64()),
            ("system_max_rss_bytes", ended.usage.max_rss_bytes as f64),
        ] {
            finding.evidence.insert(name.to_owned(), value);
        }
        Ok(())
    }

    fn environment(&self) -> Environment {
        Environment::clean(&self.experiment.design.environment, self.around.keeper.mark())
    }

    fn scratch(&self) -> PathBuf {
        self.root.join("scratch")
    }
}

impl Drop for Lab<'_> {
    fn drop(&mut self) {
        self.kept.clear();
        let _ = fs::remove_dir_all(self.scratch());
    }
}

/// Which runs there are, and how often each cell failed.
struct Ledger {
    recorded: std::collections::BTreeSet<u32>,
    failures: BTreeMap<String, Option<u32>>,
}

impl Ledger {
    fn new(done: &[RunRecord]) -> Self {
        let mut ledger = Self {
            recorded: done.iter().map(|record| record.run).collect(),
            failures: BTreeMap::new(),
        };
        for record in done.iter().filter(|record| record.status.passed()) {
            ledger.failures.insert(record.cell.clone(), None);
        }
        ledger
    }

    /// Notes a record; an error when its cell is beyond hope.
    fn add(&mut self, record: &RunRecord) -> Option<LabError> {
        // `None` once a run of the cell has passed.
        let failures = self.failures.entry(record.cell.clone()).or_insert(Some(0));
        if record.status.passed() {
            *failures = None;
        }
        let count = failures.as_mut()?;
        *count += 1;
        (*count >= HOPELESS).then(|| LabError::Hopeless {
            cell: record.cell.clone(),
            status: record.status.name(),
            detail: record.detail.clone().unwrap_or_default(),
        })
    }
}

/// Whether the result's disk has no room left: then the run may have failed, or done less, for
/// that alone, and is not recorded.
fn no_room(root: &Path) -> bool {
    rustix::fs::statvfs(root)
        .is_ok_and(|disk| disk.f_bavail.saturating_mul(disk.f_frsize) < LEAST_ROOM_BYTES)
}

fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

fn disk_full(root: &Path, source: io::Error) -> LabError {
    StoreError::DiskFull { action: "finish the run in", path: root.to_path_buf(), source }.into()
}

/// What a build or a kept system belongs to: parameters may be part of its commands.
fn cell_key(cell: &Cell) -> String {
    let parameters: Vec<_> =
        cell.parameters.iter().map(|(name, value)| format!("{name}={value}")).collect();
    format!("{} {}", cell.variant, parameters.join(" "))
}

/// A name for a directory: the key with nothing but letters, digits and dashes, and its checksum.
fn directory_name(key: &str) -> String {
    let plain: String =
        key.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).take(60).collect();
    format!("{}-{:08x}", plain.trim_end_matches('-'), crc32fast::hash(key.as_bytes()))
}

/// Another order of the libraries in memory, where the program has any.
fn remap(
    argv: &[std::ffi::OsString],
    environment: &mut Environment,
    random: &mut ChaCha8Rng,
) -> Option<String> {
    let path = environment.get("PATH")?;
    let program = perflab_machine::resolve_in_path(argv.first()?.to_str()?, path)?;
    let order = Libraries::of(&program)?.shuffled(random);
    let list: Vec<_> = order.iter().map(|path| path.display().to_string()).collect();
    environment.set("LD_PRELOAD", list.join(":"));
    let names: Vec<_> = order
        .iter()
        .map(|path| path.file_name().unwrap_or_default().to_string_lossy().into_owned())
        .collect();
    Some(format!("libraries mapped as {}", names.join(" ")))
}

fn well_ended(
    ended: &Ended,
    workload: &Workload,
    limit: Duration,
    stderr: &Path,
) -> Result<(), Fault> {
    let said = || last_line(stderr);
    match (ended.stopped, ended.exit) {
        (Some(_), _) => Err(Fault::new(
            Status::Timeout,
            format!("the workload took longer than {limit:?} and was killed{}", said()),
        )),
        (None, Exit::Code(code)) if workload.exit_codes.iter().any(|fine| i32::from(*fine) == code) => {
            Ok(())
        }
        (None, exit @ Exit::Code(_)) => {
            Err(Fault::new(Status::Exit, format!("the workload {}{}", how(exit), said())))
        }
        (None, exit @ Exit::Signal(_)) => {
            Err(Fault::new(Status::Signal, format!("the workload {}{}", how(exit), said())))
        }
    }
}

fn read(
    driver: &dyn Driver,
    ended: &Ended,
    stdout: &Path,
    stderr: &Path,
) -> Result<Vec<Sample>, Trouble> {
    let output = Output {
        stdout: &contents(stdout)?,
        stderr: &contents(stderr)?,
        usage: Usage {
            wall_s: ended.wall.as_secs_f64(),
            user_s: ended.usage.user.as_secs_f64(),
            system_s: ended.usage.system.as_secs_f64(),
            max_rss_bytes: Some(ended.usage.max_rss_bytes).filter(|b| *b > peak_memory_floor()),
            exit_code: match ended.exit {
                Exit::Code(code) => code,
                Exit::Signal(signal) => 128 + signal,
            },
        },
    };
    driver.read(&output).map_err(|error| Fault::new(Status::Fail, error.to_string()).into())
}

/// What a stream was captured in, as far as it can be held in memory.
fn contents(file: &Path) -> Result<Vec<u8>, Trouble> {
    let length = fs::metadata(file).map_err(Trouble::Fatal)?.len();
    if length > MOST_OUTPUT_BYTES {
        let stream = file.file_name().unwrap_or_default().to_string_lossy();
        return Err(Fault::new(
            Status::Fail,
            format!(
                "{stream}: expected at most {MOST_OUTPUT_BYTES} bytes, found {length} bytes; let the \
                 workload say less, or send what is not needed to /dev/null"
            ),
        )
        .into());
    }
    fs::read(file).map_err(Trouble::Fatal)
}

fn record(
    planned: &PlannedRun,
    cell: &Cell,
    started: String,
    status: Status,
    detail: Option<String>,
    finding: Finding,
) -> RunRecord {
    let ended = finding.ended.as_ref();
    let usage = ended.map(|ended| ended.usage).unwrap_or_default();
    let (exit_code, signal) = match ended.map(|ended| ended.exit) {
        Some(Exit::Code(code)) => (Some(code), None),
        Some(Exit::Signal(signal)) => (None, Some(signal)),
        None => (None, None),
    };
    RunRecord {
        schema: 1,
        run: planned.run,
        block: planned.block,
        cell: cell.id.clone(),
        variant: cell.variant.clone(),
        workload: cell.workload.clone(),
        parameters: cell.parameters.clone(),
        unit: planned.unit,
        started,
        status,
        detail,
        argv: finding.argv,
        exit_code,
        signal,
        wall_s: ended.map_or(0.0, |ended| ended.wall.as_secs_f64()),
        user_s: usage.user.as_secs_f64(),
        system_s: usage.system.as_secs_f64(),
        max_rss_bytes: usage.max_rss_bytes,
        voluntary_switches: usage.voluntary_switches,
        involuntary_switches: usage.involuntary_switches,
        environment_padding_bytes: finding.padding,
        layout: finding.layout,
        load1: finding.load.as_ref().and_then(|(before, _)| before.load1),
        steal_share: finding
            .load
            .as_ref()
            .and_then(|(before, after)| perflab_machine::steal_share(before, after)),
        samples: finding.samples,
        evidence: finding.evidence,
    }
}
