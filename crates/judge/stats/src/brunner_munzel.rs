//! Does a run of one side tend to be larger, when the sides may vary differently?
//!
//! The guard beside [`crate::location`]: where the spreads differ, the Mann-Whitney test claims
//! too much, this one does not. The effect is `P(a < b) + P(a = b) / 2`, one half if neither side
//! tends to be larger. The t approximation is too liberal below ten runs per side: use
//! [`brunner_munzel_permutation`] there.
//!
//! Source: Brunner and Munzel, *Biometrical Journal* 42 (2000) 17; permutation form: Neubert and
//! Brunner, *Computational Statistics & Data Analysis* 51 (2007) 5192.

mod arrangement;
mod permutation;

pub use permutation::brunner_munzel_permutation;

use crate::distribution::t_two_sided;
use crate::{Error, check};
use arrangement::{Groups, Placements};

/// Outcome of the Brunner-Munzel test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum BrunnerMunzel {
    /// The usual case.
    Defined {
        /// The statistic; positive if the candidate tends to be larger.
        statistic: f64,
        /// Degrees of freedom of the t approximation.
        df: f64,
        /// Two-sided p-value by the t approximation.
        p: f64,
        /// Estimate of `P(a < b) + P(a = b) / 2`.
        effect: f64,
    },
    /// The estimated variance is zero, so the statistic does not exist: the samples do not
    /// overlap (effect 0 or 1), or all values are equal (effect one half). Samples that do not
    /// overlap differ exactly if the Mann-Whitney test says so.
    Degenerate {
        /// `P(a < b) + P(a = b) / 2` in the samples.
        effect: f64,
    },
}

/// Brunner-Munzel test by the t approximation; at least two runs per side.
pub fn brunner_munzel(a: &[f64], b: &[f64]) -> Result<BrunnerMunzel, Error> {
    check::sample("baseline", a, 2)?;
    check::sample("candidate", b, 2)?;
    let (groups, labels) = Groups::of(a, b);
    let placements = groups.placements(&labels);
    let effect = placements.effect();
    Ok(match placements.statistic() {
        Some((statistic, df)) => BrunnerMunzel::Defined {
            statistic,
            df,
            p: t_two_sided(statistic, df),
            effect,
        },
        None => BrunnerMunzel::Degenerate { effect },
    })
}

/// The size of the statistic for comparisons between arrangements: infinite where it does not
/// exist because the samples do not overlap, zero where all values are equal.
fn size(placements: &Placements) -> f64 {
    match placements.statistic() {
        Some((statistic, _)) => statistic.abs(),
        None if placements.effect() == 0.5 => 0.0,
        None => f64::INFINITY,
    }
}
