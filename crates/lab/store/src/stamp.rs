//! What changes about a results directory while it is written.

use std::fs;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::frozen_files;
use crate::meta;
use crate::runs_file;
use crate::stopped;

/// Length and time of all files of a result but for the output of its runs: it differs once one of them has changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileStamps(Vec<(u64, Option<SystemTime>)>);

impl FileStamps {
    /// The stamps as they are now.
    pub fn of(directory: &Path) -> Self {
        let files = [
            meta::FILE,
            frozen_files::EXPERIMENT,
            frozen_files::PLAN,
            frozen_files::ENVIRONMENT,
            runs_file::FILE,
            stopped::FILE,
        ];
        let stamp = |file: &str| match fs::metadata(directory.join(file)) {
            Ok(metadata) => (metadata.len(), metadata.modified().ok()),
            Err(_) => (0, None),
        };
        Self(files.into_iter().map(stamp).collect())
    }
}

/// What changes about a results directory when a run is added to it, as the index keeps it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) bytes: i64,
    pub(crate) modified_ns: i64,
}

impl Stamp {
    /// `None` if there is no file of records.
    pub(crate) fn of(directory: &Path) -> Option<Self> {
        let metadata = fs::metadata(directory.join(runs_file::FILE)).ok()?;
        let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        Some(Self {
            bytes: i64::try_from(metadata.len()).ok()?,
            modified_ns: i64::try_from(modified.as_nanos()).ok()?,
        })
    }
}
