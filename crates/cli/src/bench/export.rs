//! Writes what hyperfine's own exports would say.

use std::path::{Path, PathBuf};

use indexmap::IndexMap;
use perflab_formats::hyperfine::{
    Entry, Unit, WriteError, write_asciidoc, write_csv, write_json, write_markdown, write_orgmode,
};
use perflab_stats::Summary;

use super::arguments::{BenchArguments, Sort, TimeUnit};
use super::measured::{Measured, Measurements};
use crate::failure::Failure;
use crate::output::{self, directory_of, write};

/// Finds a path that cannot be written before anything is measured. It makes no file: a bench that
/// fails would leave it empty.
pub fn check(arguments: &BenchArguments) -> Result<(), Failure> {
    let wanted = of_hyperfine(arguments)
        .into_iter()
        .chain([&arguments.export_report]);
    let files: Vec<&PathBuf> = wanted
        .flatten()
        .filter(|path| *path != Path::new("-"))
        .collect();
    for (place, path) in files.iter().enumerate() {
        output::check(path)?;
        if files[..place].iter().any(|other| is_same_file(other, path)) {
            return Err(Failure::usage(format!(
                "two exports would be written to the same file, {}; name another one",
                path.display()
            )));
        }
    }
    Ok(())
}

/// Whether what is written to one path replaces what was written to the other one. Pipes and devices take both.
fn is_same_file(a: &Path, b: &Path) -> bool {
    let place = |path: &Path| {
        let directory = directory_of(path).canonicalize().ok()?;
        let named = directory.join(path.file_name()?);
        Some(named.canonicalize().unwrap_or(named))
    };
    let is_special = |path: &Path| path.metadata().is_ok_and(|about| !about.is_file());
    !is_special(a) && place(a).is_some_and(|a| Some(a) == place(b))
}

/// The paths of hyperfine's own exports.
fn of_hyperfine(arguments: &BenchArguments) -> [&Option<PathBuf>; 5] {
    [
        &arguments.export_json,
        &arguments.export_csv,
        &arguments.export_markdown,
        &arguments.export_asciidoc,
        &arguments.export_orgmode,
    ]
}

/// Writes every file that was asked for.
pub fn all(measurements: &Measurements, arguments: &BenchArguments) -> Result<(), Failure> {
    if of_hyperfine(arguments).iter().all(|path| path.is_none()) {
        return Ok(());
    }
    let entries = measurements
        .commands
        .iter()
        .map(|measured| {
            let entry = entry(measured)?;
            Ok(match measurements.watched {
                Some(_) => entry.of_cpu(),
                None => entry,
            })
        })
        .collect::<Result<Vec<_>, Failure>>()?;
    let unit = match arguments.time_unit {
        None => Unit::automatic(&entries),
        Some(TimeUnit::Microsecond) => Unit::Microsecond,
        Some(TimeUnit::Millisecond) => Unit::Millisecond,
        Some(TimeUnit::Second) => Unit::Second,
    };
    let text = |text: Result<String, WriteError>| {
        text.map_err(|error| Failure::no_data(format!("cannot export: {error}")))
    };
    if let Some(path) = &arguments.export_json {
        write(path, &text(write_json(&entries))?)?;
    }
    if let Some(path) = &arguments.export_csv {
        write(path, &text(write_csv(&entries))?)?;
    }
    // A table shows no parameters, so there they are in the name.
    let mut rows: Vec<Entry> = entries
        .into_iter()
        .zip(&measurements.commands)
        .map(|(entry, measured)| Entry {
            command: measured.command.full_name.clone(),
            ..entry
        })
        .collect();
    if arguments.sort == Sort::MeanTime {
        rows.sort_by(|a, b| a.mean.total_cmp(&b.mean));
    }
    if let Some(path) = &arguments.export_markdown {
        write(path, &text(write_markdown(&rows, unit))?)?;
    }
    if let Some(path) = &arguments.export_asciidoc {
        write(path, &text(write_asciidoc(&rows, unit))?)?;
    }
    if let Some(path) = &arguments.export_orgmode {
        write(path, &text(write_orgmode(&rows, unit))?)?;
    }
    Ok(())
}

fn entry(measured: &Measured) -> Result<Entry, Failure> {
    let wall = measured.column(|timing| timing.time_s);
    let summary = Summary::of(&wall).map_err(Failure::no_data)?;
    let memory: Option<Vec<u64>> = measured
        .runs
        .iter()
        .map(|(_, timing)| timing.max_rss_bytes)
        .collect();
    let mut parameters: IndexMap<_, _> = measured.command.parameters.iter().cloned().collect();
    parameters.sort_keys();
    Ok(Entry {
        command: measured.command.name.clone(),
        mean: summary.mean,
        stddev: summary.sd,
        median: summary.median,
        user: measured.mean(|timing| timing.user_s),
        system: measured.mean(|timing| timing.system_s),
        min: summary.min,
        max: summary.max,
        times: Some(wall),
        memory_usage_byte: memory,
        exit_codes: measured
            .runs
            .iter()
            .map(|(_, timing)| timing.exit_code)
            .collect(),
        metric: None,
        parameters,
    })
}
