//! The directory of a shard, which leads from a hash to its segment, and the word that leads to the directory.
#![expect(
    unsafe_code,
    reason = "readers follow the address of a directory, and retired ones are freed"
)]

use std::iter;
use std::marker::PhantomData;
use std::ptr;
use std::slice;

use perflab_rcu::{Pinned, Retire};

use super::atomic::{AtomicPtr, Ordering};
use super::bits;
use super::entry::Entry;
use super::segment::{Fresh, Segment};
use super::sizes::SIZES;
use super::slot::Bucket;
use super::word;

/// The word of a segment.
type Place<E> = AtomicPtr<Bucket<E>>;

/// A directory that lives at least as long as `'a`: a section or the lock protects it, or nobody can find it yet. It has
/// 2^depth places, and its word has the depth. A segment of a smaller depth is in several places that follow each other.
pub struct Directory<'a, E> {
    word: *mut Place<E>,
    lives: PhantomData<&'a Place<E>>,
}

impl<E> Clone for Directory<'_, E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for Directory<'_, E> {}

impl<'a, E: Entry> Directory<'a, E> {
    /// # Safety
    /// The word is of [`Directory::new`], and the directory is not freed before `'a` ends. What was written to it before
    /// it was published is visible to the calling thread.
    #[inline(always)]
    unsafe fn of(word: *mut Place<E>) -> Self {
        Self {
            word,
            lives: PhantomData,
        }
    }

    /// A directory of these words of segments: 2^depth of them.
    fn new(depth: u32, words: impl Iterator<Item = *mut Bucket<E>>) -> Self {
        let places: Box<[Place<E>]> = words.map(Place::new).collect();
        assert_eq!(places.len(), 1 << depth, "places of a directory");
        Self {
            word: word::pack(Box::into_raw(places).cast::<Place<E>>(), depth as u16),
            lives: PhantomData,
        }
    }

    /// A directory with one empty segment of the smallest size.
    fn smallest() -> Self {
        let segment = Fresh::new(SIZES[0].buckets, 0).publish();
        Self::new(0, iter::once(segment.word()))
    }

    /// The depth: that of its deepest segments, or more.
    #[inline(always)]
    pub fn depth(self) -> u32 {
        u32::from(word::number(self.word))
    }

    #[inline(always)]
    fn places(self) -> &'a [Place<E>] {
        // SAFETY: `new` packed the address of 2^depth places, which live as `of` was promised. Others change them only
        // as atomic variables.
        unsafe { slice::from_raw_parts(word::pointer(self.word), 1 << self.depth()) }
    }

    #[inline(always)]
    fn at(self, index: usize) -> Segment<'a, E> {
        let word = self.places()[index].load(Ordering::SeqCst);
        // SAFETY: places have words of segments only. What protects the directory protects the segment: a segment is
        // retired after it was replaced in the directory, or after the directory was replaced. The load sees what was
        // written to the segment before the word was stored.
        unsafe { Segment::of(word) }
    }

    /// The segment of a hash.
    #[inline(always)]
    pub fn segment(self, hash: u64) -> Segment<'a, E> {
        self.at(bits::index(hash, self.depth()))
    }

    /// The segments in the order of hashes. Nobody replaces one meanwhile.
    pub fn segments(self) -> impl Iterator<Item = Segment<'a, E>> {
        let mut next = 0;
        iter::from_fn(move || {
            let index = next;
            (index < self.places().len()).then(|| {
                let segment = self.at(index);
                next += self.width(segment.depth());
                segment
            })
        })
    }

    /// Places that a segment of this depth has here.
    fn width(self, depth: u32) -> usize {
        1 << (self.depth() - depth)
    }

    /// Puts other segments in the place of `old`: all hashes of `old` belong to one of them, in the order of hashes.
    /// None is deeper than the directory. The caller has the lock.
    pub fn replace(self, old: Segment<'_, E>, hash: u64, fresh: &[Segment<'a, E>]) {
        let first = bits::index(bits::first_of_segment(hash, old.depth()), self.depth());
        let places = &self.places()[first..first + self.width(old.depth())];
        let words = fresh
            .iter()
            .flat_map(|segment| iter::repeat_n(segment.word(), self.width(segment.depth())));
        for (place, word) in places.iter().zip(words) {
            place.store(word, Ordering::SeqCst);
        }
    }

    /// A directory of a greater depth with the same segments, but others in the place of `old`, as of
    /// [`Directory::replace`].
    pub fn deepened(
        self,
        depth: u32,
        old: Segment<'_, E>,
        hash: u64,
        fresh: &[Segment<'a, E>],
    ) -> Self {
        let first = bits::index(bits::first_of_segment(hash, old.depth()), self.depth());
        let behind = first + self.width(old.depth());
        let kept = |places: &'a [Place<E>]| {
            places.iter().flat_map(move |place| {
                iter::repeat_n(place.load(Ordering::SeqCst), 1 << (depth - self.depth()))
            })
        };
        let new = fresh
            .iter()
            .flat_map(|segment| iter::repeat_n(segment.word(), 1 << (depth - segment.depth())));
        let places = self.places();
        let words = kept(&places[..first])
            .chain(new)
            .chain(kept(&places[behind..]));
        Self::new(depth, words)
    }

    /// Its bytes, without those of the segments.
    pub fn bytes(self) -> usize {
        size_of_val(self.places())
    }

    /// Retires it, without its segments.
    ///
    /// # Safety
    /// It is unlinked: readers that enter a section from now on cannot find it. This is the only call for it, and nobody
    /// calls [`Directory::free`].
    pub unsafe fn retire(self, retire: &mut dyn Retire) {
        // SAFETY: as the caller promises. The function takes the word as the address of the object.
        unsafe { retire.retire_raw(self.word.cast(), self.bytes(), free::<E>) };
    }

    /// Frees it, without its segments.
    ///
    /// # Safety
    /// Nobody uses it any more, and it was not retired.
    pub unsafe fn free(self) {
        // SAFETY: as the caller promises.
        unsafe { free::<E>(self.word.cast()) };
    }
}

/// Frees a directory.
///
/// # Safety
/// It is the word of a directory that nobody uses any more, and which was not freed.
unsafe fn free<E: Entry>(word: *mut u8) {
    // SAFETY: it is a word of this type.
    let directory = unsafe { Directory::<E>::of(word.cast()) };
    let first = word::pointer(directory.word);
    let places = ptr::slice_from_raw_parts_mut(first, 1 << directory.depth());
    // SAFETY: `new` took this address and number of places from a box.
    drop(unsafe { Box::from_raw(places) });
}

/// The word that leads to the directory of a shard.
pub struct Root<E: Entry>(AtomicPtr<Place<E>>);

impl<E: Entry> Root<E> {
    /// Bytes of an empty shard: its directory has one place, and its segment is of the smallest size.
    pub const EMPTY_BYTES: usize =
        size_of::<Place<E>>() + SIZES[0].buckets * size_of::<Bucket<E>>();

    /// An empty shard.
    pub fn new() -> Self {
        Self(AtomicPtr::new(Directory::smallest().word))
    }

    /// The directory as it is now. The section or the lock that the proof stands for protects it.
    #[inline(always)]
    pub fn read<'a>(&'a self, _: Pinned<'a>) -> Directory<'a, E> {
        let word = self.0.load(Ordering::SeqCst);
        // SAFETY: a directory that is replaced goes to a limbo of the flavour of all sections that come here, as the
        // constructor of the table was promised. The section began before the load, so it protects the directory. One
        // that is not replaced lives as long as the root, which is borrowed. The load sees what was written to the
        // directory before the word was stored.
        unsafe { Directory::of(word) }
    }

    /// Lets it lead to another directory. The caller has the lock, and retires the one before.
    pub fn publish(&self, directory: Directory<'_, E>) {
        self.0.store(directory.word, Ordering::SeqCst);
    }

    /// Lets it lead to the directory of an empty shard, and returns the one before, which lives until the caller retires
    /// it. The caller has the lock.
    pub fn detach<'a>(&self) -> Directory<'a, E> {
        let word = self.0.swap(Directory::smallest().word, Ordering::SeqCst);
        // SAFETY: nobody but the caller retires it. It was published by this thread, or by one that had the lock before.
        unsafe { Directory::of(word) }
    }
}

impl<E: Entry> Drop for Root<E> {
    fn drop(&mut self) {
        // SAFETY: readers borrow the root, and so does who has the lock; so there is none. Segments and the directory
        // are freed once, as they are not replaced.
        unsafe {
            let directory = Directory::<E>::of(self.0.load(Ordering::Acquire));
            for segment in directory.segments() {
                segment.free();
            }
            directory.free();
        }
    }
}
