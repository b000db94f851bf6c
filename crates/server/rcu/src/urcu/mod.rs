//! The flavours of liburcu, with the read side of its headers and the grace periods of the library that is installed.
//!
//! Nothing is linked. A library is loaded when a flavour of it is asked for. So one program uses whatever flavours are
//! there, and names those that are not.
//!
//! ```text
//! nested, bp, qsbr   the flavours
//! inline, barrier    the read side, as the headers have it
//! words              names of functions and words
//!
//! load       from a library to a flavour
//! library    loads a library, and tells what it is
//! elf        what is mapped of it
//! slots      counts what it asks of the kernel
//! signal     counts the signals that its handler receives
//! trial      tries it
//! expected   what one grace period of it does
//! ```
//!
//! The read side is restated here, line by line: the headers promise that it fits every library of one soname. That the
//! library which was loaded is such a one is tried before it is used.

mod barrier;
mod bp;
mod elf;
mod expected;
mod inline;
mod library;
mod load;
mod nested;
mod qsbr;
mod signal;
mod slots;
mod trial;
mod words;

use std::sync::atomic::Ordering;

use crate::counts::Counts;
use crate::evidence::Facts;
use crate::flavour::Flavour;
use crate::own::membarrier::{self, Command};
use crate::unavailable::Unavailable;

pub use barrier::{Barrier, BarrierKind, Locked, Mfence};
pub use bp::Bp;
pub use library::only_from;
pub use nested::{Checked, Forced, Global, Mb, Memb, Signal, Without};
pub use qsbr::Qsbr;

use library::{Generation, Kind, Library};

/// The full barrier that readers of a flavour have, or would have where the library does without membarrier. Loads the
/// library, and looks at its code.
///
/// # Errors
/// If no library has a flavour of this name, or it cannot be loaded.
pub fn barrier(flavour: &str) -> Result<BarrierKind, Unavailable> {
    match Kind::of(flavour) {
        Some(kind) => Ok(kind.library()?.barrier.unwrap_or(BarrierKind::Mfence)),
        None => Err(Unavailable::Unknown(flavour.to_owned())),
    }
}

/// The facts on a library; none if it was not loaded.
fn facts(kind: Kind) -> Facts {
    if kind.state().used_as.get().is_none() {
        return Facts::default();
    }
    let Ok(library) = kind.library() else {
        return Facts::default();
    };
    // mb of 0.15.0 to 0.15.4 leaves a section by a store that was never looked at.
    let is_other = kind == Kind::Mb
        && library.generation == Generation::V015
        && library.barrier == Some(BarrierKind::Mfence);
    let note = if is_other {
        ", not as this version's headers"
    } else {
        ""
    };
    let has = library.shared.has.load(Ordering::Relaxed) != 0;
    let may_use_membarrier = matches!(kind, Kind::Memb | Kind::Bp);
    Facts {
        library: Some(library.file().display().to_string()),
        build_id: library.object.build_id(),
        generation: Some(library.generation.to_string()),
        barrier: library
            .barrier
            .map(|barrier| format!("{}{note}", barrier.name())),
        has_sys_membarrier: library.shared.has_fallback().then_some(has),
        membarrier_query: may_use_membarrier.then(membarrier::offered),
    }
}

/// The counts of a library, and the word of its gp.
fn counts(kind: Kind) -> Counts {
    let state = kind.state();
    let mut counts = state.domain.counters().snapshot();
    if state.used_as.get().is_some()
        && let Ok(library) = kind.library()
    {
        counts.word = library.shared.gp.ctr.load(Ordering::Acquire);
    }
    counts
}

/// A library that found no membarrier has readers with barriers, whatever its name says.
fn uses_membarrier(flavour: &'static str, library: &Library) -> Result<(), Unavailable> {
    if library.shared.has.load(Ordering::Relaxed) != 0 {
        return Ok(());
    }
    let offered = membarrier::offered();
    Command::PrivateExpedited.available(offered, membarrier::processors())?;
    let file = library.file();
    Err(Unavailable::NotAsExpected(format!(
        "{flavour}: {} uses no membarrier, which the kernel offers",
        file.display()
    )))
}

/// ThreadSanitizer sees nothing of what a library does. So a grace period ends by looking at the word of each reader,
/// as the library has done. All that a reader did before it stored its word happens before the end.
#[inline(always)]
fn tell_sanitizer<F: Flavour>() {
    #[cfg(perflab_tsan)]
    drop(F::domain().look());
}
