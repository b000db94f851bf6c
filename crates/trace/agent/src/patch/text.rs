//! Reads and writes the code of this process.
#![expect(unsafe_code, reason = "code is memory that is found by address")]

use std::fs::{File, OpenOptions};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicU64, Ordering};

use perflab_abi::{SITE_HEAD, SITE_LENGTH};

use crate::pages::PAGE;

/// How code is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writing {
    /// `/proc/self/mem`: the pages stay as they are, never writable. Not one store, so only for bytes
    /// that nobody executes, or that may be seen one by one.
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
    /// See [`Writing::Protection`].
    Protection(Vec<Run>),
}

/// Pages side by side.
#[derive(Debug, PartialEq, Eq)]
pub struct Run {
    pages: Range<usize>,
    /// What they had.
    protection: i32,
}

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
                // After `chroot` there may be no such file. Code is then taken for what linkers make it, see `around`.
                let maps = match std::fs::exists("/proc/self") {
                    Ok(false) => Maps(Vec::new()),
                    _ => Maps::read()?,
                };
                let mut opened = Vec::new();
                for run in runs(addresses, &maps) {
                    let protection = libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC;
                    let result = protect(&run.pages, run.protection | protection);
                    // A part of them may be open even so.
                    opened.push(run);
                    if let Err(error) = result {
                        drop(Self::Protection(opened));
                        return Err(format!("code cannot be made writable: {error}"));
                    }
                }
                Ok(Self::Protection(opened))
            }
        }
    }

    /// Writes bytes that nobody executes, or that may be seen one by one.
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
    /// Gives the pages the protection that they had, the first of each run before the others. A tracer that
    /// attaches while they are writable is passed over by the kernel, which puts no breakpoint there, and does not
    /// come back when they are as they were. It does look again at what two mappings become that are joined.
    fn drop(&mut self) {
        let Self::Protection(runs) = self else { return };
        for Run { pages, protection } in runs {
            let second = pages.start + PAGE;
            // A page that stays writable is no harm to the program; there is nobody to tell.
            let _ = protect(&(pages.start..second), *protection);
            if second < pages.end {
                let _ = protect(&(second..pages.end), *protection);
            }
        }
    }
}

fn protect(pages: &Range<usize>, protection: i32) -> std::io::Result<()> {
    let start = pages.start as *mut libc::c_void;
    // SAFETY: the pages are code of an object that stays, and keep being executable.
    let result = unsafe { libc::mprotect(start, pages.len(), protection) };
    if result == 0 {
        Ok(())
    } else {
        Err(std::io::Error::last_os_error())
    }
}

/// The pages of these sites. A page that stands alone takes a neighbour with it, where its mapping has one, so that
/// there are two mappings to join afterwards.
fn runs(addresses: &[usize], maps: &Maps) -> Vec<Run> {
    let ends = addresses
        .iter()
        .flat_map(|address| [*address, address + SITE_LENGTH - 1]);
    let mut pages: Vec<usize> = ends.map(|address| address & !(PAGE - 1)).collect();
    pages.sort_unstable();
    pages.dedup();
    let mut runs: Vec<Run> = Vec::new();
    for page in pages {
        let (_, protection) = maps.around(page);
        match runs.last_mut() {
            Some(run) if run.pages.end == page && run.protection == protection => {
                run.pages.end += PAGE;
            }
            _ => runs.push(Run {
                pages: page..page + PAGE,
                protection,
            }),
        }
    }
    for Run { pages, .. } in &mut runs {
        let (mapping, _) = maps.around(pages.start);
        if pages.len() > PAGE {
            continue;
        }
        if pages.end < mapping.end {
            pages.end += PAGE;
        } else if mapping.start < pages.start {
            pages.start -= PAGE;
        }
    }
    runs
}

/// What is mapped, and how; in the order of addresses.
#[derive(Debug)]
pub struct Maps(pub Vec<(Range<usize>, i32)>);

impl Maps {
    /// What is mapped now.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read() -> Result<Self, String> {
        let text = std::fs::read("/proc/self/maps")
            .map_err(|error| format!("/proc/self/maps cannot be read: {error}"))?;
        Ok(Self::parse(&text))
    }

    /// A file's name may be any bytes, but none of them is a line end: the kernel escapes that.
    fn parse(text: &[u8]) -> Self {
        let text = String::from_utf8_lossy(text);
        Self(text.lines().filter_map(mapping).collect())
    }

    /// The addresses of the mapping that an address is in.
    pub fn of(&self, address: usize) -> Option<Range<usize>> {
        self.find(address).map(|(addresses, _)| addresses.clone())
    }

    /// Whether nothing is mapped there.
    pub fn is_free(&self, addresses: &Range<usize>) -> bool {
        let next = self.0.get(self.behind(addresses.start));
        next.is_none_or(|(mapping, _)| mapping.start >= addresses.end)
    }

    /// The mapping of a page, and its protection.
    fn around(&self, page: usize) -> (Range<usize>, i32) {
        let unknown = || (page..page + PAGE, libc::PROT_READ | libc::PROT_EXEC);
        self.find(page).cloned().unwrap_or_else(unknown)
    }

    fn find(&self, address: usize) -> Option<&(Range<usize>, i32)> {
        let found = self.0.get(self.behind(address));
        found.filter(|(addresses, _)| addresses.contains(&address))
    }

    /// The first mapping that ends behind an address.
    fn behind(&self, address: usize) -> usize {
        self.0
            .partition_point(|(addresses, _)| addresses.end <= address)
    }
}

fn mapping(line: &str) -> Option<(Range<usize>, i32)> {
    let mut fields = line.split_whitespace();
    let (start, end) = fields.next()?.split_once('-')?;
    let bit = |flag, bit| if flag { bit } else { 0 };
    let flags = fields.next()?;
    let protection = bit(flags.contains('r'), libc::PROT_READ)
        | bit(flags.contains('w'), libc::PROT_WRITE)
        | bit(flags.contains('x'), libc::PROT_EXEC);
    let number = |text| usize::from_str_radix(text, 16).ok();
    Some((number(start)?..number(end)?, protection))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_any_bytes() {
        let text =
            b"1000-2000 r-xp 00000000 08:01 7 /a\xff b\n2000-3000 rw-s 00000000 08:01 7 /c\n";
        let (code, data) = (
            libc::PROT_READ | libc::PROT_EXEC,
            libc::PROT_READ | libc::PROT_WRITE,
        );
        assert_eq!(
            Maps::parse(text).0,
            [(0x1000..0x2000, code), (0x2000..0x3000, data)]
        );
    }

    #[test]
    fn lone_pages_take_a_neighbour() {
        let (code, writable) = (libc::PROT_READ | libc::PROT_EXEC, libc::PROT_WRITE);
        let maps = Maps(vec![
            (0x1000..0x2000, code),
            (0x2000..0x6000, code | writable),
            (0x8000..0xb000, code),
        ]);
        let found = |addresses: &[usize]| {
            let runs = runs(addresses, &maps).into_iter();
            runs.map(|run| (run.pages, run.protection))
                .collect::<Vec<_>>()
        };
        assert_eq!(found(&[0x1234]), [(0x1000..0x2000, code)], "none there");
        assert_eq!(found(&[0x8000]), [(0x8000..0xa000, code)], "the next");
        assert_eq!(found(&[0xa123]), [(0x9000..0xb000, code)], "the last");
        assert_eq!(found(&[0x8ffd]), [(0x8000..0xa000, code)], "on two");
        let runs = [(0x1000..0x2000, code), (0x2000..0x4000, code | writable)];
        assert_eq!(found(&[0x2001, 0x1ffb]), runs, "of two protections");
        assert_eq!(
            found(&[0x8000, 0xa000]),
            [(0x8000..0xa000, code), (0x9000..0xb000, code)]
        );
    }
}
