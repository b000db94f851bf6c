//! By which factor does the mean differ?

use crate::check;
use crate::distribution::t_upper_quantile;
use crate::error::Error;
use crate::mean::ErrorPart;
use crate::summary::raw_mean;

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
/// [`Error::OutOfRange`] if the baseline's mean is zero.
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
    .ok_or(ZERO)
}

/// Ratio of the means of paired values, `b / a` of each pair, `df = n - 1`; at least two pairs.
///
/// What the two values of a pair have in common (what was subtracted from both, or a slow block)
/// makes them correlated. `b - beta a` is not correlated with `a` if beta is their covariance over
/// the variance of `a`, so Fieller's interval is that of `(b - beta a) / a`, moved by beta.
///
/// # Errors
/// Unusable or too few pairs; [`Error::NoVariation`] if all pairs are equal; [`Error::OutOfRange`] if
/// the mean of `a` is zero.
pub fn ratio_of_paired_means(pairs: &[(f64, f64)], confidence: f64) -> Result<RatioOfMeans, Error> {
    check::probability("confidence", confidence)?;
    let (a, b): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    check::sample("baseline", &a, 2)?;
    check::sample("candidate", &b, 2)?;
    let (mean_a, mean_b) = (raw_mean(&a), raw_mean(&b));
    let (error_a, error_b) = (ErrorPart::of_mean(&a), ErrorPart::of_mean(&b));
    if error_a.squared + error_b.squared == 0.0 {
        return Err(Error::NoVariation);
    }
    let n = pairs.len() as f64;
    let products = pairs.iter().map(|(a, b)| (a - mean_a) * (b - mean_b));
    let covariance = products.sum::<f64>() / (n - 1.0) / n;
    let beta = if error_a.squared > 0.0 {
        covariance / error_a.squared
    } else {
        0.0
    };
    // Rounding may leave it below zero where the pairs lie on a line.
    let rest = (error_b.squared - beta * covariance).max(0.0);
    let found = fieller(
        (mean_a, error_a.squared),
        (mean_b - beta * mean_a, rest),
        n - 1.0,
        confidence,
    )
    .ok_or(ZERO)?;
    Ok(RatioOfMeans {
        ratio: mean_b / mean_a,
        interval: match found.interval {
            RatioInterval::Bounded { low, high } => RatioInterval::Bounded {
                low: low + beta,
                high: high + beta,
            },
            RatioInterval::Unbounded => RatioInterval::Unbounded,
        },
        g: found.g,
    })
}

/// There is no ratio to zero.
const ZERO: Error = Error::OutOfRange {
    what: "size of the baseline's mean, by which a ratio is divided",
    above: 0.0,
    below: f64::INFINITY,
    value: 0.0,
};

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

    /// The ends of the interval are where the pairs' differences `b - ratio a` have a mean that Student's test at
    /// the same level just does not tell apart from zero.
    #[test]
    fn the_ends_for_pairs_are_those_of_students_test() {
        let pairs = [(2.0, 5.1), (2.6, 5.9), (1.7, 4.2), (2.2, 5.8), (3.1, 6.6)];
        let found = ratio_of_paired_means(&pairs, 0.95).unwrap();
        let RatioInterval::Bounded { low, high } = found.interval else {
            panic!("{found:?}");
        };
        assert!(low < found.ratio && found.ratio < high, "{found:?}");
        for end in [low, high] {
            let rest: Vec<f64> = pairs.iter().map(|(a, b)| b - end * a).collect();
            let error = ErrorPart::of_mean(&rest);
            let t = raw_mean(&rest).abs() / error.squared.sqrt();
            assert!((t - t_upper_quantile(0.025, 4.0)).abs() < 1e-9, "{t}");
        }
    }

    #[test]
    fn pairs_on_a_line_through_zero_have_one_ratio() {
        let found =
            ratio_of_paired_means(&[(10.0, 30.0), (11.0, 33.0), (12.0, 36.0)], 0.95).unwrap();
        let RatioInterval::Bounded { low, high } = found.interval else {
            panic!("{found:?}");
        };
        assert!((low - 3.0).abs() < 1e-9 && (high - 3.0).abs() < 1e-9);
        let uncertain = ratio_of_paired_means(&[(-1.0, 2.0), (1.5, 2.1)], 0.95).unwrap();
        assert_eq!(uncertain.interval, RatioInterval::Unbounded);
        assert!(ratio_of_paired_means(&[(1.0, 2.0)], 0.95).is_err());
        assert!(ratio_of_paired_means(&[(-1.0, 2.0), (1.0, 2.1)], 0.95).is_err());
    }

    #[test]
    fn no_variation_gives_no_interval() {
        let found = ratio_of_means(&[5.0, 5.0], &[6.0, 6.0], 0.95);
        assert_eq!(found, Err(Error::NoVariation));
    }
}
