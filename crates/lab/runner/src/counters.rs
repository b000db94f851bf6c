//! Counters of the kernel and of the CPU, by `perf stat` in front of the load.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use perflab_drivers::counters;
use perflab_experiment::Status;

use crate::environment::Environment;
use crate::fault::Fault;
use crate::host::{Ended, Exit};
use crate::observer::{Observation, ObservedRun, Observer};

/// Most that is read of an exit code, and of counts, in bytes.
const LONGEST_CODE_BYTES: u64 = 64;
const MOST_COUNTS_BYTES: u64 = 1 << 20;

/// Counts events while the load runs, its children included.
#[derive(Debug)]
pub struct Counters {
    events: Vec<String>,
}

impl Counters {
    /// Of these events, as `perf` names them; at least one.
    pub fn new(events: Vec<String>) -> Self {
        Self { events }
    }
}

/// Where `perf stat` writes the counts, and the shell behind it the exit code of the load.
fn files(directory: &Path) -> [PathBuf; 2] {
    ["counters", "counters.exit"].map(|name| directory.join(name))
}

/// What `perf stat` takes to start this command, each with what it is for.
pub(crate) fn programs(argv: &[OsString]) -> Vec<(OsString, &'static str)> {
    let perf = (OsString::from("perf"), ", which `counters` needs");
    let program = argv.first().map(|program| (program.clone(), ""));
    [perf].into_iter().chain(program).collect()
}

impl Observer for Counters {
    fn name(&self) -> &str {
        "counters"
    }

    fn wrap(
        &self,
        run: &ObservedRun<'_>,
        argv: Vec<OsString>,
        directory: &Path,
        environment: &Environment,
    ) -> Result<Vec<OsString>, Fault> {
        // What is not there is better reported here than by `perf`, or by what `perf` is started within.
        for (program, purpose) in programs(&argv) {
            let program = program.to_string_lossy();
            // What has a path may be made by `prepare`.
            let is_by_name = !program.contains('/');
            let found = || {
                let path = environment.path();
                run.host.locate(program.as_ref().as_ref(), directory, &path)
            };
            if is_by_name && let Err(why) = found() {
                return Err(Fault::no_run(format!(
                    "cannot start `{program}`{purpose}: {why}"
                )));
            }
        }
        let [counts, code] = files(run.directory);
        Ok([counters::argv(&self.events, &counts, &code), argv].concat())
    }

    fn exit(&self, run: &ObservedRun<'_>, ended: &Ended) -> Result<Exit, Fault> {
        if ended.stopped.is_some() || ended.exit != Exit::Code(0) {
            return Ok(ended.exit);
        }
        let [_, code] = files(run.directory);
        let text = run.host.read(&code, 0, LONGEST_CODE_BYTES);
        let text = String::from_utf8_lossy(&text.unwrap_or_default()).into_owned();
        // The next execution must not find it.
        run.host.remove(&code);
        match text.trim().parse::<i32>() {
            Ok(code @ 0..=128) => Ok(Exit::Code(code)),
            Ok(code @ 129..=255) => Ok(Exit::Signal(code - 128)),
            _ => Err(Fault::new(
                Status::Fail,
                format!(
                    "under `perf stat`: expected the exit code of the workload, found {text:?}"
                ),
            )),
        }
    }

    fn end(&mut self, run: &ObservedRun<'_>) -> Result<Observation, Fault> {
        let [counts, _] = files(run.directory);
        let failed = |why: String| Fault::new(Status::Fail, why);
        let file = match run.host.read(&counts, 0, MOST_COUNTS_BYTES) {
            Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
            file => file.map_err(|error| failed(format!("counters: cannot be read: {error}")))?,
        };
        let samples =
            counters::read(&self.events, &file).map_err(|error| failed(error.to_string()))?;
        Ok(Observation {
            samples,
            ..Observation::default()
        })
    }
}
