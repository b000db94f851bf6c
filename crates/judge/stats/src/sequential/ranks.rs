//! The e-process that goes with the default verdict, and the interval that follows from it.

use super::scatter::Scatter;
use super::wealth::{Evidence, Wealth};
use crate::check;
use crate::error::Error;
use crate::location::{Scale, Side};
use crate::stratum::Stratum;

/// The bets, as `lambda (n + m + 1)`, and the share of the unit that is staked on each.
///
/// To first order, the best bet against an alternative is 12 (P(a < b) - 1/2), whatever the size
/// of the block. These are meant for P(a < b) = 0.55, 0.6, 0.68 and 0.87. Most is staked on the two
/// that decide within ten blocks of 3+3; the others find in long experiments what is smaller.
const BETS: [(f64, f64); 4] = [
    (0.6, 1.0 / 12.0),
    (1.2, 1.0 / 12.0),
    (2.2, 5.0 / 12.0),
    (4.4, 5.0 / 12.0),
];

/// One block, as the game sees it.
#[derive(Debug, Clone)]
struct Block {
    /// Effect of every pair of runs, ascending.
    effects: Vec<f64>,
    /// For each bet: `lambda`, and what is taken off the logarithm of its stake.
    odds: [(f64, f64); BETS.len()],
}

/// Which pairs at the null effect count as won.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ties {
    Half,
    Won,
}

/// Test by ranks within blocks that may be looked at after every block, and its confidence
/// sequence.
///
/// Two gamblers play, one who bets on a larger candidate and one who bets on a smaller one. Block
/// by block, each of their stakes is multiplied by `exp(lambda (U - nm / 2)) / M(lambda)`, with `U`
/// the number of pairs that the gambler wins (equal pairs count half) and `M` the mean of the
/// numerator over all arrangements of the labels. Since the order within a block is random, that
/// mean is right whatever the noise, the drift and the modes: without a difference, the wealth is a
/// fair game by design. With equal values it is at best fair: breaking ties at random can only raise
/// the mean of a convex function.
///
/// Where one side scatters more than the other, `U` varies by up to half more than that even if
/// neither side tends to be larger. So `M` is raised to a power, once earlier blocks have shown
/// that: at least 1, so that the game is fair or worse in any case.
///
/// An effect other than none is tested by taking it off the candidate first. The larger the effect,
/// the fewer pairs the first gambler wins, so the effects that have not been refuted at any time
/// are an interval ([`RankEProcess::interval`]). If the candidate differs by a constant factor (or
/// shift), it holds the true effect at all times at once with the confidence asked for.
///
/// ```
/// use perflab_stats::{Stratum, location::Scale, sequential::RankEProcess};
///
/// let mut process = RankEProcess::new(Scale::Ratio);
/// let block = Stratum::new([100.0, 101.0, 99.0], [104.0, 103.0, 105.5]);
/// let mut blocks = 0;
/// while process.evidence().p > 0.05 {
///     process.observe(&block)?;
///     blocks += 1;
/// }
/// assert_eq!(blocks, 3);
/// let (low, high) = process.interval(0.95)?;
/// assert!(low > 1.0 && high < 1.07);
/// # Ok::<(), perflab_stats::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct RankEProcess {
    scale: Scale,
    blocks: Vec<Block>,
    scatter: Scatter,
}

impl RankEProcess {
    /// Before the first block.
    pub fn new(scale: Scale) -> Self {
        Self {
            scale,
            blocks: Vec::new(),
            scatter: Scatter::default(),
        }
    }

    /// Takes the next block into account. A block without runs of both sides changes nothing.
    ///
    /// # Errors
    /// An unusable value; the process stays as it was.
    pub fn observe(&mut self, block: &Stratum) -> Result<(), Error> {
        for (what, values) in [("baseline", &block.a), ("candidate", &block.b)] {
            match self.scale {
                Scale::Ratio => check::positive(what, values, 0)?,
                Scale::Shift => check::sample(what, values, 0)?,
            }
        }
        if !block.has_pairs() {
            return Ok(());
        }
        let (n, m) = (block.a.len(), block.b.len());
        let mut effects = Vec::with_capacity(n * m);
        for &b in &block.b {
            effects.extend(block.a.iter().map(|&a| self.scale.effect(a, b)));
        }
        effects.sort_by(f64::total_cmp);
        let power = self.scatter.power();
        let odds = BETS.map(|(bet, _)| {
            let lambda = bet / (n + m + 1) as f64;
            (lambda, power * ln_mean(lambda, n, m))
        });
        self.scatter.observe(&effects, (n, m), self.scale);
        self.blocks.push(Block { effects, odds });
        Ok(())
    }

    /// What the blocks so far have shown against "no difference".
    pub fn evidence(&self) -> Evidence {
        let none = self.scale.none();
        let [up, down] =
            [Side::Greater, Side::Less].map(|side| self.wealth(none, side, Ties::Half));
        let e_value = 0.5 * (up.ln.exp() + down.ln.exp());
        Evidence {
            e_value: e_value.min(f64::MAX),
            p: (2.0 * p(up.ln_largest.max(down.ln_largest))).min(1.0),
        }
    }

    /// One-sided p-value, valid at any time, of "the effect is `null_effect` or beyond": with
    /// [`Side::Greater`] a small one shows an effect above `null_effect`, with [`Side::Less`] one
    /// below, with [`Side::TwoSided`] either.
    pub fn p(&self, null_effect: f64, side: Side) -> f64 {
        let of = |side| p(self.wealth(null_effect, side, Ties::Half).ln_largest);
        match side {
            Side::TwoSided => (2.0 * of(Side::Greater).min(of(Side::Less))).min(1.0),
            side => of(side),
        }
    }

    /// The effects that have not been refuted at any time: a confidence sequence. An end that the
    /// runs do not bound is infinite, or 0 for ratios.
    ///
    /// "No difference" lies outside, or at an end, exactly if the p-value of
    /// [`RankEProcess::evidence`] is at most `1 - confidence`; at an end only where values are
    /// equal.
    ///
    /// # Errors
    /// A confidence outside (0, 1).
    pub fn interval(&self, confidence: f64) -> Result<(f64, f64), Error> {
        check::probability("confidence", confidence)?;
        let bar = (2.0 / (1.0 - confidence)).ln();
        let mut effects: Vec<f64> = self
            .blocks
            .iter()
            .flat_map(|block| &block.effects)
            .copied()
            .collect();
        effects.sort_by(f64::total_cmp);
        effects.dedup();
        // Everything beyond an effect is refuted if it is with the pairs at the effect itself won.
        let refuted = |effect: f64, side| self.wealth(effect, side, Ties::Won).ln_largest >= bar;
        let below = effects.partition_point(|&effect| refuted(effect, Side::Greater));
        let above = effects.partition_point(|&effect| !refuted(effect, Side::Less));
        let (least, most) = self.scale.limits();
        Ok((
            below
                .checked_sub(1)
                .and_then(|place| effects.get(place))
                .map_or(least, |&low| low),
            effects.get(above).map_or(most, |&high| high),
        ))
    }

    /// Fewest blocks of `n` and `m` runs after which the p-value can be `level` or less, whatever
    /// the runs show: where every pair is won. It is the two-sided one of [`RankEProcess::evidence`].
    ///
    /// # Errors
    /// A level outside (0, 1), or a block without runs of both sides.
    pub fn fewest_blocks(n: usize, m: usize, level: f64) -> Result<u32, Error> {
        check::probability("level", level)?;
        if n == 0 || m == 0 {
            return Err(Error::NoPairs { blocks: 1 });
        }
        let bar = (2.0 / level).ln();
        let gains = BETS.map(|(bet, _)| {
            let lambda = bet / (n + m + 1) as f64;
            0.5 * lambda * n as f64 * m as f64 - ln_mean(lambda, n, m)
        });
        let mut stakes = BETS.map(|(_, share)| share.ln());
        let mut blocks = 0;
        // Every gain is above zero, so this ends.
        while ln_sum(&stakes) < bar {
            for (stake, gain) in stakes.iter_mut().zip(gains) {
                *stake += gain;
            }
            blocks += 1;
        }
        Ok(blocks)
    }

    /// Wealth of one of the two gamblers if the true effect is `null_effect`.
    fn wealth(&self, null_effect: f64, side: Side, ties: Ties) -> Wealth {
        let mut stakes = BETS.map(|(_, share)| share.ln());
        let mut wealth = Wealth::default();
        for block in &self.blocks {
            let pairs = block.effects.len() as f64;
            let below = block.effects.partition_point(|&e| e < null_effect) as f64;
            let not_above = block.effects.partition_point(|&e| e <= null_effect) as f64;
            let won = match side {
                Side::Less => below,
                _ => pairs - not_above,
            };
            let tied = not_above - below;
            let won = match ties {
                Ties::Half => won + 0.5 * tied,
                Ties::Won => won + tied,
            };
            for (stake, (lambda, ln_mean)) in stakes.iter_mut().zip(block.odds) {
                *stake += lambda * (won - 0.5 * pairs) - ln_mean;
            }
            wealth.becomes(ln_sum(&stakes));
        }
        wealth
    }
}

/// p-value from the logarithm of the largest wealth so far.
fn p(ln_largest: f64) -> f64 {
    (-ln_largest).exp().max(f64::MIN_POSITIVE)
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

/// Logarithm of the sum of numbers that are given by their logarithms.
fn ln_sum(logarithms: &[f64]) -> f64 {
    let largest = logarithms.iter().fold(f64::NEG_INFINITY, |x, &y| x.max(y));
    let sum: f64 = logarithms.iter().map(|ln| (ln - largest).exp()).sum();
    largest + sum.ln()
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

    #[test]
    fn fewer_blocks_than_the_fewest_prove_nothing() {
        for (n, m, level) in [
            (1, 1, 0.05),
            (3, 3, 0.05),
            (3, 3, 0.001),
            (4, 2, 0.01),
            (9, 9, 0.05),
        ] {
            let fewest = RankEProcess::fewest_blocks(n, m, level).unwrap();
            let block = Stratum::new(vec![1.0; n], vec![2.0; m]);
            let mut process = RankEProcess::new(Scale::Ratio);
            for _ in 1..fewest {
                process.observe(&block).unwrap();
                assert!(process.evidence().p > level, "{n} + {m} at {level}");
            }
            process.observe(&block).unwrap();
            assert!(process.evidence().p <= level, "{n} + {m} at {level}");
        }
        assert_eq!(RankEProcess::fewest_blocks(3, 3, 0.05), Ok(3));
        assert!(RankEProcess::fewest_blocks(0, 3, 0.05).is_err());
        assert!(RankEProcess::fewest_blocks(3, 3, 0.0).is_err());
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
            let distinct = crate::rank::midranks(pooled)
                .unwrap()
                .iter()
                .all(|r| r.fract() == 0.0);
            let all = arrangements(pooled, m);
            // Two blocks, so that the stakes of the second are unequal.
            let mut total = 0.0;
            for first in &all {
                let mut process = RankEProcess::new(Scale::Ratio);
                process.observe(first).unwrap();
                for second in &all {
                    let mut after = process.clone();
                    after.observe(second).unwrap();
                    total += after.evidence().e_value;
                }
            }
            let mean = total / (all.len() * all.len()) as f64;
            if distinct {
                assert!((mean - 1.0).abs() < 1e-12, "{mean}");
            } else {
                assert!(mean < 1.0 && mean > 0.8, "{mean}");
            }
        }
    }

    #[test]
    fn blocks_of_any_size_stay_in_range() {
        let low: Vec<f64> = (0..1000).map(f64::from).collect();
        let high: Vec<f64> = low.iter().map(|v| v + 10_000.0).collect();
        let mut process = RankEProcess::new(Scale::Shift);
        for _ in 0..3 {
            process.observe(&Stratum::new(&low[..], &high[..])).unwrap();
            let found = process.evidence();
            assert!(found.e_value > 1e100 && found.e_value.is_finite() && found.p > 0.0);
        }
        assert!((ln_mean(1e-9, 100, 3)).abs() < 1e-12);
    }
}
