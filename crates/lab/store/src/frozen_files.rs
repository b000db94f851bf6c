//! The files that never change once the directory is set up.

use std::fs;
use std::path::Path;

use perflab_experiment::Plan;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use crate::atomic;
use crate::environment::Environment;
use crate::error::StoreError;
use crate::line;
use crate::meta::{self, Hashes, Meta, MetaFile, Origin};
use crate::regular_file;

pub(crate) const EXPERIMENT: &str = "experiment.toml";
pub(crate) const PLAN: &str = "plan.json";
pub(crate) const ENVIRONMENT: &str = "fingerprint.json";

/// What they hold.
#[derive(Debug)]
pub(crate) struct FrozenFiles {
    pub(crate) meta: MetaFile,
    /// The experiment, word for word.
    pub(crate) experiment: String,
    pub(crate) plan: Plan,
    pub(crate) environment: Environment,
}

impl FrozenFiles {
    /// Writes them, `meta.json` last: its presence says that all are there.
    pub(crate) fn write(
        directory: &Path,
        experiment: &str,
        plan: &Plan,
        environment: &Environment,
        origin: Origin,
    ) -> Result<Self, StoreError> {
        let plan_text = json(directory, PLAN, plan, serde_json::to_string)?;
        // People read this one.
        let pretty = serde_json::to_string_pretty;
        let environment_text = json(directory, ENVIRONMENT, environment, pretty)?;
        let sha256 = Hashes {
            experiment: sha256(experiment.as_bytes()),
            plan: sha256(plan_text.as_bytes()),
            fingerprint: sha256(environment_text.as_bytes()),
        };
        let meta = Meta::new(origin, sha256);
        let line = line::seal(&meta).map_err(content(directory, meta::FILE))?;
        let files = [
            (EXPERIMENT, experiment.as_bytes()),
            (PLAN, plan_text.as_bytes()),
            (ENVIRONMENT, environment_text.as_bytes()),
            (meta::FILE, &line),
        ];
        for (name, content) in files {
            atomic::write(directory, name, content)?;
        }
        Ok(Self {
            meta: MetaFile { meta, line },
            experiment: experiment.to_owned(),
            plan: plan.clone(),
            environment: environment.clone(),
        })
    }

    /// Reads them and compares their hashes.
    pub(crate) fn read(directory: &Path) -> Result<Self, StoreError> {
        if !directory.is_dir() {
            return Err(StoreError::NoDirectory(directory.to_owned()));
        }
        let meta = MetaFile::read(directory)?;
        let hashes = &meta.meta.sha256;
        Ok(Self {
            experiment: experiment(directory, hashes)?,
            plan: plan(directory, hashes)?,
            environment: environment(directory, hashes)?,
            meta,
        })
    }

    /// Undoes an unfinished [`Self::write`].
    pub(crate) fn remove(directory: &Path) {
        for name in [meta::FILE, ENVIRONMENT, PLAN, EXPERIMENT] {
            let _not_there = fs::remove_file(directory.join(name));
        }
    }
}

/// The experiment, word for word, if it is the one that was written.
pub(crate) fn experiment(directory: &Path, hashes: &Hashes) -> Result<String, StoreError> {
    let bytes = verified(directory, EXPERIMENT, &hashes.experiment)?;
    String::from_utf8(bytes).map_err(content(directory, EXPERIMENT))
}

/// The plan, if it is the one that was written.
pub(crate) fn plan(directory: &Path, hashes: &Hashes) -> Result<Plan, StoreError> {
    parsed(directory, PLAN, &hashes.plan)
}

/// The environment, if it is the one that was written.
pub(crate) fn environment(directory: &Path, hashes: &Hashes) -> Result<Environment, StoreError> {
    parsed(directory, ENVIRONMENT, &hashes.fingerprint)
}

fn parsed<T: DeserializeOwned>(
    directory: &Path,
    file: &'static str,
    sha256: &str,
) -> Result<T, StoreError> {
    let bytes = verified(directory, file, sha256)?;
    serde_json::from_slice(&bytes).map_err(content(directory, file))
}

/// A file, if it is the one that the hash was taken of.
fn verified(directory: &Path, file: &'static str, expected: &str) -> Result<Vec<u8>, StoreError> {
    let content = regular_file::read_of(directory, file)?;
    let found = sha256(&content);
    if found == expected {
        Ok(content)
    } else {
        Err(StoreError::Altered {
            path: directory.join(file),
            expected: expected.to_owned(),
            found,
        })
    }
}

/// The text of a file that holds a value.
fn json<T: Serialize>(
    directory: &Path,
    file: &'static str,
    value: &T,
    to_text: impl FnOnce(&T) -> serde_json::Result<String>,
) -> Result<String, StoreError> {
    let text = to_text(value).map_err(content(directory, file))?;
    Ok(text + "\n")
}

/// The error of a file that does not hold what it should.
fn content<E: ToString>(directory: &Path, file: &'static str) -> impl FnOnce(E) -> StoreError {
    let path = directory.join(file);
    move |error| StoreError::Content {
        path,
        reason: error.to_string(),
    }
}

pub(crate) fn sha256(content: &[u8]) -> String {
    Sha256::digest(content)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
