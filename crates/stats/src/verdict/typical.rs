//! What the typical run does, with the guard; and what the runs could have shown of it.

use super::{Answer, DETECTABLE_POWER, Terms, Warning};
use crate::detectable::from_half_width;
use crate::guard::guard;
use crate::location::{
    NullCache, Scale, Side, hodges_lehmann_with, location_test_with, min_blocks,
};
use crate::{Error, Stratum};

pub(super) fn typical(
    strata: &[Stratum],
    scale: Scale,
    terms: &Terms,
    cache: &mut NullCache,
    warnings: &mut Vec<Warning>,
) -> Result<Answer, Error> {
    let location = hodges_lehmann_with(cache, strata, scale, terms.confidence)?;
    let alpha = 1.0 - terms.confidence;
    let guarded = guard(strata).map_or(0.0, |guard| guard.p);
    if location.p <= alpha && guarded > alpha {
        warnings.push(Warning::Guarded);
    }
    if location.k.is_none() {
        let most = strata
            .iter()
            .map(|stratum| stratum.a.len().min(stratum.b.len()))
            .max();
        let blocks = min_blocks(most.unwrap_or(1).max(1), terms.confidence)?;
        warnings.push(Warning::TooFew { blocks });
    }
    if strata
        .iter()
        .flat_map(|s| s.a.iter().chain(&s.b))
        .is_sorted_by(|a, b| a == b)
    {
        warnings.push(Warning::Exact);
    }
    let p_same = match terms.bounds(scale)? {
        None => None,
        Some(bounds) => {
            let above = location_test_with(cache, strata, scale, bounds.low(), Side::Greater)?.p;
            let below = location_test_with(cache, strata, scale, bounds.high(), Side::Less)?.p;
            Some(above.max(below))
        }
    };
    let none = scale.none();
    Ok(Answer {
        difference: location.effect - none,
        low: if location.k.is_some() {
            location.low - none
        } else {
            f64::NEG_INFINITY
        },
        high: location.high - none,
        p: location.p.max(guarded),
        p_same,
    })
}

/// From the width of the interval, which is what the noise left of it: no power is computed from
/// the difference that was observed.
pub(super) fn detectable(typical: &Answer, relative: bool, terms: &Terms) -> Option<f64> {
    let half_width = if relative {
        (typical.high.ln_1p() - typical.low.ln_1p()) / 2.0
    } else {
        (typical.high - typical.low) / 2.0
    };
    let smallest = from_half_width(half_width, terms.confidence, DETECTABLE_POWER).ok()?;
    let smallest = if relative {
        smallest.exp_m1()
    } else {
        smallest
    };
    smallest.is_finite().then_some(smallest)
}
