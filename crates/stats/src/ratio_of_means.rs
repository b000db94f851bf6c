//! By which factor does the mean differ?

use crate::distribution::t_upper_quantile;
use crate::mean::ErrorPart;
use crate::summary::raw_mean;
use crate::{Error, check};

/// Ratio of two means, `b / a`, with Fieller's interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RatioOfMeans {
    /// Mean of the candidate over mean of the baseline.
    pub ratio: f64,
    /// The confidence interval, if the runs bound the ratio at all.
    pub interval: RatioInterval,
    /// Squared half-width of the baseline's relative interval. From 1 on, the baseline's mean is
    /// not told apart from zero.
    pub g: f64,
}

/// Fieller's confidence set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RatioInterval {
    /// The usual case: an interval.
    Bounded {
        /// Lower end.
        low: f64,
        /// Upper end.
        high: f64,
    },
    /// The baseline's mean is not told apart from zero (`g >= 1`), so no finite interval holds
    /// the ratio with the confidence asked for.
    Unbounded,
}

/// Ratio of the means of two independent samples, `df = n + m - 2`; at least two runs per side.
///
/// Unlike a relative error that only divides by the baseline's mean, the interval takes the
/// uncertainty of that mean into account (Fieller, *Journal of the Royal Statistical Society B*
/// 16, 1954).
///
/// # Errors
/// Unusable or too few values; [`Error::NoVariation`] if no value differs from its side's mean;
/// [`Error::Setting`] if the baseline's mean is zero.
pub fn ratio_of_means(a: &[f64], b: &[f64], confidence: f64) -> Result<RatioOfMeans, Error> {
    check::probability("confidence", confidence)?;
    check::sample("baseline", a, 2)?;
    check::sample("candidate", b, 2)?;
    let (error_a, error_b) = (ErrorPart::of_mean(a), ErrorPart::of_mean(b));
    if error_a.squared + error_b.squared == 0.0 {
        return Err(Error::NoVariation);
    }
    fieller(
        (raw_mean(a), error_a.squared),
        (raw_mean(b), error_b.squared),
        error_a.df + error_b.df,
        confidence,
    )
    .ok_or(Error::Setting {
        what: "size of the baseline's mean, by which a ratio is divided",
        above: 0.0,
        below: f64::INFINITY,
        value: 0.0,
    })
}

/// Fieller's interval of `b / a` from two independent estimates, each with its squared error. None
/// if `a` is zero.
pub(crate) fn fieller(
    (a, squared_error_a): (f64, f64),
    (b, squared_error_b): (f64, f64),
    df: f64,
    confidence: f64,
) -> Option<RatioOfMeans> {
    if a == 0.0 {
        return None;
    }
    let ratio = b / a;
    let t = t_upper_quantile(0.5 * (1.0 - confidence), df);
    let g = t * t * squared_error_a / (a * a);
    let interval = if g < 1.0 {
        let under_root = (1.0 - g) * squared_error_b + ratio * ratio * squared_error_a;
        let half_width = t / a.abs() * under_root.sqrt();
        RatioInterval::Bounded {
            low: (ratio - half_width) / (1.0 - g),
            high: (ratio + half_width) / (1.0 - g),
        }
    } else {
        RatioInterval::Unbounded
    };
    Some(RatioOfMeans { ratio, interval, g })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_so_when_the_baseline_might_be_zero() {
        let found = ratio_of_means(&[-1.0, 1.5, 0.4], &[2.0, 2.1, 2.2], 0.95).unwrap();
        assert!(found.g > 1.0);
        assert_eq!(found.interval, RatioInterval::Unbounded);
        assert!(ratio_of_means(&[-1.0, 1.0], &[2.0, 2.1], 0.95).is_err());
    }

    #[test]
    fn no_spread_gives_no_interval() {
        let found = ratio_of_means(&[5.0, 5.0], &[6.0, 6.0], 0.95);
        assert_eq!(found, Err(Error::NoVariation));
    }
}
