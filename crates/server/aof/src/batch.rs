//! Blocks in memory, on their way to the file.

use std::fmt;

use crate::format::{Block, HEADER_BYTES};

/// A batch keeps this much memory for the next blocks, in bytes.
const KEPT_BYTES: usize = 1 << 20;

/// Blocks as they will be in the file, but for the checksums of their headers: those depend on where a block goes.
#[derive(Default)]
pub(crate) struct Batch {
    bytes: Vec<u8>,
    blocks: Vec<Block>,
}

/// Not all of the data that a server keeps secret, whatever prints it.
impl fmt::Debug for Batch {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (blocks, bytes) = (self.blocks.len(), self.bytes.len());
        write!(f, "Batch({blocks} blocks of {bytes} bytes)")
    }
}

impl Batch {
    /// Whether there is no block.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// The blocks as they are written.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Adds a block. `unsealed` is the block's header, which the caller makes before it takes a lock.
    pub fn push(&mut self, block: Block, unsealed: &[u8; HEADER_BYTES], payload: &[u8]) {
        self.bytes.extend_from_slice(unsealed);
        self.bytes.extend_from_slice(payload);
        self.bytes.push(b'\n');
        self.blocks.push(block);
    }

    /// Completes the headers for blocks that go to this offset of a file with this salt.
    pub fn seal(&mut self, salt: u64, offset: u64) {
        let mut at = 0;
        for block in &self.blocks {
            let header = block.header(salt, offset + at as u64);
            self.bytes[at..at + HEADER_BYTES].copy_from_slice(&header);
            at += block.bytes() as usize;
        }
    }

    /// Drops the blocks that lie within the first bytes, as they were written. Returns their length, in bytes.
    pub fn drop_written(&mut self, written: usize) -> usize {
        if written == self.bytes.len() {
            self.bytes.clear();
            self.blocks.clear();
            self.bytes.shrink_to(KEPT_BYTES);
            self.blocks.shrink_to(KEPT_BYTES / 64);
            return written;
        }
        let (mut count, mut whole) = (0, 0);
        for block in &self.blocks {
            let end = whole + block.bytes() as usize;
            if end > written {
                break;
            }
            (count, whole) = (count + 1, end);
        }
        self.blocks.drain(..count);
        self.bytes.drain(..whole);
        whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::FRAME_BYTES;

    fn batch(payloads: &[&[u8]]) -> Batch {
        let mut batch = Batch::default();
        for payload in payloads {
            let block = Block::of(payload).expect("it is short");
            batch.push(block, &block.unsealed(), payload);
        }
        batch
    }

    #[test]
    fn a_block_that_was_written_in_part_stays_whole() {
        let frame = FRAME_BYTES as usize;
        let (first, both) = (frame + 2, frame + 2 + frame + 3);
        for written in 0..=both {
            let mut batch = batch(&[b"ab", b"cde"]);
            let all = batch.bytes().to_vec();
            let whole = batch.drop_written(written);
            let ends = [0, first, both];
            let expected = ends.into_iter().rfind(|end| *end <= written);
            assert_eq!(Some(whole), expected, "{written}");
            assert_eq!(batch.bytes(), &all[whole..]);
            assert_eq!(batch.is_empty(), written == both);
        }
    }

    #[test]
    fn headers_are_sealed_for_their_own_place() {
        let mut batch = batch(&[b"ab", b"cde"]);
        batch.seal(7, 100);
        let second = FRAME_BYTES as usize + 2;
        assert!(Block::parse(&batch.bytes()[..HEADER_BYTES], 7, 100).is_some());
        let header = &batch.bytes()[second..][..HEADER_BYTES];
        assert!(Block::parse(header, 7, 100 + second as u64).is_some());
        batch.seal(7, 200);
        assert!(Block::parse(&batch.bytes()[..HEADER_BYTES], 7, 200).is_some());
    }
}
