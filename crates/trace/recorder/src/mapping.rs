//! Memory of a file that another process writes to, and may cut short at any moment.
//!
//! To touch a page that a file no longer has is a fault: SIGBUS. A handler puts zeros in the place of the page,
//! so that the thread goes on, and marks the mapping as broken. Faults elsewhere are left to whoever handled
//! them before.
#![expect(
    unsafe_code,
    reason = "memory that is shared, and the signal that it is gone"
)]

use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::AsRawFd;
use std::ptr::{self, NonNull};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// Mappings that a process may have at the same time.
const MOST: usize = 16 * 1024;

/// Bytes of the smallest page that a processor of ours has; a larger one is asked for, see [`install`].
static PAGE: AtomicUsize = AtomicUsize::new(4096);

/// Where a mapping is, for the handler. A place is taken as long as `start` is not zero, and counts as soon
/// as `end` is not.
struct Region {
    start: AtomicUsize,
    end: AtomicUsize,
    is_broken: AtomicBool,
}

static REGIONS: [Region; MOST] = [const {
    Region {
        start: AtomicUsize::new(0),
        end: AtomicUsize::new(0),
        is_broken: AtomicBool::new(false),
    }
}; MOST];

/// What was done at SIGBUS before.
static FORMER: OnceLock<libc::sigaction> = OnceLock::new();

/// What may be done with the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// It is read.
    Read,
    /// It is written too.
    Write,
}

/// The words of a file, shared with whoever else maps it.
#[derive(Debug)]
pub struct Mapping {
    start: NonNull<AtomicU64>,
    words: usize,
    access: Access,
    region: &'static Region,
}

impl std::fmt::Debug for Region {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:x?}", self.start)
    }
}

// SAFETY: the memory is accessed by atomic operations alone, from whatever thread.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// Maps the first words of a file.
    ///
    /// # Errors
    /// When the kernel refuses it, or there are too many mappings.
    pub fn of(file: &File, words: usize, access: Access) -> io::Result<Self> {
        install()?;
        let bytes = words * size_of::<u64>();
        let region = take_region().ok_or_else(|| {
            let reason = format!("more than {MOST} files are mapped");
            io::Error::new(io::ErrorKind::OutOfMemory, reason)
        })?;
        let protection = match access {
            Access::Read => libc::PROT_READ,
            Access::Write => libc::PROT_READ | libc::PROT_WRITE,
        };
        let (any, shared, file) = (ptr::null_mut(), libc::MAP_SHARED, file.as_raw_fd());
        // SAFETY: a new mapping, at an address that the kernel chooses, takes nothing away.
        let start = unsafe { libc::mmap(any, bytes, protection, shared, file, 0) };
        let start = match NonNull::new(start) {
            Some(start) if start.as_ptr() != libc::MAP_FAILED => start,
            _ => {
                let error = io::Error::last_os_error();
                region.start.store(0, Ordering::Release);
                return Err(error);
            }
        };
        let address = start.as_ptr() as usize;
        region.start.store(address, Ordering::Relaxed);
        region.end.store(address + bytes, Ordering::Release);
        Ok(Self {
            start: start.cast(),
            words,
            access,
            region,
        })
    }

    /// The words.
    pub fn words(&self) -> &[AtomicU64] {
        // SAFETY: so many words are mapped, from the beginning of a page on, as long as this lives: `munmap` is
        // in `drop`, and the handler only puts other pages in their place. Others write to them at any time,
        // which atomics allow. Zeros, and any other bits, are valid.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.words) }
    }

    /// Writes a word, if the file is mapped for that.
    pub fn store(&self, index: usize, value: u64) {
        if self.access == Access::Write
            && let Some(word) = self.words().get(index)
        {
            word.store(value, Ordering::Release);
        }
    }

    /// Whether a part of the file was missing when it was accessed. That part is zeros since then.
    pub fn is_broken(&self) -> bool {
        self.region.is_broken.load(Ordering::Acquire)
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // From here on the handler does not know it, and nobody accesses it.
        self.region.end.store(0, Ordering::Release);
        let bytes = self.words * size_of::<u64>();
        // SAFETY: what `of` mapped; all that borrowed it has ended.
        unsafe { libc::munmap(self.start.as_ptr().cast(), bytes) };
        self.region.start.store(0, Ordering::Release);
    }
}

/// A place in the table that is free.
fn take_region() -> Option<&'static Region> {
    let region = REGIONS.iter().find(|region| {
        let (free, taken) = (0, 1);
        let start = &region.start;
        start.load(Ordering::Relaxed) == free
            && start
                .compare_exchange(free, taken, Ordering::AcqRel, Ordering::Relaxed)
                .is_ok()
    })?;
    region.is_broken.store(false, Ordering::Release);
    Some(region)
}

/// Installs the handler, once in a process.
fn install() -> io::Result<()> {
    static INSTALLED: OnceLock<Result<(), i32>> = OnceLock::new();
    let installed = INSTALLED.get_or_init(|| {
        // SAFETY: it asks for a number.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        if let Ok(page) = usize::try_from(page) {
            PAGE.store(page, Ordering::Relaxed);
        }
        let failed = || io::Error::last_os_error().raw_os_error().unwrap_or(0);
        let mut former = MaybeUninit::<libc::sigaction>::zeroed();
        // SAFETY: no new action is given, and there is room for the present one.
        if unsafe { libc::sigaction(libc::SIGBUS, ptr::null(), former.as_mut_ptr()) } != 0 {
            return Err(failed());
        }
        // SAFETY: zeros are an action, and the kernel has written one.
        FORMER.get_or_init(|| unsafe { former.assume_init() });
        // SAFETY: zeros are an action: no flags, an empty mask.
        let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
        let handler: extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void) = handle;
        action.sa_sigaction = handler as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        // SAFETY: `handle` is a handler with three arguments, as the flags say, and does only what a handler may.
        match unsafe { libc::sigaction(libc::SIGBUS, &raw const action, ptr::null_mut()) } {
            0 => Ok(()),
            _ => Err(failed()),
        }
    });
    installed.map_err(io::Error::from_raw_os_error)
}

/// The handler of SIGBUS. It loads and stores atomics, and makes system calls that a handler may.
extern "C" fn handle(signal: i32, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: the kernel gives a handler with three arguments what it knows of the signal.
    let (code, address) = unsafe { ((*info).si_code, (*info).si_addr() as usize) };
    if code > 0 && mend(address) {
        return;
    }
    if let Some(former) = FORMER.get() {
        // SAFETY: the action is what the kernel gave. A fault happens again when the handler returns.
        unsafe { libc::sigaction(signal, former, ptr::null_mut()) };
    }
    if code <= 0 {
        // SAFETY: somebody sent the signal, which does not happen again by itself: this sends it, to be
        // delivered when the handler returns.
        unsafe { libc::raise(signal) };
    }
}

/// Puts zeros where a page of a mapping is missing. Returns whether the address is in one.
fn mend(address: usize) -> bool {
    let found = REGIONS.iter().find(|region| {
        let end = region.end.load(Ordering::Acquire);
        let start = region.start.load(Ordering::Relaxed);
        start <= address && address < end
    });
    let Some(region) = found else {
        return false;
    };
    region.is_broken.store(true, Ordering::Release);
    let page = PAGE.load(Ordering::Relaxed);
    let start = (address & !(page - 1)) as *mut libc::c_void;
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
    // SAFETY: every thread has its own.
    let errno = unsafe { libc::__errno_location() };
    // SAFETY: as above. The page is one of a mapping of ours, in which a thread stands that holds it by a
    // reference; it keeps its address and becomes zeros.
    unsafe {
        let before = *errno;
        let mapped = libc::mmap(start, page, protection, flags, -1, 0);
        *errno = before;
        mapped != libc::MAP_FAILED
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(words: usize) -> File {
        let file = tempfile::tempfile().unwrap();
        file.set_len(words as u64 * 8).unwrap();
        file
    }

    #[test]
    fn what_is_cut_off_becomes_zeros() {
        let file = file(1024);
        let mapping = Mapping::of(&file, 1024, Access::Write).unwrap();
        for word in mapping.words() {
            word.store(7, Ordering::Relaxed);
        }
        file.set_len(4096).unwrap();
        assert!(!mapping.is_broken());
        let of = |index: usize| mapping.words()[index].load(Ordering::Relaxed);
        assert_eq!((of(511), of(512), of(1023)), (7, 0, 0));
        assert!(mapping.is_broken());
        mapping.store(1000, 5);
        assert_eq!(of(1000), 5);
        // The next one in the same place of the table is whole.
        drop(mapping);
        assert!(!Mapping::of(&file, 512, Access::Read).unwrap().is_broken());
    }

    #[test]
    fn what_is_only_read_is_not_written() {
        let file = file(512);
        let mapping = Mapping::of(&file, 512, Access::Read).unwrap();
        mapping.store(1, 1);
        mapping.store(600, 1);
        assert_eq!(mapping.words()[1].load(Ordering::Relaxed), 0);
    }
}
