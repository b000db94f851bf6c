//! A reader whose thread ends inside of a section.
#![expect(unsafe_code, reason = "a thread ends as no safe code can end it")]

use std::sync::Arc;
use std::thread::Builder;

use perflab_rcu::{Flavour, as_reader};

use super::Shared;
use crate::failure::Failure;

/// Begins a thread that enters a section, looks at a node, and ends.
///
/// # Errors
/// If there can be no thread.
pub fn die_in_a_section<F: Flavour>(shared: &Arc<Shared<F>>) -> Result<(), Failure> {
    let own = Arc::clone(shared);
    let dies = move || {
        // Refused or not: the thread ends either way, and one that was refused is not reported.
        let _ = as_reader::<F, _>(|reader| {
            let section = reader.enter();
            let _node = own.nodes[0].load(&section);
            vanish();
        });
    };
    let begun = Builder::new().name("dying".to_owned()).spawn(dies);
    // Nobody can join it.
    begun.map(drop).map_err(|error| Failure::no_thread(&error))
}

/// Ends the calling thread, and nothing else happens in it.
fn vanish() {
    // SAFETY: the thread's stack and what is on it stay, as nobody joins it.
    unsafe { libc::syscall(libc::SYS_exit, 0) };
}
