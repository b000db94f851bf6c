//! The rings of a process: ready for threads that come, in memory that is bounded, and until their threads end.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use perflab_abi::recording::ring;
use perflab_ring::Mode;

use super::before::Begin;
use super::directory::Directory;
use super::no_file::NoFile;
use super::ring_file::RingFile;
use super::size::Size;
use super::thread::{Look, Thread};
use super::{losses, slots};
use crate::numbers;

/// Rings that wait for threads to come.
const SPARE: usize = 16;

/// The part of all rings that events of ended threads make room for, before a thread comes that needs it.
const PART: usize = 4;

/// How long no ring is made after a try that failed.
const PAUSE: Duration = Duration::from_secs(1);

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
    /// Those of a directory that somebody removed, until their threads end: nobody reads them.
    left: Vec<Ring>,
    next: u64,
    /// Whether this is the child of a fork that has made no thread so far.
    is_small: bool,
    /// When one could not be made, lately, and why.
    failed: Option<(Instant, NoFile)>,
}

impl Rings {
    /// None yet.
    pub fn new() -> Self {
        Self {
            size: Size::DEFAULT,
            mode: Mode::Overwrite,
            all: Vec::new(),
            left: Vec::new(),
            next: 0,
            is_small: false,
            failed: None,
        }
    }

    /// The size of those that are made from now on.
    pub fn size(&self) -> Size {
        self.size
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty() && self.left.is_empty()
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
        self.failed.take_if(|(since, _)| since.elapsed() >= PAUSE);
        self.is_small = self.is_small && !has_threads();
        self.fill(directory, if self.is_small { 1 } else { SPARE })
    }

    /// Whatever failed before may not fail now.
    pub fn try_again(&mut self) {
        self.failed = None;
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
        // Where there is little memory, the newest events of threads that have ended are worth more than many rings that
        // wait: with as many as that, no thread's events would outlive it.
        let needed = spare.min((self.size.rings() / PART).max(1));
        let mut made_room = 0;
        while slots::free() < spare {
            let is_full = match &self.failed {
                Some((_, no)) if !no.is_full => break,
                Some(_) => made_room < self.size.of_ring(),
                None => !self.has_room(),
            };
            if is_full {
                if slots::free() >= needed {
                    break;
                }
                let Some(room) = self.reuse() else { break };
                made_room += room;
                continue;
            }
            if let Err(mut no) = self.add(directory) {
                // Others took what was made.
                no.is_full &= made_room == 0;
                self.failed = Some((Instant::now(), no));
            }
            made_room = 0;
        }
        match &self.failed {
            Some((_, no)) => Err(no.reason.clone()),
            None => Ok(()),
        }
    }

    /// Whether another one is within the bounds of the process. Those that are there may be of other sizes.
    fn has_room(&self) -> bool {
        let there = self.all.iter().chain(&self.left);
        let taken: u64 = there.map(|ring| ring.file.size()).sum();
        let ring = self.size.of_ring();
        self.all.len() < 2 || (self.all.len() < slots::SLOTS && taken + ring <= self.size.all)
    }

    /// Makes one, and offers it to threads.
    fn add(&mut self, directory: &Directory) -> Result<(), NoFile> {
        let file = RingFile::create(directory, self.next, self.size.log(), self.mode)?;
        self.next += 1;
        let Some(slot) = file.offer() else {
            file.remove();
            return Err(NoFile::of("there are more threads than can be recorded"));
        };
        self.all.push(Ring {
            file,
            slot: Some(slot),
            start: None,
        });
        Ok(())
    }

    /// Their directory was removed: threads are to take others.
    pub fn leave_removed(&mut self) {
        self.withdraw_spare();
        self.left.append(&mut self.all);
        self.failed = None;
    }

    /// In the child of a fork they are the parent's.
    pub fn leave_to_parent(self) {
        self.all
            .into_iter()
            .chain(self.left)
            .for_each(|ring| ring.file.leave_to_parent());
    }

    /// Makes room for later ones, before that is needed.
    pub fn look_at_total(&self, directory: &Directory) {
        directory.total().look();
    }

    /// Removes the ring of a thread that has ended, the first of those that may go, if none may without a loss; returns
    /// its bytes, if there was one.
    fn reuse(&mut self) -> Option<u64> {
        let mode = self.mode;
        let may_go =
            |ring: &Ring| ring.slot.is_none() && (ring.is_drained() || mode == Mode::Overwrite);
        // With one that has no events of the process's own nothing is lost.
        let mut rings = self.all.iter();
        let index = rings
            .position(|ring| ring.is_done(mode))
            .or_else(|| self.all.iter().position(may_go));
        let ring = self.all.remove(index?);
        losses::lose_with_ring(ring.file.own_events(mode), mode);
        let bytes = ring.file.size();
        ring.file.remove();
        Some(bytes)
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
        let rings = self.all.iter_mut().chain(&mut self.left);
        let rings = rings.filter(|ring| all || ring.start.is_none());
        let mut rings = rings.filter(|ring| ring.owner().is_some()).peekable();
        if rings.peek().is_some() && are_threads_shown() {
            rings.for_each(Ring::look);
        }
        if !all {
            return;
        }
        let over = self.left.extract_if(.., |ring| ring.slot.is_none());
        over.for_each(|ring| ring.file.unmap());
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

    /// The thread that has it.
    fn owner(&self) -> Option<u32> {
        self.slot.and_then(slots::owner)
    }

    /// Says what its thread is called, or that it has ended.
    fn look(&mut self) {
        let Some(thread) = self.owner() else { return };
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
                if let Some(slot) = self.slot.take() {
                    slots::vacate(slot);
                }
            }
        }
    }
}

/// Whether threads have the same numbers in `/proc` as here: in another namespace than that of `/proc` they do not.
fn are_threads_shown() -> bool {
    numbers::thread().is_some_and(|own| Path::new("/proc/self/task").join(own.to_string()).exists())
}

/// Whether this process has a thread beside the first and the agent's.
fn has_threads() -> bool {
    // Two links, and one for each thread.
    let threads = fs::metadata("/proc/self/task").map_or(u64::MAX, |about| about.nlink());
    threads > 2 + 2
}
