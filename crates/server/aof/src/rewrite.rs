//! Replaces the file by one that says the same in fewer blocks.
//!
//! ```text
//!  1 note the position behind the last block that was appended
//!  2 the caller adds blocks to a new file, which say what all blocks before that position say
//!  3 copy the blocks behind it from the old file to the new one, in rounds: others append meanwhile
//!  4 sync the new file, so that little is left to be synced in 7
//!  5 take the turn: nobody writes to the old file any more, and blocks that are appended stay in memory
//!  6 write what is pending to the old file, and copy the rest
//!  7 sync the new file
//!  8 rename it over the old one, and sync the directory
//!  9 blocks go to the new file from now on
//! ```
//!
//! Up to 8, the old file is whole, and all blocks that somebody waits for are in it. After 8, the new one has them.
//! Nothing is kept in memory twice, however long 2 takes.

use std::fs;
use std::io;
use std::mem;
use std::path::PathBuf;
use std::sync::Arc;

use crate::blocks::Fault;
use crate::failure::{Action, Failure};
use crate::format::Block;
use crate::log::Log;
use crate::medium::Medium;
use crate::new_file::{CopyError, NewFile};
use crate::open::remove;
use crate::shared::{OpenFile, Shared};

/// How many rounds there are at most in step 3: if blocks come faster than they can be copied, they have to wait.
const ROUNDS: usize = 8;

/// How much is left for step 6, in bytes, if blocks do not come faster.
const REST_BYTES: u64 = 1 << 20;

/// Why a file was not rewritten. The log goes on with the old one.
#[derive(Debug, thiserror::Error)]
pub enum RewriteError {
    /// There is one already.
    #[error("a rewrite is in progress; wait for its end")]
    InProgress,
    /// The payload does not fit into a block.
    #[error("a block may have {} bytes, this one has {}; split what it holds", u32::MAX, .0)]
    TooLong(usize),
    /// The log has failed. If that was after the new file got its name, the log has the new file.
    #[error(transparent)]
    Failed(#[from] Failure),
    /// The old file does not have what was written to it.
    #[error(
        "{} is damaged: byte {offset} should begin a block, but {fault}; check the disk, and keep a copy of the file",
        path.display()
    )]
    Damaged {
        /// The old file.
        path: PathBuf,
        /// Where it is damaged, in bytes.
        offset: u64,
        /// What is wrong there.
        fault: Fault,
    },
    /// The system refuses something.
    #[error("cannot write {}: {source}; make room, or check the disk, and start again", path.display())]
    System {
        /// The new file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// What a rewrite has made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rewritten {
    /// Length of the old file, in bytes.
    pub old_bytes: u64,
    /// Length of the new file, in bytes.
    pub bytes: u64,
    /// How many blocks the new file has.
    pub blocks: u64,
}

/// A new file for a log. If it is dropped before [`Self::finish`] has succeeded, it is removed, and the old one stays.
#[derive(Debug)]
pub struct Rewrite {
    claim: Claim,
    new: NewFile,
    /// Where the blocks begin that are copied from the old file: a position.
    start: u64,
    has_name: bool,
}

/// The right to rewrite the file, until it is dropped.
#[derive(Debug)]
struct Claim(Arc<Shared>);

impl Claim {
    fn new(shared: &Arc<Shared>) -> Result<Self, RewriteError> {
        let mut state = shared.lock();
        state.check_final()?;
        if mem::replace(&mut state.is_rewriting, true) {
            return Err(RewriteError::InProgress);
        }
        Ok(Self(Arc::clone(shared)))
    }

    fn system(&self, source: io::Error) -> RewriteError {
        RewriteError::System {
            path: self.0.place.temporary(),
            source,
        }
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.0.lock().is_rewriting = false;
    }
}

impl Log {
    /// Begins a new file beside that of the log. Step 1 is its last action.
    ///
    /// Blocks that are appended after this returns will be in the new file without your doing, behind all that you add
    /// to it. Those that were appended before will not, so what you add has to say the same. So nobody may be between
    /// [`append`](Self::append) and applying what a block says while this is called: hold the locks of who appends.
    /// What is applied later may be in what you add only if a block may be executed twice.
    ///
    /// # Errors
    /// If a rewrite is in progress, the log has failed for good, or the new file cannot be written.
    pub fn begin_rewrite(&self) -> Result<Rewrite, RewriteError> {
        let claim = Claim::new(&self.shared)?;
        let new = NewFile::create(&self.shared.place);
        let new = new.map_err(|error| claim.system(error))?;
        let start = self.shared.lock().appended;
        Ok(Rewrite {
            claim,
            new,
            start,
            has_name: false,
        })
    }
}

impl Rewrite {
    /// Step 2: adds a block to the new file.
    ///
    /// # Errors
    /// If it has 4 GiB or more, or cannot be written. Drop the rewrite then, and begin another one when there is room.
    pub fn append(&mut self, payload: &[u8]) -> Result<(), RewriteError> {
        let block = Block::of(payload).ok_or(RewriteError::TooLong(payload.len()))?;
        let pushed = self.new.push(block, payload);
        pushed.map_err(|error| self.claim.system(error))
    }

    /// Steps 3 to 9: the new file takes the place of the old one. Those who append go on meanwhile, and those who wait
    /// for a block wait a little longer.
    ///
    /// # Errors
    /// If the log has failed, or the system refuses something.
    pub fn finish(mut self) -> Result<Rewritten, RewriteError> {
        let shared = Arc::clone(&self.claim.0);
        let mut copied = self.start;
        for _ in 0..ROUNDS {
            let (old, written) = current(&shared)?;
            if written.saturating_sub(copied) < REST_BYTES {
                break;
            }
            self.copy(&old, copied, written)?;
            copied = written;
        }
        self.new.sync().map_err(|error| self.claim.system(error))?;

        // Step 5.
        let mut turn = shared.turn();
        turn.write()?;
        let (old, written) = current(&shared)?;
        self.copy(&old, copied, written)?;
        self.new.sync().map_err(|error| self.claim.system(error))?;
        fs::rename(shared.place.temporary(), shared.place.path())
            .map_err(|error| self.claim.system(error))?;
        self.has_name = true;
        let named = shared.place.sync_directory();
        let named =
            named.map_err(|error| Failure::new(shared.place.path(), Action::SyncDirectory, &error));
        self.replace(&shared, &old, written, named.as_ref().err());
        drop(turn);
        named?;
        Ok(Rewritten {
            old_bytes: old.offset(written),
            bytes: self.new.offset,
            blocks: self.new.blocks,
        })
    }

    fn copy(&mut self, old: &OpenFile, start: u64, end: u64) -> Result<(), RewriteError> {
        self.new.copy(old, start, end).map_err(|error| match error {
            CopyError::System(error) => self.claim.system(error),
            CopyError::Damaged(offset, fault) => RewriteError::Damaged {
                path: self.claim.0.place.path().to_owned(),
                offset,
                fault,
            },
        })
    }

    /// Step 9.
    fn replace(&self, shared: &Shared, old: &OpenFile, position: u64, failure: Option<&Failure>) {
        let medium = Arc::clone(&self.new.medium) as Arc<dyn Medium>;
        let mut state = shared.lock();
        state.file = OpenFile {
            medium,
            number: old.number + 1,
            base: self.new.offset,
            position,
            salt: self.new.salt,
        };
        state.synced = position;
        state.ages.begin_sync();
        state.ages.end_sync();
        if let Some(failure) = failure {
            state.fail(failure);
        }
    }
}

/// The file of a log, and the position behind its last block.
fn current(shared: &Shared) -> Result<(OpenFile, u64), Failure> {
    let state = shared.lock();
    state.check_final()?;
    Ok((state.file.clone(), state.written))
}

impl Drop for Rewrite {
    fn drop(&mut self) {
        if !self.has_name {
            // If this fails, it is removed when the log is opened again.
            let _left_behind = remove(&self.claim.0.place.temporary());
        }
    }
}
