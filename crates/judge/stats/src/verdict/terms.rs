//! What to compare, how sure to be, and which differences do not matter.

use super::comparison::Answer;
use crate::better::Better;
use crate::bounds::Bounds;
use crate::error::Error;
use crate::location::Scale;

/// Relative difference that may be due to how values and margins are rounded.
const ROUNDING: f64 = 1e-9;

/// What to compare, and how sure to be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Terms {
    /// Which way is better.
    pub better: Better,
    /// Confidence level, as 0.95.
    pub confidence: f64,
    /// Largest relative difference that does not matter, as 0.01; declared before measuring.
    pub margin: Option<f64>,
    /// Whether the runs of a block were executed in turns.
    pub in_turns: bool,
}

impl Terms {
    /// The margin, where it makes sense: on a scale without ratios a relative one does not.
    ///
    /// Its ends are drawn in by [`ROUNDING`], so that what lies at an end, but for how its digits are rounded, is
    /// never within.
    pub(crate) fn bounds(&self, scale: Scale) -> Result<Option<Bounds>, Error> {
        match (scale, self.margin) {
            (Scale::Ratio, Some(margin)) => {
                // However narrow the margin is, half of it is left.
                let inward = ROUNDING.min(0.5 * margin);
                let high = (1.0 + margin) * (1.0 - inward);
                Bounds::new(scale, high.recip(), high).map(Some)
            }
            _ => Ok(None),
        }
    }
}

/// What is proven the same has its interval within the margin. The ends of an interval are found with checks that the
/// p-value of sameness may lack, so that they lie a little outside now and then.
pub(crate) fn same_within(answer: Answer, terms: &Terms, scale: Scale) -> Result<Answer, Error> {
    let (Some(p_same), Some(bounds)) = (answer.p_same, terms.bounds(scale)?) else {
        return Ok(answer);
    };
    let none = scale.none();
    let is_within = answer.low + none > bounds.low() && answer.high + none < bounds.high();
    let unproven = (1.0 - terms.confidence).next_up();
    Ok(Answer {
        p_same: Some(match is_within {
            true => p_same,
            false => p_same.max(unproven),
        }),
        ..answer
    })
}

/// The p-value of sameness for the larger one of two one-sided tests at the ends of the margin.
///
/// It is doubled, so that the sides are proven the same where the two-sided interval, which the
/// reader sees, lies within the margin.
pub(crate) fn two_sided(larger: f64) -> f64 {
    (2.0 * larger).min(1.0)
}
