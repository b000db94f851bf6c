//! Opens a log: locks it, replays it, and cuts off what is torn.

use std::fmt;
use std::fs;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::path::Path;
use std::sync::Arc;

use crate::cut::{Cut, keep_and_cut};
use crate::format::{HEAD_BYTES, head};
use crate::log::Log;
use crate::medium::{LockedFile, Medium, write_all};
use crate::open_error::OpenError;
use crate::place::Place;
use crate::policy::Policy;
use crate::replay::{Progress, replay};

/// How often the name of a file may go to another one under one's hands before something is wrong.
const ATTEMPTS: usize = 16;

/// What was found in a log that was opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opened {
    /// How many blocks were replayed.
    pub blocks: u64,
    /// Length of the file now, in bytes.
    pub bytes: u64,
    /// What was cut off: report this to the user.
    pub cut: Option<Cut>,
}

impl Log {
    /// Opens a log, or creates an empty one, and hands each of its blocks to `take`, in order.
    ///
    /// The file is locked until the log is closed. An end that is no block, with no sound block behind it, is moved to
    /// a file beside it: [`Opened::cut`]. After a power failure this may also be blocks that were written, but not
    /// synced.
    ///
    /// A file system may write a later page before an earlier one. So a power failure may also leave a sound block
    /// behind a damaged one, both of them written but not synced. Nobody can tell this from damage, so the log is
    /// refused, and the error says how to cut it.
    ///
    /// # Errors
    /// If somebody else has the file open, it is no log of this version, it is damaged other than at its end, `take`
    /// refuses a block, or the system refuses something. Nothing is changed before the last block was replayed. Blocks
    /// may have been handed to `take` before.
    pub fn open<E: fmt::Display>(
        path: &Path,
        policy: Policy,
        take: impl FnMut(&[u8], Progress) -> Result<(), E>,
    ) -> Result<(Self, Opened), OpenError> {
        let place = Place::find(path).map_err(system("find", path))?;
        let path = place.path().to_owned();
        let medium = lock(&place)?;
        let replayed = replay(&medium, take).map_err(|source| OpenError::Replay {
            path: path.clone(),
            source,
        })?;
        let cut = match &replayed.torn {
            Some(torn) => Some(
                keep_and_cut(&place, &medium, torn)
                    .map_err(system("cut the torn end off", &path))?,
            ),
            None => None,
        };
        let (salt, bytes) = match replayed.salt {
            Some(salt) => (salt, replayed.whole),
            None => (
                begin(&place, &medium).map_err(system("create", &path))?,
                HEAD_BYTES as u64,
            ),
        };
        remove(&place.temporary()).map_err(system("remove what is left of a rewrite of", &path))?;
        // A process that was killed may have written blocks that it had not synced. Who sees them now may rely on them.
        medium.sync().map_err(system("sync", &path))?;
        let log = Self::start(place, policy, Arc::new(medium), salt, bytes);
        let log = log.map_err(system("start a thread for", &path))?;
        let opened = Opened {
            blocks: replayed.blocks,
            bytes,
            cut,
        };
        Ok((log, opened))
    }
}

fn system(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> OpenError + use<> {
    let path = path.to_owned();
    move |source| OpenError::System {
        action,
        path,
        source,
    }
}

/// Opens the file for this process alone.
fn lock(place: &Place) -> Result<LockedFile, OpenError> {
    let path = place.path();
    for _ in 0..ATTEMPTS {
        let file = match place.open() {
            Err(error) if error.kind() == io::ErrorKind::IsADirectory => {
                return Err(OpenError::NotAFile(path.to_owned()));
            }
            file => file.map_err(system("open", path))?,
        };
        let metadata = file.metadata().map_err(system("read", path))?;
        if !metadata.is_file() {
            return Err(OpenError::NotAFile(path.to_owned()));
        }
        let locked = LockedFile::lock(file).map_err(system("lock", path))?;
        let Some(locked) = locked else {
            return Err(OpenError::InUse(path.to_owned()));
        };
        // The server that had it may have replaced it by a new file since it was opened here.
        if place.is(locked.file()).map_err(system("read", path))? {
            return Ok(locked);
        }
    }
    Err(OpenError::InUse(path.to_owned()))
}

/// Writes the first line of an empty file.
pub(crate) fn begin(place: &Place, medium: &dyn Medium) -> io::Result<u64> {
    let salt = fresh_salt();
    let (_, written) = write_all(medium, &head(salt), 0);
    let written = written.and_then(|()| medium.sync());
    if let Err(error) = written.and_then(|()| place.sync_directory()) {
        // If this fails, too, the next one to open it finds a first line that is torn.
        let _left = medium.cut(0);
        return Err(error);
    }
    Ok(salt)
}

/// A number that nobody can foresee: keys of hash tables are drawn from the kernel's random numbers.
pub(crate) fn fresh_salt() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// Removes a file if it is there.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
    }
}
