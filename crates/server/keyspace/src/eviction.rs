//! Removing keys when memory is short.

use std::ops::ControlFlow;

use perflab_rcu::Pinned;

use crate::entry::Entry;
use crate::hand::Hand;
use crate::hash::Key;
use crate::keyspace::{DATABASES, Keyspace};
use crate::policy::Policy;
use crate::random::Random;

/// Entries that are looked at near a random place of each database.
const SAMPLE: usize = 5;
/// Candidates that are kept from one sample to the next.
const CANDIDATES: usize = 16;
/// Entries that are looked at for a sample of those with a deadline.
const MOST_LOOKS: usize = 400;

/// Who looks for keys to evict: each thread that does has its own.
#[derive(Debug, Default)]
pub struct Evictor {
    random: Random,
    /// In ascending order of rank.
    candidates: Vec<Candidate>,
}

#[derive(Debug)]
struct Candidate {
    rank: u64,
    db: usize,
    key: Vec<u8>,
    hash: u64,
}

/// What [`Keyspace::evict`] did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Evicted {
    /// Keys that it removed.
    pub keys: usize,
    /// Bytes that they had. They are free after a grace period.
    pub bytes: usize,
}

impl Evictor {
    /// One that chooses by these random numbers.
    pub fn new(random: Random) -> Self {
        Self {
            random,
            candidates: Vec::new(),
        }
    }

    /// Keeps an entry in mind, if it deserves to go more than others.
    fn consider(&mut self, db: usize, entry: &Entry, rank: u64) {
        let key = entry.key();
        let known = |candidate: &Candidate| {
            candidate.db == db && candidate.hash == key.hash() && candidate.key == key.bytes()
        };
        // It may be known with the rank that it had earlier.
        self.candidates.retain(|candidate| !known(candidate));
        let place = self
            .candidates
            .partition_point(|candidate| candidate.rank < rank);
        if self.candidates.len() < CANDIDATES || place > 0 {
            let candidate = Candidate {
                rank,
                db,
                key: key.bytes().to_vec(),
                hash: key.hash(),
            };
            self.candidates.insert(place, candidate);
        }
        if self.candidates.len() > CANDIDATES {
            self.candidates.remove(0);
        }
    }
}

impl Keyspace {
    /// Removes keys as the policy says, until they had this many bytes or there are no more. It looks at some entries
    /// near random places, and keeps the best candidates in mind from one call to the next.
    ///
    /// `told` gets each key with its database while its shard is locked: the log hears of it in the right order. The
    /// calling thread has no lock of the keyspace.
    pub fn evict(
        &self,
        hand: &mut Hand<'_>,
        pinned: Pinned<'_>,
        evictor: &mut Evictor,
        bytes: usize,
        mut told: impl FnMut(usize, Key<'_>),
    ) -> Evicted {
        let policy = self.policy();
        let mut evicted = Evicted::default();
        if policy == Policy::NoEviction {
            return evicted;
        }
        while evicted.bytes < bytes {
            let found: usize = (0..DATABASES)
                .map(|db| self.sample_for(policy, evictor, db, pinned, hand.now))
                .sum();
            let Some(candidate) = evictor.candidates.pop() else {
                if found == 0 {
                    break;
                }
                continue;
            };
            let freed = self.evict_one(hand, policy, &candidate, &mut told);
            evicted.bytes += freed;
            evicted.keys += usize::from(freed > 0);
        }
        evicted
    }

    /// Looks at some entries of a database. Returns how many may be evicted.
    fn sample_for(
        &self,
        policy: Policy,
        evictor: &mut Evictor,
        db: usize,
        pinned: Pinned<'_>,
        now: u64,
    ) -> usize {
        let mortal = self.with_deadline(db);
        if self.is_empty(db) || policy.is_volatile() && mortal == 0 {
            return 0;
        }
        let (mut looks, mut found) = (0, 0);
        let random = evictor.random.number();
        self.tables[db].some(random, pinned, |entry| {
            looks += 1;
            if let Some(rank) = policy.rank(entry, now, evictor.random.number()) {
                evictor.consider(db, entry, rank);
                found += 1;
            }
            // Entries with a deadline may be rare, but there are some: then the first one is looked for to the end.
            if found < SAMPLE && (looks < MOST_LOOKS || found == 0) {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        found
    }

    /// Removes a candidate, unless it was read or replaced since. Returns the bytes that it had.
    fn evict_one(
        &self,
        hand: &mut Hand<'_>,
        policy: Policy,
        candidate: &Candidate,
        told: &mut impl FnMut(usize, Key<'_>),
    ) -> usize {
        let key = Key::hashed(&candidate.key, candidate.hash);
        let before = hand.memory;
        let mut writing = self.lock(candidate.db, key);
        if !writing.expire(hand, candidate.db, key) {
            let entry = writing.get(candidate.db, key, hand.now);
            let rank = entry.and_then(|entry| policy.rank(entry, hand.now, candidate.rank));
            if rank.is_none_or(|rank| rank < candidate.rank) {
                return 0;
            }
            writing.remove(hand, candidate.db, key);
        }
        told(candidate.db, key);
        usize::try_from(before - hand.memory).unwrap_or(0)
    }
}
