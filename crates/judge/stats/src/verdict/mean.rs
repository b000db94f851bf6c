//! What runs cost in the mean.

use super::comparison::{Answer, Warning};
use super::estimate::Estimate;
use super::permutation::PermutationCheck;
use super::terms::{Terms, two_sided};
use super::typical::least;
use super::uneven::runs as numbers;
use crate::blocked_mean::{BlockedMean, blocked_additive, blocked_welch, weighted_means};
use crate::error::Error;
use crate::location::{Scale, Side};
use crate::stratum::Stratum;
use crate::summary::mean as average_of;

/// Largest p-value with which the check is made, but for reports that prove with a larger one.
const WORTH_CHECKING: f64 = 0.2;

/// Farthest that the logarithm of a ratio is looked for beyond the end: a factor of 150 says no more than no end.
const FARTHEST: f64 = 5.0;

/// The same of a shift, in halves of the interval. Values that are much further apart than they scatter also lose the
/// digits by which the check tells whether they scatter.
const FARTHEST_HALVES: f64 = 1000.0;

/// Doublings of a quarter of an interval's half before it is taken to have no end, and halvings to find that end.
const DOUBLINGS: i32 = 30;
const HALVINGS: usize = 8;

/// The runs of both sides, as the mean sees them.
#[derive(Clone, Copy)]
pub(super) struct Average<'a> {
    pub(super) strata: &'a [Stratum],
    pub(super) scale: Scale,
    /// How far steps of the values may move the difference, on the line where a ratio is a shift.
    pub(super) rounding: f64,
}

pub(super) fn mean(
    runs: Average<'_>,
    terms: &Terms,
    typical: &Answer,
    warnings: &mut Vec<Warning>,
) -> Result<Answer, Error> {
    let Average { strata, scale, .. } = runs;
    let (mean_of_a, _, shift) = weighted_means(strata, terms.confidence)?;
    let difference = match scale {
        Scale::Ratio => shift / mean_of_a,
        Scale::Shift => shift,
    };
    let [of_a, of_b] = numbers(strata);
    match blocked(strata, terms.confidence) {
        // A mean without a deviation of its own proves nothing.
        _ if of_a.min(of_b) < 2 => unproven(difference, scale, terms),
        Err(Error::TooFew { .. }) => unproven(difference, scale, terms),
        Err(Error::NoVariation) => Ok(exactly(difference, runs, terms, typical)),
        Err(error) => Err(error),
        Ok(blocked) => Means::of(runs, terms)?.answer(&blocked, warnings),
    }
}

/// A difference of which nothing is known but itself.
fn unproven(difference: f64, scale: Scale, terms: &Terms) -> Result<Answer, Error> {
    Ok(Answer {
        difference,
        low: f64::NEG_INFINITY,
        high: f64::INFINITY,
        p: 1.0,
        p_same: terms.bounds(scale)?.map(|_| 1.0),
    })
}

/// Nothing varies within blocks: any difference is exact, and the exact test knows what it is worth, if it is about the
/// same direction. There is an interval, of no width but for steps, where that test can tell.
fn exactly(difference: f64, runs: Average<'_>, terms: &Terms, typical: &Answer) -> Answer {
    let Average {
        strata,
        scale,
        rounding,
    } = runs;
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
    let mut estimate = Estimate {
        difference,
        low: f64::NEG_INFINITY,
        high: f64::INFINITY,
    };
    if p_of_exact <= 1.0 - terms.confidence {
        (estimate.low, estimate.high) = (difference, difference);
        if rounding > 0.0 {
            estimate.widen(scale, rounding);
            estimate.agree(p <= 1.0 - terms.confidence);
        }
    }
    Answer {
        difference,
        low: estimate.low,
        high: estimate.high,
        p,
        p_same: match is_equal || is_about_it {
            true => typical.p_same,
            false => typical.p_same.map(|_| 1.0),
        },
    }
}

/// The ends of a margin, as differences, with the one-sided p-values that the mean is not within each.
struct Margin {
    low: f64,
    high: f64,
    p_low: f64,
    p_high: f64,
}

/// The means of both sides, with the check that Welch's test needs where the numbers of runs are uneven.
struct Means<'a> {
    strata: &'a [Stratum],
    scale: Scale,
    rounding: f64,
    terms: &'a Terms,
    check: Option<PermutationCheck>,
}

impl<'a> Means<'a> {
    fn of(runs: Average<'a>, terms: &'a Terms) -> Result<Self, Error> {
        let Average {
            strata,
            scale,
            rounding,
        } = runs;
        Ok(Self {
            strata,
            scale,
            rounding,
            terms,
            check: PermutationCheck::of(strata)?,
        })
    }

    fn answer(
        &mut self,
        blocked: &BlockedMean,
        warnings: &mut Vec<Warning>,
    ) -> Result<Answer, Error> {
        let margin = self.margin()?;
        let mut estimate = Estimate::of(blocked, self.scale, warnings);
        self.widen(&mut estimate);
        let mut p = self.checked(blocked.difference.p, self.strata);
        if self.rounding > 0.0 {
            estimate.widen(self.scale, self.rounding);
            let none = self.scale.none();
            let above = self.beyond(self.scale.moved(none, self.rounding), Side::Greater)?;
            let below = self.beyond(self.scale.moved(none, -self.rounding), Side::Less)?;
            p = p.max(two_sided(above.min(below)));
        }
        self.agree(&mut estimate, p, margin.as_ref());
        let Estimate {
            difference,
            low,
            high,
        } = estimate;
        Ok(Answer {
            difference,
            low,
            high,
            p,
            p_same: margin.map(|margin| {
                // Without an end there is no interval within the margin.
                match low.is_finite() && high.is_finite() {
                    true => two_sided(margin.p_low.max(margin.p_high)),
                    false => 1.0,
                }
            }),
        })
    }

    /// What is known of the margin, where there is one.
    fn margin(&mut self) -> Result<Option<Margin>, Error> {
        let Some(bounds) = self.terms.bounds(self.scale)? else {
            return Ok(None);
        };
        Ok(Some(Margin {
            low: bounds.low() - 1.0,
            high: bounds.high() - 1.0,
            p_low: self.beyond(self.scale.moved(bounds.low(), self.rounding), Side::Greater)?,
            p_high: self.beyond(self.scale.moved(bounds.high(), -self.rounding), Side::Less)?,
        }))
    }

    /// One-sided p-value of "the difference of means is beyond this effect", by comparing the candidate with the
    /// baseline that has it (for ratios Fieller's device).
    fn beyond(&mut self, effect: f64, side: Side) -> Result<f64, Error> {
        let scaled = moved(self.strata, |value| match self.scale {
            Scale::Ratio => value * effect,
            Scale::Shift => value + effect,
        });
        let difference = blocked(&scaled, self.terms.confidence)?.difference;
        let expected = match side {
            Side::Greater => difference.t > 0.0,
            _ => difference.t < 0.0,
        };
        Ok(if expected {
            self.checked(difference.p, &scaled) / 2.0
        } else {
            1.0 - difference.p / 2.0
        })
    }

    /// The p-value, or a larger one where the check says so. It is made only where it can change a verdict.
    fn checked(&mut self, p: f64, strata: &[Stratum]) -> f64 {
        match &mut self.check {
            Some(check) if p <= WORTH_CHECKING.max(1.0 - self.terms.confidence) => {
                check.p(strata).map_or(p, |other| p.max(other))
            }
            _ => p,
        }
    }

    /// Moves the ends outwards to what the check excludes as well.
    fn widen(&mut self, estimate: &mut Estimate) {
        if self.check.is_some() {
            let difference = estimate.difference;
            estimate.low = self.widened(difference, estimate.low, -1.0);
            estimate.high = self.widened(difference, estimate.high, 1.0);
        }
    }

    /// An end of Welch's interval, or further out where the check does not exclude what is beyond it; infinite where it
    /// excludes nothing.
    fn widened(&mut self, difference: f64, end: f64, outward: f64) -> f64 {
        // Differences, on the line where a ratio is a shift.
        let scale = self.scale;
        let to_line = |difference: f64| match scale {
            Scale::Ratio => difference.ln_1p(),
            Scale::Shift => difference,
        };
        let from = to_line(end);
        let width = (from - to_line(difference)).abs().max(1e-9 * from.abs());
        if !from.is_finite() || !width.is_finite() {
            return end;
        }
        if self.is_excluded(from) {
            return end;
        }
        let (mut inside, mut outside) = (from, from);
        let farthest = match scale {
            Scale::Ratio => FARTHEST,
            Scale::Shift => FARTHEST_HALVES * width,
        };
        for doubling in 0..=DOUBLINGS {
            let step = width * 0.25 * f64::from(doubling).exp2();
            if doubling == DOUBLINGS || step > farthest {
                return outward * f64::INFINITY;
            }
            (inside, outside) = (outside, from + outward * step);
            if self.is_excluded(outside) {
                break;
            }
        }
        for _ in 0..HALVINGS {
            let middle = 0.5 * (inside + outside);
            match self.is_excluded(middle) {
                true => outside = middle,
                false => inside = middle,
            }
        }
        match scale {
            Scale::Ratio => outside.exp_m1(),
            Scale::Shift => outside,
        }
    }

    /// Whether the check excludes a difference, on the line where a ratio is a shift.
    fn is_excluded(&mut self, at: f64) -> bool {
        let Some(check) = &mut self.check else {
            return true;
        };
        let moved = match self.scale {
            Scale::Ratio => moved(self.strata, |value| value * at.exp()),
            Scale::Shift => moved(self.strata, |value| value + at),
        };
        check.excludes(&moved, 1.0 - self.terms.confidence)
    }

    /// Lets the ends say what the p-values say, as the ends of the check are found less exactly.
    fn agree(&self, estimate: &mut Estimate, p: f64, margin: Option<&Margin>) {
        if let Some(margin) = margin {
            let level = 0.5 * (1.0 - self.terms.confidence);
            if margin.p_low <= level && estimate.low.is_finite() {
                estimate.low = estimate.low.max(margin.low);
            }
            if margin.p_high <= level && estimate.high.is_finite() {
                estimate.high = estimate.high.min(margin.high);
            }
        }
        if self.check.is_some() || self.rounding > 0.0 {
            estimate.agree(p <= 1.0 - self.terms.confidence);
        }
    }
}

/// The strata with the baseline's values moved.
fn moved(strata: &[Stratum], to: impl Fn(f64) -> f64) -> Vec<Stratum> {
    let moved = |stratum: &Stratum| {
        let baseline: Vec<f64> = stratum.a.iter().map(|value| to(*value)).collect();
        Stratum::new(baseline, stratum.b.clone())
    };
    strata.iter().map(moved).collect()
}

/// The means within blocks, each side with its own variance where blocks hold more than one run of
/// it. Else every block is one pair of means: their differences have one variance, whatever those of
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
