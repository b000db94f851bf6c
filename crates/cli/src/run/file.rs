//! The experiment file that is executed.

use std::path::{Path, PathBuf};

use perflab_experiment::{Experiment, renamed_keys};

use crate::failure::Failure;
use crate::output::directory_of;
use crate::terminal;
use crate::text_file;

/// The text of an experiment file.
pub fn read(path: &Path) -> Result<String, Failure> {
    text_file::read(path).map_err(|error| {
        Failure::usage(format!(
            "cannot read the experiment file {}: {error}",
            path.display()
        ))
    })
}

/// The experiment that it describes.
pub fn parse(text: &str, path: &Path) -> Result<Experiment, Failure> {
    let mut experiment =
        Experiment::parse(text, &path.display().to_string()).map_err(Failure::usage)?;
    for (old, new) in renamed_keys(text) {
        terminal::say(&format!(
            "{}: the key `{old}` of metrics is called `{new}` now",
            path.display()
        ));
    }
    if experiment.name.is_empty() {
        experiment.name = path.file_stem().map_or_else(
            || "experiment".to_owned(),
            |stem| stem.to_string_lossy().into_owned(),
        );
    }
    Ok(experiment)
}

/// Its directory, to which its paths are relative.
pub fn home_of(file: &Path) -> Result<PathBuf, Failure> {
    directory_of(file).canonicalize().map_err(|error| {
        Failure::usage(format!(
            "cannot find the directory of {}: {error}",
            file.display()
        ))
    })
}
