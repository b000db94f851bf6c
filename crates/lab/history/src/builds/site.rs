//! A build under way.

use std::path::{Path, PathBuf};
use std::time::Duration;

use perflab_experiment::Status;
use perflab_runner::Fault;

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
    /// A directory of the revision, in which steps are executed. Links of a revision may lead out of it, where nothing may
    /// be built.
    pub(super) fn inside(&self, relative: &str) -> Result<PathBuf, Fault> {
        let path = self.tree.join(relative);
        let fault = |what: String| Fault {
            status: Status::NoBuild,
            detail: format!("`directory` of [build] is \"{relative}\", {what}"),
        };
        let real = |path: &Path| {
            let real = path.canonicalize();
            real.map_err(|error| fault(format!("which the revision does not have: {error}")))
        };
        let to = real(&path)?;
        match to.starts_with(real(&self.tree)?) {
            true => Ok(path),
            false => {
                let to = to.display();
                Err(fault(format!(
                    "which leads to {to}, outside of the revision"
                )))
            }
        }
    }

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
