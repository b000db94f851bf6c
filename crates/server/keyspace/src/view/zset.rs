//! A sorted set as a reader sees it.
//!
//! A large sorted set has two trees with a root each, and a reader must not mix two states of it. The tree by score is
//! the truth. The index by member only says where to look in it:
//!
//! 1. A writer enters new members into the index, and commits it.
//! 2. It commits the tree by score.
//! 3. It takes removed members out of the index, and commits it again. So the index has each member that the tree by
//!    score has, at all times.
//! 4. A reader loads the root of the index, that of the tree by score, and that of the index again.
//! 5. Are both roots of the index the same, then it did not change meanwhile: a member that it lacks is not in the view
//!    of the tree by score. A root is not used for another state while a reader of it is in a section.
//! 6. Otherwise, and for a member that is not where the index says, the reader searches the view of the tree by score
//!    from end to end. That happens only next to a writer, and needs no second try.

use std::ops::{Bound, Range};

use perflab_rcu::Pinned;
use perflab_tree::Tree;

use crate::blob::Blob;
use crate::collection::look;
use crate::hash::of_field;
use crate::item::{Hashed, Scored};
use crate::look::{Look, Seen};
use crate::view::scan;

/// One state of a sorted set. A rank is a position in ascending order of scores, from 0.
#[derive(Clone, Copy)]
pub struct ZsetView<'p> {
    scores: Look<'p, Scored>,
    /// None for small ones.
    index: Option<Look<'p, Hashed>>,
    /// Whether the index did not change while the view was taken.
    exact: bool,
}

impl<'p> ZsetView<'p> {
    pub(crate) fn small(scores: Look<'p, Scored>) -> Self {
        Self {
            scores,
            index: None,
            exact: false,
        }
    }

    pub(crate) fn large(
        scores: &'p Tree<Scored>,
        index: &'p Tree<Hashed>,
        pinned: Pinned<'p>,
    ) -> Self {
        // Step 4. Each load of a root is an acquire, so they happen in this order.
        let before = look(index, pinned);
        let scores = look(scores, pinned);
        let after = look(index, pinned);
        Self {
            scores,
            index: Some(before),
            exact: before.is_same(&after),
        }
    }

    /// The number of members.
    pub fn len(&self) -> usize {
        self.scores.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The score of a member.
    pub fn score(&self, member: &[u8]) -> Option<f64> {
        self.rank(member).map(|(_, score)| score)
    }

    /// The rank of a member, and its score.
    pub fn rank(&self, member: &[u8]) -> Option<(usize, f64)> {
        let rank = self.find(member)?;
        Some((rank, self.scores.get(rank)?.item().score))
    }

    /// The member of a rank, and its score.
    pub fn at(&self, rank: usize) -> Option<(&'p [u8], f64)> {
        self.scores.get(rank).map(pair)
    }

    /// The members of those of these ranks that are there, with their scores, ascending.
    pub fn iter(
        &self,
        ranks: Range<usize>,
    ) -> impl DoubleEndedIterator<Item = (&'p [u8], f64)> + ExactSizeIterator + use<'p> {
        self.scores.iter(ranks).map(pair)
    }

    /// The ranks of the members whose scores are in these bounds.
    pub fn by_score(&self, low: Bound<f64>, high: Bound<f64>) -> Range<usize> {
        by_score(&self.scores, low, high)
    }

    /// The ranks of the members that are in these bounds, bytewise. It is meant for sorted sets whose members have the
    /// same score.
    pub fn by_member(&self, low: Bound<&[u8]>, high: Bound<&[u8]>) -> Range<usize> {
        by_member(&self.scores, low, high)
    }

    /// One step of a walk that goes on while the sorted set changes, as
    /// [`HashView::scan`](crate::HashView::scan). A small one is given as a whole.
    pub fn scan(&self, cursor: u64, count: usize, mut each: impl FnMut(&'p [u8], f64)) -> u64 {
        let Some(index) = self.index else {
            self.iter(0..self.len())
                .for_each(|(member, score)| each(member, score));
            return 0;
        };
        scan::scan(index, cursor, count, |blob: &'p Blob| {
            each(blob.key(), blob.score());
        })
    }

    fn find(&self, member: &[u8]) -> Option<usize> {
        let from_end_to_end = || self.scores.find_anywhere(member);
        match self.index.filter(|_| self.exact) {
            // Step 5.
            Some(index) => {
                let position = index.find(of_field(member), member).ok()?;
                let score = index.get(position)?.blob().score();
                let rank = self.scores.find(score, member);
                rank.ok().or_else(from_end_to_end)
            }
            // Step 6.
            None => from_end_to_end(),
        }
    }
}

/// The ranks between two scores.
pub(crate) fn by_score(
    scores: &Look<'_, Scored>,
    low: Bound<f64>,
    high: Bound<f64>,
) -> Range<usize> {
    let below = |bound: f64| scores.partition_point(|seen| seen.item().score < bound);
    let up_to = |bound: f64| scores.partition_point(|seen| seen.item().score <= bound);
    range(scores.len(), low, high, below, up_to)
}

/// The ranks between two members.
pub(crate) fn by_member(
    scores: &Look<'_, Scored>,
    low: Bound<&[u8]>,
    high: Bound<&[u8]>,
) -> Range<usize> {
    let below = |bound: &[u8]| scores.partition_point(|seen| seen.blob().key() < bound);
    let up_to = |bound: &[u8]| scores.partition_point(|seen| seen.blob().key() <= bound);
    range(scores.len(), low, high, below, up_to)
}

/// The positions between two bounds: `below` counts what is below a bound, `up_to` also what equals it.
fn range<B>(
    len: usize,
    low: Bound<B>,
    high: Bound<B>,
    below: impl Fn(B) -> usize,
    up_to: impl Fn(B) -> usize,
) -> Range<usize> {
    let start = match low {
        Bound::Included(bound) => below(bound),
        Bound::Excluded(bound) => up_to(bound),
        Bound::Unbounded => 0,
    };
    let end = match high {
        Bound::Included(bound) => up_to(bound),
        Bound::Excluded(bound) => below(bound),
        Bound::Unbounded => len,
    };
    start..end.max(start)
}

fn pair<'p>(seen: Seen<'p, Scored>) -> (&'p [u8], f64) {
    (seen.blob().key(), seen.item().score)
}
