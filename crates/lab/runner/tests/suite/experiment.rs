//! An experiment on the simulated host: a system that is built, started and stopped, and a load with all its steps.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::Duration;

use perflab_experiment::{Cell, Experiment, Plan, PlannedRun};
use perflab_runner::{Exit, Lab, LabError, Needed, Observer, Reporter, Standstill};
use perflab_store::{Environment, OpenedResult, Origin, ResultDir, RunRecord};
use tempfile::TempDir;

use crate::simulated::{Crashed, End, Script, Simulated};

/// The refreshes.
pub const REFRESHES: [&str; 4] = ["keep", "restart", "relink", "rebuild"];

const TEXT: &str = r#"
name = "simulated"
[design]
runs = 2
block = 1
seed = 5
warmup = 1
timeout = "20s"
refresh = "REFRESH"
[variants.a]
start = ["server-a", "{port}"]
ready = { tcp = "127.0.0.1:{port}", timeout = "5s" }
[variants.a.build]
command = ["compile"]
objects = ["{build}/*.o"]
link = ["link", "{objects}"]
[variants.b]
start = ["server-b", "{port}"]
ready = { command = ["ready"], timeout = "5s" }
stop = { command = ["stop", "{port}"], timeout = "3s" }
[variants.b.build]
command = ["compile"]
objects = ["{build}/*.o"]
link = ["link", "{objects}"]
[workloads.w]
driver = "generic"
prepare = ["prepare"]
command = ["load", "{port}"]
cleanup = ["cleanup"]
[[workloads.w.metrics]]
name = "time"
unit = "ms"
better = "lower"
regex = '(?<value>[0-9.]+) ms'
"#;

pub fn text(refresh: &str) -> String {
    TEXT.replace("REFRESH", refresh)
}

/// The programs, all of which do what they should.
pub fn host() -> Simulated {
    let ended = |after| End::After(Duration::from_millis(after), Exit::Code(0));
    let compile = |launch: &perflab_runner::Launch<'_>| {
        // The log lies in the directory of the run, the build two above that.
        let perflab_runner::Redirect::File(log) = launch.stdout else {
            return;
        };
        let root = log.ancestors().nth(3).unwrap();
        let builds = std::fs::read_dir(root.join("scratch/build")).unwrap();
        for build in builds.flatten() {
            std::fs::write(build.path().join("x.o"), "x").unwrap();
        }
    };
    let server = Script::short()
        .ends(End::AtSignal(Duration::from_millis(5)))
        .listens(Duration::from_millis(30));
    Simulated::new(&[
        ("compile", Script::short().with_effect(compile)),
        ("link", Script::short()),
        ("server-a", server.clone()),
        ("server-b", server),
        ("ready", Script::short()),
        ("prepare", Script::short()),
        ("load", Script::short().ends(ended(50)).says("took 50 ms\n")),
        ("cleanup", Script::short()),
        ("stop", Script::short().tells()),
    ])
}

/// Where a test's results lie: in memory, as each record is synced.
pub fn directory() -> TempDir {
    let memory = Path::new("/dev/shm");
    match tempfile::tempdir_in(memory) {
        Ok(directory) => directory,
        Err(_) => tempfile::tempdir().unwrap(),
    }
}

#[derive(Debug, Default)]
pub struct Reported {
    pub repeated: usize,
}

impl Reporter for Reported {
    fn started(&mut self, _: &PlannedRun, _: &Cell) {}

    fn repeated(&mut self, _: &PlannedRun, _: &Cell, _: Standstill) {
        self.repeated += 1;
    }

    fn finished(&mut self, _: &RunRecord) {}
}

/// How an execution ended.
#[derive(Debug)]
pub enum Outcome {
    Finished,
    Failed(LabError),
    Crashed,
}

/// One experiment in a directory of its own.
pub struct World {
    pub directory: TempDir,
    pub experiment: Experiment,
    pub plan: Plan,
    pub needed: Needed<'static>,
    text: String,
}

impl World {
    pub fn new(text: &str) -> Self {
        let experiment = Experiment::parse(text, "simulated.toml").unwrap();
        Self {
            directory: directory(),
            plan: Plan::new(&experiment, 5),
            needed: Needed::All,
            experiment,
            text: text.to_owned(),
        }
    }

    pub fn result(&self) -> std::path::PathBuf {
        self.directory.path().join("result")
    }

    /// Begins the experiment, or goes on with it.
    pub fn execute(&self, host: &Simulated) -> Outcome {
        self.reported(host).0
    }

    pub fn reported(&self, host: &Simulated) -> (Outcome, Reported) {
        self.observed(host, Vec::new())
    }

    pub fn observed(
        &self,
        host: &Simulated,
        observers: Vec<Box<dyn Observer>>,
    ) -> (Outcome, Reported) {
        let path = self.result();
        let mut result = match path.join("meta.json").exists() {
            true => ResultDir::resume(&path).unwrap(),
            false => {
                let origin = Origin {
                    perflab: "test".to_owned(),
                    created: String::new(),
                    name: "simulated".to_owned(),
                    argv: Vec::new(),
                    directory: None,
                    until_decided: None,
                    imported: None,
                };
                let environment = Environment::unknown();
                ResultDir::create(&path, &self.text, &self.plan, &environment, origin).unwrap()
            }
        };
        let done = result.records().unwrap();
        let mut reported = Reported::default();
        let execute = || {
            let home = self.directory.path();
            Lab::new(
                &self.experiment,
                home,
                &self.plan,
                &mut result,
                host,
                &mut reported,
            )
            .map(|lab| lab.with_observers(observers).with_needed(self.needed))
            .and_then(|mut lab| lab.execute(&done, &mut |_| false))
        };
        let outcome = match catch_unwind(AssertUnwindSafe(execute)) {
            Ok(Ok(())) => Outcome::Finished,
            Ok(Err(error)) => Outcome::Failed(error),
            Err(thrown) if thrown.is::<Crashed>() => Outcome::Crashed,
            Err(thrown) => std::panic::resume_unwind(thrown),
        };
        (outcome, reported)
    }

    pub fn records(&self) -> Vec<RunRecord> {
        OpenedResult::open(&self.result()).unwrap().records
    }

    /// Checks that each run of the plan was recorded once, passed, and left nothing behind.
    pub fn check_complete(&self, host: &Simulated, what: &str) {
        let mut records = self.records();
        records.sort_by_key(|record| record.run);
        let runs: Vec<u32> = records.iter().map(|record| record.run).collect();
        let planned: Vec<u32> = self.plan.runs.iter().map(|run| run.run).collect();
        assert_eq!(runs, planned, "{what}");
        for (record, planned) in records.iter().zip(&self.plan.runs) {
            assert_eq!(record.cell, self.plan.cells[planned.cell].id, "{what}");
            assert!(record.status.passed(), "{what}: {record:?}");
            assert_eq!(record.samples.len(), 1, "{what}");
        }
        self.check_clean(host, what);
    }

    /// Checks that no process and no scratch directory is left.
    pub fn check_clean(&self, host: &Simulated, what: &str) {
        assert_eq!(host.left(), 0, "{what}: processes were left");
        assert!(
            !self.result().join("scratch").exists(),
            "{what}: scratch was left"
        );
    }
}
