//! The recordings that are there: whose they are, and how much they take.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use perflab_abi::recording::{
    FOR_FILE, RING_BLOCK_WORDS, RING_HEAD_BYTES, RING_MAGIC, RING_SUFFIX, RINGS_SUFFIX, ring,
};
use perflab_ring::{Position, word};

use crate::pages::PAGE;

/// The least that the directory of a process takes: a page for each of its three small files, one of which may be there
/// twice while it is written, and no further page of these without one ahead.
pub const DIRECTORY: u64 = 4 * PAGE as u64;

/// A block of the file system, as it is counted.
const BLOCK: u64 = 512;

/// A process as the name of its directory has it.
pub struct Process {
    pid: u32,
    start: u64,
}

/// The process whose directory this is.
pub fn process_of(path: &Path) -> Option<Process> {
    let name = path.file_name()?.to_str()?.strip_suffix(RINGS_SUFFIX)?;
    let (pid, start) = name.split_once('-')?;
    Some(Process {
        pid: pid.parse().ok()?,
        start: start.parse().ok()?,
    })
}

impl Process {
    /// Whether it can do something.
    pub fn lives(&self) -> bool {
        let stat = fs::read(format!("/proc/{}/stat", self.pid)).unwrap_or_default();
        let stat = String::from_utf8_lossy(&stat);
        // The name of the program, in parentheses, may contain anything.
        let after = stat.rsplit_once(')').map_or("", |(_, after)| after);
        let fields: Vec<&str> = after.split_whitespace().collect();
        let is_same = fields.get(19).and_then(|start| start.parse().ok()) == Some(self.start);
        // Where only the first thread has ended, the others go on.
        let has_ended =
            matches!(fields.first(), Some(&("Z" | "X"))) && fields.get(17) == Some(&"1");
        is_same && !has_ended
    }
}

/// The recording of a process.
pub struct Recording {
    /// Its directory.
    pub path: PathBuf,
    /// What it takes.
    pub bytes: u64,
    /// When it was last written to, in seconds and nanoseconds since 1970.
    pub changed: (i64, i64),
    rings: Vec<PathBuf>,
}

impl Recording {
    /// As far as it is there.
    ///
    /// # Errors
    /// When its directory is not there any more.
    pub fn of(path: PathBuf) -> io::Result<Self> {
        let mut found = Self {
            bytes: DIRECTORY,
            changed: (0, 0),
            rings: Vec::new(),
            path,
        };
        for entry in fs::read_dir(&found.path)? {
            let entry = entry?;
            // A process that lives removes rings, too.
            let Ok(about) = entry.metadata() else {
                continue;
            };
            let changed = (about.mtime(), about.mtime_nsec());
            found.changed = found.changed.max(changed);
            let path = entry.path();
            let is_ring = path.to_string_lossy().ends_with(RING_SUFFIX);
            let with_directory = if is_ring { 0 } else { PAGE as u64 };
            let bytes = about.len().max(about.blocks() * BLOCK);
            found.bytes += bytes
                .next_multiple_of(PAGE as u64)
                .saturating_sub(with_directory);
            if is_ring {
                found.rings.push(path);
            }
        }
        Ok(found)
    }

    /// Whether a recorder reads it that lives: the first number of what it is kept for is that of the recorder.
    pub fn is_read(&self) -> bool {
        let whom = fs::read_to_string(self.path.join(FOR_FILE)).unwrap_or_default();
        let recorder = whom.split_once('-').map_or("", |(recorder, _)| recorder);
        let is_number = recorder.parse::<u32>().is_ok();
        is_number && Path::new("/proc").join(recorder).exists()
    }

    /// Removes it. `step` is called before each ring, which may be large.
    ///
    /// # Errors
    /// When something cannot be removed.
    pub fn remove(&self, step: impl Fn()) -> io::Result<()> {
        for ring in &self.rings {
            step();
            fs::remove_file(ring)?;
        }
        fs::remove_dir_all(&self.path)
    }

    /// How many events are in its rings.
    pub fn events(&self) -> u64 {
        let rings = self.rings.iter();
        rings.fold(0, |sum, ring| sum.saturating_add(events(ring).unwrap_or(0)))
    }
}

/// How many events are in a ring: those before the place of the next one, less those before the oldest block.
fn events(path: &Path) -> Option<u64> {
    let file = File::open(path).ok()?;
    let word = |at: u64| {
        let mut bytes = [0; 8];
        file.read_exact_at(&mut bytes, at * 8).ok()?;
        Some(u64::from_le_bytes(bytes))
    };
    if word(ring::MAGIC as u64)? != RING_MAGIC {
        return None;
    }
    let blocks = word(ring::BLOCKS as u64)?.max(1);
    let position = Position::from_word(word(word::POSITION as u64)?);
    let before = |block: u64| {
        let at = RING_HEAD_BYTES / 8 + (block % blocks) as usize * RING_BLOCK_WORDS;
        (word(at as u64)? == block + 1).then(|| word(at as u64 + 1))?
    };
    let oldest = position.block.saturating_sub(blocks - 1);
    let all = before(position.block)?.checked_add(position.count)?;
    all.checked_sub(before(oldest)?)
}
