//! What the typical run does, with the guard.

use super::{Answer, Least, Terms, Warning, two_sided};
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
            Some(two_sided(above.max(below)))
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
