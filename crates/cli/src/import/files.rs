//! The files of an import, read from the disk.

use std::fs;
use std::io::Read;
use std::path::Path;

use perflab_formats::{Fault, File};

use crate::failure::Failure;

/// Deeper than any tree of results; a loop of links is not followed anyway.
const DEEPEST: usize = 16;

/// Files with one of these ends belong to a format that is a directory.
const WANTED: [&str; 3] = ["/sample.json", "/benchmark.json", "test.result"];

/// A file or directory that was named.
#[derive(Debug)]
pub(crate) struct Input {
    /// The label that was given.
    pub(crate) label: Option<String>,
    /// As it was named, without the label.
    pub(crate) name: String,
    /// Whether it is a directory.
    pub(crate) is_directory: bool,
    /// The file, or those files in the directory that a format may need.
    pub(crate) files: Vec<File>,
}

impl Input {
    /// Whether it is the same file as another one, whatever their names.
    pub(crate) fn is_file_of(&self, other: &Self) -> bool {
        let path = |input: &Self| fs::canonicalize(&input.name).ok();
        path(self).is_some_and(|own| path(other) == Some(own))
    }

    /// Whether it holds what another one does.
    pub(crate) fn holds_what(&self, other: &Self) -> bool {
        let own = self.files.iter().map(|file| &file.bytes);
        !self.files.is_empty() && own.eq(other.files.iter().map(|file| &file.bytes))
    }

    /// A fault's message, with the path as the user knows it.
    pub(crate) fn locate(&self, fault: &Fault) -> String {
        if self.is_directory {
            Path::new(&self.name)
                .join(fault.to_string())
                .display()
                .to_string()
        } else {
            fault.to_string()
        }
    }
}

/// Reads what an argument names.
pub(crate) fn read(argument: &str) -> Result<Input, Failure> {
    let (label, name) = match argument.split_once('=') {
        Some((label, name)) if !label.is_empty() && !Path::new(argument).exists() => {
            (Some(label.to_owned()), name)
        }
        _ => (None, argument),
    };
    let path = Path::new(name);
    let failed = |error: std::io::Error| Failure::usage(format!("cannot read {name}: {error}"));
    let is_directory = name != "-" && fs::metadata(path).map_err(failed)?.is_dir();
    let mut files = Vec::new();
    if name == "-" {
        let mut bytes = Vec::new();
        std::io::stdin()
            .lock()
            .read_to_end(&mut bytes)
            .map_err(failed)?;
        files.push(File {
            path: "-".to_owned(),
            bytes,
        });
    } else if is_directory {
        walk(path, "", 0, &mut files).map_err(failed)?;
        files.sort_by(|a, b| a.path.cmp(&b.path));
    } else {
        files.push(File {
            path: name.to_owned(),
            bytes: fs::read(path).map_err(failed)?,
        });
    }
    Ok(Input {
        label,
        name: name.to_owned(),
        is_directory,
        files,
    })
}

fn walk(directory: &Path, below: &str, depth: usize, files: &mut Vec<File>) -> std::io::Result<()> {
    if depth > DEEPEST {
        return Ok(());
    }
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = match below {
            "" => name,
            _ => format!("{below}/{name}"),
        };
        let kind = entry.file_type()?;
        if kind.is_dir() {
            walk(&entry.path(), &path, depth + 1, files)?;
        } else if kind.is_file() && is_wanted(&path) {
            files.push(File {
                bytes: fs::read(entry.path())?,
                path,
            });
        }
    }
    Ok(())
}

/// Reports and plots lie beside what is read, and are not.
fn is_wanted(path: &str) -> bool {
    if WANTED.iter().any(|end| path.ends_with(end)) {
        return true;
    }
    // The files of asv have names of their own, at most one directory down.
    path.ends_with(".json") && path.matches('/').count() <= 1
}
