//! Files that a user asks for: there completely or as they were before.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

use crate::failure::{Failure, is_disk_full};
use crate::terminal;

/// Links that are followed one after the other, as the kernel does.
const MOST_LINKS: usize = 40;

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
    write_bytes(path, text.as_bytes())
}

/// As [`write()`], of any bytes.
///
/// # Errors
/// As [`write()`].
pub fn write_bytes(path: &Path, content: &[u8]) -> Result<(), Failure> {
    if path == Path::new("-") {
        return terminal::print_bytes(content);
    }
    let written = match path.metadata() {
        // A pipe or a device.
        Ok(about) if !about.is_file() => fs::write(path, content),
        Ok(about) => {
            target_of(path).and_then(|target| replace(&target, content, Some(about.permissions())))
        }
        Err(_) => target_of(path).and_then(|target| replace(&target, content, None)),
    };
    written.map_err(|error| match error.kind() {
        ErrorKind::NotFound
        | ErrorKind::PermissionDenied
        | ErrorKind::IsADirectory
        | ErrorKind::NotADirectory
        | ErrorKind::ReadOnlyFilesystem
        | ErrorKind::InvalidFilename => Failure::usage(cannot_write(path, &error)),
        _ => Failure::no_data(cannot_write(path, &error)),
    })
}

/// Where a path leads: the name of a link stays that of a link, even if there is nothing yet where it leads.
fn target_of(path: &Path) -> io::Result<PathBuf> {
    let mut target = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(next) = target.read_link() else {
            return Ok(target);
        };
        target = directory_of(&target).join(next);
    }
    let reason = "its links lead in a circle";
    Err(io::Error::new(ErrorKind::InvalidFilename, reason))
}

/// Writes a file under another name first, then renames it. One that was there, with these rights, may be all that can
/// be written, as where it is mounted by itself: it is written in place then.
fn replace(path: &Path, content: &[u8], rights: Option<fs::Permissions>) -> io::Result<()> {
    if path.file_name().is_none() {
        return Err(ErrorKind::IsADirectory.into());
    }
    let is_there = rights.is_some();
    let temporary = directory_of(path).join(format!(".perflab-{}.partial", std::process::id()));
    let mut file = match File::create_new(&temporary) {
        Err(error) if is_there && !is_disk_full(&error) => return fs::write(path, content),
        created => created?,
    };
    let written = rights
        .map_or(Ok(()), |rights| file.set_permissions(rights))
        .and_then(|()| file.write_all(content))
        .and_then(|()| file.sync_all());
    let replaced = written.and_then(|()| match fs::rename(&temporary, path) {
        Err(_) if is_there => fs::write(path, content),
        renamed => renamed,
    });
    // What was renamed is not there any more.
    let _left = fs::remove_file(&temporary);
    replaced
}

fn cannot_write(path: &Path, error: &io::Error) -> String {
    format!("cannot write {}: {error}", path.display())
}

/// The directory that a file is in, or would be.
pub fn directory_of(path: &Path) -> &Path {
    let parent = path.parent();
    parent
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}
