//! Slots, each of which has an entry or none, in buckets of one cache line.
#![expect(unsafe_code, reason = "a slot has its entry by its address")]

use std::ptr::{self, NonNull};

use super::atomic::{AtomicPtr, Ordering};
use super::bits;
use super::entry::Entry;
use super::sizes::SLOTS;
use super::word;

/// An entry that is put into a slot, with its hash.
///
/// It is used only while the entry is in the table and nobody else writes there, or before it gets there.
pub struct Link<E> {
    entry: NonNull<E>,
    hash: u64,
}

impl<E> Clone for Link<E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for Link<E> {}

impl<E: Entry> Link<E> {
    /// # Safety
    /// As of [`Writer::insert`](super::writer::Writer::insert).
    pub unsafe fn new(entry: NonNull<E>) -> Self {
        // SAFETY: the entry may be read, as the caller promises.
        let hash = unsafe { entry.as_ref() }.hash();
        Self { entry, hash }
    }

    pub fn hash(self) -> u64 {
        self.hash
    }

    /// The key of the entry.
    pub fn key(&self) -> &[u8] {
        // SAFETY: `new` was promised that the entry may be read until it is unlinked, and this is used until then only.
        unsafe { self.entry.as_ref() }.key()
    }

    /// The word in a slot.
    fn word(self) -> *mut E {
        word::pack(self.entry.as_ptr(), bits::tag(self.hash))
    }
}

/// A word with the address of an entry and the tag of its hash. Null is an empty slot.
///
/// Whoever has a reference to a slot of a table is in a section, or has the lock of the shard, as long as the reference
/// lives. Only the holder of the lock changes slots.
pub struct Slot<E>(AtomicPtr<E>);

impl<E> Slot<E> {
    fn empty() -> Self {
        Self(AtomicPtr::new(ptr::null_mut()))
    }

    /// The word, for those who keep something else in it.
    pub fn raw(&self) -> &AtomicPtr<E> {
        &self.0
    }

    /// The address and the tag.
    #[inline(always)]
    fn load(&self) -> (*mut E, u16) {
        let word = self.0.load(Ordering::SeqCst);
        (word::pointer(word), word::number(word))
    }

    /// The address of the entry, if there is one.
    pub fn address(&self) -> Option<NonNull<E>> {
        NonNull::new(self.load().0)
    }

    /// Whether it is empty. The caller has the lock.
    pub fn is_empty(&self) -> bool {
        self.0.load(Ordering::Relaxed).is_null()
    }

    /// The address of the entry, if it has this tag. Null if it has another, or if there is none.
    #[inline(always)]
    pub fn address_if_tagged(&self, tag: u16) -> *mut E {
        let (entry, its_tag) = self.load();
        if its_tag == tag {
            entry
        } else {
            ptr::null_mut()
        }
    }
}

impl<E: Entry> Slot<E> {
    /// The entry, if there is one with this tag.
    #[inline(always)]
    pub fn entry_if_tagged(&self, tag: u16) -> Option<&E> {
        // SAFETY: as in `entry`.
        unsafe { self.address_if_tagged(tag).as_ref() }
    }

    /// The entry, if there is one.
    #[inline(always)]
    pub fn entry(&self) -> Option<&E> {
        // SAFETY: the address is of a `Link`, whose entry may be read until it is unlinked and a grace period is over.
        // The section or the lock that the reference to this slot stands for lasts as long as the reference. Only the
        // holder of the lock unlinks. In a section, the entry was in the slot after the section began, or the section
        // began before the segment was cut off, and an entry of such a segment is unlinked later: so the grace period
        // waits for the section. The load sees what was written to the entry before it was put in.
        unsafe { self.load().0.as_ref() }
    }

    /// What was put in, if there is something. The caller has the lock.
    pub fn link(&self) -> Option<Link<E>> {
        // SAFETY: it was promised when this entry was put in, and the entry is still here.
        self.address().map(|entry| unsafe { Link::new(entry) })
    }

    /// Puts an entry in, and returns the one that it replaces. The caller has the lock.
    pub fn put(&self, link: Link<E>) -> Option<NonNull<E>> {
        NonNull::new(word::pointer(self.0.swap(link.word(), Ordering::SeqCst)))
    }

    /// Takes the entry out. The caller has the lock.
    pub fn clear(&self) -> Option<NonNull<E>> {
        NonNull::new(word::pointer(
            self.0.swap(ptr::null_mut(), Ordering::SeqCst),
        ))
    }

    /// Puts an entry in before others can see the slot.
    pub fn fill(&self, link: Link<E>) {
        self.0.store(link.word(), Ordering::Relaxed);
    }
}

/// The slots of a cache line.
#[repr(align(64))]
pub struct Bucket<E> {
    pub slots: [Slot<E>; SLOTS],
}

impl<E> Bucket<E> {
    pub fn empty() -> Self {
        Self {
            slots: std::array::from_fn(|_| Slot::empty()),
        }
    }

    fn vacancies(&self) -> usize {
        self.slots.iter().filter(|slot| slot.is_empty()).count()
    }
}

/// An empty slot for a hash among these buckets, in the emptier one of its two. The caller has the lock.
pub fn vacant<E>(buckets: &[Bucket<E>], hash: u64) -> Option<&Slot<E>> {
    let [first, second] = bits::buckets(hash, buckets.len()).map(|at| &buckets[at]);
    let emptier = if second.vacancies() > first.vacancies() {
        second
    } else {
        first
    };
    emptier.slots.iter().find(|slot| slot.is_empty())
}
