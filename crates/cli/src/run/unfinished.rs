//! The result that `--resume` goes on with where none is named.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use perflab_experiment::counted;
use perflab_store::{OpenedResult, StopReason, StoreError, find};

use crate::failure::Failure;
use crate::results::RESULTS;
use crate::terminal;

/// The newest result of an experiment below the default directory that has runs left, whatever its directory is called;
/// the newest of all where none has.
pub(super) fn newest(name: &str) -> Result<PathBuf, Failure> {
    let mut found = results(name);
    found.sort();
    let unfinished = found.iter().rev().find(|(_, _, is_complete)| !is_complete);
    if let Some((_, path, _)) = unfinished {
        return Ok(path.clone());
    }
    let Some((_, path, _)) = found.last() else {
        return Err(Failure::usage(format!(
            "there is no result of {name} in `{RESULTS}`; name it with --out"
        )));
    };
    terminal::say(&format!(
        "note: nothing is left to run: {} of {name} in `{RESULTS}`, all complete; the newest is {}",
        counted(found.len(), "result"),
        path.display()
    ));
    Ok(path.clone())
}

/// All results of an experiment: when they were begun, where they are, and whether they are complete.
fn results(name: &str) -> Vec<(Option<Timestamp>, PathBuf, bool)> {
    let root = Path::new(RESULTS);
    let mut found = Vec::new();
    for path in find(root).unwrap_or_default() {
        let path = root.join(path);
        match OpenedResult::open(&path) {
            Ok(result) => {
                let origin = &result.meta.origin;
                if origin.name == name && origin.imported.is_none() {
                    found.push((origin.created.parse().ok(), path, is_complete(&result)));
                }
            }
            // Nothing was begun there.
            Err(StoreError::Missing { .. }) => {}
            Err(error) => terminal::say(&format!(
                "note: {} was passed over: {error}",
                path.display()
            )),
        }
    }
    found
}

fn is_complete(result: &OpenedResult) -> bool {
    let stopped = result.stopped.as_ref();
    let is_decided = stopped.is_some_and(|stopped| stopped.reason == StopReason::Decided);
    is_decided || result.records.len() >= result.plan.runs.len()
}
