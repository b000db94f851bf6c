//! What runs cost in the mean.

use super::rearranged::Guard;
use super::{Answer, Terms, Warning, least, two_sided};
use crate::blocked_mean::{BlockedMean, blocked_additive, blocked_welch, weighted_means};
use crate::location::{Scale, Side};
use crate::ratio_of_means::RatioInterval;
use crate::summary::mean as average_of;
use crate::{Error, Stratum};

/// Largest p-value that can become a verdict at any confidence in use.
const WORTH_GUARDING: f64 = 0.2;

/// Farthest that the logarithm of a ratio is looked for beyond the end: a factor of 150 says no more than no end.
const FARTHEST: f64 = 5.0;

/// Doublings of a quarter of an interval's half before it is taken to have no end, and halvings to find that end.
const DOUBLINGS: i32 = 30;
const HALVINGS: usize = 8;

pub(super) fn mean(
    strata: &[Stratum],
    scale: Scale,
    terms: &Terms,
    typical: &Answer,
    warnings: &mut Vec<Warning>,
) -> Result<Answer, Error> {
    let usable = || strata.iter().filter(|stratum| stratum.has_pairs());
    let runs_of_a: usize = usable().map(|stratum| stratum.a.len()).sum();
    let runs_of_b: usize = usable().map(|stratum| stratum.b.len()).sum();
    let (mean_of_a, _, shift) = weighted_means(strata, terms.confidence)?;
    let difference = match scale {
        Scale::Ratio => shift / mean_of_a,
        Scale::Shift => shift,
    };
    let estimate = if runs_of_a.min(runs_of_b) < 2 {
        None
    } else {
        match blocked(strata, terms.confidence) {
            Err(Error::TooFew { .. }) => None,
            other => Some(other),
        }
    };
    let blocked = match estimate {
        Some(Ok(blocked)) => blocked,
        Some(Err(Error::NoVariation)) => {
            return Ok(exactly(difference, strata, terms, typical));
        }
        Some(Err(error)) => return Err(error),
        // One run of a side: a mean without a spread of its own proves nothing.
        None => {
            return Ok(Answer {
                difference,
                low: f64::NEG_INFINITY,
                high: f64::INFINITY,
                p: 1.0,
                p_same: terms.bounds(scale)?.map(|_| 1.0),
            });
        }
    };
    let mut guard = Guard::of(strata)?;
    let within = match terms.bounds(scale)? {
        None => None,
        Some(bounds) => Some((
            bounds,
            beyond(
                strata,
                bounds.low(),
                terms.confidence,
                Side::Greater,
                &mut guard,
            )?,
            beyond(
                strata,
                bounds.high(),
                terms.confidence,
                Side::Less,
                &mut guard,
            )?,
        )),
    };
    let (difference, low, high) = match (scale, blocked.ratio) {
        (Scale::Ratio, Some(ratio)) => match ratio.interval {
            // Values that are all above zero have a mean above zero: nothing falls by more than all of it.
            RatioInterval::Bounded { low, high } => {
                (ratio.ratio - 1.0, (low - 1.0).max(-1.0), high - 1.0)
            }
            RatioInterval::Unbounded => {
                warnings.push(Warning::RatioUnbounded);
                (ratio.ratio - 1.0, f64::NEG_INFINITY, f64::INFINITY)
            }
        },
        (Scale::Ratio, None) => {
            warnings.push(Warning::RatioUnbounded);
            let ratio = blocked.difference.difference / blocked.difference.mean_a;
            (ratio, f64::NEG_INFINITY, f64::INFINITY)
        }
        (Scale::Shift, _) => (
            blocked.difference.difference,
            blocked.difference.low,
            blocked.difference.high,
        ),
    };
    let (mut low, mut high) = (low, high);
    if let Some(guard) = &mut guard {
        let mut end = |end: f64, outward: f64| {
            guarded_end(strata, scale, (difference, end), outward, terms, guard)
        };
        (low, high) = (end(low, -1.0), end(high, 1.0));
    }
    if let Some((bounds, above, below)) = within {
        // What is excluded at an end of the margin is outside of the interval, whose ends are found less exactly.
        let level = 0.5 * (1.0 - terms.confidence);
        if above <= level && low.is_finite() {
            low = low.max(bounds.low() - 1.0);
        }
        if below <= level && high.is_finite() {
            high = high.min(bounds.high() - 1.0);
        }
    }
    let p = guarded(blocked.difference.p, strata, &mut guard);
    if guard.is_some() {
        // The same goes for no difference.
        let is_excluded = p <= 1.0 - terms.confidence;
        (low, high) = match (is_excluded, difference > 0.0) {
            (true, true) => (low.max(0.0), high),
            (true, false) => (low, high.min(0.0)),
            (false, _) => (low.min(0.0), high.max(0.0)),
        };
    }
    Ok(Answer {
        difference,
        low,
        high,
        p,
        p_same: within.map(|(_, above, below)| {
            // Without an end there is no interval within the margin.
            let has_ends = low.is_finite() && high.is_finite();
            if has_ends {
                two_sided(above.max(below))
            } else {
                1.0
            }
        }),
    })
}

/// Nothing varies within blocks: any difference is exact, and the exact test knows what it is worth, if it is about the
/// same direction. There is an interval, of no width, where that test can tell.
fn exactly(difference: f64, strata: &[Stratum], terms: &Terms, typical: &Answer) -> Answer {
    let mut usable = strata.iter().filter(|stratum| stratum.has_pairs());
    let is_equal = usable.all(|stratum| {
        let mut values = stratum.a.iter().chain(&stratum.b);
        values.all(|value| Some(value) == stratum.a.first())
    });
    // Where the blocks differ in different directions, what most of them show may not be what their mean shows.
    let is_about_it = difference * typical.difference > 0.0;
    let (difference, p, p_of_exact) = match (is_equal, is_about_it) {
        // Means of equal values may differ in their last digits.
        (true, _) => (0.0, 1.0, least(strata).p),
        (false, true) => (difference, typical.p, typical.p),
        (false, false) => (difference, 1.0, 1.0),
    };
    let has_ends = p_of_exact <= 1.0 - terms.confidence;
    Answer {
        difference,
        low: if has_ends {
            difference
        } else {
            f64::NEG_INFINITY
        },
        high: if has_ends { difference } else { f64::INFINITY },
        p,
        p_same: match is_equal || is_about_it {
            true => typical.p_same,
            false => typical.p_same.map(|_| 1.0),
        },
    }
}

/// An end of Welch's interval, or further out where the guard does not exclude what is beyond it; infinite where it
/// excludes nothing.
fn guarded_end(
    strata: &[Stratum],
    scale: Scale,
    (estimate, end): (f64, f64),
    outward: f64,
    terms: &Terms,
    guard: &mut Guard,
) -> f64 {
    // Differences, on the line where a ratio is a shift.
    let to_line = |difference: f64| match scale {
        Scale::Ratio => difference.ln_1p(),
        Scale::Shift => difference,
    };
    let from = to_line(end);
    let width = (from - to_line(estimate)).abs().max(1e-9 * from.abs());
    if !from.is_finite() || !width.is_finite() {
        return end;
    }
    let mut is_excluded = |at: f64| {
        let moved: Vec<Stratum> = strata
            .iter()
            .map(|stratum| {
                let moved = stratum.a.iter().map(|value| match scale {
                    Scale::Ratio => value * at.exp(),
                    Scale::Shift => value + at,
                });
                Stratum::new(moved.collect::<Vec<_>>(), stratum.b.clone())
            })
            .collect();
        guard.excludes(&moved, 1.0 - terms.confidence)
    };
    if is_excluded(from) {
        return end;
    }
    let (mut inside, mut outside) = (from, from);
    let farthest = match scale {
        Scale::Ratio => FARTHEST,
        Scale::Shift => f64::INFINITY,
    };
    for doubling in 0..=DOUBLINGS {
        let step = width * 0.25 * f64::from(doubling).exp2();
        if doubling == DOUBLINGS || step > farthest {
            return outward * f64::INFINITY;
        }
        (inside, outside) = (outside, from + outward * step);
        if is_excluded(outside) {
            break;
        }
    }
    for _ in 0..HALVINGS {
        let middle = 0.5 * (inside + outside);
        match is_excluded(middle) {
            true => outside = middle,
            false => inside = middle,
        }
    }
    match scale {
        Scale::Ratio => outside.exp_m1(),
        Scale::Shift => outside,
    }
}

/// The means within blocks, each side with its own spread where blocks hold more than one run of
/// it. Else every block is one pair of means: their differences have one spread, whatever those of
/// the sides are.
fn blocked(strata: &[Stratum], confidence: f64) -> Result<BlockedMean, Error> {
    match blocked_welch(strata, confidence) {
        Err(Error::NoReplicates { .. }) => {
            let pairs: Result<Vec<Stratum>, Error> = strata
                .iter()
                .filter(|stratum| stratum.has_pairs())
                .map(|stratum| {
                    Ok(Stratum::new(
                        [average_of(&stratum.a)?],
                        [average_of(&stratum.b)?],
                    ))
                })
                .collect();
            blocked_additive(&pairs?, confidence)
        }
        other => other,
    }
}

/// One-sided p-value of "the ratio of means is beyond `ratio`", by comparing the candidate with
/// the baseline times that ratio (Fieller's device).
fn beyond(
    strata: &[Stratum],
    ratio: f64,
    confidence: f64,
    side: Side,
    guard: &mut Option<Guard>,
) -> Result<f64, Error> {
    let scaled: Vec<Stratum> = strata
        .iter()
        .map(|stratum| {
            let a: Vec<f64> = stratum.a.iter().map(|value| value * ratio).collect();
            Stratum::new(a, stratum.b.clone())
        })
        .collect();
    let difference = blocked(&scaled, confidence)?.difference;
    let expected = match side {
        Side::Greater => difference.t > 0.0,
        _ => difference.t < 0.0,
    };
    Ok(if expected {
        guarded(difference.p, &scaled, guard) / 2.0
    } else {
        1.0 - difference.p / 2.0
    })
}

/// The p-value, or a larger one where the numbers of runs are uneven and the guard says so. It is
/// asked only where it can change a verdict.
fn guarded(p: f64, strata: &[Stratum], guard: &mut Option<Guard>) -> f64 {
    match guard {
        Some(guard) if p <= WORTH_GUARDING => guard.p(strata).map_or(p, |other| p.max(other)),
        _ => p,
    }
}
