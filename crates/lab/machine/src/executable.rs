//! Which program a name stands for.

use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use object::elf::{FileHeader32, FileHeader64, NT_GNU_BUILD_ID};
use object::read::elf::{FileHeader, ProgramHeader};
use object::{Endianness, FileKind, ReadCache};
use rustix::fs::{Access, OFlags};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::source::plain;

/// A program as it lay on the disk: enough to know later whether it was the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Executable {
    /// Its file, with all symbolic links resolved.
    pub path: String,
    /// SHA-256 of the file, in hexadecimal.
    pub sha256: String,
    /// Size of the file.
    pub bytes: u64,
    /// What the kernel starts to run it: the dynamic linker of a program, the interpreter of a script.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interpreter: Option<String>,
    /// The linker's identification of the build (the GNU build ID), in hexadecimal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build_id: Option<String>,
}

/// Why a program could not be identified.
#[derive(Debug, thiserror::Error)]
pub enum ExecutableError {
    /// The file cannot be read.
    #[error("cannot read the program {}: {source}; check the path and its permissions", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It is a directory, a pipe or a device.
    #[error("expected a program, found something else than a regular file at {}; check the path", .0.display())]
    NotAFile(PathBuf),
}

impl Executable {
    /// Identifies the program in a file.
    ///
    /// # Errors
    /// If the path does not lead to a regular file that can be read.
    pub fn of(path: &Path) -> Result<Self, ExecutableError> {
        let failed = |source| ExecutableError::Read {
            path: path.to_owned(),
            source,
        };
        let real = path.canonicalize().map_err(failed)?;
        let mut file = open(&real).map_err(failed)?;
        if !file.metadata().map_err(failed)?.is_file() {
            return Err(ExecutableError::NotAFile(path.to_owned()));
        }
        let (sha256, bytes) = hash(&mut file).map_err(failed)?;
        let (interpreter, build_id) = match script_interpreter(&mut file).map_err(failed)? {
            Some(interpreter) => (Some(interpreter), None),
            None => elf_identity(file),
        };
        Ok(Self {
            path: real.to_string_lossy().into_owned(),
            sha256,
            bytes,
            interpreter,
            build_id,
        })
    }
}

/// Opens a file for reading. A pipe must not make the laboratory wait for a writer.
fn open(path: &Path) -> io::Result<File> {
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    OpenOptions::new().read(true).custom_flags(flags).open(path)
}

/// What the kernel starts to run a program: the interpreter of a script, the dynamic linker of any
/// other. `None` if it needs neither, or cannot be read.
pub fn interpreter(program: &Path) -> Option<String> {
    let mut file = open(program).ok()?;
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    match script_interpreter(&mut file).ok()? {
        Some(interpreter) => Some(interpreter),
        None => elf_identity(file).0,
    }
}

/// SHA-256 in hexadecimal, and the number of bytes it covers.
fn hash(file: &mut File) -> io::Result<(String, u64)> {
    let mut digest = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    let mut bytes = 0;
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            return Ok((hex(&digest.finalize()), bytes));
        }
        digest.update(&buffer[..read]);
        bytes += read as u64;
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The first word behind `#!`, of which the kernel looks at no more than 256 bytes, execve(2).
fn script_interpreter(file: &mut File) -> io::Result<Option<String>> {
    let mut start = Vec::new();
    file.rewind()?;
    file.take(256).read_to_end(&mut start)?;
    let Some(line) = start.strip_prefix(b"#!") else {
        return Ok(None);
    };
    let line = line.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let line = String::from_utf8_lossy(line);
    Ok(line.split_whitespace().next().map(plain))
}

/// Dynamic linker and build ID. What is damaged is as good as absent.
fn elf_identity(file: File) -> (Option<String>, Option<String>) {
    let data = ReadCache::new(file);
    match FileKind::parse(&data) {
        Ok(FileKind::Elf32) => segments::<FileHeader32<Endianness>>(&data),
        Ok(FileKind::Elf64) => segments::<FileHeader64<Endianness>>(&data),
        _ => (None, None),
    }
}

fn segments<Elf: FileHeader<Endian = Endianness>>(
    data: &ReadCache<File>,
) -> (Option<String>, Option<String>) {
    let (mut interpreter, mut build_id) = (None, None);
    let Ok(header) = Elf::parse(data) else {
        return (None, None);
    };
    let Ok(endian) = header.endian() else {
        return (None, None);
    };
    for segment in header.program_headers(endian, data).unwrap_or_default() {
        if let Ok(Some(path)) = segment.interpreter(endian, data) {
            interpreter = Some(plain(&String::from_utf8_lossy(path)));
        }
        let Ok(Some(mut notes)) = segment.notes(endian, data) else {
            continue;
        };
        while let Ok(Some(note)) = notes.next() {
            if note.name() == b"GNU" && note.n_type(endian) == NT_GNU_BUILD_ID {
                build_id = Some(hex(note.desc()));
            }
        }
    }
    (interpreter, build_id)
}

/// The files that a command's name may stand for in a working directory, the first of which that may be executed is
/// started: one in each directory of `PATH`, of which an empty one is the working directory. A name with a slash is
/// itself the path.
pub fn places_in_path<'a>(
    name: &'a OsStr,
    directory: &'a Path,
    path: &'a OsStr,
) -> impl Iterator<Item = PathBuf> + 'a {
    let is_path = name.as_bytes().contains(&b'/');
    let itself = is_path.then(|| directory.join(name));
    let entries = path.as_bytes().split(|&byte| byte == b':');
    let entries = entries.filter(move |_| !is_path && !name.is_empty());
    let places = entries.map(move |entry| {
        // One allocation for each: a search comes before each run of a command.
        let mut place =
            PathBuf::with_capacity(directory.as_os_str().len() + entry.len() + name.len() + 2);
        place.push(directory);
        place.push(OsStr::from_bytes(entry));
        place.push(name);
        place
    });
    itself.into_iter().chain(places)
}

/// The file that is started for a command's name, if one may be executed: see [`places_in_path`].
pub fn resolve_in_path(name: &OsStr, directory: &Path, path: &OsStr) -> Option<PathBuf> {
    places_in_path(name, directory, path).find(|place| is_executable(place))
}

/// Whether a path leads to a file that this user may execute.
pub fn is_executable(path: &Path) -> bool {
    rustix::fs::access(path, Access::EXEC_OK).is_ok() && path.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::process::Command;

    fn write(path: &Path, content: &[u8], mode: u32) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn a_script_through_a_link() {
        let directory = tempfile::tempdir().unwrap();
        let script = directory.path().join("script");
        let link = directory.path().join("link");
        write(&script, b"#! /usr/bin/env  python3\nabc", 0o755);
        std::os::unix::fs::symlink(&script, &link).unwrap();
        let found = Executable::of(&link).unwrap();
        assert_eq!(found.path, script.canonicalize().unwrap().to_str().unwrap());
        assert_eq!(found.bytes, 28);
        assert_eq!(found.interpreter.as_deref(), Some("/usr/bin/env"));
        assert_eq!(found.build_id, None);
    }

    #[test]
    fn the_hash_is_that_of_sha256sum() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("f");
        // The test vector of FIPS 180-4 for "abc".
        write(&path, b"abc", 0o644);
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(Executable::of(&path).unwrap().sha256, expected);
    }

    #[test]
    fn a_program_with_its_dynamic_linker_and_build_id() {
        let this = std::env::current_exe().unwrap();
        let found = Executable::of(&this).unwrap();
        assert!(found.interpreter.unwrap().contains("ld-"));
        // readelf is the oracle.
        perflab_testing::needs("readelf", "binutils");
        let output = Command::new("readelf").arg("-n").arg(&this).output();
        let output = output.unwrap();
        let output = String::from_utf8(output.stdout).unwrap();
        let expected = output
            .lines()
            .find_map(|line| line.trim().strip_prefix("Build ID: "));
        assert!(expected.is_some(), "{output}");
        assert_eq!(found.build_id.as_deref(), expected);
    }

    #[test]
    fn a_damaged_program_is_still_identified() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("damaged");
        let this = fs::read(std::env::current_exe().unwrap()).unwrap();
        for length in (0..512).chain([4096]) {
            write(&path, &this[..length], 0o755);
            assert_eq!(Executable::of(&path).unwrap().bytes, length as u64);
        }
        let mut huge = this[..4096].to_vec();
        // e_phoff, e_phnum and the first program header, all to the brim.
        huge[32..40].fill(0xff);
        huge[56..58].fill(0xff);
        write(&path, &huge, 0o755);
        assert_eq!(Executable::of(&path).unwrap().interpreter, None);
    }

    #[test]
    fn only_files_are_programs() {
        let directory = tempfile::tempdir().unwrap();
        assert!(matches!(
            Executable::of(directory.path()),
            Err(ExecutableError::NotAFile(_))
        ));
        let error = Executable::of(&directory.path().join("none")).unwrap_err();
        assert!(matches!(error, ExecutableError::Read { .. }));
        assert!(error.to_string().contains("none"));
    }

    #[test]
    fn the_path_is_searched_as_a_shell_does() {
        let directory = tempfile::tempdir().unwrap();
        let at = |path: &str| directory.path().join(path);
        write(&at("a/tool"), b"", 0o644);
        fs::create_dir_all(at("b/tool")).unwrap();
        write(&at("c/tool"), b"", 0o755);
        write(&at("d/tool"), b"", 0o755);
        let path = std::env::join_paths(["none", "a", "b", "c", "d"].map(at)).unwrap();
        let found = |name: &str, path: &OsStr| {
            resolve_in_path(OsStr::new(name), &at("d"), path)
                .map(|found| found.canonicalize().unwrap())
        };
        let real = |path: &str| Some(at(path).canonicalize().unwrap());
        assert_eq!(found("tool", &path), real("c/tool"));
        assert_eq!(found("other", &path), None);
        assert_eq!(found("", &path), None);
        let none = OsStr::new("");
        assert_eq!(found(at("c/tool").to_str().unwrap(), none), real("c/tool"));
        assert_eq!(found(at("a/tool").to_str().unwrap(), &path), None);
        // What is relative begins in the working directory.
        for (name, path) in [("tool", ""), ("tool", "none:"), ("./tool", "none")] {
            assert_eq!(found(name, OsStr::new(path)), real("d/tool"), "{path}");
        }
        assert_eq!(found("tool", OsStr::new("../c")), real("c/tool"));
    }
}
