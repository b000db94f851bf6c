//! Segments that are full soon: two buckets of one slot, and chains at a depth of 2.

pub const SLOTS: usize = 1;

pub struct Size {
    pub buckets: usize,
    pub fill: usize,
}

pub const SIZES: [Size; 1] = [Size {
    buckets: LARGEST,
    fill: 2,
}];

pub const LARGEST: usize = 2;

pub const MAX_DEPTH: u32 = 2;
