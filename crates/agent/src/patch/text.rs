//! Reads and writes the code of this process.
#![expect(unsafe_code, reason = "code is memory that is found by address")]

use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicU64, Ordering};

use perflab_probe_abi::{SITE_HEAD, SITE_LENGTH};

/// How code is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writing {
    /// `/proc/self/mem`: the pages stay as they are, never writable. Not one store, so only for bytes
    /// that nobody executes, or one at a time.
    Memory,
    /// The pages are writable and executable for a moment.
    Protection,
}

impl Writing {
    /// As it is shown.
    pub fn name(self) -> &'static str {
        match self {
            Self::Memory => "/proc/self/mem",
            Self::Protection => "writable pages",
        }
    }
}

/// Code that is open for writing, until this goes.
#[derive(Debug)]
pub enum Text {
    /// See [`Writing::Memory`].
    Memory(File),
    /// See [`Writing::Protection`]: the pages, with the protection that they had.
    Protection(Vec<(usize, i32)>),
}

const PAGE: usize = 4096;

/// Five bytes of code.
pub fn read(address: usize) -> [u8; SITE_LENGTH] {
    // SAFETY: sites lie in an object that is mapped; bytes have no invalid values. Volatile, as they
    // change behind the compiler's back.
    unsafe { std::ptr::read_volatile(address as *const [u8; SITE_LENGTH]) }
}

impl Text {
    /// Opens the pages of these sites.
    ///
    /// # Errors
    /// When the kernel refuses.
    pub fn open(writing: Writing, addresses: &[usize]) -> Result<Self, String> {
        match writing {
            Writing::Memory => {
                let file = OpenOptions::new().write(true).open("/proc/self/mem");
                file.map(Self::Memory)
                    .map_err(|error| format!("/proc/self/mem cannot be opened: {error}"))
            }
            Writing::Protection => {
                let maps = Maps::read()?;
                let mut pages: Vec<usize> = addresses
                    .iter()
                    .flat_map(|address| [*address, address + SITE_LENGTH - 1])
                    .map(|address| address & !(PAGE - 1))
                    .collect();
                pages.sort_unstable();
                pages.dedup();
                let mut opened = Self::Protection(Vec::new());
                for page in pages {
                    let before = maps.protection(page);
                    let result = protect(
                        page,
                        before | libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC,
                    );
                    if let Err(error) = result {
                        return Err(format!("code cannot be made writable: {error}"));
                    }
                    if let Self::Protection(pages) = &mut opened {
                        pages.push((page, before));
                    }
                }
                Ok(opened)
            }
        }
    }

    /// Writes bytes that nobody executes, or one byte.
    ///
    /// # Errors
    /// When the kernel refuses.
    pub fn write(&self, address: usize, bytes: &[u8]) -> Result<(), String> {
        match self {
            Self::Memory(file) => file
                .write_all_at(bytes, address as u64)
                .map_err(|error| format!("the code at {address:#x} cannot be written: {error}")),
            Self::Protection(_) => {
                for (index, byte) in bytes.iter().enumerate() {
                    // SAFETY: the page is open, and the bytes are a site's.
                    unsafe { std::ptr::write_volatile((address + index) as *mut u8, *byte) };
                }
                Ok(())
            }
        }
    }

    /// Writes the first two bytes of a site with one store of the eight aligned bytes around them.
    ///
    /// # Errors
    /// When the code was not opened by [`Writing::Protection`].
    pub fn write_head(&self, address: usize, bytes: [u8; SITE_HEAD]) -> Result<(), String> {
        if !matches!(self, Self::Protection(_)) {
            return Err("a store of several bytes at once needs writable pages".to_owned());
        }
        let (start, within) = (address & !7, address & 7);
        // SAFETY: aligned, and on the site's page, which is open.
        let word = unsafe { AtomicU64::from_ptr(start as *mut u64) };
        let mut value = word.load(Ordering::Relaxed).to_ne_bytes();
        let Some(place) = value.get_mut(within..within + SITE_HEAD) else {
            return Err(format!(
                "the first bytes of the site at {address:#x} do not lie within eight aligned ones"
            ));
        };
        place.copy_from_slice(&bytes);
        word.store(u64::from_ne_bytes(value), Ordering::Release);
        Ok(())
    }
}

impl Drop for Text {
    /// Gives the pages the protection that they had.
    fn drop(&mut self) {
        if let Self::Protection(pages) = self {
            for (page, before) in pages {
                // A page that stays writable is no harm to the program; there is nobody to tell.
                let _ = protect(*page, *before);
            }
        }
    }
}

fn protect(page: usize, protection: i32) -> std::io::Result<()> {
    // SAFETY: the page is code of an object that stays, and keeps being executable.
    let result = unsafe { libc::mprotect(page as *mut _, PAGE, protection) };
    if result == 0 {
        Ok(())
    } else {
        Err(std::io::Error::last_os_error())
    }
}

/// What is mapped, and how.
#[derive(Debug)]
struct Maps(Vec<(usize, usize, i32)>);

impl Maps {
    fn read() -> Result<Self, String> {
        let text = std::fs::read_to_string("/proc/self/maps")
            .map_err(|error| format!("/proc/self/maps cannot be read: {error}"))?;
        Ok(Self(text.lines().filter_map(mapping).collect()))
    }

    fn protection(&self, address: usize) -> i32 {
        let mut maps = self.0.iter();
        let found = maps.find(|(start, end, _)| (*start..*end).contains(&address));
        found.map_or(libc::PROT_READ | libc::PROT_EXEC, |(_, _, protection)| {
            *protection
        })
    }
}

fn mapping(line: &str) -> Option<(usize, usize, i32)> {
    let mut fields = line.split_whitespace();
    let (start, end) = fields.next()?.split_once('-')?;
    let bit = |flag, bit| if flag { bit } else { 0 };
    let flags = fields.next()?;
    let protection = bit(flags.contains('r'), libc::PROT_READ)
        | bit(flags.contains('w'), libc::PROT_WRITE)
        | bit(flags.contains('x'), libc::PROT_EXEC);
    let number = |text| usize::from_str_radix(text, 16).ok();
    Some((number(start)?, number(end)?, protection))
}
