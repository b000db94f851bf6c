//! A directory whose set-up was cut short: nothing was begun there, so another laboratory may begin.
//!
//! The set-up makes `runs/` and an empty `runs.jsonl`, then the files that never change, `meta.json` last. A kill leaves
//! some of them, and perhaps a file under its temporary name.

use std::fs::{self, DirEntry};
use std::path::Path;

use crate::atomic::is_unfinished;
use crate::error::StoreError;
use crate::frozen_files::{ENVIRONMENT, EXPERIMENT, PLAN};
use crate::lock::LOCK;
use crate::meta;
use crate::raw_output;
use crate::runs_file;

/// Refuses a directory in which there is anything but what a set-up that was cut short leaves. A lock file alone is what
/// is left of an attempt that failed.
pub(crate) fn refuse_others(path: &Path) -> Result<(), StoreError> {
    match entries(path)?.iter().all(is_leftover) && (is_first(path) || is_bare(path)?) {
        true => Ok(()),
        false => Err(StoreError::NotEmpty(path.to_owned())),
    }
}

/// Whether a set-up was cut short there.
pub(crate) fn is_cut_short(path: &Path) -> bool {
    is_first(path) && entries(path).is_ok_and(|entries| entries.iter().all(is_leftover))
}

/// Removes what it left under temporary names; the lock is held.
pub(crate) fn clear(path: &Path) -> Result<(), StoreError> {
    for entry in entries(path)? {
        if is_temporary(&entry.file_name().to_string_lossy()) {
            let path = entry.path();
            fs::remove_file(&path).map_err(|source| StoreError::io("remove", &path, source))?;
        }
    }
    Ok(())
}

fn entries(path: &Path) -> Result<Vec<DirEntry>, StoreError> {
    let failed = |source| StoreError::io("read", path, source);
    let entries = fs::read_dir(path).map_err(failed)?;
    entries.map(|entry| entry.map_err(failed)).collect()
}

/// What is made first, so that the other files are not somebody else's.
fn is_first(path: &Path) -> bool {
    path.join(LOCK).is_file() && raw_output::is_there(path)
}

fn is_bare(path: &Path) -> Result<bool, StoreError> {
    Ok(entries(path)?.iter().all(|entry| entry.file_name() == LOCK))
}

/// Whether a set-up makes this before anything is begun. Output and records are not among it.
fn is_leftover(entry: &DirEntry) -> bool {
    let Ok(about) = entry.metadata() else {
        return false;
    };
    let name = entry.file_name();
    let name = name.to_string_lossy();
    match &*name {
        LOCK => about.is_file(),
        EXPERIMENT | PLAN | ENVIRONMENT => {
            about.is_file() && entry.path().with_file_name(runs_file::FILE).is_file()
        }
        runs_file::FILE => about.is_file() && about.len() == 0,
        raw_output::DIRECTORY => {
            fs::read_dir(entry.path()).is_ok_and(|mut entries| entries.next().is_none())
        }
        name => about.is_file() && is_temporary(name),
    }
}

/// Whether a file that a set-up writes is called so until it is complete.
fn is_temporary(name: &str) -> bool {
    [EXPERIMENT, PLAN, ENVIRONMENT, runs_file::FILE, meta::FILE]
        .iter()
        .any(|file| is_unfinished(name, file))
}
