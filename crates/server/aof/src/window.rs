//! The part of a source that is in memory.

use std::io;

use crate::source::Source;

/// How much is read at once, in bytes.
const READ_BYTES: u64 = 256 << 10;

/// A part of a source, up to an end that is fixed: what is appended meanwhile is not seen.
pub(crate) struct Window<'s> {
    source: &'s dyn Source,
    end: u64,
    /// The bytes of the source from `offset` on.
    bytes: Vec<u8>,
    offset: u64,
}

impl<'s> Window<'s> {
    /// Reads nothing yet. `end` is at most the length of the source.
    pub fn new(source: &'s dyn Source, end: u64) -> Self {
        Self {
            source,
            end,
            bytes: Vec::new(),
            offset: 0,
        }
    }

    /// Where the last byte ends.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// How many bytes there are from an offset on.
    pub fn rest(&self, offset: u64) -> u64 {
        self.end.saturating_sub(offset)
    }

    /// These bytes, or those up to the end if there are fewer. Memory is used for bytes that are there, whatever is
    /// asked for.
    pub fn get(&mut self, offset: u64, count: u64) -> io::Result<&[u8]> {
        let count = count.min(self.rest(offset));
        let has = (self.offset..=self.offset + self.bytes.len() as u64).contains(&offset)
            && offset + count <= self.offset + self.bytes.len() as u64;
        if !has {
            self.fill(offset, count.max(READ_BYTES).min(self.rest(offset)))?;
        }
        // Both fit in memory, as the bytes between them do.
        let start = (offset - self.offset) as usize;
        Ok(&self.bytes[start..start + count as usize])
    }

    fn fill(&mut self, offset: u64, count: u64) -> io::Result<()> {
        let count = usize::try_from(count).map_err(|_| io::ErrorKind::OutOfMemory)?;
        self.offset = offset;
        self.bytes.clear();
        // A single huge block does not keep its memory.
        self.bytes.shrink_to(count.max(READ_BYTES as usize));
        self.bytes.try_reserve_exact(count)?;
        self.bytes.resize(count, 0);
        let mut done = 0;
        while done < count {
            match self
                .source
                .read_from(offset + done as u64, &mut self.bytes[done..])
            {
                Ok(0) => {
                    self.bytes.clear();
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
                Ok(read) => done += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.bytes.clear();
                    return Err(error);
                }
            }
        }
        Ok(())
    }
}
