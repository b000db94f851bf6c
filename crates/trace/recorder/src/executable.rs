//! The probes of a program or shared object, read from its file: nothing of it has to run.
//!
//! The sites are in the section `perflab_sites`, what they are called in `perflab_text`. A file may be anybody's, so
//! nothing in it is believed.

use std::collections::BTreeSet;
use std::ffi::CStr;
use std::fs::File;
use std::io;
use std::mem::offset_of;
use std::path::{Path, PathBuf};

use object::LittleEndian;
use object::elf::{ET_REL, FileHeader64};
use object::read::ReadCache;
use object::read::elf::{FileHeader, SectionHeader};
use perflab_abi::{Description, Site, VERSION};

/// A probe of a file, however many sites it has there.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileProbe {
    /// Who offers it.
    pub provider: String,
    /// What it is called there.
    pub name: String,
    /// Types and names of its arguments.
    pub arguments: Vec<(String, String)>,
}

/// What a file has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileProbes {
    /// Its probes, by provider and name.
    pub probes: BTreeSet<FileProbe>,
    /// Why some of its sites cannot be read.
    pub problems: BTreeSet<String>,
}

/// Why the probes of a file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum FileProbesError {
    /// The file cannot be read.
    #[error("cannot read {path}: {error}")]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// It is something else.
    #[error("{0} is no program or shared object: expected an ELF file of 64 bits")]
    NoProgram(PathBuf),
    /// It is not linked.
    #[error(
        "{0} is not linked yet: expected the program or shared object that it becomes a part of"
    )]
    NotLinked(PathBuf),
    /// What it says of itself does not fit.
    #[error("the probes of {path} cannot be read: {reason}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What does not fit.
        reason: String,
    },
}

const CUT: &str = "its last site is cut short";

/// A section: its address in memory, and what is in it.
type Section<'d> = (u64, &'d [u8]);

/// The probes of a file; none if it has no sites.
///
/// # Errors
/// When it cannot be read, or is no program or shared object.
pub fn file_probes(path: &Path) -> Result<FileProbes, FileProbesError> {
    let own = || path.to_owned();
    let file = open(path).map_err(|error| FileProbesError::Read { path: own(), error })?;
    let file = file.ok_or_else(|| FileProbesError::NoProgram(own()))?;
    let data = ReadCache::new(file);
    let header = FileHeader64::<LittleEndian>::parse(&data)
        .map_err(|_| FileProbesError::NoProgram(own()))?;
    let endian = header
        .endian()
        .map_err(|_| FileProbesError::NoProgram(own()))?;
    if header.e_type(endian) == ET_REL {
        return Err(FileProbesError::NotLinked(own()));
    }
    let damaged = |reason: String| FileProbesError::Damaged {
        path: own(),
        reason,
    };
    let of_object = |error: object::Error| damaged(error.to_string());
    let Some(sites) = section(header, &data, b"perflab_sites").map_err(of_object)? else {
        return Ok(FileProbes::default());
    };
    let texts = section(header, &data, b"perflab_text").map_err(of_object)?;
    probes(sites, texts.unwrap_or_default()).map_err(damaged)
}

/// Opens a file; nothing if it is a directory, a pipe or a device, of which the last two may never end.
fn open(path: &Path) -> io::Result<Option<File>> {
    if path.metadata()?.is_file() {
        File::open(path).map(Some)
    } else {
        Ok(None)
    }
}

fn section<'d>(
    header: &FileHeader64<LittleEndian>,
    data: &'d ReadCache<File>,
    name: &[u8],
) -> object::Result<Option<Section<'d>>> {
    let endian = header.endian()?;
    let sections = header.sections(endian, data)?;
    let Some((_, section)) = sections.section_by_name(endian, name) else {
        return Ok(None);
    };
    let content = section.data(endian, data)?;
    Ok(Some((section.sh_addr(endian), content)))
}

fn probes(sites: Section<'_>, texts: Section<'_>) -> Result<FileProbes, String> {
    let mut found = FileProbes::default();
    let (address, content) = sites;
    let mut at = 0;
    while at < content.len() {
        let number = |offset: usize| bytes(content, at + offset).map(u16::from_le_bytes);
        let version = number(offset_of!(Site, version)).ok_or(CUT)?;
        let size = number(offset_of!(Site, size)).ok_or(CUT)?;
        if version != VERSION || usize::from(size) < size_of::<Site>() {
            return Err(format!(
                "a site is of version {version} with {size} bytes, this perflab knows version {VERSION} with {}",
                size_of::<Site>()
            ));
        }
        let end = at + usize::from(size);
        if end > content.len() {
            return Err(CUT.to_owned());
        }
        let field = at + offset_of!(Site, text);
        let distance = bytes(content, field).map_or(0, i64::from_le_bytes);
        let text_at = address
            .wrapping_add(field as u64)
            .wrapping_add_signed(distance);
        match described(texts, text_at) {
            Ok(probe) => {
                found.probes.insert(probe);
            }
            Err(problem) => {
                found.problems.insert(problem);
            }
        }
        at = end;
    }
    Ok(found)
}

fn described(texts: Section<'_>, address: u64) -> Result<FileProbe, String> {
    let text = text(texts, address).ok_or("a site has no description")?;
    let description = Description::parse(text).map_err(|error| {
        let shown = text.replace('\n', " ");
        format!("a site cannot be read: {error}: {shown:?}")
    })?;
    let arguments = description.arguments();
    Ok(FileProbe {
        provider: description.provider.to_owned(),
        name: description.name.to_owned(),
        arguments: arguments
            .map(|argument| (argument.kind_text.to_owned(), argument.name.to_owned()))
            .collect(),
    })
}

/// The text at an address, up to its zero.
fn text((begin, content): Section<'_>, address: u64) -> Option<&str> {
    let at = usize::try_from(address.checked_sub(begin)?).ok()?;
    let text = CStr::from_bytes_until_nul(content.get(at..)?).ok()?;
    text.to_str().ok()
}

fn bytes<const N: usize>(content: &[u8], at: usize) -> Option<[u8; N]> {
    content.get(at..at.checked_add(N)?)?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXTS: u64 = 0x1000;
    const SITES: u64 = 0x2000;

    /// A section of sites whose texts begin at these places of the other section.
    fn sites(places: &[u64]) -> Vec<u8> {
        let mut content = Vec::new();
        for place in places {
            let mut site = [0; size_of::<Site>()];
            site[..2].copy_from_slice(&VERSION.to_le_bytes());
            site[2..4].copy_from_slice(&(size_of::<Site>() as u16).to_le_bytes());
            let field = offset_of!(Site, text);
            let own = SITES + (content.len() + field) as u64;
            let distance = (TEXTS + place).wrapping_sub(own);
            site[field..field + 8].copy_from_slice(&distance.to_le_bytes());
            content.extend(site);
        }
        content
    }

    #[test]
    fn sites_of_one_probe_count_once() {
        let texts = b"p\nn\nf\n1\ni32 a\ncstr b\0p\nn\ng\n2\ni32 a\ncstr b\0a\nz\nf\n3\0p\nbad name\nf\n4\0open";
        let second = texts.iter().position(|byte| *byte == 0).unwrap() as u64 + 1;
        let third = second * 2;
        let fourth = third + 8;
        let last = texts.len() as u64 - 4;
        let content = sites(&[0, second, third, fourth, last, 9999]);
        let found = probes((SITES, &content), (TEXTS, texts)).unwrap();
        let names: Vec<String> = found
            .probes
            .iter()
            .map(|probe| {
                format!(
                    "{}:{} {}",
                    probe.provider,
                    probe.name,
                    probe.arguments.len()
                )
            })
            .collect();
        assert_eq!(names, ["a:z 0", "p:n 2"]);
        let problems: Vec<&str> = found.problems.iter().map(String::as_str).collect();
        assert_eq!(problems.len(), 2, "{problems:?}");
        assert!(problems[0].contains("\"p bad name f 4\""), "{problems:?}");
        assert_eq!(problems[1], "a site has no description");
    }

    #[test]
    fn sites_that_do_not_fit() {
        let whole = sites(&[0, 0]);
        let texts = (TEXTS, &b"p\nn\nf\n1\0"[..]);
        let is_damaged = |content: &[u8]| probes((SITES, content), texts).is_err();
        assert!(!is_damaged(&whole));
        for length in 1..whole.len() {
            let is_whole = length == size_of::<Site>();
            assert_eq!(is_damaged(&whole[..length]), !is_whole, "{length}");
        }
        for (at, value) in [(0, 2), (2, 47), (2, 0)] {
            let mut other = whole.clone();
            other[at] = value;
            assert!(is_damaged(&other), "{at} {value}");
        }
    }

    #[test]
    fn files_that_are_none() {
        let error = |path: &str| file_probes(Path::new(path)).unwrap_err().to_string();
        assert!(error("/does/not/exist").starts_with("cannot read /does/not/exist: "));
        for path in [
            "/",
            "/dev/null",
            concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"),
        ] {
            assert!(error(path).contains(" is no program "), "{path}");
        }
    }
}
