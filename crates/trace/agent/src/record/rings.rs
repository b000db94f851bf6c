//! The rings of a process: ready for threads that come, in memory that is bounded, and until their threads end.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use perflab_abi::recording::{RING_BLOCK_WORDS, RING_HEAD_BYTES, ring};
use perflab_ring::Mode;

use super::before::Begin;
use super::directory::Directory;
use super::ring_file::RingFile;
use super::{losses, slots};
use crate::numbers;

/// Rings that wait for threads to come.
const SPARE: usize = 16;

/// How long no ring is made after a try that failed.
const PAUSE: Duration = Duration::from_secs(1);

/// Memory for rings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Of one ring, in bytes; rounded to what a ring can have.
    pub ring: u64,
    /// Of all rings together, in bytes.
    pub all: u64,
}

impl Size {
    /// Without a wish.
    pub const DEFAULT: Self = Self {
        ring: 256 << 10,
        all: 256 << 20,
    };

    /// With these wishes in KiB, where they are not 0.
    pub fn or(self, ring: u32, all: u32) -> Self {
        let wished = |kibibytes: u32, without: u64| {
            if kibibytes == 0 {
                without
            } else {
                u64::from(kibibytes) << 10
            }
        };
        Self {
            ring: wished(ring, self.ring),
            all: wished(all, self.all),
        }
    }

    /// The logarithm of a ring's blocks: two rings at least have room.
    fn log(self) -> u32 {
        let room = (self.all / 2).saturating_sub(RING_HEAD_BYTES as u64);
        let blocks = self.ring.min(room) / (RING_BLOCK_WORDS as u64 * 8);
        blocks.max(1).ilog2().clamp(1, slots::MOST_LOG as u32)
    }

    /// Rings at one time.
    fn rings(self) -> usize {
        let ring = RingFile::bytes(self.log()) as u64;
        let rings = usize::try_from(self.all / ring).unwrap_or(slots::SLOTS);
        rings.clamp(2, slots::SLOTS)
    }
}

/// A ring, and whose it is.
#[derive(Debug)]
struct Ring {
    file: RingFile,
    /// Nothing once its thread has ended.
    slot: Option<usize>,
    /// When the thread started, in clock ticks since boot, once that is known.
    start: Option<u64>,
}

/// The rings of a process.
#[derive(Debug)]
pub struct Rings {
    size: Size,
    mode: Mode,
    all: Vec<Ring>,
    next: u64,
    /// Whether this is the child of a fork that has made no thread so far.
    is_small: bool,
    /// When it is tried again to make one, after a try that failed.
    again: Option<Instant>,
}

impl Rings {
    /// None yet.
    pub fn new() -> Self {
        Self {
            size: Size::DEFAULT,
            mode: Mode::Overwrite,
            all: Vec::new(),
            next: 0,
            is_small: false,
            again: None,
        }
    }

    /// The size of those that are made from now on.
    pub fn size(&self) -> Size {
        self.size
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Those that are made from now on have this size.
    pub fn set_size(&mut self, size: Size) {
        if size != self.size {
            self.withdraw_spare();
            self.size = size;
        }
    }

    /// What becomes of events that find no room, from now on.
    pub fn set_mode(&mut self, mode: Mode) {
        if mode != self.mode {
            self.mode = mode;
            for ring in &self.all {
                ring.file.set_mode(mode);
            }
        }
    }

    /// A recording begins with the rings as they are.
    pub fn begin(&self, begin: Begin) {
        for ring in &self.all {
            ring.file.begin(begin);
        }
    }

    /// Makes rings, so that some wait for threads.
    ///
    /// # Errors
    /// When one cannot be made; that there are as many as there may be is no error.
    pub fn refill(&mut self, directory: &Directory) -> Result<(), String> {
        if self.again.is_some_and(|again| Instant::now() < again) {
            return Ok(());
        }
        self.is_small &= !has_threads();
        let spare = if self.is_small { 1 } else { SPARE };
        let result = self.fill(directory, spare);
        self.again = result.is_err().then(|| Instant::now() + PAUSE);
        result
    }

    /// Whatever failed before may not fail now.
    pub fn try_again(&mut self) {
        self.again = None;
    }

    /// Makes as few rings as will do for a process with one thread. One that has root's rights may give them up, and
    /// can make no more in this place then: it has a second one, for handlers of signals.
    ///
    /// # Errors
    /// When not one can be made.
    pub fn begin_in_child(&mut self, directory: &Directory) -> Result<(), String> {
        self.is_small = true;
        let spare = if numbers::user() == 0 { 2 } else { 1 };
        let result = self.fill(directory, spare);
        if slots::free() > 0 { Ok(()) } else { result }
    }

    fn fill(&mut self, directory: &Directory, spare: usize) -> Result<(), String> {
        let result = self.fill_up(directory, spare);
        // Whoever finds no ring from now on can say why.
        losses::set_full(slots::free() < spare);
        result
    }

    fn fill_up(&mut self, directory: &Directory, spare: usize) -> Result<(), String> {
        while slots::free() < spare {
            if self.all.len() >= self.size.rings() && !self.reuse() {
                return Ok(());
            }
            let file = RingFile::create(directory, self.next, self.size.log(), self.mode)?;
            self.next += 1;
            let Some(slot) = file.offer() else {
                file.remove();
                return Err("there are more threads than can be recorded".to_owned());
            };
            self.all.push(Ring {
                file,
                slot: Some(slot),
                start: None,
            });
        }
        Ok(())
    }

    /// In the child of a fork they are the parent's.
    pub fn leave_to_parent(self) {
        self.all
            .into_iter()
            .for_each(|ring| ring.file.leave_to_parent());
    }

    /// Makes room for later ones, before that is needed.
    pub fn look_at_total(&self, directory: &Directory) {
        directory.total().look();
    }

    /// Removes the ring of a thread that has ended, the first of those that may go, if none may without a loss; returns
    /// whether there was one.
    fn reuse(&mut self) -> bool {
        let mode = self.mode;
        let may_go =
            |ring: &Ring| ring.slot.is_none() && (ring.is_drained() || mode == Mode::Overwrite);
        let mut rings = self.all.iter();
        let index = rings
            .position(|ring| ring.is_done(mode))
            .or_else(|| self.all.iter().position(may_go));
        let Some(index) = index else {
            return false;
        };
        let ring = self.all.remove(index);
        losses::lose_with_ring(ring.file.own_events(mode), mode);
        ring.file.remove();
        true
    }

    /// Removes the rings that no thread has.
    pub fn withdraw_spare(&mut self) {
        let rings = std::mem::take(&mut self.all).into_iter();
        let (spare, stay): (Vec<Ring>, Vec<Ring>) =
            rings.partition(|ring| ring.slot.is_some_and(slots::withdraw));
        self.all = stay;
        for ring in spare {
            ring.file.remove();
        }
    }

    /// Looks after the threads that have rings: after those that came since the last look, or after all.
    pub fn look(&mut self, all: bool) {
        // In another namespace than that of `/proc`, threads have other numbers there.
        let Some(own) = numbers::thread() else { return };
        if !Path::new("/proc/self/task").join(own.to_string()).exists() {
            return;
        }
        for ring in &mut self.all {
            if all || ring.start.is_none() {
                ring.look();
            }
        }
        if !all {
            return;
        }
        let rings = std::mem::take(&mut self.all).into_iter();
        let (gone, stay): (Vec<Ring>, Vec<Ring>) = rings.partition(|ring| ring.is_done(self.mode));
        self.all = stay;
        for ring in gone {
            ring.file.remove();
        }
    }
}

impl Ring {
    /// Whether its thread has ended and nobody wants its events any more.
    fn is_done(&self, mode: Mode) -> bool {
        self.slot.is_none() && self.is_drained() && self.file.own_events(mode) == 0
    }

    /// Whether a recorder has read all that it wanted of it.
    fn is_drained(&self) -> bool {
        self.file.head()[ring::DRAINED].load(Ordering::Relaxed) != 0
    }

    /// Says what its thread is called, or that it has ended.
    fn look(&mut self) {
        let Some(slot) = self.slot else { return };
        let Some(thread) = slots::owner(slot) else {
            return;
        };
        let head = self.file.head();
        match Thread::look(thread) {
            Look::There(found) if self.start.is_none_or(|start| start == found.start) => {
                self.start = Some(found.start);
                head[ring::START].store(found.start, Ordering::Relaxed);
                for (index, word) in found.name.iter().enumerate() {
                    head[ring::NAME + index].store(*word, Ordering::Release);
                }
            }
            // It may go on writing.
            Look::Unknown => {}
            // Gone, or another thread has its number.
            Look::Gone | Look::There(_) => {
                head[ring::ENDED].store(1, Ordering::Release);
                slots::vacate(slot);
                self.slot = None;
            }
        }
    }
}

/// Whether this process has a thread beside the first and the agent's.
fn has_threads() -> bool {
    // Two links, and one for each thread.
    let threads = fs::metadata("/proc/self/task").map_or(u64::MAX, |about| about.nlink());
    threads > 2 + 2
}

/// What the kernel says of a thread.
struct Thread {
    /// In clock ticks since boot.
    start: u64,
    /// Its name as words.
    name: [u64; 2],
}

/// What a look at a thread comes to.
enum Look {
    There(Thread),
    Gone,
    /// The kernel does not say: files cannot be opened now.
    Unknown,
}

impl Thread {
    fn look(thread: u32) -> Look {
        match fs::read(format!("/proc/self/task/{thread}/stat")) {
            Ok(text) => Self::parse(&text).map_or(Look::Unknown, Look::There),
            Err(error) => match error.raw_os_error() {
                Some(libc::ENOENT | libc::ESRCH) => Look::Gone,
                _ => Look::Unknown,
            },
        }
    }

    fn parse(text: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(text);
        let (before, after) = text.rsplit_once(')')?;
        let start = after.split_whitespace().nth(19)?.parse().ok()?;
        let name = before.split_once('(').map_or("", |(_, name)| name);
        let mut bytes = [0; 16];
        for (to, from) in bytes.iter_mut().zip(name.bytes()) {
            *to = from;
        }
        let [a, b, c, d, e, f, g, h, rest @ ..] = bytes;
        Some(Self {
            start,
            name: [
                u64::from_le_bytes([a, b, c, d, e, f, g, h]),
                u64::from_le_bytes(rest),
            ],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wishes come from a command line and from the environment, each of which has its part only.
    #[test]
    fn two_rings_have_room() {
        for (ring, all) in [
            (0, 0),
            (262_144, 0),
            (262_144, 24),
            (0, 24),
            (8, 24),
            (256, 519),
            (0, 520),
        ] {
            let size = Size::DEFAULT.or(ring, all);
            let rings = size.rings() as u64;
            assert!(
                rings >= 2 && rings * RingFile::bytes(size.log()) as u64 <= size.all,
                "{size:?}"
            );
        }
        assert_eq!(Size::DEFAULT.log(), Size::DEFAULT.or(256, 520).log());
    }
}
