//! A look at a tree of blobs: its items with what they lead to.
#![expect(
    unsafe_code,
    reason = "trees hold addresses, and a view keeps what they lead to"
)]

use std::cmp::Ordering;
use std::marker::PhantomData;
use std::ops::Range;

use perflab_tree::View;

use crate::blob::Blob;
use crate::item::{Hashed, Leads, Scored};

/// A view whose items lead to blobs that live as long as the view.
pub(crate) struct Look<'p, I: Copy> {
    view: View<'p, I>,
}

impl<I: Copy> Clone for Look<'_, I> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<I: Copy> Copy for Look<'_, I> {}

/// An item that a look has shown.
#[derive(Clone, Copy)]
pub(crate) struct Seen<'p, I> {
    item: I,
    lives: PhantomData<&'p Blob>,
}

impl<'p, I: Leads> Seen<'p, I> {
    /// An item that no look has shown.
    ///
    /// # Safety
    /// Its blob lives as long as what is returned.
    pub unsafe fn of(item: I) -> Self {
        seen(item)
    }

    /// The item.
    pub fn item(self) -> I {
        self.item
    }

    /// The blob.
    pub fn blob(self) -> &'p Blob {
        // SAFETY: a look made this, whose blobs live that long, or the caller of `of` promised it.
        unsafe { self.item.held().blob() }
    }
}

impl<'p, I: Leads> Look<'p, I> {
    /// A look at what a view shows.
    ///
    /// # Safety
    /// The blobs of all its items live as long as the view: it is one of a section, and blobs are retired after the
    /// commit that removed them; or the caller holds the lock of the key, and keeps them.
    pub unsafe fn new(view: View<'p, I>) -> Self {
        Self { view }
    }

    /// Whether both are views of the same state. While a section protects both, equal roots are one state.
    pub fn is_same(&self, other: &Self) -> bool {
        self.view.is_same(&other.view)
    }

    /// The number of items.
    pub fn len(&self) -> usize {
        self.view.len()
    }

    /// The item at a position.
    pub fn get(&self, position: usize) -> Option<Seen<'p, I>> {
        self.view.get(position).map(seen)
    }

    /// The position of the item that is `Equal`, or the one where it would be inserted.
    pub fn position_by(
        &self,
        mut order: impl FnMut(Seen<'p, I>) -> Ordering,
    ) -> Result<usize, usize> {
        self.view.position_by(|item| order(seen(*item)))
    }

    /// The number of items in front of the first for which `before` is false.
    pub fn partition_point(&self, mut before: impl FnMut(Seen<'p, I>) -> bool) -> usize {
        self.view.partition_point(|item| before(seen(*item)))
    }

    /// The items at those of these positions that are there, in order.
    pub fn iter(
        &self,
        range: Range<usize>,
    ) -> impl DoubleEndedIterator<Item = Seen<'p, I>> + ExactSizeIterator + use<'p, I> {
        self.view.iter(range).map(seen)
    }

    /// All items, in order.
    pub fn all(
        &self,
    ) -> impl DoubleEndedIterator<Item = Seen<'p, I>> + ExactSizeIterator + use<'p, I> {
        self.iter(0..self.len())
    }

    /// The position of a key, by a search of all items.
    pub fn find_anywhere(&self, key: &[u8]) -> Option<usize> {
        self.all().position(|seen| seen.blob().key() == key)
    }
}

impl Look<'_, Hashed> {
    /// The position of a key, or the one where it would be inserted.
    pub fn find(&self, hash: u64, key: &[u8]) -> Result<usize, usize> {
        self.position_by(|seen| {
            let by_hash = seen.item.hash.cmp(&hash);
            by_hash.then_with(|| seen.blob().key().cmp(key))
        })
    }
}

impl Look<'_, Scored> {
    /// The position of a member with this score, or the one where it would be inserted. No score is NaN, and both zeros
    /// are equal.
    pub fn find(&self, score: f64, member: &[u8]) -> Result<usize, usize> {
        self.position_by(|seen| {
            let by_score = seen.item.score.partial_cmp(&score);
            by_score
                .unwrap_or(Ordering::Equal)
                .then_with(|| seen.blob().key().cmp(member))
        })
    }
}

fn seen<'p, I>(item: I) -> Seen<'p, I> {
    Seen {
        item,
        lives: PhantomData,
    }
}
