//! What the typical run does, with its robustness checks.

use super::comparison::{Answer, Least, Warning};
use super::evidence::Evidence;
use super::terms::{Terms, two_sided};
use crate::error::Error;
use crate::location::{NullCache, Scale, Side, hodges_lehmann_with, min_blocks};
use crate::stratum::Stratum;

pub(super) fn typical(
    strata: &[Stratum],
    main_runs: Option<&[Stratum]>,
    scale: Scale,
    terms: &Terms,
    cache: &mut NullCache,
    warnings: &mut Vec<Warning>,
) -> Result<Answer, Error> {
    let location = hodges_lehmann_with(cache, strata, scale, terms.confidence)?;
    let alpha = 1.0 - terms.confidence;
    let mut evidence = Evidence::new(strata, main_runs, scale, cache);
    let checked = evidence.checked_two_sided(scale.none())?;
    if location.p <= alpha && checked > location.p {
        let in_all_modes = evidence.checked_in_all_modes(scale.none());
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
            let above = evidence.p(bounds.low(), Side::Greater)?;
            let below = evidence.p(bounds.high(), Side::Less)?;
            Some(two_sided(above.max(below)))
        }
    };
    let none = scale.none();
    let (low, high) = if location.k.is_some() {
        let width = match scale {
            Scale::Ratio => (location.high / location.low).ln(),
            Scale::Shift => location.high - location.low,
        };
        let mut end = |end, side| evidence.end(end, width, side, terms.confidence);
        (
            end(location.low, Side::Greater)?,
            end(location.high, Side::Less)?,
        )
    } else {
        (scale.limits().0, location.high)
    };
    Ok(Answer {
        difference: location.effect - none,
        low: if low > scale.limits().0 {
            low - none
        } else {
            f64::NEG_INFINITY
        },
        high: high - none,
        p: location.p.max(checked),
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
