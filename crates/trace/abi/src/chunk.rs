//! The frame of what a trace consists of, in a file and in what an agent leaves of its process.
//!
//! A trace is a sequence of chunks. Each has a head of [`CHUNK_HEAD`] bytes, then its content. Numbers are
//! little-endian.
//!
//! | bytes | |
//! |---|---|
//! | 0..4 | `PFLC` |
//! | 4..6 | the kind, a [`ChunkKind`] |
//! | 6..8 | the version of that kind |
//! | 8..12 | bytes of the content |
//! | 12..16 | CRC-32 (as in zlib) of bytes 4..12 and the content |
//!
//! A reader skips kinds, and versions of kinds, that it does not know. What follows the last whole chunk was cut
//! off; what follows [`ChunkKind::END`] is no part of the trace.

use core::fmt;

/// The first four bytes of each chunk.
pub const CHUNK_MAGIC: [u8; 4] = *b"PFLC";

/// Bytes before a chunk's content.
pub const CHUNK_HEAD: usize = 16;

/// Most bytes of a chunk's content.
pub const LONGEST_CHUNK: u32 = 16 * 1024 * 1024;

/// What a chunk is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ChunkKind(pub u16);

impl ChunkKind {
    /// A process.
    pub const PROCESS: Self = Self(1);
    /// A probe, by its description.
    pub const PROBE: Self = Self(2);
    /// A thread.
    pub const THREAD: Self = Self(3);
    /// Clocks that were read together.
    pub const CLOCK_SNAPSHOT: Self = Self(4);
    /// Events of one thread.
    pub const EVENTS: Self = Self(5);
    /// The machine.
    pub const MACHINE: Self = Self(6);
    /// What recording an event costs.
    pub const COST: Self = Self(7);
    /// The end, of a trace that was not cut.
    pub const END: Self = Self(8);
    /// Events that a process could not keep.
    pub const LOSSES: Self = Self(9);
    /// A time up to which all is written.
    pub const WATERMARK: Self = Self(10);
    /// A time from which on events of a process are in order.
    pub const ORDER: Self = Self(11);

    /// Whether contents of this kind and version are as this crate describes them. All kinds have version 1, and
    /// [`ChunkKind::PROBE`] has version 2 as well.
    pub fn has_version(self, version: u16) -> bool {
        version == 1 || (version == 2 && self == Self::PROBE)
    }
}

/// A chunk's head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChunkHead {
    /// What it is about.
    pub kind: ChunkKind,
    /// Of that kind.
    pub version: u16,
    /// Bytes of the content.
    pub length: u32,
    /// CRC-32 of kind, version, length and content.
    pub check: u32,
}

/// Why a chunk cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChunkError {
    /// It does not begin with [`CHUNK_MAGIC`].
    Magic,
    /// It is said to be longer than [`LONGEST_CHUNK`].
    TooLong(u32),
    /// Its content is not what was written.
    Check,
}

impl fmt::Display for ChunkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Magic => f.write_str("no chunk of a trace begins here"),
            Self::TooLong(length) => write!(
                f,
                "a chunk is said to have {length} bytes, at most {LONGEST_CHUNK} are allowed"
            ),
            Self::Check => f.write_str("a chunk's content has been changed"),
        }
    }
}

impl core::error::Error for ChunkError {}

impl ChunkHead {
    /// Of a content.
    ///
    /// # Errors
    /// When it is longer than [`LONGEST_CHUNK`].
    pub fn of(kind: ChunkKind, version: u16, content: &[u8]) -> Result<Self, ChunkError> {
        let length = u32::try_from(content.len()).unwrap_or(u32::MAX);
        if length > LONGEST_CHUNK {
            return Err(ChunkError::TooLong(length));
        }
        let check = checksum(kind, version, content);
        Ok(Self {
            kind,
            version,
            length,
            check,
        })
    }

    /// As it is written.
    pub fn encode(self) -> [u8; CHUNK_HEAD] {
        let mut bytes = [0; CHUNK_HEAD];
        bytes[..4].copy_from_slice(&CHUNK_MAGIC);
        bytes[4..6].copy_from_slice(&self.kind.0.to_le_bytes());
        bytes[6..8].copy_from_slice(&self.version.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.length.to_le_bytes());
        bytes[12..].copy_from_slice(&self.check.to_le_bytes());
        bytes
    }

    /// Reads a head.
    ///
    /// # Errors
    /// When it is none.
    pub fn decode(bytes: &[u8; CHUNK_HEAD]) -> Result<Self, ChunkError> {
        let [
            m0,
            m1,
            m2,
            m3,
            k0,
            k1,
            v0,
            v1,
            l0,
            l1,
            l2,
            l3,
            c0,
            c1,
            c2,
            c3,
        ] = *bytes;
        if [m0, m1, m2, m3] != CHUNK_MAGIC {
            return Err(ChunkError::Magic);
        }
        let length = u32::from_le_bytes([l0, l1, l2, l3]);
        if length > LONGEST_CHUNK {
            return Err(ChunkError::TooLong(length));
        }
        Ok(Self {
            kind: ChunkKind(u16::from_le_bytes([k0, k1])),
            version: u16::from_le_bytes([v0, v1]),
            length,
            check: u32::from_le_bytes([c0, c1, c2, c3]),
        })
    }

    /// Whether a content is the one that this head was written for.
    ///
    /// # Errors
    /// When it is not.
    pub fn verify(&self, content: &[u8]) -> Result<(), ChunkError> {
        if checksum(self.kind, self.version, content) == self.check {
            Ok(())
        } else {
            Err(ChunkError::Check)
        }
    }
}

fn checksum(kind: ChunkKind, version: u16, content: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&kind.0.to_le_bytes());
    hasher.update(&version.to_le_bytes());
    let length = u32::try_from(content.len()).unwrap_or(u32::MAX);
    hasher.update(&length.to_le_bytes());
    hasher.update(content);
    hasher.finalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let head = ChunkHead::of(ChunkKind::PROBE, 1, b"text").unwrap();
        let read = ChunkHead::decode(&head.encode()).unwrap();
        assert_eq!(read, head);
        assert_eq!(read.verify(b"text"), Ok(()));
        assert_eq!(read.verify(b"texs"), Err(ChunkError::Check));
        assert_eq!(read.verify(b"tex"), Err(ChunkError::Check));
        let other = ChunkHead {
            kind: ChunkKind::END,
            ..head
        };
        assert_eq!(other.verify(b"text"), Err(ChunkError::Check));
    }

    #[test]
    fn what_is_no_head() {
        let head = ChunkHead::of(ChunkKind::PROBE, 1, b"").unwrap();
        let mut bytes = head.encode();
        bytes[11] = 0xff;
        assert_eq!(
            ChunkHead::decode(&bytes),
            Err(ChunkError::TooLong(0xff00_0000))
        );
        bytes[0] = b'Q';
        assert_eq!(ChunkHead::decode(&bytes), Err(ChunkError::Magic));
    }
}
