//! A library of liburcu: loaded when a flavour of it is asked for, and never unloaded.
#![expect(
    unsafe_code,
    reason = "the loader executes the constructors of the library that is named"
)]

use std::ffi::{CStr, CString, c_void};
use std::fmt;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::ptr::NonNull;
use std::sync::OnceLock;

use crate::readers::DomainState;
use crate::unavailable::Unavailable;

use super::barrier::BarrierKind;
use super::elf::Object;
use super::words::{Functions, Shared};

/// The libraries of liburcu that have a flavour each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// liburcu-memb.
    Memb,
    /// liburcu-mb.
    Mb,
    /// liburcu-signal, which is there up to 0.14.
    Signal,
    /// liburcu-bp.
    Bp,
    /// liburcu-qsbr.
    Qsbr,
}

/// A library in this process.
pub struct State {
    /// The domain of all flavours that are views of the library.
    pub domain: DomainState,
    library: OnceLock<Result<Library, Unavailable>>,
    /// The flavour that made it usable, and whether it is.
    pub used_as: OnceLock<(&'static str, Result<(), Unavailable>)>,
}

impl State {
    const fn new(name: &'static str) -> Self {
        Self {
            domain: DomainState::new(name),
            library: OnceLock::new(),
            used_as: OnceLock::new(),
        }
    }
}

impl Kind {
    /// The library that a flavour is of, by the flavour's name.
    pub fn of(flavour: &str) -> Option<Self> {
        match flavour {
            "memb" | "memb-forced" | "memb-without" | "memb-global" => Some(Self::Memb),
            "mb" => Some(Self::Mb),
            "signal" => Some(Self::Signal),
            "bp" => Some(Self::Bp),
            "qsbr" => Some(Self::Qsbr),
            _ => None,
        }
    }

    /// As it is in the names of the file and of the symbols.
    pub fn name(self) -> &'static str {
        match self {
            Self::Memb => "memb",
            Self::Mb => "mb",
            Self::Signal => "signal",
            Self::Bp => "bp",
            Self::Qsbr => "qsbr",
        }
    }

    /// The library in this process.
    pub fn state(self) -> &'static State {
        static MEMB: State = State::new("memb");
        static MB: State = State::new("mb");
        static SIGNAL: State = State::new("signal");
        static BP: State = State::new("bp");
        static QSBR: State = State::new("qsbr");
        match self {
            Self::Memb => &MEMB,
            Self::Mb => &MB,
            Self::Signal => &SIGNAL,
            Self::Bp => &BP,
            Self::Qsbr => &QSBR,
        }
    }

    /// The library. The first call loads it.
    pub fn library(self) -> Result<&'static Library, Unavailable> {
        let library = &self.state().library;
        library
            .get_or_init(|| Library::load(self))
            .as_ref()
            .map_err(Clone::clone)
    }
}

/// Where libraries are loaded from, if not from where the loader looks.
static DIRECTORY: OnceLock<Option<PathBuf>> = OnceLock::new();

/// From here on, libraries of liburcu are loaded from this directory, and from nowhere else.
///
/// Returns false, and changes nothing, if a library was asked for before, or another directory chosen.
pub fn only_from(directory: &Path) -> bool {
    // The loader looks for a name without a slash in places of its own.
    let directory = Path::new(".").join(directory);
    let chosen = DIRECTORY.get_or_init(|| Some(directory.clone()));
    chosen.as_ref() == Some(&directory)
}

/// The end of the loader's words on a file that it does not find.
const NOWHERE: &str = "No such file or directory";

/// A library that the loader has.
pub struct Handle {
    name: PathBuf,
    handle: NonNull<c_void>,
}

// SAFETY: every thread may give it to the loader's functions.
unsafe impl Send for Handle {}
// SAFETY: the same, at the same time.
unsafe impl Sync for Handle {}

impl Handle {
    /// Loads a library. It is never unloaded, so that its addresses stay what they are, and its symbols are for nobody
    /// but who asks for them.
    pub fn open(file: &str) -> Result<Self, Unavailable> {
        let directory = DIRECTORY.get_or_init(|| None);
        let name = match directory {
            Some(directory) => directory.join(file),
            None => PathBuf::from(file),
        };
        let Ok(text) = CString::new(name.as_os_str().as_bytes()) else {
            return Err(Unavailable::Library(format!(
                "{name:?} is no name of a file"
            )));
        };
        let flags = libc::RTLD_NOW | libc::RTLD_LOCAL | libc::RTLD_NODELETE;
        // SAFETY: its constructors are executed. They are those of a library that is installed, or that the user names.
        let handle = unsafe { libc::dlopen(text.as_ptr(), flags) };
        match NonNull::new(handle) {
            Some(handle) => Ok(Self { name, handle }),
            None => Err(Unavailable::Library(words_of_the_loader())),
        }
    }

    /// The address of a symbol; of a thread-local variable, the calling thread's.
    pub fn symbol(&self, symbol: &str) -> Result<NonNull<c_void>, Unavailable> {
        let name = CString::new(symbol).unwrap_or_default();
        // SAFETY: a library that is loaded, and a text.
        let address = unsafe { libc::dlsym(self.handle.as_ptr(), name.as_ptr()) };
        NonNull::new(address).ok_or_else(|| Unavailable::Symbol {
            library: self.name.display().to_string(),
            symbol: symbol.to_owned(),
        })
    }
}

fn words_of_the_loader() -> String {
    // SAFETY: the loader keeps what it says for this thread until the next call of its functions.
    let words = unsafe { libc::dlerror() };
    if words.is_null() {
        return "the loader gives no reason".to_owned();
    }
    // SAFETY: a text of the loader's.
    let words = unsafe { CStr::from_ptr(words) };
    words.to_string_lossy().into_owned()
}

/// The line of versions that a library is of. The file name has the soname only; functions tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Generation {
    /// It has no polling of grace periods.
    V013,
    /// It has that, and liburcu-cds makes no tables with an allocator of the caller's.
    V014,
    /// It has that, and liburcu-cds cannot be looked at.
    V014OrLater,
    /// liburcu-cds makes such tables.
    V015,
}

impl fmt::Display for Generation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::V013 => "0.13",
            Self::V014 => "0.14",
            Self::V014OrLater => "0.14 or later",
            Self::V015 => "0.15",
        })
    }
}

/// A library of liburcu that has what soname 8 promises, by name.
pub struct Library {
    /// Its words that all threads share.
    pub shared: Shared,
    /// Its functions.
    pub functions: Functions,
    /// Where it is mapped.
    pub object: Object,
    /// The line of versions.
    pub generation: Generation,
    /// Which full barrier it was compiled with. Nothing if its readers have none.
    pub barrier: Option<BarrierKind>,
    reader: String,
    handle: Handle,
}

impl Library {
    fn load(kind: Kind) -> Result<Self, Unavailable> {
        let name = kind.name();
        if !cfg!(target_arch = "x86_64") {
            return Err(Unavailable::Architecture(name));
        }
        let handle = Handle::open(&format!("liburcu-{name}.so.8"))
            .map_err(|reason| with_package(reason, kind))?;
        let functions = Functions::find(&handle, name)?;
        let synchronize = functions.synchronize as *const () as usize;
        let object = Object::holding(synchronize).ok_or_else(|| {
            let library = handle.name.display();
            Unavailable::NotAsExpected(format!(
                "{name}: {library} has urcu_{name}_synchronize_rcu from no object that is mapped"
            ))
        })?;
        Ok(Self {
            shared: Shared::find(&handle, name)?,
            generation: generation(&handle, name),
            barrier: barrier(kind, &object, functions.read_lock as *const () as usize),
            reader: format!("urcu_{name}_reader"),
            functions,
            object,
            handle,
        })
    }

    /// The calling thread's variable `urcu_F_reader`.
    pub fn reader(&self) -> Result<NonNull<c_void>, Unavailable> {
        self.handle.symbol(&self.reader)
    }

    /// The file, without links: its name ends with the library's version.
    pub fn file(&self) -> PathBuf {
        fs::canonicalize(&self.object.file).unwrap_or_else(|_| self.object.file.clone())
    }
}

/// The reason why a library cannot be loaded. If it is nowhere, the reason names the package that has it.
fn with_package(reason: Unavailable, kind: Kind) -> Unavailable {
    let is_chosen = DIRECTORY.get().is_some_and(Option::is_some);
    match reason {
        Unavailable::Library(words) if !is_chosen && words.ends_with(NOWHERE) => {
            let until = match kind {
                Kind::Signal => " up to liburcu 0.14",
                _ => "",
            };
            Unavailable::Library(format!("{words}: Debian's package liburcu8 has it{until}"))
        }
        other => other,
    }
}

fn generation(handle: &Handle, name: &str) -> Generation {
    let polls = format!("urcu_{name}_start_poll_synchronize_rcu");
    if handle.symbol(&polls).is_err() {
        return Generation::V013;
    }
    match Handle::open("liburcu-cds.so.8") {
        Ok(tables) if tables.symbol("_cds_lfht_new_with_alloc").is_ok() => Generation::V015,
        Ok(_) => Generation::V014,
        Err(_) => Generation::V014OrLater,
    }
}

/// The library's functions were compiled from the headers that programs in C include. So the barrier of its own
/// `read_lock` is theirs.
fn barrier(kind: Kind, object: &Object, read_lock: usize) -> Option<BarrierKind> {
    const MFENCE: &[u8] = &[0x0f, 0xae, 0xf0];
    if matches!(kind, Kind::Signal | Kind::Qsbr) {
        return None;
    }
    let code = object.code(read_lock)?;
    let has_mfence = code.windows(MFENCE.len()).any(|bytes| bytes == MFENCE);
    Some(if has_mfence {
        BarrierKind::Mfence
    } else {
        BarrierKind::Locked
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_that_is_nowhere_has_a_package() {
        let says = |words: &str, kind| {
            with_package(Unavailable::Library(words.to_owned()), kind).to_string()
        };
        let words = match Handle::open("liburcu-none.so.8") {
            Err(Unavailable::Library(words)) => words,
            other => panic!("{:?}", other.map(|handle| handle.name)),
        };
        let memb = "liburcu-none.so.8: cannot open shared object file: No such file or directory: Debian's package \
                    liburcu8 has it";
        assert_eq!(says(&words, Kind::Memb), memb);
        assert_eq!(
            says(&words, Kind::Signal),
            format!("{memb} up to liburcu 0.14")
        );
        let damaged = "liburcu-memb.so.8: invalid ELF header";
        assert_eq!(says(damaged, Kind::Memb), damaged);
    }
}
