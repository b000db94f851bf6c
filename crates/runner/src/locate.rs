//! Finds the program of a command as the kernel does, and names the file that is missing.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use perflab_drivers::package;
use perflab_machine::{interpreter, is_executable, places_in_path};

/// The file that a command starts from this directory, with this `PATH`.
///
/// # Errors
/// What is in the way, in words, and what to do about it.
pub fn locate(program: &OsStr, directory: &Path, path: &OsStr) -> Result<PathBuf, String> {
    if !directory.is_dir() {
        let what = if directory.exists() {
            "is no directory"
        } else {
            "does not exist"
        };
        return Err(format!(
            "its working directory {} {what}; create it, or change `directory`",
            directory.display()
        ));
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
        _ => Ok(found),
    }
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
    let places = places_in_path(program, directory, path);
    if let Some(found) = places.iter().find(|file| is_executable(file)) {
        return Ok(found.clone());
    }
    if let Some(file) = places.iter().find(|file| file.is_file()) {
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
    use std::io::Read;
    let mut start = [0; 2];
    fs::File::open(file).is_ok_and(|mut file| file.read_exact(&mut start).is_ok())
        && start == *b"#!"
}
