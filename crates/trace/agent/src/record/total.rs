//! What all recordings of a user take together: it is bounded, and dead processes make room, the oldest first.
//!
//! 1. Whoever needs memory for a file adds its bytes to a number that all processes of the user share, in a file.
//! 2. If that is beyond the limit, the files that are there are counted, under a lock. What is counted takes the place
//!    of what was added: files that others removed are in the number until then. A ring has its length before its bytes
//!    are added, and its memory after that; the small files of a process come with a directory, and with a page that is
//!    counted before one of them needs it. So a count that comes in between misses nothing.
//! 3. As long as it is beyond the limit then, the recording of a dead process is removed, the one that was written to
//!    least lately. How many events went with it is added to two other numbers of that file. The recording of a
//!    process that a recorder reads stays while the recorder lives, and so does that of each process that lives.
//! 4. If that is not enough, nothing is made. What was added for it stays in the number until files are counted again,
//!    as a count that comes meanwhile may have missed the file already.
#![expect(unsafe_code, reason = "file systems have no safe wrapper")]

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::Ordering;
use std::time::Duration;

use perflab_abi::recording::{TOTAL_FILE, total};
use perflab_abi::variable::RECORD_TOTAL;

use super::clock;
use super::no_file::NoFile;
use super::recordings::{DIRECTORY, Recording, process_of};
use super::total_file::{Locked, TotalFile};
use crate::directories;
use crate::pages::PAGE;

/// The most bytes of all recordings of a user, unless one process is to have more, or the file system has less than
/// twice as many.
const MOST: u64 = 1 << 30;

/// All processes of a user together look for what can go no more often than once in so many nanoseconds, as long as
/// they need nothing.
const PAUSE: u64 = 1_000_000_000;

/// Longest wait for another process that counts and does not get on; it may have been stopped meanwhile.
const PATIENCE: Duration = Duration::from_millis(500);

/// Where the recordings of a user are.
#[derive(Debug)]
pub struct Total {
    base: PathBuf,
    /// Of the file system, in bytes; nothing if the kernel does not say.
    size: Option<u64>,
    /// What this process may have for its rings, in bytes.
    of_process: u64,
    /// Kept, as the process may give up the rights to open them again.
    numbers: TotalFile,
}

/// What a user wishes, in bytes. Asked once: in the child of a fork another thread may have locked the environment.
fn wished() -> Option<u64> {
    static WISHED: OnceLock<Option<u64>> = OnceLock::new();
    *WISHED.get_or_init(|| {
        let kibibytes: u32 = std::env::var(RECORD_TOTAL).ok()?.parse().ok()?;
        Some(u64::from(kibibytes) << 10)
    })
}

impl Total {
    /// In this directory, where the process may have so many bytes for its rings.
    ///
    /// # Errors
    /// When the numbers cannot be used there.
    pub fn new(base: PathBuf, of_process: u64) -> Result<Self, String> {
        let numbers = TotalFile::open(&base).map_err(|error| failed(&base, &error))?;
        Ok(Self {
            size: size(&base),
            base,
            of_process,
            numbers,
        })
    }

    /// In the child of a fork the file is the parent's.
    pub fn leave_to_parent(self) {
        self.numbers.unmap();
        std::mem::forget(self.numbers);
    }

    /// From now on the process may have so many bytes for its rings.
    pub fn set_of_process(&mut self, bytes: u64) {
        self.of_process = bytes;
    }

    /// Takes what the directory of a process needs, which is there.
    ///
    /// # Errors
    /// As those of [`Total::take`].
    pub fn take_directory(&self) -> Result<(), NoFile> {
        self.take(DIRECTORY)
    }

    /// Takes so many bytes, which a count finds from now on.
    ///
    /// # Errors
    /// When they are not to be had.
    pub fn take(&self, bytes: u64) -> Result<(), NoFile> {
        let limit = self.limit();
        let numbers = &self.numbers;
        let counted = || numbers.word(total::COUNTED).load(Ordering::Relaxed);
        // Step 1.
        let before = numbers.bytes().fetch_add(bytes, Ordering::Release);
        if before.saturating_add(bytes) <= limit {
            return Ok(());
        }
        // Steps 2 and 3.
        let counted_before = counted();
        let locked = numbers.lock(PATIENCE);
        let there = locked.and_then(|locked| {
            // Whoever had the lock meanwhile has counted these bytes, too. Many processes that need memory at once
            // would else take the processor from the recorder that makes room for them.
            if counted() == counted_before {
                self.make_room(&locked, limit - limit / 4)
            } else {
                Ok(numbers.bytes().load(Ordering::Acquire))
            }
        });
        let there = there.map_err(|error| NoFile::of(failed(&self.base, &error)))?;
        if there <= limit {
            return Ok(());
        }
        // Step 4.
        Err(NoFile::full(format!(
            "recordings of this user take {} KiB, and may take {} KiB; {} KiB more are needed, so set {RECORD_TOTAL} to \
             {} or more",
            there.saturating_sub(bytes) >> 10,
            limit >> 10,
            bytes >> 10,
            there.div_ceil(1 << 10)
        )))
    }

    /// Makes room before it is needed, so that no child of a fork has to wait for it.
    pub fn look(&self) {
        let limit = self.limit();
        let numbers = &self.numbers;
        let is_much = numbers.bytes().load(Ordering::Relaxed) > limit - limit / 4;
        let counted = numbers.word(total::COUNTED).load(Ordering::Relaxed);
        let is_due = clock::read(libc::CLOCK_BOOTTIME).saturating_sub(counted) >= PAUSE;
        // Somebody else does it, or the next look will.
        if is_much
            && is_due
            && let Ok(locked) = numbers.lock(Duration::ZERO)
        {
            let _ = self.make_room(&locked, limit / 2);
        }
    }

    fn limit(&self) -> u64 {
        if let Some(wished) = wished() {
            return wished;
        }
        let half = self.size.map_or(u64::MAX, |size| size / 2);
        MOST.max(self.of_process).min(half)
    }

    /// Steps 2 and 3. Returns how many bytes there are then.
    fn make_room(&self, locked: &Locked<'_>, wanted: u64) -> io::Result<u64> {
        let numbers = &self.numbers;
        // Step 2: what is there.
        let before = numbers.bytes().load(Ordering::Acquire);
        // The file of the numbers.
        let mut there = PAGE as u64;
        let mut dead = Vec::new();
        for entry in fs::read_dir(&self.base)? {
            let path = entry?.path();
            let Some(process) = process_of(&path) else {
                continue;
            };
            locked.step();
            // One that is being removed may be there in part.
            let Ok(left) = Recording::of(path) else {
                continue;
            };
            there += left.bytes;
            if !process.lives() && !left.is_read() {
                dead.push(left);
            }
        }
        // Step 3: less of it.
        dead.sort_by_key(|left| left.changed);
        let sockets = directories::for_sockets();
        for left in dead {
            if there <= wanted {
                break;
            }
            let events = left.events();
            if left.remove(|| locked.step()).is_ok() {
                // Where nobody asks for processes, nobody else removes their sockets.
                if let (Some(name), Ok(sockets)) = (left.path.file_stem(), &sockets) {
                    let _ = fs::remove_file(sockets.join(name).with_extension("sock"));
                }
                there -= left.bytes;
                numbers
                    .word(total::PROCESSES)
                    .fetch_add(1, Ordering::Relaxed);
                numbers
                    .word(total::EVENTS)
                    .fetch_add(events, Ordering::Relaxed);
            }
        }
        // What is there takes the place of what was added.
        let counted = clock::read(libc::CLOCK_BOOTTIME);
        numbers
            .word(total::COUNTED)
            .store(counted, Ordering::Relaxed);
        // What others have added meanwhile stays.
        let now = there.wrapping_sub(before);
        let all = numbers.bytes().fetch_add(now, Ordering::Relaxed);
        Ok(all.wrapping_add(now))
    }
}

fn failed(base: &Path, error: &io::Error) -> String {
    format!(
        "{} cannot be used: {error}",
        base.join(TOTAL_FILE).display()
    )
}

/// The bytes of a file system.
fn size(path: &Path) -> Option<u64> {
    use std::os::unix::ffi::OsStrExt;
    let path = std::ffi::CString::new(path.as_os_str().as_bytes()).ok()?;
    // SAFETY: the structure is plain numbers, the path ends with zero.
    unsafe {
        let mut about: libc::statvfs = std::mem::zeroed();
        let asked = libc::statvfs(path.as_ptr(), &raw mut about);
        let size = about.f_frsize.checked_mul(about.f_blocks)?;
        (asked == 0 && size > 0).then_some(size)
    }
}
