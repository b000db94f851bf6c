//! The e-process that goes with the default verdict.

use super::{Evidence, Wealth};
use crate::rank::midranks;
use crate::{Error, Stratum, check};

/// The bets, as `lambda (n + m + 1)`: those of `lambda` = 0.06, 0.12, 0.21, 0.36 and 0.6 in blocks
/// of 3+3, on either side, with equal stakes.
///
/// To first order, the best bet against an alternative is 12 (P(a < b) - 1/2), whatever the size
/// of the block. These are meant for P(a < b) = 0.535, 0.57, 0.6225, 0.71 and 0.85.
const BETS: [f64; 5] = [0.42, 0.84, 1.47, 2.52, 4.2];

/// Test by ranks within blocks that may be looked at after every block.
///
/// Block by block, each stake is multiplied by `exp(lambda (U - nm / 2)) / M(lambda)`, with `U` the
/// number of pairs in which the candidate is larger (equal pairs count half) and `M` the mean of
/// the numerator over all arrangements of the labels. Since the order within a block is random,
/// that mean is right whatever the noise, the drift and the modes: without a difference, the
/// wealth is a fair game by design. With equal values it is at best fair: breaking ties at random
/// can only raise the mean of a convex function.
///
/// In simulations of 200 runs without a difference it claimed one in 0.5 to 2.1 of 100 experiments
/// at level 5 %. A difference of 2 % beside a slow mode was decided after 30 runs in the median, both
/// sides together.
///
/// ```
/// use perflab_stats::{Stratum, sequential::RankEProcess};
///
/// let mut process = RankEProcess::default();
/// let block = Stratum::new([100.0, 101.0, 99.0], [104.0, 103.0, 105.5]);
/// let mut blocks = 0;
/// while process.evidence().p > 0.05 {
///     process.observe(&block)?;
///     blocks += 1;
/// }
/// assert_eq!(blocks, 3);
/// # Ok::<(), perflab_stats::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct RankEProcess {
    /// Logarithms of what each unit staked has become: for bets on a larger candidate, then for
    /// bets on a smaller one.
    ln_stakes: [[f64; BETS.len()]; 2],
    wealth: Wealth,
}

impl RankEProcess {
    /// Takes the next block into account. A block without runs of both sides changes nothing.
    ///
    /// # Errors
    /// An unusable value; the process stays as it was.
    pub fn observe(&mut self, block: &Stratum) -> Result<Evidence, Error> {
        check::sample("baseline", &block.a, 0)?;
        check::sample("candidate", &block.b, 0)?;
        if !block.has_pairs() {
            return Ok(self.evidence());
        }
        let (n, m) = (block.a.len(), block.b.len());
        let away = centred_u(block)?;
        for (bet, i) in BETS.iter().zip(0..) {
            let lambda = bet / (n + m + 1) as f64;
            let ln_mean = ln_mean(lambda, n, m);
            self.ln_stakes[0][i] += lambda * away - ln_mean;
            self.ln_stakes[1][i] -= lambda * away + ln_mean;
        }
        self.wealth
            .becomes(ln_average(self.ln_stakes.as_flattened()));
        Ok(self.evidence())
    }

    /// What the blocks so far have shown.
    pub fn evidence(&self) -> Evidence {
        self.wealth.evidence()
    }
}

/// `U - nm / 2`, from the candidate's ranks in the block.
fn centred_u(block: &Stratum) -> Result<f64, Error> {
    let (n, m) = (block.a.len() as f64, block.b.len() as f64);
    let ranks = midranks(&[&block.a[..], &block.b[..]].concat())?;
    let of_b: f64 = ranks[block.a.len()..].iter().sum();
    Ok(of_b - 0.5 * m * (n + m + 1.0))
}

/// Logarithm of the mean of `exp(lambda (U - nm / 2))` over all arrangements, for `lambda > 0`.
///
/// The generating function of `U` is a Gaussian binomial coefficient (see `location::null`); at
/// `exp(lambda)`, counted from the middle, its factors are `i / (m + i) * sinh(lambda (m + i) / 2)
/// / sinh(lambda i / 2)`.
fn ln_mean(lambda: f64, n: usize, m: usize) -> f64 {
    let (fewer, more) = (n.min(m), n.max(m));
    // ln(sinh(x) / x) + ln 2; the constant drops out of the quotient.
    let ln_ratio = |x: f64| x + (-(-2.0 * x).exp_m1() / x).ln();
    let half = 0.5 * lambda;
    (1..=fewer)
        .map(|i| ln_ratio(half * (more + i) as f64) - ln_ratio(half * i as f64))
        .sum()
}

/// Logarithm of the mean of numbers that are given by their logarithms.
fn ln_average(logarithms: &[f64]) -> f64 {
    let largest = logarithms.iter().fold(f64::NEG_INFINITY, |x, &y| x.max(y));
    let sum: f64 = logarithms.iter().map(|ln| (ln - largest).exp()).sum();
    largest + (sum / logarithms.len() as f64).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_of_a_bet_on_three_against_three() {
        let expected = [
            (0.1, 1.026_523_829_8),
            (0.2, 1.109_453_536_8),
            (0.35, 1.365_264_996_6),
            (0.6, 2.375_787_571_8),
        ];
        for (lambda, mean) in expected {
            assert!((ln_mean(lambda, 3, 3).exp() - mean).abs() < 5e-11);
        }
    }

    /// All arrangements of a block's labels, as the block would be.
    fn arrangements(pooled: &[f64], m: u32) -> Vec<Stratum> {
        (0_u32..1 << pooled.len())
            .filter(|mask| mask.count_ones() == m)
            .map(|mask| {
                let side = |of_b: bool| -> Vec<f64> {
                    let runs = pooled.iter().zip(0..);
                    runs.filter(|(_, i)| (mask >> i & 1 == 1) == of_b)
                        .map(|(&v, _)| v)
                        .collect()
                };
                Stratum::new(side(false), side(true))
            })
            .collect()
    }

    #[test]
    fn the_game_is_fair_and_with_ties_at_most_fair() {
        let cases: [(&[f64], u32); 4] = [
            (&[1.0, 2.0, 4.0, 8.0, 16.0], 2),
            (&[1.0, 2.0], 1),
            (&[3.0, 1.0, 7.0, 9.0, 5.0, 2.0, 8.0], 6),
            (&[1.0, 1.0, 2.0, 2.0, 2.0, 5.0], 3),
        ];
        for (pooled, m) in cases {
            let distinct = midranks(pooled).unwrap().iter().all(|r| r.fract() == 0.0);
            let all = arrangements(pooled, m);
            // Two blocks, so that the stakes of the second are unequal.
            let mut total = 0.0;
            for first in &all {
                let mut process = RankEProcess::default();
                process.observe(first).unwrap();
                for second in &all {
                    total += process.clone().observe(second).unwrap().e_value;
                }
            }
            let mean = total / (all.len() * all.len()) as f64;
            if distinct {
                assert!((mean - 1.0).abs() < 1e-12, "{mean}");
            } else {
                assert!(mean < 1.0 && mean > 0.9, "{mean}");
            }
        }
    }

    #[test]
    fn blocks_of_any_size_stay_in_range() {
        let low: Vec<f64> = (0..5000).map(f64::from).collect();
        let high: Vec<f64> = low.iter().map(|v| v + 10_000.0).collect();
        let mut process = RankEProcess::default();
        for _ in 0..3 {
            let found = process.observe(&Stratum::new(&low[..], &high[..])).unwrap();
            assert!(found.e_value > 1e100 && found.e_value.is_finite() && found.p > 0.0);
        }
        assert!((ln_mean(1e-9, 100, 3)).abs() < 1e-12);
    }
}
