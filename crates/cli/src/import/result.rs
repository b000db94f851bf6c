//! The result directory of an import.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use indexmap::{IndexMap, IndexSet};
use perflab_experiment::{Cell, Experiment, Plan, PlannedRun, Status};
use perflab_formats::Run;
use perflab_store::{Environment, Imported, ImportedFile, Origin, ResultDir, RunRecord};

use super::collected::Collected;
use super::names::plain;
use crate::failure::{Failure, is_disk_full};
use crate::output::directory_of;
use crate::results::{RESULTS, now_for_a_name};
use crate::run::comparisons_of;

/// Writes the result, and returns where it is.
///
/// It is made under a hidden name first, so that it is there completely or not at all.
pub(crate) fn write(collected: &Collected, out: Option<&Path>) -> Result<PathBuf, Failure> {
    let name = name_of(collected);
    let path = match out {
        Some(path) => path.to_owned(),
        None => Path::new(RESULTS).join(format!("{name}-{}", now_for_a_name())),
    };
    let failed = |error: std::io::Error| {
        let text = format!("cannot write {}: {error}", path.display());
        match is_disk_full(&error) {
            true => Failure::disk_full(text),
            false => Failure::environment(text),
        }
    };
    let found = match fs::read_dir(&path) {
        Ok(mut entries) => entries.next().map(|_| "files in"),
        Err(error) if error.kind() == ErrorKind::NotADirectory => Some("a file in the way of"),
        Err(_) => None,
    };
    if let Some(found) = found {
        return Err(Failure::usage(format!(
            "expected a new or empty directory, found {found} {}; choose another one with --out",
            path.display()
        )));
    }
    let parent = directory_of(&path);
    remove_unfinished(parent);
    let own = path.file_name().unwrap_or_default().to_string_lossy();
    let partial = parent.join(format!(".{own}{PARTIAL}{}", std::process::id()));
    let written = fill(collected, &name, &partial).and_then(|()| {
        fs::rename(&partial, &path)
            .and_then(|()| fs::File::open(parent)?.sync_all())
            .map_err(failed)
    });
    if written.is_err() {
        let _not_there = fs::remove_dir_all(&partial);
    }
    written.map(|()| path)
}

/// Behind it is the number of the process that makes the result.
const PARTIAL: &str = ".partial-";

/// Removes what imports left that were killed.
fn remove_unfinished(directory: &Path) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let process = name.to_str().and_then(|name| name.rsplit_once(PARTIAL));
        let is_left = process.is_some_and(|(name, process)| {
            name.starts_with('.')
                && process.parse::<u32>().is_ok()
                && !Path::new("/proc").join(process).exists()
        });
        // The process may be one of another container: whoever writes holds the lock.
        if is_left {
            let _not_ours = ResultDir::remove_abandoned(&entry.path());
        }
    }
}

/// A name for the experiment: that of the first file, in lower case.
fn name_of(collected: &Collected) -> String {
    let first = collected.inputs.first();
    let name = first.map_or("", |input| input.name.trim_end_matches('/'));
    let name = Path::new(name)
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy();
    format!("{}-{}", collected.format.name(), plain(&name)).to_ascii_lowercase()
}

fn fill(collected: &Collected, name: &str, path: &Path) -> Result<(), Failure> {
    let (cells, places) = cells(collected);
    let records = records(collected, &cells, &places);
    let experiment = experiment(collected, name);
    Experiment::parse(&experiment, "experiment.toml").map_err(Failure::environment)?;
    let runs = records
        .iter()
        .map(|(cell, record)| PlannedRun {
            run: record.run,
            block: record.block,
            cell: *cell,
            seed: 0,
            unit: record.unit,
            observed: false,
        })
        .collect();
    let plan = Plan {
        schema: 1,
        seed: 0,
        cells,
        runs,
        left_out: Vec::new(),
    };
    // The machine that measured is not this one, as far as is known.
    let environment = Environment::unknown();
    let copies = copies(collected);
    let origin = Origin {
        perflab: env!("CARGO_PKG_VERSION").to_owned(),
        created: jiff::Timestamp::now().to_string(),
        name: name.to_owned(),
        argv: crate::terminal::arguments(),
        directory: None,
        until_decided: None,
        imported: Some(Imported {
            format: collected.format.name().to_owned(),
            independent: collected.independent,
            files: copies
                .iter()
                .map(|(path, bytes)| ImportedFile::new(path.clone(), bytes))
                .collect(),
            notes: collected.notes.clone(),
        }),
    };
    let mut result = ResultDir::create(path, &experiment, &plan, &environment, origin)?;
    for (path, bytes) in &copies {
        result.keep_imported(path, bytes)?;
    }
    result
        .append_all(records.iter().map(|(_, record)| record))
        .map_err(Failure::from)
}

/// The files to keep: where, and what is in them.
fn copies(collected: &Collected) -> Vec<(String, &Vec<u8>)> {
    let mut copies = Vec::new();
    for (number, input) in (1..).zip(&collected.inputs) {
        for file in &input.files {
            let path = match input.is_directory {
                true => file.path.clone(),
                false => Path::new(&input.name)
                    .file_name()
                    .unwrap_or_default()
                    .to_string_lossy()
                    .into_owned(),
            };
            copies.push((format!("{number}/{path}"), &file.bytes));
        }
    }
    copies
}

/// The experiment file: variants and one workload, and nothing that could be run.
fn experiment(collected: &Collected, name: &str) -> String {
    let mut text = format!("# Imported: nothing in here was run by perflab.\nname = \"{name}\"\n");
    let variants: IndexSet<&str> = collected
        .runs
        .iter()
        .filter_map(|run| run.variant.as_deref())
        .collect();
    for variant in variants {
        let _ = write!(text, "\n[variants.\"{variant}\"]\n");
    }
    let workload = collected.format.name();
    let _ = write!(text, "\n[workloads.{workload}]\ndriver = \"imported\"\n");
    text
}

/// The cells, and for each run the index of its own.
fn cells(collected: &Collected) -> (Vec<Cell>, Vec<usize>) {
    let mut cells: IndexMap<(String, Vec<(String, String)>), Cell> = IndexMap::new();
    let mut places = Vec::new();
    for run in &collected.runs {
        let (variant, parameters) = place(run);
        // In whatever order files name parameters: the first one's counts.
        let mut key = parameters.clone();
        key.sort();
        let cell = cells.entry((variant.clone(), key));
        places.push(cell.index());
        cell.or_insert_with(|| {
            Cell::new(
                &variant,
                collected.format.name(),
                parameters.into_iter().collect(),
            )
        });
    }
    (cells.into_values().collect(), places)
}

/// Whether there is anything to compare with the baseline, which is the first variant.
pub(crate) fn is_compared(collected: &Collected) -> bool {
    let (cells, _) = cells(collected);
    let baseline = cells.first().map_or("", |cell| &cell.variant);
    comparisons_of(cells.iter(), baseline) > 0
}

fn place(run: &Run) -> (String, Vec<(String, String)>) {
    let parameters = run.parameters.iter();
    (
        run.variant.clone().unwrap_or_default(),
        parameters.map(|(n, v)| (n.clone(), v.clone())).collect(),
    )
}

/// The records, each with the index of its cell. All are in one block, as nothing is known of their
/// order, and each is a unit of its own.
fn records(collected: &Collected, cells: &[Cell], places: &[usize]) -> Vec<(usize, RunRecord)> {
    let mut units: HashMap<&str, u32> = HashMap::new();
    let mut records = Vec::new();
    for ((number, run), index) in (1_u32..).zip(&collected.runs).zip(places.iter().copied()) {
        let variant = run.variant.as_deref().unwrap_or_default();
        let Some(cell) = cells.get(index) else {
            continue;
        };
        let unit = units.entry(variant).or_default();
        *unit += 1;
        records.push((
            index,
            RunRecord {
                schema: RunRecord::SCHEMA,
                run: number,
                block: 1,
                cell: cell.id.clone(),
                variant: variant.to_owned(),
                workload: cell.workload.clone(),
                // In the order of the cell's: it tells which runs belong together.
                parameters: cell.parameters.clone(),
                unit: *unit,
                started: run.started.clone().unwrap_or_default(),
                status: Status::Pass,
                detail: None,
                source: Some(run.at.clone()),
                host: None,
                observers: Vec::new(),
                programs: IndexMap::new(),
                argv: run.command.iter().cloned().collect(),
                exit_code: run.exit_code,
                signal: None,
                usage: None,
                steps: Vec::new(),
                environment_padding_bytes: 0,
                layout: None,
                settings: IndexMap::new(),
                load1: None,
                steal_share: None,
                samples: run.samples.clone(),
                sample_files: Vec::new(),
                evidence: IndexMap::new(),
            },
        ));
    }
    records
}
