//! Memory for native code. None of it is mapped so that it can be written, at any address and at any time.
//!
//! 1. A file in memory gets the code and seals, so that nobody can change it any more. It is mapped for reading and
//!    executing, and closed.
//! 2. Where there can be no such file, pages that are executable and were never writable get the code through
//!    `/proc/self/mem`.
//!
//! Both work in a process that has given up making writable memory executable (`PR_SET_MDWE`). A child of a fork has
//! the same code, whatever its parent does later.
#![expect(unsafe_code, reason = "memory is mapped and unmapped")]

use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use std::ffi::c_void;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::{AsRawFd, FromRawFd, RawFd};
use std::os::unix::fs::FileExt;
use std::ptr::null_mut;

use libc::{c_int, c_long, c_uint};

use crate::emitter::{Emitted, INT3, Table};
use crate::texts::PAGE;

/// Whether a system call may be made, with its number and its arguments: a filter of system calls may end the process
/// for it. Asked before each call that programs seldom make.
pub type May<'m> = &'m mut dyn FnMut(c_long, [c_long; 6]) -> io::Result<()>;

/// Whole pages with code, unmapped when they are dropped.
#[derive(Debug)]
struct Pages {
    start: usize,
    bytes: usize,
}

impl Pages {
    /// Maps code. The rest of the last page traps.
    fn with(code: &[u8], may: May<'_>) -> Result<Self, Vec<String>> {
        let mut pages = code.to_vec();
        pages.resize(code.len().next_multiple_of(PAGE), INT3);
        let by_file = match Self::by_file(&pages, may) {
            Ok(pages) => return Ok(pages),
            Err(error) => format!("a file in memory: {error}"),
        };
        let by_memory = match Self::by_memory(&pages, may) {
            Ok(pages) => return Ok(pages),
            Err(error) => format!("pages written through /proc/self/mem: {error}"),
        };
        Err(alloc::vec![by_file, by_memory])
    }

    /// The first way.
    fn by_file(code: &[u8], may: May<'_>) -> io::Result<Self> {
        // For a file that is too large the kernel would send a signal, which ends most programs.
        let arguments = [0, c_long::from(libc::RLIMIT_FSIZE), 0, 0, 0, 0];
        may(libc::SYS_prlimit64, arguments)?;
        if largest_file() < code.len() as u64 {
            return Err(io::Error::other(
                "the process may write no files of that size",
            ));
        }
        let file = memory_file(may)?;
        (&file).write_all(code)?;
        let seals =
            libc::F_SEAL_WRITE | libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;
        let (number, command) = (file.as_raw_fd(), libc::F_ADD_SEALS);
        // No file is named: the call may be tried in a child, and the child's seals would be this file's.
        let arguments = [-1, command, seals, 0, 0, 0].map(c_long::from);
        may(libc::SYS_fcntl, arguments)?;
        // SAFETY: the file is this function's own.
        if unsafe { libc::fcntl(number, command, seals) } != 0 {
            return Err(io::Error::last_os_error());
        }
        Self::mapped(code.len(), libc::MAP_PRIVATE, number, may)
    }

    /// The second way.
    fn by_memory(code: &[u8], may: May<'_>) -> io::Result<Self> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        let pages = Self::mapped(code.len(), flags, -1, may)?;
        let memory = OpenOptions::new().write(true).open("/proc/self/mem")?;
        memory.write_all_at(code, pages.start as u64)?;
        Ok(pages)
    }

    /// Maps pages, of a file or not.
    fn mapped(bytes: usize, flags: c_int, file: RawFd, may: May<'_>) -> io::Result<Self> {
        let protection = libc::PROT_READ | libc::PROT_EXEC;
        let [c, d, e] = [protection, flags, file].map(c_long::from);
        may(libc::SYS_mmap, [0, bytes as c_long, c, d, e, 0])?;
        // SAFETY: new memory.
        let start = unsafe { libc::mmap(null_mut(), bytes, protection, flags, file, 0) };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let start = start as usize;
        Ok(Self { start, bytes })
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: they were mapped so, and nobody is in the code any more.
        unsafe { libc::munmap(self.start as *mut c_void, self.bytes) };
    }
}

/// Native code of a filter. It is dropped only when no thread is in it, or will be.
#[derive(Debug)]
pub struct Code {
    // Before what its instructions refer to.
    pages: Pages,
    entry: usize,
    table: Arc<Table>,
}

impl Code {
    /// Where it begins: jumped to, as [`crate::emit`] says.
    pub fn entry(&self) -> *const () {
        (self.pages.start + self.entry) as *const ()
    }

    /// Bytes that are mapped.
    pub fn bytes(&self) -> usize {
        self.pages.bytes
    }

    /// Bytes of memory that it takes, without the program that it was made of.
    pub fn memory(&self) -> usize {
        size_of_val(self) + self.bytes() + self.table.bytes()
    }
}

/// Makes code executable.
///
/// # Errors
/// A reason for each way that failed.
pub fn publish(emitted: Emitted, may: May<'_>) -> Result<Code, Vec<String>> {
    let pages = Pages::with(emitted.bytes(), may)?;
    Ok(Code {
        pages,
        entry: emitted.entry(),
        table: emitted.table,
    })
}

/// A file that is nowhere but in memory.
fn memory_file(may: May<'_>) -> io::Result<File> {
    let name = c"perflab-filter".as_ptr() as c_long;
    let mut with = |flags: c_uint| -> io::Result<File> {
        let flags = c_long::from(flags);
        may(libc::SYS_memfd_create, [name, flags, 0, 0, 0, 0])?;
        // SAFETY: it makes a file; the name stays.
        let number = unsafe { libc::syscall(libc::SYS_memfd_create, name, flags) };
        if number < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: nobody else has the file.
        Ok(unsafe { File::from_raw_fd(number as RawFd) })
    };
    let flags = libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING;
    match with(flags | libc::MFD_EXEC) {
        // Kernels before 6.3 do not know this flag, and their files can all be executed.
        Err(error) if error.raw_os_error() == Some(libc::EINVAL) => with(flags),
        made => made,
    }
}

/// Most bytes of a file that the process may write.
fn largest_file() -> u64 {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: it writes the limit.
    let result = unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &raw mut limit) };
    if result == 0 {
        limit.rlim_cur
    } else {
        u64::MAX
    }
}
