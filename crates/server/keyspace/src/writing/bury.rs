//! Retiring what was taken out of a table.
#![expect(unsafe_code, reason = "entries are retired by their addresses")]

use std::ptr::NonNull;
use std::sync::atomic::Ordering;

use perflab_rcu::Retire;

use crate::collection::Collection;
use crate::entry::{Entry, free_shell, free_whole};
use crate::keyspace::Keyspace;

/// How much of an entry is retired.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// All that it holds.
    Whole,
    /// Not its blobs, which another entry holds now.
    Shell,
}

/// Retires an entry: its bytes wait in the limbo, and do not count as used any more.
///
/// # Safety
/// The entry was taken out of the table of this database, and this is the only call for it. Another entry holds its
/// blobs if they are not retired.
pub(crate) unsafe fn bury(
    space: &Keyspace,
    db: usize,
    old: NonNull<Entry>,
    part: Part,
    memory: &mut i64,
    retire: &mut dyn Retire,
) {
    // SAFETY: it is retired below.
    let entry = unsafe { old.as_ref() };
    let whole = entry.memory();
    *memory -= whole as i64;
    if entry.deadline().is_some() {
        space.with_deadline[db].fetch_sub(1, Ordering::Relaxed);
    }
    let blobs = entry.collection().map_or(0, Collection::blobs);
    let (bytes, free): (usize, unsafe fn(*mut u8)) = match part {
        Part::Whole => (whole, free_whole),
        Part::Shell => (whole - blobs as usize, free_shell),
    };
    // SAFETY: readers cannot find it any more. The functions free entries, each once.
    unsafe { retire.retire_raw(old.cast().as_ptr(), bytes, free) };
}
