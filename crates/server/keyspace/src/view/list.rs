//! A list as a reader sees it.

use std::ops::Range;

use crate::blob::Held;
use crate::look::Look;

/// One state of a list.
#[derive(Clone, Copy)]
pub struct ListView<'p> {
    look: Look<'p, Held>,
}

impl<'p> ListView<'p> {
    pub(crate) fn new(look: Look<'p, Held>) -> Self {
        Self { look }
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.look.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The element at a position, from the head.
    pub fn get(&self, position: usize) -> Option<&'p [u8]> {
        self.look.get(position).map(|seen| seen.blob().key())
    }

    /// The elements at those of these positions that are there, from the head.
    pub fn iter(
        &self,
        range: Range<usize>,
    ) -> impl DoubleEndedIterator<Item = &'p [u8]> + ExactSizeIterator + use<'p> {
        self.look.iter(range).map(|seen| seen.blob().key())
    }
}
