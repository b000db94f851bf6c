//! Whether a program can be given the agent, as far as its file tells.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use object::read::ReadCache;
use object::read::elf::{Dyn, FileHeader, ProgramHeader};
use object::{Endianness, FileKind, elf};
use perflab_control::variable::WHEN;

use crate::failure::Failure;
use crate::terminal;

/// Checks the program of a command. Returns shared objects that have to be loaded before the agent.
///
/// # Errors
/// When it cannot be given the agent, with what to do.
pub fn check(program: &OsStr) -> Result<Vec<OsString>, Failure> {
    let Some(path) = find(program) else {
        // Whoever starts it says so.
        return Ok(Vec::new());
    };
    let refused = |reason: &str| {
        Failure::environment(format!(
            "{} was not started, as it cannot be given the agent: {reason}",
            path.display()
        ))
    };
    if has_more_rights(&path) {
        return Err(refused(
            "it has more rights than its user (setuid or setgid); start it as the user that it becomes",
        ));
    }
    if has_capabilities(&path) {
        return Err(refused(
            "it has capabilities of its own (setcap), so the linker ignores the agent; start it as root, or take them \
             away (setcap -r)",
        ));
    }
    let Ok(file) = File::open(&path) else {
        return Ok(Vec::new());
    };
    let data = ReadCache::new(file);
    match FileKind::parse(&data) {
        Ok(FileKind::Elf32) => {
            return Err(refused("it is a program of 32 bits, and the agent has 64"));
        }
        Ok(FileKind::Elf64) => {}
        // A script, whose interpreter is not looked at.
        _ => return Ok(Vec::new()),
    }
    let Some(needs) = needs(&data) else {
        return Ok(Vec::new());
    };
    if needs.interpreter.contains("ld-musl") {
        return Err(refused(
            "its C library is musl, and the agent needs glibc; build the program with glibc",
        ));
    }
    if needs.is_static() {
        terminal::say(&format!(
            "{} is linked statically, so no agent can be loaded into it: its probes stay off unless it starts an agent \
             itself (docs/probes.md)",
            path.display()
        ));
    }
    // AddressSanitizer ends a program in which its runtime is not the first.
    let is_sanitizer = |name: &&String| name.starts_with("libasan.so");
    let sanitizers = needs.libraries.iter().filter(is_sanitizer);
    Ok(sanitizers.map(OsString::from).collect())
}

/// Says that a filter may be ignored: a program that is linked statically has the agent that it was linked with, and
/// one of an earlier perflab does not know the variable that has the filter.
pub fn say_unfiltered(program: &OsStr) {
    let Some(path) = find(program) else { return };
    let file = File::open(&path).ok();
    let needs = file.and_then(|file| needs(&ReadCache::new(file)));
    let is_static = needs.is_some_and(|needs| needs.is_static());
    // An agent that knows filters has the name of that variable.
    let has_name = || {
        let content = std::fs::read(&path).unwrap_or_default();
        let mut parts = content.windows(WHEN.len());
        parts.any(|part| part == WHEN.as_bytes())
    };
    if is_static && !has_name() {
        terminal::say(&format!(
            "{} has no agent that knows filters; one of an earlier perflab takes all events of its probes: link the \
             program again with this perflab's agent",
            path.display()
        ));
    }
}

/// The file that a program is in, if there is one.
pub fn find(program: &OsStr) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_else(|| "/usr/bin:/bin".into());
    perflab_machine::resolve_in_path(program, Path::new(""), &path)
}

fn has_more_rights(path: &Path) -> bool {
    let Ok(about) = path.metadata() else {
        return false;
    };
    let user = rustix::process::geteuid().as_raw();
    let group = rustix::process::getegid().as_raw();
    (about.mode() & 0o4000 != 0 && about.uid() != user)
        || (about.mode() & 0o2010 == 0o2010 && about.gid() != group)
}

/// Whether the kernel gives it capabilities that its user does not have.
fn has_capabilities(path: &Path) -> bool {
    !rustix::process::getuid().is_root()
        && rustix::fs::getxattr(path, "security.capability", &mut [0; 24]).is_ok()
}

/// What a program asks its linker for.
struct Needs {
    interpreter: String,
    libraries: Vec<String>,
    /// Whether it is a library too, as the linker itself is, which can be called as a program.
    is_library: bool,
}

impl Needs {
    /// Whether it has no linker, which would load the agent.
    fn is_static(&self) -> bool {
        self.interpreter.is_empty() && !self.is_library
    }
}

/// Nothing of what cannot be read.
fn needs(data: &ReadCache<File>) -> Option<Needs> {
    let header = elf::FileHeader64::<Endianness>::parse(data).ok()?;
    let endian = header.endian().ok()?;
    let segments = header.program_headers(endian, data).ok()?;
    let mut needs = Needs {
        interpreter: String::new(),
        libraries: Vec::new(),
        is_library: false,
    };
    for segment in segments {
        if let Ok(Some(interpreter)) = segment.interpreter(endian, data) {
            needs.interpreter = String::from_utf8_lossy(interpreter).into_owned();
        }
    }
    let mut dynamic = segments
        .iter()
        .filter_map(|segment| segment.dynamic(endian, data).ok()?);
    let dynamic = dynamic.next().unwrap_or_default();
    let value = |tag: elf::DynamicTag| {
        let mut entries = dynamic.iter();
        let entry = entries.find(|entry| entry.tag(endian) == tag)?;
        Some(entry.d_val(endian))
    };
    needs.is_library = value(elf::DT_SONAME).is_some();
    let (Some(address), Some(size)) = (value(elf::DT_STRTAB), value(elf::DT_STRSZ)) else {
        return Some(needs);
    };
    let strings = segments.iter().find_map(|segment| {
        let found = segment.data_range(endian, data, address, size);
        found.ok()?
    })?;
    for entry in dynamic {
        if entry.tag(endian) == elf::DT_NEEDED {
            let begin = usize::try_from(entry.d_val(endian)).ok()?;
            let name = strings.get(begin..)?.split(|byte| *byte == 0).next()?;
            needs
                .libraries
                .push(String::from_utf8_lossy(name).into_owned());
        }
    }
    Some(needs)
}
