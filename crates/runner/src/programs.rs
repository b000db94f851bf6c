//! Which programs an experiment runs: their files, hashes and what they say of their version.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use indexmap::IndexMap;
use perflab_experiment::{Experiment, Status};
use perflab_machine::{Executable, resolve_in_path};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::aside::{Aside, Surroundings};
use crate::driver::driver_of;
use crate::environment::Environment;
use crate::fill::{Fill, Ports};
use crate::interrupt::Interrupt;
use crate::keeper::Keeper;
use crate::standstill::Moment;

/// Longest that a program may take to say its version.
const VERSION_LIMIT: Duration = Duration::from_secs(20);

/// Most that is kept of what a program says of its version, in bytes.
const VERSION_BYTES: usize = 4096;

/// The programs of one variant or workload.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Programs {
    /// The files that run, and those that the experiment names besides, by the name used there.
    #[serde(default)]
    pub files: IndexMap<String, Executable>,
    /// What version commands printed, by command line.
    #[serde(default)]
    pub versions: IndexMap<String, String>,
}

/// Identifies the programs of every variant (`variants/NAME`) and workload (`workloads/NAME`).
///
/// What an experiment builds is not there yet; it is recorded by how it is built. A program that
/// cannot be found is left out here: the run that needs it will say so.
pub fn programs(
    experiment: &Experiment,
    home: &Path,
    scratch: &Path,
    keeper: &Keeper,
    interrupt: &Interrupt,
) -> IndexMap<String, Programs> {
    let environment = Environment::clean(&experiment.design.environment, keeper.mark());
    let around = Surroundings { keeper, interrupt };
    let mut found: IndexMap<String, Programs> = IndexMap::new();
    for cell in experiment.cells() {
        let (Ok(variant), Ok(workload)) = (experiment.variant(&cell), experiment.workload(&cell))
        else {
            continue;
        };
        let mut ports = Ports::default();
        let mut random = ChaCha8Rng::seed_from_u64(0);
        let mut fill = Fill {
            ports: &mut ports,
            random: &mut random,
            dir: scratch,
            run: Some(scratch),
            build: None,
            experiment: home,
        };
        let of_variant = found
            .entry(format!("variants/{}", cell.variant))
            .or_default();
        if let Some(argv) = variant
            .start
            .as_ref()
            .and_then(|start| fill.argv(start).ok())
        {
            add_program(of_variant, &argv, &environment);
        }
        for file in &variant.files {
            if let Ok(path) = fill.path(file)
                && let Ok(executable) = Executable::of(&path)
            {
                of_variant.files.insert(file.clone(), executable);
            }
        }
        for command in variant
            .version
            .iter()
            .flat_map(perflab_experiment::Versions::commands)
        {
            let Ok(argv) = fill.argv(command) else {
                continue;
            };
            let line = line_of(&argv);
            if !of_variant.versions.contains_key(&line)
                && let Some(said) = version(&argv, &environment, scratch, around)
            {
                of_variant.versions.insert(line, said);
            }
        }
        let of_workload = found
            .entry(format!("workloads/{}", cell.workload))
            .or_default();
        let argv = match &workload.command {
            Some(command) => fill.argv(command).ok(),
            None => driver_of(&workload)
                .ok()
                .map(|driver| driver.argv(&[]).into_iter().map(Into::into).collect()),
        };
        if let Some(argv) = argv {
            add_program(of_workload, &argv, &environment);
        }
    }
    found
}

fn add_program(programs: &mut Programs, argv: &[OsString], environment: &Environment) {
    let Some(name) = argv.first().map(|name| name.to_string_lossy().into_owned()) else {
        return;
    };
    if programs.files.contains_key(&name) {
        return;
    }
    let path = environment
        .get("PATH")
        .unwrap_or(OsStr::new("/usr/bin:/bin"));
    let executable = resolve_in_path(&name, path).and_then(|path| Executable::of(&path).ok());
    if let Some(executable) = executable {
        programs.files.insert(name, executable);
    }
}

fn version(
    argv: &[OsString],
    environment: &Environment,
    scratch: &Path,
    around: Surroundings<'_>,
) -> Option<String> {
    let log: PathBuf = scratch.join("version.log");
    let ask = Aside {
        purpose: "version",
        status: Status::NoRun,
        argv,
        environment,
        directory: scratch,
        log: &log,
        cpus: None,
        limit: VERSION_LIMIT,
    };
    // One that took too long as it was stopped with the laboratory has not said its version.
    loop {
        let moment = Moment::now();
        let exit = ask.exit(around);
        if moment.standstill().is_none() || around.interrupt.asked() {
            exit.ok()?;
            break;
        }
    }
    let said = fs::read(&log).ok()?;
    let said = said.get(..VERSION_BYTES).unwrap_or(&said);
    Some(String::from_utf8_lossy(said).trim().to_owned())
}

fn line_of(argv: &[OsString]) -> String {
    argv.iter()
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}
