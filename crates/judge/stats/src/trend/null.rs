//! Kendall's S in random order without ties, counted exactly.

/// Largest number of values for which all orders are counted.
const MOST_EXACT: usize = 50;

/// The exact distribution of S for `n` different values in random order.
#[derive(Debug)]
pub(super) struct Null {
    pairs: usize,
    /// Probability of each number of falling pairs, from 0 on.
    falling: Vec<f64>,
}

impl Null {
    /// Nothing for more than 50 values.
    pub(super) fn of(n: usize) -> Option<Self> {
        if n > MOST_EXACT {
            return None;
        }
        let mut falling = vec![1.0];
        for m in 2..=n {
            falling = one_more(&falling, m);
        }
        Some(Self {
            pairs: n * n.saturating_sub(1) / 2,
            falling,
        })
    }

    /// Probability of an S as far from zero, either way.
    pub(super) fn two_sided(&self, s: f64) -> f64 {
        let most_falling = 0.5 * (self.pairs as f64 - s.abs());
        let tail: f64 = self
            .falling
            .iter()
            .take(most_falling.max(0.0) as usize + 1)
            .sum();
        (2.0 * tail).min(1.0)
    }

    /// The smallest S of which the upper tail has at most this probability; nothing where even the
    /// largest is more likely.
    pub(super) fn critical(&self, tail: f64) -> Option<f64> {
        let mut sum = 0.0;
        let within = self.falling.iter().take_while(|probability| {
            sum += **probability;
            sum <= tail * (1.0 + 1e-12)
        });
        let most_falling = within.count().checked_sub(1)?;
        Some(self.pairs as f64 - 2.0 * most_falling as f64)
    }
}

/// The distribution for `m` values from that for one less: the last one falls below any number of
/// the `m - 1` before it with the same probability.
fn one_more(falling: &[f64], m: usize) -> Vec<f64> {
    let most = falling.len() + m - 2;
    let mut next = vec![0.0; most + 1];
    let mut window = 0.0;
    // Up to the middle what leaves the window is smaller than what enters, so nothing cancels; the
    // other half is its mirror image.
    for count in 0..=most / 2 {
        window += falling.get(count).copied().unwrap_or_default();
        if let Some(leaves) = count.checked_sub(m) {
            window -= falling.get(leaves).copied().unwrap_or_default();
        }
        next[count] = window / m as f64;
        next[most - count] = next[count];
    }
    next
}
