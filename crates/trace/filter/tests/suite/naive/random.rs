//! Random numbers, and values that are at the edge of something.

/// Reproducible random numbers (SplitMix64): a seed gives the same expressions everywhere.
#[derive(Clone)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, end: usize) -> usize {
        (self.number() % end as u64) as usize
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }
}

const INTEGERS: [i64; 22] = [
    0,
    1,
    -1,
    2,
    3,
    7,
    63,
    64,
    127,
    128,
    255,
    256,
    65_535,
    65_536,
    1 << 31,
    (1 << 31) - 1,
    -(1 << 31),
    (1 << 32) - 1,
    (1 << 53) + 1,
    i64::MAX,
    i64::MIN,
    i64::MIN + 1,
];

pub const DOUBLES: [f64; 16] = [
    0.0,
    0.1,
    0.5,
    0.999,
    1.0,
    1.5,
    2.0,
    255.0,
    4_294_967_296.0,
    9_007_199_254_740_992.0,
    9_223_372_036_854_774_784.0,
    9_223_372_036_854_775_808.0,
    1e300,
    f64::MIN_POSITIVE,
    f64::MAX,
    f64::INFINITY,
];

/// Where compares of 8, 16 and 32 bytes begin and end, and where a recorded text is cut.
pub const LENGTHS: [usize; 20] = [
    0, 1, 2, 3, 7, 8, 9, 14, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 200,
];

/// An integer, mostly one at an edge.
pub fn edge(random: &mut Random) -> i64 {
    match random.below(10) {
        0 => random.number() as i64,
        1..=4 => random.below(9) as i64 - 1,
        _ => random.pick(&INTEGERS),
    }
}

pub fn word(length: usize) -> Vec<u8> {
    (b'a'..=b'z').cycle().take(length).collect()
}
