//! The files that never change once the directory is set up.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::atomic;
use crate::error::StoreError;
use crate::file;
use crate::line;
use crate::meta::{self, Hashes, Meta, Origin};

pub(crate) const EXPERIMENT: &str = "experiment.toml";
pub(crate) const PLAN: &str = "plan.json";
pub(crate) const FINGERPRINT: &str = "fingerprint.json";

/// Their content, as it was written.
#[derive(Debug)]
pub(crate) struct Frozen {
    directory: PathBuf,
    pub(crate) meta: Meta,
    /// The line of `meta.json`, which the first record names.
    pub(crate) meta_line: Vec<u8>,
    pub(crate) experiment: String,
    pub(crate) plan: Vec<u8>,
    fingerprint: Vec<u8>,
}

impl Frozen {
    /// Writes them, `meta.json` last: its presence says that all are there.
    pub(crate) fn write(
        directory: &Path,
        experiment: &str,
        plan: &Value,
        fingerprint: &Value,
        origin: Origin,
    ) -> Result<Self, StoreError> {
        let plan = format!("{plan}\n").into_bytes();
        // The alternate form has line breaks: people read this one.
        let fingerprint = format!("{fingerprint:#}\n").into_bytes();
        let sha256 = Hashes {
            experiment: sha256(experiment.as_bytes()),
            plan: sha256(&plan),
            fingerprint: sha256(&fingerprint),
        };
        let meta = Meta::new(origin, sha256);
        let sealed = line::seal(&meta).map_err(|error| StoreError::Content {
            path: directory.join(meta::FILE),
            reason: error.to_string(),
        })?;
        let files = [
            (EXPERIMENT, experiment.as_bytes()),
            (PLAN, &plan),
            (FINGERPRINT, &fingerprint),
            (meta::FILE, &sealed),
        ];
        for (name, content) in files {
            atomic::write(directory, name, content)?;
        }
        Ok(Self {
            directory: directory.to_owned(),
            meta,
            meta_line: sealed,
            experiment: experiment.to_owned(),
            plan,
            fingerprint,
        })
    }

    /// Reads them and compares their hashes.
    pub(crate) fn read(directory: &Path) -> Result<Self, StoreError> {
        if !directory.is_dir() {
            return Err(StoreError::NoDirectory(directory.to_owned()));
        }
        let (meta, meta_line) = Meta::read(directory)?;
        let experiment = verified(directory, EXPERIMENT, &meta.sha256.experiment)?;
        let experiment = String::from_utf8(experiment).map_err(|error| StoreError::Content {
            path: directory.join(EXPERIMENT),
            reason: error.to_string(),
        })?;
        let plan = verified(directory, PLAN, &meta.sha256.plan)?;
        let fingerprint = verified(directory, FINGERPRINT, &meta.sha256.fingerprint)?;
        Ok(Self {
            directory: directory.to_owned(),
            meta,
            meta_line,
            experiment,
            plan,
            fingerprint,
        })
    }

    /// Undoes an unfinished [`Self::write`].
    pub(crate) fn remove(directory: &Path) {
        for name in [meta::FILE, FINGERPRINT, PLAN, EXPERIMENT] {
            let _not_there = fs::remove_file(directory.join(name));
        }
    }

    pub(crate) fn plan<T: DeserializeOwned>(&self) -> Result<T, StoreError> {
        self.parse(PLAN, &self.plan)
    }

    pub(crate) fn fingerprint<T: DeserializeOwned>(&self) -> Result<T, StoreError> {
        self.parse(FINGERPRINT, &self.fingerprint)
    }

    fn parse<T: DeserializeOwned>(&self, name: &str, content: &[u8]) -> Result<T, StoreError> {
        serde_json::from_slice(content).map_err(|error| StoreError::Content {
            path: self.directory.join(name),
            reason: error.to_string(),
        })
    }
}

/// A file, if it is the one that the hash was taken of.
pub(crate) fn verified(
    directory: &Path,
    file: &'static str,
    expected: &str,
) -> Result<Vec<u8>, StoreError> {
    let path = directory.join(file);
    let content = file::read(&path).map_err(|source| match source.kind() {
        ErrorKind::NotFound => StoreError::Missing {
            directory: directory.to_owned(),
            file,
        },
        _ => StoreError::io("read", &path, source),
    })?;
    let found = sha256(&content);
    if found == expected {
        Ok(content)
    } else {
        Err(StoreError::Altered {
            path,
            expected: expected.to_owned(),
            found,
        })
    }
}

fn sha256(content: &[u8]) -> String {
    Sha256::digest(content)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
