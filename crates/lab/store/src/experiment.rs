//! `experiment.toml`: the experiment as it was executed.

use std::path::Path;

use perflab_experiment::{Experiment, ParseError};

use crate::frozen_files::EXPERIMENT;

/// The experiment of a result.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredExperiment {
    /// It, word for word.
    pub text: String,
    /// What this version of perflab understands of it, with the name that it has in `meta.json`.
    pub parsed: Result<Experiment, ParseError>,
}

impl StoredExperiment {
    pub(crate) fn new(directory: &Path, text: String, name: &str) -> Self {
        let path = directory.join(EXPERIMENT);
        let mut parsed = Experiment::parse(&text, &path.display().to_string());
        // A file that names no experiment gives it its own name, which here is another one.
        if let Ok(experiment) = &mut parsed {
            name.clone_into(&mut experiment.name);
        }
        Self { text, parsed }
    }
}
