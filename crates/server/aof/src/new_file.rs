//! The file that a rewrite makes.

use std::io;
use std::sync::Arc;

use crate::batch::Batch;
use crate::blocks::{Fault, Found, look};
use crate::format::{Block, HEAD_BYTES, head};
use crate::medium::{LockedFile, Medium, write_all};
use crate::open::{fresh_salt, remove};
use crate::place::{Place, create};
use crate::shared::OpenFile;
use crate::window::Window;

/// How much is written at once, in bytes.
const STEP_BYTES: usize = 256 << 10;

/// A file under its temporary name.
#[derive(Debug)]
pub(crate) struct NewFile {
    /// The file. It is locked before it gets its name, so that nobody can come in between.
    pub medium: Arc<LockedFile>,
    /// What tells its blocks from those of other files.
    pub salt: u64,
    /// Where the next block that is written goes.
    pub offset: u64,
    /// How many blocks it has, with those that are not written yet.
    pub blocks: u64,
    batch: Batch,
}

/// Why blocks cannot be copied.
#[derive(Debug)]
pub(crate) enum CopyError {
    /// The old file cannot be read, or the new one not written.
    System(io::Error),
    /// The old file is damaged at this offset.
    Damaged(u64, Fault),
}

impl From<io::Error> for CopyError {
    fn from(error: io::Error) -> Self {
        Self::System(error)
    }
}

impl NewFile {
    /// Creates it, with its first line.
    pub fn create(place: &Place) -> io::Result<Self> {
        let path = place.temporary();
        remove(&path)?;
        let locked = LockedFile::lock(create(&path)?)?;
        let medium = locked.ok_or(io::ErrorKind::ResourceBusy)?;
        let salt = fresh_salt();
        if let (_, Err(error)) = write_all(&medium, &head(salt), 0) {
            let _left_behind = remove(&path);
            return Err(error);
        }
        Ok(Self {
            medium: Arc::new(medium),
            salt,
            offset: HEAD_BYTES as u64,
            blocks: 0,
            batch: Batch::default(),
        })
    }

    /// Adds a block. Blocks that cannot be written stay in memory, so this can be tried again by [`Self::flush`].
    pub fn push(&mut self, block: Block, payload: &[u8]) -> io::Result<()> {
        self.batch.push(block, &block.unsealed(), payload);
        self.blocks += 1;
        if self.batch.bytes().len() < STEP_BYTES {
            return Ok(());
        }
        self.flush()
    }

    /// Writes what is in memory.
    pub fn flush(&mut self) -> io::Result<()> {
        self.batch.seal(self.salt, self.offset);
        let (done, result) = write_all(&*self.medium, self.batch.bytes(), self.offset);
        self.offset += self.batch.drop_written(done) as u64;
        result
    }

    /// Adds the blocks of another file that are between two of its positions.
    pub fn copy(&mut self, from: &OpenFile, start: u64, end: u64) -> Result<(), CopyError> {
        let mut window = Window::new(&*from.medium, from.offset(end));
        let mut offset = from.offset(start);
        loop {
            match look(&mut window, from.salt, offset)? {
                Found::End => return Ok(()),
                Found::Block(block, payload) => {
                    self.push(block, payload)?;
                    offset += block.bytes();
                }
                Found::Bad { fault, .. } => return Err(CopyError::Damaged(offset, fault)),
            }
        }
    }

    /// Makes it outlast a power failure, all but its name.
    pub fn sync(&mut self) -> io::Result<()> {
        self.flush()?;
        self.medium.sync()
    }
}
