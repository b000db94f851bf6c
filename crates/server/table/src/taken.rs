//! What was in a shard when it was emptied.
#![expect(unsafe_code, reason = "what was taken is retired by its address")]

use std::fmt;
use std::ptr::NonNull;

use perflab_rcu::Retire;

use crate::entry::Entry;
use crate::root::Directory;
use crate::segment::Segment;

/// All entries of a shard, which were taken out at one moment: [`Locked::take`](crate::Locked::take). Readers may still
/// use them. If it is dropped, they are leaked.
#[must_use = "what is taken and dropped is leaked"]
pub struct Taken<E: Entry> {
    directory: Directory<'static, E>,
}

// SAFETY: it is the only one that has the directory, and entries may be used by any thread.
unsafe impl<E: Entry> Send for Taken<E> {}

impl<E: Entry> Taken<E> {
    /// # Safety
    /// The directory was detached, and nobody else retires it or what it leads to.
    pub(crate) unsafe fn new(directory: Directory<'static, E>) -> Self {
        Self { directory }
    }

    /// Gives each entry away, which retires it, and retires the memory of the table that led to them. Any thread may do
    /// this. It takes time in proportion to the entries.
    pub fn retire(
        self,
        retire: &mut dyn Retire,
        mut entry: impl FnMut(NonNull<E>, &mut dyn Retire),
    ) {
        for slot in self.directory.segments().flat_map(Segment::slots) {
            if let Some(unlinked) = slot.address() {
                entry(unlinked, retire);
            }
        }
        for segment in self.directory.segments() {
            // SAFETY: the root leads to another directory, so no reader finds this one any more, nor what it leads to.
            // Each segment comes once, and this value is the only one that retires them.
            unsafe { segment.retire(retire) };
        }
        // SAFETY: as of the segments.
        unsafe { self.directory.retire(retire) };
    }
}

impl<E: Entry> fmt::Debug for Taken<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Taken({} places)", 1usize << self.directory.depth())
    }
}
