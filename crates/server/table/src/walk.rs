//! Readers that have no key: they go through the table, or look for any entries.

use std::ops::ControlFlow;

use perflab_rcu::Pinned;

use crate::bits::{self, SHARDS};
use crate::entry::Entry;
use crate::segment::Segment;
use crate::slot::Slot;
use crate::table::Table;

/// With fewer entries in a shard than this, numbers of entries differ much between shards. [`Table::some`] counts them
/// all then. The first shard stands for all: if the shard that was chosen decided, those with few entries would be
/// chosen less often in one table, and more often in another.
const FEW: usize = 64;

/// Steps through the slots of a segment: primes, which have no divisor in common with any number of slots. The more
/// there are, the less an entry gains from an empty slot that is before it on the way of one of them.
const STEPS: [usize; 16] = [
    131, 137, 139, 149, 151, 157, 163, 167, 173, 179, 181, 191, 193, 197, 199, 211,
];

impl<E: Entry> Table<E> {
    /// Gives the entries of one segment, and returns the cursor for the next call. The first cursor is 0, and 0 comes
    /// back at the end.
    ///
    /// Cursors are hashes: a call gives the entries of the segment that the cursor is in, from the cursor on. So a key
    /// that is in the table from the first call to the last is given at least once, whatever others write. It is given
    /// twice only if its shard was emptied meanwhile and filled again. Keys that come or go may be given or not.
    ///
    /// A segment has 128 entries at most, unless hashes are equal in 24 bits or the table has more than 1.4 billion
    /// entries. An empty table has 256 segments.
    pub fn scan<'p>(&'p self, cursor: u64, pinned: Pinned<'p>, mut each: impl FnMut(&'p E)) -> u64 {
        let segment = self.segment(cursor, pinned);
        for entry in segment.slots().filter_map(Slot::entry) {
            // The segment may be larger than that of the last call, if its shard was emptied.
            if entry.hash() >= cursor {
                each(entry);
            }
        }
        bits::behind_segment(cursor, segment.depth())
    }

    /// Gives entries from a random place on, until the function breaks or all were given. If there is an entry, it gives
    /// one. The number is random in all its bits, and another one for each call.
    ///
    /// The first entry is a nearly uniform sample: no entry of a table with random hashes is much more likely than
    /// another. Further ones are neighbours of the first: each is as good a sample, but they are not independent.
    ///
    /// In a table with few entries it looks at the counts of all shards first. It takes long if nearly all entries of a
    /// large table were removed.
    pub fn some<'p>(
        &'p self,
        random: u64,
        pinned: Pinned<'p>,
        mut each: impl FnMut(&'p E) -> ControlFlow<()>,
    ) {
        let mut random = Mixed(random);
        let Some(start) = self.random_place(&mut random) else {
            return;
        };
        let first = self.segment(start, pinned);
        if shuffled(first, random.next(), &mut each).is_break() {
            return;
        }
        // On from the segment behind the first one, around to it. Segments may be replaced meanwhile, and be others
        // when their turn comes, so what is left is counted in hashes.
        let end = bits::first_of_segment(start, first.depth());
        let mut hash = bits::behind_segment(start, first.depth());
        loop {
            let left = end.wrapping_sub(hash);
            if left == 0 {
                return;
            }
            let behind = if self.tally(bits::shard(hash)).entries() == 0 {
                bits::behind_segment(hash, 0)
            } else {
                let segment = self.segment(hash, pinned);
                if shuffled(segment, random.next(), &mut each).is_break() {
                    return;
                }
                bits::behind_segment(hash, segment.depth())
            };
            if behind.wrapping_sub(hash) >= left {
                return;
            }
            hash = behind;
        }
    }

    /// A random hash in the shard of a random entry. None if there is no entry.
    fn random_place(&self, random: &mut Mixed) -> Option<u64> {
        let hash = random.next();
        if self.tally(0).entries() >= FEW {
            return Some(hash);
        }
        let mut rank = random.below(self.len());
        for number in 0..SHARDS {
            let number = number as u8;
            let entries = self.tally(number).entries();
            if rank < entries {
                return Some(bits::in_shard(hash, number));
            }
            rank -= entries;
        }
        // There is none, or others took some out meanwhile.
        (!self.is_empty()).then_some(hash)
    }
}

/// Gives the entries of a segment in a random order.
fn shuffled<'p, E: Entry>(
    segment: Segment<'p, E>,
    random: u64,
    each: &mut impl FnMut(&'p E) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut random = Mixed(random);
    for segment in segment.chain() {
        let slots = segment.buckets();
        let (buckets, of_bucket) = (slots.len(), slots[0].slots.len());
        let count = buckets * of_bucket;
        let mut at = random.below(count);
        let step = STEPS[random.below(STEPS.len())] % count;
        for _ in 0..count {
            if let Some(entry) = slots[at / of_bucket].slots[at % of_bucket].entry() {
                each(entry)?;
            }
            at += step;
            if at >= count {
                at -= count;
            }
        }
    }
    ControlFlow::Continue(())
}

/// Numbers from a random one: SplitMix64 (Steele, Lea and Flood, 2014).
struct Mixed(u64);

impl Mixed {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below this one, or 0.
    fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.next()) * end as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::STEPS;
    use crate::sizes::{SIZES, SLOTS};

    #[test]
    fn each_step_visits_all_slots() {
        for count in SIZES.map(|size| size.buckets * SLOTS) {
            for step in STEPS {
                let mut visited = vec![false; count];
                for turn in 0..count {
                    visited[turn * step % count] = true;
                }
                assert!(
                    visited.iter().all(|is_visited| *is_visited),
                    "{step} of {count}"
                );
            }
        }
    }
}
