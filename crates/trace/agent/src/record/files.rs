//! The files of a recorded process.
#![expect(unsafe_code, reason = "files are mapped")]

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use perflab_abi::recording::{
    FOR_FILE, LOSSES_FILE, LOSSES_MAGIC, PROCESS_FILE, RING_BLOCK_WORDS, RING_HEAD_BYTES,
    RING_MAGIC, RING_SUFFIX, RINGS_SUFFIX, losses, ring,
};
use perflab_abi::{ChunkHead, ChunkKind, LONGEST_MESSAGE, MessageError, Writer};
use perflab_ring::{HEAD_WORDS, Mode, Reader, word};

use super::slots;
use super::total::Total;
use crate::socket;

/// The least that a file takes; the file of losses, and that of all recordings, take just this.
pub const PAGE: usize = 4096;

/// How often a ring is looked at whose thread is between two blocks.
const LOOKS: u32 = 1000;

/// The directory of a recorded process.
#[derive(Debug)]
pub struct Directory {
    path: PathBuf,
    process: File,
    /// Bytes of that file.
    written: u64,
    total: Total,
    note: Option<String>,
}

/// Where the directories are: with the sockets, if those are in memory, which `$XDG_RUNTIME_DIR` is; else in
/// `/dev/shm`, if that can be used. On a disk, the kernel would stop threads to write their rings back.
///
/// It is asked for each directory: a process may have another user by now.
///
/// Returns why it is not the usual place, too, if so.
fn base() -> Result<(PathBuf, Option<String>), String> {
    let with_sockets = socket::usable_directory()?;
    if !with_sockets.starts_with("/tmp") {
        return Ok((with_sockets, None));
    }
    let shared = PathBuf::from(format!("/dev/shm/perflab-{}", socket::user()));
    match socket::own_directory(&shared) {
        Ok(()) => Ok((shared, None)),
        Err(reason) => {
            let place = with_sockets.display();
            let note = format!("events are kept in {place}, which may be on a disk: {reason}");
            Ok((with_sockets, Some(note)))
        }
    }
}

impl Directory {
    /// Makes that of this process, which may have so many bytes for its rings.
    ///
    /// # Errors
    /// When it cannot be made, with its path.
    pub fn create(of_process: u64) -> Result<Self, String> {
        let (base, note) = base()?;
        let path = base.join(format!("{}{RINGS_SUFFIX}", socket::identity()?));
        // What a program left that this process was before it called exec.
        let _ = fs::remove_dir_all(&path);
        let total = Total::new(base, of_process)?;
        socket::own_directory(&path)?;
        let process = total.take_directory().and_then(|()| {
            new_file(&path.join(PROCESS_FILE))
                .map_err(|error| format!("{} cannot be written: {error}", path.display()))
        });
        let process = process.inspect_err(|_| {
            let _ = fs::remove_dir_all(&path);
        })?;
        Ok(Self {
            path,
            process,
            written: 0,
            total,
            note,
        })
    }

    /// Why it is not in the usual place, if so.
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// What all recordings of the user take together.
    pub fn total(&self) -> &Total {
        &self.total
    }

    /// From now on this process may have so many bytes for its rings.
    pub fn set_of_process(&mut self, bytes: u64) {
        self.total.set_of_process(bytes);
    }

    /// In the child of a fork all files are the parent's: they are not closed, as here their numbers may be the program's.
    pub fn leave_to_parent(self) {
        std::mem::forget(self.process);
        self.total.leave_to_parent();
    }

    /// Removes it with all that is in it. What is mapped stays so.
    pub fn remove(&self) {
        let _ = fs::remove_dir_all(&self.path);
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends a chunk to the process's file. Returns it.
    ///
    /// # Errors
    /// When it cannot be written, or is too long.
    pub fn append(
        &mut self,
        kind: ChunkKind,
        content: impl FnOnce(&mut Writer<'_>) -> Result<(), MessageError>,
    ) -> Result<Vec<u8>, String> {
        let mut buffer = vec![0; LONGEST_MESSAGE as usize];
        let mut writer = Writer::new(&mut buffer);
        content(&mut writer).map_err(|error| error.to_string())?;
        let written = writer.written();
        let content = &buffer[..written];
        let head = ChunkHead::of(kind, 1, content).map_err(|error| error.to_string())?;
        let mut chunk = head.encode().to_vec();
        chunk.extend_from_slice(content);
        self.append_chunks(&chunk)?;
        Ok(chunk)
    }

    /// Appends chunks as [`Directory::append`] returned them.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn append_chunks(&mut self, chunks: &[u8]) -> Result<(), String> {
        let result = self.append_pages(chunks);
        match result {
            Ok(()) => self.written += chunks.len() as u64,
            // Nobody can read what follows half a chunk.
            Err(_) => drop(self.process.set_len(self.written)),
        }
        result
    }

    /// Page by page, as one is counted ahead.
    fn append_pages(&mut self, mut bytes: &[u8]) -> Result<(), String> {
        let mut end = self.written;
        while !bytes.is_empty() {
            let in_page = end % PAGE as u64;
            if in_page == 0 && end > 0 {
                self.total.take(PAGE as u64)?;
            }
            let (part, rest) = bytes.split_at(bytes.len().min(PAGE - in_page as usize));
            self.process
                .write_all(part)
                .map_err(|error| format!("{} cannot be written: {error}", self.path.display()))?;
            end += part.len() as u64;
            bytes = rest;
        }
        Ok(())
    }

    /// Says for whom events are kept.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn keep_for(&self, whom: &str) -> Result<(), String> {
        // Whole when it has its name.
        let (path, new) = (self.path.join(FOR_FILE), self.path.join(".for"));
        new_file(&new)
            .and_then(|mut file| file.write_all(whom.as_bytes()))
            .and_then(|()| fs::rename(&new, &path))
            .map_err(|error| format!("{} cannot be written: {error}", path.display()))
    }

    /// Counts events without a ring in a file of its own.
    ///
    /// # Errors
    /// When the file cannot be made.
    pub fn count_losses(&self) -> Result<(), String> {
        let memory = mapped(&self.path.join(LOSSES_FILE), PAGE, || Ok(()))?;
        // SAFETY: a page of words was mapped, for good.
        unsafe {
            (*memory.add(losses::MAGIC)).store(LOSSES_MAGIC, Ordering::Release);
            slots::set_losses(memory);
        }
        Ok(())
    }
}

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
    ) -> Result<Self, String> {
        let path = directory.path.join(format!("{number}{RING_SUFFIX}"));
        let bytes = Self::bytes(log);
        let take = || directory.total.take(bytes as u64);
        let memory = mapped(&path, bytes, take).inspect_err(|_| {
            let _ = fs::remove_file(&path);
        })?;
        let ring = Self { path, memory, log };
        if !perflab_ring::begin(ring.head(), ring.blocks(), RING_BLOCK_WORDS) {
            return Err("a ring needs two blocks or more".to_owned());
        }
        ring.head()[ring::BLOCKS].store(1 << log, Ordering::Relaxed);
        ring.set_mode(mode);
        ring.head()[ring::MAGIC].store(RING_MAGIC, Ordering::Release);
        Ok(ring)
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

    /// A recording of this kind begins: what became of events before is no matter of it.
    pub fn begin(&self, mode: Mode) {
        let head = self.head();
        let Some(reader) = Reader::new(head, self.blocks(), RING_BLOCK_WORDS) else {
            return;
        };
        // Its thread is between two blocks for some instructions only, unless it is stopped there.
        let events = (0..LOOKS).find_map(|_| {
            let events = reader.events();
            if events.is_none() {
                std::thread::yield_now();
            }
            events
        });
        let before = match mode {
            Mode::Keep => {
                let dropped = reader.dropped();
                head[ring::DROPPED_BEFORE_KEPT].store(dropped, Ordering::Relaxed);
                ring::BEFORE_KEPT
            }
            Mode::Overwrite => ring::BEFORE_OVERWRITTEN,
        };
        if let Some(events) = events {
            head[before].store(events, Ordering::Release);
        }
    }

    /// Events since the process records on its own, those too that others were written over.
    pub fn events(&self) -> u64 {
        let head = self.head();
        let reader = Reader::new(head, self.blocks(), RING_BLOCK_WORDS);
        let events = reader.and_then(|reader| reader.events()).unwrap_or(0);
        events.saturating_sub(head[ring::BEFORE_OVERWRITTEN].load(Ordering::Relaxed))
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
        // SAFETY: it was mapped so. Of this process's threads only the calling one may have it: atomics that change.
        unsafe {
            libc::mmap(
                self.memory.cast_mut().cast(),
                Self::bytes(self.log),
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED,
                -1,
                0,
            );
        }
    }

    fn unmap(self) {
        // SAFETY: it was mapped so, and nobody uses it.
        unsafe { libc::munmap(self.memory.cast_mut().cast(), Self::bytes(self.log)) };
    }
}

fn new_file(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .read(true)
        .append(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
}

/// Makes a file of zeros and maps it. It has its length before its memory is taken, and all its memory is there then: a
/// write must not fail later.
fn mapped(
    path: &Path,
    bytes: usize,
    take: impl FnOnce() -> Result<(), String>,
) -> Result<*const AtomicU64, String> {
    let failed = |error: io::Error| {
        format!(
            "{} of {} KiB cannot be made: {error}",
            path.display(),
            bytes >> 10
        )
    };
    let file = new_file(path).map_err(failed)?;
    file.set_len(bytes as u64).map_err(failed)?;
    take()?;
    // SAFETY: a file that is open.
    let result = unsafe { libc::posix_fallocate(file.as_raw_fd(), 0, bytes as libc::off_t) };
    if result != 0 {
        return Err(failed(io::Error::from_raw_os_error(result)));
    }
    // SAFETY: a new mapping of a file that has these bytes.
    let memory = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            bytes,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_SHARED | libc::MAP_POPULATE,
            file.as_raw_fd(),
            0,
        )
    };
    if memory == libc::MAP_FAILED {
        return Err(failed(io::Error::last_os_error()));
    }
    Ok(memory.cast())
}
