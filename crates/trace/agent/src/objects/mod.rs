//! The executables and shared objects of this process that have sites.
#![expect(
    unsafe_code,
    reason = "sections of other objects are found by address and read in place"
)]

mod memory;
mod sites;

use std::ffi::{CStr, c_int, c_void};
use std::fmt;
use std::ops::Range;
use std::ptr;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard, PoisonError};

use perflab_abi::{Agent, GONE, NOTE_NAME, NOTE_TYPE, Note, Object};

use memory::{Memory, within};
pub use sites::KnownSite;
use sites::{sites, version};

use crate::shown::shown;

/// An object with sites.
#[derive(Debug)]
pub struct KnownObject {
    /// Its file, empty for the executable.
    pub path: String,
    /// Its sites.
    pub sites: Vec<KnownSite>,
    object: *const Object,
}

// SAFETY: the pointer leads to an atomic, or is only compared.
unsafe impl Send for KnownObject {}

impl KnownObject {
    /// What tells it from others.
    pub fn identity(&self) -> *const Object {
        self.object
    }
}

/// An object whose sites cannot be used, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unusable {
    /// Its file, empty for the executable.
    pub path: String,
    /// What is wrong with it.
    pub reason: String,
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{:?}: ", self.path)?;
        }
        f.write_str(&self.reason)
    }
}

/// Held while this agent looks through the linker's list, under the linker's lock. That stays closed in the child
/// of a fork that is made meanwhile, so a fork takes this one.
pub static LOOKING: Mutex<()> = Mutex::new(());

fn looking() -> MutexGuard<'static, ()> {
    LOOKING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How many objects were ever loaded and unloaded: changes whenever there may be something new.
pub fn generation() -> u64 {
    unsafe extern "C" fn first(
        info: *mut libc::dl_phdr_info,
        _: usize,
        data: *mut c_void,
    ) -> c_int {
        // SAFETY: the linker gives a valid description, `data` is the number below.
        unsafe { *data.cast::<u64>() = (*info).dlpi_adds.wrapping_add((*info).dlpi_subs << 32) };
        1
    }
    let mut generation = 0u64;
    let _looking = looking();
    // SAFETY: the callback keeps to its contract.
    unsafe { libc::dl_iterate_phdr(Some(first), (&raw mut generation).cast()) };
    generation
}

struct Search<'a> {
    agent: *const Agent,
    known: &'a [*const Object],
    all_are_ready: bool,
    some_begin: bool,
    found: Vec<KnownObject>,
    unusable: Vec<Unusable>,
}

/// Finds objects that are not among the known ones, and enters the agent into each.
///
/// The linker's lock is held meanwhile, under which objects are unmapped. So an object that is seen
/// here is there, and from the moment on when it has the agent's address it tells before it goes.
///
/// `all_are_ready` says that nothing is being loaded, so that objects count that have not begun yet. Else
/// such objects are left for a later search, and the last of what is returned says so.
pub fn find(
    agent: &'static Agent,
    known: &[*const Object],
    all_are_ready: bool,
) -> (Vec<KnownObject>, Vec<Unusable>, bool) {
    unsafe extern "C" fn each(info: *mut libc::dl_phdr_info, _: usize, data: *mut c_void) -> c_int {
        // SAFETY: the linker gives a valid description, `data` is the search below.
        unsafe { visit(&*info, &mut *data.cast::<Search<'_>>()) };
        0
    }
    let mut search = Search {
        agent,
        known,
        all_are_ready,
        some_begin: false,
        found: Vec::new(),
        unusable: Vec::new(),
    };
    let _looking = looking();
    // SAFETY: the callback keeps to its contract.
    unsafe { libc::dl_iterate_phdr(Some(each), (&raw mut search).cast()) };
    (search.found, search.unusable, search.some_begin)
}

/// # Safety
/// The description is one of the linker's, of an object that is mapped as it says.
unsafe fn visit(info: &libc::dl_phdr_info, search: &mut Search<'_>) {
    if info.dlpi_phdr.is_null() {
        return;
    }
    // SAFETY: the linker says how many there are.
    let headers =
        unsafe { std::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)) };
    let base = info.dlpi_addr as usize;
    let of_kind = |kind: u32| headers.iter().filter(move |header| header.p_type == kind);
    let range = |header: &libc::Elf64_Phdr, size: u64| {
        let start = base.wrapping_add(header.p_vaddr as usize);
        start..start.saturating_add(size as usize)
    };
    let path = if info.dlpi_name.is_null() {
        String::new()
    } else {
        // SAFETY: the linker's own text.
        let name = unsafe { CStr::from_ptr(info.dlpi_name) };
        shown(name.to_bytes())
    };
    let memory = Memory {
        readable: of_kind(libc::PT_LOAD)
            .filter(|header| header.p_flags & libc::PF_R != 0)
            .map(|header| range(header, header.p_memsz))
            .collect(),
        executable: of_kind(libc::PT_LOAD)
            .filter(|header| header.p_flags & libc::PF_X != 0)
            .map(|header| range(header, header.p_memsz))
            .collect(),
        writable: of_kind(libc::PT_LOAD)
            .filter(|header| header.p_flags & libc::PF_W != 0)
            .map(|header| range(header, header.p_memsz))
            .collect(),
    };
    for header in of_kind(libc::PT_NOTE) {
        let notes = range(header, header.p_memsz);
        if !memory.holds_readable(&notes) {
            continue;
        }
        for address in notes_of_perflab(&memory, notes, header.p_align.max(4) as usize) {
            match object(&memory, address, &path, search) {
                Ok(Some(object)) => search.found.push(object),
                Ok(None) => {}
                Err(reason) => search.unusable.push(Unusable {
                    path: path.clone(),
                    reason,
                }),
            }
        }
    }
}

/// Addresses of the descriptions of the notes that are ours.
fn notes_of_perflab(memory: &Memory, notes: Range<usize>, align: usize) -> Vec<usize> {
    let mut found = Vec::new();
    let mut at = notes.start;
    while let (Some(name), Some(length), Some(kind)) = (
        memory.read::<u32>(at),
        memory.read::<u32>(at + 4),
        memory.read::<u32>(at + 8),
    ) {
        let up = |address: usize| address.checked_next_multiple_of(align);
        let Some(text) = at.checked_add(12).filter(|text| *text < notes.end) else {
            break;
        };
        let Some(content) = text.checked_add(name as usize).and_then(up) else {
            break;
        };
        let owner = memory.read::<[u8; NOTE_NAME.len()]>(text);
        if kind == NOTE_TYPE && name as usize == NOTE_NAME.len() && owner == Some(*NOTE_NAME) {
            found.push(content);
        }
        match content.checked_add(length as usize).and_then(up) {
            Some(next) if next > at && next < notes.end => at = next,
            _ => break,
        }
    }
    found
}

/// An object by its note; nothing if it is known or already going.
fn object(
    memory: &Memory,
    note_at: usize,
    path: &str,
    search: &mut Search<'_>,
) -> Result<Option<KnownObject>, String> {
    let note: Note = memory.read(note_at).ok_or("its note is cut short")?;
    version("note", note.version, note.size, size_of::<Note>())?;
    let field =
        |offset: usize, relative: i64| (note_at + offset).wrapping_add_signed(relative as isize);
    let first = field(std::mem::offset_of!(Note, first), note.first);
    let end = field(std::mem::offset_of!(Note, end), note.end);
    let object_at = field(std::mem::offset_of!(Note, object), note.object);
    let object = object_at as *const Object;
    let found = search.found.iter().map(KnownObject::identity);
    if search
        .known
        .iter()
        .copied()
        .chain(found)
        .any(|known| ptr::eq(known, object))
    {
        return Ok(None);
    }
    let aligned = object_at.is_multiple_of(align_of::<Object>());
    if !aligned
        || !within(
            &memory.writable,
            &(object_at..object_at.saturating_add(size_of::<Object>())),
        )
    {
        return Err("its note leads out of it".to_owned());
    }
    let (sites, problems) = sites(memory, first..end)?;
    // SAFETY: it is mapped, writable and aligned.
    let object = unsafe { &*object };
    version("entry", object.version, object.size, size_of::<Object>())?;
    if !search.all_are_ready && object.ready.load(Ordering::Acquire) == 0 {
        search.some_begin = true;
        return Ok(None);
    }
    let entered = object.agent.compare_exchange(
        ptr::null_mut(),
        search.agent.cast_mut(),
        Ordering::AcqRel,
        Ordering::Acquire,
    );
    match entered {
        Err(other) if other as usize == GONE => Ok(None),
        // If it is this agent already, the process was forked in the middle of a search.
        Err(other) if !ptr::eq(other, search.agent) => Err("another agent has it".to_owned()),
        _ => {
            search
                .unusable
                .extend(problems.into_iter().map(|reason| Unusable {
                    path: path.to_owned(),
                    reason,
                }));
            Ok(Some(KnownObject {
                path: path.to_owned(),
                sites,
                object,
            }))
        }
    }
}
