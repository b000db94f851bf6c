//! The edit of a list.
#![expect(unsafe_code, reason = "the caller has the lock of the list")]

use std::ops::Range;

use perflab_rcu::Retire;

use crate::blob::Held;
use crate::collection::Trees;
use crate::edit::Done;
use crate::edit::work::Work;
use crate::entry::Entry;

/// Changes of a list that readers see as one.
pub struct ListEdit<'t> {
    work: Work<'t, Held>,
}

impl<'t> ListEdit<'t> {
    /// Begins; None if the entry is no list.
    ///
    /// # Safety
    /// The caller holds the lock of the shard until [`ListEdit::finish`], or nobody else knows the entry.
    pub(crate) unsafe fn begin(entry: &'t Entry) -> Option<Self> {
        match entry.collection()?.trees() {
            Trees::List(tree) => Some(Self {
                // SAFETY: as the caller promises.
                work: unsafe { Work::begin(tree) },
            }),
            _ => None,
        }
    }

    pub(crate) fn finish(self, retire: &mut dyn Retire) -> Done {
        let len = self.len();
        let (changes, nodes) = self.work.commit(retire);
        Done {
            changes,
            nodes,
            len,
            converted: None,
        }
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.work.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The element at a position, from the head.
    pub fn get(&self, position: usize) -> Option<&[u8]> {
        self.work.look().get(position).map(|seen| seen.blob().key())
    }

    /// The elements at those of these positions that are there, from the head.
    pub fn iter(
        &self,
        range: Range<usize>,
    ) -> impl DoubleEndedIterator<Item = &[u8]> + ExactSizeIterator {
        self.work.look().iter(range).map(|seen| seen.blob().key())
    }

    /// Puts an element in front of the head.
    pub fn push_front(&mut self, element: &[u8]) {
        self.work.push_front(Held::new(element, &[]));
    }

    /// Puts an element behind the tail.
    pub fn push_back(&mut self, element: &[u8]) {
        self.work.push_back(Held::new(element, &[]));
    }

    /// Removes the head.
    pub fn pop_front(&mut self) -> Option<&[u8]> {
        self.work.pop_front().map(|seen| seen.blob().key())
    }

    /// Removes the tail.
    pub fn pop_back(&mut self) -> Option<&[u8]> {
        self.work.pop_back().map(|seen| seen.blob().key())
    }

    /// Replaces the element at a position. Returns whether there is one.
    pub fn set(&mut self, position: usize, element: &[u8]) -> bool {
        let is_there = position < self.len();
        if is_there {
            self.work.replace(position, Held::new(element, &[]));
        }
        is_there
    }

    /// Inserts an element in front of the one at a position, or at the end.
    ///
    /// # Panics
    /// If the position is behind the end.
    pub fn insert(&mut self, position: usize, element: &[u8]) {
        assert!(position <= self.len(), "the position is behind the end");
        self.work.insert(position, Held::new(element, &[]));
    }

    /// Removes the elements outside of this range.
    pub fn trim(&mut self, kept: Range<usize>) {
        let len = self.len();
        let end = kept.end.min(len);
        let start = kept.start.min(end);
        self.work.remove_range(end..len);
        self.work.remove_range(0..start);
    }

    /// Removes elements that equal this one: the first `most`, the last `-most`, or all if `most` is 0. Returns how
    /// many were removed.
    pub fn remove_equal(&mut self, most: i64, element: &[u8]) -> usize {
        let limit = match most {
            0 => usize::MAX,
            most => usize::try_from(most.unsigned_abs()).unwrap_or(usize::MAX),
        };
        let look = self.work.look();
        let equal = |position: &usize| {
            look.get(*position)
                .is_some_and(|seen| seen.blob().key() == element)
        };
        let mut positions: Vec<usize> = if most < 0 {
            (0..look.len()).rev().filter(equal).take(limit).collect()
        } else {
            (0..look.len()).filter(equal).take(limit).collect()
        };
        // From the last one on: so the positions of the others stay what they are.
        positions.sort_unstable_by(|one, other| other.cmp(one));
        for position in &positions {
            self.work.remove(*position);
        }
        positions.len()
    }
}
