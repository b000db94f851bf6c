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
#![expect(
    unsafe_code,
    reason = "the numbers are mapped, and shared by processes"
)]

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use perflab_abi::recording::{
    FOR_FILE, RING_BLOCK_WORDS, RING_HEAD_BYTES, RING_MAGIC, RING_SUFFIX, RINGS_SUFFIX, TOTAL_FILE,
    TOTAL_MAGIC, ring, total,
};
use perflab_abi::variable::RECORD_TOTAL;
use perflab_ring::{Position, word};

use super::clock;
use super::files::PAGE;
use crate::socket;

/// The most bytes of all recordings of a user, unless one process is to have more, or the file system has less than
/// twice as many.
const MOST: u64 = 1 << 30;

/// The least that the directory of a process takes: a page for each of its three small files, one of which may be there
/// twice while it is written, and no further page of these without one ahead.
const DIRECTORY: u64 = 4 * PAGE as u64;

/// All processes of a user together look for what can go no more often than once in so many nanoseconds, as long as
/// they need nothing.
const PAUSE: u64 = 1_000_000_000;

/// Longest wait for another process that counts; it may have been stopped meanwhile.
const PATIENCE: Duration = Duration::from_millis(500);

/// In the number as long as nothing was counted: more than any limit.
const NOT_COUNTED: u64 = 1 << 62;

/// A block of the file system, as it is counted.
const BLOCK: u64 = 512;

/// Where the recordings of a user are.
#[derive(Debug)]
pub struct Total {
    base: PathBuf,
    /// Of the file system, in bytes; nothing if the kernel does not say.
    size: Option<u64>,
    /// What this process may have for its rings, in bytes.
    of_process: u64,
    /// Kept, as the process may give up the rights to open them again.
    numbers: Numbers,
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
        let numbers = Numbers::open(&base).map_err(|error| failed(&base, &error))?;
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
    pub fn take_directory(&self) -> Result<(), String> {
        self.take(DIRECTORY)
    }

    /// Takes so many bytes, which a count finds from now on.
    ///
    /// # Errors
    /// When they are not to be had.
    pub fn take(&self, bytes: u64) -> Result<(), String> {
        let limit = self.limit();
        let numbers = &self.numbers;
        let counted = || numbers.word(total::COUNTED).load(Ordering::Relaxed);
        let before = numbers.bytes().fetch_add(bytes, Ordering::Release);
        if before.saturating_add(bytes) <= limit {
            return Ok(());
        }
        let counted_before = counted();
        let locked = numbers.lock(PATIENCE);
        let there = locked.and_then(|_locked| {
            // Whoever had the lock meanwhile has counted these bytes, too. Many processes that need memory at once
            // would else take the processor from the recorder that makes room for them.
            if counted() == counted_before {
                self.make_room(limit - limit / 4)
            } else {
                Ok(numbers.bytes().load(Ordering::Acquire))
            }
        });
        let there = there.map_err(|error| failed(&self.base, &error))?;
        if there <= limit {
            return Ok(());
        }
        Err(format!(
            "recordings of this user take {} KiB, and may take {} KiB ({RECORD_TOTAL})",
            there.saturating_sub(bytes) >> 10,
            limit >> 10
        ))
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
            && let Ok(_locked) = numbers.lock(Duration::ZERO)
        {
            let _ = self.make_room(limit / 2);
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
    fn make_room(&self, wanted: u64) -> io::Result<u64> {
        let numbers = &self.numbers;
        let before = numbers.bytes().load(Ordering::Acquire);
        // The file of the numbers.
        let mut there = PAGE as u64;
        let mut dead = Vec::new();
        for entry in fs::read_dir(&self.base)? {
            let path = entry?.path();
            let Some(process) = process_of(&path) else {
                continue;
            };
            // One that is being removed may be there in part.
            let Ok(left) = Left::of(path) else { continue };
            there += left.bytes;
            if !process.lives() && !left.is_read() {
                dead.push(left);
            }
        }
        dead.sort_by_key(|left| left.changed);
        let sockets = socket::usable_directory();
        for left in dead {
            if there <= wanted {
                break;
            }
            let events = left.events();
            if fs::remove_dir_all(&left.path).is_ok() {
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

/// The numbers that all processes of a user share, and their file.
#[derive(Debug)]
struct Numbers {
    file: File,
    memory: *const AtomicU64,
}

// SAFETY: the memory is atomics only.
unsafe impl Send for Numbers {}

impl Numbers {
    fn open(base: &Path) -> io::Result<Self> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .custom_flags(libc::O_NOFOLLOW)
            .open(base.join(TOTAL_FILE))?;
        // SAFETY: a file that is open. What is in it stays.
        let result = unsafe { libc::posix_fallocate(file.as_raw_fd(), 0, PAGE as libc::off_t) };
        if result != 0 {
            return Err(io::Error::from_raw_os_error(result));
        }
        // SAFETY: a new mapping of a file that has these bytes.
        let memory = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                PAGE,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                file.as_raw_fd(),
                0,
            )
        };
        if memory == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let numbers = Self {
            file,
            memory: memory.cast(),
        };
        let before = numbers
            .word(total::MAGIC)
            .swap(TOTAL_MAGIC, Ordering::AcqRel);
        if before != TOTAL_MAGIC {
            numbers.bytes().fetch_add(NOT_COUNTED, Ordering::Relaxed);
        }
        Ok(numbers)
    }

    fn word(&self, index: usize) -> &AtomicU64 {
        // SAFETY: a page is mapped until `self` goes.
        unsafe { &std::slice::from_raw_parts(self.memory, total::COUNTED + 1)[index] }
    }

    fn bytes(&self) -> &AtomicU64 {
        self.word(total::BYTES)
    }

    /// Nobody asks for a word any more.
    fn unmap(&self) {
        // SAFETY: mapped by `open`, and used until now only.
        unsafe { libc::munmap(self.memory.cast_mut().cast(), PAGE) };
    }

    /// Waits for so long until nobody else counts, or fails if somebody does.
    fn lock(&self, patience: Duration) -> io::Result<Locked<'_>> {
        let end = Instant::now() + patience;
        loop {
            // SAFETY: a file that is open.
            if unsafe { libc::flock(self.file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) } == 0 {
                return Ok(Locked(&self.file));
            }
            let error = io::Error::last_os_error();
            if error.kind() != io::ErrorKind::WouldBlock {
                return Err(error);
            }
            if Instant::now() >= end {
                let text =
                    "another process has had it locked for a while; is one of this user's stopped?";
                return Err(io::Error::new(io::ErrorKind::WouldBlock, text));
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Drop for Numbers {
    fn drop(&mut self) {
        self.unmap();
    }
}

/// Nobody else counts meanwhile.
struct Locked<'f>(&'f File);

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        // SAFETY: a file that is open.
        unsafe { libc::flock(self.0.as_raw_fd(), libc::LOCK_UN) };
    }
}

/// A process as the name of its directory has it.
struct Process {
    pid: u32,
    start: u64,
}

fn process_of(path: &Path) -> Option<Process> {
    let name = path.file_name()?.to_str()?.strip_suffix(RINGS_SUFFIX)?;
    let (pid, start) = name.split_once('-')?;
    Some(Process {
        pid: pid.parse().ok()?,
        start: start.parse().ok()?,
    })
}

impl Process {
    fn lives(&self) -> bool {
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
struct Left {
    path: PathBuf,
    bytes: u64,
    /// When it was last written to, in seconds and nanoseconds since 1970.
    changed: (i64, i64),
    rings: Vec<PathBuf>,
}

impl Left {
    fn of(path: PathBuf) -> io::Result<Self> {
        let mut left = Self {
            bytes: DIRECTORY,
            changed: (0, 0),
            rings: Vec::new(),
            path,
        };
        for entry in fs::read_dir(&left.path)? {
            let entry = entry?;
            // A process that lives removes rings, too.
            let Ok(about) = entry.metadata() else {
                continue;
            };
            let changed = (about.mtime(), about.mtime_nsec());
            left.changed = left.changed.max(changed);
            let path = entry.path();
            let is_ring = path.to_string_lossy().ends_with(RING_SUFFIX);
            let with_directory = if is_ring { 0 } else { PAGE as u64 };
            let bytes = about.len().max(about.blocks() * BLOCK);
            left.bytes += bytes
                .next_multiple_of(PAGE as u64)
                .saturating_sub(with_directory);
            if is_ring {
                left.rings.push(path);
            }
        }
        Ok(left)
    }

    /// Whether a recorder reads it that lives: the first number of what it is kept for is that of the recorder.
    fn is_read(&self) -> bool {
        let whom = fs::read_to_string(self.path.join(FOR_FILE)).unwrap_or_default();
        let recorder = whom.split_once('-').map_or("", |(recorder, _)| recorder);
        let is_number = recorder.parse::<u32>().is_ok();
        is_number && Path::new("/proc").join(recorder).exists()
    }

    /// How many events are in its rings.
    fn events(&self) -> u64 {
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
