//! The edit of a sorted set.
#![expect(unsafe_code, reason = "the caller has the lock of the sorted set")]

use std::fmt;
use std::ops::{Bound, Range};
use std::ptr::NonNull;

use perflab_rcu::Retire;

use crate::blob::Held;
use crate::collection::{Collection, Trees};
use crate::edit::Done;
use crate::edit::index::Index;
use crate::edit::work::{Work, sorted};
use crate::entry::Entry;
use crate::form::Form;
use crate::item::Scored;
use crate::limits::{Limit, Limits};
use crate::look::Seen;
use crate::view::{by_member, by_score};

/// Changes of a sorted set that readers see as one.
pub struct ZsetEdit<'t> {
    entry: &'t Entry,
    limits: &'t Limits,
    scores: Work<'t, Scored>,
    /// None for small ones.
    index: Option<Index<'t>>,
    converted: Option<NonNull<Entry>>,
}

/// The options of ZADD.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ZaddFlags {
    /// NX: members that are there stay as they are.
    pub only_new: bool,
    /// XX: no member is added.
    pub only_old: bool,
    /// GT: scores of members that are there only grow.
    pub only_greater: bool,
    /// LT: scores of members that are there only fall.
    pub only_less: bool,
    /// INCR: the score is added to the one that is there.
    pub increment: bool,
}

/// What [`ZsetEdit::add`] did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Zadd {
    /// The member is new, with this score.
    Added(f64),
    /// The member has this score now, which is another one than before.
    Updated(f64),
    /// The member has this score, as before.
    Same(f64),
    /// The flags forbade the change.
    Forbidden,
}

/// A score that would be no number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotANumber;

impl fmt::Display for NotANumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("resulting score is not a number (NaN)")
    }
}

impl std::error::Error for NotANumber {}

impl<'t> ZsetEdit<'t> {
    /// Begins; None if the entry is no sorted set.
    ///
    /// # Safety
    /// The caller holds the lock of the shard until [`ZsetEdit::finish`], or nobody else knows the entry.
    pub(crate) unsafe fn begin(entry: &'t Entry, limits: &'t Limits) -> Option<Self> {
        // SAFETY: as the caller promises.
        let (scores, index) = unsafe {
            match entry.collection()?.trees() {
                Trees::ZsetSmall(scores) => (Work::begin(scores), None),
                Trees::ZsetLarge(scores, index) => (Work::begin(scores), Some(Index::begin(index))),
                _ => return None,
            }
        };
        Some(Self {
            entry,
            limits,
            scores,
            index,
            converted: None,
        })
    }

    /// The steps are those of the view of a sorted set.
    pub(crate) fn finish(self, retire: &mut dyn Retire) -> Done {
        let len = self.len();
        // Step 1.
        let additions = self.index.map(|index| index.commit_additions(retire));
        // Step 2.
        let (changes, mut nodes) = self.scores.commit(retire);
        // Step 3. Blobs are retired behind it.
        if let Some((more, late)) = additions {
            nodes += more + late.commit(retire);
        }
        Done {
            changes,
            nodes,
            len,
            converted: self.converted,
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
        let rank = self.find(member)?;
        self.at(rank).map(|(_, score)| score)
    }

    /// The member of a rank in ascending order, from 0, and its score.
    pub fn at(&self, rank: usize) -> Option<(&[u8], f64)> {
        let seen = self.scores.look().get(rank)?;
        Some((seen.blob().key(), seen.item().score))
    }

    /// The ranks of the members whose scores are in these bounds.
    pub fn by_score(&self, low: Bound<f64>, high: Bound<f64>) -> Range<usize> {
        by_score(&self.scores.look(), low, high)
    }

    /// The ranks of the members that are in these bounds, bytewise, if all have the same score.
    pub fn by_member(&self, low: Bound<&[u8]>, high: Bound<&[u8]>) -> Range<usize> {
        by_member(&self.scores.look(), low, high)
    }

    /// Adds a member, or changes its score, as the flags allow.
    ///
    /// # Errors
    /// If the score would be NaN; nothing changed then.
    pub fn add(&mut self, member: &[u8], score: f64, flags: ZaddFlags) -> Result<Zadd, NotANumber> {
        if score.is_nan() {
            return Err(NotANumber);
        }
        let Some(rank) = self.find(member) else {
            if flags.only_old {
                return Ok(Zadd::Forbidden);
            }
            self.insert(member, score);
            return Ok(Zadd::Added(score));
        };
        if flags.only_new {
            return Ok(Zadd::Forbidden);
        }
        let before = self.at(rank).map_or(0.0, |(_, score)| score);
        let score = if flags.increment {
            before + score
        } else {
            score
        };
        if score.is_nan() {
            return Err(NotANumber);
        }
        if flags.only_less && score >= before || flags.only_greater && score <= before {
            return Ok(Zadd::Forbidden);
        }
        if score == before {
            return Ok(Zadd::Same(score));
        }
        self.scores.remove(rank);
        self.put(member, score);
        Ok(Zadd::Updated(score))
    }

    /// Removes a member. Returns whether it was there.
    pub fn remove(&mut self, member: &[u8]) -> bool {
        let rank = self.find(member);
        rank.is_some_and(|rank| self.take(rank).is_some())
    }

    /// Removes the members of those of these ranks that are there. Returns how many were removed.
    pub fn remove_ranks(&mut self, ranks: Range<usize>) -> usize {
        let end = ranks.end.min(self.len());
        let ranks = ranks.start.min(end)..end;
        let count = ranks.len();
        if let Some(index) = &mut self.index {
            for seen in self.scores.look().iter(ranks.clone()) {
                index.remove_later(seen.blob().key(), seen.item().held);
            }
        }
        self.scores.remove_range(ranks);
        count
    }

    /// Removes the member with the lowest score.
    pub fn pop_min(&mut self) -> Option<(&[u8], f64)> {
        self.take(0)
    }

    /// Removes the member with the highest score.
    pub fn pop_max(&mut self) -> Option<(&[u8], f64)> {
        self.take(self.len().checked_sub(1)?)
    }

    /// Removes the member of a rank.
    fn take(&mut self, rank: usize) -> Option<(&[u8], f64)> {
        let seen = self.scores.remove(rank)?;
        let member = seen.blob().key();
        if let Some(index) = &mut self.index {
            index.remove_later(member, seen.item().held);
        }
        Some((member, seen.item().score))
    }

    /// The rank of a member.
    fn find(&self, member: &[u8]) -> Option<usize> {
        let look = self.scores.look();
        match &self.index {
            // A member that the index still has may have been removed in this edit: then it is not among the scores.
            Some(index) => look.find(index.score(member)?, member).ok(),
            None => look.find_anywhere(member),
        }
    }

    /// Adds a member that is not there.
    fn insert(&mut self, member: &[u8], score: f64) {
        let is_large = self.len() + 1 > self.limits.get(Limit::ZsetEntries)
            || member.len() > self.limits.get(Limit::ZsetValue);
        if is_large && self.index.is_none() {
            self.enlarge();
        }
        self.put(member, score);
    }

    /// Adds a member that is not among the scores.
    fn put(&mut self, member: &[u8], score: f64) {
        let held = Held::scored(member, score);
        let (Ok(rank) | Err(rank)) = self.scores.look().find(score, member);
        self.scores.insert(rank, Scored { score, held });
        if let Some(index) = &mut self.index {
            index.put(member, held);
        }
    }

    /// Goes on in the form for large sorted sets, in an entry that takes the place of this one.
    fn enlarge(&mut self) {
        let entry = self.entry.alike(Form::ZsetLarge);
        // SAFETY: nobody else knows the new entry, and it lives until the edit ends.
        let large = unsafe { entry.as_ref() }.collection();
        let Some(Trees::ZsetLarge(scores, index)) = large.map(Collection::trees) else {
            return;
        };
        // SAFETY: as above.
        let (mut scores, mut index) = unsafe { (Work::begin(scores), Index::begin(index)) };
        let small = self.scores.look();
        scores.adopt(small.all().map(Seen::item));
        index.fill(sorted(small.all()));
        scores.continues(self.scores.take_changes());
        self.scores = scores;
        self.index = Some(index);
        self.converted = Some(entry);
    }
}
