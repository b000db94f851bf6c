//! Files that a user asks for: there completely or as they were before.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

use crate::failure::Failure;
use crate::terminal;

/// Finds out whether a file could be written, without making it.
///
/// # Errors
/// When it could not.
pub fn check(path: &Path) -> Result<(), Failure> {
    let opened = OpenOptions::new().append(true).open(path);
    let found = opened.map(drop).or_else(|error| match error.kind() {
        ErrorKind::NotFound => access(directory_of(path), Access::WRITE_OK).map_err(Into::into),
        _ => Err(error),
    });
    found.map_err(|error| Failure::usage(cannot_write(path, &error)))
}

/// Writes a file, or standard output for `-`.
///
/// # Errors
/// When it cannot be written to its end. A file that was there before is unchanged then.
pub fn write(path: &Path, text: &str) -> Result<(), Failure> {
    if path == Path::new("-") {
        return terminal::print(text);
    }
    let written = match path.metadata() {
        // A pipe or a device.
        Ok(about) if !about.is_file() => fs::write(path, text),
        // The name of a link stays that of a link.
        Ok(about) => fs::canonicalize(path)
            .and_then(|target| replace(&target, text, Some(about.permissions()))),
        Err(_) => replace(path, text, None),
    };
    written.map_err(|error| match error.kind() {
        ErrorKind::NotFound | ErrorKind::PermissionDenied | ErrorKind::IsADirectory => {
            Failure::usage(cannot_write(path, &error))
        }
        _ => Failure::no_data(cannot_write(path, &error)),
    })
}

/// Writes a file under another name first, then renames it.
fn replace(path: &Path, text: &str, rights: Option<fs::Permissions>) -> io::Result<()> {
    let temporary = temporary(path)?;
    let mut file = match File::create_new(&temporary) {
        // Only the file itself may be written.
        Err(error) if error.kind() == ErrorKind::PermissionDenied && rights.is_some() => {
            return fs::write(path, text);
        }
        created => created?,
    };
    let written = rights
        .map_or(Ok(()), |rights| file.set_permissions(rights))
        .and_then(|()| file.write_all(text.as_bytes()))
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        let _not_there = fs::remove_file(&temporary);
    }
    written
}

fn temporary(path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().ok_or(ErrorKind::IsADirectory)?;
    let mut temporary = std::ffi::OsString::from(".");
    temporary.push(name);
    temporary.push(format!(".partial-{}", std::process::id()));
    Ok(directory_of(path).join(temporary))
}

fn cannot_write(path: &Path, error: &io::Error) -> String {
    format!("cannot write {}: {error}", path.display())
}

fn directory_of(path: &Path) -> &Path {
    let parent = path.parent();
    parent
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}
