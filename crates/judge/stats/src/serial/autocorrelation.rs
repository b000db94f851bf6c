//! Likeness of values at a distance.

use statrs::function::gamma::gamma_ur;

use crate::summary::{raw_mean, squared_deviations};
use crate::{Error, check};

/// Autocorrelations r_1, ..., r_lags: `sum (x_t - mean) (x_(t+k) - mean) / sum (x_t - mean)^2`.
///
/// Independent values have about -1/n at every lag, give or take 1/sqrt(n).
///
/// Source: Box and Jenkins, *Time Series Analysis* (1970), section 2.1.
///
/// # Errors
/// No lag, or not more values than lags; [`Error::NoVariation`] if all values are equal.
pub fn autocorrelation(values: &[f64], lags: usize) -> Result<Vec<f64>, Error> {
    if lags == 0 {
        return Err(Error::TooFew {
            what: "lags".to_owned(),
            needed: 1,
            found: 0,
        });
    }
    check::sample("sample", values, lags.saturating_add(1).max(2))?;
    let centre = raw_mean(values);
    let squares = varying(values)?;
    let deviations: Vec<f64> = values.iter().map(|v| v - centre).collect();
    let at_lag = |lag: usize| {
        let pairs = deviations.iter().zip(&deviations[lag..]);
        pairs.map(|(x, y)| x * y).sum::<f64>() / squares
    };
    Ok((1..=lags).map(at_lag).collect())
}

/// Outcome of Ljung and Box' test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LjungBox {
    /// `n (n + 2) sum r_k^2 / (n - k)` over the lags.
    pub q: f64,
    /// Probability of a larger one if the values are independent: chi-squared, with as many
    /// degrees of freedom as lags.
    pub p: f64,
}

/// Ljung and Box' test of the first `lags` autocorrelations together (*Biometrika* 65, 1978).
///
/// # Errors
/// As [`autocorrelation`].
pub fn ljung_box(values: &[f64], lags: usize) -> Result<LjungBox, Error> {
    let n = values.len() as f64;
    let terms = autocorrelation(values, lags)?;
    let sum: f64 = terms
        .iter()
        .zip(1..)
        .map(|(r, lag)| r * r / (n - f64::from(lag)))
        .sum();
    let q = n * (n + 2.0) * sum;
    // The incomplete gamma function at zero is left out of the library's domain.
    let p = if q > 0.0 {
        gamma_ur(0.5 * lags as f64, 0.5 * q)
    } else {
        1.0
    };
    Ok(LjungBox { q, p })
}

/// Von Neumann's ratio, `sum (x_(t+1) - x_t)^2 / sum (x_t - mean)^2` (*Annals of Mathematical
/// Statistics* 12, 1941): 2 for independent values, less where neighbours are alike, more where
/// they alternate. On ranks it is what [`crate::dependence`] uses.
///
/// # Errors
/// Fewer than two values; [`Error::NoVariation`] if all are equal.
pub fn von_neumann_ratio(values: &[f64]) -> Result<f64, Error> {
    check::sample("sample", values, 2)?;
    raw_von_neumann_ratio(values)
}

pub(crate) fn raw_von_neumann_ratio(values: &[f64]) -> Result<f64, Error> {
    let spread = varying(values)?;
    let steps = values.windows(2).map(|pair| pair[1] - pair[0]);
    Ok(steps.map(|step| step * step).sum::<f64>() / spread)
}

/// Sum of squared deviations, if there is one.
fn varying(values: &[f64]) -> Result<f64, Error> {
    let squares = squared_deviations(values);
    if squares > 0.0 {
        Ok(squares)
    } else {
        Err(Error::NoVariation)
    }
}
