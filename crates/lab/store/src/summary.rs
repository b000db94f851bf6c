//! What a list of results says of one.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::StoreError;
use crate::result_dir::ResultDir;
use crate::runs_file;

/// What a list of results says of one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ResultSummary {
    /// The results directory.
    pub path: PathBuf,
    /// The experiment's name; empty if the directory cannot be read.
    pub name: String,
    /// When it was set up, RFC 3339 in UTC; empty if the directory cannot be read.
    pub created: String,
    /// Number of runs in the plan.
    pub runs_planned: u32,
    /// Number of runs that ended, in whatever way.
    pub runs_done: u32,
    /// How many of these did not pass.
    pub runs_failed: u32,
    /// Names of the variants, in the plan's order.
    pub variants: Vec<String>,
    /// Why the directory cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// What the list needs of a plan.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct PlanOutline {
    cells: Vec<CellOutline>,
    runs: Vec<serde::de::IgnoredAny>,
}

#[derive(Debug, Deserialize)]
struct CellOutline {
    variant: String,
}

impl PlanOutline {
    pub(crate) fn of(result: &ResultDir) -> Result<Self, StoreError> {
        result.plan()
    }

    pub(crate) fn runs(&self) -> u32 {
        self.runs.len() as u32
    }

    pub(crate) fn variants(&self) -> Vec<&str> {
        let mut variants: Vec<&str> = Vec::new();
        for cell in &self.cells {
            if !variants.contains(&cell.variant.as_str()) {
                variants.push(&cell.variant);
            }
        }
        variants
    }
}

/// What changes about a results directory when a run is added to it.
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

/// The results directories one or two levels below a root, as paths relative to it, in order.
///
/// Directories that this user may not look into are among them. Links are not followed: a link to the latest results would list them twice.
///
/// # Errors
/// If the root cannot be read.
pub fn find(root: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let mut found = Vec::new();
    for directory in directories(root)? {
        if is_result(&directory) || is_closed(&directory) {
            found.push(directory);
        } else {
            let below = directories(&directory).unwrap_or_default();
            found.extend(
                below
                    .into_iter()
                    .filter(|directory| is_result(directory) || is_closed(directory)),
            );
        }
    }
    let mut found: Vec<PathBuf> = found
        .iter()
        .filter_map(|path| path.strip_prefix(root).ok().map(Path::to_owned))
        .collect();
    found.sort_unstable();
    Ok(found)
}

fn directories(path: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let failed = |source| StoreError::io("read", path, source);
    let mut found = Vec::new();
    for entry in fs::read_dir(path).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        // An import that is under way, or was killed, has a hidden name.
        let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        if !is_hidden && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            found.push(entry.path());
        }
    }
    Ok(found)
}

/// Whether this user may not look into a directory. It may hold results, so it is listed with the reason.
fn is_closed(directory: &Path) -> bool {
    let found = directory.join(crate::meta::FILE).symlink_metadata();
    found.is_err_and(|error| error.kind() == ErrorKind::PermissionDenied)
}

/// Whether a directory holds, or once held, results.
fn is_result(directory: &Path) -> bool {
    [runs_file::FILE, crate::meta::FILE].iter().any(|file| {
        let metadata = directory.join(file).symlink_metadata();
        metadata.is_ok_and(|metadata| metadata.is_file())
    })
}
