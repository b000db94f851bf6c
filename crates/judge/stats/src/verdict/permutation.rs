//! The robustness check of the mean for uneven numbers of runs: a permutation test of Welch's statistic.
//!
//! Where values are skewed, as slow runs make them, and one side has far fewer runs, its mean looks
//! more certain than it is: three runs that happen to have no slow one among them scatter little.
//! Welch's test then claims too much (11 % instead of 1 % for 3 and 30 runs, of which 15 % are
//! slow). Permuting labels within blocks gives the statistic's own distribution: exact where both
//! sides have the same distribution, and right for many runs where only the means are the same
//! (Janssen, *Statistics & Probability Letters* 36, 1997; Chung and Romano, *Annals of Statistics*
//! 41, 2013).

mod draws;
mod statistic;

use super::uneven::{is_uneven, runs};
use crate::error::Error;
use crate::resampling::Resampling;
use crate::stratum::Stratum;
use crate::summary::sorted;
use draws::{Block, Draws};
use statistic::{Drawn, Weights};

/// Runs of a side that show how skewed they are. With fewer, the p-value is multiplied by [`RAISED`] over their number:
/// the distributions may differ although the means are the same. Found by the example `reports` of `perflab-compare`
/// (some slow runs, different scatter).
const SHOWN: f64 = 6.0;
const RAISED: f64 = 15.0;

/// Always the same draws: the same runs give the same report.
const DRAWS: Resampling = Resampling {
    draws: 9999,
    seed: 1,
};

/// Share of the draws that are at least as extreme at which no more are made: the p-value so far is valid (Besag and
/// Clifford, *Biometrika* 78, 1991), and large.
const HOPELESS: f64 = 0.1;

/// Draws from which it may be plain on which side of a level a share is, and standard errors that it must be off.
const LEAST: f64 = 200.0;
const PLAIN: f64 = 4.0;

/// The check for blocks of given numbers of runs, whatever their values. An interval asks it for dozens of shifts, with
/// the same draws for each.
pub(super) struct PermutationCheck {
    blocks: Vec<Block>,
    weights: Weights,
    /// What the share of permutations is multiplied by.
    raised: f64,
    draws: Draws,
}

impl PermutationCheck {
    /// The check, where the numbers of runs are so uneven that Welch's test needs one.
    pub(super) fn of(strata: &[Stratum]) -> Result<Option<Self>, Error> {
        if !is_uneven(strata) {
            return Ok(None);
        }
        let usable = || strata.iter().filter(|stratum| stratum.has_pairs());
        let [all_of_a, all_of_b] = runs(strata);
        let blocks: Vec<Block> = usable()
            .map(|stratum| Block {
                runs: stratum.a.len() + stratum.b.len(),
                fewer: stratum.a.len().min(stratum.b.len()),
                // Of equal ones, the side that has fewer in all blocks: else it would matter which side comes first.
                is_a_drawn: (stratum.a.len(), all_of_a) <= (stratum.b.len(), all_of_b),
            })
            .collect();
        let fewer = all_of_a.min(all_of_b) as f64;
        Ok(Some(Self {
            weights: Weights::of(usable(), &blocks),
            raised: if fewer < SHOWN { RAISED / fewer } else { 1.0 },
            draws: Draws::new(&blocks, DRAWS)?,
            blocks,
        }))
    }

    /// Two-sided p-value of equal means by permuted labels; nothing where nothing varies.
    pub(super) fn p(&mut self, strata: &[Stratum]) -> Option<f64> {
        let hopeless = HOPELESS * DRAWS.draws as f64;
        let share = self.share(strata, |extreme, _| extreme as f64 >= hopeless);
        share.map(|share| (share * self.raised).min(1.0))
    }

    /// Whether equal means are excluded at a two-sided level, as 0.05; draws end as soon as that is plain.
    pub(super) fn excludes(&mut self, strata: &[Stratum], level: f64) -> bool {
        let level = level / self.raised;
        let is_plain = |extreme: usize, draws: usize| {
            let draws = draws as f64;
            draws >= LEAST
                && (extreme as f64 - level * draws).powi(2) > PLAIN * PLAIN * level * draws
        };
        self.share(strata, is_plain).is_none_or(|p| p <= level)
    }

    /// The share of permutations that are at least as extreme, of as many as are enough.
    fn share(
        &mut self,
        strata: &[Stratum],
        is_enough: impl Fn(usize, usize) -> bool,
    ) -> Option<f64> {
        // Values about the mean of their block, so that squares lose no digits. In order of size, so that neither the
        // order of a file nor which side comes first changes what is drawn.
        let mut values: Vec<Vec<f64>> = Vec::new();
        let mut drawn: Vec<Drawn> = Vec::new();
        let usable = strata.iter().filter(|stratum| stratum.has_pairs());
        for (stratum, block) in usable.zip(&self.blocks) {
            let all = sorted(&[&stratum.a[..], &stratum.b].concat());
            let centre = all.iter().sum::<f64>() / all.len() as f64;
            let side = match block.is_a_drawn {
                true => &stratum.a,
                false => &stratum.b,
            };
            drawn.push(Drawn::of(sorted(side).iter().map(|value| value - centre)));
            values.push(all.iter().map(|value| value - centre).collect());
        }
        let squares: Vec<f64> = values
            .iter()
            .map(|values| values.iter().map(|value| value * value).sum())
            .collect();
        let observed = self.weights.statistic(&drawn, &squares);
        if !observed.varies() {
            return None;
        }
        let least = observed.squared() * (1.0 - 1e-9);
        let (mut extreme, mut draws) = (1_usize, 1_usize);
        while draws <= DRAWS.draws && !is_enough(extreme, draws) {
            let mut chosen = self.draws.at(draws - 1, &self.blocks);
            for ((block, values), drawn) in self.blocks.iter().zip(&values).zip(&mut drawn) {
                let (of_block, rest) = chosen.split_at(block.fewer);
                chosen = rest;
                *drawn = Drawn::of(of_block.iter().map(|&run| values[run as usize]));
            }
            let statistic = self.weights.statistic(&drawn, &squares);
            extreme += usize::from(statistic.is_at_least(least));
            draws += 1;
        }
        Some(extreme as f64 / draws as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::draws::MOST_KEPT;
    use super::*;
    use crate::blocked_mean::blocked_welch;

    #[test]
    fn the_statistic_is_welch_s_within_blocks() {
        let strata = [
            Stratum::new([1.0, 4.0, 2.5], [3.0, 8.0]),
            Stratum::new([2.0, 2.25], [7.0, 5.0, 6.0, 9.0, 6.5, 5.5]),
        ];
        let expected = blocked_welch(&strata, 0.95).unwrap().difference.t;
        let check = PermutationCheck::of(&strata).unwrap().unwrap();
        let observed = |stratum: &Stratum, block: &Block| {
            let all = [&stratum.a[..], &stratum.b].concat();
            let centre = all.iter().sum::<f64>() / all.len() as f64;
            let about =
                |values: &[f64]| -> Vec<f64> { values.iter().map(|v| v - centre).collect() };
            let side = if block.is_a_drawn {
                &stratum.a
            } else {
                &stratum.b
            };
            let squares: f64 = about(&all).iter().map(|value| value * value).sum();
            (Drawn::of(about(side).into_iter()), squares)
        };
        let blocks = strata.iter().zip(&check.blocks);
        let (drawn, squares): (Vec<Drawn>, Vec<f64>) = blocks
            .map(|(stratum, block)| observed(stratum, block))
            .unzip();
        let found = check.weights.statistic(&drawn, &squares);
        assert!((found.difference / found.squared_error.sqrt() - expected).abs() < 1e-12);
    }

    fn permuted(strata: &[Stratum]) -> Option<f64> {
        PermutationCheck::of(strata).unwrap()?.p(strata)
    }

    #[test]
    fn neither_the_order_of_runs_nor_that_of_sides_matters() {
        let few: Vec<f64> = (0..9)
            .map(|run| 98.0 + 1.7 * f64::from(run * 5 % 9))
            .collect();
        let many: Vec<f64> = (0..31)
            .map(|run| 100.0 + 0.9 * f64::from(run * 7 % 31))
            .collect();
        let p = |a: &[f64], b: &[f64]| permuted(&[Stratum::new(a, b)]).unwrap();
        let expected = p(&few, &many);
        assert!((0.001..0.1).contains(&expected), "{expected}");
        let turned = |values: &[f64]| -> Vec<f64> { values.iter().rev().copied().collect() };
        for found in [
            p(&turned(&few), &turned(&many)),
            p(&sorted(&few), &many),
            p(&many, &few),
            p(&turned(&many), &sorted(&few)),
        ] {
            assert!((found - expected).abs() < 1e-15, "{found} {expected}");
        }
        // Also where a block has as many of both.
        let block = |of_few: &[f64], of_many: &[f64]| Stratum::new(of_few, of_many);
        let both = [block(&few[..2], &many[..6]), block(&few[2..5], &many[6..9])];
        let turned = [block(&many[..6], &few[..2]), block(&many[6..9], &few[2..5])];
        assert_eq!(permuted(&both), permuted(&turned));
    }

    #[test]
    fn few_runs_without_a_slow_one_prove_nothing() {
        let few = [100.0, 100.5, 99.5];
        let many: Vec<f64> = (0..30)
            .map(|run| {
                if run % 5 == 0 {
                    70.0
                } else {
                    100.0 + 0.1 * f64::from(run % 7)
                }
            })
            .collect();
        let strata = [Stratum::new(few, many)];
        let welch = blocked_welch(&strata, 0.95).unwrap().difference.p;
        assert!(welch < 0.02, "{welch}");
        // Half of all choices of three have no slow run among them: C(24, 3) / C(30, 3) = 0.50.
        let found = permuted(&strata).unwrap();
        assert!(found > 0.1, "{found}");
        let even = [Stratum::new([1.0, 2.0, 3.0], [4.0, 5.0, 7.0, 8.0])];
        assert_eq!(permuted(&even), None);
    }

    #[test]
    fn fewer_than_six_against_many_are_raised() {
        let many: Vec<f64> = (0..30).map(|run| 100.0 + f64::from(run % 7)).collect();
        let of = |few: &[f64]| [Stratum::new(few, many.clone())];
        let few = [106.5, 105.0, 107.0, 104.5, 106.0, 105.5];
        for (runs, factor) in [(3, 5.0), (5, 3.0), (6, 1.0)] {
            let strata = of(&few[..runs]);
            let mut check = PermutationCheck::of(&strata).unwrap().unwrap();
            let bare = check.share(&strata, |_, _| false).unwrap();
            let found = permuted(&strata).unwrap();
            assert!(
                (found - factor * bare).abs() < 1e-12,
                "{runs} runs: {found}, {bare}"
            );
            assert!(bare < 0.05, "{bare}");
            assert_eq!(check.excludes(&strata, 0.05), found <= 0.05);
            assert_eq!(found <= 0.05, runs > 3, "{found}");
        }
    }

    #[test]
    fn draws_that_are_not_kept_are_the_same_each_time() {
        let values = |runs: usize, step: usize| -> Vec<f64> {
            (0..runs).map(|run| (run * step % 1009) as f64).collect()
        };
        let strata = [Stratum::new(values(1000, 7), values(1600, 11))];
        let mut check = PermutationCheck::of(&strata).unwrap().unwrap();
        let enough = MOST_KEPT / 1000 + 100;
        let mut share = || check.share(&strata, |_, draws| draws >= enough).unwrap();
        let first = share();
        assert!((0.01..0.99).contains(&first), "{first}");
        assert_eq!(share(), first);
        assert!(check.draws.kept.len() <= MOST_KEPT);
    }

    #[test]
    fn a_difference_that_is_there_is_still_proven() {
        let many: Vec<f64> = (0..30).map(|run| 100.0 + f64::from(run % 7)).collect();
        let strata = [Stratum::new([120.0, 123.0, 119.0, 121.0], many)];
        let found = permuted(&strata).unwrap();
        assert!(found < 0.001, "{found}");
    }
}
