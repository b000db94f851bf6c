//! The evidence for a difference of the typical run, at any supposed difference: what the rank test
//! and its robustness checks agree on. The verdict, the interval and sameness all come from here.
//!
//! The rank test ([`crate::location`]) is exact where both sides have the same distribution. Checks
//! protect it where they have not. The largest p-value counts; that of the far tail counts as [`TAIL`] at most.
//!
//! - [`crate::robustness`], for every number of runs.
//! - For few runs, where that one is silent or its approximation too coarse. If one side scatters
//!   far more than the other, each of its `n` runs is above or below the other side like a coin, so
//!   that nothing below `2^(1-n)` can be had from ranks. A second check is made for a side with fewer
//!   than 6 runs, and for one with fewer than 15 that scatter more than 3 times as much; 2 times, if
//!   the other side has more than 1.5 times as many. It exchanges the signs of that side's placements
//!   (less one half) in all ways (Fisher's randomisation test). Where that proves nothing, Welch's
//!   test within blocks may, of all runs and of the main mode's: it uses the size of the gap, which
//!   ranks do not see.
//! - In the far tail, which counts where many comparisons share the error: the approximation of
//!   [`crate::robustness`] is too small there where the sides scatter differently, and the scatter of few
//!   runs is not known well enough to tell. So ranks alone prove no p-value below [`TAIL`] where a side has
//!   fewer than [`MANY`] runs. For a smaller one the second check, made for both sides, must agree.
//! - Where some runs fall into a slow mode, the rank test of the main mode's runs alone, in the far tail
//!   with the second check of them. Otherwise a larger share of slow runs would make the typical run look
//!   worse whose main mode is the same.
//!
//! `cargo run --release -p perflab-compare --example reports` shows the error rates.

use super::exchange::{exchanged, signs};
use super::interval_end::first_excluded;
use super::uneven::runs;
use crate::blocked_mean::blocked_welch;
use crate::error::Error;
use crate::location::{NullCache, Scale, Side, location_test};
use crate::robustness::robustness;
use crate::stratum::Stratum;

/// The least one-sided p-value that the ranks of sides with fewer runs than [`MANY`] prove alone.
const TAIL: f64 = 0.01;

/// Runs of a side from which the far tail of [`crate::robustness`] is good enough, too.
const MANY: usize = 60;

/// Fewest runs of a side that can prove anything.
const FEWEST: usize = 3;

/// Narrowest interval, on the line or relative to the largest value, from which a search for its end sets out.
const NARROW: f64 = 1e-12;

/// What a search for the end of an interval looks at, of ratios and of shifts to either side; beyond, nothing changes.
const RATIOS: std::ops::RangeInclusive<f64> = 1e-70..=1e70;

/// Both sides, as the tests of one comparison see them.
pub(super) struct Evidence<'a> {
    strata: &'a [Stratum],
    /// The runs of the main mode, where there is another.
    main: Option<&'a [Stratum]>,
    scale: Scale,
    cache: &'a mut NullCache,
    runs: [usize; 2],
    /// Whether a side's placements are tested by exchanging their signs.
    exchanged: [bool; 2],
}

impl<'a> Evidence<'a> {
    pub(super) fn new(
        strata: &'a [Stratum],
        main: Option<&'a [Stratum]>,
        scale: Scale,
        cache: &'a mut NullCache,
    ) -> Self {
        Self {
            strata,
            main,
            scale,
            cache,
            runs: runs(strata),
            exchanged: exchanged(strata, scale),
        }
    }

    /// One-sided p-value of "the effect is at most this" ([`Side::Greater`]), or at least.
    pub(super) fn p(&mut self, effect: f64, side: Side) -> Result<f64, Error> {
        let ranks = location_test(self.cache, self.strata, self.scale, effect, side)?.p;
        Ok(ranks.max(self.checked(effect, side)?))
    }

    /// Two-sided p-value that the checks leave at an effect.
    pub(super) fn checked_two_sided(&mut self, effect: f64) -> Result<f64, Error> {
        let less = self.checked(effect, Side::Less)?;
        let greater = self.checked(effect, Side::Greater)?;
        Ok((2.0 * less.min(greater)).min(1.0))
    }

    /// The same without that of the main mode.
    pub(super) fn checked_in_all_modes(&self, effect: f64) -> f64 {
        let less = self.in_all_modes(effect, Side::Less);
        (2.0 * less.min(self.in_all_modes(effect, Side::Greater))).min(1.0)
    }

    /// The largest size of a value.
    fn largest(&self) -> f64 {
        let values = self
            .strata
            .iter()
            .flat_map(|block| block.a.iter().chain(&block.b));
        values.fold(0.0, |largest, value| value.abs().max(largest))
    }

    /// An end of the interval of the rank test, or further out if the checks do not exclude what is
    /// beyond it; infinite, or 0 for ratios, if they exclude nothing. `width` is the interval's, on
    /// the line.
    pub(super) fn end(
        &mut self,
        end: f64,
        width: f64,
        side: Side,
        confidence: f64,
    ) -> Result<f64, Error> {
        let level = 0.5 * (1.0 - confidence);
        let outward = if side == Side::Greater { -1.0 } else { 1.0 };
        let from = self.scale.on_line(end);
        let scale = self.scale;
        let scale_of = match scale {
            Scale::Ratio => 1.0,
            Scale::Shift => self.largest(),
        };
        let is_excluded = |at: f64| -> Result<bool, Error> {
            Ok(self.checked(scale.off_line(at), side)? <= level)
        };
        // At the end itself two runs are equal, and where many are the interval has no width.
        let width = width.max(NARROW * scale_of).max(f64::MIN_POSITIVE);
        let (low, high) = scale.limits();
        Ok(match first_excluded(from, outward * width, is_excluded)? {
            Some(at) if at == from => end,
            Some(at) => scale.off_line(at),
            None if side == Side::Greater => low,
            None => high,
        })
    }

    /// One-sided p-value of the checks.
    fn checked(&mut self, effect: f64, side: Side) -> Result<f64, Error> {
        let all = self.in_all_modes(effect, side);
        Ok(match self.main {
            None => all,
            Some(runs) => all.max(self.in_main_mode(runs, effect, side)?),
        })
    }

    fn in_all_modes(&self, effect: f64, side: Side) -> f64 {
        let shifted = self.shifted(self.strata, effect);
        let all = robustness(&shifted).map_or(0.0, |check| {
            one_sided(check.p, check.probability - 0.5, side)
        });
        let all = all.max(self.few(&shifted, effect, side));
        if all >= TAIL || self.runs[0].min(self.runs[1]) >= MANY {
            return all;
        }
        all.max(self.second(&shifted, [true; 2], effect, side).min(TAIL))
    }

    fn in_main_mode(&mut self, main: &[Stratum], effect: f64, side: Side) -> Result<f64, Error> {
        if !main.iter().any(Stratum::has_pairs) {
            return Ok(1.0);
        }
        let effect = match self.scale {
            Scale::Ratio => effect.clamp(*RATIOS.start(), *RATIOS.end()),
            Scale::Shift => effect.clamp(-RATIOS.end(), *RATIOS.end()),
        };
        let ranks = location_test(self.cache, main, self.scale, effect, side)?.p;
        let [a, b] = runs(main);
        if ranks >= TAIL || a.min(b) >= MANY {
            return Ok(ranks);
        }
        // Slow runs on one side skew the placements of all runs, and the exchange of signs takes them to be symmetric.
        let shifted = self.shifted(main, effect);
        let second = signs(&shifted, [true; 2], side).min(size_of_gap(&shifted, side));
        Ok(ranks.max(second.min(TAIL)))
    }

    /// The runs on the line, the baseline's moved by the effect.
    fn shifted(&self, strata: &[Stratum], effect: f64) -> Vec<Stratum> {
        let shift = self.scale.on_line(effect);
        let usable = strata.iter().filter(|stratum| stratum.has_pairs());
        usable
            .map(|stratum| {
                let a = stratum
                    .a
                    .iter()
                    .map(|value| self.scale.on_line(*value) + shift);
                let b = stratum.b.iter().map(|value| self.scale.on_line(*value));
                Stratum::new(a.collect::<Vec<_>>(), b.collect::<Vec<_>>())
            })
            .collect()
    }

    fn few(&self, shifted: &[Stratum], effect: f64, side: Side) -> f64 {
        let least = self.runs[0].min(self.runs[1]);
        if least < FEWEST {
            return 0.5_f64.powi(i32::try_from(least).unwrap_or(i32::MAX));
        }
        match self.exchanged {
            [false, false] => 0.0,
            exchanged => self.second(shifted, exchanged, effect, side),
        }
    }

    /// One-sided p-value of the second check: of the signs of those sides' placements, or of the size of the gap.
    fn second(&self, shifted: &[Stratum], sides: [bool; 2], effect: f64, side: Side) -> f64 {
        let signs = signs(shifted, sides, side);
        if signs == 0.0 {
            return 0.0;
        }
        let mut welch = size_of_gap(shifted, side);
        if let Some(main) = self.main {
            // Slow runs move the mean of the side that has more of them.
            welch = welch.max(size_of_gap(&self.shifted(main, effect), side));
        }
        signs.min(welch)
    }
}

/// One-sided p-value of Welch's test within blocks.
fn size_of_gap(shifted: &[Stratum], side: Side) -> f64 {
    match blocked_welch(shifted, 0.5) {
        Ok(welch) => one_sided(welch.difference.p, welch.difference.t, side),
        // Nothing varies, so any difference is exact.
        Err(Error::NoVariation) => 0.0,
        Err(_) => 1.0,
    }
}

fn one_sided(p: f64, direction: f64, side: Side) -> f64 {
    let expected = match side {
        Side::Less => direction < 0.0,
        _ => direction > 0.0,
    };
    if expected { 0.5 * p } else { 1.0 - 0.5 * p }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn p(a: &[f64], b: &[f64], side: Side) -> f64 {
        let strata = [Stratum::new(a, b)];
        let mut cache = NullCache::default();
        Evidence::new(&strata, None, Scale::Shift, &mut cache)
            .p(0.0, side)
            .unwrap()
    }

    #[test]
    fn few_runs_that_scatter_more_prove_no_more_than_coins() {
        let tight = [100.0, 100.1, 100.2, 99.9, 99.8, 100.0, 100.1, 99.9];
        // All of 4 are above: a coin does that once in 16. Welch's test, which sees how they scatter, says 0.080:
        let loose = [100.5, 104.0, 109.0, 101.0];
        let found = p(&tight, &loose, Side::Greater);
        // scipy.stats.ttest_ind(loose, tight, equal_var=False, alternative="greater")
        assert!((found - 0.0625).abs() < 1e-12, "{found}");
        assert!(p(&tight, &loose, Side::Less) > 0.9);
        // The same number that scatter alike: the gap proves it.
        let shifted = [103.0, 103.1, 103.2, 102.9];
        // scipy.stats.mannwhitneyu(shifted, tight, alternative="greater", method="exact")
        assert!((p(&tight, &shifted, Side::Greater) - 0.002_020_202).abs() < 1e-8);
        // Two of a side prove nothing, whatever the gap.
        assert!((p(&tight, &[200.0, 200.1], Side::Greater) - 0.25).abs() < 1e-12);
    }

    #[test]
    fn slow_runs_of_many_do_not_set_few_apart() {
        let few = [97.0, 99.69, 99.6];
        let main: Vec<f64> = (0..25).map(|run| 99.7 + 0.1 * f64::from(run % 7)).collect();
        let slow = [145.0, 146.0, 144.0, 145.5, 147.0];
        let all = [&main[..], &slow].concat();
        let strata = [Stratum::new(all, few)];
        let of_main = [Stratum::new(main, few)];
        let mut cache = NullCache::default();
        let mut p = |main| {
            Evidence::new(&strata, main, Scale::Ratio, &mut cache)
                .p(1.0, Side::Less)
                .unwrap()
        };
        let [blind, seeing] = [None, Some(&of_main[..])].map(&mut p);
        assert!(blind < 0.05, "{blind}");
        assert!(seeing > 0.1, "{seeing}");
    }

    #[test]
    fn loose_slow_runs_do_not_prove_what_coins_would() {
        // 12 of 13 loose runs of the main mode lie above the tight ones, and 2 are slow.
        let main: Vec<f64> = (0..12).map(|run| 101.0 + f64::from(run)).collect();
        let loose_main = [&main[..], &[90.0]].concat();
        let loose = [&loose_main[..], &[145.0, 147.0]].concat();
        let tight: Vec<f64> = (0..34).map(|run| 99.7 + 0.01 * f64::from(run)).collect();
        let slow = [144.0, 144.5, 145.5, 146.0, 146.5, 147.5];
        let strata = [Stratum::new(loose, [&tight[..], &slow].concat())];
        let of_main = [Stratum::new(loose_main, tight)];
        let mut cache = NullCache::default();
        let mut p = |main| {
            Evidence::new(&strata, main, Scale::Ratio, &mut cache)
                .p(1.0, Side::Less)
                .unwrap()
        };
        let [blind, seeing] = [None, Some(&of_main[..])].map(&mut p);
        // Of 13 coins, at least 12 show heads 14 times in 8192.
        let coins = 14.0 / 8192.0;
        assert!(blind < 0.5 * coins, "{blind}");
        assert!(seeing >= 0.99 * coins, "{seeing}");
    }

    #[test]
    fn thousands_of_runs_take_no_longer_than_dozens() {
        let few: Vec<f64> = (0..50).map(|run| 1000.5 + f64::from(run)).collect();
        let many: Vec<f64> = (0..20_000).map(|run| f64::from(run % 2000)).collect();
        let found = p(&many, &few, Side::Greater);
        assert!((0.1..0.9).contains(&found), "{found}");
        let moved: Vec<f64> = few.iter().map(|value| value + 800.0).collect();
        assert!(p(&many, &moved, Side::Greater) < 1e-6);
    }

    #[test]
    fn ranks_alone_prove_no_more_than_one_in_a_hundred() {
        // Six above nine, none of them known to scatter more: ranks say 1 / 5005, coins 1 / 64.
        let nine: Vec<f64> = (0..9).map(|run| 98.6 + 0.35 * f64::from(run)).collect();
        let six = [101.6, 101.7, 103.0, 104.2, 106.5, 101.9];
        let found = p(&nine, &six, Side::Greater);
        // scipy.stats.ttest_ind(six, nine, equal_var=False, alternative="greater")
        assert!((found - 0.004_035_041_397).abs() < 1e-9, "{found}");
        // Of wider ones, neither the signs nor the gap prove as much as ranks do alone.
        let wider = [101.45, 101.5, 103.0, 101.6, 112.0, 101.55];
        let found = p(&nine, &wider, Side::Greater);
        assert!((found - TAIL).abs() < 1e-12, "{found}");
    }

    #[test]
    fn the_interval_leaves_out_what_the_test_excludes() {
        let strata = [Stratum::new(
            [100.0, 100.1, 100.2, 99.9, 99.8, 100.0, 100.1, 99.9],
            [104.0, 108.0, 103.0, 110.0, 105.0, 101.0, 107.0],
        )];
        let mut cache = NullCache::default();
        let found = crate::location::hodges_lehmann(&strata, Scale::Ratio, 0.95).unwrap();
        let mut evidence = Evidence::new(&strata, None, Scale::Ratio, &mut cache);
        let width = (found.high / found.low).ln();
        let mut end = |end, side| evidence.end(end, width, side, 0.95).unwrap();
        let (low, high) = (end(found.low, Side::Greater), end(found.high, Side::Less));
        assert!(low <= found.low && high >= found.high);
        for (end, side, outward) in [(low, Side::Greater, -1.0), (high, Side::Less, 1.0)] {
            let beyond = end * (1.0 + outward * 1e-6);
            assert!(evidence.p(beyond, side).unwrap() <= 0.025);
            let within = end * (1.0 - outward * 1e-6);
            assert!(evidence.p(within, side).unwrap() > 0.025);
        }
    }
}
