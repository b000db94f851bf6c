//! The blocks of a source, one behind the other.

use std::fmt;
use std::io;

use crate::format::{Block, FRAME_BYTES, HEADER_BYTES};
use crate::window::Window;

/// What is wrong at a place of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The file ends within its first line.
    NoHead,
    /// The file ends within the header of a block.
    NoHeader,
    /// There is no header of a block, or it is damaged.
    WrongHeader,
    /// The file ends within a block.
    NoPayload {
        /// Length of the block with its header, in bytes.
        expected: u64,
        /// How many of them are there.
        found: u64,
    },
    /// The payload of a block is damaged.
    WrongPayload,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::NoHead => f.write_str("the file ends within its first line"),
            Self::NoHeader => f.write_str("the file ends within the header of a block"),
            Self::WrongHeader => {
                f.write_str("there is no header of a block, or its checksum is wrong")
            }
            Self::NoPayload { expected, found } => {
                write!(
                    f,
                    "the file ends within a block, which has {found} of {expected} bytes"
                )
            }
            Self::WrongPayload => f.write_str("the checksum of a block is wrong"),
        }
    }
}

/// What is at a place where a block should begin.
#[derive(Debug)]
pub(crate) enum Found<'w> {
    /// A sound block: its description, and its payload.
    Block(Block, &'w [u8]),
    /// The end of the source.
    End,
    /// Something else.
    Bad {
        /// What is wrong.
        fault: Fault,
        /// Where the next block may begin: behind this one if its length can be trusted.
        next: u64,
    },
}

/// Looks at one place of a file with this salt.
///
/// A length is followed only if its header is sound, and only as far as there are bytes.
pub(crate) fn look<'w>(
    window: &'w mut Window<'_>,
    salt: u64,
    offset: u64,
) -> io::Result<Found<'w>> {
    let rest = window.rest(offset);
    let bad = |fault, next| Ok(Found::Bad { fault, next });
    if rest == 0 {
        return Ok(Found::End);
    }
    if rest < HEADER_BYTES as u64 {
        return bad(Fault::NoHeader, window.end());
    }
    let header = window.get(offset, HEADER_BYTES as u64)?;
    let Some(block) = Block::parse(header, salt, offset) else {
        return bad(Fault::WrongHeader, offset + 1);
    };
    let expected = block.bytes();
    if rest < expected {
        let fault = Fault::NoPayload {
            expected,
            found: rest,
        };
        return bad(fault, window.end());
    }
    let next = offset + expected;
    let bytes = window.get(offset, expected)?;
    let (payload, end) = (
        &bytes[HEADER_BYTES..bytes.len() - 1],
        bytes[bytes.len() - 1],
    );
    debug_assert_eq!(payload.len() as u64, expected - FRAME_BYTES);
    if block.fits(payload, end) {
        Ok(Found::Block(block, payload))
    } else {
        bad(Fault::WrongPayload, next)
    }
}
