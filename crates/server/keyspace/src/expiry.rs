//! Removing expired keys that nobody asks for.

use std::ops::ControlFlow;

use perflab_rcu::Pinned;

use crate::entry::Entry;
use crate::hand::Hand;
use crate::hash::Key;
use crate::keyspace::{DATABASES, Keyspace};
use crate::random::Random;

/// Keys with a deadline that one step looks for.
const SAMPLE: usize = 20;
/// Entries with or without a deadline that one step looks at for these.
const MOST_LOOKS: usize = 400;

/// What [`Keyspace::expire_some`] did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Swept {
    /// Entries that it looked at.
    pub looks: usize,
    /// Keys that it removed.
    pub expired: usize,
}

impl Keyspace {
    /// Removes expired keys that it finds near random places, in all databases, as Redis does: it goes on as long as
    /// more than a quarter of the keys with a deadline are expired, until it has looked at `budget` entries. One step
    /// may look at 400 entries more than that.
    ///
    /// `told` gets each key with its database while its shard is locked: the log hears of it in the right order. The
    /// calling thread has no lock of the keyspace.
    pub fn expire_some(
        &self,
        hand: &mut Hand<'_>,
        pinned: Pinned<'_>,
        random: &mut Random,
        budget: usize,
        mut told: impl FnMut(usize, Key<'_>),
    ) -> Swept {
        let mut swept = Swept::default();
        // Another database is the first one each time, so none starves if the budget is small.
        let first = random.below(DATABASES);
        for db in (0..DATABASES).map(|offset| (first + offset) % DATABASES) {
            while self.with_deadline(db) > 0 && swept.looks < budget {
                let (mortal, expired) = self.sample(db, random, pinned, hand.now, &mut swept);
                for entry in &expired {
                    if self.expire(hand, db, entry.key(), &mut told) {
                        swept.expired += 1;
                    }
                }
                if expired.len() * 4 <= mortal {
                    break;
                }
            }
        }
        swept
    }

    /// Looks for keys with a deadline: how many there were, and those that are expired.
    fn sample<'p>(
        &'p self,
        db: usize,
        random: &mut Random,
        pinned: Pinned<'p>,
        now: u64,
        swept: &mut Swept,
    ) -> (usize, Vec<&'p Entry>) {
        let (mut looks, mut mortal, mut expired) = (0, 0, Vec::new());
        self.tables[db].some(random.number(), pinned, |entry| {
            looks += 1;
            if entry.deadline().is_some() {
                mortal += 1;
            }
            if entry.is_expired(now) {
                expired.push(entry);
            }
            if mortal < SAMPLE && looks < MOST_LOOKS {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        swept.looks += looks.max(1);
        (mortal, expired)
    }

    /// Removes a key if it is expired still, and tells it while the shard is locked.
    pub(crate) fn expire(
        &self,
        hand: &mut Hand<'_>,
        db: usize,
        key: Key<'_>,
        told: &mut impl FnMut(usize, Key<'_>),
    ) -> bool {
        let mut writing = self.lock(db, key);
        let is_expired = writing.expire(hand, db, key);
        if is_expired {
            told(db, key);
        }
        is_expired
    }
}
