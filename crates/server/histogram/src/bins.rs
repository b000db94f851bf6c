//! Which durations share a bin.

/// The binary logarithm of the number of bins into which a power of two is divided.
const PRECISION: u32 = 6;

/// Bins for any number of ns.
pub const BINS: usize = ((u64::BITS - PRECISION + 1) << PRECISION) as usize;

/// The bin of a duration.
pub fn bin(ns: u64) -> usize {
    let shift = (ns | (1 << PRECISION)).ilog2() - PRECISION;
    ((u64::from(shift) << PRECISION) + (ns >> shift)) as usize
}

/// The shortest and the longest duration of a bin, in ns.
pub fn bounds(bin: usize) -> (u64, u64) {
    let shift = (bin >> PRECISION).saturating_sub(1);
    let lowest = ((bin - (shift << PRECISION)) as u64) << shift;
    (lowest, lowest + ((1 << shift) - 1))
}
