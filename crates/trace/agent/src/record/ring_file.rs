//! A ring in a file.
#![expect(unsafe_code, reason = "the file is mapped")]

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use perflab_abi::recording::{RING_BLOCK_WORDS, RING_HEAD_BYTES, RING_MAGIC, RING_SUFFIX, ring};
use perflab_ring::{HEAD_WORDS, Mode, Reader, word};

use super::before::Begin;
use super::directory::{Directory, mapped};
use super::no_file::NoFile;
use super::slots;
use crate::pages::replace;

/// How often a ring is looked at whose thread comes to another block meanwhile.
const LOOKS: u32 = 1000;

/// A mapped ring file.
#[derive(Debug)]
pub struct RingFile {
    path: PathBuf,
    memory: *const AtomicU64,
    log: u32,
}

// SAFETY: the memory is atomics only.
unsafe impl Send for RingFile {}

impl RingFile {
    /// Bytes of a ring of `1 << log` blocks.
    pub fn bytes(log: u32) -> usize {
        RING_HEAD_BYTES + ((RING_BLOCK_WORDS * 8) << log)
    }

    /// Makes one, with no event in it.
    ///
    /// # Errors
    /// When there is no room for it.
    pub fn create(
        directory: &Directory,
        number: u64,
        log: u32,
        mode: Mode,
    ) -> Result<Self, NoFile> {
        let path = directory.path().join(format!("{number}{RING_SUFFIX}"));
        let bytes = Self::bytes(log);
        let take = || directory.total().take(bytes as u64);
        let memory = mapped(&path, bytes, take).inspect_err(|_| {
            let _ = fs::remove_file(&path);
        })?;
        let ring = Self { path, memory, log };
        if !perflab_ring::begin(ring.head(), ring.blocks(), RING_BLOCK_WORDS) {
            return Err(NoFile::of("a ring needs two blocks or more"));
        }
        ring.head()[ring::BLOCKS].store(1 << log, Ordering::Relaxed);
        ring.set_mode(mode);
        ring.head()[ring::MAGIC].store(RING_MAGIC, Ordering::Release);
        Ok(ring)
    }

    /// Bytes of this one.
    pub fn size(&self) -> u64 {
        Self::bytes(self.log) as u64
    }

    /// The words of its head.
    pub fn head(&self) -> &[AtomicU64] {
        // SAFETY: a page at least was mapped, and is until `self` goes.
        unsafe { std::slice::from_raw_parts(self.memory, HEAD_WORDS) }
    }

    fn blocks(&self) -> &[AtomicU64] {
        let words = RING_BLOCK_WORDS << self.log;
        // SAFETY: this much was mapped, and is until `self` goes.
        unsafe { std::slice::from_raw_parts(self.memory.byte_add(RING_HEAD_BYTES), words) }
    }

    /// What becomes of events when it is full. A reader that comes finds what is written from now on.
    pub fn set_mode(&self, mode: Mode) {
        let head = self.head();
        if mode == Mode::Keep {
            let position = head[word::POSITION].load(Ordering::Acquire);
            let block = perflab_ring::Position::from_word(position).block;
            head[word::NEEDED].store(block, Ordering::Release);
        }
        head[word::MODE].store(mode.to_word(), Ordering::Release);
    }

    /// A recording begins: what became of events before is no matter of it.
    pub fn begin(&self, begin: Begin) {
        let head = self.head();
        let Some(reader) = Reader::new(head, self.blocks(), RING_BLOCK_WORDS) else {
            return;
        };
        // Nothing is found if its thread comes to another block just then.
        let events = (0..LOOKS).find_map(|_| {
            let events = reader.events();
            if events.is_none() {
                std::thread::yield_now();
            }
            events
        });
        let dropped = [
            ring::DROPPED_BEFORE_KEPT,
            ring::DROPPED_BEFORE_OVERWRITTEN,
            ring::DROPPED_OTHERS_BEFORE_KEPT,
        ];
        begin.write(reader.dropped(), dropped.map(|word| &head[word]));
        if let Some(events) = events {
            match begin {
                Begin::Own => head[ring::EARLIER].store(0, Ordering::Relaxed),
                Begin::Kept => self.note_earlier(),
                Begin::OwnAgain => {}
            }
            begin.write(events, self.before());
        }
    }

    /// Notes which events the last recorder had, before another one's take their place.
    fn note_earlier(&self) {
        let head = self.head();
        let [from, to, _] = self.before().map(|word| word.load(Ordering::Relaxed));
        if to > from {
            let earlier = head[ring::EARLIER].load(Ordering::Relaxed);
            let place = earlier as usize % (ring::EARLIER_EVENTS.len() / 2);
            let at = ring::EARLIER_EVENTS.start + 2 * place;
            head[at].store(from, Ordering::Relaxed);
            head[at + 1].store(to, Ordering::Relaxed);
            head[ring::EARLIER].store(earlier.wrapping_add(1), Ordering::Release);
        }
    }

    fn before(&self) -> [&AtomicU64; 3] {
        [
            ring::BEFORE_KEPT,
            ring::BEFORE_OVERWRITTEN,
            ring::OTHERS_BEFORE_KEPT,
        ]
        .map(|word| &self.head()[word])
    }

    /// Events that the process has recorded on its own, those too that others were written over. `mode`: that of the
    /// recording that goes on.
    pub fn own_events(&self, mode: Mode) -> u64 {
        let [kept, overwritten, others] = self.before().map(|word| word.load(Ordering::Relaxed));
        let earlier = kept.saturating_sub(others);
        if mode == Mode::Keep {
            return earlier;
        }
        let reader = Reader::new(self.head(), self.blocks(), RING_BLOCK_WORDS);
        let events = reader.and_then(|reader| reader.events()).unwrap_or(0);
        earlier.saturating_add(events.saturating_sub(overwritten.max(kept)))
    }

    /// Offers it to threads; nothing if there are too many.
    pub fn offer(&self) -> Option<usize> {
        // SAFETY: it stays mapped until `remove`, before which it was withdrawn, or its thread has ended.
        unsafe { slots::offer(self.memory, self.log) }
    }

    /// Unmaps it and removes the file. No thread writes to it any more.
    pub fn remove(self) {
        let _ = fs::remove_file(&self.path);
        self.unmap();
    }

    /// Puts memory of its own in the place of the parent's ring, in the child of a fork: files that were removed take
    /// memory for as long as somebody maps them. A handler that forked in the middle of an event goes on there, too.
    pub fn leave_to_parent(self) {
        // SAFETY: it was mapped so. Of this process's threads only the calling one may have it.
        unsafe { replace(self.memory.cast_mut().cast(), Self::bytes(self.log)) };
    }

    /// Unmaps it. Its file was removed, and another one may have its name. No thread writes to it any more.
    pub fn unmap(self) {
        // SAFETY: it was mapped so, and nobody uses it.
        unsafe { libc::munmap(self.memory.cast_mut().cast(), Self::bytes(self.log)) };
    }
}
