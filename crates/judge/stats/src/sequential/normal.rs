//! Means of values whose spread is known, or estimated from many.

use crate::{Error, check};

/// Wealth after `n` values with mean `mean` of a gambler who bets against a true mean of zero:
///
/// `sqrt(s^2 / (s^2 + n t^2)) exp(n^2 t^2 mean^2 / (2 s^2 (s^2 + n t^2)))`,
///
/// with `s` the known standard deviation of a value and `t` (`mixing_sd`) that of the means to bet
/// on, in the same unit: the size of effect that one hopes to find. One over the largest so far is
/// a p-value at any time. Known as the mixture sequential probability ratio test (Robbins, *Annals
/// of Mathematical Statistics* 41, 1970; Johari, Koomen, Pekelis and Walsh, *Operations Research*
/// 70, 2022).
///
/// Only where the values are normal and `s` is really known. One slow mode, or an `s` estimated from
/// the same values, and its promise is gone; [`RankEProcess`](super::RankEProcess) needs neither.
///
/// # Errors
/// A mean that is no usable number, or a standard deviation out of range.
pub fn normal_mixture(n: usize, mean: f64, sd: f64, mixing_sd: f64) -> Result<f64, Error> {
    check::sample("mean", &[mean], 1)?;
    check::between("standard deviation", sd, 1e-75, 1e75)?;
    check::between("standard deviation of effects", mixing_sd, 1e-75, 1e75)?;
    // In units of the standard deviation of a value; by steps that stay in range.
    let effects = mixing_sd / sd * (n as f64).sqrt();
    let shown = mean / sd * (n as f64).sqrt();
    let both = 1.0_f64.hypot(effects);
    let exponent = shown * (effects / both);
    Ok((0.5 * exponent * exponent - both.ln()).exp().min(f64::MAX))
}

/// Half-width of the asymptotic confidence sequence of a mean after `n` values with standard
/// deviation `sd`, in the unit of `sd`:
///
/// `sd sqrt(2 (n r^2 + 1) / (n^2 r^2) ln(sqrt(n r^2 + 1) / alpha))`,
///
/// with r chosen so that it is narrow about `tuned_for` values, `r^2 = (ln(1 / alpha^2) +
/// ln(ln(1 / alpha^2) + 1)) / tuned_for` (Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, *Annals
/// of Statistics* 52, 2024).
///
/// For hundreds of values. With an estimated `sd` it promises nothing for few: in simulations at 95 %
/// it missed the mean at some time in 22 of 100 series when looked at from the second value on, in
/// 8 from the fifth, and in 5 from the tenth. With a slow mode it needs more runs than anyone has.
///
/// # Errors
/// No values, or a setting out of range.
pub fn asymptotic_half_width(
    n: usize,
    sd: f64,
    confidence: f64,
    tuned_for: usize,
) -> Result<f64, Error> {
    for (what, found) in [("values", n), ("values to be tuned for", tuned_for)] {
        if found == 0 {
            return Err(Error::TooFew {
                what: what.to_owned(),
                needed: 1,
                found,
            });
        }
    }
    check::between("standard deviation", sd, 0.0, 1e75)?;
    check::between("confidence", confidence, 0.5, 1.0)?;
    let n = n as f64;
    let alpha = 1.0 - confidence;
    let doubled = -2.0 * alpha.ln();
    let scaled = n * (doubled + doubled.ln_1p()) / tuned_for as f64;
    let widening = 0.5 * scaled.ln_1p() - alpha.ln();
    Ok(sd * (2.0 * (scaled + 1.0) / (n * scaled) * widening).sqrt())
}
