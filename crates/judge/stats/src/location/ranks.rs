//! Ranks of the runs within one block, under a hypothetical effect.

use super::scale::Scale;

/// What the test needs to know of one block.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct StratumRanks {
    /// Runs of the baseline.
    pub n: usize,
    /// Runs of the candidate.
    pub m: usize,
    /// Twice the number of pairs in which the candidate is larger; equal pairs count once.
    pub doubled_u: u64,
    /// Numbers of equal values, in ascending order of the values.
    pub groups: Vec<usize>,
}

impl StratumRanks {
    /// Ranks of the candidate among the baseline with `effect` applied to it. Both sides must be
    /// in ascending order.
    ///
    /// Ties are found among these values, not among pairwise effects: there, rounding could make
    /// a value equal to two others that differ from each other.
    pub(super) fn new(a: &[f64], b: &[f64], scale: Scale, effect: f64) -> Self {
        let mut groups = Vec::with_capacity(a.len() + b.len());
        let (mut i, mut j, mut doubled_u) = (0, 0, 0);
        while i < a.len() || j < b.len() {
            let next_a = a.get(i).map(|&a| scale.apply(a, effect));
            let value = match (next_a, b.get(j)) {
                (Some(x), Some(&y)) => x.min(y),
                (Some(x), None) => x,
                (None, Some(&y)) => y,
                (None, None) => break,
            };
            let from_a = a[i..]
                .iter()
                .take_while(|&&a| scale.apply(a, effect) == value)
                .count();
            let from_b = b[j..].iter().take_while(|&&b| b == value).count();
            doubled_u += from_b as u64 * (2 * i + from_a) as u64;
            groups.push(from_a + from_b);
            i += from_a;
            j += from_b;
        }
        Self {
            n: a.len(),
            m: b.len(),
            doubled_u,
            groups,
        }
    }

    pub(super) fn has_ties(&self) -> bool {
        self.groups.len() < self.n + self.m
    }

    /// Variance of `U` given the ties (Lehmann 1975, section 1.4).
    pub(super) fn variance(&self) -> f64 {
        let runs = (self.n + self.m) as f64;
        let ties: f64 = self
            .groups
            .iter()
            .map(|&g| (g as f64).powi(3) - g as f64)
            .sum();
        let pairs = self.n as f64 * self.m as f64;
        pairs / 12.0 * (runs + 1.0 - ties / (runs * (runs - 1.0)))
    }
}
