//! Reads a trace, chunk after chunk.

use std::fmt;
use std::io::{self, Read};

use perflab_probe_abi::{CHUNK_HEAD, ChunkError, ChunkHead, ChunkKind};

/// A chunk that is whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chunk<'a> {
    /// Where it begins, in bytes from the beginning of the trace.
    pub offset: u64,
    /// What it is about.
    pub kind: ChunkKind,
    /// The version of that kind.
    pub version: u16,
    /// Its content.
    pub content: &'a [u8],
}

/// Where a trace can no longer be read, though its end has not come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    /// Bytes before the chunk that cannot be read.
    pub offset: u64,
    /// Why it cannot.
    pub reason: CutReason,
}

/// Why a chunk cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CutReason {
    /// There is nothing more, and the last chunk is not that of the end.
    NoEnd,
    /// The trace ends within the chunk.
    Short,
    /// What is there is no chunk, or not the one that was written.
    Broken(ChunkError),
    /// Reading failed.
    Failed(String),
}

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let offset = self.offset;
        match &self.reason {
            CutReason::NoEnd => write!(f, "the trace stops after byte {offset}, without its end"),
            CutReason::Short => {
                write!(
                    f,
                    "the trace stops within the chunk that begins at byte {offset}"
                )
            }
            CutReason::Broken(error) => write!(f, "at byte {offset}: {error}"),
            CutReason::Failed(error) => write!(f, "at byte {offset}: cannot read: {error}"),
        }
    }
}

/// The chunks of a trace, up to its end or to the first that cannot be read.
///
/// A chunk is the most that is in memory. What a length says is believed only as far as bytes arrive.
#[derive(Debug)]
pub struct ChunkReader<R> {
    from: R,
    offset: u64,
    content: Vec<u8>,
    end: Option<Result<(), Cut>>,
}

impl<R: Read> ChunkReader<R> {
    /// Begins at the first chunk.
    pub fn new(from: R) -> Self {
        Self {
            from,
            offset: 0,
            content: Vec::new(),
            end: None,
        }
    }

    /// The next chunk; nothing if the last one was that of the end, or if none can be read.
    #[expect(
        clippy::should_implement_trait,
        reason = "a chunk is borrowed from the reader, which no iterator can do"
    )]
    pub fn next(&mut self) -> Option<Chunk<'_>> {
        if self.end.is_some() {
            return None;
        }
        let offset = self.offset;
        match self.read() {
            Ok(head) => {
                self.offset += (CHUNK_HEAD + self.content.len()) as u64;
                if head.kind == ChunkKind::END {
                    self.end = Some(Ok(()));
                }
                Some(Chunk {
                    offset,
                    kind: head.kind,
                    version: head.version,
                    content: &self.content,
                })
            }
            Err(reason) => {
                self.end = Some(Err(Cut { offset, reason }));
                None
            }
        }
    }

    /// Bytes of the chunks that were read.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Why there are no more chunks; nothing while there may be some, and if the trace came to its end.
    pub fn cut(&self) -> Option<&Cut> {
        self.end.as_ref()?.as_ref().err()
    }

    fn read(&mut self) -> Result<ChunkHead, CutReason> {
        self.fill(CHUNK_HEAD)?;
        if self.content.is_empty() {
            return Err(CutReason::NoEnd);
        }
        let head = self.content.first_chunk().ok_or(CutReason::Short)?;
        let head = ChunkHead::decode(head).map_err(CutReason::Broken)?;
        let length = head.length as usize;
        self.fill(length)?;
        if self.content.len() < length {
            return Err(CutReason::Short);
        }
        head.verify(&self.content).map_err(CutReason::Broken)?;
        Ok(head)
    }

    /// Reads so many bytes, or those that are left. The memory grows with what arrives.
    fn fill(&mut self, length: usize) -> Result<(), CutReason> {
        self.content.clear();
        let mut part = (&mut self.from).take(length as u64);
        let read: io::Result<usize> = part.read_to_end(&mut self.content);
        read.map(drop)
            .map_err(|error| CutReason::Failed(error.to_string()))
    }
}
