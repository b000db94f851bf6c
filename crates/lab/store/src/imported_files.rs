//! `imported/`: copies of the files that results of other tools were read from.

use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::atomic;
use crate::error::StoreError;
use crate::frozen_files::sha256;
use crate::meta::{ImportedFile, Meta};
use crate::notice::Notice;
use crate::regular_file;

const DIRECTORY: &str = "imported";

impl ImportedFile {
    /// Of a file with this content, to be kept under this path.
    pub fn new(path: String, content: &[u8]) -> Self {
        let sha256 = sha256(content);
        Self { path, sha256 }
    }
}

/// Writes a copy.
pub(crate) fn write(directory: &Path, path: &str, content: &[u8]) -> Result<(), StoreError> {
    let target = below(directory, path).ok_or_else(|| StoreError::Content {
        path: directory.join(DIRECTORY),
        reason: format!("expected a path below it, found `{path}`"),
    })?;
    let (Some(parent), Some(name)) = (target.parent(), target.file_name()) else {
        return Ok(());
    };
    fs::create_dir_all(parent).map_err(|source| StoreError::io("create", parent, source))?;
    atomic::write(parent, &name.to_string_lossy(), content)?;
    Ok(())
}

/// The copies that are missing or altered.
pub(crate) fn check(directory: &Path, meta: &Meta) -> Vec<Notice> {
    let files = meta.origin.imported.iter().flat_map(|of| &of.files);
    files
        .filter(|file| {
            let content =
                below(directory, &file.path).and_then(|path| regular_file::read(&path).ok());
            content.is_none_or(|content| {
                ImportedFile::new(String::new(), &content).sha256 != file.sha256
            })
        })
        .map(|file| Notice::Evidence {
            file: format!("{DIRECTORY}/{}", file.path),
        })
        .collect()
}

/// The path of a copy, unless it would lead elsewhere.
fn below(directory: &Path, path: &str) -> Option<PathBuf> {
    let path = Path::new(path);
    let plain = path
        .components()
        .all(|component| matches!(component, Component::Normal(_)));
    let named = path.file_name().is_some();
    (plain && named).then(|| directory.join(DIRECTORY).join(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_leads_elsewhere_is_refused() {
        for path in ["/etc/passwd", "../x", "a/../../x", "", "."] {
            assert_eq!(below(Path::new("r"), path), None, "{path}");
        }
        assert!(below(Path::new("r"), "1/new/sample.json").is_some());
    }
}
