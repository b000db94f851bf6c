//! A build under way.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::error::BuildError;
use super::facts::StepFacts;
use crate::revision::Revision;

/// A build under way.
pub(super) struct Site<'s> {
    pub(super) revision: &'s Revision,
    pub(super) tree: PathBuf,
    pub(super) logs: PathBuf,
    pub(super) steps: Vec<StepFacts>,
}

impl Site<'_> {
    /// The name of the log of the next step.
    pub(super) fn log(&self, purpose: &str) -> String {
        format!("{}-{purpose}.log", self.steps.len() + 1)
    }

    pub(super) fn note(&mut self, purpose: &str, log: String, took: Duration) {
        self.steps.push(StepFacts {
            purpose: purpose.to_owned(),
            log,
            seconds: took.as_secs_f64(),
        });
    }
}

/// A path as a text, which commands and JSON can hold.
pub(super) fn text_of(path: &Path) -> Result<&str, BuildError> {
    path.to_str()
        .ok_or_else(|| BuildError::Path(path.to_owned()))
}
