//! Reads a whole log, and says how it ends.

use std::fmt;
use std::io;

use crate::blocks::{Fault, Found, look};
use crate::format::{HEAD_BYTES, is_known_version, is_unfinished_head, salt, version};
use crate::search::next_sound;
use crate::source::Source;
use crate::window::Window;

/// How far a replay is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Where the block ends that is replayed now, in bytes.
    pub done: u64,
    /// The length of the file, in bytes.
    pub total: u64,
}

/// What a log holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replayed {
    /// How many blocks were replayed.
    pub blocks: u64,
    /// Where the last of them ends, in bytes.
    pub whole: u64,
    /// What is behind it, if anything is.
    pub torn: Option<Torn>,
    /// `None` if there is no first line.
    pub(crate) salt: Option<u64>,
}

/// The end of a log that is no sound block, with none behind it: a write that was cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Torn {
    /// Where it begins, in bytes.
    pub offset: u64,
    /// Its length, in bytes.
    pub bytes: u64,
    /// What is wrong there.
    pub fault: Fault,
}

/// Why a log cannot be replayed.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// It is a file of another program.
    #[error(
        "expected a file that begins with `#perflab-aof 1`, found `{0}`; name another file, or move this one out of \
         the way"
    )]
    Foreign(String),
    /// A later version wrote it.
    #[error(
        "expected version 1 of the format, found version `{0}`; use the version of the server that wrote it"
    )]
    Version(String),
    /// Its first line is damaged, without which no block can be checked.
    #[error(
        "the first line, bytes 0 to 40, is damaged: its checksum is wrong; restore the file from a copy"
    )]
    Head,
    /// A block is damaged, and sound ones are behind it.
    #[error(
        "byte {offset} should begin a block, but {fault}. Byte {next} begins a sound block, so no write was cut off \
         there: the file is damaged. Restore it from a copy; or lose the blocks from there on: copy the file, then \
         `truncate --size={offset}` it"
    )]
    Damaged {
        /// Where it begins, in bytes.
        offset: u64,
        /// What is wrong there.
        fault: Fault,
        /// Where the first sound block behind it begins, in bytes.
        next: u64,
    },
    /// A block is sound, and whoever replays it refuses it.
    #[error("the block at byte {offset} is sound, but cannot be executed: {reason}")]
    Refused {
        /// Where it begins, in bytes.
        offset: u64,
        /// What the callback said.
        reason: String,
    },
    /// It cannot be read.
    #[error("cannot read it: {0}; check the disk")]
    Read(#[from] io::Error),
}

/// Hands each block of a log to `take`, in order, and changes nothing.
///
/// Memory is used for one block at a time, and for no more than the source has. Only sound blocks are handed on, but if
/// a damaged one is found later, those before it were handed on already.
///
/// # Errors
/// If the source is no log of this version, `take` refuses a block, a block is damaged and a sound one is behind it, or
/// the source cannot be read.
pub fn replay<E: fmt::Display>(
    source: &dyn Source,
    mut take: impl FnMut(&[u8], Progress) -> Result<(), E>,
) -> Result<Replayed, ReplayError> {
    let total = source.length()?;
    let mut window = Window::new(source, total);
    let Some(salt) = read_head(&mut window)? else {
        return Ok(without_head(total));
    };
    let mut replayed = Replayed {
        blocks: 0,
        whole: HEAD_BYTES as u64,
        torn: None,
        salt: Some(salt),
    };
    loop {
        let offset = replayed.whole;
        match look(&mut window, salt, offset)? {
            Found::End => return Ok(replayed),
            Found::Block(block, payload) => {
                let done = offset + block.bytes();
                let taken = take(payload, Progress { done, total });
                taken.map_err(|error| ReplayError::Refused {
                    offset,
                    reason: error.to_string(),
                })?;
                replayed.blocks += 1;
                replayed.whole = done;
            }
            Found::Bad { fault, next } => {
                if let Some(next) = next_sound(&mut window, salt, next)? {
                    return Err(ReplayError::Damaged {
                        offset,
                        fault,
                        next,
                    });
                }
                replayed.torn = Some(Torn {
                    offset,
                    bytes: total - offset,
                    fault,
                });
                return Ok(replayed);
            }
        }
    }
}

/// The salt of a log. `None` if the source ends before its first line does.
fn read_head(window: &mut Window<'_>) -> Result<Option<u64>, ReplayError> {
    let is_longer = window.end() > HEAD_BYTES as u64;
    let start = window.get(0, HEAD_BYTES as u64)?;
    if !is_longer && is_unfinished_head(start) {
        return Ok(None);
    }
    let Some(version) = version(start) else {
        return Err(ReplayError::Foreign(shown(start)));
    };
    if !is_known_version(version) {
        return Err(ReplayError::Version(shown(version)));
    }
    let line = start.first_chunk().ok_or(ReplayError::Head)?;
    salt(line).map(Some).ok_or(ReplayError::Head)
}

fn without_head(total: u64) -> Replayed {
    let torn = Torn {
        offset: 0,
        bytes: total,
        fault: Fault::NoHead,
    };
    Replayed {
        blocks: 0,
        whole: 0,
        torn: (total > 0).then_some(torn),
        salt: None,
    }
}

/// The first bytes of something foreign, so that they can be printed.
fn shown(bytes: &[u8]) -> String {
    bytes[..bytes.len().min(24)].escape_ascii().to_string()
}
