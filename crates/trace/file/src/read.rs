//! Reads a trace, chunk after chunk.

use std::fmt;
use std::io::{self, Read};

use perflab_abi::{CHUNK_HEAD, CHUNK_MAGIC, ChunkError, ChunkHead, ChunkKind};

/// A chunk that is whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chunk<'a> {
    /// Where it begins, in bytes from the beginning of the trace.
    pub offset: u64,
    /// What it is about.
    pub kind: ChunkKind,
    /// The version of that kind.
    pub version: u16,
    /// How many [`Gap`]s come before it.
    pub gaps: u64,
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
            CutReason::Broken(error) => {
                write!(f, "nothing can be read from byte {offset} on: {error}")
            }
            CutReason::Failed(error) => write!(f, "at byte {offset}: cannot read: {error}"),
        }
    }
}

/// Bytes in the middle of a trace that are no chunk, or not the one that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gap {
    /// Bytes before it.
    pub offset: u64,
    /// How many bytes, up to the next chunk.
    pub length: u64,
    /// Why what begins there cannot be read.
    pub reason: CutReason,
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { offset, length, .. } = self;
        let (bytes, were) = match length {
            1 => ("byte", "was"),
            _ => ("bytes", "were"),
        };
        match &self.reason {
            CutReason::Broken(error) => {
                write!(
                    f,
                    "{length} {bytes} from byte {offset} on {were} skipped: {error}"
                )
            }
            _ => write!(f, "{length} {bytes} from byte {offset} on {were} skipped"),
        }
    }
}

/// Gaps that are kept with their places.
const MOST_GAPS: usize = 100;

/// Bytes that are looked through for the first chunk.
const MOST_BEFORE_FIRST: u64 = 1 << 20;

/// Bytes of what looked like chunks and was none, above which nothing is looked for any more: a file that was made to
/// keep a reader busy.
const MOST_TRIED: u64 = 1 << 32;

/// Bytes that are read at once to look through.
const STEP: usize = 64 * 1024;

/// The chunks of a trace, up to its end or to the last that can be read. Behind bytes that are no chunk it goes on with
/// the next whole one.
///
/// In memory are a chunk, or what was taken for one. What a length says is believed only as far as bytes arrive.
#[derive(Debug)]
pub struct ChunkReader<R> {
    from: R,
    /// Bytes before the next chunk.
    offset: u64,
    /// Chunks that were given out, then what was read behind the last of them.
    buffer: Vec<u8>,
    /// Bytes up to the end of the last chunk.
    used: usize,
    gaps: Vec<Gap>,
    gap_count: u64,
    gap_bytes: u64,
    tried: u64,
    end: Option<Result<(), Cut>>,
}

impl<R: Read> ChunkReader<R> {
    /// Begins at the first chunk.
    pub fn new(from: R) -> Self {
        Self {
            from,
            offset: 0,
            buffer: Vec::new(),
            used: 0,
            gaps: Vec::new(),
            gap_count: 0,
            gap_bytes: 0,
            tried: 0,
            end: None,
        }
    }

    /// The next chunk; nothing if the last one was that of the end, or if there is none any more.
    #[expect(
        clippy::should_implement_trait,
        reason = "a chunk is borrowed from the reader, which no iterator can do"
    )]
    pub fn next(&mut self) -> Option<Chunk<'_>> {
        if self.end.is_some() {
            return None;
        }
        // A damaged length may have made it read far ahead: that is not moved for each of the chunks in it.
        if self.used >= self.buffer.len() - self.used {
            self.buffer.drain(..self.used);
            self.used = 0;
        }
        let found = match self.read(self.used) {
            Ok(head) => Ok((0, self.used, head)),
            Err(reason) => self.find(reason),
        };
        let (gap, at, head) = match found {
            Ok(found) => found,
            Err(reason) => {
                let offset = self.offset;
                self.end = Some(Err(Cut { offset, reason }));
                return None;
            }
        };
        if head.kind == ChunkKind::END {
            self.end = Some(Ok(()));
        }
        let offset = self.offset + gap;
        let content = at + CHUNK_HEAD;
        self.used = content + head.length as usize;
        self.offset = offset + u64::from(head.length) + CHUNK_HEAD as u64;
        Some(Chunk {
            offset,
            kind: head.kind,
            version: head.version,
            gaps: self.gap_count,
            content: self.buffer.get(content..self.used)?,
        })
    }

    /// Bytes up to the end of the last chunk.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Why there are no more chunks; nothing while there may be some, and if the trace came to its end.
    pub fn cut(&self) -> Option<&Cut> {
        self.end.as_ref()?.as_ref().err()
    }

    /// The first hundred places between chunks where there was none.
    pub fn gaps(&self) -> &[Gap] {
        &self.gaps
    }

    /// How many of these there are, and their bytes.
    pub fn gap_totals(&self) -> (u64, u64) {
        (self.gap_count, self.gap_bytes)
    }

    /// The head of the chunk that begins at a place of the buffer, if it is whole.
    fn read(&mut self, at: usize) -> Result<ChunkHead, CutReason> {
        self.fill(at + CHUNK_HEAD)?;
        let rest = self.buffer.get(at..).unwrap_or_default();
        if rest.is_empty() {
            return Err(CutReason::NoEnd);
        }
        let head = rest.first_chunk().ok_or(CutReason::Short)?;
        let head = ChunkHead::decode(head).map_err(CutReason::Broken)?;
        let content = at + CHUNK_HEAD..at + CHUNK_HEAD + head.length as usize;
        self.fill(content.end)?;
        let content = self.buffer.get(content).ok_or(CutReason::Short)?;
        head.verify(content).map_err(CutReason::Broken)?;
        Ok(head)
    }

    /// The next whole chunk behind what cannot be read for this reason: how many bytes come before it, its place in the
    /// buffer, and its head. If there is none, that is why.
    fn find(&mut self, reason: CutReason) -> Result<(u64, usize, ChunkHead), CutReason> {
        if matches!(reason, CutReason::NoEnd | CutReason::Failed(_)) {
            return Err(reason);
        }
        let most = match self.offset {
            0 => MOST_BEFORE_FIRST,
            _ => u64::MAX,
        };
        let mut begin = self.used;
        let mut before = 0;
        let mut at = begin + 1;
        while before <= most && self.tried <= MOST_TRIED {
            self.fill(at + STEP)?;
            let rest = self.buffer.get(at..).unwrap_or_default();
            let mut places = rest.windows(CHUNK_MAGIC.len());
            let Some(next) = places.position(|bytes| bytes == CHUNK_MAGIC) else {
                if rest.len() < STEP {
                    break;
                }
                // The magic may lie across the end.
                at += rest.len() + 1 - CHUNK_MAGIC.len();
                before += (at - begin) as u64;
                self.buffer.drain(..at);
                (begin, at) = (0, 0);
                continue;
            };
            at += next;
            match self.read(at) {
                Ok(head) => {
                    let gap = before + (at - begin) as u64;
                    self.note(gap, reason);
                    return Ok((gap, at, head));
                }
                Err(CutReason::Failed(error)) => return Err(CutReason::Failed(error)),
                Err(_) => self.tried += (self.buffer.len() - at) as u64,
            }
            at += 1;
        }
        Err(reason)
    }

    fn note(&mut self, length: u64, reason: CutReason) {
        self.gap_count += 1;
        self.gap_bytes += length;
        if self.gaps.len() < MOST_GAPS {
            let offset = self.offset;
            self.gaps.push(Gap {
                offset,
                length,
                reason,
            });
        }
    }

    /// Reads until there are so many bytes, or all that are left. The memory grows with what arrives.
    fn fill(&mut self, length: usize) -> Result<(), CutReason> {
        let missing = length.saturating_sub(self.buffer.len());
        let mut part = (&mut self.from).take(missing as u64);
        let read: io::Result<usize> = part.read_to_end(&mut self.buffer);
        read.map(drop)
            .map_err(|error| CutReason::Failed(error.to_string()))
    }
}
