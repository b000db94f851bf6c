//! From a library to a flavour that can be used: once for each process.
//!
//! 1. The library is loaded. Its constructors register the process for membarrier, and install the handler of signals.
//! 2. The flavour looks at what it needs of library and kernel.
//! 3. It takes the library, and prepares it: nobody has joined yet.
//! 4. The library's slots for libc count from here on.
//! 5. The library is tried: [`trial`](super::trial).
//!
//! All that happens before threads of the program start. The handler of signals and the functions of the library have
//! thread-local variables. If an object with such variables is loaded later, the loader may enlarge each thread's table
//! of them. It allocates for that at the thread's next access: perhaps in the handler. Such objects are not only
//! libraries of liburcu, but also those of name services, or of a compiler.
#![expect(unsafe_code, reason = "the reader's word is found by its place")]

use std::sync::atomic::AtomicU64;

use crate::flavour::Flavour;
use crate::unavailable::Unavailable;

use super::library::{Kind, Library};
use super::{slots, trial};

/// A flavour of liburcu.
pub trait Liburcu: Flavour {
    /// Its library.
    const KIND: Kind;

    /// Whether the library's expedited membarriers are made global ones.
    const AS_GLOBAL: bool;

    /// Looks whether the flavour can be what its name says, with this library and this kernel.
    fn check(library: &Library) -> Result<(), Unavailable>;

    /// Prepares the library, before anybody joins.
    fn prepare(library: &Library) -> Result<(), Unavailable>;

    /// The word of the reader with this place.
    ///
    /// # Safety
    /// The calling thread joined and got the place.
    unsafe fn word<'t>(place: &Self::Place) -> &'t AtomicU64;
}

/// Makes a flavour usable. After the first time it costs one load.
pub fn load<F: Liburcu>() -> Result<(), Unavailable> {
    let used_as = &F::KIND.state().used_as;
    if used_as.get().is_none() {
        let library = F::KIND.library()?; // 1
        F::check(library)?; // 2
        used_as.get_or_init(|| (F::NAME, make_usable::<F>(library)));
    }
    match used_as.get() {
        Some(&(by, Ok(()))) if by != F::NAME => Err(Unavailable::Taken {
            flavour: F::NAME,
            by,
        }),
        Some((_, answer)) => answer.clone(),
        None => Ok(()),
    }
}

fn make_usable<F: Liburcu>(library: &'static Library) -> Result<(), Unavailable> {
    F::prepare(library)?; // 3
    slots::count_calls::<F>(&library.object).map_err(|reason| {
        let flavour = F::NAME;
        Unavailable::NotAsExpected(format!(
            "{flavour}: what it does cannot be proven here: {reason}"
        ))
    })?; // 4
    trial::trial::<F>(library) // 5
}
