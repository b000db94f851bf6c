//! Segments: the buckets of hashes that begin with the same bits.
#![expect(
    unsafe_code,
    reason = "readers follow the address of a segment, and retired ones are freed"
)]

use std::iter;
use std::marker::PhantomData;
use std::ptr;
use std::slice;

use perflab_rcu::Retire;

use super::atomic::{AtomicPtr, Ordering};
use super::bits;
use super::entry::Entry;
use super::prefetch::prefetch;
use super::sizes::{LARGEST, MAX_DEPTH};
use super::slot::{Bucket, Link, Slot, vacant};
use super::word;

/// The number in the word of a segment: the depth in the lowest bits, then this, then the buckets from bit 8 on.
const CHAINED: u16 = 1 << 7;
const DEPTH: u16 = 0x1f;
const COUNT_SHIFT: u32 = 8;

/// A segment that nobody else can find yet.
pub struct Fresh<E> {
    /// The buckets, and behind those of a chained one the bucket whose first word leads to the next segment.
    all: Box<[Bucket<E>]>,
    count: usize,
    depth: u32,
}

impl<E: Entry> Fresh<E> {
    /// An empty one. All its hashes have the first `depth` bits behind those of the shard in common.
    pub fn new(count: usize, depth: u32) -> Self {
        Self {
            all: iter::repeat_with(Bucket::empty).take(count).collect(),
            count,
            depth,
        }
    }

    /// An empty one of the greatest depth and size, to which others can be appended.
    pub fn chained() -> Self {
        Self {
            all: iter::repeat_with(Bucket::empty).take(LARGEST + 1).collect(),
            count: LARGEST,
            depth: MAX_DEPTH,
        }
    }

    /// Adds an entry. Returns false if both its buckets are full.
    pub fn add(&mut self, link: Link<E>) -> bool {
        let slot = vacant(&self.all[..self.count], link.hash());
        slot.inspect(|slot| slot.fill(link)).is_some()
    }

    /// The segment, which is freed by [`Segment::retire`] or [`Segment::free`] from now on.
    pub fn publish<'a>(self) -> Segment<'a, E> {
        let is_chained = self.all.len() > self.count;
        let chained = if is_chained { CHAINED } else { 0 };
        let number = self.depth as u16 | chained | (self.count as u16) << COUNT_SHIFT;
        let first = Box::into_raw(self.all).cast::<Bucket<E>>();
        Segment {
            word: word::pack(first, number),
            lives: PhantomData,
        }
    }
}

/// A segment that lives at least as long as `'a`: a section or the lock protects it, or nobody can find it yet. The
/// word of a segment has its size and depth, so a reader knows them before it looks at the segment.
pub struct Segment<'a, E> {
    word: *mut Bucket<E>,
    lives: PhantomData<&'a Bucket<E>>,
}

impl<E> Clone for Segment<'_, E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for Segment<'_, E> {}

impl<'a, E: Entry> Segment<'a, E> {
    /// The segment with this word.
    ///
    /// # Safety
    /// The word is of [`Segment::word`], and the segment is not freed before `'a` ends. What was written to it before
    /// it was published is visible to the calling thread.
    #[inline(always)]
    pub unsafe fn of(word: *mut Bucket<E>) -> Self {
        Self {
            word,
            lives: PhantomData,
        }
    }

    /// The word that leads to it.
    pub fn word(self) -> *mut Bucket<E> {
        self.word
    }

    /// How many bits behind those of the shard its hashes have in common.
    #[inline(always)]
    pub fn depth(self) -> u32 {
        u32::from(word::number(self.word) & DEPTH)
    }

    /// Whether others can be appended.
    #[inline(always)]
    pub fn is_chained(self) -> bool {
        word::number(self.word) & CHAINED != 0
    }

    /// Number of its buckets.
    #[inline(always)]
    fn count(self) -> usize {
        usize::from(word::number(self.word) >> COUNT_SHIFT)
    }

    /// Its buckets.
    #[inline(always)]
    pub fn buckets(self) -> &'a [Bucket<E>] {
        // SAFETY: `Fresh::publish` packed the address of at least as many buckets, which live as `of` was promised.
        // Others change them only as atomic variables.
        unsafe { slice::from_raw_parts(word::pointer(self.word), self.count()) }
    }

    /// The word that leads to the next segment of the chain.
    fn tail(self) -> Option<&'a AtomicPtr<E>> {
        self.is_chained().then(|| {
            // SAFETY: a chained segment has one bucket more than its count, which lives as long as the others.
            let bucket: &'a Bucket<E> = unsafe { &*word::pointer(self.word).add(self.count()) };
            bucket.slots[0].raw()
        })
    }

    /// The next segment of the chain.
    #[inline]
    pub fn next(self) -> Option<Self> {
        let word = self.tail()?.load(Ordering::SeqCst);
        // SAFETY: `append` stored it. Segments of a chain are retired together, so what protects this one protects it.
        // The load sees what was written before the store.
        (!word.is_null()).then(|| unsafe { Self::of(word.cast()) })
    }

    /// This segment, and those that are appended to it.
    pub fn chain(self) -> impl Iterator<Item = Self> {
        iter::successors(Some(self), |segment| segment.next())
    }

    /// Appends a segment to this one, which is chained and the last of its chain. The caller has the lock.
    pub fn append(self, next: Self) {
        if let Some(tail) = self.tail() {
            tail.store(next.word.cast(), Ordering::SeqCst);
        }
    }

    /// The slots, also of what is appended.
    pub fn slots(self) -> impl Iterator<Item = &'a Slot<E>> {
        self.chain()
            .flat_map(Self::buckets)
            .flat_map(|bucket| &bucket.slots)
    }

    /// The entry with this key, and its slot.
    #[inline]
    pub fn find(self, hash: u64, key: &[u8]) -> Option<(&'a Slot<E>, &'a E)> {
        let tag = bits::tag(hash);
        let mut segment = self;
        loop {
            let buckets = segment.buckets();
            for at in bits::buckets(hash, buckets.len()) {
                for slot in &buckets[at].slots {
                    if let Some(entry) = slot.entry_if_tagged(tag)
                        && entry.key() == key
                    {
                        return Some((slot, entry));
                    }
                }
            }
            segment = segment.next()?;
        }
    }

    /// Asks for the cache lines of the buckets of a hash.
    #[inline(always)]
    pub fn prefetch(self, hash: u64) {
        let buckets = self.buckets();
        for at in bits::buckets(hash, buckets.len()) {
            prefetch(&raw const buckets[at]);
        }
    }

    /// Asks for the first cache line of the entry of a hash.
    #[inline(always)]
    pub fn prefetch_entry(self, hash: u64) {
        let buckets = self.buckets();
        for at in bits::buckets(hash, buckets.len()) {
            for slot in &buckets[at].slots {
                let entry = slot.address_if_tagged(bits::tag(hash));
                if !entry.is_null() {
                    prefetch(entry);
                }
            }
        }
    }

    /// An empty slot for a hash. The caller has the lock.
    pub fn vacant(self, hash: u64) -> Option<&'a Slot<E>> {
        self.chain()
            .find_map(|segment| vacant(segment.buckets(), hash))
    }

    /// Bytes of this segment, without what is appended.
    pub fn bytes(self) -> usize {
        self.all() * size_of::<Bucket<E>>()
    }

    /// Its buckets, with the one that leads on.
    fn all(self) -> usize {
        self.count() + usize::from(self.is_chained())
    }

    /// Retires it with what is appended to it.
    ///
    /// # Safety
    /// It is unlinked: readers that enter a section from now on cannot find it. This is the only call for it, and
    /// nobody calls [`Segment::free`].
    pub unsafe fn retire(self, retire: &mut dyn Retire) {
        let mut last = Some(self);
        while let Some(segment) = last {
            // It may be freed as soon as it is retired.
            last = segment.next();
            // SAFETY: the segments of a chain are unlinked together, and each is retired once. The function takes the
            // word as the address of the object.
            unsafe { retire.retire_raw(segment.word.cast(), segment.bytes(), free::<E>) };
        }
    }

    /// Frees it with what is appended to it.
    ///
    /// # Safety
    /// Nobody uses it any more, and it was not retired.
    pub unsafe fn free(self) {
        let mut last = Some(self);
        while let Some(segment) = last {
            last = segment.next();
            // SAFETY: as the caller promises.
            unsafe { free::<E>(segment.word.cast()) };
        }
    }
}

/// Frees a segment without those that are appended to it.
///
/// # Safety
/// It is the word of a segment that nobody uses any more, and which was not freed.
unsafe fn free<E: Entry>(word: *mut u8) {
    // SAFETY: it is a word of this type.
    let segment = unsafe { Segment::<E>::of(word.cast()) };
    let all = ptr::slice_from_raw_parts_mut(word::pointer(segment.word), segment.all());
    // SAFETY: `Fresh::publish` took this address and number of buckets from a box.
    drop(unsafe { Box::from_raw(all) });
}
