//! The directory of a recorded process, and what it says of itself there.
#![expect(unsafe_code, reason = "files are mapped")]

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use perflab_abi::recording::{
    FOR_FILE, LOSSES_FILE, LOSSES_MAGIC, PROCESS_FILE, RINGS_SUFFIX, losses as losses_word,
};
use perflab_abi::{ChunkHead, ChunkKind, LONGEST_MESSAGE, MessageError, Writer};

use super::losses;
use super::no_file::NoFile;
use super::total::Total;
use crate::pages::{PAGE, map_file};
use crate::{directories, numbers};

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
    let with_sockets = directories::for_sockets()?;
    if !with_sockets.starts_with("/tmp") {
        return Ok((with_sockets, None));
    }
    let shared = PathBuf::from(format!("/dev/shm/perflab-{}", numbers::user()));
    match directories::own(&shared) {
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
        let path = base.join(format!("{}{RINGS_SUFFIX}", numbers::identity()?));
        // What a program left that this process was before it called exec.
        let _ = fs::remove_dir_all(&path);
        let total = Total::new(base, of_process)?;
        directories::own(&path)?;
        let process = total.take_directory().map_err(String::from).and_then(|()| {
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

    /// Whether somebody removed it.
    pub fn is_removed(&self) -> bool {
        self.process
            .metadata()
            .is_ok_and(|about| about.nlink() == 0)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends a chunk of version 1 to the process's file. Returns it.
    ///
    /// # Errors
    /// When it cannot be written, or is too long.
    pub fn append(
        &mut self,
        kind: ChunkKind,
        content: impl FnOnce(&mut Writer<'_>) -> Result<(), MessageError>,
    ) -> Result<Vec<u8>, String> {
        self.append_versioned(kind, 1, content)
    }

    /// The same of a chunk of any version.
    ///
    /// # Errors
    /// As there.
    pub fn append_versioned(
        &mut self,
        kind: ChunkKind,
        version: u16,
        content: impl FnOnce(&mut Writer<'_>) -> Result<(), MessageError>,
    ) -> Result<Vec<u8>, String> {
        let mut buffer = vec![0; LONGEST_MESSAGE as usize];
        let mut writer = Writer::new(&mut buffer);
        content(&mut writer).map_err(|error| error.to_string())?;
        let written = writer.written();
        let content = &buffer[..written];
        let head = ChunkHead::of(kind, version, content).map_err(|error| error.to_string())?;
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
            (*memory.add(losses_word::KNOWS_FILTERS)).store(1, Ordering::Relaxed);
            (*memory.add(losses_word::MAGIC)).store(LOSSES_MAGIC, Ordering::Release);
            losses::count_in(memory);
        }
        Ok(())
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

/// Makes a file of zeros and maps it. It has its length before its memory is taken.
///
/// # Errors
/// When there is no room for it.
pub fn mapped(
    path: &Path,
    bytes: usize,
    take: impl FnOnce() -> Result<(), NoFile>,
) -> Result<*const AtomicU64, NoFile> {
    let failed = |error: io::Error| {
        let reason = format!(
            "{} of {} KiB cannot be made: {error}",
            path.display(),
            bytes >> 10
        );
        NoFile::from_system(reason, &error)
    };
    let file = new_file(path).map_err(failed)?;
    file.set_len(bytes as u64).map_err(failed)?;
    take()?;
    let memory = map_file(&file, bytes, libc::MAP_POPULATE).map_err(failed)?;
    Ok(memory.cast())
}
