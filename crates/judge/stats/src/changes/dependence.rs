//! How much more a CUSUM varies where neighbours are alike.
//!
//! If the noise is autocorrelated as `rho^distance`, sums of many values vary by
//! `(1 + rho) / (1 - rho)` times as much as sums of independent ones. `rho` is estimated from the
//! ranks within each segment, so that the changes are no part of it.

use super::sample::Sample;

/// Largest autocorrelation that is believed: beyond it there is no telling noise from changes.
const MOST: f64 = 0.95;

/// Autocorrelation at distance 1 of the ranks within segments. What segments of `m` values lose of
/// it by their own means, `(1 + 3 rho) / m` (Kendall, *Biometrika* 41, 1954), is put back.
pub(crate) fn autocorrelation(sample: &Sample, places: &[usize]) -> f64 {
    let (mut products, mut squares) = (0.0, 0.0);
    let mut start = 0;
    for &end in places.iter().chain([&sample.len()]) {
        let scores = sample.scores(start..end).of;
        let scale = 1.0 / (end - start) as f64;
        let scaled: Vec<f64> = scores.iter().map(|score| *score as f64 * scale).collect();
        products += scaled.windows(2).map(|pair| pair[0] * pair[1]).sum::<f64>();
        squares += scaled.iter().map(|score| score * score).sum::<f64>();
        start = end;
    }
    if squares <= 0.0 {
        return 0.0;
    }
    let raw = products / squares;
    let segments = (places.len() + 1) as f64;
    let lost = (1.0 + 3.0 * raw.max(0.0)) * segments / sample.len() as f64;
    (raw + lost).clamp(-MOST, MOST)
}

/// What the threshold is multiplied by: 1 unless the autocorrelation is above `1 / sqrt(n)`, its standard error.
///
/// With a limit of twice that, one in twenty of 150 values with a true autocorrelation of 0.3 would go without: at 5 % that
/// hardly matters, at 0.25 % for each of 20 series most of what is false would come from these.
pub(super) fn factor(autocorrelation: f64, n: usize) -> f64 {
    if autocorrelation > 1.0 / (n as f64).sqrt() {
        ((1.0 + autocorrelation) / (1.0 - autocorrelation)).sqrt()
    } else {
        1.0
    }
}
