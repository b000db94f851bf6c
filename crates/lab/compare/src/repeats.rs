//! Whether values repeat, as those that an instrument shows in steps do.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// From this number of values on, they are sorted only if some in a sample of them are equal.
const MANY: usize = 4096;

/// Values in ascending order of which at least half repeat another, and those that differ.
pub(crate) struct Repeated {
    /// All of them.
    pub sorted: Vec<f64>,
    /// Without those that repeat another.
    pub different: Vec<f64>,
}

/// Nothing where fewer repeat another.
pub(crate) fn repeated(values: &[f64]) -> Option<Repeated> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    if sorted.len() >= MANY && !may_repeat(&sorted) {
        return None;
    }
    sorted.sort_unstable_by(f64::total_cmp);
    let mut different = sorted.clone();
    different.dedup_by(|b, a| is_equal(*a, *b));
    let is_repeated = sorted.len() >= 2 && 2 * different.len() <= sorted.len();
    is_repeated.then_some(Repeated { sorted, different })
}

/// The least distance of two neighbours of values in ascending order.
pub(crate) fn least_gap(ascending: &[f64]) -> Option<f64> {
    let gaps = ascending.windows(2).filter_map(|pair| match pair {
        [low, high] => Some(high - low),
        _ => None,
    });
    gaps.reduce(f64::min)
}

/// Whether two values differ by less than any tool prints.
pub(crate) fn is_equal(a: f64, b: f64) -> bool {
    (b - a).abs() <= 1e-9 * a.abs()
}

/// Whether half of the values may repeat another: some in a sample are equal. Where each value is there twice, a sample
/// has 28 pairs on average or more, so that none is found once in 10^12 times. Its places are drawn, as values may be in
/// order.
fn may_repeat(values: &[f64]) -> bool {
    let mut random = ChaCha8Rng::seed_from_u64(0);
    let draws = 8 * values.len().isqrt();
    let mut places: Vec<u64> = (0..draws)
        .map(|_| random.next_u64() % values.len() as u64)
        .collect();
    places.sort_unstable();
    places.dedup();
    let mut sample: Vec<f64> = places.iter().map(|place| values[*place as usize]).collect();
    sample.sort_unstable_by(f64::total_cmp);
    sample.windows(2).any(|pair| is_equal(pair[0], pair[1]))
}
