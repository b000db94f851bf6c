//! What the typical run does, with its robustness checks.

use super::comparison::{Answer, Least, Warning};
use super::evidence::Evidence;
use super::terms::{Terms, two_sided};
use crate::error::Error;
use crate::location::{
    Location, NullCache, Scale, Side, hodges_lehmann_with, min_blocks, spread_interval,
};
use crate::steps::Rounding;
use crate::stratum::Stratum;

/// Relative differences below this are rounding errors of the quotient of two numbers.
const ROUNDING_ERROR: f64 = 1e-14;

/// The runs of both sides, as the typical run sees them.
pub(super) struct Typical<'a> {
    pub(super) strata: &'a [Stratum],
    /// Those of the main mode, where there is another.
    pub(super) main_runs: Option<&'a [Stratum]>,
    pub(super) scale: Scale,
    pub(super) rounding: Rounding,
}

impl Typical<'_> {
    pub(super) fn answer(
        &self,
        terms: &Terms,
        cache: &mut NullCache,
        warnings: &mut Vec<Warning>,
    ) -> Result<Answer, Error> {
        let (strata, scale, rounding) = (self.strata, self.scale, &self.rounding);
        let none = scale.none();
        let location = hodges_lehmann_with(cache, strata, scale, terms.confidence)?;
        let alpha = 1.0 - terms.confidence;
        let mut evidence = Evidence::new(strata, self.main_runs, scale, cache);
        let checked = evidence.checked_two_sided(none)?;
        if location.p <= alpha && checked > location.p {
            let in_all_modes = evidence.checked_in_all_modes(none);
            let is_of_all_modes = in_all_modes > alpha || in_all_modes >= checked;
            warnings.push(match is_of_all_modes {
                true => Warning::NotConfirmed { first: location.p },
                false => Warning::SlowRunsAlone { first: location.p },
            });
        }
        if location.k.is_none() {
            let most = strata
                .iter()
                .map(|stratum| stratum.a.len().min(stratum.b.len()))
                .max();
            let blocks = min_blocks(most.unwrap_or(1).max(1), terms.confidence)?;
            warnings.push(Warning::TooFew { blocks });
        }
        let values = || strata.iter().flat_map(|s| s.a.iter().chain(&s.b));
        // One run of each side cannot show whether it varies.
        if values().count() > 2 && values().is_sorted_by(|a, b| a == b) {
            warnings.push(Warning::Exact);
        }
        let p_same = match terms.bounds(scale)? {
            None => None,
            Some(bounds) => {
                let inward = rounding.of_moved_ranks();
                let above = evidence.p(scale.moved(bounds.low(), inward), Side::Greater)?;
                let below = evidence.p(scale.moved(bounds.high(), -inward), Side::Less)?;
                Some(two_sided(above.max(below)))
            }
        };
        let mut p = location.p.max(checked);
        let beyond = rounding.of_ranks();
        if beyond > 0.0 {
            let above = evidence.p(scale.moved(none, beyond), Side::Greater)?;
            let below = evidence.p(scale.moved(none, -beyond), Side::Less)?;
            p = p.max(two_sided(above.min(below)));
        }
        let (mut low, mut high) = scale.limits();
        if location.k.is_some() {
            let width = match scale {
                Scale::Ratio => (location.high / location.low).ln(),
                Scale::Shift => location.high - location.low,
            };
            let mut end = |end, side| evidence.end(end, width, side, terms.confidence);
            low = end(location.low, Side::Greater)?;
            high = end(location.high, Side::Less)?;
            if rounding.is_any() {
                let is_proven = (p <= alpha).then_some(location.effect - none);
                (low, high) = self.widened(&location, (low, high), is_proven)?;
            }
            if (low, high) == scale.limits()
                && let Some(blocks) = blocks_for_check(strata, alpha)
            {
                warnings.push(Warning::TooFew { blocks });
            }
        }
        // Quotients of equal values may differ from 1 in their last digit.
        let exact = |effect: f64| match scale {
            Scale::Ratio if (effect - none).abs() < ROUNDING_ERROR => 0.0,
            _ => effect - none,
        };
        Ok(Answer {
            difference: location.effect - none,
            low: if low > scale.limits().0 {
                exact(low)
            } else {
                f64::NEG_INFINITY
            },
            high: exact(high),
            p,
            p_same,
        })
    }

    /// The ends of the interval, moved outwards by what steps hide, but never by more than a step: no two runs are
    /// further off. They leave out no difference where a difference is proven, and only there.
    fn widened(
        &self,
        location: &Location,
        (low, high): (f64, f64),
        proven: Option<f64>,
    ) -> Result<(f64, f64), Error> {
        let Rounding { step, typical, .. } = self.rounding;
        let scale = self.scale;
        let (spread_low, spread_high) = spread_interval(self.strata, scale, location, step)?;
        let outward = |spread: f64| {
            let out = typical + spread.max(0.0);
            if step > 0.0 { out.min(step) } else { out }
        };
        let below = outward(scale.on_line(location.low) - spread_low);
        let above = outward(spread_high - scale.on_line(location.high));
        let (low, high) = (scale.moved(low, -below), scale.moved(high, above));
        let none = scale.none();
        Ok(match proven {
            Some(difference) if difference > 0.0 => (low.max(none), high),
            Some(difference) if difference < 0.0 => (low, high.min(none)),
            _ => (low.min(none), high.max(none)),
        })
    }
}

/// Blocks like these with which the side that has fewer runs has enough for the check of [`super::evidence`], whose
/// p-value is never below `2^(1 - runs)`; nothing where it has them.
fn blocks_for_check(strata: &[Stratum], alpha: f64) -> Option<usize> {
    let of = |side: fn(&Stratum) -> &Vec<f64>| strata.iter().map(|one| side(one).len()).sum();
    let fewer: usize = usize::min(of(|one| &one.a), of(|one| &one.b));
    let needed = 1 + (-alpha.log2()).ceil() as usize;
    let of_block = fewer.div_ceil(strata.len().max(1)).max(1);
    (fewer < needed).then(|| needed.div_ceil(of_block))
}

/// What the design of these blocks can prove at most.
pub(crate) fn least(strata: &[Stratum]) -> Least {
    let usable = || strata.iter().filter(|stratum| stratum.has_pairs());
    let ln_arrangements: f64 = usable()
        .map(|stratum| {
            let (n, m) = (stratum.a.len(), stratum.b.len());
            (1..=n)
                .map(|i| ((m + i) as f64 / i as f64).ln())
                .sum::<f64>()
        })
        .sum();
    Least {
        p: (2.0 * (-ln_arrangements).exp()).min(1.0),
        blocks: usable().count(),
    }
}
