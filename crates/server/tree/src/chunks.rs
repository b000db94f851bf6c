//! Items at a range of positions: as slices, and one by one.

use std::fmt;
use std::iter::FusedIterator;
use std::ops::Range;
use std::slice;

use crate::view::View;

/// The items at a range of positions, as slices of leaves: see [`View::chunks`].
///
/// Each slice is found from the root. That costs little next to what is done with the items, and needs no memory.
#[derive(Clone)]
pub struct Chunks<'p, T: Copy> {
    view: View<'p, T>,
    /// Positions that are still to come.
    range: Range<usize>,
}

impl<'p, T: Copy> Chunks<'p, T> {
    /// The range is one of the view.
    pub(crate) fn new(view: View<'p, T>, range: Range<usize>) -> Self {
        Self { view, range }
    }
}

impl<'p, T: Copy> Iterator for Chunks<'p, T> {
    type Item = &'p [T];

    fn next(&mut self) -> Option<&'p [T]> {
        if self.range.is_empty() {
            return None;
        }
        let (items, place) = self.view.leaf(self.range.start)?;
        let len = self.range.len().min(items.len() - place);
        self.range.start += len;
        Some(&items[place..place + len])
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (usize::from(!self.range.is_empty()), Some(self.range.len()))
    }
}

impl<T: Copy> DoubleEndedIterator for Chunks<'_, T> {
    fn next_back(&mut self) -> Option<Self::Item> {
        if self.range.is_empty() {
            return None;
        }
        let (items, last) = self.view.leaf(self.range.end - 1)?;
        let len = self.range.len().min(last + 1);
        self.range.end -= len;
        Some(&items[last + 1 - len..=last])
    }
}

impl<T: Copy> FusedIterator for Chunks<'_, T> {}

impl<T: Copy> fmt::Debug for Chunks<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Chunks({:?})", self.range)
    }
}

/// The items at a range of positions, one by one: see [`View::iter`].
#[derive(Clone)]
pub struct Iter<'p, T: Copy> {
    front: slice::Iter<'p, T>,
    chunks: Chunks<'p, T>,
    back: slice::Iter<'p, T>,
}

impl<'p, T: Copy> Iter<'p, T> {
    pub(crate) fn new(chunks: Chunks<'p, T>) -> Self {
        Self {
            front: slice::Iter::default(),
            chunks,
            back: slice::Iter::default(),
        }
    }
}

impl<T: Copy> Iterator for Iter<'_, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        loop {
            if let Some(item) = self.front.next() {
                return Some(*item);
            }
            match self.chunks.next() {
                Some(chunk) => self.front = chunk.iter(),
                None => return self.back.next().copied(),
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.front.len() + self.chunks.range.len() + self.back.len();
        (len, Some(len))
    }
}

impl<T: Copy> DoubleEndedIterator for Iter<'_, T> {
    fn next_back(&mut self) -> Option<T> {
        loop {
            if let Some(item) = self.back.next_back() {
                return Some(*item);
            }
            match self.chunks.next_back() {
                Some(chunk) => self.back = chunk.iter(),
                None => return self.front.next_back().copied(),
            }
        }
    }
}

impl<T: Copy> ExactSizeIterator for Iter<'_, T> {}

impl<T: Copy> FusedIterator for Iter<'_, T> {}

impl<T: Copy> fmt::Debug for Iter<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Iter({} items)", self.len())
    }
}
