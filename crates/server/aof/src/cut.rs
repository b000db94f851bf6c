//! The end of a log that is no block is kept in a file beside it, and then cut off.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::blocks::Fault;
use crate::medium::Medium;
use crate::place::{Place, create};
use crate::replay::Torn;

/// How much is copied at once, in bytes.
const STEP_BYTES: usize = 64 << 10;

/// What was cut off a log as it was opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// Where it began, in bytes: the length of the log now.
    pub offset: u64,
    /// Its length, in bytes.
    pub bytes: u64,
    /// What was wrong there.
    pub fault: Fault,
    /// The file that has it now.
    pub kept: PathBuf,
}

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self {
            offset,
            bytes,
            fault,
            kept,
        } = self;
        let unit = if *bytes == 1 { "byte" } else { "bytes" };
        let kept = kept.display();
        write!(
            f,
            "the last {bytes} {unit}, from byte {offset} on, were cut off, as {fault}; {kept} has them"
        )
    }
}

/// Cuts off what is torn, once it is in a file beside the log. If that fails, the log is as it was.
pub(crate) fn keep_and_cut(place: &Place, medium: &dyn Medium, torn: &Torn) -> io::Result<Cut> {
    let (kept, mut file) = free(place, torn.offset)?;
    let copied = copy(medium, torn, &mut file).and_then(|()| place.sync_directory());
    if let Err(error) = copied {
        let _left_behind = fs::remove_file(&kept);
        return Err(error);
    }
    medium.cut(torn.offset)?;
    medium.sync()?;
    Ok(Cut {
        offset: torn.offset,
        bytes: torn.bytes,
        fault: torn.fault,
        kept,
    })
}

/// A file with a name that is free: a log may be cut at the same place twice.
fn free(place: &Place, offset: u64) -> io::Result<(PathBuf, File)> {
    let mut number = 1_u32;
    loop {
        let path = match number {
            1 => place.beside(&format!(".cut-{offset}")),
            _ => place.beside(&format!(".cut-{offset}-{number}")),
        };
        match create(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Ok(file) => return Ok((path, file)),
            Err(error) => return Err(named(&path, &error)),
        }
    }
}

/// The error of a file that is not the log.
fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

fn copy(medium: &dyn Medium, torn: &Torn, file: &mut File) -> io::Result<()> {
    let mut buffer = vec![0; STEP_BYTES];
    let (mut at, end) = (torn.offset, torn.offset + torn.bytes);
    while at < end {
        let wanted = (end - at).min(STEP_BYTES as u64) as usize;
        match medium.read_from(at, &mut buffer[..wanted]) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => {
                file.write_all(&buffer[..count])?;
                at += count as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    file.sync_all()
}
