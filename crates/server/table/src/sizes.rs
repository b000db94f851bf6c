//! How large segments are. The models have smaller ones.
//!
//! A segment grows through these sizes before it is split, and the halves begin in the middle of them. So its slots are
//! between a half and nine tenths full. With a single size they would be between four and nine tenths full, and all
//! segments would be split at the same number of entries.

/// Slots of a bucket, which is a cache line.
pub const SLOTS: usize = 8;

/// A size of a segment.
pub struct Size {
    /// Buckets, at least 2.
    pub buckets: usize,
    /// A segment of this size is made for at most as many entries. More come in later.
    pub fill: usize,
}

/// The sizes, from the smallest on.
pub const SIZES: [Size; 5] = [
    Size {
        buckets: 2,
        fill: 10,
    },
    Size {
        buckets: 4,
        fill: 20,
    },
    Size {
        buckets: 7,
        fill: 36,
    },
    Size {
        buckets: 11,
        fill: 61,
    },
    Size {
        buckets: LARGEST,
        fill: 83,
    },
];

/// Buckets of the largest segments.
pub const LARGEST: usize = 16;

/// Bits of a hash by which the segments of a shard can differ, at most
/// [`INDEX_BITS`](super::bits::INDEX_BITS). So a directory has at most 65,536 places, and a table 16,777,216 segments.
/// With more than 1.4 billion entries segments get chains.
pub const MAX_DEPTH: u32 = 16;
