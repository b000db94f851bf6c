//! Which bits of a hash say what. No two of these parts share a bit.
//!
//! | bits | what they say |
//! |---|---|
//! | 56 to 63 | the shard |
//! | 40 to 55 | the place in the directory of the shard: one of depth d uses the d highest of them |
//! | 28 to 39, 16 to 27 | the two buckets of the segment |
//! | 0 to 15 | the tag, by which most other keys of the buckets are told from this one without a look at them |
//!
//! So the shards, their places and their segments follow each other in the order of hashes.

/// Shards of a table.
pub const SHARDS: usize = 256;

/// Bits that can choose a place in a directory.
pub const INDEX_BITS: u32 = 16;

/// Bits of a hash without those of the shard.
const SHARD_SHIFT: u32 = 56;

/// Lowest bit that can choose a place.
const INDEX_SHIFT: u32 = SHARD_SHIFT - INDEX_BITS;

/// Bits that choose a bucket.
const BUCKET_BITS: u32 = 12;

/// The shard of a hash.
#[inline(always)]
pub fn shard(hash: u64) -> u8 {
    (hash >> SHARD_SHIFT) as u8
}

/// The first hash of a shard.
pub fn first_of_shard(shard: u8) -> u64 {
    u64::from(shard) << SHARD_SHIFT
}

/// The hash with its shard replaced.
pub fn in_shard(hash: u64, shard: u8) -> u64 {
    first_of_shard(shard) | hash & (u64::MAX >> (u64::BITS - SHARD_SHIFT))
}

/// The place in a directory of this depth, at most [`INDEX_BITS`].
#[inline(always)]
pub fn index(hash: u64, depth: u32) -> usize {
    let bits = (hash >> INDEX_SHIFT) as usize & ((1 << INDEX_BITS) - 1);
    bits >> (INDEX_BITS - depth)
}

/// The first hash of the segment of this depth that a hash belongs to.
pub fn first_of_segment(hash: u64, depth: u32) -> u64 {
    hash & (u64::MAX << (SHARD_SHIFT - depth))
}

/// The first hash behind the segment of this depth that a hash belongs to; 0 behind the last segment.
pub fn behind_segment(hash: u64, depth: u32) -> u64 {
    first_of_segment(hash, depth).wrapping_add(1 << (SHARD_SHIFT - depth))
}

/// If a segment of this depth is split, whether a hash belongs to the upper half. The depth is below [`INDEX_BITS`].
pub fn is_upper(hash: u64, depth: u32) -> bool {
    (hash >> (SHARD_SHIFT - 1 - depth)) & 1 == 1
}

/// The two different buckets of a segment with this number of buckets, at least 2.
#[inline(always)]
pub fn buckets(hash: u64, count: usize) -> [usize; 2] {
    let chosen = |shift: u32, among: usize| {
        let bits = (hash >> shift) as usize & ((1 << BUCKET_BITS) - 1);
        (bits * among) >> BUCKET_BITS
    };
    let first = chosen(16, count);
    let second = first + 1 + chosen(16 + BUCKET_BITS, count - 1);
    [
        first,
        if second < count {
            second
        } else {
            second - count
        },
    ]
}

/// The tag.
#[inline(always)]
pub fn tag(hash: u64) -> u16 {
    hash as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_share_no_bit() {
        let parts = |hash: u64| {
            let [first, second] = buckets(hash, 1 << BUCKET_BITS);
            // How far the second one is behind the first, which is what its bits say.
            let distance = second.wrapping_sub(first) & ((1 << BUCKET_BITS) - 1);
            let index = index(hash, INDEX_BITS);
            (shard(hash), index, first, distance, tag(hash))
        };
        let zero = parts(0);
        for bit in 0..64 {
            let one = parts(1 << bit);
            let differing = [
                one.0 != zero.0,
                one.1 != zero.1,
                one.2 != zero.2,
                one.3 != zero.3,
                one.4 != zero.4,
            ];
            let differing = differing.iter().filter(|differs| **differs).count();
            // The second bucket is one of 4095, so its lowest bit changes nothing by itself.
            assert!(differing == 1 || bit == 28, "bit {bit}: {differing}");
        }
    }

    #[test]
    fn segments_follow_each_other() {
        for depth in 0..=INDEX_BITS {
            let (mut hash, mut index_before) = (first_of_shard(7), None);
            while shard(hash) == 7 {
                assert_eq!(first_of_segment(hash + 1, depth), hash);
                let index = index(hash, depth);
                assert_eq!(index_before.map_or(0, |before: usize| before + 1), index);
                index_before = Some(index);
                hash = behind_segment(hash + 1, depth);
            }
            assert_eq!(index_before, Some((1 << depth) - 1));
            assert_eq!(hash, first_of_shard(8));
        }
        assert_eq!(behind_segment(u64::MAX, 0), 0);
        assert_eq!(behind_segment(u64::MAX, INDEX_BITS), 0);
    }

    #[test]
    fn the_upper_half_is_that_of_the_next_depth() {
        let hash = 0x12ab_5678_9abc_def0;
        for depth in 0..INDEX_BITS {
            assert_eq!(
                index(hash, depth + 1),
                index(hash, depth) * 2 + usize::from(is_upper(hash, depth))
            );
        }
    }

    #[test]
    fn the_two_buckets_differ_and_each_is_chosen() {
        for count in 2..=16 {
            let mut chosen = vec![[0u32; 2]; count];
            for bits in 0..20_000u64 {
                let [first, second] = buckets((bits * 0x9e37_79b9) << 16, count);
                assert_ne!(first, second);
                chosen[first][0] += 1;
                chosen[second][1] += 1;
            }
            let mean = 20_000 / count as u32;
            for times in chosen.as_flattened() {
                assert!(
                    (mean * 8 / 10..mean * 12 / 10).contains(times),
                    "{chosen:?}"
                );
            }
        }
    }
}
