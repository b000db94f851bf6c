//! Hashes, good and weak, and random numbers.

/// A hash of a key.
pub type Hash = fn(u64) -> u64;

/// All bits depend on the key: the last steps of SplitMix64 (Steele, Lea and Flood, 2014).
pub fn good(key: u64) -> u64 {
    let mut mixed = key.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// One hash for all keys.
pub fn constant(_: u64) -> u64 {
    0x1234_5678_9abc_def0
}

/// The key itself: neither the shard nor the place in the directory differ.
pub fn sequential(key: u64) -> u64 {
    key
}

/// Only places in directories differ.
pub fn places_only(key: u64) -> u64 {
    key << 40
}

/// Only shards and the lowest bits of places differ, so segments of the greatest depth are next to those of the least.
pub fn uneven(key: u64) -> u64 {
    (good(key) & 0x0300_0700_0000_0000) | (key & 0xff)
}

/// 6 bits differ: three of the place, one that chooses a bucket, and two of the tag.
pub fn few_bits(key: u64) -> u64 {
    good(key) & 0x0080_8100_0001_0003
}

/// No tag, and hashes that say nothing about buckets.
pub fn no_low_bits(key: u64) -> u64 {
    good(key) & !0xff_ffff_ffff
}

/// The weak ones.
pub const WEAK: [(&str, Hash); 6] = [
    ("constant", constant),
    ("sequential", sequential),
    ("places only", places_only),
    ("uneven", uneven),
    ("few bits", few_bits),
    ("no low bits", no_low_bits),
];

/// Random numbers that a seed determines.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(1);
        good(good(self.0))
    }

    /// A number below this one.
    pub fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }
}

/// Seeds of a test: two that are always tried, and one of its own for each run. A failing test prints the last one.
pub fn seeds() -> impl Iterator<Item = u64> {
    let now = std::time::SystemTime::now();
    let now = now.duration_since(std::time::UNIX_EPOCH).unwrap();
    [1, 2, good(now.as_nanos() as u64)]
        .into_iter()
        .inspect(|seed| println!("seed {seed:#x}"))
}
