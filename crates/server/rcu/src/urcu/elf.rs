//! An object that the loader has mapped: where it is, what identifies it, and the slots through which it calls
//! functions of other objects.
//!
//! A call of another object's function goes through a word of the caller's object, into which the loader has written
//! the function's address: the slot. Relocations say where slots are: JUMP_SLOT for calls through a linkage table,
//! GLOB_DAT for calls without one (`-fno-plt`). Under RELRO the loader makes the pages of slots read-only at its end.
#![expect(
    unsafe_code,
    reason = "tables of a mapped object are read in place, and a word of it is stored"
)]

use std::ffi::{CStr, OsStr, c_int, c_void};
use std::fmt::Write;
use std::io;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes of a page on x86-64.
const PAGE: usize = 4096;

/// Tags of the dynamic section, as `elf.h` has them.
mod tag {
    pub const END: u64 = 0;
    pub const JUMP_SLOTS_BYTES: u64 = 2;
    pub const NAMES: u64 = 5;
    pub const SYMBOLS: u64 = 6;
    pub const RELOCATIONS: u64 = 7;
    pub const RELOCATIONS_BYTES: u64 = 8;
    pub const JUMP_SLOTS: u64 = 23;
}

/// Kinds of relocations of x86-64.
const GLOB_DAT: u32 = 6;
const JUMP_SLOT: u32 = 7;

/// The instruction `syscall`.
const SYSCALL: [u8; 2] = [0x0f, 0x05];

/// The kind of the note that has the build ID.
const BUILD_ID: u32 = 3;

/// Asks `dladdr1` for the symbol's entry.
const SYMBOL_ENTRY: c_int = 1;

/// An object that stays mapped: one of a library that is never unloaded.
pub struct Object {
    /// Its file, as the loader calls it.
    pub file: PathBuf,
    base: usize,
    headers: Vec<libc::Elf64_Phdr>,
}

impl Object {
    /// The object that an address is in.
    pub fn holding(address: usize) -> Option<Self> {
        struct Search {
            address: usize,
            found: Option<Object>,
        }
        unsafe extern "C" fn each(
            info: *mut libc::dl_phdr_info,
            _: usize,
            data: *mut c_void,
        ) -> c_int {
            // SAFETY: the loader describes an object that is mapped, and `data` is the search below.
            let (object, search) =
                unsafe { (Object::described(&*info), &mut *data.cast::<Search>()) };
            if !object.holds(search.address, 1) {
                return 0;
            }
            search.found = Some(object);
            1
        }
        let mut search = Search {
            address,
            found: None,
        };
        // SAFETY: the callback keeps to its contract.
        unsafe { libc::dl_iterate_phdr(Some(each), (&raw mut search).cast()) };
        search.found
    }

    /// # Safety
    /// The description is one of the loader's, of an object that is mapped as it says.
    unsafe fn described(info: &libc::dl_phdr_info) -> Self {
        let mut headers = Vec::new();
        if !info.dlpi_phdr.is_null() {
            let number = usize::from(info.dlpi_phnum);
            // SAFETY: the loader says how many there are.
            headers
                .extend_from_slice(unsafe { std::slice::from_raw_parts(info.dlpi_phdr, number) });
        }
        let mut file = PathBuf::new();
        if !info.dlpi_name.is_null() {
            // SAFETY: a text of the loader's.
            let name = unsafe { CStr::from_ptr(info.dlpi_name) };
            file.push(OsStr::from_bytes(name.to_bytes()));
        }
        Self {
            file,
            base: info.dlpi_addr as usize,
            headers,
        }
    }

    fn parts(&self, kind: u32, flags: u32) -> impl Iterator<Item = Range<usize>> {
        let wanted = move |header: &&libc::Elf64_Phdr| {
            header.p_type == kind && header.p_flags & flags == flags
        };
        self.headers.iter().filter(wanted).map(move |header| {
            let start = self.base.wrapping_add(header.p_vaddr as usize);
            start..start.saturating_add(header.p_memsz as usize)
        })
    }

    fn is_mapped(&self, flags: u32, address: usize, bytes: usize) -> bool {
        let end = address.saturating_add(bytes);
        self.parts(libc::PT_LOAD, flags)
            .any(|part| part.start <= address && end <= part.end)
    }

    /// Whether these bytes are a part of the object, which can be read.
    pub fn holds(&self, address: usize, bytes: usize) -> bool {
        self.is_mapped(libc::PF_R, address, bytes)
    }

    fn bytes(&self, address: usize, bytes: usize) -> Option<&'static [u8]> {
        // SAFETY: they are mapped and can be read, and stay so. Only tables of the loader and code are read here, and
        // nobody writes to these after the object was loaded.
        self.holds(address, bytes)
            .then(|| unsafe { std::slice::from_raw_parts(address as *const u8, bytes) })
    }

    fn words<const WORDS: usize>(&self, address: usize) -> Option<[u64; WORDS]> {
        let bytes = self.bytes(address, 8 * WORDS)?;
        let word = |word: usize| {
            bytes[8 * word..8 * word + 8]
                .try_into()
                .map(u64::from_ne_bytes)
        };
        Some(std::array::from_fn(|index| word(index).unwrap_or_default()))
    }

    /// The build ID in hexadecimal digits, if the linker has left one.
    pub fn build_id(&self) -> Option<String> {
        self.parts(libc::PT_NOTE, 0).find_map(|notes| {
            let mut at = notes.start;
            while at < notes.end {
                // Lengths of the name and of what follows it, then the kind; both are padded to words of 32 bits.
                let head = self.bytes(at, 12)?;
                let number = |at: usize| {
                    let bytes = [head[at], head[at + 1], head[at + 2], head[at + 3]];
                    u32::from_ne_bytes(bytes)
                };
                let (name, length) = (number(0) as usize, number(4) as usize);
                let content = at + 12 + name.next_multiple_of(4);
                if number(8) == BUILD_ID && self.bytes(at + 12, name)? == b"GNU\0" {
                    let mut digits = String::new();
                    for byte in self.bytes(content, length)? {
                        let _ = write!(digits, "{byte:02x}");
                    }
                    return Some(digits);
                }
                at = content + length.next_multiple_of(4);
            }
            None
        })
    }

    /// The code of a function of this object: as many bytes as its symbol says.
    pub fn code(&self, function: usize) -> Option<&'static [u8]> {
        let mut info = MaybeUninit::<libc::Dl_info>::uninit();
        let mut entry = null_mut::<c_void>();
        // SAFETY: the loader fills both, or returns 0.
        let found = unsafe {
            libc::dladdr1(
                function as *const c_void,
                info.as_mut_ptr(),
                &raw mut entry,
                SYMBOL_ENTRY,
            )
        };
        if found == 0 || entry.is_null() {
            return None;
        }
        // SAFETY: the loader has found the object and filled the description; the entry is one of its symbol table.
        let (info, entry) = unsafe { (info.assume_init(), &*entry.cast::<libc::Elf64_Sym>()) };
        if info.dli_saddr as usize != function {
            return None;
        }
        self.bytes(function, entry.st_size as usize)
    }

    /// Whether the object calls the kernel by the instruction `syscall`. A small number in the code may begin with the
    /// same bytes. Its upper half then follows, with which no instruction of a compiler begins.
    pub fn has_syscall(&self) -> bool {
        let parts = self.parts(libc::PT_LOAD, libc::PF_X);
        let mut codes = parts.filter_map(|part| self.bytes(part.start, part.len()));
        codes.any(|code| {
            code.windows(4)
                .any(|code| code.starts_with(&SYSCALL) && !matches!(code[2..], [0, 0] | [255, 255]))
        })
    }

    /// The slots through which this object calls a function of another object.
    pub fn slots(&self, function: &CStr) -> Vec<usize> {
        let (Some(symbols), Some(names)) = (self.table(tag::SYMBOLS), self.table(tag::NAMES))
        else {
            return Vec::new();
        };
        let tables = [
            (tag::JUMP_SLOTS, tag::JUMP_SLOTS_BYTES),
            (tag::RELOCATIONS, tag::RELOCATIONS_BYTES),
        ];
        let mut found = Vec::new();
        for (table, bytes) in tables {
            let (Some(start), Some(bytes)) = (self.table(table), self.dynamic(bytes)) else {
                continue;
            };
            for at in (start..start + bytes).step_by(24) {
                let Some([offset, kind_and_symbol, _]) = self.words::<3>(at) else {
                    break;
                };
                let slot = self.base.wrapping_add(offset as usize);
                let symbol = symbols + 24 * (kind_and_symbol >> 32) as usize;
                if matches!(kind_and_symbol as u32, GLOB_DAT | JUMP_SLOT)
                    && self.is_called(symbol, names, function)
                    && slot.is_multiple_of(size_of::<usize>())
                    && self.is_mapped(libc::PF_W, slot, size_of::<usize>())
                {
                    found.push(slot);
                }
            }
        }
        found
    }

    /// Whether an entry of the symbol table has this name.
    fn is_called(&self, symbol: usize, names: usize, function: &CStr) -> bool {
        let Some([name, ..]) = self.words::<3>(symbol) else {
            return false;
        };
        let expected = function.to_bytes_with_nul();
        self.bytes(names + name as u32 as usize, expected.len()) == Some(expected)
    }

    /// The number that the dynamic section has for a tag.
    fn dynamic(&self, tag: u64) -> Option<usize> {
        let section = self.parts(libc::PT_DYNAMIC, 0).next()?;
        section
            .step_by(16)
            .map_while(|at| self.words::<2>(at))
            .take_while(|[found, _]| *found != tag::END)
            .find_map(|[found, number]| (found == tag).then_some(number as usize))
    }

    /// The address of a table. The loader has replaced offsets by addresses, unless it cannot write to the section.
    fn table(&self, tag: u64) -> Option<usize> {
        let address = self.dynamic(tag)?;
        Some(if address < self.base {
            self.base + address
        } else {
            address
        })
    }

    /// Whether the loader has made the page of an address read-only. It does so with whole pages of the RELRO part: not
    /// with the last one if the part ends within it.
    fn is_closed(&self, address: usize) -> bool {
        let page = |address: usize| address & !(PAGE - 1);
        self.parts(libc::PT_GNU_RELRO, 0)
            .any(|part| (page(part.start)..page(part.end)).contains(&address))
    }

    /// Stores another function in a slot. A page that the loader had closed is open meanwhile, and closed again.
    ///
    /// # Safety
    /// The slot is one of this object, and the function takes and returns what the one whose slot it is does.
    ///
    /// # Errors
    /// If the kernel forbids to change the page.
    pub unsafe fn put(&self, slot: usize, function: usize) -> io::Result<()> {
        let is_closed = self.is_closed(slot);
        if is_closed {
            protect(slot, libc::PROT_READ | libc::PROT_WRITE)?;
        }
        // SAFETY: an aligned word of the object's data, which is writable now. A thread that calls through the slot
        // meanwhile finds the one function or the other.
        unsafe { &*(slot as *const AtomicUsize) }.store(function, Ordering::Release);
        if is_closed {
            protect(slot, libc::PROT_READ)?;
        }
        Ok(())
    }
}

/// Sets what may be done to the page of an address.
fn protect(address: usize, protection: c_int) -> io::Result<()> {
    let page = (address & !(PAGE - 1)) as *mut c_void;
    // SAFETY: a page of an object's RELRO part. It is only read from but for the store in `put`.
    match unsafe { libc::mprotect(page, PAGE, protection) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
