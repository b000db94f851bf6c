//! Are they the same, within a margin?
//!
//! A difference that was not proven is no proof of sameness. Two one-sided tests (Schuirmann,
//! *Journal of Pharmacokinetics and Biopharmaceutics* 15, 1987) prove it: the effect is shown to
//! lie above the lower bound and below the upper one. The bounds are declared before measuring.

use crate::distribution::t_upper_tail;
use crate::location::{LocationTest, Scale, Side, hodges_lehmann, location_test};
use crate::mean::{MeanDifference, student, welch};
use crate::{Error, Stratum, check};

/// Effects that count as the same: those strictly between two bounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    low: f64,
    high: f64,
}

impl Bounds {
    /// Bounds of an effect on a scale; "no difference" must lie between them.
    pub fn new(scale: Scale, low: f64, high: f64) -> Result<Self, Error> {
        let none = scale.none();
        let above = if scale == Scale::Ratio {
            0.0
        } else {
            f64::NEG_INFINITY
        };
        if above < low && low < none && none < high && high < f64::INFINITY {
            Ok(Self { low, high })
        } else {
            Err(Error::Bounds { low, high, none })
        }
    }

    /// Ratios from `1 / (1 + margin)` to `1 + margin`: the same whichever side is the baseline.
    pub fn ratio(margin: f64) -> Result<Self, Error> {
        Self::new(Scale::Ratio, 1.0 / (1.0 + margin), 1.0 + margin)
    }

    /// Differences of less than `margin` either way.
    pub fn shift(margin: f64) -> Result<Self, Error> {
        Self::new(Scale::Shift, -margin, margin)
    }

    /// Lower bound.
    pub fn low(self) -> f64 {
        self.low
    }

    /// Upper bound.
    pub fn high(self) -> f64 {
        self.high
    }
}

/// Result of two one-sided tests.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Equivalence {
    /// p-value of "the effect is at or below the lower bound".
    pub p_lower: f64,
    /// p-value of "the effect is at or above the upper bound".
    pub p_upper: f64,
    /// Estimate of the effect.
    pub effect: f64,
    /// Lower end of the interval at confidence `1 - 2 level`: no effect below it is possible.
    pub low: f64,
    /// Upper end of that interval.
    pub high: f64,
    /// The level: the chance of calling the same what is not, at most.
    pub level: f64,
}

impl Equivalence {
    /// p-value of "not the same".
    pub fn p(&self) -> f64 {
        self.p_lower.max(self.p_upper)
    }

    /// Whether sameness within the bounds is proven.
    pub fn is_proven(&self) -> bool {
        self.p() <= self.level
    }
}

/// How the variances of two samples are estimated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variances {
    /// One for both (Student).
    Pooled,
    /// One for each (Welch).
    Separate,
}

/// Sameness of two means within differences `bounds`, in the unit of the values; 0 < level < 1/2.
pub fn tost_means(
    a: &[f64],
    b: &[f64],
    bounds: Bounds,
    variances: Variances,
    level: f64,
) -> Result<Equivalence, Error> {
    check::between("level", level, 0.0, 0.5)?;
    let confidence = 1.0 - 2.0 * level;
    let difference = match variances {
        Variances::Pooled => student(a, b, confidence)?,
        Variances::Separate => welch(a, b, confidence)?,
    };
    Ok(tost_difference(&difference, bounds, level))
}

/// Two one-sided t tests on a difference whose interval is at confidence `1 - 2 level`.
fn tost_difference(d: &MeanDifference, bounds: Bounds, level: f64) -> Equivalence {
    let t = |bound: f64| (d.difference - bound) / d.standard_error;
    Equivalence {
        p_lower: t_upper_tail(t(bounds.low), d.df),
        p_upper: t_upper_tail(-t(bounds.high), d.df),
        effect: d.difference,
        low: d.low,
        high: d.high,
        level,
    }
}

/// Sameness of a typical run within `bounds`, by the tests of [`crate::location`];
/// 0 < level < 1/2.
pub fn tost_location(
    strata: &[Stratum],
    scale: Scale,
    bounds: Bounds,
    level: f64,
) -> Result<Equivalence, Error> {
    check::between("level", level, 0.0, 0.5)?;
    // Bounds made for the other scale must not slip through.
    let bounds = Bounds::new(scale, bounds.low, bounds.high)?;
    let test =
        |bound, side| -> Result<LocationTest, Error> { location_test(strata, scale, bound, side) };
    let location = hodges_lehmann(strata, scale, 1.0 - 2.0 * level)?;
    Ok(Equivalence {
        p_lower: test(bounds.low, Side::Greater)?.p,
        p_upper: test(bounds.high, Side::Less)?.p,
        effect: location.effect,
        low: location.low,
        high: location.high,
        level,
    })
}
