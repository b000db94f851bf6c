//! Whether the sides scatter unequally, as far as earlier blocks tell.

use crate::location::Scale;

/// Blocks after which the scatter is judged first; then after twice as many, and so on.
const FIRST: u32 = 4;

/// Judges how much more `U` varies than random labels make it vary, once the typical difference is
/// taken off.
///
/// With random labels the variance of `U` is `nm (n + m + 1) / 12`. If one side scatters far more
/// than the other and neither tends to be larger, it is up to one half more. The estimate is the
/// mean square of `U - nm / 2` at the median of the pairwise effects, less one standard error, so
/// that chance alone seldom costs power.
///
/// A block is never judged by itself: bets stay fair only if the odds are set before.
#[derive(Debug, Clone)]
pub(super) struct Scatter {
    seen: Vec<(Vec<f64>, f64)>,
    next: u32,
    power: f64,
}

impl Default for Scatter {
    fn default() -> Self {
        Self {
            seen: Vec::new(),
            next: FIRST,
            power: 1.0,
        }
    }
}

impl Scatter {
    /// How many times the variance that random labels give; at least 1.
    pub(super) fn power(&self) -> f64 {
        self.power
    }

    /// Notes a block of `sizes` by the effects of its pairs, ascending.
    pub(super) fn observe(&mut self, effects: &[f64], sizes: (usize, usize), scale: Scale) {
        let (n, m) = (sizes.0 as f64, sizes.1 as f64);
        let variance = n * m * (n + m + 1.0) / 12.0;
        self.seen.push((effects.to_vec(), variance));
        if self.seen.len() != self.next as usize {
            return;
        }
        self.next = self.next.saturating_mul(2);
        let Some(centre) = self.centre(scale) else {
            return;
        };
        let square = |effects: &[f64]| {
            let below = effects.partition_point(|&effect| effect < centre);
            let not_above = effects.partition_point(|&effect| effect <= centre);
            let away = 0.5 * (effects.len() as f64 - (below + not_above) as f64);
            away * away
        };
        let squares: f64 = self.seen.iter().map(|(effects, _)| square(effects)).sum();
        let expected: f64 = self.seen.iter().map(|(_, variance)| variance).sum();
        let error = (2.0 / self.seen.len() as f64).sqrt();
        self.power = (squares / expected - error).max(1.0);
    }

    /// The median of all pairwise effects so far.
    fn centre(&self, scale: Scale) -> Option<f64> {
        let mut all: Vec<f64> = self.seen.iter().flat_map(|(e, _)| e).copied().collect();
        all.sort_by(f64::total_cmp);
        let low = all.get(all.len().saturating_sub(1) / 2)?;
        let high = all.get(all.len() / 2)?;
        Some(scale.midpoint(*low, *high))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn power(blocks: u32, effects: impl Fn(u32) -> Vec<f64>) -> f64 {
        let mut scatter = Scatter::default();
        for block in 0..blocks {
            scatter.observe(&effects(block), (3, 3), Scale::Shift);
        }
        scatter.power()
    }

    #[test]
    fn a_constant_baseline_beside_a_scattering_candidate() {
        // All or nothing: U is 0, 3, 6 or 9 by fair coins, in turn, with variance 6.75 for 5.25.
        let coins = |block: u32| -> Vec<f64> {
            let wins = [0, 3, 3, 3, 6, 6, 6, 9][block as usize % 8];
            let mut effects: Vec<f64> = (0..9)
                .map(|pair| if pair < wins { 1.0 } else { -1.0 })
                .collect();
            effects.sort_by(f64::total_cmp);
            effects
        };
        let found = power(512, coins);
        assert!(
            (found - (6.75 / 5.25 - (2.0_f64 / 512.0).sqrt())).abs() < 1e-9,
            "{found}"
        );
        // Too few blocks to tell.
        assert_eq!(power(3, coins), 1.0);
    }

    #[test]
    fn a_difference_is_no_scatter() {
        let apart = |_| (1..=9).map(|pair| 100.0 + f64::from(pair)).collect();
        assert_eq!(power(64, apart), 1.0);
    }
}
