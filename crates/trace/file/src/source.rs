//! The bytes of a trace, which several read at the same time.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::os::unix::fs::FileExt;

use crate::read::ChunkReader;

/// Where a trace is read from, as often as needed.
#[derive(Debug)]
pub enum Source {
    /// A file.
    File(File),
    /// Memory.
    Bytes(Vec<u8>),
}

impl Source {
    /// Bytes; 0 if nobody knows.
    pub fn size(&self) -> u64 {
        match self {
            Self::File(file) => file.metadata().map_or(0, |metadata| metadata.len()),
            Self::Bytes(bytes) => bytes.len() as u64,
        }
    }

    /// The chunks of the first so many bytes.
    pub fn chunks(&self, length: u64) -> Chunks<'_> {
        let from = From {
            source: self,
            offset: 0,
        };
        ChunkReader::new(BufReader::with_capacity(1 << 16, from).take(length))
    }
}

/// The chunks of a source.
pub type Chunks<'t> = ChunkReader<io::Take<BufReader<From<'t>>>>;

/// A source, and how far it was read: several may read at the same time.
#[derive(Debug)]
pub struct From<'t> {
    source: &'t Source,
    offset: u64,
}

impl Read for From<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = match self.source {
            Source::File(file) => file.read_at(buffer, self.offset)?,
            Source::Bytes(bytes) => {
                let offset = usize::try_from(self.offset).unwrap_or(usize::MAX);
                let mut rest = bytes.get(offset..).unwrap_or_default();
                rest.read(buffer)?
            }
        };
        self.offset += read as u64;
        Ok(read)
    }
}
