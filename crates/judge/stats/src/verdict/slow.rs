//! Slow runs: which they are, and whether one side has a larger share of them.

use std::cmp::Ordering;
use std::collections::HashMap;

use super::comparison::{Main, SlowRuns, Warning};
use super::terms::Terms;
use crate::better::Better;
use crate::boschloo::boschloo;
use crate::distribution::binomial;
use crate::error::Error;
use crate::location::{NullCache, Scale, hodges_lehmann_with};
use crate::modes::{CommonSplit, Mode, Modes, SplitSource, common_split, slow_mode};
use crate::observation::Strata;
use crate::proportion::{Proportion, fisher_stratified, newcombe};
use crate::steps::Rounding;
use crate::stratum::Stratum;

/// How sure one must be that the modes of most runs differ from side to side.
const SURE: f64 = 0.001;

/// Both sides split into their modes.
pub(crate) struct Split {
    a: Modes,
    b: Modes,
    /// The mode of most runs, both sides together.
    main: Mode,
    /// Whether a side has a gap of its own. What only both together show may be that one side scatters more, so that
    /// no run is called slow for it.
    is_own: bool,
    /// The runs of the main mode, block by block; nothing where the sides surely have not the same.
    pub(crate) main_runs: Option<Vec<Stratum>>,
    /// How many runs of each side are slow, in each block that has runs of both.
    blocks: Vec<(Proportion, Proportion)>,
}

impl Split {
    /// Nothing where neither side has a gap.
    pub(crate) fn of(strata: &Strata, better: Better) -> Result<Option<Self>, Error> {
        let (base, candidate) = (strata.base(), strata.candidate());
        let found = common_split(&base, &candidate, better)?;
        let together = match found.map(|split| split.source) {
            Some(SplitSource::Own) => None,
            _ => of_both(base, candidate, better)?,
        };
        let has_both = |modes: &Modes| modes.slow.min(modes.fast) >= 2;
        let (a, b) = match (found, together) {
            // The side without a gap of its own has both modes, so it cannot be split like one that has but one.
            (Some(CommonSplit { source, .. }), Some((a, b)))
                if has_both(if source == SplitSource::Baseline {
                    &b
                } else {
                    &a
                }) =>
            {
                (a, b)
            }
            (Some(CommonSplit { a, b, .. }), _) => (a, b),
            (None, Some((a, b))) if has_both(&a) || has_both(&b) => (a, b),
            (None, _) => return Ok(None),
        };
        let main = match (a.slow + b.slow).cmp(&(a.fast + b.fast)) {
            Ordering::Greater => Mode::Slow,
            _ => Mode::Fast,
        };
        let own = |values: &[f64], modes: &Modes| -> Vec<f64> {
            let is_main = |value: &f64| modes.mode_of(*value) == main;
            values.iter().copied().filter(is_main).collect()
        };
        let is_sure =
            |modes: &Modes| is_majority(modes.slow.max(modes.fast), modes.slow + modes.fast);
        let surely_differ = a.main() != b.main() && is_sure(&a) && is_sure(&b);
        let main_runs = (!surely_differ).then(|| {
            let blocks = strata.strata.iter();
            blocks
                .map(|block| Stratum::new(own(&block.a, &a), own(&block.b, &b)))
                .collect()
        });
        let slow = |values: &[f64], modes: &Modes| {
            let slow = values
                .iter()
                .filter(|value| modes.mode_of(**value) == Mode::Slow);
            Proportion::new(slow.count(), values.len())
        };
        let blocks = strata.strata.iter().filter(|block| block.has_pairs());
        let blocks: Result<_, Error> = blocks
            .map(|block| Ok((slow(&block.a, &a)?, slow(&block.b, &b)?)))
            .collect();
        Ok(Some(Self {
            a,
            b,
            main,
            blocks: blocks?,
            is_own: found.is_some(),
            main_runs,
        }))
    }

    /// What a reader must know of it.
    pub(crate) fn warning(&self) -> Option<Warning> {
        self.is_own.then_some(match self.main {
            Mode::Slow => Warning::FastMode,
            Mode::Fast => Warning::SlowMode,
        })
    }

    /// How many runs are slow, without a test of their shares; nothing where most are.
    pub(crate) fn counted(
        &self,
        scale: Scale,
        terms: &Terms,
        rounding: Rounding,
        cache: &mut NullCache,
    ) -> Result<Option<SlowRuns>, Error> {
        if self.main == Mode::Slow || !self.is_own {
            return Ok(None);
        }
        let share = |side: &Modes| side.slow as f64 / (side.slow + side.fast) as f64;
        let main = match &self.main_runs {
            Some(runs) if runs.iter().any(Stratum::has_pairs) => {
                let found = hodges_lehmann_with(cache, runs, scale, terms.confidence)?;
                let (none, least) = (scale.none(), scale.limits().0);
                let out = rounding.of_moved_ranks();
                let (low, high) = (scale.moved(found.low, -out), scale.moved(found.high, out));
                Some(Main {
                    difference: found.effect - none,
                    low: match low > least {
                        true => low - none,
                        false => f64::NEG_INFINITY,
                    },
                    high: high - none,
                })
            }
            _ => None,
        };
        Ok(Some(SlowRuns {
            base: self.a.slow,
            candidate: self.b.slow,
            difference: share(&self.b) - share(&self.a),
            low: -1.0,
            high: 1.0,
            p: 1.0,
            main,
        }))
    }

    /// The shares of slow runs, compared; nothing where most runs are slow.
    pub(super) fn compared(
        &self,
        scale: Scale,
        terms: &Terms,
        rounding: Rounding,
        null: &mut NullCache,
        known: &mut HashMap<[usize; 4], f64>,
    ) -> Result<Option<SlowRuns>, Error> {
        let Some(counted) = self.counted(scale, terms, rounding, null)? else {
            return Ok(None);
        };
        let a = Proportion::new(self.a.slow, self.a.slow + self.a.fast)?;
        let b = Proportion::new(self.b.slow, self.b.slow + self.b.fast)?;
        let shares = newcombe(a, b, terms.confidence)?;
        // Where the blocks have their runs in other proportions, their own shares of slow runs come into the sums.
        let in_proportion = |(of_a, of_b): &(Proportion, Proportion)| {
            of_a.trials * b.trials == of_b.trials * a.trials
        };
        let p = if self.blocks.iter().all(in_proportion) {
            *known
                .entry([a.successes, a.trials, b.successes, b.trials])
                .or_insert_with(|| boschloo(a, b).p)
        } else {
            fisher_stratified(&self.blocks)
        };
        Ok(Some(SlowRuns {
            difference: shares.difference,
            low: shares.low,
            high: shares.high,
            p,
            ..counted
        }))
    }
}

/// The modes of both sides together: a side with about as many slow runs as others has no gap of its own.
fn of_both(
    mut base: Vec<f64>,
    mut candidate: Vec<f64>,
    better: Better,
) -> Result<Option<(Modes, Modes)>, Error> {
    let all: Vec<f64> = base.iter().chain(&candidate).copied().collect();
    let found = slow_mode(&all, better)?;
    base.sort_by(f64::total_cmp);
    candidate.sort_by(f64::total_cmp);
    Ok(found.map(|modes| {
        (
            Modes::at(modes.split, &base, better),
            Modes::at(modes.split, &candidate, better),
        )
    }))
}

/// Whether it is sure that more than half of all such runs are of a mode that so many of these are of (sign test).
fn is_majority(own: usize, all: usize) -> bool {
    binomial(all, 0.5)[own..].iter().sum::<f64>() <= SURE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_majority_is_sure_where_coins_would_hardly_make_it() {
        // scipy.stats.binomtest(n, m, alternative="greater").pvalue: 0.00098, 0.0107, 0.00072, 0.0026
        assert!(is_majority(10, 10) && !is_majority(9, 10));
        assert!(is_majority(24, 30) && !is_majority(23, 30));
    }

    fn split(a: &[f64], b: &[f64]) -> Option<Split> {
        let block = Stratum::new(Vec::from(a), Vec::from(b));
        let strata = Strata {
            strata: vec![block],
        };
        Split::of(&strata, Better::Lower).unwrap()
    }

    #[test]
    fn modes_that_only_both_sides_show() {
        let a = [10.0, 10.1, 9.9, 10.05, 9.95, 10.02, 9.98, 10.07];
        let half = [10.0, 10.1, 9.9, 10.05, 15.0, 15.1, 14.9, 15.05];
        let found = split(&a, &half).unwrap();
        assert_eq!((found.a.slow, found.b.slow, found.is_own), (0, 4, false));
        assert_eq!(found.main_runs.unwrap()[0].b, half[..4]);
        // The sides themselves are no modes.
        assert!(split(&a, &[15.0, 15.1]).is_none());
        // The baseline has a gap of its own; most runs of the candidate are slow, and it has none.
        let mut own = Vec::from(a);
        own.extend([15.0, 15.1]);
        let mut slow = Vec::from(half);
        slow.push(15.02);
        let found = split(&own, &slow).unwrap();
        assert_eq!((found.a.slow, found.b.slow, found.is_own), (2, 5, true));
    }
}
