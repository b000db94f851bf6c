//! `runs/`: what each run said, a directory for each.
//!
//! A run's files are written into `000017.partial`, which is renamed to `000017` once the run is recorded. So a
//! directory with its final name proves that the run was recorded; one without is no result.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::atomic;
use crate::error::StoreError;
use crate::removal::remove_all;

pub(crate) const DIRECTORY: &str = "runs";
const PARTIAL: &str = ".partial";

/// Makes the directory, if there is none.
pub(crate) fn create(directory: &Path) -> Result<(), StoreError> {
    let path = directory.join(DIRECTORY);
    fs::create_dir_all(&path).map_err(|source| StoreError::io("create", &path, source))
}

/// Undoes [`create`], unless there is output already.
pub(crate) fn remove_empty(directory: &Path) {
    let _in_use = fs::remove_dir(directory.join(DIRECTORY));
}

/// Whether the directory of a run's output, and that of all runs, are directories: a link there may lead anywhere.
pub fn is_no_link(output: &Path) -> bool {
    let is_directory = |path: &Path| path.symlink_metadata().is_ok_and(|of| of.is_dir());
    output.ancestors().take(2).all(is_directory)
}

/// The directory of a recorded run's output. A laboratory that was killed may not have renamed it yet.
pub fn recorded(directory: &Path, run: u32) -> PathBuf {
    let (partial, finished) = (partial(directory, run), finished(directory, run));
    match finished.symlink_metadata().is_err() && partial.is_dir() {
        true => partial,
        false => finished,
    }
}

/// The runs whose output has its final name; none if that cannot be told.
pub(crate) fn all_finished(directory: &Path) -> Vec<u32> {
    let entries = fs::read_dir(directory.join(DIRECTORY))
        .into_iter()
        .flatten();
    entries
        .filter_map(|entry| run_of(entry.ok()?.file_name().to_str()?))
        .collect()
}

/// The directory of a run's output under its final name, whether it is there or not.
pub fn finished(directory: &Path, run: u32) -> PathBuf {
    directory.join(DIRECTORY).join(format!("{run:06}"))
}

fn partial(directory: &Path, run: u32) -> PathBuf {
    directory.join(DIRECTORY).join(format!("{run:06}{PARTIAL}"))
}

/// Makes an empty directory for a run that has no record.
pub(crate) fn begin(directory: &Path, run: u32) -> Result<PathBuf, StoreError> {
    let path = partial(directory, run);
    for leftover in [&path, &finished(directory, run)] {
        remove_all(leftover)?;
    }
    fs::create_dir(&path).map_err(|source| StoreError::io("create", &path, source))?;
    Ok(path)
}

/// The directory of a run that has no record yet; made for one that was not executed here.
pub(crate) fn unnamed(directory: &Path, run: u32) -> Result<PathBuf, StoreError> {
    let path = partial(directory, run);
    match path.is_dir() {
        true => Ok(path),
        false => {
            begin(directory, run)?;
            atomic::sync(&directory.join(DIRECTORY))?;
            Ok(path)
        }
    }
}

/// Brings the files of a run that has ended onto the disk.
pub(crate) fn finish(directory: &Path, run: u32) -> Result<(), StoreError> {
    sync_tree(&partial(directory, run))?;
    atomic::sync(&directory.join(DIRECTORY))
}

/// Gives the directory of a run that is recorded its final name, if it has one.
pub(crate) fn name(directory: &Path, run: u32) -> Result<(), StoreError> {
    let (from, to) = (partial(directory, run), finished(directory, run));
    match fs::rename(&from, &to) {
        Ok(()) => atomic::sync(&directory.join(DIRECTORY)),
        Err(source) if source.kind() == ErrorKind::NotFound => Ok(()),
        Err(source) => Err(StoreError::io("rename", &from, source)),
    }
}

/// Syncs all files of a directory. Links are not followed, pipes and sockets not opened. What a run left there that
/// this user may not open is left as it is: it is the run's own.
fn sync_tree(path: &Path) -> Result<(), StoreError> {
    let failed = |source| StoreError::io("read", path, source);
    for entry in fs::read_dir(path).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let kind = entry.file_type().map_err(failed)?;
        let synced = if kind.is_dir() {
            sync_tree(&entry.path())
        } else if kind.is_file() {
            atomic::sync(&entry.path())
        } else {
            Ok(())
        };
        match synced {
            Err(StoreError::Io { source, .. })
                if matches!(
                    source.kind(),
                    ErrorKind::PermissionDenied | ErrorKind::NotFound
                ) => {}
            synced => synced?,
        }
    }
    atomic::sync(path)
}

/// Removes what is left of runs that did not end or have no record, and gives that of recorded ones its name; returns
/// the names of the directories that were removed. What has the number of no planned run is somebody else's and stays.
pub(crate) fn clear(
    directory: &Path,
    is_planned: impl Fn(u32) -> bool,
    is_recorded: impl Fn(u32) -> bool,
) -> Result<Vec<String>, StoreError> {
    let runs = directory.join(DIRECTORY);
    let failed = |source| StoreError::io("read", &runs, source);
    let mut removed = Vec::new();
    for entry in fs::read_dir(&runs).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name();
        let Some(name) = name.to_str() else { continue };
        let leftover = match (run_of(name), name.strip_suffix(PARTIAL).and_then(run_of)) {
            (Some(run), _) | (None, Some(run)) if !is_planned(run) => false,
            (Some(run), _) => !is_recorded(run),
            (None, Some(run)) if is_recorded(run) && !finished(directory, run).exists() => {
                self::name(directory, run)?;
                false
            }
            (None, partial) => partial.is_some(),
        };
        if leftover {
            remove_all(&runs.join(name))?;
            removed.push(name.to_owned());
        }
    }
    removed.sort_unstable();
    Ok(removed)
}

/// The run that a directory's name stands for. Only names that the store gives are looked at.
fn run_of(name: &str) -> Option<u32> {
    let run = name.parse().ok()?;
    (format!("{run:06}") == name).then_some(run)
}

/// Whether there is a directory for the output of runs.
pub(crate) fn is_there(directory: &Path) -> bool {
    directory.join(DIRECTORY).is_dir()
}
