//! A directory for a while.

use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;

use crate::failure::{Failure, is_disk_full};

/// A directory of our own that goes away with the value.
pub(super) struct Scratch(pub(super) PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A new one, for this user only, below that of the system.
pub(super) fn tempdir() -> Result<Scratch, Failure> {
    let name = format!(
        "perflab-{}-{:016x}",
        std::process::id(),
        rand::random::<u64>()
    );
    let path = std::env::temp_dir().join(name);
    fs::DirBuilder::new()
        .mode(0o700)
        .create(&path)
        .map_err(|error| {
            let text = format!("cannot make the directory {}: {error}", path.display());
            match is_disk_full(&error) {
                true => Failure::disk_full(text),
                false => Failure::environment(text),
            }
        })?;
    Ok(Scratch(path))
}
