//! What the holder of a shard's lock does, and why readers without a lock see it as if each call happened at one
//! moment.
//!
//! # Steps
//!
//! A reader
//!
//! - R1. loads the root of the shard, and so finds a directory;
//! - R2. loads the place of the hash in that directory, and so finds a segment;
//! - R3. loads the slots of the two buckets of the hash, follows the addresses with the right tag and compares keys. If
//!   the segment is chained, it loads the word that leads to the next segment and goes on there.
//!
//! A writer has the lock. It finds the segment as a reader does. Then it takes one of these ways:
//!
//! - W1. The key is there, and its entry is replaced or removed: one store to its slot.
//! - W2. The key is not there, and a slot of its buckets is empty: one store to that slot.
//! - W3. There is no empty slot in a chain: a segment with the entry is made, then one store appends it.
//! - W4. There is no empty slot in another segment: it is replaced.
//!   1. New segments are made that have the entries of the old one and the new entry. Readers cannot find them.
//!   2. If one of them is deeper than the directory, a new directory is made that leads to them. It leads to the other
//!      segments as the old one does. One store to the root publishes it.
//!   3. Else the words of the new segments are stored in the places of the old one, one after another.
//!   4. The old directory, if it was replaced, and the old segment are retired.
//! - W5. The shard is emptied: one store to the root publishes an empty directory. The old one and all that it leads to
//!   is retired later.
//!
//! # Why this is linearisable
//!
//! All these loads and stores are sequentially consistent: they are in one order, in which each load sees the last store
//! before it, and which agrees with the order of calls that happen one after the other. "Before" means that order here.
//!
//! 1. An entry stays in its slot until it is replaced or removed. So at each moment at most one slot of the segments
//!    that the root leads to has a given key, and a replaced key is in its slot before and after the store.
//! 2. A segment that the root does not lead to any more for some hash is frozen for that hash: writers find segments
//!    through the root. At the moment of the store in W4.2, W4.3 or W5 that cut it off, it had what the shard had for
//!    that hash, but for the entry that the same store adds, or the entries that it removes.
//! 3. So take a call of `get`, and the segment that it found in R2. Either the root led to the segment for this hash all
//!    the time from R2 to the end of R3. Or a store cut it off in that time, or between R1 and R2 if the reader had an
//!    old directory. It was not cut off before R1: the loads would have seen that store. So that moment is within the
//!    call.
//! 4. The call returns an entry. If the slot had it when the root led to the segment, the call happened when the slot
//!    was loaded. Else the segment was cut off before, and the call happened just before that: the frozen slot had the
//!    entry then.
//! 5. The call returns nothing. Suppose that the key was there all the time from R1 to the end of R3, or to the moment
//!    when the segment was cut off. By 1 it was in one slot of the segment all that time, or in the part of the chain
//!    that the reader could reach. The slot is frozen after that moment, and the reader loaded it in R3: it would have
//!    found the key. So there was a moment without the key, and the call happened then.
//! 6. Calls of writers happen at the store to the slot, to the word that leads on, to the place of the hash, or to the
//!    root. Those of a shard exclude each other.
//!
//! A call for one key is linearisable, so calls for many keys are. Several keys that are changed under their locks are
//! seen one by one by readers without a lock.
//!
//! # Why nothing is freed too early
//!
//! An entry is unlinked when no slot has it that the root leads to. It can be in frozen segments as well. Those were
//! unlinked before the entry was: after W4 the entry is in the new segment, and is taken from there. So a section that
//! begins later finds neither, and one that began earlier is waited for by the grace period of each of them.
#![expect(
    unsafe_code,
    reason = "entries come by their addresses, and what is replaced is retired"
)]

use std::ptr::NonNull;

use perflab_rcu::{Pinned, Retire};

use super::entry::Entry;
use super::growth;
use super::root::{Directory, Root};
use super::segment::Segment;
use super::slot::{Link, Slot};
use super::tally::Tally;

/// The only one that changes a shard.
pub struct Writer<'t, E: Entry> {
    root: &'t Root<E>,
    tally: &'t Tally,
}

impl<'t, E: Entry> Writer<'t, E> {
    /// # Safety
    /// As long as it lives, there is no other writer of this shard: the caller has the lock. The tally is that of the
    /// root.
    pub unsafe fn new(root: &'t Root<E>, tally: &'t Tally) -> Self {
        Self { root, tally }
    }

    fn directory(&self) -> Directory<'_, E> {
        // SAFETY: only a writer unlinks and retires, and this is the only one. Functions of a reference that cannot
        // write return what they find here; those that retire use it no more afterwards.
        self.root.read(unsafe { Pinned::unprotected() })
    }

    /// The entry with this key.
    pub fn get(&self, hash: u64, key: &[u8]) -> Option<&E> {
        let found = self.directory().segment(hash).find(hash, key);
        found.map(|(_, entry)| entry)
    }

    /// Puts an entry in, and returns the one with the same key that it replaces.
    ///
    /// # Safety
    /// The entry is in no table. It may be read by any thread until it is unlinked (replaced, removed, swept or taken)
    /// and a grace period is over after that. Until then nobody has a reference to it that allows to write.
    pub unsafe fn insert(
        &mut self,
        entry: NonNull<E>,
        retire: &mut dyn Retire,
    ) -> Option<NonNull<E>> {
        // SAFETY: as the caller promises.
        let link = unsafe { Link::new(entry) };
        let hash = link.hash();
        let segment = self.directory().segment(hash);
        if let Some((slot, _)) = segment.find(hash, link.key()) {
            return slot.put(link);
        }
        if let Some(slot) = segment.vacant(hash) {
            slot.put(link);
        } else if segment.is_chained() {
            self.append(segment, link);
        } else {
            self.grow(segment, link, retire);
        }
        self.tally.add_entry();
        None
    }

    /// W3.
    fn append(&self, chained: Segment<'_, E>, link: Link<E>) {
        let next = growth::chain(&[link]);
        if let Some(last) = chained.chain().last() {
            last.append(next);
        }
        self.tally.change_bytes(next.bytes(), 0);
    }

    /// W4.
    fn grow(&self, old: Segment<'_, E>, link: Link<E>, retire: &mut dyn Retire) {
        let directory = self.directory();
        let mut links: Vec<Link<E>> = old.slots().filter_map(Slot::link).collect();
        links.push(link);
        let fresh = growth::build(&mut links, old.depth());
        let deepest = fresh.iter().map(|segment| segment.depth()).max();
        let deepest = deepest.unwrap_or(0);
        let chains = fresh.iter().flat_map(|segment| segment.chain());
        let mut more: usize = chains.map(Segment::bytes).sum();
        let mut less = old.bytes();

        let mut replaced = None;
        if deepest > directory.depth() {
            let deepened = directory.deepened(deepest, old, link.hash(), &fresh);
            self.root.publish(deepened);
            more += deepened.bytes();
            less += directory.bytes();
            replaced = Some(directory);
        } else {
            directory.replace(old, link.hash(), &fresh);
        }
        self.tally.change_bytes(more, less);

        // SAFETY: the root leads to neither of them any more, and this is the only one that retires them. A section
        // that has the old directory may find the old segment there: it began before both were retired.
        unsafe {
            if let Some(directory) = replaced {
                directory.retire(retire);
            }
            old.retire(retire);
        }
    }

    /// Takes the entry with this key out, and returns it.
    pub fn remove(&mut self, hash: u64, key: &[u8]) -> Option<NonNull<E>> {
        let (slot, _) = self.directory().segment(hash).find(hash, key)?;
        let entry = slot.clear();
        self.tally.remove_entry();
        entry
    }

    /// Takes all entries out that are not to be kept.
    pub fn retain(
        &mut self,
        mut keep: impl FnMut(&E) -> bool,
        mut removed: impl FnMut(NonNull<E>),
    ) {
        for slot in self.directory().segments().flat_map(Segment::slots) {
            let goes = slot.entry().is_some_and(|entry| !keep(entry));
            if goes && let Some(entry) = slot.clear() {
                self.tally.remove_entry();
                removed(entry);
            }
        }
    }

    /// W5. The directory lives until the caller retires it with all that it leads to.
    pub fn detach<'a>(&mut self) -> Directory<'a, E> {
        self.tally.reset(Root::<E>::EMPTY_BYTES);
        self.root.detach()
    }
}
