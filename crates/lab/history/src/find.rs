//! Histories below a directory.

use std::fs;
use std::path::{Path, PathBuf};

use crate::directory::is_history;

/// The histories below a directory, by their paths in it, sorted: those in it, and those in directories of it.
pub fn find_histories(root: &Path) -> Vec<PathBuf> {
    let below = |directory: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(directory).into_iter().flatten().flatten();
        let directories = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        directories.map(|entry| entry.path()).collect()
    };
    let mut found = Vec::new();
    for directory in below(root) {
        match is_history(&directory) {
            true => found.push(directory),
            false => found.extend(
                below(&directory)
                    .into_iter()
                    .filter(|path| is_history(path)),
            ),
        }
    }
    let relative = found.iter().filter_map(|path| path.strip_prefix(root).ok());
    let mut relative: Vec<PathBuf> = relative.map(Path::to_owned).collect();
    relative.sort_unstable();
    relative
}
