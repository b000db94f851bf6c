//! What a tree has at one time.

use std::cmp::Ordering;
use std::fmt;
use std::ops::{Bound, Range, RangeBounds};

use crate::chunks::{Chunks, Iter};
use crate::find;
use crate::node::{Content, Link, NodeRef};

/// The items of a tree at one time: as a commit left them, or as an edit has them so far.
///
/// Positions count from 0. Ranges of positions are cut to what is there.
#[derive(Clone, Copy)]
pub struct View<'p, T: Copy> {
    /// None if there is no item.
    root: Option<NodeRef<'p, T>>,
}

impl<'p, T: Copy> View<'p, T> {
    #[inline]
    pub(crate) fn new(root: Option<NodeRef<'p, T>>) -> Self {
        Self { root }
    }

    /// Items.
    pub fn len(&self) -> usize {
        self.root.map_or(0, NodeRef::count)
    }

    /// Whether there is no item.
    pub fn is_empty(&self) -> bool {
        self.root.is_none()
    }

    /// Whether both are views of the same state of a tree. Views of one section that have the same root are: a root that
    /// was replaced is used for nothing else while a section can see it. Views without items are always the same.
    pub fn is_same(&self, other: &Self) -> bool {
        match (self.root, other.root) {
            (Some(root), Some(other)) => root.is(other),
            (None, None) => true,
            _ => false,
        }
    }

    /// The item at a position, if there is one.
    pub fn get(&self, position: usize) -> Option<T> {
        let (items, place) = self.leaf(position)?;
        Some(items[place])
    }

    /// A position at which `order` says `Equal`: `Ok`. If there is none, the position to which such an item belongs:
    /// `Err`.
    ///
    /// `order` compares an item with what is searched: `Less` for a first part of the items, then `Equal`, then
    /// `Greater`. If several are equal, any of them may be found. With another order some position is returned.
    pub fn position_by(&self, mut order: impl FnMut(&T) -> Ordering) -> Result<usize, usize> {
        let Some(mut node) = self.root else {
            return Err(0);
        };
        let mut before = 0;
        loop {
            match node.content() {
                Content::Items(items) => {
                    let found = items.binary_search_by(order);
                    return found
                        .map(|place| before + place)
                        .map_err(|place| before + place);
                }
                Content::Children(children) => {
                    let behind =
                        children.partition_point(|child| order(child.first()) != Ordering::Greater);
                    (node, before) = step(children, behind, before);
                }
            }
        }
    }

    /// How many items are in the first part, for which `is_before` says true: the position of the first one for which
    /// it does not, or the number of items.
    pub fn partition_point(&self, mut is_before: impl FnMut(&T) -> bool) -> usize {
        let Some(mut node) = self.root else {
            return 0;
        };
        let mut before = 0;
        loop {
            match node.content() {
                Content::Items(items) => return before + items.partition_point(is_before),
                Content::Children(children) => {
                    let behind = children.partition_point(|child| is_before(child.first()));
                    (node, before) = step(children, behind, before);
                }
            }
        }
    }

    /// The items at a range of positions, in slices: each has what one leaf has of them.
    pub fn chunks(&self, range: impl RangeBounds<usize>) -> Chunks<'p, T> {
        Chunks::new(*self, cut(range, self.len()))
    }

    /// The items at a range of positions, one by one.
    pub fn iter(&self, range: impl RangeBounds<usize>) -> Iter<'p, T> {
        Iter::new(self.chunks(range))
    }

    /// Memory of all nodes, in bytes. Looks at each node.
    pub fn bytes(&self) -> usize {
        self.root.map_or(0, bytes)
    }

    /// The items of the leaf that has a position, and the place there.
    pub(crate) fn leaf(&self, position: usize) -> Option<(&'p [T], usize)> {
        let (mut node, mut position) = (self.root?, position);
        loop {
            match node.content() {
                Content::Items(items) => {
                    return (position < items.len()).then_some((items, position));
                }
                Content::Children(children) => {
                    let (place, rest) = find::item(children, position);
                    (node, position) = (children[place].node(), rest);
                }
            }
        }
    }

    #[cfg(test)]
    pub(crate) fn root(&self) -> Option<NodeRef<'p, T>> {
        self.root
    }
}

impl<T: Copy + fmt::Debug> fmt::Debug for View<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter(..)).finish()
    }
}

/// The child in which a search goes on, and how many items are before it, if `behind` children begin with an item that
/// is not behind what is searched. `before` items are before all of the children.
fn step<'p, T: Copy>(
    children: &'p [Link<T>],
    behind: usize,
    before: usize,
) -> (NodeRef<'p, T>, usize) {
    let place = behind.saturating_sub(1);
    let skipped: usize = children[..place].iter().map(Link::count).sum();
    (children[place].node(), before + skipped)
}

/// A range of positions, without those that are not there.
pub(crate) fn cut(range: impl RangeBounds<usize>, len: usize) -> Range<usize> {
    let begin = match range.start_bound() {
        Bound::Included(&begin) => begin,
        Bound::Excluded(&before) => before.saturating_add(1),
        Bound::Unbounded => 0,
    };
    let end = match range.end_bound() {
        Bound::Included(&last) => last.saturating_add(1),
        Bound::Excluded(&end) => end,
        Bound::Unbounded => len,
    };
    let end = end.min(len);
    begin.min(end)..end
}

fn bytes<T: Copy>(node: NodeRef<'_, T>) -> usize {
    let below = match node.content() {
        Content::Items(_) => 0,
        Content::Children(children) => children.iter().map(|child| bytes(child.node())).sum(),
    };
    node.bytes() + below
}
