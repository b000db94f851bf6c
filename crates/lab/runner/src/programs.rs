//! Which programs an experiment runs: their files, hashes and what they say of their version.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use indexmap::IndexMap;
use perflab_experiment::{Cell, Experiment, Status};
use perflab_machine::Executable;
use perflab_store::Programs;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::aside::Aside;
use crate::driver::driver_of;
use crate::environment::Environment;
use crate::fill::{Fill, Ports, Share};
use crate::host::Host;
use crate::visible::visible;

/// Longest that a program may take to say its version.
const VERSION_LIMIT: Duration = Duration::from_secs(20);

/// Most that is kept of what a program says of its version, in bytes.
const VERSION_BYTES: u64 = 4096;

/// What has changed since, one line for each program, with its path.
pub fn program_changes(before: &Programs, now: &Programs) -> Vec<String> {
    let files = names(&before.files, &now.files).filter_map(|name| {
        match (before.files.get(name), now.files.get(name)) {
            (Some(before), Some(now)) if before == now => None,
            (Some(before), Some(now)) if before.path != now.path => Some(format!(
                "`{name}` was {}, and is {} now",
                before.path, now.path
            )),
            (Some(before), Some(now)) => Some(format!(
                "`{name}` has changed: {} ({}) before, {} now",
                before.path,
                content(before),
                content(now)
            )),
            (Some(before), None) => Some(format!(
                "`{name}` was {}, and is not found now",
                before.path
            )),
            (None, now) => {
                now.map(|now| format!("`{name}` was not found, and is {} now", now.path))
            }
        }
    });
    let versions = names(&before.versions, &now.versions).filter_map(|line| {
        let first = |said: Option<&String>| match said.map(|said| visible(said)) {
            None => "nothing".to_owned(),
            Some(said) => format!("\"{said}\""),
        };
        let (before, now) = (before.versions.get(line), now.versions.get(line));
        (before != now).then(|| {
            format!(
                "`{line}` said {}, and says {} now",
                first(before),
                first(now)
            )
        })
    });
    files.chain(versions).collect()
}

/// The names in either, those of `before` first.
fn names<'a, T>(
    before: &'a IndexMap<String, T>,
    now: &'a IndexMap<String, T>,
) -> impl Iterator<Item = &'a String> {
    let new = now.keys().filter(|name| !before.contains_key(*name));
    before.keys().chain(new)
}

fn content(file: &Executable) -> String {
    let start: String = file.sha256.chars().take(12).collect();
    format!("{} bytes, SHA-256 {start}...", file.bytes)
}

/// Identifies the programs of every variant (`variants/NAME`) and workload (`workloads/NAME`) of these cells.
///
/// What an experiment builds is not there yet; it is recorded by how it is built. A program that
/// cannot be found is left out here: the run that needs it will say so.
pub fn programs(
    experiment: &Experiment,
    cells: &[Cell],
    home: &Path,
    scratch: &Path,
    host: &dyn Host,
) -> IndexMap<String, Programs> {
    let environment = host.environment(&experiment.design.environment);
    let mut found: IndexMap<String, Programs> = IndexMap::new();
    for cell in cells {
        let (Ok(variant), Ok(workload)) = (experiment.variant(cell), experiment.workload(cell))
        else {
            continue;
        };
        let mut ports = Ports::default();
        let mut random = ChaCha8Rng::seed_from_u64(0);
        let mut fill = Fill {
            host,
            ports: &mut ports,
            random: &mut random,
            dir: scratch,
            run: Some(scratch),
            build: None,
            experiment: home,
            share: Share::WHOLE,
        };
        let of_variant = found
            .entry(format!("variants/{}", cell.variant))
            .or_default();
        for system in variant.systems() {
            let Ok(argv) = fill.argv(&system.start) else {
                continue;
            };
            let mut environment = environment.clone();
            for (name, value) in &system.env {
                environment.set(name, fill.text(value).unwrap_or_default());
            }
            add_program(host, of_variant, &argv, &environment, scratch);
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
                && let Some(said) = version(host, &argv, &environment, scratch)
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
        let directory = match &workload.directory {
            Some(directory) => fill.path(directory).unwrap_or_default(),
            None => scratch.to_path_buf(),
        };
        if let Some(argv) = argv {
            let mut environment = environment.clone();
            let of_variant = variant.env.iter().filter(|_| !variant.has_systems());
            for (name, value) in of_variant.chain(&workload.env) {
                environment.set(name, fill.text(value).unwrap_or_default());
            }
            add_program(host, of_workload, &argv, &environment, &directory);
        }
    }
    found
}

fn add_program(
    host: &dyn Host,
    programs: &mut Programs,
    argv: &[OsString],
    environment: &Environment,
    directory: &Path,
) {
    let Some(program) = argv.first() else {
        return;
    };
    let name = program.to_string_lossy().into_owned();
    if programs.files.contains_key(&name) {
        return;
    }
    let found = host.locate(program, directory, &environment.path());
    if let Some(executable) = found.ok().and_then(|path| Executable::of(&path).ok()) {
        programs.files.insert(name, executable);
    }
}

fn version(
    host: &dyn Host,
    argv: &[OsString],
    environment: &Environment,
    scratch: &Path,
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
        let moment = host.moment();
        let exit = ask.exit(host);
        if moment.until(&host.moment()).is_none() || host.is_interrupted() {
            exit.ok()?;
            break;
        }
    }
    let said = host.read(&log, 0, VERSION_BYTES).ok()?;
    Some(String::from_utf8_lossy(&said).trim().to_owned())
}

fn line_of(argv: &[OsString]) -> String {
    argv.iter()
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}
