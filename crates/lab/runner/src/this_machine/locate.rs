//! Finds the program of a command as the kernel does, and names the file that is missing.

use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use perflab_drivers::package;
use perflab_machine::{interpreter, is_executable, places_in_path, resolve_in_path};

/// The file that a command starts from this directory, with this `PATH`.
///
/// # Errors
/// What is in the way, in words, and what to do about it.
pub fn locate(program: &OsStr, directory: &Path, path: &OsStr) -> Result<PathBuf, String> {
    if let Some(why) = no_directory(directory) {
        return Err(why);
    }
    let found = if program.to_string_lossy().contains('/') {
        named(program, directory)?
    } else {
        in_path(program, directory, path)?
    };
    match interpreter(&found) {
        Some(interpreter) if !directory.join(&interpreter).exists() => Err(format!(
            "{} is there, but what runs it is not: {interpreter}, {}",
            found.display(),
            if is_script(&found) {
                "the interpreter in its first line; install it, or mend that line"
            } else {
                "its dynamic linker; is it a program for this system?"
            }
        )),
        None if is_unmarked_script(&found) => Err(format!(
            "{} is text without an interpreter in its first line; write that line, as #!/bin/sh",
            found.display()
        )),
        _ => Ok(found),
    }
}

/// Why nothing can be started from a directory, if so.
pub(crate) fn no_directory(directory: &Path) -> Option<String> {
    let what = match (directory.is_dir(), directory.exists()) {
        (true, _) => return None,
        (_, true) => "is no directory",
        (_, false) => "does not exist",
    };
    Some(format!(
        "its working directory {} {what}; create it, or change `directory`",
        directory.display()
    ))
}

/// A program by its path.
fn named(program: &OsStr, directory: &Path) -> Result<PathBuf, String> {
    let file = directory.join(program);
    let shown = file.display();
    if is_executable(&file) {
        return Ok(file);
    }
    Err(match fs::metadata(&file) {
        Ok(metadata) if metadata.is_file() => {
            format!("{shown} is not executable; `chmod +x` makes it so")
        }
        Ok(_) => format!("{shown} is no file"),
        Err(_) if Path::new(program).is_relative() => format!(
            "there is no file {shown}; a relative path begins in the working directory, and \
             {{experiment}} is the directory of the experiment file"
        ),
        Err(_) => format!("there is no file {shown}"),
    })
}

/// A program by its name.
fn in_path(program: &OsStr, directory: &Path, path: &OsStr) -> Result<PathBuf, String> {
    let name = program.to_string_lossy();
    if let Some(found) = resolve_in_path(program, directory, path) {
        return Ok(found);
    }
    let mut places = places_in_path(program, directory, path);
    if let Some(file) = places.find(|file| file.is_file()) {
        return Err(format!(
            "{} is not executable; `chmod +x` makes it so",
            file.display()
        ));
    }
    let package = package(&name).map_or_else(String::new, |package| {
        format!(" (on Debian, the package {package})")
    });
    Err(format!(
        "it is in no directory of PATH ({}); install it{package}, or give its full path",
        path.to_string_lossy()
    ))
}

fn is_script(file: &Path) -> bool {
    start(file).is_some_and(|start| start.starts_with(b"#!"))
}

/// Whether a file is text that only a shell would execute: the kernel refuses it (ENOEXEC). What is
/// no text may be of a format that the kernel was told of (binfmt_misc).
fn is_unmarked_script(file: &Path) -> bool {
    let is_text = |byte: &u8| *byte >= b' ' || byte.is_ascii_whitespace();
    start(file).is_some_and(|start| !start.starts_with(b"#!") && start.iter().all(is_text))
}

/// The first bytes of a file that can be read.
fn start(file: &Path) -> Option<Vec<u8>> {
    let mut start = Vec::new();
    let file = fs::File::open(file).ok()?;
    file.take(256).read_to_end(&mut start).ok()?;
    Some(start)
}
