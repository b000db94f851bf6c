//! The directory to which the paths of an experiment file are relative. All runs of a result have the same one.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use perflab_experiment::Experiment;
use perflab_store::{OpenedResult, Origin, is_result};

use super::file::home_of;
use crate::failure::Failure;
use crate::output::directory_of;

/// The directory of a file with which a result is resumed. For the copy that a result holds, this is where the original
/// was.
pub(super) fn of_resumed(file: &Path, experiment: &Experiment) -> Result<PathBuf, Failure> {
    let Some(result) = result_of_copy(file) else {
        return home_of(file);
    };
    match &result.meta.origin.directory {
        Some(directory) if Path::new(directory).is_dir() => Ok(directory.into()),
        _ if !experiment.uses_its_directory() => home_of(file),
        Some(directory) => Err(Failure::environment(format!(
            "{} has paths that begin at {directory}, where the original file was, and this directory is not there any \
             more; put it back, or start a new experiment",
            file.display()
        ))),
        None => Err(Failure::usage(format!(
            "{} has paths that begin at the directory of the original file, and this result does not say where that was, \
             as an older version of perflab began it; resume with the original file, or put a copy of this file into its \
             directory and resume with that",
            file.display()
        ))),
    }
}

/// The result whose copy of an experiment file this is. One that is damaged is refused when it is resumed.
fn result_of_copy(file: &Path) -> Option<OpenedResult> {
    let directory = directory_of(file);
    let is_copy = file.file_name() == Some(OsStr::new("experiment.toml")) && is_result(directory);
    is_copy
        .then(|| OpenedResult::open(directory).ok())
        .flatten()
}

/// Refuses to add runs from another directory than that of the runs before.
pub(super) fn check(
    file: &Path,
    home: &Path,
    experiment: &Experiment,
    origin: &Origin,
) -> Result<(), Failure> {
    match &origin.directory {
        Some(directory) if Path::new(directory) != home && experiment.uses_its_directory() => {
            Err(Failure::usage(format!(
                "the paths in {} begin at {}, and those of the runs before began at {directory}; resume with the file \
                 there, or start a new experiment",
                file.display(),
                home.display()
            )))
        }
        _ => Ok(()),
    }
}
